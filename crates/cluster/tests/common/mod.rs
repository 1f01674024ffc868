//! Threads that play processes, connected over TCP.

use std::sync::atomic::AtomicBool;
use std::thread;

use hyperslide_cluster::{Hosts, Spill, TimelyPeers};

/// A search that is never cancelled.
pub static NEVER: AtomicBool = AtomicBool::new(false);

/// Queues that keep all in memory that tests send.
pub fn spill() -> Spill {
    Spill::new(&std::env::temp_dir(), 256 << 20)
}

/// What each of these processes returns.
pub fn connected<T: Send>(processes: usize, run: impl Fn(&TimelyPeers) -> T + Sync) -> Vec<T> {
    let spill = &spill();
    let hosts = Hosts::local(processes).unwrap();
    thread::scope(|scope| {
        let running: Vec<_> = (0..processes)
            .map(|process| {
                let (hosts, run) = (&hosts, &run);
                let peers = move || TimelyPeers::connect(hosts, process, spill, &NEVER).unwrap();
                scope.spawn(move || run(&peers()))
            })
            .collect();
        running.into_iter().map(|process| process.join().unwrap()).collect()
    })
}
