//! Who takes part in a search.

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;

use hyperslide_table::read_named_file;
use thiserror::Error;

/// The addresses of the processes of a search, in the order of their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hosts(Vec<String>);

/// Why a list of hosts cannot be used.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "each message says what its fields are")]
pub enum HostsError {
    #[error("cannot read the hosts in {path}: {source}: name a file with one HOST:PORT a line")]
    Read { path: String, source: io::Error },
    #[error("{path}:{line}: '{text}' is not an address: write HOST:PORT, as in node1:7100")]
    Address { path: String, line: usize, text: String },
    #[error("{path}:{line}: {text} is listed twice: each process needs an address of its own")]
    Twice { path: String, line: usize, text: String },
    #[error("{path} names no hosts: write one HOST:PORT a line")]
    None { path: String },
    #[error("there is no process {process}: {path} has {count} hosts, numbered from 0")]
    Process { path: String, process: usize, count: usize },
    #[error("no port is free for another process: {0}")]
    NoPort(#[from] io::Error),
}

impl Hosts {
    /// Reads a file with one `HOST:PORT` a line. Empty lines and lines that begin with `#` are
    /// skipped. `process` is the number of the process that reads it.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read, has a line that is not an address, has an
    /// address twice, or has no address for the process.
    pub fn read(path: &Path, process: usize) -> Result<Hosts, HostsError> {
        let name = || path.display().to_string();
        let unread = |source| HostsError::Read { path: name(), source };
        let text = String::from_utf8(read_named_file(path).map_err(unread)?)
            .map_err(|error| unread(io::Error::other(error)))?;
        let mut addresses: Vec<String> = Vec::new();
        for (line, text) in (1..).zip(text.lines().map(str::trim)) {
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let is_address = text.rsplit_once(':').is_some_and(|(host, port)| {
                !host.is_empty() && port.parse::<u16>().is_ok_and(|port| port > 0)
            });
            if !is_address || text.contains(char::is_whitespace) {
                return Err(HostsError::Address { path: name(), line, text: text.to_owned() });
            }
            if addresses.iter().any(|other| other == text) {
                return Err(HostsError::Twice { path: name(), line, text: text.to_owned() });
            }
            addresses.push(text.to_owned());
        }
        let count = addresses.len();
        match count {
            0 => Err(HostsError::None { path: name() }),
            _ if process >= count => Err(HostsError::Process { path: name(), process, count }),
            _ => Ok(Hosts(addresses)),
        }
    }

    /// Returns addresses of this machine that are free now.
    ///
    /// # Errors
    ///
    /// Returns an error if there are too few free ports.
    pub fn local(processes: usize) -> Result<Hosts, HostsError> {
        // All of them are held until all are known, so that none is there twice.
        let held: io::Result<Vec<TcpListener>> =
            (0..processes).map(|_| TcpListener::bind((Ipv4Addr::LOCALHOST, 0))).collect();
        let addresses: io::Result<Vec<String>> =
            held?.iter().map(|held| Ok(held.local_addr()?.to_string())).collect();
        Ok(Hosts(addresses?))
    }

    /// Returns the addresses.
    pub fn addresses(&self) -> &[String] {
        &self.0
    }

    /// Returns the number of processes on the machine of this one: they share its memory and its
    /// processors.
    pub fn on_machine_of(&self, process: usize) -> usize {
        let host = |address: &str| address.rsplit_once(':').map(|(host, _)| host.to_owned());
        let own = host(&self.0[process]);
        self.0.iter().filter(|address| host(address) == own).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_hosts_are_read_or_refused_with_their_line() {
        let path = std::env::temp_dir().join(format!("hyperslide-hosts-{}", std::process::id()));
        let read = |text: &str, process| {
            std::fs::write(&path, text).unwrap();
            Hosts::read(&path, process)
        };
        let hosts = read("# two machines\nnode1:7100\nnode1:7101\n\nnode2:7100\n", 2).unwrap();
        assert_eq!(hosts.addresses(), ["node1:7100", "node1:7101", "node2:7100"]);
        assert_eq!((hosts.on_machine_of(1), hosts.on_machine_of(2)), (2, 1));
        let message = |text: &str, process| read(text, process).unwrap_err().to_string();
        assert!(message("node1:7100\nnode2\n", 0).contains(":2: 'node2' is not an address"));
        assert!(message("node1:0\n", 0).contains("is not an address"));
        assert!(message("a:1\na:1\n", 0).contains(":2: a:1 is listed twice"));
        assert!(message("\n", 0).contains("names no hosts"));
        assert!(message("a:1\n", 1).contains("there is no process 1"));
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn local_addresses_differ() {
        let hosts = Hosts::local(4).unwrap();
        let mut addresses = hosts.addresses().to_vec();
        addresses.sort();
        addresses.dedup();
        assert_eq!((addresses.len(), hosts.on_machine_of(0)), (4, 4));
    }
}
