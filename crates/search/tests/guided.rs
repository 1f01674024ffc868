//! Searches guided by a caller's estimates, against those of A*.

use std::sync::atomic::{AtomicBool, Ordering};

use hyperslide_puzzle::{Puzzle, State};
use hyperslide_search::{
    Config, Control, Guide, GuidedError, HeuristicChoice, Limit, Outcome, Resources, solve,
    solve_guided,
};

const LINES: [&str; 6] = [
    "grid:3:3 8,6,7,2,5,4,3,0,1",
    "grid:3:3 1,2,3,4,5,6,7,8,0",
    "grid:2:3 5,4,3,2,1,0",
    "cube:3:2 r=4,p=1,b=5,g=6 -> g=4,p=1,r=5,b=6",
    "cube:3:1 a=0,b=1,c=2,d=4 -> a=1,b=0,c=2,d=4",
    "grid:3:3 1,2,3,4,5,6,8,7,0",
];

fn guided(
    puzzle: &Puzzle,
    config: &Config,
    scale: f64,
    (batch, admissible): (usize, bool),
) -> Outcome {
    let heuristic = HeuristicChoice::default().build(puzzle, &Resources::default()).unwrap();
    let mut estimate = |states: &[State]| -> Result<Vec<f64>, ()> {
        assert!((1..=batch).contains(&states.len()));
        let of = |state| heuristic.estimate(state).map_or(f64::INFINITY, |h| f64::from(h) * scale);
        Ok(states.iter().map(of).collect())
    };
    let guide = Guide { estimate: &mut estimate, batch, admissible };
    solve_guided(puzzle, config, guide, &Control::default()).unwrap().outcome
}

#[test]
fn admissible_estimates_give_shortest_solutions() {
    for line in LINES {
        let puzzle = Puzzle::from_line(line).unwrap();
        let astar = solve(&puzzle, &Config::named("astar").unwrap(), &Control::default()).unwrap();
        for batch in [1, 7, 1000] {
            for (name, weight) in
                [("astar", None), ("weighted-astar", Some("1")), ("weighted-astar", Some("0.5"))]
            {
                let settings = weight.map(|weight| ("weight", weight));
                let config = Config::new(name, None, settings, 0).unwrap();
                let found = guided(&puzzle, &config, 1.0, (batch, true));
                match (&astar.outcome, &found) {
                    (Outcome::Unsolvable(_), Outcome::Unsolvable(_)) => {}
                    (
                        Outcome::Solved { moves, .. },
                        Outcome::Solved { moves: own, optimal: true, lower_bound },
                    ) => {
                        assert_eq!(own.len(), moves.len(), "{line}");
                        assert_eq!(*lower_bound as usize, own.len());
                    }
                    other => panic!("{line}: {other:?}"),
                }
            }
        }
    }
}

#[test]
fn nothing_is_concluded_from_estimates_that_nobody_declares_admissible() {
    for line in &LINES[..5] {
        let puzzle = Puzzle::from_line(line).unwrap();
        for (name, settings) in [
            ("greedy", None),
            ("astar", None),
            ("weighted-astar", Some(("weight", "2"))),
            ("beam", Some(("width", "50"))),
        ] {
            let config = Config::new(name, None, settings, 0).unwrap();
            for batch in [1, 30] {
                let Outcome::Solved { moves, optimal, lower_bound } =
                    guided(&puzzle, &config, 3.0, (batch, false))
                else {
                    panic!("{line} by {name}")
                };
                let lone = HeuristicChoice::default().build(&puzzle, &Resources::default());
                let least = lone.unwrap().estimate(puzzle.start()).unwrap();
                assert_eq!(lower_bound, least, "{line} by {name}");
                assert_eq!(optimal, moves.len() as u32 == least, "{line} by {name}");
            }
        }
    }
}

#[test]
fn weighted_solutions_are_within_their_bound() {
    let puzzle = Puzzle::from_line(LINES[0]).unwrap();
    for (weight, most) in [("1.5", 46), ("2", 62), ("3", 93)] {
        let config = Config::new("weighted-astar", None, [("weight", weight)], 0).unwrap();
        let Outcome::Solved { moves, lower_bound, .. } = guided(&puzzle, &config, 1.0, (10, true))
        else {
            panic!("weight {weight}")
        };
        assert!((31..=most).contains(&moves.len()), "{} moves by {weight}", moves.len());
        assert!(lower_bound <= 31, "{lower_bound}");
    }
}

#[test]
fn estimates_that_fail_end_the_search() {
    let puzzle = Puzzle::from_line(LINES[0]).unwrap();
    let run = |name, values: &dyn Fn(usize) -> Result<Vec<f64>, &'static str>| {
        let mut estimate = |states: &[State]| values(states.len());
        let guide = Guide { estimate: &mut estimate, batch: 4, admissible: true };
        let config = Config::named(name).unwrap();
        solve_guided(&puzzle, &config, guide, &Control::default()).unwrap_err()
    };
    for name in ["beam", "greedy", "astar"] {
        assert!(matches!(run(name, &|_| Err("no")), GuidedError::Estimate("no")));
        assert!(matches!(run(name, &|n| Ok(vec![f64::NAN; n])), GuidedError::NotANumber(0)));
        assert!(matches!(run(name, &|n| Ok(vec![1.0; n + 1])), GuidedError::Count { .. }));
    }
    assert!(matches!(run("idastar", &|n| Ok(vec![0.0; n])), GuidedError::Algorithm("idastar")));
}

/// The caller's estimates may take far longer than all else: the limits are looked at after each
/// batch, and not only after thousands of states.
#[test]
fn a_search_that_is_cancelled_asks_for_no_further_batch() {
    let puzzle = Puzzle::from_line("grid:4:4 14,15,8,12,10,11,9,13,2,6,5,1,3,7,4,0").unwrap();
    for (name, settings) in [("astar", None), ("greedy", None), ("beam", Some(("width", "50")))] {
        let cancel = AtomicBool::new(false);
        let mut batches = 0;
        let mut estimate = |states: &[State]| -> Result<Vec<f64>, ()> {
            batches += 1;
            cancel.store(batches >= 5, Ordering::Relaxed);
            Ok(vec![1.0; states.len()])
        };
        let guide = Guide { estimate: &mut estimate, batch: 2, admissible: false };
        let control = Control { cancel: Some(&cancel), ..Control::default() };
        let config = Config::new(name, None, settings, 0).unwrap();
        let found = solve_guided(&puzzle, &config, guide, &control).unwrap().outcome;
        let Outcome::LimitReached { limit, .. } = found else { panic!("{name}: {found:?}") };
        assert_eq!((limit, batches), (Limit::Cancelled, 5), "{name}");
    }
}
