//! Searches that several processes share, on this machine or on several.

use std::ffi::OsString;
use std::fs::File;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use hyperslide_cluster::{ConnectError, Hosts, HostsError, Spill, TimelyPeers};
use hyperslide_puzzle::Board;
use hyperslide_table::{FilesError, FilesOptions, Peers, end_searches, join_searches};

use crate::failure::{ExitStatus, Failure};
use crate::terminal::{SearchProgress, cancellable, is_cancelled};

/// How long the processes that this one has started may take to end.
const PATIENCE: Duration = Duration::from_secs(10);
/// Bytes of each queue between two processes that stay in memory.
const QUEUE_BYTES: usize = 256 << 20;

/// Which processes share a search.
#[derive(Args, Default)]
pub struct ProcessArguments {
    /// Shares the search between this many processes on this machine, each with a part of the
    /// blocks in a directory of its own under --blocks
    #[arg(long, value_name = "N", requires = "blocks", conflicts_with = "hosts", value_parser = parse_processes)]
    processes: Option<usize>,
    /// Shares the search with processes on other machines, each started with the same command apart
    /// from --process; the file has one HOST:PORT a line
    #[arg(long, value_name = "FILE", requires = "blocks", requires = "process")]
    hosts: Option<PathBuf>,
    /// The number of this process among those of --hosts, from 0; process 0 prints and keeps what
    /// is found
    #[arg(long, value_name = "N", requires = "hosts")]
    process: Option<usize>,
    /// Says nothing when another process ends: process 0, which has started this one, says it
    #[arg(long, hide = true, requires = "hosts")]
    started_by_first: bool,
}

impl ProcessArguments {
    /// Returns whether the search is to be shared.
    pub fn is_given(&self) -> bool {
        self.processes.is_some() || self.hosts.is_some()
    }
}

fn parse_processes(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(processes @ 1..=64) => Ok(processes),
        _ => Err("write a number from 1 to 64".to_owned()),
    }
}

impl ProcessArguments {
    /// Connects this process to the others, and starts those of --processes first; `None` if this
    /// process searches alone. `blocks` is the directory of --blocks.
    pub fn connect(&self, blocks: Option<&Path>) -> Result<Option<Together>, Failure> {
        // Both options require --blocks.
        let Some(blocks) = blocks else { return Ok(None) };
        let (hosts, process, started) = match (self.processes, &self.hosts) {
            (Some(processes), _) => {
                let hosts = Hosts::local(processes)?;
                let started = Started::new(&hosts, blocks)?;
                (hosts, 0, started)
            }
            (None, Some(hosts)) => {
                let process = self.process.unwrap_or(0);
                (Hosts::read(hosts, process)?, process, Started::default())
            }
            (None, None) => return Ok(None),
        };
        let line = SearchProgress::new("");
        line.say(&format!("process {process}: waiting for the others"));
        let spill = Spill::new(blocks, QUEUE_BYTES);
        let peers = cancellable(|cancel| TimelyPeers::connect(&hosts, process, &spill, cancel));
        drop(line);
        let is_silent = self.started_by_first;
        Ok(Some(Together { peers: Arc::new(peers?), started, is_silent }))
    }
}

/// The processes that share a search with this one.
pub struct Together {
    peers: Arc<TimelyPeers>,
    started: Started,
    /// Whether the end of other processes needs no word of this one.
    is_silent: bool,
}

impl Together {
    /// The processes, for the options of a search.
    pub fn peers(&self) -> Arc<dyn Peers> {
        Arc::clone(&self.peers) as Arc<dyn Peers>
    }

    /// Returns whether another process prints and keeps what is found.
    pub fn is_helper(&self) -> bool {
        self.peers.process() > 0
    }

