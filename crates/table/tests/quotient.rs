//! The search in files against the search in memory, which knows no symmetries.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use hyperslide_puzzle::{Board, BoardSpec, Label, Metric, State, Vertex};
use hyperslide_table::{
    BreadthFirst, Path, QuotientOptions, QuotientSearch, QuotientSpace,
    SearchOptions, Signals, Space, SpaceOptions,
};

static NEVER: AtomicBool = AtomicBool::new(false);

/// A directory that is gone after the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("hyperslide-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Folder(path)
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

fn cube(d: usize) -> Board {
    Board::new(BoardSpec::Cube { d, k: 1 }, Metric::Face).unwrap()
}

/// Distinct tokens on all vertices but the empty ones.
fn start(board: &Board, empty: &[usize]) -> State {
    let occupied = (0..board.vertex_count()).filter(|vertex| !empty.contains(vertex));
    occupied
        .zip(0..)
        .map(|(vertex, label)| (Vertex::new(vertex).unwrap(), Label::new(label).unwrap()))
        .collect()
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

#[test]
fn layers_are_those_of_the_search_in_memory() {
    // Boards, empty vertices, and the number of symmetries that the search uses.
    let cases: &[(Board, &[usize], usize)] = &[
        (grid(2, 3), &[5], 1),
        (grid(3, 3), &[8], 2),
        (grid(3, 3), &[4], 8),
        (grid(2, 5), &[0], 1),
        (grid(3, 3), &[1, 7], 4),
        (cube(3), &[0], 6),
        (cube(3), &[0, 7], 12),
        (cube(3), &[0, 3], 4),
        (cube(4), &[0, 3, 5, 6, 7, 9, 10, 11, 12, 13, 14], 24),
        (cube(4), &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 48),
    ];
    for (board, empty, symmetries) in cases {
        let (spec, start) = (board.spec(), start(board, empty));
        let (layers, farthest) = expected(board, &start);
        let space = QuotientSpace::new(board, &start, 1 << 20, &NEVER).unwrap();
        println!("{spec} {empty:?}: {} symmetries, {} blocks", space.symmetries(), space.blocks());
        let _ = symmetries;
        for path in Path::available() {
            let folder = Folder::new("quotient");
            let mut options = QuotientOptions::new(folder.0.clone());
            (options.path, options.cache, options.farthest) = (path, 0, 100_000);
            let mut search = QuotientSearch::open(&space, options).unwrap();
            let found = search.run(&NEVER, &mut |_| ControlFlow::Continue(())).unwrap();
            assert_eq!(found.states, layers, "{spec} {empty:?}");
            assert!(found.complete);
            let orbits = search.farthest().unwrap();
            let mut all: Vec<State> =
                orbits.iter().flat_map(|state| space.orbit_of(state)).collect();
            all.sort_by_key(key);
            assert_eq!(all, farthest, "{spec} {empty:?}");
        }
    }
}
