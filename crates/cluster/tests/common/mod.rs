//! Threads that play processes, connected over TCP.

use std::sync::atomic::AtomicBool;
use std::thread;

use hyperslide_cluster::{Hosts, TimelyPeers};

/// A search that is never cancelled.
pub static NEVER: AtomicBool = AtomicBool::new(false);

/// What each of these processes returns.
pub fn connected<T: Send>(processes: usize, run: impl Fn(&TimelyPeers) -> T + Sync) -> Vec<T> {
    let hosts = Hosts::local(processes).unwrap();
    thread::scope(|scope| {
        let running: Vec<_> = (0..processes)
            .map(|process| {
                let (hosts, run) = (&hosts, &run);
                scope.spawn(move || run(&TimelyPeers::connect(hosts, process, &NEVER).unwrap()))
            })
            .collect();
        running.into_iter().map(|process| process.join().unwrap()).collect()
    })
}
