//! The observer of a search: what it sees is what was expanded, by rules of motion written a second
//! time, and nobody searches differently under its eyes.

use std::collections::HashSet;
use std::sync::Arc;

use hyperslide_puzzle::{Puzzle, SearchEnd, State};
use hyperslide_search::{
    ALGORITHMS, Algorithm, Config, Control, Expansion, HeuristicError, Limits, Observed, Observer,
    Report, Resources, SolveError, TableCache, solve,
};
use hyperslide_testkit::{PlainPuzzle, Random, random_puzzle};

const CUBE: &str = "cube:4:3 r=5,p=1,g=4,b=13,y=7 -> r=5,p=7,g=13,b=4,y=1";
const EIGHT: &str = "grid:3:3 8,6,7,2,5,4,3,0,1 -> 1,2,3,4,5,6,7,8,0";
const FIFTEEN: &str =
    "grid:4:4 14,13,15,7,11,12,9,5,6,0,2,1,4,8,10,3 -> 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15";
/// More expansions than any search here makes but those of [`FIFTEEN`].
const PLENTY: usize = 1 << 20;

fn puzzle(line: &str) -> Puzzle {
    Puzzle::from_line(line).unwrap_or_else(|error| panic!("{line}: {error}"))
}

fn config(algorithm: &str, heuristic: Option<&str>) -> Config {
    Config::new(algorithm, heuristic, [], 0).unwrap()
}

fn observe(
    puzzle: &Puzzle,
    config: &Config,
    limits: Limits,
    capacity: usize,
) -> Result<(Report, Observed), SolveError> {
    let observer = Observer::new(capacity);
    let control = Control { limits, observer: Some(&observer), ..Control::default() };
    let report = solve(puzzle, config, &control)?;
    Ok((report, observer.since(0, usize::MAX)))
}

/// A report without what depends on the machine's load.
fn timeless(mut report: Report) -> Report {
    (report.stats.wall_s, report.stats.cpu_s) = (0.0, 0.0);
    report
}

/// Runs a solver with and without an observer, and checks all that was seen; returns it, or `None`
/// when the heuristic is not for the puzzle.
fn check(puzzle: &Puzzle, config: &Config) -> Option<Observed> {
    let what = format!("{} {} on {puzzle}", config.algorithm.name, config.heuristic);
    let (report, observed) = match observe(puzzle, config, Limits::default(), PLENTY) {
        Err(SolveError::Heuristic(HeuristicError::OtherPuzzles { .. })) => return None,
        observed => observed.unwrap(),
    };
    let alone = solve(puzzle, config, &Control::default()).unwrap();
    let expanded = report.stats.expanded;
    assert_eq!(timeless(report), timeless(alone), "{what}");
    match config.algorithm.name {
        // The neighbourhoods that they search are not seen.
        "anytime" => assert!(observed.seen <= expanded, "{what}"),
        _ if config.algorithm.shows_expansions => assert_eq!(observed.seen, expanded, "{what}"),
        _ => assert_eq!(observed.seen, 0, "{what}"),
    }
    let orders = observed.expansions.iter().map(|expansion| expansion.order);
    assert!(orders.eq(0..observed.seen), "{what}: everything is kept");
    check_tree(&observed.expansions, &what);
    check_estimates(puzzle, config, &observed.expansions, &what);
    Some(observed)
}

/// Every state is a root or one move from a parent that was expanded before it.
fn check_tree(expansions: &[Expansion], what: &str) {
    let mut known: HashSet<(u64, bool, State, u32)> = HashSet::new();
    let mut plain: Option<(u64, PlainPuzzle)> = None;
    for expansion in expansions {
        let Expansion { search, end, g, state, parent, .. } = expansion;
        let key = |state: State, g: u32| (search.number, *end == SearchEnd::Start, state, g);
        match parent {
            None => {
                let is_root = match end {
                    SearchEnd::Start => state == search.puzzle.start(),
                    SearchEnd::Goal => search.puzzle.goal().is_met(state),
                };
                assert!(is_root && *g == 0, "{what}: {expansion:?}");
            }
            Some(parent) => {
                if plain.as_ref().is_none_or(|(number, _)| *number != search.number) {
                    plain = Some((search.number, PlainPuzzle::new(&search.puzzle)));
                }
                let (_, plain) = plain.as_ref().unwrap();
                assert!(is_a_move(plain, &search.puzzle, parent, state), "{what}: {expansion:?}");
                assert!(*g > 0 && known.contains(&key(*parent, g - 1)), "{what}: {expansion:?}");
            }
        }
        known.insert(key(*state, *g));
    }
}

