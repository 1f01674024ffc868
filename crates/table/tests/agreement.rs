//! The block engine against the plain solver on random boards, graphs and labels.

use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use hyperslide_puzzle::{Puzzle, State, Vertex, goal_states, provably_stuck};
use hyperslide_table::{
    BreadthFirst, InstructionSet, Layers, SearchOptions, Signals, Space, SpaceError, SpaceOptions,
    VertexOrder, Watch,
};
use hyperslide_testkit::{PlainPuzzle, Random, random_puzzle};
use rustc_hash::FxHashMap;
use serde_json::json;

fn layers_of<S>(depths: &HashMap<Vec<Option<usize>>, usize, S>) -> Vec<u64> {
    let deepest = depths.values().copied().max().unwrap_or(0);
    let mut layers = vec![0; deepest + 1];
    for &depth in depths.values() {
        layers[depth] += 1;
    }
    layers
}

fn search(space: &Space, starts: &[State], options: &SearchOptions) -> (Layers, Vec<State>) {
    let options = SearchOptions { farthest: 1 << 20, ..options.clone() };
    let mut search = BreadthFirst::new(space, options).unwrap();
    search.start(starts).unwrap();
    let layers = search.run(&Signals::default(), |_| ControlFlow::Continue(())).clone();
    (layers, search.farthest().unwrap())
}

fn orders(puzzle: &Puzzle, random: &mut Random) -> [Option<VertexOrder>; 2] {
    let mut vertices: Vec<Vertex> = puzzle.board().vertices().collect();
    random.shuffle(&mut vertices);
    [None, VertexOrder::new(vertices)]
}

#[test]
fn layers_and_farthest_states_are_those_of_the_plain_solver() {
    let mut random = Random::new(3);
    for _ in 0..600 {
        let puzzle = random_puzzle(&mut random);
        let count = puzzle.board().vertex_count();
        let depths = PlainPuzzle::new(&puzzle).depths();
        let expected = layers_of(&depths);
        let deepest: BTreeSet<_> = depths
            .iter()
            .filter(|(_, d)| **d + 1 == expected.len())
            .map(|(c, _)| c.clone())
            .collect();
        let stuck = provably_stuck(puzzle.board(), puzzle.start().occupied());
        for order in orders(&puzzle, &mut random) {
            for walls in [hyperslide_puzzle::VertexSet::EMPTY, stuck] {
                let options = SpaceOptions { order: order.clone(), walls, ..Default::default() };
                let space = Space::new(puzzle.board(), puzzle.start(), &options).unwrap();
                for instruction_set in InstructionSet::available() {
                    for (in_place, threads) in [(true, 1), (false, 1), (true, 2), (false, 3)] {
                        let options = SearchOptions {
                            instruction_set,
                            in_place,
                            threads,
                            ..Default::default()
                        };
                        let (layers, farthest) = search(&space, &[*puzzle.start()], &options);
                        assert!(layers.complete);
                        assert_eq!(
                            layers.states, expected,
                            "{puzzle} {instruction_set} {in_place}"
                        );
                        let farthest: BTreeSet<_> =
                            farthest.iter().map(|s| PlainPuzzle::cells(s, count)).collect();
                        assert_eq!(farthest, deepest, "{puzzle} {instruction_set} {in_place}");
                    }
                }
            }
        }
    }
}

#[test]
fn searches_side_by_side_find_what_each_finds_alone() {
    let mut random = Random::new(6);
    let mut both_colours = 0;
    for _ in 0..400 {
        let puzzle = random_puzzle(&mut random);
        let space = Space::new(puzzle.board(), puzzle.start(), &SpaceOptions::default()).unwrap();
        let starts = (0..8).map(|_| {
            let start = space.unrank(random.below(space.states() as usize) as u128);
            let options = SearchOptions {
                instruction_set: InstructionSet::PORTABLE,
                in_place: false,
                ..Default::default()
            };
            (start, search(&space, &[start], &options).0)
        });
        let mut starts: Vec<(State, Layers)> = starts.collect();
        for instruction_set in InstructionSet::available() {
            for (in_place, threads) in [(true, 1), (false, 2), (true, 3), (false, 1)] {
                let options =
                    SearchOptions { instruction_set, in_place, threads, ..Default::default() };
                random.shuffle(&mut starts);
                let mut left = &starts[..];
                if in_place {
                    starts.sort_by_key(|(start, _)| space.colour(start));
                    let colours = starts.chunk_by(|a, b| space.colour(&a.0) == space.colour(&b.0));
                    left = colours.clone().next().unwrap();
                    both_colours += usize::from(colours.count() == 2);
                }
                for searches in [1, 2, 3, 4, 8] {
                    let Some(starts) = left.get(..searches) else { continue };
                    let mut search =
                        BreadthFirst::side_by_side(&space, options.clone(), searches).unwrap();
                    let (states, layers): (Vec<State>, Vec<Layers>) =
                        starts.iter().cloned().unzip();
                    // A second search in the same memory finds the same.
                    for _ in 0..2 {
                        search.start_each(&states).unwrap();
                        search.run(&Signals::default(), |_| ControlFlow::Continue(()));
                        assert_eq!(
                            search.all_layers(),
                            layers,
                            "{puzzle} {instruction_set} {in_place} {searches}"
                        );
                    }
                    assert!(search.has_visited(&states[0]));
                }
            }
        }
    }
    assert!(both_colours > 100, "{both_colours}");
}

