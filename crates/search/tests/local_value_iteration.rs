//! Local value iteration against plain searches of its sub-problems, and Algorithm 1 against the
//! tables.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use hyperslide_puzzle::{LoneTokenDistances, Move, Puzzle, State, Vertex, VertexSet};
use hyperslide_search::{
    Config, Control, GoalReading, Limit, Limits, Outcome, SolveError, Stage, TableCache, solve,
    solve_in_stages, trained_sub_problems, value_iteration,
};
use hyperslide_testkit::{PlainPuzzle, Random, random_puzzle};
use rustc_hash::FxHashMap;

fn config(region: usize) -> Config {
    let config = Config::named("local-value-iteration").unwrap();
    config.with("region", &region.to_string()).unwrap()
}

/// The goal's vertices in the order of their labels, from the end that is farther from its empty
/// vertices.
fn places(puzzle: &Puzzle) -> Vec<Vertex> {
    let placed = puzzle.goal().labelled();
    let mut places: Vec<Vertex> = placed.occupied().into_iter().collect();
    places.sort_by_key(|&place| (placed.label_at(place), place));
    let distances = LoneTokenDistances::new(puzzle.board());
    let near = |place: Vertex| {
        puzzle.goal().empty().into_iter().map(|empty| distances.get(place, empty)).min()
    };
    if let (Some(&first), Some(&last)) = (places.first(), places.last())
        && near(first) < near(last)
    {
        places.reverse();
    }
    places
}

/// A shortest way by a plain breadth-first search over whole states, without moving tokens on
/// walls, that puts tokens on `wanted`, and with the last of them meets the goal: its length.
fn plain(
    puzzle: &Puzzle,
    start: &State,
    walls: VertexSet,
    wanted: &[Vertex],
    is_last: bool,
) -> Option<usize> {
    let placed = puzzle.goal().labelled();
    let is_met = |state: &State| {
        wanted.iter().all(|&place| state.label_at(place) == placed.label_at(place))
            && (!is_last || puzzle.goal().is_met(state))
    };
    let mut depths = FxHashMap::from_iter([(*start, 0)]);
    let mut open = VecDeque::from([*start]);
    while let Some(state) = open.pop_front() {
        let depth = depths[&state];
        if is_met(&state) {
            return Some(depth);
        }
        for mv in puzzle.board().legal_moves(&state) {
            if !walls.contains(mv.from) {
                let next = puzzle.board().play(&state, mv).unwrap();
                depths.entry(next).or_insert_with(|| {
                    open.push_back(next);
                    depth + 1
                });
            }
        }
    }
    None
}

/// Plays the moves stage by stage and holds each against the plain search.
fn check_stages(puzzle: &Puzzle, region: usize, moves: &[Move], stages: &[Stage]) {
    let places = places(puzzle);
    let mut state = *puzzle.start();
    let mut left = moves.iter();
    let mut end = 0;
    for stage in stages {
        let block = end;
        end = (end + region).min(places.len());
        let is_last = end == places.len();
        let length = (0..=block).rev().find_map(|first| {
            let walls = places[..first].iter().copied().collect();
            let length = plain(puzzle, &state, walls, &places[first..end], is_last)?;
            Some(Stage { tokens: end - first, moves: length })
        });
        assert_eq!(Some(*stage), length, "region {region} on {puzzle}");
        for mv in left.by_ref().take(stage.moves) {
            state = puzzle.board().play(&state, *mv).unwrap();
        }
    }
    assert!(left.next().is_none() && end == places.len() && puzzle.goal().is_met(&state));
}

#[test]
fn every_stage_is_a_shortest_way() {
    let mut random = Random::new(16);
    let (mut solved, mut grown, mut unsolvable) = (0, 0, 0);
    for _ in 0..2_200 {
        let puzzle = random_puzzle(&mut random);
        let tokens = puzzle.start().occupied().len();
        let region = 1 + random.below(tokens);
        let config = config(region);
        let start = puzzle.start();
        let report = solve_in_stages(&puzzle, start, &config, &Control::default()).unwrap();
        match &report.outcome {
            Outcome::Solved { moves, .. } => {
                check_stages(&puzzle, region, moves, &report.stages);
                solved += 1;
                grown += usize::from(report.stages.iter().any(|stage| stage.tokens > region));
            }
            Outcome::Unsolvable(_) => {
                assert_eq!(PlainPuzzle::new(&puzzle).shortest(), None, "{puzzle}");
                unsolvable += 1;
            }
            other => panic!("{puzzle}: {other:?}"),
        }
    }
    assert!(solved > 1200 && grown > 30 && unsolvable > 250, "{solved} {grown} {unsolvable}");
}

/// Token 1 settles between two rooms. How many tokens are in each depends on the start, and a table
/// of one case says nothing of another.
#[test]
fn walls_that_divide_the_board_are_no_obstacle() {
    let cache = Arc::new(TableCache::default());
    let mut solved = 0;
    let starts = [
        "0,2,0,1,3,0,4",
        "0,2,3,1,0,4,0",
        "0,0,2,1,3,4,0",
        "2,0,3,4,1,0,0",
        "3,2,0,1,0,4,0",
        "0,2,3,0,1,4,0",
    ];
    for start in starts {
        let line = format!("graph:7:0-1,1-2,2-3,3-4,4-5,5-6 {start} -> 2,*,*,1,*,*,*");
        let puzzle = Puzzle::from_line(&line).unwrap();
        let config = Config { cache: Arc::clone(&cache), ..config(1) };
        let found = solve_in_stages(&puzzle, puzzle.start(), &config, &Control::default()).unwrap();
        let is_solvable = PlainPuzzle::new(&puzzle).shortest().is_some();
        if let Outcome::Solved { moves, .. } = &found.outcome {
            check_stages(&puzzle, 1, moves, &found.stages);
            solved += 1;
        }
        assert_eq!(matches!(found.outcome, Outcome::Solved { .. }), is_solvable, "{line}");
    }
    assert_eq!(solved, 5);
}

