//! Beams and weighted A*: solutions that need not be shortest, with bounds that are true.

use std::sync::Arc;

use crate::common::{puzzle, run, walked};
use hyperslide_search::{Config, Limit, Limits, Outcome, TableCache};
use hyperslide_testkit::Random;

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
    let known = [
        ("patterns", 57),
        ("patterns,linear-conflict", 57),
        ("weighted-conflicts", 59),
        ("patterns,weighted-conflicts", 57),
    ];
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

/// On a hexagonal board pattern databases and learned weights lead beams better together than
/// alone.
#[test]
fn pattern_databases_and_weights_lead_beams_together() {
    let board = "graph:30:0-1,0-6,1-2,2-3,2-8,3-4,4-5,4-10,6-7,7-8,7-13,8-9,9-10,9-15,10-11,11-17,12-13,12-18,13-14,14-15,14-20,15-16,16-17,16-22,18-19,19-20,19-25,\
                 20-21,21-22,21-27,22-23,23-29,24-25,25-26,26-27,27-28,28-29";
    let ends = [
        "1=13,2=3,3=6,4=5,5=27,6=12,7=9,8=25,9=20,10=19,11=15,12=1,13=16,14=10,15=14,16=26,17=0,18=7,19=29,20=24,21=17,22=2,23=18,24=23,25=4,26=22,27=28,28=21,29=11 \
         -> 1=0,2=1,3=27,4=5,5=20,6=10,7=4,8=11,9=17,10=15,11=9,12=21,13=22,14=26,15=6,16=18,17=28,18=12,19=8,20=24,21=3,22=29,23=13,24=14,25=7,26=2,27=19,28=16,29=23",
        "1=18,2=17,3=11,4=28,5=9,6=0,7=13,8=25,9=27,10=8,11=22,12=23,13=16,14=19,15=1,16=7,17=26,18=10,19=12,20=29,21=24,22=2,23=3,24=15,25=4,26=20,27=21,28=6,29=14 \
         -> 1=19,2=20,3=9,4=8,5=4,6=10,7=23,8=27,9=6,10=7,11=1,12=26,13=21,14=15,15=16,16=28,17=29,18=12,19=22,20=14,21=25,22=13,23=3,24=18,25=5,26=0,27=2,28=11,29=17",
    ];
    let cache = Arc::new(TableCache::default());
    let length = |heuristic: &str| -> usize {
        let config = Config {
            heuristic: heuristic.parse().unwrap(),
            cache: Arc::clone(&cache),
            ..beam(2_500)
        };
        let lengths = ends.iter().map(|ends| {
            let puzzle = puzzle(&format!("{board} {ends}"));
            let Outcome::Solved { moves, .. } = run(&puzzle, &config, Limits::default()).outcome
            else {
                panic!("{heuristic} on {ends}")
            };
            assert!(puzzle.goal().is_met(&puzzle.replay(&moves).unwrap()));
            moves.len()
        });
        lengths.sum()
    };
    let [both, patterns, weights] =
        ["patterns,weighted-neighbours", "patterns", "weighted-neighbours"].map(length);
    assert!(20 * both < 19 * patterns.min(weights), "{both}, {patterns} and {weights}");
}

/// The same with several empty vertices, and with labels that are repeated.
#[test]
fn beams_on_other_puzzles_are_the_same_on_any_number_of_threads() {
    for line in [
        "grid:4:4 13,12,0,7,11,10,9,5,6,0,2,1,4,8,0,3 -> 0,1,2,3,4,0,5,6,7,8,9,10,11,12,13,0",
        "grid:5:5 b,a,b,b,c,a,c,c,a,a,c,b,0,b,b,a,c,c,b,a,b,c,c,a,a \
         -> a,a,a,a,a,a,a,a,b,b,b,b,b,b,b,b,c,c,c,c,c,c,c,c,0",
    ] {
        let puzzle = puzzle(line);
        for heuristic in ["weighted-conflicts", "weighted-neighbours"] {
            let of = |threads: usize| {
                let heuristic = heuristic.parse().unwrap();
                run(&puzzle, &Config { heuristic, threads, ..beam(5_000) }, Limits::default())
            };
            let (one, three) = (of(1), of(3));
            assert!(matches!(one.outcome, Outcome::Solved { .. }), "{heuristic}: {line}");
            assert_eq!(one.outcome, three.outcome, "{heuristic}");
            assert_eq!(one.stats.generated, three.stats.generated, "{heuristic}");
        }
    }
}