fn is_a_move(plain: &PlainPuzzle, puzzle: &Puzzle, before: &State, after: &State) -> bool {
    let count = puzzle.board().vertex_count();
    let (before, after) = (PlainPuzzle::cells(before, count), PlainPuzzle::cells(after, count));
    plain.moves(&before).into_iter().any(|(from, to)| {
        let mut next = before.clone();
        next[to] = next[from].take();
        next == after
    })
}

/// Estimates are those of the heuristic, and IDA* keeps to its bound.
fn check_estimates(puzzle: &Puzzle, config: &Config, expansions: &[Expansion], what: &str) {
    let resources = Resources { cache: Arc::clone(&config.cache), ..Resources::default() };
    let heuristic = config.heuristic.build(puzzle, &resources).unwrap();
    // Others choose heuristics and puzzles of their own.
    let name = config.algorithm.name;
    let chooses = ["auto", "anytime", "staged", "closed-walks"].contains(&name)
        || (config.heuristic.is_default() && name == "beam");
    for expansion in expansions {
        let Expansion { search, g, h, state, .. } = expansion;
        let searches = |known: &&Algorithm| known.name == search.algorithm;
        let has_estimate = ALGORITHMS.iter().find(searches).unwrap().uses_heuristic;
        assert_eq!(h.is_some(), has_estimate, "{what}: {expansion:?}");
        assert_eq!(search.bound.is_some(), search.algorithm == "idastar", "{what}");
        if let Some(bound) = search.bound {
            assert!(g + h.unwrap() <= bound, "{what}: {expansion:?}");
        }
        // From the goal's end it is of the way to the start.
        if has_estimate && !chooses && expansion.end == SearchEnd::Start {
            let estimate = heuristic.estimate(state);
            // Searches that follow the tables see those of the mirrored puzzle, too.
            let may_be_more = config.heuristic.to_string().starts_with("patterns");
            assert!(
                *h == estimate || (may_be_more && *h > estimate),
                "{what}: {expansion:?} and {estimate:?}"
            );
        }
    }
}

#[test]
fn every_algorithm_shows_what_it_expands() {
    let mut random = Random::new(1968);
    let mut seen = vec![0; ALGORITHMS.len()];
    for number in 0..150 {
        let puzzle = random_puzzle(&mut random);
        for (algorithm, seen) in ALGORITHMS.iter().zip(&mut seen) {
            // Methods that are not shown take their time.
            if algorithm.shows_expansions || number % 25 == 0 {
                let observed = check(&puzzle, &config(algorithm.name, None));
                *seen += observed.unwrap().expansions.len();
            }
        }
    }
    for (algorithm, seen) in ALGORITHMS.iter().zip(seen) {
        assert_eq!(seen > 100, algorithm.shows_expansions, "{}: {seen}", algorithm.name);
    }
}

/// Each of the ways in which IDA* and beams hold their states.
#[test]
fn every_representation_shows_what_it_expands() {
    for (line, algorithm, heuristic) in [
        (CUBE, "idastar", "lone-token"),
        (EIGHT, "idastar", "lone-token"),
        (EIGHT, "idastar", "patterns:2-2-2-2"),
        (EIGHT, "idastar", "patterns:2-2-2-2,walking-distance"),
        (EIGHT, "idastar", "patterns:4-4"),
        // In batches.
        (EIGHT, "idastar", "patterns:7-1"),
        ("grid:2:5 9,8,7,6,5,4,3,2,1,0", "idastar", "patterns:7-2"),
        (CUBE, "beam", "lone-token"),
        (EIGHT, "beam", "patterns:4-4"),
        (EIGHT, "beam", "patterns:4-4,walking-distance"),
        ("grid:4:4 5,1,2,4,9,6,3,8,13,10,7,11,0,14,15,12", "beam", "weighted-conflicts"),
        ("grid:3:3 b,a,0,a,b,b,a,b,a -> a,b,a,b,0,b,a,b,a", "beam", "weighted-conflicts"),
        (CUBE, "astar", "misplaced"),
        (EIGHT, "weighted-astar", "linear-conflict"),
        (EIGHT, "greedy", "patterns:4-4"),
        (EIGHT, "auto", "patterns:4-4"),
        (EIGHT, "anytime", "linear-conflict"),
        (EIGHT, "staged", "misplaced"),
    ] {
        let observed = check(&puzzle(line), &config(algorithm, Some(heuristic)));
        let seen = observed.unwrap_or_else(|| panic!("{heuristic} is for {line}")).seen;
        assert!(seen > 10, "{algorithm} {heuristic} on {line}: {seen}");
    }
}

