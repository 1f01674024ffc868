//! Pattern databases and the searches over them, with whole tables as the oracle.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::common::{puzzle, run};
use hyperslide_puzzle::{Puzzle, State};
use hyperslide_search::{
    ALGORITHMS, Config, Control, HEURISTICS, HeuristicChoice, HeuristicError, Limit, Limits,
    Outcome, Proof, ProofCost, ProofState, Report, Resources, SearchedSubtree, SolveError,
    TableCache, solve,
};
use hyperslide_table::{Abstraction, BuildOptions, DistanceTable, Encoding, Signals};
use hyperslide_testkit::Random;

/// Exact distances to the goal of a puzzle.
fn table(puzzle: &Puzzle) -> DistanceTable {
    let options = BuildOptions { encoding: Encoding::Byte, ..BuildOptions::default() };
    let abstraction = Abstraction::whole(puzzle).unwrap();
    DistanceTable::build(abstraction, &options, &Signals::default(), &mut |_| {
        ControlFlow::Continue(())
    })
    .unwrap()
}

/// The same puzzle from another state.
fn from(puzzle: &Puzzle, state: &State) -> Puzzle {
    let goal = puzzle.setup().goal.unwrap();
    crate::common::puzzle(&format!("{} {} -> {goal}", puzzle.board(), puzzle.write_state(state)))
}

fn draw(table: &DistanceTable, random: &mut Random) -> (State, u32) {
    loop {
        let rank = random.below(table.space().states() as usize);
        let state = table.space().unrank(rank as u128);
        if let Some(distance) = table.distance(&state) {
            return (state, distance);
        }
    }
}

/// All optimal algorithms with all admissible heuristics that suit, with whole tables as the
/// oracle.
#[test]
fn optimal_searches_agree_with_tables() {
    let mut random = Random::new(1977);
    let cache = Arc::new(TableCache::default());
    let mut searches = 0;
    for (line, states) in [
        ("grid:3:3 1,2,3,4,5,6,7,8,0", 25),
        ("grid:2:4 1,2,3,4,5,6,7,0", 60),
        ("grid:2:5 1,2,3,4,0,5,6,7,8,9", 8),
        ("grid:3:3 1=0,2=4,3=8,4=2 -> 1=0,2=4,3=8,4=2", 60),
        ("cube:3:1 1,2,3,4,5,6,7,0 -> 1,2,3,4,5,6,7,0", 40),
        ("cube:3:2 1=1,2=2,3=4,4=7 -> 1=1,2=2,3=4,4=7", 60),
        ("cube:3:1 1=0+1,2=2,3=4 -> 1=0+1,2=2,3=4", 60),
        ("cube:4:3 1=1,2=2,3=4 -> 1=1,2=2,3=4", 60),
        ("graph:6:0-1,1-2,2-3,3-4,4-5,5-0,1-4 1,2,3,4,5,0 -> 1,2,3,4,5,0", 60),
    ] {
        let puzzle = puzzle(line);
        let exact = table(&puzzle);
        for _ in 0..states {
            let (state, distance) = draw(&exact, &mut random);
            let puzzle = from(&puzzle, &state);
            for algorithm in ALGORITHMS.iter().filter(|algorithm| algorithm.is_optimal()) {
                for heuristic in HEURISTICS.iter().filter(|heuristic| heuristic.admissible) {
                    let is_default = heuristic.name == HEURISTICS[0].name;
                    // Without a close bound IDA* walks all paths up to the solution's length.
                    let is_hopeless = algorithm.name == "idastar"
                        && ["blind", "misplaced"].contains(&heuristic.name)
                        && distance > 10;
                    if is_hopeless || (!algorithm.uses_heuristic && !is_default) {
                        continue;
                    }
                    let config = Config {
                        algorithm,
                        heuristic: HeuristicChoice::from(heuristic),
                        cache: Arc::clone(&cache),
                        ..Config::default()
                    };
                    let report = match solve(&puzzle, &config, &Control::default()) {
                        Err(SolveError::Heuristic(HeuristicError::OtherPuzzles { .. })) => continue,
                        report => report.unwrap(),
                    };
                    let what = format!("{} {} on {puzzle}", algorithm.name, heuristic.name);
                    let Outcome::Solved { moves, optimal: true, .. } = report.outcome else {
                        panic!("{what}: {:?}", report.outcome)
                    };
                    assert_eq!(moves.len() as u32, distance, "{what}");
                    searches += 1;
                }
            }
        }
    }
    assert!(searches > 4_000, "{searches}");
}

