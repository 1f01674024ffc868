//! Connects the processes that share a search of a whole puzzle graph.
//!
//! `hosts` reads who takes part, `connect` makes the connections, `envelope` says how blocks are
//! sent, `dataflow` moves them with timely dataflow, `spill` keeps its queues small, and
//! [`TimelyPeers`] is what a search sees of it all.
//!
//! Connections are neither encrypted nor authenticated: they belong in a network whose machines
//! trust each other.

mod connect;
mod dataflow;
mod envelope;
mod hosts;
mod peers;
mod spill;

pub use connect::ConnectError;
pub use hosts::{Hosts, HostsError};
pub use peers::TimelyPeers;
pub use spill::Spill;
