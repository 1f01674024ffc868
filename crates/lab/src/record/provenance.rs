use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use hyperslide_table::{available_threads, process_memory};
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
    /// Whether it was built for debugging: times of such programs say little, not even in
    /// comparison with each other.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub debug_build: bool,
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
            debug_build: env!("HYPERSLIDE_PROFILE") != "release",
            machine: Machine::current(),
            command: command.to_owned(),
            finished_unix: SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0, |since| since.as_secs()),
        }
    }
}

/// Those that differ in more than when they ended: each program and command on each machine once.
pub(crate) fn programs<'a>(records: impl IntoIterator<Item = &'a Provenance>) -> Vec<Provenance> {
    let mut programs: Vec<Provenance> = Vec::new();
    for record in records {
        let is_same = |known: &Provenance| {
            (&known.revision, &known.machine, &known.command)
                == (&record.revision, &record.machine, &record.command)
        };
        if !programs.iter().any(is_same) {
            programs.push(record.clone());
        }
    }
    programs
}

/// The machine a run was made on, as far as it can be told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The processor's name.
    pub cpu: String,
    /// Logical cores available to the program, or the number of threads that it was allowed.
    pub cores: usize,
    /// Main memory in bytes.
    pub memory_bytes: Option<u64>,
    /// Operating system and architecture.
    pub os: String,
}

impl Machine {
    /// The machine this runs on.
    pub fn current() -> Machine {
        Machine {
            cpu: field("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown".to_owned()),
            cores: available_threads(),
            memory_bytes: field("/proc/meminfo", "MemTotal").and_then(|text| kibibytes(&text)),
            os: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        }
    }

    /// Bytes of main memory that are free for use now, where the system tells.
    pub fn available_memory() -> Option<u64> {
        kibibytes(&field("/proc/meminfo", "MemAvailable")?)
    }

    /// Bytes that a command may use when it is not told: most of what is free, and of what the
    /// limits of the process and of its control group leave. The rest is for what is not counted,
    /// and for other programs.
    pub fn memory_to_use() -> u64 {
        Machine::available_memory().map_or(u64::MAX, most_of).min(Machine::memory_allowed())
    }

    /// Bytes that a command may use: the limit that was given, but no more than the process may
    /// have, or most of the free memory. Where the system itself refuses memory, the first refusal
    /// may meet an allocation that has no answer to it.
    pub fn memory_limit(said: Option<u64>) -> u64 {
        said.map_or_else(Machine::memory_to_use, |said| said.min(Machine::memory_allowed()))
    }

    /// Most of the bytes that the limits of the process and of its control group leave: the system
    /// refuses more, whatever is free.
    pub fn memory_allowed() -> u64 {
        /// What the allocator reserves of the address space for each further thread.
        const ARENA: u64 = 64 << 20;
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let arenas = ARENA * (threads as u64 - 1).min(8);
        let address_space = left_of_limit("Max address space", "VmSize");
        // A small address space is shared out, so that something is left for the search and for
        // what nobody counts, such as the stacks of threads.
        let left = [
            address_space.map(|left| left.saturating_sub(arenas).max(left / 4)),
            left_of_limit("Max data size", "VmData"),
            left_of_control_groups(),
        ];
        left.into_iter().flatten().min().map_or(u64::MAX, most_of)
    }
}

/// What a file of the system says in the first line with this name.
fn field(file: &str, name: &str) -> Option<String> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// The part of memory that may be counted on.
fn most_of(bytes: u64) -> u64 {
    const PERCENT: u64 = 80;
    bytes / 100 * PERCENT
}

/// What a limit of this process leaves, where it has that limit.
fn left_of_limit(limit: &str, used: &str) -> Option<u64> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    Some(soft_limit(&limits, limit)?.saturating_sub(process_memory(std::process::id(), used)?))
}

/// The soft limit of this name in `/proc/self/limits`; `None` when it is unlimited.
fn soft_limit(limits: &str, name: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

/// What the control groups of this process leave: the least of its own and of those around it.
fn left_of_control_groups() -> Option<u64> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    let read = |path: &Path| std::fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let mut least = None;
    for line in groups.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(group)) = (fields.next(), fields.next()) else { continue };
        let (root, limit, used) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max", "memory.current"),
            "memory" => ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"),
            _ => continue,
        };
        for group in Path::new(group.trim_start_matches('/')).ancestors() {
            let directory = Path::new(root).join(group);
            let left = read(&directory.join(limit))
                .zip(read(&directory.join(used)))
                .map(|(limit, used)| limit.saturating_sub(used));
            least = least.into_iter().chain(left).min();
        }
    }
    least
}

fn kibibytes(text: &str) -> Option<u64> {
    text.trim().trim_end_matches("kB").trim().parse::<u64>().ok().map(|kib| kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_the_process_are_read() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units     \n\
                      Max data size             unlimited            unlimited            bytes     \n\
                      Max address space         204800000            unlimited            bytes     \n";
        assert_eq!(soft_limit(limits, "Max address space"), Some(204_800_000));
        assert_eq!(soft_limit(limits, "Max data size"), None);
        assert_eq!(soft_limit(limits, "Max stack size"), None);
    }
}
