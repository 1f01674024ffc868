//! Every algorithm against a plain breadth-first search, and the promises of limits and counters.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::common::{Reached, reached};
use hyperslide_puzzle::Puzzle;
use hyperslide_search::{
    ALGORITHMS, Algorithm, Config, Control, HEURISTICS, HeuristicChoice, HeuristicError, Limit,
    Limits, Outcome, Report, Resources, SolveError, Successor, TableCache, solve,
};
use hyperslide_testkit::{PlainPuzzle, Random, random_puzzle, textbook_astar};

fn puzzle(line: &str) -> Puzzle {
    Puzzle::from_line(line).unwrap_or_else(|error| panic!("{line}: {error}"))
}

fn run(puzzle: &Puzzle, algorithm: &str, limits: Limits) -> Report {
    let config = Config::named(algorithm).unwrap();
    solve(puzzle, &config, &Control { limits, ..Control::default() }).unwrap()
}

fn length(report: &Report) -> Option<usize> {
    match &report.outcome {
        Outcome::Solved { moves, optimal: true, lower_bound } => {
            assert_eq!(*lower_bound as usize, moves.len());
            Some(moves.len())
        }
        Outcome::Unsolvable(_) => None,
        other => panic!("no limit was set: {other:?}"),
    }
}

/// A solution that need not be shortest, with a bound that no solution is below. Whether there is
/// one: methods that draw random numbers may end without.
fn check_bound(report: &Report, expected: Option<usize>, what: &str) -> bool {
    match (&report.outcome, expected) {
        (Outcome::LimitReached { limit: Limit::Generations, lower_bound, .. }, Some(shortest)) => {
            assert!(*lower_bound as usize <= shortest, "{what}");
            return false;
        }
        (Outcome::Solved { moves, optimal, lower_bound }, Some(shortest)) => {
            assert!(*lower_bound as usize <= shortest && shortest <= moves.len(), "{what}");
            assert_eq!(*optimal, *lower_bound as usize == moves.len(), "{what}");
        }
        (Outcome::Unsolvable(_), None) => {}
        other => panic!("{what}: {other:?}"),
    }
    true
}

#[test]
fn every_solver_agrees_with_a_plain_breadth_first_search() {
    let mut random = Random::new(1985);
    let (mut solvable, mut longest, mut given_up) = (0, 0, 0);
    for number in 0..2500 {
        let puzzle = random_puzzle(&mut random);
        let expected = PlainPuzzle::new(&puzzle).shortest();
        solvable += usize::from(expected.is_some());
        longest = longest.max(expected.unwrap_or_default());
        // All algorithms use the tables that the first of them builds.
        let cache: Arc<TableCache> = Arc::default();
        for algorithm in ALGORITHMS {
            for heuristic in HEURISTICS {
                // Without a close bound IDA* walks all paths up to the solution's length.
                let hopeless = algorithm.name == "idastar"
                    && (heuristic.name == "blind" || !heuristic.admissible)
                    && expected.is_some_and(|length| length > 8);
                // They take as long on easy puzzles as on hard ones.
                let is_sampling = ["evolution", "hybrid"].contains(&algorithm.name);
                let is_turn = !is_sampling || (number % 10 == 0 && heuristic.name != "patterns");
                if hopeless
                    || !is_turn
                    || (!algorithm.uses_heuristic && heuristic.name != HEURISTICS[0].name)
                {
                    continue;
                }
                let (heuristic_name, admissible) = (heuristic.name, heuristic.admissible);
                let heuristic = HeuristicChoice::from(heuristic);
                let cache = Arc::clone(&cache);
                let config = Config { algorithm, heuristic, cache, ..Config::default() };
                let report = match solve(&puzzle, &config, &Control::default()) {
                    Err(SolveError::Heuristic(HeuristicError::OtherPuzzles { .. })) => continue,
                    report => report.unwrap(),
                };
                let what = format!("{} {heuristic_name} on {puzzle}", algorithm.name);
                if algorithm.is_optimal() && admissible {
                    assert_eq!(length(&report), expected, "{what}");
                } else {
                    given_up += u32::from(!check_bound(&report, expected, &what));
                }
            }
        }
    }
    assert!(solvable > 1200 && longest > 15, "{solvable} solvable, longest {longest}");
    assert!(given_up <= 10, "{given_up} solvable puzzles were given up");
}