#[test]
fn distances_to_many_goals_are_those_of_the_plain_solver() {
    let mut random = Random::new(4);
    let mut tried = 0;
    while tried < 200 {
        let puzzle = random_puzzle(&mut random);
        let options = SpaceOptions { halve: false, ..Default::default() };
        let space = Space::new(puzzle.board(), puzzle.start(), &options).unwrap();
        let mut goals = goal_states(&puzzle, 1 << 16).unwrap();
        goals.retain(|goal| space.rank(goal).is_some());
        if goals.is_empty() {
            continue;
        }
        tried += 1;
        // The expected distance is the least of those from each goal state.
        let count = puzzle.board().vertex_count();
        let mut least: FxHashMap<Vec<Option<usize>>, usize> = FxHashMap::default();
        let mut open: Vec<Vec<Option<usize>>> = Vec::new();
        let plain = PlainPuzzle::new(&puzzle);
        for goal in &goals {
            let cells = PlainPuzzle::cells(goal, count);
            least.insert(cells.clone(), 0);
            open.push(cells);
        }
        let mut next = 0;
        while next < open.len() {
            let cells = open[next].clone();
            next += 1;
            let depth = least[&cells];
            for (from, to) in plain.moves(&cells) {
                let mut moved = cells.clone();
                moved[to] = moved[from].take();
                if !least.contains_key(&moved) {
                    least.insert(moved.clone(), depth + 1);
                    open.push(moved);
                }
            }
        }
        let options = SearchOptions { in_place: false, ..Default::default() };
        assert_eq!(search(&space, &goals, &options).0.states, layers_of(&least), "{puzzle}");
    }
}

#[test]
fn every_state_has_its_own_rank() {
    let mut random = Random::new(5);
    for _ in 0..300 {
        let puzzle = random_puzzle(&mut random);
        let depths = PlainPuzzle::new(&puzzle).depths();
        for order in orders(&puzzle, &mut random) {
            let options = SpaceOptions { order, ..Default::default() };
            let space = Space::new(puzzle.board(), puzzle.start(), &options).unwrap();
            let mut reached = BTreeSet::new();
            for rank in 0..space.states() {
                let state = space.unrank(rank);
                assert_eq!(space.rank(&state), Some(rank), "{puzzle} rank {rank}");
                let cells = PlainPuzzle::cells(&state, puzzle.board().vertex_count());
                if depths.contains_key(&cells) {
                    reached.insert(cells);
                }
            }
            assert_eq!(reached.len(), depths.len(), "{puzzle}: every reachable state is numbered");
        }
    }
}

#[test]
fn states_that_are_not_numbered_have_no_rank() {
    let puzzle = Puzzle::from_line("grid:2:3 1,2,3,4,5,0").unwrap();
    let space = Space::new(puzzle.board(), puzzle.start(), &SpaceOptions::default()).unwrap();
    assert!(space.is_halved());
    assert_eq!(space.states(), 360);
    let rank = |line: &str| space.rank(Puzzle::from_line(line).unwrap().start());
    assert!(rank("grid:2:3 1,2,3,4,5,0").is_some());
    // These have the other parity, too few tokens, or another token.
    assert_eq!(rank("grid:2:3 2,1,3,4,5,0"), None);
    assert_eq!(rank("grid:2:3 1,2,3,4,0,0"), None);
    assert_eq!(rank("grid:2:3 1,2,3,4,4,0 -> 1,2,3,4,4,0"), None);
}