/// Thousands of random states of small boards, with whole tables as the oracle.
#[test]
fn optimal_searches_over_patterns_agree_with_tables() {
    let mut random = Random::new(2002);
    let cache = Arc::new(TableCache::default());
    // That of all 240 million states of one board takes far longer than the searches.
    let mut tables = HashMap::new();
    for (line, heuristic, algorithm, states) in [
        ("grid:3:3 1,2,3,4,5,6,7,8,0", "patterns:4-4", "idastar", 1500),
        ("grid:3:3 1,2,3,4,0,5,6,7,8 -> 1,2,3,4,0,5,6,7,8", "patterns:5-3", "idastar", 500),
        ("grid:3:3 1,2,3,4,5,6,7,8,0", "patterns:1+2+5/3+6", "idastar", 500),
        ("grid:3:3 1,2,3,4,5,6,7,8,0", "patterns:4-4", "astar", 500),
        ("grid:2:5 1,2,3,4,5,6,7,8,9,0", "patterns:5-4", "idastar", 300),
        ("grid:3:4 1,2,3,4,5,6,7,8,9,10,11,0", "patterns", "idastar", 150),
        // Large tables, which are looked up for several states at a time.
        ("grid:3:3 1,2,3,4,5,6,7,8,0", "patterns:7-1", "idastar", 500),
        ("grid:2:5 1,2,3,4,5,6,7,8,9,0", "patterns:7-2", "idastar", 300),
        ("grid:3:4 1,2,3,4,5,6,7,8,9,10,11,0", "patterns:7-4", "idastar", 150),
        ("grid:3:4 1,2,3,4,5,6,7,8,9,10,11,0", "patterns:1+2+3+4+5+6+7", "idastar", 50),
        // Beside heuristics that are estimated anew.
        ("grid:3:3 1,2,3,4,5,6,7,8,0", "patterns:4-4,linear-conflict", "idastar", 300),
        ("grid:3:3 1,2,3,4,5,6,7,8,0", "patterns:4-4,linear-conflict", "astar", 100),
        ("grid:3:4 1,2,3,4,5,6,7,8,9,10,11,0", "walking-distance,patterns:4-4-3", "idastar", 100),
        ("grid:2:5 1,2,3,4,5,6,7,8,9,0", "patterns:5-4,patterns:3-3-3", "idastar", 100),
        ("cube:3:1 1,2,3,4,5,6,7,0 -> 1,2,3,4,5,6,7,0", "patterns:7", "idastar", 500),
        ("cube:3:1 1,2,3,4,5,6,7,0 -> 1,2,3,4,5,6,7,0", "patterns:4-3", "idastar", 500),
        ("cube:3:2 1=1,2=2,3=4,4=7 -> 1=1,2=2,3=4,4=7", "patterns:2-2", "astar", 500),
        ("cube:4:3 1=1,2=2,3=4,4=7 -> 1=1,2=2,3=4,4=7", "patterns:2-2", "astar", 300),
        ("cube:3:1 1=0+1,2=2,3=4 -> 1=0+1,2=2,3=4", "patterns:1/2+3", "astar", 500),
        (
            "graph:6:0-1,1-2,2-3,3-4,4-5,5-0,1-4 1,2,3,4,5,0 -> 1,2,3,4,5,0",
            "patterns:3-2",
            "idastar",
            300,
        ),
    ] {
        let puzzle = puzzle(line);
        let exact = &*tables.entry(line).or_insert_with(|| table(&puzzle));
        let config = Config {
            heuristic: heuristic.parse().unwrap(),
            cache: Arc::clone(&cache),
            ..Config::named(algorithm).unwrap()
        };
        for _ in 0..states {
            let (state, distance) = draw(exact, &mut random);
            let puzzle = from(&puzzle, &state);
            let report = run(&puzzle, &config, Limits::default());
            let Outcome::Solved { moves, optimal: true, .. } = report.outcome else {
                panic!("{puzzle}: {:?}", report.outcome)
            };
            assert_eq!(moves.len() as u32, distance, "{algorithm} {heuristic} on {puzzle}");
        }
    }
}

