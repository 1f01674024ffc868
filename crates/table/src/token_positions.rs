//! The positions of the tokens at the nodes of an occupancy graph, and the node of each position.

use hyperslide_puzzle::{Board, Vertex, VertexSet};
use rustc_hash::FxHashMap;

use crate::arrangements::binomial;
use crate::set_ranks::SetRanks;

/// The error for a component of the occupancy graph that is larger than allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooManySets;

/// The vertices of the tokens of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Occupied {
    /// The vertices of the tokens whose arrangements are numbered.
    pub numbered: VertexSet,
    /// The vertices of the indistinguishable tokens whose slides cost nothing.
    pub free: VertexSet,
}

impl Occupied {
    /// Returns whether there are tokens whose slides cost nothing, as in a pattern database.
    pub fn has_free(self) -> bool {
        !self.free.is_empty()
    }
}

/// The map between the nodes of an occupancy graph and the positions of the tokens at each. A node
/// is a set of numbered tokens' vertices with all positions of the free tokens that slides without
/// cost connect.
#[derive(Clone, Debug)]
pub(crate) enum TokenPositions {
    /// A map for any number of empty vertices.
    Any {
        nodes: FxHashMap<(VertexSet, VertexSet), u32>,
        /// The positions of the free tokens, node after node.
        free: Vec<VertexSet>,
        ends: Vec<u32>,
    },
    OneEmpty(OneEmpty),
    NoneFree(NoneFree),
}

/// A compact map for states with exactly one empty vertex, which determines the positions of the
/// free tokens.
#[derive(Clone, Debug)]
pub(crate) struct OneEmpty {
    /// All vertices except the walls.
    left: VertexSet,
    /// For each vertex, the vertices to which its token can slide if one of them is the empty
    /// vertex.
    neighbours: Vec<VertexSet>,
    ranks: SetRanks,
    /// One node of the numbered tokens' set of each rank, or [`NO_NODE`].
    first: Vec<u32>,
    /// For each node, the next node of the same set, or [`NO_NODE`].
    next: Vec<u32>,
    /// For each node, the vertices that can be empty.
    empty: Vec<VertexSet>,
}

/// A compact map for states without free tokens, whose nodes are sets.
#[derive(Clone, Debug)]
pub(crate) struct NoneFree {
    /// All vertices except the walls.
    left: VertexSet,
    tokens: usize,
    ranks: SetRanks,
    /// For the set of each rank, the number of its node plus 1, or 0 if it has none.
    number: Vec<u32>,
    nodes: u32,
}

/// The greatest number of sets for which [`NoneFree`] has ranks, which take 4 MB however few of the
/// sets can be reached.
const MAX_RANKED_NONE_FREE: u64 = 1 << 20;

impl NoneFree {
    /// Returns an empty map, or `None` if some tokens are free or there are too many sets.
    fn new(board: &Board, start: Occupied, walls: VertexSet) -> Option<NoneFree> {
        let (left, tokens) = (board.vertex_set() - walls, start.numbered.len());
        if start.has_free() || binomial(left.len(), tokens) > MAX_RANKED_NONE_FREE {
            return None;
        }
        let ranks = SetRanks::new(left, tokens)?;
        let number = vec![0; ranks.count() as usize];
        Some(NoneFree { left, tokens, ranks, number, nodes: 0 })
    }

    fn find(&self, at: Occupied) -> Option<u32> {
        let is_ranked = at.numbered.len() == self.tokens
            && (at.numbered - self.left).is_empty()
            && !at.has_free();
        let number = is_ranked.then(|| self.number[self.ranks.rank(at.numbered.bits())])?;
        number.checked_sub(1)
    }
}

const NO_NODE: u32 = u32::MAX;

/// The greatest number of sets for which [`OneEmpty`] has ranks, which take 400 MB.
const MAX_RANKED: u64 = 100_000_000;