#[test]
fn heuristics_are_what_they_declare() {
    let mut random = Random::new(7);
    for _ in 0..400 {
        let puzzle = random_puzzle(&mut random);
        let board = puzzle.board();
        let states = reached(&puzzle);
        let mut successors = Vec::new();
        for entry in HEURISTICS {
            let choice = HeuristicChoice::from(entry);
            let heuristic = match choice.build(&puzzle, &Resources::default()) {
                Err(HeuristicError::OtherPuzzles { .. }) => continue,
                heuristic => heuristic.unwrap(),
            };
            let estimates: Vec<Option<u32>> =
                states.iter().map(|at| heuristic.estimate(&at.state)).collect();
            for (Reached { state, moves, .. }, &here) in states.iter().zip(&estimates) {
                if puzzle.goal().is_met(state) && entry.admissible {
                    assert_eq!(here, Some(0), "{} at the goal of {puzzle}", entry.name);
                }
                let Some(here) = here else { continue };
                Successor::list(&mut successors, board, state);
                heuristic.estimate_successors(here, state, &mut successors);
                let listed = successors.iter().map(|successor| successor.mv);
                assert!(listed.eq(moves.iter().map(|&(_, mv, _)| mv)), "{puzzle}");
                for (&Successor { label, mv, h }, &(.., next)) in successors.iter().zip(moves) {
                    let there = estimates[next];
                    let stepped = heuristic.after_move(here, state, label, mv);
                    assert_eq!(stepped, there, "{} {mv} in {puzzle}", entry.name);
                    assert_eq!(h, there, "{} {mv} among all in {puzzle}", entry.name);
                    if let (true, Some(there)) = (entry.consistent, there) {
                        assert!(here.abs_diff(there) <= 1, "{} {mv} in {puzzle}", entry.name);
                    }
                }
            }
        }
    }
}

/// The study's hardest levels and random 8-puzzles; all its levels are compared in hyperslide-lab.
#[test]
fn astar_expands_what_the_textbook_expands() {
    let mut lines: Vec<String> = (1..=3)
        .map(|k| format!("cube:4:{k} r=5,p=1,g=4,b=13,y=7 -> r=5,p=7,g=13,b=4,y=1"))
        .collect();
    let mut random = Random::new(8);
    for _ in 0..20 {
        let mut cells: Vec<String> = (0..9).map(|n| n.to_string()).collect();
        random.shuffle(&mut cells);
        lines.push(format!("grid:3:3 {}", cells.join(",")));
    }
    for line in lines {
        let puzzle = puzzle(&line);
        let report = run(&puzzle, "astar", Limits::default());
        if length(&report).is_some() {
            let expected = textbook_astar(&puzzle);
            assert_eq!(length(&report), expected.length, "{line}");
            assert_eq!(report.stats.expanded, expected.expanded, "{line}");
            assert_eq!(report.stats.generated, expected.generated, "{line}");
        }
    }
}

const SLOW: &str =
    "grid:4:4 14,13,15,7,11,12,9,5,6,0,2,1,4,8,10,3 -> 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15";

/// Those that need long for a 15-puzzle; a table of it fits in no memory.
fn slow_algorithms() -> impl Iterator<Item = &'static Algorithm> {
    ALGORITHMS.iter().filter(|algorithm| algorithm.is_optimal() && algorithm.name != "table")
}

