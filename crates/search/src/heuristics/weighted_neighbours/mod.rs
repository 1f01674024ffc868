//! Weights on tokens, on those that are a step or two apart, and on what is near empty vertices,
//! for graphs of any shape, learned from what beams keep.

use std::sync::LazyLock;

use hyperslide_puzzle::{
    Label, LoneTokenDistances, MAX_VERTICES, Puzzle, State, Vertex, VertexSet,
};

use super::learned_weights::{
    Cells, Change, Followed, LearnedWeights, Numbers, WeightFamily, WeightNumber, Weighted,
    cells_on,
};
use super::token_homes::build_on;
use super::{HeuristicEntry, HeuristicError, Incremental};

pub(super) const ENTRY: HeuristicEntry = HeuristicEntry {
    name: FAMILY.name,
    summary: "learned weights: what tokens usually cost by their distance from home, with \
              others a step or two away and near empty vertices; leads beams to short solutions; not a lower bound; graphs",
    admissible: false,
    consistent: false,
    parameter: None,
    build: |request| build_on(request.puzzle, |puzzle| (FAMILY.build)(puzzle, &LEARNED)),
};

/// The weights of the heuristic `weighted-neighbours`, for all graphs: one set for each [`Shape`],
/// with one empty vertex and with several.
///
/// A token away from home counts by its steps from there, by the steps of its home from the nearest
/// vertex that the goal leaves empty, and by the number of neighbours that its home has; an empty
/// vertex by its steps from such a vertex. Two neighbours, and two tokens that are two steps apart,
/// count by how much farther from home, or nearer, each would be in the place of the other. A token
/// one or two steps from an empty vertex counts by how much nearer home it would be there.
pub static FAMILY: WeightFamily = WeightFamily {
    name: "weighted-neighbours",
    count: SETS * WEIGHTS,
    used,
    row,
    plain,
    numbers: |puzzle| Ok(Box::new(Graph::new(puzzle)?)),
    build: |puzzle, weights| Ok(Box::new(Weighted(NeighbourWeights::new(puzzle, weights)?))),
};

static LEARNED: LazyLock<LearnedWeights> = LazyLock::new(|| {
    LearnedWeights::read(&FAMILY, include_str!("weights.txt")).expect("a test reads the weights")
});

/// Steps of a token from home that have weights of their own; each further one counts as the last.
const STEPS: usize = 16;
/// The same for the empty vertex.
const EMPTY_STEPS: usize = 8;
/// Steps of a token's home from the goal's empty vertex that are distinguished.
const HOMES: usize = 16;
/// Numbers of neighbours of a token's home that are distinguished, from one on.
const DEGREES: usize = 4;
/// Steps of a token from home that are distinguished for each of these numbers, from one on.
const DEGREE_STEPS: usize = 3;
/// What a token may want of a neighbouring vertex: see [`Graph::wish`].
const WISHES: usize = 7;
/// What it may want of a vertex two steps away: see [`Graph::far_wish`].
const FAR_WISHES: usize = 6;

/// The number of sets of weights: one for each [`Shape`] with one empty vertex, then one for each
/// with several.
const SETS: usize = 2 * SHAPES;
const SHAPES: usize = 3;

const FIRST_EMPTY: usize = STEPS;
const FIRST_HOME: usize = FIRST_EMPTY + EMPTY_STEPS;
const FIRST_DEGREE: usize = FIRST_HOME + HOMES;
const FIRST_PAIR: usize = FIRST_DEGREE + DEGREES * DEGREE_STEPS;
const FIRST_FAR_PAIR: usize = FIRST_PAIR + WISHES * WISHES;
const FIRST_NEAR: usize = FIRST_FAR_PAIR + FAR_WISHES * FAR_WISHES;
const FIRST_FAR: usize = FIRST_NEAR + WISHES;
/// Above all numbers of the weights of the first set; those of the others follow.
const WEIGHTS: usize = FIRST_FAR + FAR_WISHES;

/// Of the two numbers of a pair only this order is in use.
fn of_pair(first: usize, wishes: usize, one: usize, other: usize) -> usize {
    first + one.max(other) * wishes + one.min(other)
}

