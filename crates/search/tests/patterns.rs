//! Pattern databases, the searches over them, and search that need not be optimal.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hyperslide_puzzle::{Puzzle, State};
use hyperslide_search::{
    ALGORITHMS, Config, Control, HEURISTICS, HeuristicChoice, HeuristicError, Limit, Limits,
    Outcome, Progress, Report, Resources, SolveError, TableCache, solve,
};
use hyperslide_table::{Abstraction, BuildOptions, DistanceTable, Encoding, Signals, TableStore};
use hyperslide_testkit::Random;

fn puzzle(line: &str) -> Puzzle {
    Puzzle::from_line(line).unwrap_or_else(|error| panic!("{line}: {error}"))
}

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
    self::puzzle(&format!("{} {} -> {goal}", puzzle.board(), puzzle.write_state(state)))
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

fn run(puzzle: &Puzzle, config: &Config, limits: Limits) -> Report {
    solve(puzzle, config, &Control { limits, ..Control::default() }).unwrap()
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
        let exact = table(&puzzle);
        let config = Config {
            heuristic: heuristic.parse().unwrap(),
            cache: Arc::clone(&cache),
            ..Config::named(algorithm).unwrap()
        };
        for _ in 0..states {
            let (state, distance) = draw(&exact, &mut random);
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
    for (heuristic, expanded) in [("patterns", 3_850), ("patterns:6-6-3", 3_850)] {
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
        ("patterns:1+2/2+3", "token 2 stands twice"),
        ("patterns:1+1", "token 1 stands twice"),
    ] {
        let choice: HeuristicChoice = heuristic.parse().unwrap();
        let Err(error) = choice.build(&puzzle, &Resources::default()) else {
            panic!("{heuristic} was taken")
        };
        assert!(matches!(error, HeuristicError::Argument { .. }), "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
    let open = self::puzzle("grid:3:3 8,6,7,2,5,4,3,0,1 -> 1,*,*,*,*,*,*,*,*");
    let error = "patterns".parse::<HeuristicChoice>().unwrap().build(&open, &Resources::default());
    assert!(matches!(error, Err(HeuristicError::OtherPuzzles { .. })));
}

#[test]
fn building_tables_obeys_the_limits() {
    let cells: Vec<String> = (0..25).map(|n| n.to_string()).collect();
    let puzzle = puzzle(&format!("grid:5:5 {}", cells.join(",")));
    let heuristic: HeuristicChoice = "patterns:6-6-6-6".parse().unwrap();
    for algorithm in ["idastar", "astar", "beam", "anytime"] {
        let config = Config { heuristic: heuristic.clone(), ..Config::named(algorithm).unwrap() };
        let time = Limits { time: Some(Duration::from_millis(50)), ..Limits::default() };
        let memory = Limits { memory: Some(10 << 20), ..Limits::default() };
        // Without memory for tables the anytime solver goes on without them, until there is no time
        // or no state left.
        let nodes = (algorithm == "anytime").then_some(2_000_000);
        let memory = Limits { nodes, ..memory };
        for (limits, expected) in [(time, Limit::Time), (memory, Limit::Memory)] {
            match run(&puzzle, &config, limits).outcome {
                Outcome::LimitReached { limit, .. } => assert_eq!(limit, expected, "{algorithm}"),
                // What was found before tables were to be built.
                Outcome::Solved { optimal: false, .. } if algorithm == "anytime" => {}
                other => panic!("{algorithm}: {other:?}"),
            }
        }
    }
}

/// Korf's hardest 24-puzzle.
const KORF_24: &str = "grid:5:5 23,1,12,6,16,2,20,10,21,18,14,13,17,19,22,0,15,24,3,7,4,8,5,9,11 \
     -> 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24";

/// The anytime solver's proofs go over tables that are not there yet.
#[test]
fn time_that_ends_while_tables_are_built_costs_no_solution() {
    let line = "grid:6:6 16,20,31,34,3,13,30,26,9,11,14,1,29,24,2,32,33,4,18,10,12,28,17,7,6,5,35,8,15,23,25,0,22,21,27,19 \
         -> 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,0";
    let config = Config { threads: 1, ..Config::named("anytime").unwrap() };
    for time in [300, 600] {
        let limits = Limits { time: Some(Duration::from_millis(time)), ..Limits::default() };
        let Report { outcome, stats, .. } = run(&puzzle(line), &config, limits);
        assert!(matches!(outcome, Outcome::Solved { optimal: false, .. }), "{outcome:?}");
        // What is over is the tables' share of the time, not the whole.
        assert!(stats.wall_s >= 0.9 * time as f64 / 1e3, "{} of {time} ms", stats.wall_s * 1e3);
    }
}

/// Tables that may not be built, or do not fit, leave what needs none.
#[test]
fn anytime_goes_on_without_tables() {
    let puzzle = puzzle(KORF_24);
    let bound = puzzle_bound(&puzzle);
    let refusing = Arc::new(TableCache::new(TableStore::default().reading_only()));
    let without = Config { cache: refusing, ..Config::named("anytime").unwrap() };
    let heuristic = "patterns:6-6-6-6".parse().unwrap();
    let small = Config { heuristic, ..Config::named("anytime").unwrap() };
    let nodes = Limits { nodes: Some(2_000_000), ..Limits::default() };
    for (config, limits) in [(without, nodes), (small, Limits { memory: Some(60 << 20), ..nodes })]
    {
        let progress = Mutex::new(Vec::new());
        let note = |now: &Progress| progress.lock().unwrap().push(*now);
        let control = Control { limits, progress: Some(&note), ..Control::default() };
        let Report { outcome, stats, .. } = solve(&puzzle, &config, &control).unwrap();
        let Outcome::Solved { moves, .. } = outcome else { panic!("{outcome:?}") };
        // All that is allowed, and shorter than what the first part finds.
        assert!(stats.generated > 1_900_000, "{stats:?}");
        let first = run(&puzzle, &Config::named("staged").unwrap(), Limits::default());
        let Outcome::Solved { moves: first, .. } = first.outcome else { panic!() };
        assert!(moves.len() < first.len(), "{} and {}", moves.len(), first.len());
        // What it has is told on the way, and once there is a bound it stays.
        let told = progress.into_inner().unwrap();
        assert!(told.iter().any(|now| now.length.is_some()), "{told:?}");
        let after = told.iter().skip_while(|now| now.length.is_none());
        assert!(after.clone().all(|now| now.lower_bound >= bound), "{told:?}");
    }
}

/// What there are no tables for is proven without.
#[test]
fn anytime_proves_without_tables() {
    let puzzle = puzzle(
        "grid:4:4 14,1,9,6,4,8,12,5,7,2,3,0,10,11,13,15 -> 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15",
    );
    let refusing = Arc::new(TableCache::new(TableStore::default().reading_only()));
    let without = Config { cache: refusing, ..Config::named("anytime").unwrap() };
    let heuristic = "patterns:7-8".parse().unwrap();
    let small = Config { heuristic, ..Config::named("anytime").unwrap() };
    let memory = Limits { memory: Some(60 << 20), ..Limits::default() };
    for (config, limits) in [(without, Limits::default()), (small, memory)] {
        let Outcome::Solved { moves, optimal: true, .. } = run(&puzzle, &config, limits).outcome
        else {
            panic!()
        };
        assert_eq!(moves.len(), 45);
    }
}

/// What the distance of each token alone says.
fn puzzle_bound(puzzle: &Puzzle) -> u32 {
    let heuristic = HeuristicChoice::default().build(puzzle, &Resources::default()).unwrap();
    heuristic.estimate(puzzle.start()).unwrap()
}

/// A bound is one in moves, whatever the weight.
#[test]
fn weights_below_one_keep_bounds_true() {
    let puzzle = puzzle("grid:3:3 8,6,7,2,5,4,3,0,1");
    for weight in ["0", "0.001", "0.5", "0.999", "1", "1.5", "3"] {
        let config = Config::named("weighted-astar").unwrap().with("weight", weight).unwrap();
        for nodes in [50_000, 100_000, 200_000, 10_000_000] {
            let limits = Limits { nodes: Some(nodes), ..Limits::default() };
            match run(&puzzle, &config, limits).outcome {
                Outcome::LimitReached { lower_bound, .. } => {
                    assert!((21..=31).contains(&lower_bound), "{weight}: {lower_bound}");
                }
                Outcome::Solved { moves, optimal, lower_bound } => {
                    assert!(lower_bound <= 31 && moves.len() >= 31, "{weight}: {lower_bound}");
                    assert_eq!(optimal, lower_bound as usize == moves.len(), "{weight}");
                }
                other => panic!("{other:?}"),
            }
        }
    }
}

/// Walking distance has tables, too: 64 MB of them on 4:5.
#[test]
fn walking_distance_obeys_the_limits() {
    let cells: Vec<String> = (0..20).map(|n| n.to_string()).collect();
    let puzzle = puzzle(&format!("grid:4:5 {}", cells.join(",")));
    let heuristic: HeuristicChoice = "walking-distance".parse().unwrap();
    let cache = Arc::new(TableCache::default());
    let config = Config { heuristic, cache, ..Config::named("idastar").unwrap() };
    let time = Limits { time: Some(Duration::from_millis(20)), ..Limits::default() };
    let memory = Limits { memory: Some(20 << 20), ..Limits::default() };
    for (limits, expected) in [(time, Limit::Time), (memory, Limit::Memory)] {
        match run(&puzzle, &config, limits).outcome {
            Outcome::LimitReached { limit, .. } => assert_eq!(limit, expected),
            other => panic!("{other:?}"),
        }
    }
    let report = run(&puzzle, &config, Limits { nodes: Some(10_000), ..Limits::default() });
    assert!(report.stats.peak_bytes > 60 << 20, "{:?}", report.stats);
}

/// The largest boards, where nothing can be enumerated.
#[test]
fn large_boards_full_of_tokens_are_solved() {
    let mut random = Random::new(64);
    let tokens = |count: usize| {
        let token = |token: usize| format!("{}={token}", token + 1);
        (0..count).map(token).collect::<Vec<_>>().join(",")
    };
    let cells: Vec<String> = (1..64).chain([0]).map(|cell: usize| cell.to_string()).collect();
    for (board, goal) in [("grid:8:8", cells.join(",")), ("cube:6:1", tokens(63))] {
        let goal = puzzle(&format!("{board} {goal} -> {goal}"));
        let mut state = *goal.start();
        for _ in 0..2_000 {
            let moves = goal.board().legal_moves(&state);
            state.slide(moves[random.below(moves.len())]);
        }
        let puzzle = from(&goal, &state);
        let limits = Limits { time: Some(Duration::from_secs(6)), ..Limits::default() };
        let report = run(&puzzle, &Config::named("anytime").unwrap(), limits);
        let Outcome::Solved { moves, lower_bound, .. } = report.outcome else {
            panic!("{puzzle}: {:?}", report.outcome)
        };
        let bounds = 1..=moves.len() as u32;
        assert!(bounds.contains(&lower_bound), "{board}: {bounds:?}, {lower_bound}");
        // Tables that take too long leave time to improve what was found without them.
        let first = run(&puzzle, &Config::named("staged").unwrap(), Limits::default());
        let Outcome::Solved { moves: first, .. } = first.outcome else { panic!("{board}") };
        assert!(moves.len() < first.len(), "{board}: {} and {}", moves.len(), first.len());
    }
}

/// Easy puzzles are searched before tables are built; what that proved stays proven, and where
/// there is no memory for tables it goes on without.
#[test]
fn auto_keeps_its_bound_and_needs_no_tables() {
    let puzzle = puzzle(KORF_24);
    let auto = Config::named("auto").unwrap();
    let bound = |limits: Limits| match run(&puzzle, &auto, limits).outcome {
        Outcome::LimitReached { lower_bound, .. } => lower_bound,
        other => panic!("{other:?}"),
    };
    let with_nodes = |nodes| bound(Limits { nodes: Some(nodes), ..Limits::default() });
    let easy = with_nodes(2_999_000);
    assert!(easy > 80 && with_nodes(3_001_000) >= easy);
    let stopped = Limits { time: Some(Duration::from_millis(900)), ..Limits::default() };
    assert!(bound(stopped) > 80);
    let limits = Limits { memory: Some(10 << 20), nodes: Some(10_000_000), ..Limits::default() };
    let report = run(&puzzle, &auto, limits);
    let is_out_of_nodes =
        matches!(report.outcome, Outcome::LimitReached { limit: Limit::Nodes, .. });
    assert!(is_out_of_nodes && bound(limits) >= easy, "{:?}", report.outcome);
}

/// A stage says nothing of most tokens.
#[test]
fn heuristics_that_are_not_for_stages_say_so() {
    let puzzle = puzzle(
        "grid:4:4 14,13,15,7,11,12,9,5,6,0,2,1,4,8,10,3 -> 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15",
    );
    // Tables that no stage can use are not asked for.
    let cache = Arc::new(TableCache::new(TableStore::default().reading_only()));
    for heuristic in ["linear-conflict", "walking-distance", "weighted-conflicts", "patterns"] {
        let (heuristic, cache) = (heuristic.parse().unwrap(), Arc::clone(&cache));
        let config = Config { heuristic, cache, ..Config::named("staged").unwrap() };
        let error = solve(&puzzle, &config, &Control::default()).unwrap_err().to_string();
        assert!(
            error.contains("the stages of staged search do not, only: use lone-token"),
            "{error}"
        );
    }
}

/// What a user may ask for that is far too much.
#[test]
fn extreme_settings_keep_to_the_memory() {
    let grid = |side: usize| {
        let mut cells: Vec<String> = (0..side * side).map(|n| n.to_string()).collect();
        // On even sides that is an odd permutation.
        cells.swap(1, if side.is_multiple_of(2) { 2 } else { 1 });
        puzzle(&format!("grid:{side}:{side} {}", cells.join(",")))
    };
    let limits = Limits { memory: Some(100 << 20), nodes: Some(20_000), time: None };
    // More parts than a walk has places for, the reflected ones counted.
    let ones = vec!["1"; 33].join("-");
    let heuristic: HeuristicChoice = format!("patterns:2-{ones}").parse().unwrap();
    let config = Config { heuristic, ..Config::named("idastar").unwrap() };
    let report = run(&grid(6), &config, limits);
    assert!(matches!(report.outcome, Outcome::LimitReached { limit: Limit::Nodes, .. }));
    // Wide beams and great weights.
    let heuristic: HeuristicChoice = "patterns:3-3-3-3-3".parse().unwrap();
    let wide = Config::named("beam").unwrap().with("width", "1000000000").unwrap();
    let config = Config { heuristic, ..wide };
    let report = run(&grid(4), &config, limits);
    assert!(matches!(report.outcome, Outcome::LimitReached { limit: Limit::Nodes, .. }));
    assert!(report.stats.peak_bytes < 100 << 20, "{} bytes", report.stats.peak_bytes);
    let report = run(&grid(4), &config, Limits { nodes: None, ..limits });
    assert!(matches!(report.outcome, Outcome::LimitReached { limit: Limit::Memory, .. }));
    let config = Config::named("weighted-astar").unwrap().with("weight", "999.999").unwrap();
    let report = run(&grid(5), &config, limits);
    assert!(report.stats.peak_bytes < 100 << 20, "{} bytes", report.stats.peak_bytes);
}

#[test]
fn a_beam_is_the_same_on_any_number_of_threads() {
    let puzzle = puzzle(
        "grid:4:4 14,13,15,7,11,12,9,5,6,0,2,1,4,8,10,3 -> 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15",
    );
    let cache = Arc::new(TableCache::default());
    let of = |heuristic: &str, threads: usize, width: usize| {
        let config = Config {
            heuristic: heuristic.parse().unwrap(),
            cache: Arc::clone(&cache),
            threads,
            ..Config::named("beam").unwrap().with("width", &width.to_string()).unwrap()
        };
        run(&puzzle, &config, Limits::default())
    };
    // Korf's first: 57 moves.
    let known = [("patterns", 57), ("patterns,linear-conflict", 57), ("weighted-conflicts", 59)];
    for (heuristic, most) in known {
        let mut lengths = Vec::new();
        for width in [100, 1_000, 10_000] {
            let (one, three) = (of(heuristic, 1, width), of(heuristic, 3, width));
            assert_eq!(one.outcome, three.outcome, "{heuristic}, width {width}");
            assert_eq!(one.stats.generated, three.stats.generated, "{heuristic}, width {width}");
            let Outcome::Solved { moves, .. } = one.outcome else { panic!("{:?}", one.outcome) };
            lengths.push(moves.len());
        }
        assert!(lengths[0] >= lengths[2] && lengths[2] <= most, "{heuristic}: {lengths:?}");
    }
}

/// A beam that leaves nothing out is breadth-first search.
#[test]
fn wide_beams_find_shortest_solutions() {
    let mut random = Random::new(23);
    let mut solved = 0;
    for _ in 0..40 {
        let mut cells: Vec<usize> = (0..9).collect();
        random.shuffle(&mut cells);
        let cells = cells.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
        let puzzle = puzzle(&format!("grid:3:3 {cells} -> 1,2,3,4,0,5,6,7,8"));
        let plain = run(&puzzle, &Config::named("breadth-first").unwrap(), Limits::default());
        for heuristic in ["patterns", "weighted-conflicts"] {
            let config = Config {
                heuristic: heuristic.parse().unwrap(),
                ..Config::named("beam").unwrap().with("width", "1048576").unwrap()
            };
            let report = run(&puzzle, &config, Limits::default());
            match (&plain.outcome, &report.outcome) {
                (Outcome::Solved { moves, .. }, Outcome::Solved { moves: found, .. }) => {
                    assert_eq!(moves.len(), found.len(), "{heuristic}: {puzzle}");
                    solved += 1;
                }
                (Outcome::Unsolvable(_), Outcome::Unsolvable(_)) => {}
                both => panic!("{heuristic}: {both:?}"),
            }
        }
    }
    assert!(solved > 20, "{solved}");
}

/// Tables of all parts and what is made of them count, and where nobody says how large they are to
/// be they are made to fit.
#[test]
fn tables_keep_to_the_memory() {
    let puzzle = puzzle(
        "grid:4:4 14,1,9,6,4,8,12,5,7,2,3,0,10,11,13,15 -> 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15",
    );
    let of = |heuristic: &str, memory: Option<u64>| {
        let heuristic = heuristic.parse().unwrap();
        let config = Config { heuristic, ..Config::named("idastar").unwrap() };
        run(&puzzle, &config, Limits { memory, ..Limits::default() })
    };
    let free = of("patterns:6-6-3", None);
    let peak = free.stats.peak_bytes;
    for part in [1, 2, 3] {
        let report = of("patterns:6-6-3", Some(peak / 4 * part));
        let is_memory =
            matches!(report.outcome, Outcome::LimitReached { limit: Limit::Memory, .. });
        assert!(is_memory, "{part} quarters: {:?}", report.outcome);
        let fewer = of("patterns", Some(peak / 4 * part));
        let Outcome::Solved { moves, optimal: true, .. } = fewer.outcome else {
            panic!("{part} quarters: {:?}", fewer.outcome)
        };
        assert_eq!(moves.len(), 45);
        assert!(fewer.stats.peak_bytes <= peak / 4 * part);
        assert_ne!(fewer.stats.expanded, free.stats.expanded);
    }
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

#[test]
fn every_large_grid_is_solved_stage_by_stage() {
    let mut random = Random::new(88);
    for (rows, columns) in [(8, 8), (8, 8), (8, 8), (2, 32), (3, 21), (7, 8)] {
        let count = rows * columns;
        // Row by row the last two rows of a long grid leave no room.
        let schedules = ["border", "rows"];
        for schedule in schedules.into_iter().take(if rows == columns { 2 } else { 1 }) {
            let mut cells: Vec<String> = (0..count).map(|n| n.to_string()).collect();
            random.shuffle(&mut cells);
            let mut swapped = cells.clone();
            let tokens: Vec<usize> = (0..count).filter(|&v| cells[v] != "0").take(2).collect();
            swapped.swap(tokens[0], tokens[1]);
            let config = Config::named("staged").unwrap().with("schedule", schedule).unwrap();
            // One of the two has a solution.
            let mut solved = 0;
            for cells in [cells, swapped] {
                let puzzle = puzzle(&format!("grid:{rows}:{columns} {}", cells.join(",")));
                let nodes = Limits { nodes: Some(3_000_000), ..Limits::default() };
                match run(&puzzle, &config, nodes).outcome {
                    Outcome::Solved { .. } => solved += 1,
                    Outcome::Unsolvable(reason) => assert_eq!(reason.code(), "parity"),
                    other => panic!("{puzzle}: {other:?}"),
                }
            }
            assert_eq!(solved, 1);
        }
    }
}

#[test]
fn schedules_of_ones_own_are_followed_or_refused() {
    let puzzle = puzzle("grid:4:4 13,14,15,7,11,12,9,5,6,0,2,1,4,8,10,3");
    let config =
        |schedule: &str| Config::named("staged").unwrap().with("schedule", schedule).unwrap();
    for schedule in ["1+2+3+4/5+6+7+8", "15/1/8"] {
        let nodes = Limits { nodes: Some(20_000_000), ..Limits::default() };
        match run(&puzzle, &config(schedule), nodes).outcome {
            Outcome::Solved { .. } => {}
            other => panic!("{schedule}: {other:?}"),
        }
    }
    let solved = self::puzzle("grid:4:4 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,0");
    for puzzle in [puzzle, solved] {
        // The anytime solver begins with stages.
        for algorithm in ["staged", "anytime"] {
            let config = Config::named(algorithm).unwrap().with("schedule", "1/16").unwrap();
            let error = solve(&puzzle, &config, &Control::default()).unwrap_err();
            assert!(matches!(error, SolveError::Schedule(_)), "{error}");
        }
    }
}

#[test]
fn anytime_improves_until_it_is_proven() {
    let puzzle = puzzle("grid:3:3 8,6,7,2,5,4,3,0,1");
    let report = run(&puzzle, &Config::named("anytime").unwrap(), Limits::default());
    let Outcome::Solved { moves, optimal: true, lower_bound: 31 } = report.outcome else {
        panic!("{:?}", report.outcome)
    };
    assert_eq!(moves.len(), 31);
    // With few states the bound is true, and what was found is returned.
    let mut last = u32::MAX;
    for nodes in [3_000, 30_000, 300_000] {
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        let report = run(&puzzle, &Config::named("anytime").unwrap(), limits);
        let Outcome::Solved { moves, lower_bound, .. } = report.outcome else {
            panic!("{:?}", report.outcome)
        };
        assert!(lower_bound <= 31 && moves.len() >= 31 && moves.len() as u32 <= last);
        last = moves.len() as u32;
    }
}