impl OneEmpty {
    /// Returns an empty map, or `None` unless exactly one vertex is empty, some tokens are free,
    /// there are at most [`MAX_RANKED`] sets, and their ranks take no more memory than the sets
    /// that may be found.
    fn new(board: &Board, start: Occupied, walls: VertexSet, max_sets: usize) -> Option<OneEmpty> {
        /// The ranks that take the memory of a set with its slides.
        const RANKS_A_SET: u64 = 50;

        let left = board.vertex_set() - walls;
        if (left - start.numbered - start.free).len() != 1 || start.free.is_empty() {
            return None;
        }
        let ranks = SetRanks::new(left, start.numbered.len())?;
        if ranks.count() > MAX_RANKED.min((max_sets as u64).saturating_mul(RANKS_A_SET)) {
            return None;
        }
        let beside = |from: Vertex| -> VertexSet {
            let all = board.vertex_set();
            let is_beside = |to: &Vertex| {
                let only = board.destinations(from, all - VertexSet::single(*to));
                *to != from && only.contains(*to)
            };
            left.into_iter().filter(is_beside).collect()
        };
        Some(OneEmpty {
            left,
            neighbours: Vertex::first(board.vertex_count()).map(beside).collect(),
            first: vec![NO_NODE; ranks.count() as usize],
            ranks,
            next: Vec::new(),
            empty: Vec::new(),
        })
    }

    fn empty_vertex(&self, at: Occupied) -> Option<Vertex> {
        let empty = self.left - at.numbered - at.free;
        empty.lowest().filter(|_| empty.len() == 1)
    }

    fn find(&self, set: VertexSet, empty: Vertex) -> Option<u32> {
        let mut node = self.first[self.ranks.rank(set.bits())];
        while node != NO_NODE {
            if self.empty[node as usize].contains(empty) {
                return Some(node);
            }
            node = self.next[node as usize];
        }
        None
    }

    /// Adds the node of a position that has none. Its region is all vertices to which slides of
    /// free tokens move the empty vertex.
    fn add(&mut self, set: VertexSet, empty: Vertex) {
        let left = self.left - set;
        let (mut region, mut edge) = (VertexSet::single(empty), VertexSet::single(empty));
        while !edge.is_empty() {
            let beside = edge
                .into_iter()
                .fold(VertexSet::EMPTY, |beside, vertex| beside | self.neighbours[vertex.index()]);
            edge = (beside & left) - region;
            region = region | edge;
        }
        self.next.push(std::mem::replace(
            &mut self.first[self.ranks.rank(set.bits())],
            self.empty.len() as u32,
        ));
        self.empty.push(region);
    }
}

impl TokenPositions {
    /// Returns an empty map in the form that is best for the start and at most `max_sets` sets.
    pub fn new(
        board: &Board,
        start: Occupied,
        walls: VertexSet,
        max_sets: usize,
    ) -> TokenPositions {
        let one_empty =
            || OneEmpty::new(board, start, walls, max_sets).map(TokenPositions::OneEmpty);
        let none_free = || NoneFree::new(board, start, walls).map(TokenPositions::NoneFree);
        one_empty().or_else(none_free).unwrap_or_else(TokenPositions::any)
    }

    /// Returns an empty map in the form that works for every start.
    pub fn any() -> TokenPositions {
        TokenPositions::Any { nodes: FxHashMap::default(), free: Vec::new(), ends: Vec::new() }
    }

    /// Returns the node of a position, or `None` if it has none yet.
    pub fn find(&self, at: Occupied) -> Option<u32> {
        match self {
            TokenPositions::Any { nodes, .. } => nodes.get(&(at.numbered, at.free)).copied(),
            TokenPositions::OneEmpty(places) => places.find(at.numbered, places.empty_vertex(at)?),
            TokenPositions::NoneFree(places) => places.find(at),
        }
    }

    /// Adds the node of a position that has none yet.
    ///
    /// # Errors
    ///
    /// Returns an error if there would be more than `limit` positions or nodes.
    pub fn add(
        &mut self,
        board: &Board,
        walls: VertexSet,
        at: Occupied,
        limit: usize,
    ) -> Result<(), TooManySets> {
        let Occupied { numbered, free: start } = at;
        let (nodes, free, ends) = match self {
            TokenPositions::Any { nodes, free, ends } => (nodes, free, ends),
            TokenPositions::OneEmpty(places) => {
                if places.empty.len() >= limit {
                    return Err(TooManySets);
                }
                places.add(numbered, places.empty_vertex(at).expect("one vertex stays empty"));
                return Ok(());
            }
            TokenPositions::NoneFree(places) => {
                if places.nodes as usize >= limit {
                    return Err(TooManySets);
                }
                places.nodes += 1;
                places.number[places.ranks.rank(numbered.bits())] = places.nodes;
                return Ok(());
            }
        };
        let number = ends.len() as u32;
        let first = free.len();
        let mut next = first;
        nodes.insert((numbered, start), number);
        free.push(start);
        while next < free.len() {
            if free.len() > limit {
                return Err(TooManySets);
            }
            let here = free[next];
            next += 1;
            for from in here {
                for to in board.destinations(from, numbered | here | walls) {
                    let moved = here.moved(from, to);
                    if nodes.insert((numbered, moved), number).is_none() {
                        free.push(moved);
                    }
                }
            }
        }
        // The same from whichever position the region was found.
        free[first..].sort_unstable();
        ends.push(next as u32);
        Ok(())
    }