/// The weight of a token away from home, by the number of neighbours that its home has and its
/// steps from there.
fn of_degree(neighbours: usize, steps: usize) -> usize {
    FIRST_DEGREE + (neighbours.clamp(1, DEGREES) - 1) * DEGREE_STEPS + steps.clamp(1, DEGREE_STEPS)
        - 1
}

fn row(number: usize) -> usize {
    let (set, number) = (number / WEIGHTS * WEIGHTS, number % WEIGHTS);
    let (first, long) = match number {
        FIRST_FAR.. => (FIRST_FAR, FAR_WISHES),
        FIRST_NEAR.. => (FIRST_NEAR, WISHES),
        FIRST_FAR_PAIR.. => (FIRST_FAR_PAIR, FAR_WISHES),
        FIRST_PAIR.. => (FIRST_PAIR, WISHES),
        FIRST_DEGREE.. => (FIRST_DEGREE, DEGREE_STEPS),
        FIRST_HOME.. => (FIRST_HOME, HOMES),
        FIRST_EMPTY.. => (FIRST_EMPTY, EMPTY_STEPS),
        _ => (0, STEPS),
    };
    set + first + (number - first) / long * long
}

fn used() -> Vec<WeightNumber> {
    let pairs = |first: usize, wishes: usize| {
        (0..wishes)
            .flat_map(move |one| (0..=one).map(move |other| of_pair(first, wishes, one, other)))
    };
    let of_set = (0..FIRST_PAIR)
        .chain(pairs(FIRST_PAIR, WISHES))
        .chain(pairs(FIRST_FAR_PAIR, FAR_WISHES))
        .chain(FIRST_NEAR..WEIGHTS);
    let all = (0..SETS).flat_map(|set| of_set.clone().map(move |number| set * WEIGHTS + number));
    all.map(|number| number as WeightNumber).collect()
}

/// Long distances count more, and neighbours that have to pass each other.
fn plain() -> Vec<f32> {
    /// Wishes of tokens that are nearer home in the other's place, one step from home and farther.
    const NEARER: [usize; 2] = [1, 4];

    let mut values = vec![0.0; WEIGHTS];
    for (step, value) in values[..STEPS].iter_mut().enumerate() {
        *value = 1.0 + 0.15 * step.min(STEPS / 2) as f32;
    }
    for one in NEARER {
        for other in NEARER {
            values[of_pair(FIRST_PAIR, WISHES, one, other)] = 2.0;
        }
    }
    values.repeat(SETS)
}

/// The kinds of graphs that need weights of their own, in the order of their sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// Grids and tori.
    Wide,
    /// Cubes and other graphs of small diameter.
    Compact,
    /// King's and knight's graphs and others with a vertex of high degree compared with the
    /// diameter. With the weights of the other shapes, beams of ten thousand find no solution
    /// there: docs/decisions/0009-near-optimal.md.
    Dense,
}

impl Shape {
    fn new(vertices: usize, diameter: u8, highest_degree: usize) -> Shape {
        /// The highest degree that is never dense, whatever the diameter.
        const LOW_DEGREE: usize = 4;
        /// The greatest diameter of compact graphs with fewer than 64 vertices.
        const COMPACT: u8 = 5;

        if highest_degree > LOW_DEGREE.max(diameter.into()) {
            Shape::Dense
        } else if diameter <= COMPACT.max(vertices.ilog2() as u8) {
            // The 6-cube is compact and the 4x4 grid is wide, though both have a diameter of 6.
            Shape::Compact
        } else {
            Shape::Wide
        }
    }
}

/// Returns whether it guides beams well: docs/decisions/0009-near-optimal.md.
pub(super) fn guides_beams(puzzle: &Puzzle) -> bool {
    /// With more empty vertices on a dense graph, beams of a thousand often find no solution.
    const MOST_EMPTY_WHERE_DENSE: usize = 2;

    let Ok(graph) = Graph::new(puzzle) else { return false };
    if graph.shape != Shape::Dense {
        return true;
    }
    let vertices = puzzle.board().vertex_count();
    // Where a vertex is adjacent to half of the graph, distances from home hardly differ.
    let is_nearly_complete = graph.near.iter().any(|near| 2 * near.len() >= vertices);
    !is_nearly_complete && vertices - puzzle.start().occupied().len() <= MOST_EMPTY_WHERE_DENSE
}