#[test]
fn limits_stop_every_algorithm_with_a_true_bound() {
    // Korf's first instance: 57 moves.
    let puzzle = puzzle(SLOW);
    for algorithm in slow_algorithms() {
        let nodes = Limits { nodes: Some(50_000), ..Limits::default() };
        let report = run(&puzzle, algorithm.name, nodes);
        let Outcome::LimitReached { limit: Limit::Nodes, lower_bound, .. } = report.outcome else {
            panic!("{}: {:?}", algorithm.name, report.outcome);
        };
        assert!((1..=57).contains(&lower_bound), "{}: bound {lower_bound}", algorithm.name);
        let generated = report.stats.generated;
        assert!((50_000..50_100).contains(&generated), "{}: {generated}", algorithm.name);
        let again = run(&puzzle, algorithm.name, nodes);
        assert_eq!(again.outcome, report.outcome, "{}", algorithm.name);
        assert_eq!(again.stats.expanded, report.stats.expanded, "{}", algorithm.name);

        let time = Limits { time: Some(Duration::from_millis(5)), ..Limits::default() };
        let report = run(&puzzle, algorithm.name, time);
        let timed_out = matches!(report.outcome, Outcome::LimitReached { limit: Limit::Time, .. });
        assert!(timed_out, "{}: {:?}", algorithm.name, report.outcome);

        if !["auto", "idastar"].contains(&algorithm.name) {
            let memory = Limits { memory: Some(1 << 20), ..Limits::default() };
            let report = run(&puzzle, algorithm.name, memory);
            let full = matches!(report.outcome, Outcome::LimitReached { limit: Limit::Memory, .. });
            assert!(full, "{}: {:?}", algorithm.name, report.outcome);
            // Memory is looked at every few thousand states, and a shard of the index doubles.
            let peak = report.stats.peak_bytes;
            assert!((1 << 20..2 << 20).contains(&peak), "{}: {peak} bytes", algorithm.name);
        }
    }
}

#[test]
fn a_table_is_built_within_the_limits() {
    // One of the two hardest 8-puzzles, and a 15-puzzle that no memory holds.
    let puzzle = puzzle("grid:3:3 8,6,7,2,5,4,3,0,1");
    let report = run(&puzzle, "table", Limits::default());
    assert_eq!(length(&report), Some(31));
    // Three tokens out of place: a Manhattan distance of 4, and many more moves.
    let puzzle = self::puzzle("grid:3:3 3,1,2,4,5,6,7,8,0 -> 1,2,3,4,5,6,7,8,0");
    let reached = |limits: Limits, expected: Limit| {
        let report = run(&puzzle, "table", limits);
        let Outcome::LimitReached { limit, lower_bound, .. } = report.outcome else {
            panic!("{:?}", report.outcome);
        };
        assert_eq!(limit, expected);
        assert!((4..=31).contains(&lower_bound), "bound {lower_bound}");
        lower_bound
    };
    // Layers of the 8-puzzle: 1, 2, 4, 8, 16, 20, 39, 62 states.
    assert_eq!(reached(Limits { nodes: Some(100), ..Limits::default() }, Limit::Nodes), 8);
    reached(Limits { memory: Some(1000), ..Limits::default() }, Limit::Memory);
    reached(Limits { time: Some(Duration::ZERO), ..Limits::default() }, Limit::Time);
    let cancel = AtomicBool::new(true);
    let control = Control { cancel: Some(&cancel), ..Control::default() };
    let report = solve(&puzzle, &Config::named("table").unwrap(), &control).unwrap();
    assert!(matches!(report.outcome, Outcome::LimitReached { limit: Limit::Cancelled, .. }));
    let report =
        run(&self::puzzle(SLOW), "table", Limits { memory: Some(1 << 30), ..Limits::default() });
    assert!(matches!(report.outcome, Outcome::LimitReached { limit: Limit::Memory, .. }));
}

#[test]
fn cancelling_and_progress() {
    let puzzle = puzzle(SLOW);
    for algorithm in slow_algorithms() {
        let cancel = AtomicBool::new(false);
        let progress = |progress: &hyperslide_search::Progress| {
            assert!(progress.stats.generated > 0 && progress.lower_bound <= 57);
            cancel.store(true, std::sync::atomic::Ordering::Relaxed);
        };
        let control = Control {
            limits: Limits { time: Some(Duration::from_secs(60)), ..Limits::default() },
            cancel: Some(&cancel),
            progress: Some(&progress),
            ..Control::default()
        };
        let report = solve(&puzzle, &Config::named(algorithm.name).unwrap(), &control).unwrap();
        let cancelled =
            matches!(report.outcome, Outcome::LimitReached { limit: Limit::Cancelled, .. });
        assert!(cancelled, "{}: {:?}", algorithm.name, report.outcome);
    }
}