#[test]
fn regions_and_limits_are_kept() {
    let line =
        "grid:4:4 14,13,15,7,11,12,9,5,6,0,2,1,4,8,10,3 -> 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15";
    let puzzle = Puzzle::from_line(line).unwrap();
    let solved = Puzzle::from_line("grid:4:4 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,0").unwrap();
    let unsolvable = Puzzle::from_line("grid:4:4 2,1,3,4,5,6,7,8,9,10,11,12,13,14,15,0").unwrap();
    // What no puzzle has is refused before there is one.
    for region in [0, 64, usize::MAX] {
        let config = Config::named("local-value-iteration").unwrap();
        let error = config.with("region", &region.to_string()).err().unwrap().to_string();
        assert!(error.contains("write a whole number from 1 to 63"), "{error}");
    }
    for (puzzle, region) in [(&puzzle, 16), (&puzzle, 63), (&solved, 16), (&unsolvable, 16)] {
        let error = solve(puzzle, &config(region), &Control::default()).unwrap_err();
        assert_eq!(error, SolveError::Region { region, tokens: 15 });
        assert!(error.to_string().contains("write 1 to 15"), "{error}");
    }
    let limit = |limits: Limits, cancel: bool, region| {
        let cancel = AtomicBool::new(cancel);
        let control = Control { limits, cancel: Some(&cancel), ..Control::default() };
        match solve_in_stages(&puzzle, puzzle.start(), &config(region), &control).unwrap().outcome {
            Outcome::LimitReached { limit, .. } => Some(limit),
            _ => None,
        }
    };
    let none = Limits::default();
    assert_eq!(limit(none, false, 1), None);
    assert_eq!(limit(Limits { nodes: Some(20), ..none }, false, 1), Some(Limit::Nodes));
    assert_eq!(limit(Limits { memory: Some(10_000), ..none }, false, 1), Some(Limit::Memory));
    assert_eq!(limit(Limits { memory: Some(1 << 24), ..none }, false, 6), Some(Limit::Memory));
    assert_eq!(limit(Limits { memory: Some(1 << 24), ..none }, false, 15), Some(Limit::Memory));
    let soon = Limits { time: Some(Duration::from_millis(1)), ..none };
    assert_eq!(limit(soon, false, 7), Some(Limit::Time));
    assert_eq!(limit(none, true, 7), Some(Limit::Cancelled));
}

/// The same moves and counts whatever is trained, and by how many threads.
#[test]
fn one_puzzle_has_one_answer() {
    let lines =
        ["8,6,7,2,5,4,3,0,1", "6,4,7,8,5,0,3,2,1", "1,2,3,4,5,6,7,8,0", "8,1,2,3,4,5,6,7,0"];
    let cache = Arc::new(TableCache::default());
    for threads in [1, 2, 1] {
        for start in lines {
            let puzzle = Puzzle::from_line(&format!("grid:3:3 {start}")).unwrap();
            let fresh = solve(&puzzle, &config(1), &Control::default()).unwrap();
            let config = Config { cache: Arc::clone(&cache), threads, ..config(1) };
            let again = solve(&puzzle, &config, &Control::default()).unwrap();
            assert_eq!(fresh.outcome, again.outcome);
            let counts = |report: &hyperslide_search::Report| {
                (report.stats.expanded, report.stats.generated, report.stats.stored)
            };
            assert_eq!(counts(&fresh), counts(&again));
        }
    }
}

#[test]
fn values_are_distances_in_both_readings() {
    let puzzle = Puzzle::from_line("grid:3:3 8,6,7,2,5,4,3,0,1").unwrap();
    let config = config(1);
    solve(&puzzle, &config, &Control::default()).unwrap();
    let trained = trained_sub_problems(&config.cache, &puzzle);
    assert!(trained.len() >= 8);
    for table in trained.iter().flat_map(|problem| &problem.tables) {
        let (abstraction, space) = (table.abstraction(), table.space());
        for (reading, at_one_goal) in
            [(GoalReading::MovesOn, 1.0 / (1.0 - 0.81)), (GoalReading::Absorbs, 10.0)]
        {
            let found = value_iteration(abstraction, space, reading, 0.9);
            for number in 0..space.states() as usize {
                let state = space.unrank(number as u128);
                assert_eq!(found.distance(number), table.distance(&state), "{reading:?}");
            }
            // Where one goal lies next to another one, moving on costs nothing.
            let goals = abstraction.goals();
            let expected = if goals.len() == 1 { at_one_goal } else { 10.0 };
            let value = found.values[space.rank(&goals[0]).unwrap() as usize];
            assert!((value - expected).abs() < 1e-9, "{reading:?}: {value}");
        }
    }
}