/// What weights look at in the states of one puzzle: 64 bytes a token, and the vertices one and two
/// steps from each.
#[derive(Debug)]
struct Graph {
    /// One step away, by vertex.
    near: Vec<Vec<u8>>,
    /// Two steps away, by vertex.
    far: Vec<Vec<u8>>,
    /// Steps from home, by label and vertex.
    distances: Vec<[u8; MAX_VERTICES]>,
    /// The goal's vertex, by label.
    homes: Vec<u8>,
    /// Steps from the nearest vertex that the goal leaves empty, by vertex.
    from_empty: [u8; MAX_VERTICES],
    vertices: VertexSet,
    shape: Shape,
    /// The number of the first weight of the graph's set.
    set: usize,
}

impl Graph {
    fn new(puzzle: &Puzzle) -> Result<Graph, HeuristicError> {
        const WHAT: &str = "graphs with an empty vertex whose goal places every token";

        let board = puzzle.board();
        let goal: &State = puzzle.goal().labelled();
        let empty = board.vertex_set() - goal.occupied();
        // Of the goal's empty vertices there are as many as of the start's when no token is free.
        let fits = puzzle.free_tokens() == 0
            && puzzle.has_distinct_labels()
            && !empty.is_empty()
            && board.is_graph();
        if !fits {
            return Err(HeuristicError::OtherPuzzles { heuristic: FAMILY.name, what: WHAT });
        }
        let moves = LoneTokenDistances::new(board);
        let from = |vertex| {
            let mut row = [0; MAX_VERTICES];
            board.vertices().for_each(|at| row[at.index()] = moves.get(at, vertex));
            row
        };
        let at_distance = |steps: u8| {
            let of = |vertex| {
                let at = board.vertices().filter(|&at| moves.get(vertex, at) == steps);
                at.map(|at| at.index() as u8).collect()
            };
            board.vertices().map(of).collect()
        };
        let mut from_empty = [u8::MAX; MAX_VERTICES];
        for goal_empty in empty {
            let nearer = from(goal_empty);
            from_empty.iter_mut().zip(nearer).for_each(|(least, steps)| *least = steps.min(*least));
        }
        let mut tokens: Vec<_> = goal.tokens().collect();
        tokens.sort_unstable_by_key(|&(_, label)| label);
        let pairs = board.vertices().flat_map(|a| board.vertices().map(move |b| (a, b)));
        let diameter = pairs.map(|(a, b)| moves.get(a, b)).max().unwrap_or(0);
        let near: Vec<Vec<u8>> = at_distance(1);
        let highest_degree = near.iter().map(Vec::len).max().unwrap_or(0);
        let shape = Shape::new(board.vertex_count(), diameter, highest_degree);
        Ok(Graph {
            shape,
            set: (shape as usize + if empty.len() > 1 { SHAPES } else { 0 }) * WEIGHTS,
            near,
            far: at_distance(2),
            distances: tokens.iter().map(|&(home, _)| from(home)).collect(),
            homes: tokens.iter().map(|&(home, _)| home.index() as u8).collect(),
            from_empty,
            vertices: board.vertex_set(),
        })
    }

    /// The steps home of a token from two vertices.
    #[inline(always)]
    fn steps(&self, label: u8, at: u8, other: u8) -> [usize; 2] {
        let row = &self.distances[label as usize];
        [at, other].map(|vertex| row[vertex as usize % MAX_VERTICES] as usize)
    }

    /// What a token wants of a neighbouring vertex, below [`WISHES`]: nothing at home, otherwise
    /// whether it is nearer home, as near or farther away, for a token one step from home and for
    /// others.
    #[inline(always)]
    fn wish(&self, label: u8, at: u8, neighbour: u8) -> usize {
        match self.steps(label, at, neighbour) {
            [0, _] => 0,
            [here, there] => (here.min(2) - 1) * 3 + there + 2 - here,
        }
    }