/// Estimates that may be too high bound the iterations, but no solution.
#[test]
fn bounds_that_are_not_proven_are_not_shown() {
    let puzzle = puzzle(
        "grid:5:5 11,22,6,21,8,13,20,23,0,2,15,7,12,18,16,3,1,17,5,4,9,14,24,10,19 -> \
         0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24",
    );
    let cancel = AtomicBool::new(false);
    let progress = |progress: &hyperslide_search::Progress| {
        assert_eq!(progress.lower_bound, 0);
        cancel.store(true, std::sync::atomic::Ordering::Relaxed);
    };
    let control =
        Control { cancel: Some(&cancel), progress: Some(&progress), ..Control::default() };
    let config = Config::new("idastar", Some("weighted-conflicts"), [], 0).unwrap();
    solve(&puzzle, &config, &control).unwrap();
    assert!(cancel.into_inner(), "it was seen");
}

/// Sixteen tokens that lock each other in: closed walks need some two million states and 30 MB.
const LOCKED_IN: &str = "cube:5:3 1=6,2=12,3=22,4=7,5=0,6=16,7=30,8=1,9=4,10=9,11=19,12=28,13=18,14=10,15=11,16=14 -> \
    1=2,2=29,3=0,4=26,5=6,6=31,7=30,8=27,9=11,10=14,11=19,12=25,13=15,14=18,15=17,16=20";

#[test]
fn limits_stop_closed_walks() {
    let puzzle = puzzle(LOCKED_IN);
    let limit_of = |algorithm: &str, limits: Limits| {
        let report = run(&puzzle, algorithm, limits);
        let Outcome::LimitReached { limit, lower_bound, .. } = report.outcome else {
            panic!("{algorithm}: {:?}", report.outcome);
        };
        assert!(lower_bound > 0);
        (limit, report.stats)
    };
    for algorithm in ["closed-walks", "anytime"] {
        let nodes = Limits { nodes: Some(1_300_000), ..Limits::default() };
        let (limit, stats) = limit_of(algorithm, nodes);
        assert_eq!(limit, Limit::Nodes);
        assert!((1_300_000..1_400_000).contains(&stats.generated), "{algorithm}: {stats:?}");
        let time = Limits { time: Some(Duration::from_millis(30)), ..Limits::default() };
        assert_eq!(limit_of(algorithm, time).0, Limit::Time);
        let memory = Limits { memory: Some(2 << 20), ..Limits::default() };
        let (limit, stats) = limit_of(algorithm, memory);
        assert_eq!(limit, Limit::Memory);
        assert!(stats.peak_bytes < 4 << 20, "{algorithm}: {stats:?}");
    }
}

/// What does not prove anything must not keep the solver from ending.
#[test]
fn anytime_ends_with_published_methods_too() {
    let puzzle = puzzle("cube:3:2 r=4,p=1,b=5,g=6 -> g=4,p=1,r=5,b=6");
    let config = Config::named("anytime").unwrap().with("profile", "published").unwrap();
    let report = solve(&puzzle, &config, &Control::default()).unwrap();
    assert_eq!(length(&report), Some(6));
}

#[test]
fn iterative_deepening_counts_what_peers_count() {
    // Korf's number 12 with the goal's empty vertex first: 546,343 states generated in C++ solvers
    // that move the empty vertex up, left, right, down, and 269,708 expanded.
    let line =
        "grid:4:4 14,1,9,6,4,8,12,5,7,2,3,0,10,11,13,15 -> 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15";
    let report = run(&puzzle(line), "idastar", Limits::default());
    assert_eq!(length(&report), Some(45));
    assert_eq!((report.stats.generated, report.stats.expanded), (546_343, 269_708));
}

#[test]
fn unsolvable_puzzles_are_answered_at_once() {
    let impossible = [
        "cube:3:2 r=4,p=1,g=5,b=6 -> r=5,p=1,g=4,b=6",
        "grid:4:4 1,2,3,4,5,6,7,8,9,10,11,12,13,15,14,0",
    ];
    for line in impossible {
        for algorithm in ALGORITHMS {
            let report = run(&puzzle(line), algorithm.name, Limits::default());
            let Outcome::Unsolvable(reason) = report.outcome else {
                panic!("{:?}", report.outcome)
            };
            assert_eq!((reason.code(), report.stats.expanded), ("parity", 0), "{line}");
        }
    }
}

