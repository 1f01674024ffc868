//! Incremental values along random play, as the fuzz target `incremental_values` checks them.

#[path = "../../../fuzz/src/incremental.rs"]
mod incremental;

use std::cell::RefCell;

use incremental::{Played, play};
use proptest::collection::vec;
use proptest::prelude::any;
use proptest::test_runner::{Config, TestRunner};

#[test]
fn values_along_random_play_are_those_computed_anew() {
    let config = Config { cases: 256, failure_persistence: None, ..Config::default() };
    let all = RefCell::new(Played::default());
    let check = |data: Vec<u8>| {
        let played = play(&data);
        let mut all = all.borrow_mut();
        all.moves += played.moves;
        all.estimates += played.estimates;
        all.sums += played.sums;
        all.ranks += played.ranks;
        all.distances += played.distances;
        all.slides += played.slides;
        Ok(())
    };
    if let Err(error) = TestRunner::new(config).run(&vec(any::<u8>(), 40..120), check) {
        panic!("{error}");
    }
    // Nothing is left out in silence.
    let Played { moves, estimates, sums, ranks, distances, slides } = all.into_inner();
    let counts = [moves, estimates / 5, sums, ranks, distances * 2, slides * 20];
    assert!(counts.iter().all(|&count| count > 5_000), "{counts:?}");
}