    /// What a token wants of a vertex two steps away, below [`FAR_WISHES`]: how much farther from
    /// home it is, from two steps less to two more, or nothing at home.
    #[inline(always)]
    fn far_wish(&self, label: u8, at: u8, other: u8) -> usize {
        match self.steps(label, at, other) {
            [0, _] => FAR_WISHES - 1,
            [here, there] => there + 2 - here,
        }
    }

    /// The number of neighbours of a token's home.
    fn degree(&self, label: usize) -> usize {
        self.near[self.homes[label] as usize].len()
    }

    /// The weight of a token away from home, by where that is.
    fn of_home(&self, label: usize) -> usize {
        let steps = self.from_empty[self.homes[label] as usize] as usize;
        FIRST_HOME + steps.min(HOMES - 1)
    }

    /// Calls with the number of the weight of each two tokens that are one or two steps apart.
    fn each_pair(&self, cells: &Cells, empty: VertexSet, mut call: impl FnMut(usize)) {
        let after = |of: &[Vec<u8>], vertex: u8| -> Vec<u8> {
            let others = of[vertex as usize].iter().copied();
            others.filter(|&other| other > vertex && !holds(empty, other)).collect()
        };
        for at in numbers(self.vertices - empty) {
            let label = cells[at as usize];
            for other in after(&self.near, at) {
                let wishes =
                    (self.wish(label, at, other), self.wish(cells[other as usize], other, at));
                call(of_pair(FIRST_PAIR, WISHES, wishes.0, wishes.1));
            }
            for other in after(&self.far, at) {
                let label_there = cells[other as usize];
                let wishes =
                    (self.far_wish(label, at, other), self.far_wish(label_there, other, at));
                call(of_pair(FIRST_FAR_PAIR, FAR_WISHES, wishes.0, wishes.1));
            }
        }
    }
}

impl Numbers for Graph {
    fn each(&self, cells: &Cells, empty: VertexSet, call: &mut dyn FnMut(WeightNumber)) {
        let mut call = |number: usize| call((self.set + number) as WeightNumber);
        for empty in numbers(empty) {
            for step in 0..self.from_empty[empty as usize] as usize {
                call(FIRST_EMPTY + step.min(EMPTY_STEPS - 1));
            }
        }
        for vertex in numbers(self.vertices - empty) {
            let label = cells[vertex as usize] as usize;
            let steps = self.distances[label][vertex as usize] as usize;
            (0..steps).for_each(|step| call(step.min(STEPS - 1)));
            if steps > 0 {
                call(self.of_home(label));
                call(of_degree(self.degree(label), steps));
            }
        }
        self.each_pair(cells, empty, &mut call);
        for of in numbers(empty) {
            for &near in self.near[of as usize].iter().filter(|&&near| !holds(empty, near)) {
                call(FIRST_NEAR + self.wish(cells[near as usize], near, of));
            }
            for &far in self.far[of as usize].iter().filter(|&&far| !holds(empty, far)) {
                call(FIRST_FAR + self.far_wish(cells[far as usize], far, of));
            }
        }
    }
}

fn numbers(vertices: VertexSet) -> impl Iterator<Item = u8> {
    vertices.into_iter().map(|vertex| vertex.index() as u8)
}

#[inline(always)]
fn holds(vertices: VertexSet, vertex: u8) -> bool {
    vertices.bits() >> (vertex % MAX_VERTICES as u8) & 1 == 1
}

/// A row with a power of two of weights above all wishes, so that no index has to be checked.
const ROW: usize = WISHES.next_power_of_two();
type Pairs = [[i32; ROW]; ROW];

/// The weights as tables for one puzzle, a move being 64: 320 bytes a token, and 600 bytes.
#[derive(Debug)]
pub struct NeighbourWeights {
    graph: Graph,
    /// By label and vertex.
    tokens: Vec<[i32; MAX_VERTICES]>,
    /// By the empty vertex.
    empty: [i32; MAX_VERTICES],
    /// By [`Graph::wish`] of both neighbours.
    pairs: Pairs,
    /// By [`Graph::far_wish`] of both tokens.
    far_pairs: Pairs,
    /// By [`Graph::wish`] of the empty vertex.
    near: [i32; ROW],
    /// By [`Graph::far_wish`] of the empty vertex.
    far: [i32; ROW],
    /// The sum of the goal's weights.
    goal: i32,
}

