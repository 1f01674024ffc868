//! Random boards and puzzles for tests.

use hyperslide_puzzle::{Arrangement, Board, BoardSpec, LabelPositions, Metric, Puzzle, Setup};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// A small seeded source of choices for tests.
pub struct Random(SplitMix64);

impl Random {
    /// The source with this seed.
    pub fn new(seed: u64) -> Random {
        Random(SplitMix64::seed_from_u64(seed))
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.0.next_u64() % bound as u64) as usize
    }

    /// True once in `times`.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// The items in random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

fn random_spec(random: &mut Random) -> BoardSpec {
    let edges = |random: &mut Random, vertices: usize, sparse: usize| {
        let mut edges = Vec::new();
        for a in 0..vertices {
            for b in a + 1..vertices {
                // A path keeps most graphs connected; the other edges are chance.
                if (b == a + 1 && !random.once_in(12)) || random.once_in(sparse) {
                    edges.push([a, b]);
                }
            }
        }
        edges
    };
    match random.below(4) {
        0 => {
            let (rows, columns) = (1 + random.below(3), 2 + random.below(2));
            match random.below(4) {
                0 => BoardSpec::Cylinder { rows, columns },
                1 => BoardSpec::Torus { rows, columns },
                _ => BoardSpec::Grid { rows, columns },
            }
        }
        1 => {
            let d = 2 + random.below(2);
            BoardSpec::Cube { d, k: 1 + random.below(d) }
        }
        2 => {
            let vertices = 2 + random.below(6);
            BoardSpec::Graph { vertices, edges: edges(random, vertices, 4) }
        }
        _ => {
            let vertices = 4 + random.below(4);
            let mut faces: Vec<Vec<usize>> = Vec::new();
            for _ in 0..2 + random.below(6) {
                let mut face: Vec<usize> = (0..vertices).collect();
                random.shuffle(&mut face);
                face.truncate(2 + random.below(3));
                face.sort_unstable();
                if !faces.contains(&face) {
                    faces.push(face);
                }
            }
            let edges = (!random.once_in(4)).then(|| edges(random, vertices, 3));
            BoardSpec::Faces { vertices, faces, edges }
        }
    }
}

/// A puzzle on a board of at most nine vertices, of any kind and metric; labels may repeat and the
/// goal may leave vertices and tokens free. Its states are few enough for the plain solver. About
/// half of the goals come from a random walk and are solvable.
pub fn random_puzzle(random: &mut Random) -> Puzzle {
    loop {
        let metric = Metric::ALL[random.below(2)];
        let Ok(board) = Board::new(random_spec(random), metric) else { continue };
        let count = board.vertex_count();
        let most = if count > 7 { 5 } else { count.min(6) };
        let tokens =
            if count > 7 && random.once_in(12) { count - 1 } else { 1 + random.below(most) };
        let tokens = tokens.min(count);
        let different = if random.once_in(3) { 1 + random.below(tokens) } else { tokens };
        let label = |token: usize| (token % different + 1).to_string();

        let mut places: Vec<usize> = (0..count).collect();
        random.shuffle(&mut places);
        let mut cells = vec!["0".to_owned(); count];
        for token in 0..tokens {
            cells[places[token]] = label(token);
        }
        let start = Arrangement::ByVertex(cells.clone());
        if random.once_in(2) {
            random.shuffle(&mut cells);
        } else {
            cells = walk(&board, &cells, random);
        }
        let goal =
            if random.once_in(3) { open(cells, random) } else { Arrangement::ByVertex(cells) };
        if let Ok(puzzle) = Puzzle::new(board, &Setup { start, goal: Some(goal) }) {
            return puzzle;
        }
    }
}

fn walk(board: &Board, cells: &[String], random: &mut Random) -> Vec<String> {
    let mut cells = cells.to_vec();
    let occupied = |cells: &[String]| {
        board
            .vertices()
            .filter(|v| cells[v.index()] != "0")
            .collect::<hyperslide_puzzle::VertexSet>()
    };
    for _ in 0..random.below(30) {
        let set = occupied(&cells);
        let moves: Vec<(usize, usize)> = set
            .into_iter()
            .flat_map(|from| {
                board.destinations(from, set).into_iter().map(move |to| (from.index(), to.index()))
            })
            .collect();
        if moves.is_empty() {
            break;
        }
        let (from, to) = moves[random.below(moves.len())];
        cells.swap(from, to);
    }
    cells
}

/// The goal with some vertices and tokens left free, in one of the two ways of writing it.
fn open(mut cells: Vec<String>, random: &mut Random) -> Arrangement {
    for cell in &mut cells {
        if random.once_in(3) {
            *cell = "*".to_owned();
        }
    }
    if random.once_in(2) {
        return Arrangement::ByVertex(cells);
    }
    let mut names: Vec<String> = cells.iter().filter(|c| *c != "*").cloned().collect();
    names.sort_unstable();
    names.dedup();
    let places = |name: String| {
        let vertices = (0..cells.len()).filter(|&vertex| cells[vertex] == name).collect();
        let others_anywhere = name != "0";
        LabelPositions { label: name, vertices, others_anywhere }
    };
    Arrangement::ByLabel(names.into_iter().map(places).collect())
}