    /// Returns the positions of the free tokens at a node with this set of numbered tokens.
    pub fn region(&self, node: usize, set: VertexSet) -> impl Iterator<Item = VertexSet> + '_ {
        let (some, empty) = match self {
            TokenPositions::Any { free, ends, .. } => {
                let start = node.checked_sub(1).map_or(0, |before| ends[before]);
                (&free[start as usize..ends[node] as usize], None)
            }
            TokenPositions::OneEmpty(places) => {
                (&[][..], Some((places.left - set, places.empty[node])))
            }
            TokenPositions::NoneFree(_) => (&[VertexSet::EMPTY][..], None),
        };
        let one_empty = empty.into_iter().flat_map(|(left, empty)| {
            empty.into_iter().map(move |vertex| left - VertexSet::single(vertex))
        });
        some.iter().copied().chain(one_empty)
    }

    /// Calls the function for every slide of a numbered token from a node, with the vertices from
    /// and to which it slides and the position after the slide.
    pub fn for_each_slide(
        &self,
        board: &Board,
        walls: VertexSet,
        node: usize,
        set: VertexSet,
        mut visit: impl FnMut(Vertex, Vertex, Occupied),
    ) {
        if let TokenPositions::OneEmpty(places) = self {
            for from in set {
                for to in places.neighbours[from.index()] & places.empty[node] {
                    let numbered = set.moved(from, to);
                    let free = places.left - numbered - VertexSet::single(from);
                    visit(from, to, Occupied { numbered, free });
                }
            }
            return;
        }
        for free in self.region(node, set) {
            for from in set {
                for to in board.destinations(from, set | free | walls) {
                    visit(from, to, Occupied { numbered: set.moved(from, to), free });
                }
            }
        }
    }

    /// Renumbers the nodes in this order.
    pub fn renumber(&mut self, order: &[u32]) {
        let mut number = vec![NO_NODE; order.len()];
        for (new, &old) in (0..).zip(order) {
            number[old as usize] = new;
        }
        match self {
            TokenPositions::Any { nodes, free, ends } => {
                nodes.values_mut().for_each(|node| *node = number[*node as usize]);
                let (mut ordered, mut ordered_ends) = (Vec::new(), Vec::new());
                for &old in order {
                    let start = (old as usize).checked_sub(1).map_or(0, |before| ends[before]);
                    ordered.extend(&free[start as usize..ends[old as usize] as usize]);
                    ordered_ends.push(ordered.len() as u32);
                }
                (*free, *ends) = (ordered, ordered_ends);
            }
            TokenPositions::OneEmpty(places) => {
                let renumbered = |node: u32| number.get(node as usize).copied().unwrap_or(NO_NODE);
                places.first.iter_mut().for_each(|node| *node = renumbered(*node));
                let old = |&old: &u32| old as usize;
                places.next = order.iter().map(|node| renumbered(places.next[old(node)])).collect();
                places.empty = order.iter().map(|node| places.empty[old(node)]).collect();
            }
            TokenPositions::NoneFree(places) => {
                for node in places.number.iter_mut().filter(|node| **node > 0) {
                    *node = number[*node as usize - 1] + 1;
                }
            }
        }
    }

    /// Returns the number of bytes held.
    pub fn bytes(&self) -> u64 {
        match self {
            // A byte and an entry of 24 for each of 8/7 of the capacity.
            TokenPositions::Any { nodes, free, ends } => {
                (nodes.capacity() * 8 / 7 * 25 + free.len() * 8 + ends.len() * 4) as u64
            }
            TokenPositions::OneEmpty(places) => {
                places.ranks.bytes() + (places.first.len() * 4 + places.empty.len() * 12) as u64
            }
            TokenPositions::NoneFree(places) => {
                places.ranks.bytes() + places.number.len() as u64 * 4
            }
        }
    }
}