#[test]
fn korf_12_expands_few_states() {
    let puzzle = puzzle(
        "grid:4:4 14,1,9,6,4,8,12,5,7,2,3,0,10,11,13,15 -> 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15",
    );
    const CHOSEN: &str = "1+4+5+8+9+12/2+3+6+7+10+11/13+14+15";
    const REFLECTED: &str = "1+2+3+4+5+6/8+9+10+12+13+14/7+11+15";
    for (heuristic, expanded) in [
        ("patterns".to_owned(), 1_325),
        ("patterns:6-6-3".to_owned(), 1_325),
        // With its reflection, and with the same as a second partition.
        (format!("patterns:{CHOSEN}"), 1_325),
        (format!("patterns:{CHOSEN}:{REFLECTED}"), 1_325),
        // Without it.
        (format!("patterns:{CHOSEN}:{CHOSEN}"), 4_559),
    ] {
        let heuristic = heuristic.parse().unwrap();
        let config = Config { heuristic, ..Config::named("idastar").unwrap() };
        let report = run(&puzzle, &config, Limits::default());
        assert_eq!(report.stats.expanded, expanded);
        assert!(report.stats.peak_bytes < 32 << 20, "{} bytes", report.stats.peak_bytes);
    }
}

/// Each of two heuristics cuts off what the other one does not.
#[test]
fn heuristics_beside_patterns_save_states() {
    const ALONE: &str = "patterns:1-1-1-1-1-1-1-1-1-1-1";
    let puzzle = puzzle("grid:3:4 11,10,9,8,7,6,5,4,3,1,2,0");
    let expanded = |heuristic: &str| {
        let heuristic = heuristic.parse().unwrap();
        let config = Config { heuristic, ..Config::named("idastar").unwrap() };
        let report = run(&puzzle, &config, Limits::default());
        let Outcome::Solved { moves, optimal: true, .. } = report.outcome else {
            panic!("{:?}", report.outcome)
        };
        (moves.len(), report.stats.expanded)
    };
    // One token a part is Manhattan distance, which walking distance and linear conflicts often
    // exceed.
    let alone = expanded(ALONE);
    for beside in ["walking-distance", "linear-conflict", "walking-distance,linear-conflict"] {
        let both = expanded(&format!("{beside},{ALONE}"));
        assert_eq!(both.0, alone.0, "{beside}");
        assert!(both.1 < alone.1, "{beside}: {} and {}", both.1, alone.1);
    }
    // What never exceeds it saves nothing.
    assert_eq!(expanded(&format!("{ALONE},misplaced")), alone);
}

