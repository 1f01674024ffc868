//! Every heuristic on all states of small grids with one empty vertex, which random puzzles seldom
//! are: against exact distances, along every edge, and for goals of all kinds.

use std::collections::BTreeMap;

use crate::common::{Reached, reached};
use hyperslide_puzzle::Puzzle;
use hyperslide_search::{
    Config, Control, HEURISTICS, HeuristicChoice, HeuristicEntry, Outcome, Resources, solve,
};
use hyperslide_testkit::Random;

/// What was looked at, for each heuristic: states, and the largest estimate.
type Seen = BTreeMap<String, (usize, u32)>;

/// Greatest of several, beside every heuristic alone.
const COMBINED: &[&str] =
    &["linear-conflict,walking-distance", "patterns,linear-conflict", "misplaced,patterns,blind"];

/// Two bits a state tell a distance only by walking down from there: on large boards some states
/// will do.
fn every(heuristic: &str, states: usize) -> usize {
    if heuristic.contains("patterns") && states > 50_000 { 16 } else { 1 }
}

/// Looks at all states that `start` leads to. When it is the goal their depths are the exact
/// distances.
fn check_component(board: &str, start: &str, goal: &str, partitions: &[&str], seen: &mut Seen) {
    let puzzle = Puzzle::from_line(&format!("{board} {start} -> {goal}")).unwrap();
    let states = reached(&puzzle);
    let alone = HEURISTICS.iter().map(|entry| entry.name);
    for name in alone.chain(COMBINED.iter().copied()).chain(partitions.iter().copied()) {
        let choice: HeuristicChoice = name.parse().unwrap();
        let heuristic = choice
            .build(&puzzle, &Resources::default())
            .unwrap_or_else(|error| panic!("{puzzle}: {error}"));
        let is_consistent =
            HEURISTICS.iter().all(|entry| entry.consistent || !name.contains(entry.name));
        // Each state is estimated once, and not again from each of its neighbours.
        let mut known: Vec<Option<Option<u32>>> = vec![None; states.len()];
        let mut estimate = |number: usize| {
            *known[number].get_or_insert_with(|| heuristic.estimate(&states[number].state))
        };
        let every = every(name, states.len());
        for (number, Reached { state, depth, moves }) in states.iter().enumerate().step_by(every) {
            let context = || format!("{name} in {} of {puzzle}", puzzle.write_state(state));
            let here = estimate(number);
            if start == goal && choice.is_admissible() {
                assert!(
                    here.is_some_and(|h| h as usize <= *depth),
                    "{here:?}, {depth}: {}",
                    context()
                );
            }
            let Some(here) = here else { continue };
            let (looked_at, largest) = seen.entry(name.to_owned()).or_default();
            *looked_at += 1;
            *largest = here.max(*largest);
            for &(label, mv, next) in moves {
                let there = estimate(next);
                let stepped = heuristic.after_move(here, state, label, mv);
                assert_eq!(stepped, there, "{mv}: {}", context());
                if let (true, Some(there)) = (is_consistent, there) {
                    assert!(here.abs_diff(there) <= 1, "{here}, {mv}, {there}: {}", context());
                }
            }
        }
    }
}

/// Looks at the states from which the goal can be reached and at the others.
fn check(board: &str, goals: &[&str], partitions: &[&str]) -> Seen {
    let mut seen = Seen::new();
    for goal in goals {
        check_component(board, goal, goal, partitions, &mut seen);
        let swapped: String = goal
            .chars()
            .map(|c| match c {
                '1' => '2',
                '2' => '1',
                other => other,
            })
            .collect();
        check_component(board, &swapped, goal, partitions, &mut seen);
    }
    seen
}

#[test]
fn estimates_are_lower_bounds_on_two_by_three() {
    let goals = ["1,2,3,4,5,0", "0,1,2,3,4,5", "1,2,3,4,0,5", "5,0,3,1,4,2"];
    let partitions = ["patterns:3-2", "patterns:5", "patterns:2+5/1+3"];
    let seen = check("grid:2:3", &goals, &partitions);
    assert_eq!(seen["walking-distance"].0, 4 * 720);
    check("grid:3:2", &goals, &partitions);
}

#[test]
fn estimates_are_lower_bounds_on_two_by_four() {
    let partitions = ["patterns:4-3", "patterns:7", "patterns:3+7/1+2+6"];
    let seen = check("grid:2:4", &["1,2,3,4,5,6,7,0", "3,7,0,1,2,6,5,4"], &partitions);
    assert_eq!(seen["walking-distance"].0, 2 * 40_320);
    assert_eq!(seen["patterns:4-3"].0, 2 * 40_320);
}