impl NeighbourWeights {
    fn new(puzzle: &Puzzle, weights: &LearnedWeights) -> Result<NeighbourWeights, HeuristicError> {
        let graph = Graph::new(puzzle)?;
        let fixed = |number: usize| i32::from(weights.fixed((graph.set + number) as WeightNumber));
        let sum = |first: usize, count: usize, steps: usize| -> i32 {
            (0..steps).map(|step| fixed(first + step.min(count - 1))).sum()
        };
        let token = |label: usize| {
            let cost = |steps: usize| match steps {
                0 => 0,
                _ => {
                    sum(0, STEPS, steps)
                        + fixed(graph.of_home(label))
                        + fixed(of_degree(graph.degree(label), steps))
                }
            };
            graph.distances[label].map(|steps| cost(steps as usize))
        };
        let row = |first: usize, wishes: usize| {
            std::array::from_fn(|wish| if wish < wishes { fixed(first + wish) } else { 0 })
        };
        let pairs = |first: usize, wishes: usize| -> Pairs {
            let weight = |one: usize, other: usize| match one.max(other) < wishes {
                true => fixed(of_pair(first, wishes, one, other)),
                false => 0,
            };
            std::array::from_fn(|one| std::array::from_fn(|other| weight(one, other)))
        };
        let mut tables = NeighbourWeights {
            tokens: (0..graph.homes.len()).map(token).collect(),
            empty: graph.from_empty.map(|steps| sum(FIRST_EMPTY, EMPTY_STEPS, steps as usize)),
            pairs: pairs(FIRST_PAIR, WISHES),
            far_pairs: pairs(FIRST_FAR_PAIR, FAR_WISHES),
            near: row(FIRST_NEAR, WISHES),
            far: row(FIRST_FAR, FAR_WISHES),
            graph,
            goal: 0,
        };
        tables.goal = tables.value(puzzle.goal().labelled());
        Ok(tables)
    }

    /// The weights of the tokens near empty vertices.
    #[inline(always)]
    fn around(&self, cells: &Cells, empty: VertexSet) -> i32 {
        let graph = &self.graph;
        let mut sum = 0;
        for of in numbers(empty) {
            for &at in graph.near[of as usize].iter().filter(|&&at| !holds(empty, at)) {
                sum += self.near[graph.wish(cells[at as usize % MAX_VERTICES], at, of) % ROW];
            }
            for &at in graph.far[of as usize].iter().filter(|&&at| !holds(empty, at)) {
                sum += self.far[graph.far_wish(cells[at as usize % MAX_VERTICES], at, of) % ROW];
            }
        }
        sum
    }

    /// The weights of the pairs of a token on a vertex with all others but those on `without`.
    #[inline(always)]
    fn pairs_of(&self, cells: &Cells, label: u8, at: u8, without: VertexSet) -> i32 {
        let graph = &self.graph;
        let mut sum = 0;
        for &other in graph.near[at as usize].iter().filter(|&&other| !holds(without, other)) {
            let there = cells[other as usize % MAX_VERTICES];
            let (one, two) = (graph.wish(label, at, other), graph.wish(there, other, at));
            sum += self.pairs[one % ROW][two % ROW];
        }
        for &other in graph.far[at as usize].iter().filter(|&&other| !holds(without, other)) {
            let there = cells[other as usize % MAX_VERTICES];
            let (one, two) = (graph.far_wish(label, at, other), graph.far_wish(there, other, at));
            sum += self.far_pairs[one % ROW][two % ROW];
        }
        sum
    }