/// Six tokens on the 5-cube have too many occupied sets to decide solvability in passing. Here the
/// goal's permutation is odd and its component has 87 million states.
#[test]
fn auto_decides_large_unsolvable_puzzles() {
    let line = "cube:5:4 r=0,p=29,g=30,b=17,y=4,o=1 -> r=0,p=30,g=17,b=29,y=1,o=4";
    let report = run(&puzzle(line), "auto", Limits::default());
    let Outcome::Unsolvable(reason) = report.outcome else { panic!("{:?}", report.outcome) };
    assert_eq!(reason.code(), "parity");
    assert!(report.stats.generated < 100_000_000);
}

#[test]
fn open_goals_too_wide_for_a_search_from_both_ends_are_refused() {
    // Two labels, and the goal places one token of each.
    let cells = vec!["*"; 36].join(",");
    let colour = |n: usize| ["0", "a", "b"][if n == 0 { 0 } else { 1 + n % 2 }];
    let start: Vec<&str> = (0..36).map(colour).collect();
    let goal = cells.replacen("*,*", "b,a", 1);
    let puzzle = puzzle(&format!("grid:6:6 {} -> {goal}", start.join(",")));
    let config = Config::named("bidirectional").unwrap();
    let error = solve(&puzzle, &config, &Control::default()).unwrap_err();
    assert!(error.to_string().contains("use astar"), "{error}");
    assert_eq!(length(&run(&puzzle, "auto", Limits::default())), Some(2));
}

#[test]
fn a_solved_start_needs_no_moves() {
    for algorithm in ALGORITHMS {
        let report = run(&puzzle("grid:2:2 1,2,3,0"), algorithm.name, Limits::default());
        assert_eq!(length(&report), Some(0), "{}", algorithm.name);
    }
}

/// Deciding whether there is a solution is part of the search: it obeys the same limits.
#[test]
fn limits_hold_before_the_search_too() {
    let tokens = |end: &dyn Fn(usize) -> usize| {
        (0..14).map(|token| format!("t{token}={}", end(token))).collect::<Vec<_>>().join(",")
    };
    let puzzle = puzzle(&format!("cube:6:3 {} -> {}", tokens(&|t| t), tokens(&|t| 63 - t)));
    let limits =
        Limits { time: Some(Duration::from_millis(100)), memory: Some(20 << 20), nodes: None };
    let report = run(&puzzle, "idastar", limits);
    let stopped = matches!(report.outcome, Outcome::LimitReached { .. });
    assert!(stopped, "{:?}", report.outcome);
    // Without the limits it takes seconds and hundreds of megabytes. The index doubles when it
    // grows.
    assert!(report.stats.peak_bytes < 40 << 20, "{} bytes", report.stats.peak_bytes);
}

/// Puzzles on which one of the two algorithms of `auto` is hopeless.
#[test]
fn auto_finds_the_algorithm_that_suits() {
    for (line, expected, most) in [
        (
            "grid:4:4 1,2,3,4,5,6,7,8,0,0,0,0,0,0,0,0 -> 0,0,0,0,0,0,0,0,8,7,6,5,4,3,2,1",
            Some(32),
            200_000,
        ),
        (
            "cube:5:2 a=0,b=1,c=2,d=3,e=4,f=5,g=6 -> a=31,b=30,c=29,d=28,e=27,f=26,g=25",
            Some(21),
            200_000,
        ),
        ("cube:6:3 a=0,b=1,c=2,d=3 -> a=63,b=62,c=61,d=60", Some(8), 200_000),
        // The study's d5-level0 with k = 4.
        ("cube:5:4 r=0,p=29,g=30,b=17,y=4,o=1 -> r=0,p=30,g=17,b=29,y=4,o=1", Some(13), 3_000_000),
        // No token can leave the goal, which only a search from there notices at once.
        ("cube:5:4 a=3,b=2,c=30,d=11,e=26,f=5 -> a=19,b=8,c=31,d=6,e=29,f=1", None, 500_000),
    ] {
        let report = run(&puzzle(line), "auto", Limits::default());
        assert_eq!(length(&report), expected, "{line}");
        assert!(report.stats.generated < most, "{line}: {}", report.stats.generated);
    }
}

