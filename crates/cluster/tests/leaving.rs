//! A process that leaves: in a test program of its own, since a connection that breaks is told to all
//! dataflows of a process.

use std::sync::atomic::AtomicBool;
use std::thread;

use hyperslide_cluster::{Hosts, TimelyPeers};
use hyperslide_table::Peers;

static NEVER: AtomicBool = AtomicBool::new(false);

/// What each of these processes returns.
fn connected<T: Send>(processes: usize, run: impl Fn(&TimelyPeers) -> T + Sync) -> Vec<T> {
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

#[test]
fn whoever_waits_for_a_process_that_leaves_is_told() {
    let told = connected(3, |peers| {
        let gathered = peers.gather(vec![1]);
        if peers.process() == 1 {
            gathered.unwrap();
            peers.leave();
            return None;
        }
        // What a process has sent just before it leaves may be lost.
        Some(gathered.and_then(|_| peers.receive(0)).unwrap_err())
    });
    assert!(told[0].is_some() && told[1].is_none() && told[2].is_some());
    let message = told[0].as_ref().unwrap().to_string();
    assert!(message.contains("is gone") && message.contains("--resume"), "{message}");
}
