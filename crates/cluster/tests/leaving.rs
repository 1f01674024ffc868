//! A process that leaves: in a test program of its own, since a connection that breaks is told to
//! all dataflows of a process.

mod common;

use common::connected;
use hyperslide_table::Peers;

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
    assert!(message.contains("is gone"), "{message}");
}