    /// When the token on `from` slides to an empty vertex `onto` next to it.
    #[inline]
    fn slide(&self, cells: &mut Cells, empty: VertexSet, from: u8, onto: u8) -> Change {
        let [at, to] = [from, onto].map(|vertex| vertex as usize % MAX_VERTICES);
        let after = VertexSet::from_bits(empty.bits() & !(1 << to) | 1 << at);
        let label = cells[at];
        let costs = &self.tokens[label as usize];
        let rest = costs[to] - costs[at] + self.empty[at] - self.empty[to]
            + self.pairs_of(cells, label, onto, after)
            - self.pairs_of(cells, label, from, empty);
        // What the cells of empty vertices hold means nothing to the next slide.
        cells[to] = label;
        let around = self.around(cells, after);
        let [before, after] = self.graph.steps(label, from, onto);
        Change { rest, around, distance: after as i32 - before as i32 }
    }
}

impl Followed for NeighbourWeights {
    type Seen = ();

    fn rest(&self, state: &State) -> i32 {
        let (cells, empty) = cells_on(self.graph.vertices, state);
        self.value(state) - self.around(&cells, empty)
    }

    fn value(&self, state: &State) -> i32 {
        let (cells, empty) = cells_on(self.graph.vertices, state);
        let of_empty = empty.into_iter().map(|vertex| self.empty[vertex.index()]);
        let mut sum = of_empty.sum::<i32>() + self.around(&cells, empty) - self.goal;
        let mut twice = 0;
        for vertex in numbers(self.graph.vertices - empty) {
            let label = cells[vertex as usize];
            sum += self.tokens[label as usize][vertex as usize];
            twice += self.pairs_of(&cells, label, vertex, empty);
        }
        sum + twice / 2
    }

    fn distance(&self, state: &State) -> u32 {
        let steps = |(vertex, label): (Vertex, Label)| {
            u32::from(self.graph.distances[label.index()][vertex.index()])
        };
        state.tokens().map(steps).sum()
    }

    fn slides(
        &self,
        cells: &Cells,
        empty: VertexSet,
        slides: impl Iterator<Item = (u8, u8)>,
        _seen: &mut (),
        mut call: impl FnMut(Change),
    ) {
        let mut cells = *cells;
        slides.for_each(|(from, to)| call(self.slide(&mut cells, empty, from, to)));
    }

    fn incremental(&self) -> Incremental<'_> {
        Incremental::NeighbourWeights(self)
    }

    fn bytes(&self) -> u64 {
        let tokens = self.tokens.len() * (size_of::<[i32; MAX_VERTICES]>() + MAX_VERTICES);
        (tokens + size_of::<NeighbourWeights>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::super::learned_weights::tests::{check_changes, check_numbers};
    use super::*;

    /// A path, a ring, a star, and graphs with triangles, hexagons and wrapped rows.
    const GOALS: [&str; 11] = [
        "graph:path-5 1,2,0,3,4",
        "graph:cycle-6 1,2,3,4,5,0",
        "graph:star-5 0,1,2,3,4,5",
        "graph:theta0 1,2,3,4,5,6,0",
        "graph:octahedron 1,2,3,0,4,5",
        "torus:4:4 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,0",
        "grid:2:9 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,0",
        "cube:3:1 1=0,2=1,3=2,4=3,5=4,6=5,7=6",
        "grid:1:5 1,0,2,0,3",
        "cube:4:1 1=0,2=1,3=2,4=3,5=4,6=5,7=6,8=12",
        "torus:3:4 0,1,2,3,0,4,5,6,7,8,0,9",
    ];

    #[test]
    fn changes_and_numbers_add_up_to_the_value() {
        for goal in GOALS {
            let (_, cells) = goal.split_once(' ').unwrap();
            let puzzle = Puzzle::from_line(&format!("{goal} -> {cells}")).unwrap();
            let weights = NeighbourWeights::new(&puzzle, &LEARNED).unwrap();
            check_changes(&puzzle, &weights);
            check_numbers(&puzzle, &LEARNED, &weights);
        }
        assert!(LEARNED.to_text() == include_str!("weights.txt"));
    }

    #[test]
    fn other_puzzles_are_refused() {
        for line in [
            "grid:2:2 1,2,3,4 -> 1,2,3,4",
            "grid:2:2 1,1,2,0 -> 2,1,1,0",
            "cube:3:2 r=4,p=1,b=5,g=6 -> g=4,p=1,r=5,b=6",
        ] {
            assert!(Graph::new(&Puzzle::from_line(line).unwrap()).is_err(), "{line}");
        }
    }
}