#[test]
fn estimates_are_lower_bounds_on_three_by_three() {
    let goals =
        ["1,2,3,4,5,6,7,8,0", "0,1,2,3,4,5,6,7,8", "1,2,3,8,0,4,7,6,5", "6,1,8,7,5,3,2,0,4"];
    let partitions = ["patterns:7-1"];
    let seen = check("grid:3:3", &goals, &partitions);
    assert_eq!(seen.len(), HEURISTICS.len() + COMBINED.len() + partitions.len());
    assert_eq!(seen["walking-distance"].0, 4 * 362_880);
    for (name, &(states, _)) in &seen {
        // Where seven tokens and the empty vertex are tells that the goal is out of reach.
        let of_both_halves = if name == "patterns:7-1" { 2 } else { 4 };
        assert_eq!(states, of_both_halves * 362_880 / every(name, 181_440), "{name}");
    }
}

#[test]
fn estimates_are_lower_bounds_on_a_path() {
    let seen = check("grid:1:5", &["1,2,3,4,0", "1,2,0,3,4"], &["patterns:2-2"]);
    assert_eq!(seen["walking-distance"].0, 2 * 5);
    check("grid:5:1", &["1,2,3,4,0", "1,2,0,3,4"], &["patterns:1-3"]);
}

/// Boards too large for all states: random walks from random states.
#[test]
fn estimates_are_consistent_on_large_grids() {
    let mut random = Random::new(64);
    for board in ["1:64", "2:6", "2:32", "3:5", "4:4", "5:3", "5:5", "8:8"] {
        let (rows, columns) = board.split_once(':').unwrap();
        let count = rows.parse::<usize>().unwrap() * columns.parse::<usize>().unwrap();
        let mut cells = || {
            let mut cells: Vec<String> = (0..count).map(|n| n.to_string()).collect();
            random.shuffle(&mut cells);
            cells.join(",")
        };
        let line = format!("grid:{board} {} -> {}", cells(), cells());
        let puzzle = Puzzle::from_line(&line).unwrap();
        // Tables of large boards take seconds.
        let is_quick = |entry: &&HeuristicEntry| entry.name != "patterns" || count <= 16;
        for entry in HEURISTICS.iter().filter(is_quick) {
            let choice = HeuristicChoice::from(entry);
            let Ok(heuristic) = choice.build(&puzzle, &Resources::default()) else { continue };
            // Two bits a state tell a distance only by walking down from there.
            let every = if entry.name == "patterns" { 50 } else { 1 };
            let mut state = *puzzle.start();
            let mut h = heuristic.estimate(&state).unwrap();
            for number in 0..20_000 {
                let moves = puzzle.board().legal_moves(&state);
                let mv = moves[random.below(moves.len())];
                let label = state.label_at(mv.from).unwrap();
                let next = heuristic.after_move(h, &state, label, mv).unwrap();
                state.slide(mv);
                if number % every == 0 {
                    assert_eq!(heuristic.estimate(&state), Some(next), "{mv} in {line}");
                }
                assert!(!entry.consistent || h.abs_diff(next) <= 1, "{h}, {mv}, {next} in {line}");
                h = next;
            }
        }
    }
}

/// Korf's number 12: 45 moves, 269,708 states expanded with Manhattan distance.
#[test]
fn better_estimates_expand_fewer_states() {
    let puzzle = Puzzle::from_line(
        "grid:4:4 14,1,9,6,4,8,12,5,7,2,3,0,10,11,13,15 -> 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15",
    )
    .unwrap();
    for (heuristic, most) in [
        ("lone-token", 270_000),
        ("linear-conflict", 90_000),
        ("walking-distance", 41_000),
        ("linear-conflict,walking-distance", 26_000),
        ("patterns", 4_000),
    ] {
        let heuristic = heuristic.parse().unwrap();
        let config = Config { heuristic, ..Config::named("idastar").unwrap() };
        let report = solve(&puzzle, &config, &Control::default()).unwrap();
        let Outcome::Solved { moves, optimal: true, .. } = report.outcome else { panic!() };
        assert_eq!(moves.len(), 45, "{}", config.heuristic);
        assert!(report.stats.expanded < most, "{}: {:?}", config.heuristic, report.stats);
    }
}
