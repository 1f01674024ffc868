//! What the anytime solver and `auto` do with tables, and without them.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::common::{puzzle, run};
use hyperslide_puzzle::Puzzle;
use hyperslide_search::{
    Config, Control, HeuristicChoice, Limit, Limits, Outcome, Progress, Report, Resources,
    TableCache, solve,
};
use hyperslide_table::TableStore;
use hyperslide_testkit::Random;

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

/// On a thin board learned weights lead beams until proofs have built their pattern databases, with
/// which they lead better.
#[test]
fn pattern_databases_lead_beams_on_thin_boards_once_they_are_there() {
    let puzzle = puzzle(
        "graph:18:0-1,0-6,0-17,1-2,2-3,3-4,3-12,4-5,5-6,6-7,7-8,8-9,8-15,9-10,10-11,11-12,12-13,13-14,14-15,15-16,16-17 \
         1=16,2=14,3=9,4=1,5=5,6=3,7=7,8=11,9=17,10=15,11=4,12=8,13=2,14=12,15=6,16=10,17=13 \
         -> 1=2,2=17,3=5,4=6,5=14,6=12,7=10,8=1,9=7,10=15,11=16,12=13,13=9,14=8,15=11,16=3,17=4",
    );
    let length = |heuristic: Option<&str>| {
        let config = Config::new("anytime", heuristic, [], 0).unwrap();
        let limits = Limits { nodes: Some(1_500_000), ..Limits::default() };
        let Outcome::Solved { moves, .. } = run(&puzzle, &config, limits).outcome else { panic!() };
        moves.len()
    };
    let by_weights = length(Some("weighted-neighbours"));
    let by_default = length(None);
    assert!(by_default < by_weights, "{by_default} and {by_weights}");
    assert_eq!(by_default, length(Some("patterns")));
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

/// The largest boards, where nothing can be enumerated.
#[test]
fn large_boards_full_of_tokens_are_solved() {
    let mut random = Random::new(64);
    let tokens = |count: usize| {
        let token = |token: usize| format!("{}={token}", token + 1);
        (0..count).map(token).collect::<Vec<_>>().join(",")
    };
    let cells: Vec<String> = (1..64).chain([0]).map(|cell: usize| cell.to_string()).collect();
    for (board, end) in [("grid:8:8", cells.join(",")), ("cube:6:1", tokens(63))] {
        let goal = puzzle(&format!("{board} {end} -> {end}"));
        let mut state = *goal.start();
        for _ in 0..2_000 {
            let moves = goal.board().legal_moves(&state);
            state.slide(moves[random.below(moves.len())]);
        }
        let puzzle = puzzle(&format!("{board} {} -> {end}", goal.write_state(&state)));
        let first = run(&puzzle, &Config::named("staged").unwrap(), Limits::default());
        let Outcome::Solved { moves: first, .. } = first.outcome else { panic!("{board}") };
        // Tables that take too long leave time to improve what was found without them. How much
        // time a busy machine needs for that is not what is tested.
        let improves = (1..8).map(|doubled| 1 << doubled).any(|seconds| {
            let time = Some(Duration::from_secs(seconds));
            let limits = Limits { time, ..Limits::default() };
            let report = run(&puzzle, &Config::named("anytime").unwrap(), limits);
            let Outcome::Solved { moves, lower_bound, .. } = report.outcome else {
                panic!("{puzzle}: {:?}", report.outcome)
            };
            let bounds = 1..=moves.len() as u32;
            assert!(bounds.contains(&lower_bound), "{board}: {bounds:?}, {lower_bound}");
            moves.len() < first.len()
        });
        assert!(improves, "{board}: never below {}", first.len());
    }
}

/// Easy puzzles are searched before tables are built; what that proved stays proven, and where
/// there is no memory for tables it goes on without.
#[test]
fn auto_keeps_its_bound_and_needs_no_tables() {
    // 164 million states without tables, of which 14.4 million come before tables, two for each of
    // their states.
    let puzzle =
        puzzle("grid:3:5 8,13,1,4,12,3,0,11,10,14,5,7,9,2,6 -> 1,2,3,4,5,6,7,8,9,10,11,12,13,14,0");
    let within = |nodes, memory| {
        let limits = Limits { nodes: Some(nodes), memory, ..Limits::default() };
        let Report { outcome, choice, .. } = run(&puzzle, &Config::named("auto").unwrap(), limits);
        (outcome, choice.unwrap_or_default())
    };
    let (outcome, choice) = within(7_000_000, None);
    let Outcome::LimitReached { limit: Limit::Nodes, lower_bound: easy } = outcome else {
        panic!("{outcome:?}")
    };
    assert!(easy < 56 && choice.contains("too easy for tables"), "{easy}: {choice}");
    let (outcome, choice) = within(14_500_000, None);
    let Outcome::LimitReached { lower_bound, .. } = outcome else { panic!("{outcome:?}") };
    assert!(
        lower_bound >= easy && choice.contains("worth pattern databases"),
        "{lower_bound}: {choice}"
    );
    let (outcome, _) = within(15_000_000, None);
    assert!(matches!(&outcome, Outcome::Solved { moves, .. } if moves.len() == 56), "{outcome:?}");
    let (outcome, choice) = within(15_000_000, Some(100_000));
    let Outcome::LimitReached { limit: Limit::Nodes, lower_bound } = outcome else {
        panic!("{outcome:?}")
    };
    assert!(
        lower_bound >= easy && choice.contains("too small for pattern"),
        "{lower_bound}: {choice}"
    );
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

/// NBS needs tables for the way to the start, too. Where these may not be built, A* goes on alone.
#[test]
fn auto_does_without_the_tables_of_nbs() {
    let puzzle = puzzle(
        "grid:4:4 9,14,4,12,11,6,5,0,7,8,0,10,3,2,13,1 -> 6,2,3,9,10,13,11,7,4,0,1,12,5,0,14,8",
    );
    let directory = std::env::temp_dir().join(format!("hyperslide-one-way-{}", std::process::id()));
    let config = |name: &str, store: TableStore| Config {
        cache: Arc::new(TableCache::new(store)),
        ..Config::new(name, Some("patterns"), [], 0).unwrap()
    };
    let store = || TableStore::new(Some(directory.clone()), |_| ());
    let by_astar = run(&puzzle, &config("astar", store()), Limits::default());
    let by_auto = run(&puzzle, &config("auto", store().reading_only()), Limits::default());
    assert_eq!(by_auto.outcome, by_astar.outcome);
    std::fs::remove_dir_all(&directory).unwrap();
}
