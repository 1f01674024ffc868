//! The search in files against the search in memory, which knows no symmetries.

use std::collections::VecDeque;
use std::fs::OpenOptions;
use std::ops::ControlFlow;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use hyperslide_puzzle::{Board, BoardSpec, Label, Metric, State, Vertex, VertexSet};
use hyperslide_table::{
    BreadthFirst, FilesError, FilesOptions, InstructionSet, Layers, LockError, QuotientSearch,
    QuotientSpace, Resume, SearchOptions, Signals, Space, SpaceOptions, block_layers,
    count_layers_in_files,
};
use rustc_hash::FxHashMap;

static NEVER: AtomicBool = AtomicBool::new(false);

/// A directory that is gone after the test. In memory where the system has a place for that: small
/// searches wait for the disk only.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        let memory = Path::new("/dev/shm");
        if memory.is_dir() { Folder::under(memory) } else { Folder::under(&std::env::temp_dir()) }
    }

    fn under(parent: &Path) -> Folder {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        Folder(parent.join(format!("hyperslide-quotient-{}-{number}", std::process::id())))
    }

    fn options(&self) -> FilesOptions {
        let mut options = FilesOptions::new(self.0.clone());
        (options.cache, options.farthest) = (0, 100_000);
        options
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn grid(rows: usize, columns: usize) -> Board {
    Board::new(BoardSpec::Grid { rows, columns }, Metric::Face).unwrap()
}

fn cube(d: usize, k: usize) -> Board {
    Board::new(BoardSpec::Cube { d, k }, Metric::Face).unwrap()
}

/// Distinct tokens on all vertices but the empty ones.
fn start(board: &Board, empty: &[usize]) -> State {
    let occupied = (0..board.vertex_count()).filter(|vertex| !empty.contains(vertex));
    let tokens = occupied.zip(0..);
    tokens
        .map(|(vertex, label)| (Vertex::new(vertex).unwrap(), Label::new(label).unwrap()))
        .collect()
}

fn space(board: &Board, start: &State) -> QuotientSpace {
    QuotientSpace::new(board, start, VertexSet::EMPTY, 1 << 20, &NEVER).unwrap()
}

/// The layers and the last layer by the search in memory.
fn expected(board: &Board, start: &State) -> (Vec<u64>, Vec<State>) {
    let space = Space::new(board, start, &SpaceOptions::default()).unwrap();
    let options = SearchOptions { farthest: 100_000, ..SearchOptions::default() };
    let mut search = BreadthFirst::new(&space, options).unwrap();
    search.start(&[*start]).unwrap();
    let layers = search.run(&Signals::default(), |_| ControlFlow::Continue(())).clone();
    let mut farthest = search.farthest().unwrap();
    farthest.sort_by_key(key);
    (layers.states, farthest)
}

fn key(state: &State) -> Vec<(Vertex, Label)> {
    state.tokens().collect()
}

fn go_on(search: &mut QuotientSearch<'_>) -> Layers {
    search.run(&NEVER, &mut |_| ControlFlow::Continue(())).unwrap()
}

/// Boards, empty vertices, the number of symmetries that the search uses, and whether each slide
/// changes the colour.
fn cases() -> Vec<(Board, Vec<usize>, usize, bool)> {
    vec![
        (grid(2, 3), vec![5], 1, true),
        (grid(3, 3), vec![8], 2, true),
        (grid(3, 3), vec![4], 8, true),
        (grid(2, 4), vec![0, 7], 2, true),
        (grid(3, 3), vec![1, 7], 4, true),
        (cube(3, 1), vec![0], 6, true),
        (cube(3, 1), vec![0, 7], 6, true),
        (cube(3, 1), vec![0, 3], 4, true),
        (cube(4, 1), vec![0, 3, 5, 6, 7, 9, 10, 11, 12, 13, 14], 24, true),
        (cube(4, 2), vec![0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15], 2, false),
        (cube(3, 2), vec![0, 1, 2, 4], 6, false),
    ]
}

#[test]
fn layers_are_those_of_the_search_in_memory() {
    for (board, empty, symmetries, has_two_colours) in cases() {
        let (spec, start) = (board.spec(), start(&board, &empty));
        let (layers, farthest) = expected(&board, &start);
        let space = space(&board, &start);
        assert_eq!(space.symmetries(), symmetries, "{spec} {empty:?}");
        assert_eq!(space.blocks_of_start_colour().is_some(), has_two_colours, "{spec} {empty:?}");
        for instruction_set in InstructionSet::available() {
            let folder = Folder::new();
            let mut search =
                QuotientSearch::open(&space, FilesOptions { instruction_set, ..folder.options() })
                    .unwrap();
            let found = go_on(&mut search);
            assert_eq!(
                found,
                Layers { states: layers.clone(), complete: true },
                "{spec} {empty:?}"
            );
            let orbits = search.farthest().unwrap();
            let mut all: Vec<State> =
                orbits.iter().flat_map(|state| space.orbit_of(state)).collect();
            all.sort_by_key(key);
            assert_eq!(all, farthest, "{spec} {empty:?}");
        }
    }
}

/// The distance of each state that the rule reaches.
fn distances(board: &Board, start: &State) -> FxHashMap<State, usize> {
    let mut distances: FxHashMap<State, usize> = [(*start, 0)].into_iter().collect();
    let mut open = VecDeque::from([*start]);
    while let Some(state) = open.pop_front() {
        let distance = distances[&state] + 1;
        for mv in board.legal_moves(&state) {
            let mut next = state;
            next.slide(mv);
            distances.entry(next).or_insert_with(|| {
                open.push_back(next);
                distance
            });
        }
    }
    distances
}

#[test]
fn the_counts_of_blocks_are_those_of_the_rule() {
    for (board, empty, _, has_two_colours) in cases() {
        let start = start(&board, &empty);
        // One whole graph of half a million states is enough for a plain search.
        if start.occupied().len() > 6 || (board.vertex_count() > 9 && !has_two_colours) {
            continue;
        }
        let distances = distances(&board, &start);
        let depths = 1 + *distances.values().max().unwrap();
        let folder = Folder::new();
        let read = || block_layers(&board, &start, VertexSet::EMPTY, &folder.0, &NEVER);
        assert!(matches!(read(), Err(FilesError::Missing { .. })));
        let space = space(&board, &start);
        let mut search = QuotientSearch::open(&space, folder.options()).unwrap();
        let mut layers = 0;
        search
            .run(&NEVER, &mut |progress| {
                layers = layers.max(progress.layers.len());
                if layers > 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
            .unwrap();
        if !search.layers().complete {
            assert!(matches!(read(), Err(FilesError::Manifest { .. })));
        }
        go_on(&mut search);
        let blocks = read().unwrap();
        assert_eq!(blocks.len(), space.blocks());
        let labels: Vec<Label> = blocks[0].fixed.iter().map(|&(_, label)| label).collect();
        let mut expected: FxHashMap<(VertexSet, Vec<VertexSet>), Vec<u32>> = FxHashMap::default();
        for (state, &distance) in &distances {
            let fixed = labels.iter().map(|&label| state.vertices_of(label)).collect();
            let key = (board.vertex_set() - state.occupied(), fixed);
            expected.entry(key).or_insert_with(|| vec![0; depths])[distance] += 1;
        }
        let mut states = 0;
        for block in &blocks {
            let fixed = block.fixed.iter().map(|&(vertex, _)| [vertex].into_iter().collect());
            let expected = &expected[&(block.empty, fixed.collect())];
            assert_eq!(block.layers, *expected, "{} {empty:?} {block:?}", board.spec());
            let parity = |side: usize| block.layers.iter().skip(side).step_by(2).sum::<u32>();
            assert!(!has_two_colours || parity(0) == 0 || parity(1) == 0);
            states += block.orbit * u64::from(parity(0) + parity(1));
        }
        assert_eq!(states, distances.len() as u64);
        // A file that is too short, and one with another number.
        let path = folder.0.join("counts.u32");
        let file = OpenOptions::new().read(true).write(true).open(&path).unwrap();
        file.write_all_at(&9u32.to_le_bytes(), 0).unwrap();
        assert!(matches!(read(), Err(FilesError::Manifest { .. })));
        file.set_len(2).unwrap();
        assert!(matches!(read(), Err(FilesError::Manifest { .. })));
    }
}

#[test]
fn an_interrupted_search_goes_on_where_it_was() {
    for (board, empty, ..) in cases().into_iter().skip(1).step_by(4) {
        let start = start(&board, &empty);
        let (layers, farthest) = expected(&board, &start);
        let space = space(&board, &start);
        let (folder, second) = (Folder::under(&std::env::temp_dir()), Folder::new());
        let options = || FilesOptions {
            resume: Resume::IfPresent,
            second: Some((second.0.clone(), QuotientSearch::file_bytes(&space) / 3)),
            threads: 2,
            ..folder.options()
        };
        let mut interruptions = 0;
        loop {
            let mut search = QuotientSearch::open(&space, options()).unwrap();
            let layer = search.layers().states.len();
            // In the middle of the layer after the next one.
            let found = search.run(&NEVER, &mut |progress| {
                let is_time = progress.layers.len() > layer && progress.done * 2 >= progress.tasks;
                if is_time { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            let found = found.unwrap();
            if found.complete {
                break;
            }
            assert_eq!(found.states, layers[..found.states.len()]);
            interruptions += 1;
        }
        assert!(interruptions > 3, "{interruptions}");
        let count =
            count_layers_in_files(&board, &start, VertexSet::EMPTY, options(), &NEVER, &mut |_| {
                ControlFlow::Continue(())
            });
        let count = count.unwrap();
        assert_eq!(count.count.layers, Layers { states: layers.clone(), complete: true });
        if let Some(mut found) = count.count.farthest {
            found.sort_by_key(key);
            assert_eq!(found, farthest);
        }
        // The blocks are gone, and what was found is there.
        assert!(
            !folder.0.join("side-0.blocks").exists() && !second.0.join("side-1.blocks").exists()
        );
        let search = QuotientSearch::open(&space, options()).unwrap();
        assert_eq!(search.layers().states, layers);
    }
}

#[test]
fn no_layer_is_begun_without_leave() {
    let board = grid(3, 3);
    let start = start(&board, &[8]);
    let space = space(&board, &start);
    let folder = Folder::new();
    let mut search = QuotientSearch::open(&space, folder.options()).unwrap();
    let mut asked = Vec::new();
    let found = search.run(&NEVER, &mut |progress| {
        if asked.last() != Some(&progress.layers.len()) {
            assert_eq!(progress.done, 0);
            asked.push(progress.layers.len());
        }
        ControlFlow::Continue(())
    });
    assert!(found.unwrap().complete);
    assert_eq!(asked, (1..=32).collect::<Vec<_>>());
}

#[test]
fn the_second_directory_belongs_to_one_search() {
    let case = |number: usize| {
        let (board, empty, ..) = cases().into_iter().nth(number).unwrap();
        let start = start(&board, &empty);
        (space(&board, &start), start)
    };
    let ((space, _), (other, _)) = (case(1), case(5));
    let (first, second, third) = (Folder::new(), Folder::new(), Folder::new());
    let options = |space: &QuotientSpace, first: &Folder, second: &Path| FilesOptions {
        resume: Resume::IfPresent,
        second: Some((second.to_owned(), QuotientSearch::file_bytes(space))),
        threads: 2,
        ..first.options()
    };
    let open = |space, first, second: &Path| {
        QuotientSearch::open(space, options(space, first, second)).map(|_| ())
    };
    open(&space, &first, &second.0).unwrap();
    // Neither another search nor the same one in another directory takes it.
    for space in [&space, &other] {
        let found = open(space, &third, &second.0);
        assert!(matches!(found, Err(FilesError::SecondInUse { .. })), "{found:?}");
    }
    assert!(matches!(open(&space, &third, &third.0), Err(FilesError::OneDirectory { .. })));
    // Its search finds its blocks nowhere else, and goes on where they are.
    let lost = |found: Result<(), FilesError>| {
        assert!(matches!(found, Err(FilesError::SecondLost { .. })), "{found:?}");
    };
    lost(open(&space, &first, &third.0));
    lost(open(&space, &first, &third.0.join("none")));
    lost(
        QuotientSearch::open(
            &space,
            FilesOptions { second: None, ..options(&space, &first, &second.0) },
        )
        .map(|_| ()),
    );
    open(&space, &first, &second.0).unwrap();
    let search = QuotientSearch::open(&space, options(&space, &first, &second.0)).unwrap();
    // Not even together with it.
    let together = open(&space, &first, &second.0);
    assert!(matches!(together, Err(FilesError::Lock(LockError::InUse(_)))), "{together:?}");
    drop(search);
    // One that was moved keeps them: a new search in its place does not take them.
    let moved = Folder::new();
    std::fs::create_dir_all(&moved.0).unwrap();
    std::fs::rename(&first.0, moved.0.join("search")).unwrap();
    let found = open(&space, &first, &second.0);
    assert!(matches!(found, Err(FilesError::SecondInUse { .. })), "{found:?}");
    std::fs::remove_dir_all(&first.0).unwrap();
    std::fs::rename(moved.0.join("search"), &first.0).unwrap();
    open(&space, &first, &second.0).unwrap();
    // Blocks that are gone are not taken for damaged ones.
    std::fs::remove_file(second.0.join("side-1.blocks")).unwrap();
    lost(open(&space, &first, &second.0));
}

#[test]
fn tokens_on_walls_stay_where_they_are() {
    // The token on vertex 0 cannot move; the others are those of a square.
    let board = cube(3, 3);
    let start = start(&board, &[1, 2, 3, 4, 5, 6]);
    let folder = Folder::new();
    let walls = VertexSet::single(Vertex::new(0).unwrap());
    let found =
        count_layers_in_files(&grid(2, 4), &start, walls, folder.options(), &NEVER, &mut |_| {
            ControlFlow::Continue(())
        });
    // Two tokens, one of them a wall: too few for a search in files.
    assert!(matches!(found, Err(FilesError::Space(_))));
    let board = grid(2, 5);
    let start = self::start(&board, &[1, 2, 3, 6]);
    let walls = VertexSet::single(Vertex::new(0).unwrap());
    let options = SpaceOptions { walls, ..SpaceOptions::default() };
    let space = Space::new(&board, &start, &options).unwrap();
    let mut memory = BreadthFirst::new(&space, SearchOptions::default()).unwrap();
    memory.start(&[start]).unwrap();
    let layers = memory.run(&Signals::default(), |_| ControlFlow::Continue(())).clone();
    let found = count_layers_in_files(&board, &start, walls, folder.options(), &NEVER, &mut |_| {
        ControlFlow::Continue(())
    });
    assert_eq!(found.unwrap().count.layers, layers);
}

#[test]
fn directories_are_not_mixed_up() {
    let board = grid(3, 3);
    let corner = space(&board, &start(&board, &[8]));
    let middle = space(&board, &start(&board, &[4]));
    let folder = Folder::new();
    let open = |space, resume| {
        QuotientSearch::open(space, FilesOptions { resume, ..folder.options() }).map(|_| ())
    };
    assert!(matches!(open(&corner, Resume::Always), Err(FilesError::Missing { .. })));
    let held = QuotientSearch::open(&corner, folder.options()).unwrap();
    assert!(matches!(open(&corner, Resume::Always), Err(FilesError::Lock(LockError::InUse(_)))));
    drop(held);
    assert!(matches!(open(&corner, Resume::Never), Err(FilesError::Exists { .. })));
    assert!(matches!(open(&middle, Resume::Always), Err(FilesError::Foreign { .. })));
    assert!(open(&corner, Resume::IfPresent).is_ok());
    // A digit that changed is found out, and not counted on.
    let manifest = folder.0.join("manifest.json");
    let text = std::fs::read_to_string(&manifest).unwrap();
    let flipped = text.replacen("\"layers\":[1", "\"layers\":[2", 1);
    assert_ne!(text, flipped);
    std::fs::write(&manifest, flipped).unwrap();
    let error = open(&corner, Resume::Always).unwrap_err();
    assert!(error.to_string().contains("its checksum is wrong"), "{error}");
    std::fs::write(&manifest, "{").unwrap();
    assert!(matches!(open(&corner, Resume::Always), Err(FilesError::Manifest { .. })));
}

#[test]
fn a_disk_that_is_too_small_is_found_out_before_the_start() {
    let board = grid(4, 4);
    let start = start(&board, &[15]);
    // 1.3 TB, of which the reflection saves half.
    let space = space(&board, &start);
    let folder = Folder::new();
    let error = QuotientSearch::open(&space, folder.options()).map(|_| ()).unwrap_err();
    let FilesError::NoRoom { needed, free, .. } = &error else { panic!("{error}") };
    assert_eq!(*needed, space.blocks() as u64 * space.slot_bytes());
    assert!(*needed > 690_000_000_000 && *free < *needed);
    assert!(error.to_string().contains("GB more"), "{error}");
}

#[test]
fn a_damaged_block_is_not_believed() {
    let board = grid(3, 3);
    let start = start(&board, &[8]);
    let space = space(&board, &start);
    let folder = Folder::new();
    let mut search = QuotientSearch::open(&space, folder.options()).unwrap();
    search
        .run(&NEVER, &mut |progress| {
            if progress.layers.len() > 14 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })
        .unwrap();
    drop(search);
    for side in ["side-0.blocks", "side-1.blocks"] {
        let file = OpenOptions::new().read(true).write(true).open(folder.0.join(side)).unwrap();
        let mut byte = [0];
        file.read_exact_at(&mut byte, 9).unwrap();
        file.write_all_at(&[byte[0] ^ 4], 9).unwrap();
    }
    let options = FilesOptions { resume: Resume::Always, ..folder.options() };
    let mut search = QuotientSearch::open(&space, options).unwrap();
    let result = search.run(&NEVER, &mut |_| ControlFlow::Continue(()));
    assert!(matches!(result, Err(FilesError::Damaged { .. })), "{result:?}");
}
