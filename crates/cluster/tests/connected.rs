//! Processes connected over TCP, here threads of one process.

mod common;

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use common::{NEVER, spill};
use hyperslide_cluster::{Hosts, TimelyPeers};
use hyperslide_table::{Peers, SentBlock};

/// What each of these processes returns, all of which end together.
fn connected<T: Send>(processes: usize, run: impl Fn(&TimelyPeers) -> T + Sync) -> Vec<T> {
    common::connected(processes, |peers| {
        let found = run(peers);
        peers.end().unwrap();
        found
    })
}

#[test]
fn all_gather_what_each_has_sent() {
    for processes in 1..=4 {
        connected(processes, |peers| {
            for round in 0..50 {
                let all = peers.gather(vec![round; peers.process() * 1000 + 1]).unwrap();
                let expected: Vec<Vec<u8>> =
                    (0..processes).map(|process| vec![round; process * 1000 + 1]).collect();
                assert!(all == expected, "round {round}");
            }
        });
    }
}

fn sent(from: usize, window: u64, number: usize) -> SentBlock {
    let bytes = (0..number * 10_007).map(|byte| (byte ^ from) as u8).collect();
    let block = (from * 1000 + number) as u32;
    SentBlock { block, states: window as u32, checksum: 7, bytes }
}

#[test]
fn blocks_arrive_in_their_windows_of_which_at_most_two_are_under_way() {
    const WINDOWS: u64 = 12;
    connected(3, |peers| {
        let own = peers.process();
        let others: Vec<usize> = (0..3).filter(|&other| other != own).collect();
        let received = AtomicU64::new(0);
        thread::scope(|scope| {
            scope.spawn(|| {
                for window in 0..WINDOWS {
                    for &to in &others {
                        for number in 0..5 {
                            peers.send(window, to, sent(own, window, number)).unwrap();
                        }
                    }
                    peers.close(window).unwrap();
                    assert!(received.load(Ordering::SeqCst) + 1 >= window);
                }
            });
            for window in 0..WINDOWS {
                // One process is slower than the others.
                if own == 0 {
                    thread::sleep(Duration::from_millis(30));
                }
                let mut sent_blocks: Vec<SentBlock> =
                    (0..10).map(|_| peers.receive(window).unwrap()).collect();
                received.store(window + 1, Ordering::SeqCst);
                sent_blocks.sort_by_key(|sent| sent.block);
                let mut expected: Vec<SentBlock> = others
                    .iter()
                    .flat_map(|&from| (0..5).map(move |number| sent(from, window, number)))
                    .collect();
                expected.sort_by_key(|sent| sent.block);
                assert!(sent_blocks == expected, "window {window}");
            }
        });
        peers.gather(Vec::new()).unwrap();
    });
}

#[test]
fn waiting_can_be_cancelled_and_strangers_are_not_listened_to() {
    let hosts = Hosts::local(2).unwrap();
    let cancel = AtomicBool::new(false);
    thread::scope(|scope| {
        let waiting = scope.spawn(|| TimelyPeers::connect(&hosts, 0, &spill(), &cancel));
        let mut stranger = loop {
            match TcpStream::connect(&hosts.addresses()[0]) {
                Ok(stranger) => break stranger,
                Err(_) => thread::sleep(Duration::from_millis(10)),
            }
        };
        stranger.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
        thread::sleep(Duration::from_millis(200));
        assert!(!waiting.is_finished());
        cancel.store(true, Ordering::Relaxed);
        let error = waiting.join().unwrap().unwrap_err();
        assert!(error.to_string().contains("cancelled"), "{error}");
    });
    let taken = TcpListener::bind(&hosts.addresses()[1]).unwrap();
    let error = TimelyPeers::connect(&hosts, 1, &spill(), &NEVER).unwrap_err();
    assert!(error.to_string().contains("cannot wait for other processes"), "{error}");
    drop(taken);
}