#[test]
fn wrong_partitions_are_refused_in_words() {
    let puzzle = puzzle("grid:3:3 8,6,7,2,5,4,3,0,1");
    for (heuristic, words) in [
        ("patterns:4-5", "the sizes add up to 9: write parts of at least 1 that add up to 8"),
        ("patterns:0-8", "parts of at least 1 that add up to 8"),
        ("patterns:1+9/2", "no token 9"),
        ("patterns:1+2/2+3", "token 2 is listed twice"),
        ("patterns:1+1", "token 1 is listed twice"),
        ("patterns:1+2:2+9", "has no token 9"),
        ("patterns:1+2:3:1", "write at most 2 partitions"),
    ] {
        let choice: HeuristicChoice = heuristic.parse().unwrap();
        let Err(error) = choice.build(&puzzle, &Resources::default()) else {
            panic!("{heuristic} was taken")
        };
        assert!(matches!(error, HeuristicError::Argument { .. }), "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
    let open = crate::common::puzzle("grid:3:3 8,6,7,2,5,4,3,0,1 -> 1,*,*,*,*,*,*,*,*");
    let error = "patterns".parse::<HeuristicChoice>().unwrap().build(&open, &Resources::default());
    assert!(matches!(error, Err(HeuristicError::OtherPuzzles { .. })));
}

/// Korf's first: 57 moves. With parts of three tokens iterations are long enough to be divided.
#[test]
fn a_divided_iteration_is_the_same_on_any_number_of_threads() {
    let puzzle = puzzle(
        "grid:4:4 14,13,15,7,11,12,9,5,6,0,2,1,4,8,10,3 -> 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15",
    );
    let cache = Arc::new(TableCache::default());
    let of_patterns = |heuristic: &str, threads: usize, limits: Limits| {
        let config = Config {
            heuristic: heuristic.parse().unwrap(),
            cache: Arc::clone(&cache),
            threads,
            ..Config::named("idastar").unwrap()
        };
        run(&puzzle, &config, limits)
    };
    let of = |threads, limits| of_patterns("patterns:3-3-3-3-3", threads, limits);
    let one = of(1, Limits::default());
    let Outcome::Solved { moves, optimal: true, .. } = &one.outcome else {
        panic!("{:?}", one.outcome)
    };
    assert_eq!(moves.len(), 57);
    assert!(one.stats.expanded > 2_000_000, "{} expanded", one.stats.expanded);
    assert_eq!(of(3, Limits::default()).outcome, one.outcome);
    // Heuristics beside cut off in the divided part, too.
    let beside = "patterns:3-3-3-3-3,walking-distance";
    let (alone, three) =
        (of_patterns(beside, 1, Limits::default()), of_patterns(beside, 3, Limits::default()));
    assert_eq!(alone.outcome, three.outcome);
    let Outcome::Solved { moves, optimal: true, .. } = alone.outcome else { panic!() };
    assert_eq!(moves.len(), 57);
    assert!((400_000..one.stats.expanded).contains(&alone.stats.expanded), "{:?}", alone.stats);
    // Stopped in the middle of a divided iteration.
    let nodes = Limits { nodes: Some(one.stats.generated / 2), ..Limits::default() };
    let (first, second) = (of(1, nodes), of(3, nodes));
    assert_eq!(first.outcome, second.outcome);
    assert_eq!(first.stats.generated, second.stats.generated);
    let Outcome::LimitReached { limit: Limit::Nodes, lower_bound, .. } = first.outcome else {
        panic!("{:?}", first.outcome)
    };
    assert!((41..=57).contains(&lower_bound), "{lower_bound}");
    let most = one.stats.generated / 2 + 100;
    assert!(first.stats.generated <= most, "{} of {most}", first.stats.generated);
    let time = Limits { time: Some(Duration::from_millis(300)), ..Limits::default() };
    let stopped = of(2, time).outcome;
    let is_answer = matches!(
        stopped,
        Outcome::LimitReached { limit: Limit::Time, .. } | Outcome::Solved { optimal: true, .. }
    );
    assert!(is_answer, "{stopped:?}");
}

/// Stopped again and again in its long iterations, a proof goes on where it was: nothing that was
/// kept is searched again, and the answer and the counts are those of one run.
#[test]
fn a_proof_goes_on_where_it_was_stopped() {
    let state = stop_and_go_on(
        "grid:4:4 14,13,15,7,11,12,9,5,6,0,2,1,4,8,10,3 -> 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15",
        "patterns:3-3-3-3-3",
        3_000_000,
    );
    let compared = state.compared.expect("partitions were compared");
    assert_eq!(compared.matches(':').count(), 2, "{compared}");
    // In 76 moves, along partitions that were found to suit it.
    let state = stop_and_go_on(
        "grid:4:4 12,10,13,14,15,11,9,0,7,3,6,2,4,8,5,1 -> 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,0",
        "patterns",
        4_000_000,
    );
    let compared = state.compared.expect("partitions were compared");
    assert!(compared.parse::<HeuristicChoice>().is_ok(), "{compared}");
    assert!(!state.subtrees.is_empty());
}

/// Proves a puzzle in several runs that may generate this many states each, and returns what the
/// last of them went on from.
fn stop_and_go_on(line: &str, heuristic: &str, nodes: u64) -> ProofState {
    let puzzle = puzzle(line);
    let config = Config {
        heuristic: heuristic.parse().unwrap(),
        threads: 1,
        ..Config::named("idastar").unwrap()
    };
    let whole = run(&puzzle, &config, Limits::default());
    let kept = Mutex::new(None::<ProofState>);
    let mut runs = 0;
    let (outcome, last) = loop {
        runs += 1;
        assert!(runs < 20, "nothing is kept");
        let earlier = kept.lock().unwrap().clone();
        let cost = earlier.as_ref().map_or_else(ProofCost::default, ProofState::cost);
        let keep = |state: &ProofState| {
            *kept.lock().unwrap() = Some(state.clone());
            ControlFlow::Continue(())
        };
        let proof = Proof::new(earlier.clone(), &keep);
        // Those of this run.
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        let control = Control { limits, proof: Some(&proof), ..Control::default() };
        let Report { outcome, stats, heuristic, .. } = solve(&puzzle, &config, &control).unwrap();
        assert!(stats.generated >= cost.generated && stats.expanded >= cost.expanded);
        assert!(stats.cpu_s >= cost.cpu_s, "{stats:?} after {cost:?}");
        if let Outcome::Solved { .. } = outcome {
            assert_eq!(heuristic, whole.heuristic);
            // The iterations before the last one are the same to the state; of that one, subtrees
            // before the solution's were searched by one thread in their order.
            assert_eq!(stats.generated, whole.stats.generated);
            assert_eq!(stats.expanded, whole.stats.expanded);
            break (outcome, earlier);
        }
        let now = kept.lock().unwrap().clone().expect("a long iteration has begun");
        let Outcome::LimitReached { lower_bound, .. } = outcome else { panic!("{outcome:?}") };
        // Partitions are compared between two iterations.
        assert!((now.bound..now.bound + 3).contains(&lower_bound), "{lower_bound} {now:?}");
        assert!(now.cost().generated > cost.generated, "run {runs} got nowhere: {now:?}");
    };
    assert!(runs > 2, "{runs} runs");
    assert_eq!(outcome, whole.outcome);
    let last = last.expect("a long iteration has begun");
    assert_eq!(last.compared, whole.heuristic);
    last
}

/// The state of a proof of [`a_proof_goes_on_where_it_was_stopped`]'s puzzle in its last iteration.
fn kept_at_57(roots: u32, subtrees: usize) -> ProofState {
    let cost = ProofCost::default();
    let done = |number| SearchedSubtree { number, least_excess: None, least_h: None, cost };
    let subtrees = (0..subtrees).map(done).collect();
    ProofState { bound: 57, roots, compared: None, outline: Vec::new(), before: cost, subtrees }
}

#[test]
fn a_proof_stops_where_it_cannot_go_on() {
    let puzzle = puzzle(
        "grid:4:4 14,13,15,7,11,12,9,5,6,0,2,1,4,8,10,3 -> 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15",
    );
    let solve = |config: &Config, proof: &Proof<'_>| {
        let control = Control { proof: Some(proof), ..Control::default() };
        solve(&puzzle, config, &control)
    };
    let config = Config {
        heuristic: "patterns:3-3-3-3-3".parse().unwrap(),
        ..Config::named("idastar").unwrap()
    };
    let stopped = |outcome: &Outcome, bound: u32| {
        let expected = Outcome::LimitReached { limit: Limit::Cancelled, lower_bound: bound };
        assert_eq!(*outcome, expected);
    };
    // Subtrees of another division are not taken for those of this one.
    let keep = |_: &ProofState| ControlFlow::Continue(());
    let other = kept_at_57(1, 100_000);
    let proof = Proof::new(Some(other.clone()), &keep);
    stopped(&solve(&config, &proof).unwrap().outcome, 57);
    assert!(proof.is_divided_otherwise());
    assert_eq!(proof.state(), Some(other));
    // Without any there is nothing to lose.
    let proof = Proof::new(Some(kept_at_57(1, 0)), &keep);
    let Outcome::Solved { moves, optimal: true, .. } = solve(&config, &proof).unwrap().outcome
    else {
        panic!("it has a solution of 57 moves")
    };
    assert_eq!((moves.len(), proof.is_divided_otherwise()), (57, false));
    // What cannot be kept is not searched either.
    let fail = |_: &ProofState| ControlFlow::Break(());
    let proof = Proof::new(Some(kept_at_57(1, 0)), &fail);
    let report = solve(&config, &proof).unwrap();
    stopped(&report.outcome, 57);
    assert!(report.stats.generated < 1_000_000, "{:?}", report.stats);
    // Nothing is kept without pattern databases.
    let plain = Config::named("idastar").unwrap();
    let proof = Proof::new(None, &keep);
    assert_eq!(solve(&plain, &proof).unwrap_err(), SolveError::NotKept);
}

/// Subtrees that are listed twice, or are none of the iteration, are not those of this version: a
/// run that continues from them searches and counts as if they were not there.
#[test]
fn a_proof_counts_each_subtree_once() {
    let puzzle = puzzle(
        "grid:4:4 14,13,15,7,11,12,9,5,6,0,2,1,4,8,10,3 -> 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15",
    );
    let config = Config {
        heuristic: "patterns:4-4-4-3".parse().unwrap(),
        threads: 1,
        ..Config::named("idastar").unwrap()
    };
    let whole = run(&puzzle, &config, Limits::default());
    let kept = Mutex::new(None::<ProofState>);
    let keep = |state: &ProofState| {
        *kept.lock().unwrap() = Some(state.clone());
        ControlFlow::Continue(())
    };
    let go_on = |earlier: Option<ProofState>, nodes: Option<u64>| {
        let proof = Proof::new(earlier, &keep);
        let limits = Limits { nodes, ..Limits::default() };
        let control = Control { limits, proof: Some(&proof), ..Control::default() };
        solve(&puzzle, &config, &control).unwrap()
    };
    go_on(None, Some(whole.stats.generated / 2));
    let mut state = kept.lock().unwrap().clone().expect("a long iteration has begun");
    let first = *state.subtrees.first().expect("a subtree was searched");
    let cost = ProofCost { expanded: u64::MAX, generated: u64::MAX, cpu_s: 0.0 };
    state.subtrees.push(first);
    state.subtrees.push(SearchedSubtree { number: 1 << 20, cost, ..first });
    let report = go_on(Some(state.clone()), None);
    assert_eq!(report.outcome, whole.outcome);
    assert_eq!(report.stats.expanded, whole.stats.expanded);
    assert_eq!(report.stats.generated, whole.stats.generated);
    // Counts have an end.
    state.subtrees[0].cost = cost;
    let Outcome::Solved { moves, .. } = go_on(Some(state), None).outcome else {
        panic!("it has a solution of 57 moves")
    };
    assert_eq!(moves.len(), 57);
}
