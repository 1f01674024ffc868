//! Learning weights from what beams keep.

use crate::common::walked;
use hyperslide_puzzle::Puzzle;
use hyperslide_search::weight_learning::{Learner, Lesson};
use hyperslide_search::{HeuristicError, LearnedWeights, WEIGHT_FAMILIES};
use hyperslide_testkit::Random;

const LESSON: Lesson = Lesson { width: 200, look: 40, rate: 0.01, threads: 1 };

/// Walks of 600 slides.
fn puzzles(board: &str, tokens: usize, empty: usize, count: usize) -> Vec<Puzzle> {
    let mut random = Random::new(11);
    let walk = |_| {
        let tokens = (1..=tokens).map(|token| token.to_string());
        let cells = tokens.chain(std::iter::repeat_n("0".to_owned(), empty));
        walked(board, &cells.collect::<Vec<_>>().join(","), 600, &mut random)
    };
    (0..count).map(walk).collect()
}

#[test]
fn beams_by_learned_weights_find_shorter_solutions() {
    for family in WEIGHT_FAMILIES {
        let puzzles = match family.name {
            "weighted-conflicts-on-tori" => puzzles("torus:4:6", 23, 1, 24),
            "weighted-conflicts-several-empty" => puzzles("grid:5:5", 23, 2, 24),
            "weighted-conflicts-on-long-grids" => puzzles("grid:9:3", 26, 1, 24),
            _ => puzzles("grid:5:5", 24, 1, 24),
        };
        let mut learner = Learner::new(&LearnedWeights::plain(family), 1);
        let rounds: Vec<_> = (0..8).map(|_| learner.round(&puzzles, LESSON).unwrap()).collect();
        let (first, last) = (rounds[0], rounds[7]);
        let name = family.name;
        assert_eq!((first.solved, last.solved), (24, 24), "{name}");
        assert!(last.loss < 0.95 * first.loss, "{name}: {first:?} {last:?}");
        assert!(last.mean_length < first.mean_length - 1.0, "{name}: {first:?} {last:?}");
    }
}

#[test]
fn any_number_of_threads_learns_the_same() {
    let puzzles = puzzles("grid:5:5", 24, 1, 6);
    let learn = |threads| {
        let mut learner = Learner::new(&LearnedWeights::plain(WEIGHT_FAMILIES[0]), 1);
        for _ in 0..2 {
            learner.round(&puzzles, Lesson { threads, ..LESSON }).unwrap();
        }
        learner.weights().to_text()
    };
    let (one, three) = (learn(1), learn(3));
    assert!(one == three);
    assert!(one != LearnedWeights::plain(WEIGHT_FAMILIES[0]).to_text());
}

#[test]
fn what_cannot_be_learned_from_is_refused_or_left_out() {
    let mut learner = Learner::new(&LearnedWeights::plain(WEIGHT_FAMILIES[0]), 1);
    let cube = Puzzle::from_line("cube:3:2 r=4,p=1,b=5,g=6 -> g=4,p=1,r=5,b=6").unwrap();
    let refused = learner.round(&[cube], LESSON).unwrap_err();
    assert!(matches!(refused, HeuristicError::OtherPuzzles { .. }), "{refused}");

    let none = learner.round(&[], LESSON).unwrap();
    assert_eq!((none.solved, none.layers), (0, 0));
    // An odd permutation, and a solved puzzle.
    let unsolvable = Puzzle::from_line("grid:3:3 2,1,3,4,5,6,7,8,0 -> 1,2,3,4,5,6,7,8,0").unwrap();
    let solved = Puzzle::from_line("grid:3:3 1,2,3,4,5,6,7,8,0 -> 1,2,3,4,5,6,7,8,0").unwrap();
    let round = learner.round(&[unsolvable, solved], LESSON).unwrap();
    assert_eq!(round.layers, 0);
    let plain = Learner::new(&LearnedWeights::plain(WEIGHT_FAMILIES[0]), 1);
    assert!(learner.weights().to_text() == plain.weights().to_text());
}