    /// Takes part in the searches of process 0 until there are no more.
    pub fn join(&self, board: &Board, mut options: FilesOptions) -> Result<ExitStatus, Failure> {
        options.peers = Some(self.peers());
        let joined = cancellable(|cancel| {
            join_searches(board, &options, cancel, &mut |_| ControlFlow::Continue(()))
        });
        match joined {
            // Process 0 says what was found so far.
            _ if is_cancelled() => Ok(ExitStatus::LimitReached),
            Ok(_) => {
                // What the searches found is with process 0, whatever happens to it now.
                let _ = self.peers.end();
                Ok(ExitStatus::Done)
            }
            Err(FilesError::Gone(_)) if self.is_silent => Ok(ExitStatus::Other),
            Err(FilesError::Missing { .. }) if self.is_silent => {
                // All find that out together. Process 0 must not miss its part for want of this
                // one.
                let _ = self.peers.gather(Vec::new());
                Ok(ExitStatus::Other)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Tells the others that there are no more searches, if the last one is complete, and waits for
    /// those that this process has started.
    pub fn end(self, is_complete: bool) {
        let Together { peers, mut started, .. } = self;
        if is_complete && end_searches(&*peers).is_ok() {
            // The result is there, whatever happens to the others now.
            let _ = peers.end();
        } else {
            peers.leave();
        }
        started.wait();
    }
}

/// Processes that this one has started, which end with it.
#[derive(Default)]
struct Started {
    children: Vec<Child>,
    hosts: Option<PathBuf>,
}

impl Started {
    /// Starts the others of these processes with the arguments of this one.
    fn new(hosts: &Hosts, blocks: &Path) -> Result<Started, Failure> {
        let failed = |path: &Path| {
            let path = path.display().to_string();
            move |error| {
                Failure::Input(format!("cannot write {path}: {error}: name another directory"))
            }
        };
        std::fs::create_dir_all(blocks).map_err(failed(blocks))?;
        let path = blocks.join("hosts");
        let mut file = File::create(&path).map_err(failed(&path))?;
        writeln!(file, "{}", hosts.addresses().join("\n")).map_err(failed(&path))?;
        let mut started = Started { children: Vec::new(), hosts: Some(path.clone()) };
        let program = std::env::current_exe()
            .map_err(|error| Failure::Other(format!("cannot find this program: {error}")))?;
        for process in 1..hosts.addresses().len() {
            let child = Command::new(&program)
                .args(without_processes(std::env::args_os().skip(1)))
                .arg("--hosts")
                .arg(&path)
                .args(["--process", &process.to_string(), "--started-by-first"])
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .spawn();
            started.children.push(child.map_err(|error| {
                Failure::Other(format!("process {process} cannot be started: {error}"))
            })?);
        }
        Ok(started)
    }

    /// Waits for the processes, and ends those that do not end by themselves.
    fn wait(&mut self) {
        let began = Instant::now();
        for child in &mut self.children {
            while began.elapsed() < PATIENCE && matches!(child.try_wait(), Ok(None)) {
                std::thread::sleep(Duration::from_millis(5));
            }
            // A process that has ended cannot be killed, which is as well.
            let _ = child.kill();
            let _ = child.wait();
        }
        self.children.clear();
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        for child in &mut self.children {
            let _ = child.kill();
            let _ = child.wait();
        }
        if let Some(hosts) = &self.hosts {
            let _ = std::fs::remove_file(hosts);
        }
    }
}

/// The arguments without `--processes`.
fn without_processes(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut rest = Vec::new();
    let mut is_value = false;
    for argument in arguments {
        if std::mem::take(&mut is_value) {
            continue;
        }
        match argument.to_str() {
            Some("--processes") => is_value = true,
            Some(text) if text.starts_with("--processes=") => {}
            _ => rest.push(argument),
        }
    }
    rest
}

impl From<HostsError> for Failure {
    fn from(error: HostsError) -> Failure {
        Failure::input(error)
    }
}

impl From<ConnectError> for Failure {
    fn from(error: ConnectError) -> Failure {
        match error {
            ConnectError::Listen { .. } => Failure::input(error),
            ConnectError::Cancelled => Failure::Limit(error.to_string()),
            _ => Failure::Other(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_are_started_without_the_number_of_processes() {
        let given = ["layers", "grid:3:3", "--processes", "3", "--blocks", "d", "--processes=2"];
        let rest = without_processes(given.into_iter().map(OsString::from));
        assert_eq!(rest, ["layers", "grid:3:3", "--blocks", "d"]);
    }
}