#[test]
fn a_search_goes_on_where_it_was_saved() {
    let folder = std::env::temp_dir().join(format!("hyperslide-search-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for line in [
        "cube:3:1 1,2,3,4,5,0,0,0 -> 1,2,3,4,5,0,0,0",
        "cube:3:2 1,0,0,2,0,3,4,0 -> 1,0,0,2,0,3,4,0",
        "grid:3:3 1,2,3,4,5,6,7,8,0",
    ] {
        let puzzle = Puzzle::from_line(line).unwrap();
        let space = Space::new(puzzle.board(), puzzle.start(), &SpaceOptions::default()).unwrap();
        let options = SearchOptions::default();
        let (whole, last) = search(&space, &[*puzzle.start()], &options);
        for stop in 0..whole.states.len() as u32 {
            let mut first = BreadthFirst::new(&space, options.clone()).unwrap();
            first.start(&[*puzzle.start()]).unwrap();
            if stop > 0 {
                first.run(&Signals::default(), |search| {
                    if search.layers().depth() >= stop {
                        ControlFlow::Break(())
                    } else {
                        ControlFlow::Continue(())
                    }
                });
            }
            let saved = first.save(&folder, "states.words".to_owned()).unwrap();
            let options = SearchOptions { farthest: 1 << 20, ..options.clone() };
            let mut second = BreadthFirst::new(&space, options).unwrap();
            let mut damaged = std::fs::read(folder.join(&saved.file)).unwrap();
            damaged[0] ^= 1;
            std::fs::write(folder.join("damaged.words"), damaged).unwrap();
            for (field, value) in [
                ("file", json!("damaged.words")),
                ("crc32", json!(1)),
                ("farthest", json!([[u32::MAX, 0, 0]])),
                ("farthest", json!([[0, 0, 64]])),
            ] {
                let mut changed = serde_json::to_value(&saved).unwrap();
                changed[field] = value;
                let changed = serde_json::from_value(changed).unwrap();
                assert!(second.resume(&folder, changed).is_err(), "{field}");
            }
            second.resume(&folder, saved).unwrap();
            second.run(&Signals::default(), |_| ControlFlow::Continue(()));
            assert_eq!(*second.layers(), whole, "{line} from layer {stop}");
            if stop + 1 < whole.states.len() as u32 {
                assert_eq!(second.farthest().unwrap(), last);
            }
            // A second search from the beginning, in the same memory, finds the same.
            second.start(&[*puzzle.start()]).unwrap();
            second.run(&Signals::default(), |_| ControlFlow::Continue(()));
            assert_eq!(*second.layers(), whole, "{line} again");
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_search_keeps_to_its_memory() {
    // 2.2 bits per reachable state, in addition to the fixed tables.
    for (line, reachable) in [
        (
            "cube:4:2 1,2,3,4,5,6,0,7,0,8,0,0,0,9,0,0 -> *,*,*,*,*,*,*,*,*,*,*,*,*,*,*,*",
            4_064_256_000u64,
        ),
        (
            "cube:4:1 1,2,3,4,5,6,7,8,9,0,0,0,0,0,0,0 -> *,*,*,*,*,*,*,*,*,*,*,*,*,*,*,*",
            4_151_347_200,
        ),
        ("grid:3:4 1,2,3,4,5,6,7,8,9,10,11,0", 239_500_800),
    ] {
        let puzzle = Puzzle::from_line(line).unwrap();
        let space = Space::new(puzzle.board(), puzzle.start(), &SpaceOptions::default()).unwrap();
        let bits = 8.0 * BreadthFirst::bytes(&space, true, 1) as f64 / reachable as f64;
        assert!(bits <= 2.2, "{line}: {bits} bits per state");
        assert!(space.bytes() < 16 << 20, "{line}: {} bytes of tables", space.bytes());
    }
}

#[test]
fn numbering_ends_when_it_is_cancelled() {
    let puzzle = Puzzle::from_line("grid:3:3 1,2,3,4,5,6,7,8,0").unwrap();
    let cancel = AtomicBool::new(true);
    let options = SpaceOptions { watch: Watch::flag(&cancel), ..SpaceOptions::default() };
    let space = Space::new(puzzle.board(), puzzle.start(), &options);
    assert_eq!(space.err(), Some(SpaceError::Stopped));
}

/// 35,960 occupied sets, of which the first ones already need more than is allowed.
#[test]
fn numbering_ends_when_it_would_need_more_memory() {
    let start = "a=0,b=1,c=2,d=3";
    let puzzle = Puzzle::from_line(&format!("cube:5:1 {start} -> {start}")).unwrap();
    let number = |memory| {
        let options = SpaceOptions { memory, ..SpaceOptions::default() };
        Space::new(puzzle.board(), puzzle.start(), &options)
    };
    let whole = number(u64::MAX).unwrap();
    let refused = number(1 << 20).unwrap_err();
    assert!(
        matches!(refused, SpaceError::Memory { sets, .. } if sets < whole.occupied_sets()),
        "{refused}"
    );
    assert!(number(2 * whole.bytes()).is_ok());
}