#[test]
fn iterations_stages_and_ends_are_named() {
    let of = |line: &str, algorithm: &str| check(&puzzle(line), &config(algorithm, None)).unwrap();
    let numbers = |observed: &Observed| {
        let mut numbers: Vec<u64> =
            observed.expansions.iter().map(|expansion| expansion.search.number).collect();
        numbers.dedup();
        numbers
    };
    // The hardest 8-puzzles have 31 moves, and their Manhattan distance is 21.
    let observed = of("grid:3:3 8,6,7,2,5,4,3,0,1 -> 0,1,2,3,4,5,6,7,8", "idastar");
    let mut bounds: Vec<u32> =
        observed.expansions.iter().filter_map(|expansion| expansion.search.bound).collect();
    bounds.dedup();
    assert!(bounds.is_sorted() && bounds.len() > 3, "{bounds:?}");
    assert_eq!(numbers(&observed), (0..bounds.len() as u64).collect::<Vec<_>>());

    let observed = of(FIFTEEN, "staged");
    assert!(numbers(&observed).is_sorted() && numbers(&observed).len() > 2);
    let last = &observed.expansions[observed.expansions.len() - 1];
    assert_eq!(last.search.algorithm, "staged");
    assert!(
        last.search.puzzle.labels().len() > observed.expansions[0].search.puzzle.labels().len()
    );

    let observed = of(CUBE, "bidirectional");
    for end in [SearchEnd::Start, SearchEnd::Goal] {
        assert!(observed.expansions.iter().any(|expansion| expansion.end == end), "{end:?}");
    }
}

/// On small graphs with one empty vertex IDA* packs its states unless somebody watches. Both ways
/// visit the same states in the same order, and stop at the same one.
#[test]
fn packed_and_observed_idastar_agree() {
    let boards = [
        ("grid:3:3", 9),
        ("grid:4:4", 16),
        ("grid:2:8", 16),
        ("cube:3:1", 8),
        ("cube:4:1", 16),
        ("torus:4:4", 16),
        ("torus:3:5", 15),
        ("cylinder:4:4", 16),
        ("graph:petersen", 10),
    ];
    let mut random = Random::new(4);
    let mut expanded = 0;
    for (board, vertices) in boards {
        for _ in 0..8 {
            let mut places: Vec<usize> = (0..vertices).collect();
            random.shuffle(&mut places);
            let tokens = places[1..].iter().enumerate();
            let goal: Vec<String> =
                tokens.map(|(token, vertex)| format!("{}={vertex}", token + 1)).collect();
            let goal = goal.join(",");
            let solved = puzzle(&format!("{board} {goal} -> {goal}"));
            let board = solved.board();
            let mut state = *solved.start();
            for _ in 0..random.below(400) {
                let moves = board.legal_moves(&state);
                state.slide(moves[random.below(moves.len())]);
            }
            let puzzle = solved.with_start(state).unwrap();
            for nodes in [None, Some(2), Some(500), Some(100_000)] {
                let limits = Limits { nodes: nodes.or(Some(300_000)), ..Limits::default() };
                let config = config("idastar", Some("lone-token"));
                let (watched, _) = observe(&puzzle, &config, limits, 16).unwrap();
                let control = Control { limits, ..Control::default() };
                let alone = solve(&puzzle, &config, &control).unwrap();
                expanded += alone.stats.expanded;
                assert_eq!(timeless(watched), timeless(alone), "{nodes:?} on {puzzle}");
            }
        }
    }
    assert!(expanded > 1_000_000, "{expanded}");
}

