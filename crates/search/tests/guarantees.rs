//! What algorithms promise: that solutions are within a factor of the shortest, and how few states
//! they expand.

use crate::common::{Reached, puzzle, reached, run};
use hyperslide_puzzle::{Arrangement, Puzzle, Setup};
use hyperslide_search::{Config, HeuristicChoice, Limits, Outcome, Resources};
use hyperslide_testkit::{PlainPuzzle, Random, random_puzzle};

/// One of the two hardest 8-puzzles: 31 moves.
const EIGHT: &str = "grid:3:3 8,6,7,2,5,4,3,0,1 -> 1,2,3,4,5,6,7,8,0";

/// The length that an algorithm finds; `None` when there is no solution.
fn length(puzzle: &Puzzle, config: &Config) -> Option<usize> {
    match run(puzzle, config, Limits::default()).outcome {
        Outcome::Solved { moves, .. } => Some(moves.len()),
        Outcome::Unsolvable(_) => None,
        Outcome::LimitReached { .. } => panic!("no limit was set"),
    }
}

/// By learned weights, which overestimate here, a shorter path to a state on the way is found after
/// both searches have met.
#[test]
fn nbs_solves_puzzles_with_estimates_that_are_too_high() {
    let puzzle = puzzle(
        "graph:9:0-1,0-6,0-8,1-2,1-6,1-7,2-3,3-4,4-5,4-7,5-7,6-7,7-8 \
         1=5,2=2,3=8,4=6,5=3,6=0,7=1,8=7 -> 1=2,2=5,3=6,4=8,5=7,6=1,7=4,8=0",
    );
    let config = Config::new("nbs", Some("weighted-neighbours"), [], 0).unwrap();
    match run(&puzzle, &config, Limits::default()).outcome {
        Outcome::Solved { moves, lower_bound, .. } => {
            let shortest = PlainPuzzle::new(&puzzle).shortest().unwrap();
            assert!(puzzle.replay(&moves).is_ok_and(|end| puzzle.goal().is_met(&end)));
            assert!(lower_bound as usize <= shortest && shortest <= moves.len());
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn solutions_are_within_the_weight_of_the_shortest() {
    /// Weights in thousandths.
    const WEIGHTS: [(&str, usize); 4] = [("1", 1000), ("1.125", 1125), ("2", 2000), ("0.5", 1000)];
    let mut random = Random::new(2021);
    let mut puzzles: Vec<(Puzzle, Option<usize>)> = Vec::new();
    // The distances from the goal are those to it.
    let solved = puzzle("grid:3:3 1,2,3,4,5,6,7,8,0");
    let depths = PlainPuzzle::new(&solved).depths();
    for _ in 0..60 {
        let mut cells: Vec<String> = (0..9).map(|n| n.to_string()).collect();
        random.shuffle(&mut cells);
        let puzzle = puzzle(&format!("grid:3:3 {}", cells.join(",")));
        let shortest = depths.get(&PlainPuzzle::cells(puzzle.start(), 9)).copied();
        puzzles.push((puzzle, shortest));
    }
    for _ in 0..2_000 {
        let puzzle = random_puzzle(&mut random);
        let shortest = PlainPuzzle::new(&puzzle).shortest();
        puzzles.push((puzzle, shortest));
    }
    let mut longer = [0; 2];
    for (puzzle, shortest) in puzzles {
        for (which, algorithm) in ["weighted-astar", "xdp"].into_iter().enumerate() {
            for (weight, thousandths) in WEIGHTS {
                let settings = [("weight", weight)];
                let config = Config::new(algorithm, None, settings, 0).unwrap();
                let found = length(&puzzle, &config);
                assert_eq!(found.is_some(), shortest.is_some(), "{algorithm} on {puzzle}");
                let (Some(found), Some(shortest)) = (found, shortest) else { continue };
                let what = format!("{algorithm} {weight}: {found} on {puzzle}");
                assert!(found >= shortest, "{what}, shortest {shortest}");
                assert!(found * 1000 <= shortest * thousandths, "{what}, shortest {shortest}");
                longer[which] += usize::from(found > shortest);
            }
        }
    }
    assert!(longer.iter().all(|&longer| longer > 20), "the weights count: {longer:?}");
}

/// The g of those states whose f is at most the length.
fn near(puzzle: &Puzzle, states: &[Reached], choice: &str, length: usize) -> Vec<usize> {
    let choice: HeuristicChoice = choice.parse().unwrap();
    let heuristic = choice.build(puzzle, &Resources::default()).unwrap();
    let is_near = |at: &&Reached| {
        heuristic.estimate(&at.state).is_some_and(|h| at.depth + h as usize <= length)
    };
    states.iter().filter(is_near).map(|at| at.depth).collect()
}

/// Chen et al. 2017, Theorem 5 for pairs up to the length of the solution: any search has to expand
/// one state of each pair whose lower bound is below it, and this one expands both of pairs whose
/// lower bound is at most that length.
#[test]
fn near_optimal_bidirectional_search_expands_at_most_twice_the_least() {
    let mut random = Random::new(2017);
    let mut lines: Vec<String> = (0..40)
        .map(|_| {
            let mut cells: Vec<String> = (0..8).map(|n| n.to_string()).collect();
            random.shuffle(&mut cells);
            format!("grid:2:4 {} -> 1,2,3,4,5,6,7,0", cells.join(","))
        })
        .collect();
    lines.push(EIGHT.to_owned());
    for k in 1..=3 {
        lines.push(format!("cube:4:{k} r=5,p=1,g=4 -> r=4,p=7,g=13"));
    }
    let mut solved = 0;
    for line in lines {
        let puzzle = puzzle(&line);
        let Setup { start, goal } = puzzle.setup();
        let goal: Arrangement = goal.unwrap();
        let setup = Setup { start: goal, goal: Some(start) };
        let exchanged = Puzzle::new(puzzle.board().clone(), &setup).unwrap();
        let (states, states_back) = (reached(&puzzle), reached(&exchanged));
        for heuristic in ["lone-token", "blind"] {
            let config = Config::new("nbs", Some(heuristic), [], 0).unwrap();
            let report = run(&puzzle, &config, Limits::default());
            let Outcome::Solved { moves, .. } = report.outcome else { continue };
            let length = moves.len();
            let from_start = near(&puzzle, &states, heuristic, length);
            let from_goal = near(&exchanged, &states_back, heuristic, length);
            let below = |states: &[usize], g: usize| states.iter().filter(|&&of| of < g).count();
            let least = (0..=length)
                .map(|split| below(&from_start, split) + below(&from_goal, length - split))
                .min()
                .unwrap();
            let expanded = report.stats.expanded as usize;
            assert!(expanded <= 2 * least, "{heuristic}: {expanded} and {least} on {line}");
            solved += 1;
        }
    }
    assert!(solved > 30, "{solved}");
}
