//! Search stage by stage.

use std::sync::Arc;

use crate::common::{puzzle, run};
use hyperslide_search::{Config, Control, Limits, Outcome, SolveError, TableCache, solve};
use hyperslide_table::TableStore;
use hyperslide_testkit::Random;

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

/// Where a token has far to go, the estimate says nothing of which empty vertex is to come.
#[test]
fn large_grids_with_several_empty_vertices_are_solved() {
    let mut random = Random::new(89);
    let distinct: Vec<String> = (1..=60).map(|token| token.to_string()).collect();
    let stripes = (0..60).map(|vertex| ["a", "b"][vertex % 2].to_owned()).collect();
    for tokens in [distinct, stripes] {
        let mut goal = [tokens, vec!["0".to_owned(); 4]].concat();
        let line = goal.join(",");
        for _ in 0..2 {
            random.shuffle(&mut goal);
            let puzzle = puzzle(&format!("grid:8:8 {} -> {line}", goal.join(",")));
            let nodes = Limits { nodes: Some(1_000_000), ..Limits::default() };
            let outcome = run(&puzzle, &Config::named("staged").unwrap(), nodes).outcome;
            assert!(matches!(outcome, Outcome::Solved { .. }), "{puzzle}: {outcome:?}");
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
    let solved = crate::common::puzzle("grid:4:4 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,0");
    for puzzle in [puzzle, solved] {
        // The anytime solver begins with stages.
        for algorithm in ["staged", "anytime"] {
            let config = Config::named(algorithm).unwrap().with("schedule", "1/16").unwrap();
            let error = solve(&puzzle, &config, &Control::default()).unwrap_err();
            assert!(matches!(error, SolveError::Schedule(_)), "{error}");
        }
    }
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
            error.contains("unlike those of the stages of staged search: use lone-token"),
            "{error}"
        );
    }
}
