use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// The revision of the source that this program was built from; `-modified` with changes.
pub const REVISION: &str = env!("HYPERSLIDE_REVISION");

/// What made a record, where and when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// The version of Hyperslide.
    pub version: String,
    /// The revision of its source.
    pub revision: String,
    /// Where it ran.
    pub machine: Machine,
    /// The command that ran it.
    pub command: String,
    /// When it ended, in seconds since 1970.
    pub finished_unix: u64,
}

impl Provenance {
    /// This program, here and now, run by this command.
    pub fn now(command: &str) -> Provenance {
        Provenance {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            revision: REVISION.to_owned(),
            machine: Machine::current(),
            command: command.to_owned(),
            finished_unix: SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0, |since| since.as_secs()),
        }
    }
}

/// The machine a run was made on, as far as it can be told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The processor's name.
    pub cpu: String,
    /// Logical cores available to the program.
    pub cores: usize,
    /// Main memory in bytes.
    pub memory_bytes: Option<u64>,
    /// Operating system and architecture.
    pub os: String,
}

impl Machine {
    /// The machine this runs on.
    pub fn current() -> Machine {
        let field = |file: &str, name: &str| {
            let text = std::fs::read_to_string(file).ok()?;
            let line = text.lines().find(|line| line.starts_with(name))?;
            Some(line.split_once(':')?.1.trim().to_owned())
        };
        let memory = field("/proc/meminfo", "MemTotal");
        Machine {
            cpu: field("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown".to_owned()),
            cores: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            memory_bytes: memory.and_then(|text| kibibytes(&text)),
            os: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        }
    }

    /// Bytes of main memory that are free for use now, where the system tells.
    pub fn available_memory() -> Option<u64> {
        let text = std::fs::read_to_string("/proc/meminfo").ok()?;
        let line = text.lines().find(|line| line.starts_with("MemAvailable"))?;
        kibibytes(line.split_once(':')?.1)
    }

    /// Bytes that a command may use when it is not told: most of what is free. The rest is for what is not
    /// counted, and for other programs.
    pub fn memory_to_use() -> u64 {
        const PERCENT: u64 = 80;
        Machine::available_memory().map_or(u64::MAX, |free| free / 100 * PERCENT)
    }
}

fn kibibytes(text: &str) -> Option<u64> {
    text.trim().trim_end_matches("kB").trim().parse::<u64>().ok().map(|kib| kib * 1024)
}
