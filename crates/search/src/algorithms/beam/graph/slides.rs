//! How a beam finds the slides of a state: with one empty vertex by an automaton that leaves out
//! detours, with several one by one.

use hyperslide_puzzle::{Board, Move, Vertex, VertexSet};

use crate::engine::cells::slide_of;
use crate::engine::move_pruning::{MovePruning, PruningState};

/// The slides after every arrival on a graph.
pub(crate) trait Slides: Sync {
    /// As much of how a state was reached as decides what may follow.
    type Arrival: Copy + Default + Send + Sync;

    /// A slide, as a path remembers it.
    type Taken: Copy + Default + Send + Sync;

    /// The arrival of the start.
    fn root(&self, empty: VertexSet) -> Self::Arrival;

    /// The vertices that are empty after an arrival.
    fn empty(&self, arrival: Self::Arrival) -> VertexSet;

    /// The slides after an arrival.
    fn after(&self, arrival: Self::Arrival) -> impl Iterator<Item = Slide<Self::Arrival>>;

    /// A slide from one vertex to another.
    fn taken(from: u8, to: u8) -> Self::Taken;

    /// The moves of a path from a start with these empty vertices.
    fn moves(empty: VertexSet, taken: Vec<Self::Taken>) -> Vec<Move>;
}

/// A token slides from one vertex to another.
#[derive(Clone, Copy)]
pub(crate) struct Slide<A> {
    pub from: u8,
    pub to: u8,
    /// The arrival after it.
    pub next: A,
}

impl Slides for MovePruning {
    type Arrival = PruningState;

    /// The vertex that the token leaves.
    type Taken = u8;

    fn root(&self, empty: VertexSet) -> PruningState {
        MovePruning::root(empty.lowest().expect("one vertex is empty"))
    }

    fn empty(&self, arrival: PruningState) -> VertexSet {
        VertexSet::from_bits(1 << MovePruning::empty(self, arrival))
    }

    #[inline]
    fn after(&self, arrival: PruningState) -> impl Iterator<Item = Slide<PruningState>> {
        let to = MovePruning::empty(self, arrival);
        self.steps(arrival).iter().map(move |step| Slide { from: step.from, to, next: step.next })
    }

    fn taken(from: u8, _to: u8) -> u8 {
        from
    }

    fn moves(empty: VertexSet, taken: Vec<u8>) -> Vec<Move> {
        let mut to = empty.lowest().expect("one vertex is empty").index() as u8;
        let slide = |from| slide_of(from, std::mem::replace(&mut to, from));
        taken.into_iter().map(slide).collect()
    }
}

/// The slides of a graph with any number of empty vertices: 512 bytes.
///
/// A beam remembers the states that it kept, so that going straight back costs a slide but no
/// state.
pub(crate) struct AllSlides {
    /// By vertex.
    neighbours: Vec<VertexSet>,
}

impl AllSlides {
    pub fn new(board: &Board) -> AllSlides {
        let of = |vertex| board.lone_destinations(vertex);
        AllSlides { neighbours: board.vertices().map(of).collect() }
    }
}

impl Slides for AllSlides {
    /// The empty vertices.
    type Arrival = VertexSet;

    type Taken = [u8; 2];

    fn root(&self, empty: VertexSet) -> VertexSet {
        empty
    }

    fn empty(&self, arrival: VertexSet) -> VertexSet {
        arrival
    }

    #[inline]
    fn after(&self, empty: VertexSet) -> impl Iterator<Item = Slide<VertexSet>> {
        let number = |vertex: Vertex| vertex.index() as u8;
        empty.into_iter().flat_map(move |to| {
            let tokens = self.neighbours[to.index()] - empty;
            tokens.into_iter().map(move |from| {
                let next = empty.moved(to, from);
                Slide { from: number(from), to: number(to), next }
            })
        })
    }

    fn taken(from: u8, to: u8) -> [u8; 2] {
        [from, to]
    }

    fn moves(_empty: VertexSet, taken: Vec<[u8; 2]>) -> Vec<Move> {
        taken.into_iter().map(|[from, to]| slide_of(from, to)).collect()
    }
}