/// What a full observer keeps is decided by the orders alone.
#[test]
fn a_full_observer_keeps_a_sample() {
    for (line, algorithm) in
        [(CUBE, "astar"), (EIGHT, "idastar"), (CUBE, "beam"), (CUBE, "auto"), (EIGHT, "staged")]
    {
        let (puzzle, config) = (puzzle(line), config(algorithm, None));
        let all = check(&puzzle, &config).unwrap();
        for capacity in [0, 1, 16, 100] {
            let (_, sample) = observe(&puzzle, &config, Limits::default(), capacity).unwrap();
            let (kept, capacity) = (sample.expansions.len(), capacity.max(1));
            assert_eq!(sample.seen, all.seen);
            assert!(sample.stride.is_power_of_two());
            assert!(kept <= capacity && 2 * kept >= capacity, "{algorithm}: {kept} of {capacity}");
            let expected = all.expansions.iter().step_by(sample.stride as usize);
            let of = |expansion: &Expansion| {
                (expansion.order, expansion.state, expansion.parent, expansion.g, expansion.h)
            };
            assert!(sample.expansions.iter().map(of).eq(expected.map(of)), "{algorithm}");
        }
    }
}

/// A reader that follows a search holds the same as one that looks at its end.
#[test]
fn a_reader_on_another_thread_misses_nothing() {
    let (puzzle, config) = (puzzle(CUBE), config("breadth-first", None));
    let observer = Observer::new(1 << 10);
    let control = Control { observer: Some(&observer), ..Control::default() };
    let mut orders: Vec<u64> = Vec::new();
    std::thread::scope(|scope| {
        let searching = scope.spawn(|| solve(&puzzle, &config, &control).unwrap());
        let mut mark = 0;
        loop {
            let is_last = searching.is_finished();
            let observed = observer.since(mark, usize::MAX);
            mark = observed.mark;
            orders.extend(observed.expansions.iter().map(|expansion| expansion.order));
            orders.retain(|order| order.is_multiple_of(observed.stride));
            assert!(orders.len() <= 1 << 10 && orders.is_sorted());
            if is_last {
                break;
            }
        }
    });
    let all = observer.since(0, usize::MAX);
    assert!(orders.into_iter().eq(all.expansions.iter().map(|expansion| expansion.order)));
    assert!(all.stride > 1, "{} expansions", all.seen);
    assert!(observer.since(all.mark, usize::MAX).expansions.is_empty());
}

/// A long iteration of IDA* is divided among threads. The tokens of the partition are named, since
/// comparing partitions is not shown.
#[test]
fn threads_show_what_they_expand() {
    let puzzle = puzzle(FIFTEEN);
    let patterns = Config {
        heuristic: "patterns:1+2+3/4+5+8/6+7+11/9+12+13/10+14+15".parse().unwrap(),
        cache: Arc::new(TableCache::default()),
        ..config("idastar", None)
    };
    let (alone, observed) =
        observe(&puzzle, &Config { threads: 1, ..patterns.clone() }, Limits::default(), 1 << 12)
            .unwrap();
    assert_eq!(observed.seen, alone.stats.expanded);
    let (three, observed) =
        observe(&puzzle, &Config { threads: 3, ..patterns.clone() }, Limits::default(), 1 << 12)
            .unwrap();
    assert_eq!(three.outcome, alone.outcome);
    assert_eq!(observed.seen, three.stats.expanded);
    assert!(observed.expansions.len() > 1 << 11);
    let orders: Vec<u64> = observed.expansions.iter().map(|expansion| expansion.order).collect();
    assert!(orders.is_sorted_by(|a, b| a < b));
    let plain = PlainPuzzle::new(&puzzle);
    for expansion in &observed.expansions {
        let is_legal = match &expansion.parent {
            Some(parent) => is_a_move(&plain, &puzzle, parent, &expansion.state),
            None => expansion.state == *puzzle.start(),
        };
        assert!(is_legal, "{expansion:?}");
    }
    check_estimates(&puzzle, &patterns, &observed.expansions, "three threads");
}