/// Puzzles that take A\* many times the states of another search: `auto` follows that one.
#[test]
fn auto_follows_the_search_that_is_ahead() {
    for (line, expected) in [
        (
            "cube:6:2 1=35,2=2,3=34,4=30,5=16,6=40,7=55,8=49 -> \
             1=55,2=60,3=63,4=40,5=33,6=42,7=2,8=52",
            "nbs",
        ),
        (
            "graph:12:0-1,0-6,0-11,1-2,2-3,3-4,4-5,5-6,6-7,7-8,8-9,9-10,10-11 \
             1=11,2=1,3=8,4=10,5=9,6=7,7=0,8=3,9=4,10=6,11=5 -> \
             1=10,2=11,3=1,4=8,5=7,6=9,7=2,8=0,9=6,10=3,11=4",
            "bidirectional",
        ),
    ] {
        let puzzle = puzzle(line);
        let limits = Limits { nodes: Some(100_000), ..Limits::default() };
        let stopped = run(&puzzle, "astar", limits);
        assert!(matches!(stopped.outcome, Outcome::LimitReached { .. }), "{line}");
        let best = run(&puzzle, expected, Limits::default());
        let report = run(&puzzle, "auto", Limits::default());
        assert_eq!(length(&report), length(&best), "{line}");
        assert_eq!(report.algorithm, expected, "{line}");
        let (own, alone) = (report.stats.generated, best.stats.generated);
        assert!(own < 2 * alone + 60_000, "{line}: {own}, alone {alone}");
    }
}

/// Korf's 58th puzzle takes IDA\* 13 million states, which is less than tables cost: `auto` finds
/// that out between two iterations, and searches nothing twice.
#[test]
fn auto_searches_nothing_twice_before_tables() {
    let puzzle = puzzle(
        "grid:4:4 5,0,15,8,4,6,1,14,10,11,3,9,7,12,2,13 -> 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15",
    );
    let alone = run(&puzzle, "idastar", Limits::default());
    let report = run(&puzzle, "auto", Limits::default());
    assert_eq!(length(&report), length(&alone));
    let (own, alone) = (report.stats.generated, alone.stats.generated);
    assert!(alone > 8_000_000 && own == alone, "{own}, alone {alone}");
}

/// Twelve tokens of each of two colours: 67.6 million arrangements, of which NBS generates 395,000
/// and bidirectional search 1.8 million.
#[test]
fn auto_searches_repeated_labels_by_nbs() {
    let start = "b,a,b,a,a,a,b,a,a,b,a,b,0,a,b,b,a,b,a,b,a,b,b,a,b";
    let goal = "a,a,a,a,a,a,a,a,a,a,a,a,0,b,b,b,b,b,b,b,b,b,b,b,b";
    let puzzle = puzzle(&format!("grid:5:5 {start} -> {goal}"));
    let report = run(&puzzle, "auto", Limits::default());
    let alone = run(&puzzle, "nbs", Limits::default());
    assert_eq!(length(&report), length(&alone));
    assert_eq!(report.algorithm, "nbs");
    assert!(report.choice.is_some_and(|choice| choice.contains("labels are repeated")));
    assert!(report.stats.generated < 2 * alone.stats.generated, "{:?}", report.stats);
    assert_eq!(alone.choice, None, "only auto chooses");
}

/// The tables of the first puzzle are in memory: nothing is tried before they are looked up.
#[test]
fn auto_uses_tables_that_are_in_memory_at_once() {
    let cache: Arc<TableCache> = Arc::default();
    let config = || Config { cache: Arc::clone(&cache), ..Config::named("auto").unwrap() };
    // Korf's first and his twelfth, which is easy.
    let easy =
        "grid:4:4 14,1,9,6,4,8,12,5,7,2,3,0,10,11,13,15 -> 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15";
    let lengths = [(easy, 45, "too easy"), (SLOW, 57, "worth"), (easy, 45, "in memory")];
    let mut generated = Vec::new();
    for (line, expected, why) in lengths {
        let report = solve(&puzzle(line), &config(), &Control::default()).unwrap();
        assert_eq!(length(&report), Some(expected), "{line}");
        let choice = report.choice.unwrap();
        assert!(choice.contains(why), "{choice}");
        generated.push(report.stats.generated);
    }
    assert!(generated[2] < generated[0] / 10, "{generated:?}");
}