/// A beam that leaves nothing out is breadth-first search.
#[test]
fn wide_beams_find_shortest_solutions() {
    let grids: [(_, _, &[&str], _); 5] = [
        ("grid:3:3", "1,2,3,4,0,5,6,7,8", &["patterns", "weighted-conflicts"], 20),
        ("grid:3:3", "1,2,0,3,4,5,0,6,7", &["weighted-conflicts", "weighted-neighbours"], 20),
        ("torus:3:3", "1,0,2,3,0,4,5,0,6", &["weighted-neighbours"], 10),
        ("grid:3:3", "a,b,a,b,0,b,a,b,a", &["weighted-conflicts", "weighted-neighbours"], 20),
        ("grid:3:4", "a,a,a,0,b,b,b,a,b,b,0,d", &["weighted-conflicts"], 20),
    ];
    let mut random = Random::new(23);
    for (board, goal, heuristics, least) in grids {
        let mut solved = 0;
        for _ in 0..least {
            let mut cells: Vec<&str> = goal.split(',').collect();
            random.shuffle(&mut cells);
            let puzzle = puzzle(&format!("{board} {} -> {goal}", cells.join(",")));
            let plain = run(&puzzle, &Config::named("breadth-first").unwrap(), Limits::default());
            for heuristic in heuristics {
                let config = Config { heuristic: heuristic.parse().unwrap(), ..beam(1 << 20) };
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
        assert!(solved >= least / 2, "{board}: {solved}");
    }
}

fn beam(width: usize) -> Config {
    Config::named("beam").unwrap().with("width", &width.to_string()).unwrap()
}

/// If no layer is ever full, a wider beam finds nothing new: only a proof is missing.
#[test]
fn beams_that_leave_nothing_out_are_not_widened() {
    let puzzle = puzzle(
        "graph:7:0-1,0-5,1-2,2-3,2-5,3-4,3-6,4-6,5-6 1=2,2=0,3=5,4=3,5=4,6=1 -> \
         1=2,2=1,3=6,4=3,5=4,6=0",
    );
    for heuristic in ["weighted-neighbours", "misplaced"] {
        let heuristic = heuristic.parse().unwrap();
        let config = Config { heuristic, ..Config::named("anytime").unwrap() };
        let report = run(&puzzle, &config, Limits::default());
        let Outcome::Solved { moves, optimal: true, .. } = report.outcome else {
            panic!("{:?}", report.outcome);
        };
        assert_eq!(moves.len(), 30);
        // The memory that a beam of millions of states begins with is 500 MB.
        assert!(report.stats.peak_bytes < 8 << 20, "{} bytes", report.stats.peak_bytes);
    }
}

/// The 6-cube is as compact as smaller cubes, though its diameter is that of the 4x4 grid.
#[test]
fn beams_of_a_hundred_solve_the_largest_cubes() {
    let mut random = Random::new(6);
    for empty in [1, 3] {
        let cells = (1..=64).map(|n| if n > 64 - empty { 0 } else { n }.to_string());
        let goal = cells.collect::<Vec<_>>().join(",");
        for _ in 0..3 {
            let puzzle = walked("cube:6:1", &goal, 2_000, &mut random);
            let limits = Limits { nodes: Some(2_000_000), ..Limits::default() };
            let report = run(&puzzle, &beam(100), limits);
            let Outcome::Solved { moves, lower_bound, .. } = report.outcome else {
                panic!("{puzzle}: {:?}", report.outcome);
            };
            assert!(moves.len() as u32 * 2 < lower_bound * 3, "{puzzle}: {}", moves.len());
        }
    }
}

/// Dense graphs have weights of their own, since beams find no solution with those of other graphs.
/// In the complete bipartite graph, whose vertices are adjacent to half of all others, pattern
/// databases guide the beam.
#[test]
fn beams_solve_puzzles_on_graphs_of_high_degree() {
    let mut random = Random::new(5);
    for (board, vertices, empty) in [
        ("graph:clebsch", 16, 1),
        ("graph:king-5-5", 25, 1),
        ("graph:knight-6-6", 36, 2),
        ("graph:complete-bipartite-6-7", 13, 1),
    ] {
        let cells = (1..=vertices).map(|n| if n > vertices - empty { 0 } else { n }.to_string());
        let goal = cells.collect::<Vec<_>>().join(",");
        for _ in 0..3 {
            let puzzle = walked(board, &goal, 1_000, &mut random);
            let limits = Limits { nodes: Some(10_000_000), ..Limits::default() };
            let report = run(&puzzle, &beam(1_000), limits);
            let Outcome::Solved { moves, lower_bound, .. } = report.outcome else {
                panic!("{puzzle}: {:?}", report.outcome);
            };
            assert!(moves.len() as u32 * 2 <= lower_bound * 3, "{puzzle}: {}", moves.len());
        }
    }
}

/// Narrow beams on three long paths never come to an empty layer, unless they find a solution.
#[test]
fn beams_that_go_nowhere_end() {
    let mut random = Random::new(3);
    let goal = (0..14).map(|n| n.to_string()).collect::<Vec<_>>().join(",");
    let mut gave_up = 0;
    for _ in 0..20 {
        let puzzle = walked("graph:theta-3-4-5", &goal, 500, &mut random);
        let heuristic = "weighted-neighbours".parse().unwrap();
        let config = Config { heuristic, ..beam(1) };
        let limits = Limits { nodes: Some(20_000_000), ..Limits::default() };
        let report = run(&puzzle, &config, limits);
        match report.outcome {
            Outcome::LimitReached { limit: Limit::Width, .. } => {
                gave_up += u32::from(report.stats.generated > 10_000);
            }
            Outcome::Solved { .. } => {}
            outcome => panic!("{outcome:?}"),
        }
    }
    assert!(gave_up > 3, "{gave_up}");
}
