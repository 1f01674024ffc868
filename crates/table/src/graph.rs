//! The occupied sets that slides lead to from a start, and from which of them slides lead to each.

use hyperslide_puzzle::{Board, Vertex, VertexSet};
use rustc_hash::FxHashMap;

use crate::layout::Shifts;
use crate::set_ranks::SetRanks;

/// An order of a board's vertices: the order in which the tokens of an occupied set make a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VertexOrder {
    vertices: Vec<Vertex>,
    position: [u8; 64],
}

impl VertexOrder {
    /// This order, or `None` when it does not name the first `count` vertices once each.
    pub fn new(vertices: Vec<Vertex>) -> Option<VertexOrder> {
        let named: VertexSet = vertices.iter().copied().collect();
        if named != VertexSet::first(vertices.len()) {
            return None;
        }
        let mut position = [0; 64];
        for (place, vertex) in vertices.iter().enumerate() {
            position[vertex.index()] = place as u8;
        }
        Some(VertexOrder { vertices, position })
    }

    /// An order in which vertices that share faces stand close together, so that slides pass few
    /// tokens: greedily a path through the board. On a cube it is a Gray code.
    pub fn along_faces(board: &Board) -> VertexOrder {
        let mut left = VertexSet::first(board.vertex_count());
        let mut vertices = Vec::new();
        let beside = |a: Vertex, b: Vertex| {
            let size = |face: &&VertexSet| face.contains(a) && face.contains(b);
            board.faces().iter().filter(size).count()
        };
        let mut next = left.lowest();
        while let Some(vertex) = next {
            vertices.push(vertex);
            left.remove(vertex);
            // The one that shares most faces with the last; then the one that has fewest others
            // left, so that none is left behind.
            let left_beside =
                |v: Vertex| left.into_iter().filter(|&w| w != v && beside(v, w) > 0).count();
            next = left.into_iter().min_by_key(|&candidate| {
                (std::cmp::Reverse(beside(vertex, candidate)), left_beside(candidate), candidate)
            });
        }
        VertexOrder::new(vertices).expect("every vertex was taken once")
    }

    /// The vertices in this order.
    pub fn vertices(&self) -> &[Vertex] {
        &self.vertices
    }

    /// Where a vertex stands.
    pub fn position(&self, vertex: Vertex) -> usize {
        self.position[vertex.index()] as usize
    }

    /// Bit p is set when the vertex at position p is in the set.
    fn row_of(&self, set: VertexSet) -> u64 {
        set.into_iter().map(|vertex| 1 << self.position(vertex)).sum()
    }

    /// How many members of the set stand before a vertex.
    fn place(&self, row: u64, vertex: Vertex) -> usize {
        (row & ((1 << self.position(vertex)) - 1)).count_ones() as usize
    }
}

/// Slides with the same shift into the same occupied set.
#[derive(Clone, Copy, Debug)]
struct Group {
    shift: u16,
    sources: u16,
}

/// Where the tokens of a state are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Occupied {
    /// Those whose arrangements are numbered.
    pub numbered: VertexSet,
    /// Those whose slides cost nothing and that are alike.
    pub free: VertexSet,
}

/// The node of every place of the tokens.
#[derive(Clone, Debug)]
enum Index {
    /// Any places.
    Hash(FxHashMap<(VertexSet, VertexSet), u32>),
    /// Where one vertex of those that are no walls is empty: its node, or [`NO_NODE`], by the rank of
    /// the numbered tokens' set and the empty vertex.
    OneEmpty { ranks: SetRanks, left: VertexSet, nodes: Vec<u32> },
}

const NO_NODE: u32 = u32::MAX;

/// Entries of [`Index::OneEmpty`] at most: 400 MB.
const MAX_DIRECT: u64 = 100_000_000;

impl Index {
    fn new(board: &Board, start: Occupied, walls: VertexSet) -> Index {
        let left = board.vertex_set() - walls;
        let is_one_empty = (left - start.numbered - start.free).len() == 1;
        let ranks = SetRanks::new(board.vertex_count(), start.numbered.len());
        match ranks.filter(|ranks| {
            let entries = ranks.count() * board.vertex_count() as u64;
            // With nothing but numbered tokens the hash table is small: one entry for each vertex.
            is_one_empty && !start.free.is_empty() && entries <= MAX_DIRECT
        }) {
            Some(ranks) => {
                let entries = ranks.count() as usize * board.vertex_count();
                Index::OneEmpty { ranks, left, nodes: vec![NO_NODE; entries] }
            }
            None => Index::Hash(FxHashMap::default()),
        }
    }

    /// The entry of a place where one vertex is empty; `None` for places of other tokens.
    fn direct(ranks: &SetRanks, left: VertexSet, at: Occupied) -> Option<usize> {
        let mut empty = (left - at.numbered - at.free).into_iter();
        let (vertex, rest) = (empty.next()?, empty.next());
        let place = || {
            let entries = ranks.rank(at.numbered.bits());
            entries * (64 - left.bits().leading_zeros() as usize) + vertex.index()
        };
        rest.is_none().then(place)
    }

    fn get(&self, at: Occupied) -> Option<u32> {
        match self {
            Index::Hash(nodes) => nodes.get(&(at.numbered, at.free)).copied(),
            Index::OneEmpty { ranks, left, nodes } => {
                let node = *nodes.get(Index::direct(ranks, *left, at)?)?;
                (node != NO_NODE).then_some(node)
            }
        }
    }

    /// Remembers the node of a place; returns whether it had none.
    fn insert(&mut self, at: Occupied, node: u32) -> bool {
        match self {
            Index::Hash(nodes) => nodes.insert((at.numbered, at.free), node).is_none(),
            Index::OneEmpty { ranks, left, nodes } => {
                let entry = Index::direct(ranks, *left, at).expect("one vertex stays empty");
                std::mem::replace(&mut nodes[entry], node) == NO_NODE
            }
        }
    }

    fn renumber(&mut self, number: &[u32]) {
        match self {
            Index::Hash(nodes) => {
                nodes.values_mut().for_each(|node| *node = number[*node as usize]);
            }
            Index::OneEmpty { nodes, .. } => {
                let known = nodes.iter_mut().filter(|node| **node != NO_NODE);
                known.for_each(|node| *node = number[*node as usize]);
            }
        }
    }

    fn bytes(&self) -> u64 {
        match self {
            // A byte and an entry of 24 for each of 8/7 of the capacity.
            Index::Hash(nodes) => (nodes.capacity() * 8 / 7 * 25) as u64,
            Index::OneEmpty { ranks, nodes, .. } => ranks.bytes() + nodes.len() as u64 * 4,
        }
    }
}

/// A component of the occupancy graph with the slides into each of its nodes.
///
/// A node is a set of vertices that the numbered tokens occupy. Where there are tokens whose slides
/// cost nothing, it is that and a region: all places of these that such slides lead to from each other.
///
/// Memory: 4 bytes a slide, 4 for each shift that occurs at a node, 13 a node, and 36 to 72 for each set
/// of both kinds of tokens that occurs.
#[derive(Clone, Debug)]
pub(crate) struct OccupancyGraph {
    places: usize,
    /// Sets of the numbered tokens' vertices.
    sets: Vec<VertexSet>,
    /// The places of the free tokens, node after node; without such tokens, nothing.
    regions: Vec<VertexSet>,
    region_ends: Vec<u32>,
    index: Index,
    /// Whether the rows on a set are of the other parity than on the first set when parity is fixed.
    odd: Vec<bool>,
    even_only: bool,
    /// How many sets come before the first of the other colour, when every slide changes colour.
    colour_boundary: Option<usize>,
    group_ends: Vec<u32>,
    groups: Vec<Group>,
    source_ends: Vec<u32>,
    sources: Vec<u32>,
}

/// Occupied sets up to which an order for the cache is worked out.
const MAX_SETS_TO_ORDER: usize = 200_000;

/// Puts sets in an order in which blocks are still in the cache when they are needed again: always
/// next the set of whose sources fewest are missing from a cache of `cached` blocks, which drops the
/// one not used for longest.
///
/// On `puz[4,2,7]` this takes a simulated cache from 7.3 misses a set to 4.3.
fn order_for_cache(mut needed: Vec<Vec<u32>>, cached: usize) -> Vec<u32> {
    for (own, blocks) in (0..).zip(&mut needed) {
        blocks.push(own);
    }
    let nodes = needed.len();
    let most = needed.iter().map(Vec::len).max().unwrap_or(0);
    let mut missing: Vec<u32> = needed.iter().map(|blocks| blocks.len() as u32).collect();
    // Sets by the number of missing blocks; entries that are out of date are passed over.
    let mut buckets: Vec<Vec<u32>> = vec![Vec::new(); most + 1];
    for number in (0..nodes).rev() {
        buckets[missing[number] as usize].push(number as u32);
    }
    let mut done = vec![false; nodes];
    let mut last_use = vec![u64::MAX; nodes];
    let mut uses: std::collections::VecDeque<(u32, u64)> = std::collections::VecDeque::new();
    let (mut clock, mut held) = (0, 0);
    let mut order = Vec::with_capacity(nodes);
    while order.len() < nodes {
        let next = buckets.iter_mut().enumerate().find_map(|(level, bucket)| {
            while let Some(number) = bucket.pop() {
                if !done[number as usize] && missing[number as usize] as usize == level {
                    return Some(number as usize);
                }
            }
            None
        });
        let next = next.expect("every set that is left is in the bucket of its level");
        done[next] = true;
        order.push(next as u32);
        for &block in &needed[next] {
            clock += 1;
            if last_use[block as usize] == u64::MAX {
                held += 1;
                // Slides go both ways: the sets that need a block are those that it needs.
                for &other in &needed[block as usize] {
                    missing[other as usize] -= 1;
                    buckets[missing[other as usize] as usize].push(other);
                }
            }
            last_use[block as usize] = clock;
            uses.push_back((block, clock));
        }
        while held > cached.max(1) {
            let Some((block, used)) = uses.pop_front() else { break };
            if last_use[block as usize] == used {
                last_use[block as usize] = u64::MAX;
                held -= 1;
                for &other in &needed[block as usize] {
                    missing[other as usize] += 1;
                    buckets[missing[other as usize] as usize].push(other);
                }
            }
        }
    }
    order
}

/// A component of the occupancy graph is larger than allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooManySets;

/// A node while the graph is explored.
struct Found {
    set: VertexSet,
    /// Where its places of the free tokens end.
    region_end: usize,
    /// Of the node whose arrangements keep the start's parity: whether its rows are odd.
    odd: bool,
    colour: bool,
}

/// The nodes found so far.
struct Exploration<'a> {
    board: &'a Board,
    walls: VertexSet,
    limit: usize,
    nodes: Vec<Found>,
    regions: Vec<VertexSet>,
    index: Index,
}

impl Exploration<'_> {
    /// Adds the node of a place that none has yet.
    fn add(&mut self, at: Occupied, odd: bool, colour: bool) -> Result<(), TooManySets> {
        let number = self.nodes.len() as u32;
        let Occupied { numbered, free } = at;
        let mut next = self.regions.len();
        self.index.insert(at, number);
        self.regions.push(free);
        while next < self.regions.len() {
            if self.regions.len() > self.limit {
                return Err(TooManySets);
            }
            let free = self.regions[next];
            next += 1;
            for from in free {
                for to in self.board.destinations(from, numbered | free | self.walls) {
                    let moved = free.moved(from, to);
                    if self.index.insert(Occupied { numbered, free: moved }, number) {
                        self.regions.push(moved);
                    }
                }
            }
        }
        self.nodes.push(Found { set: numbered, region_end: next, odd, colour });
        Ok(())
    }
}

impl OccupancyGraph {
    /// Explores from a start. Tokens on `walls` never move; `start` does not include them. At most `limit`
    /// sets of both kinds of tokens are looked at.
    pub fn explore(
        board: &Board,
        start: Occupied,
        walls: VertexSet,
        order: &VertexOrder,
        limit: usize,
        cached: usize,
    ) -> Result<OccupancyGraph, TooManySets> {
        let (nodes, regions, index) = (Vec::new(), Vec::new(), Index::new(board, start, walls));
        let mut found = Exploration { board, walls, limit, nodes, regions, index };
        found.add(start, false, false)?;
        let (mut even_only, mut two_colours) = (true, true);
        let (mut next, mut member) = (0, 0);
        while next < found.nodes.len() {
            let Found { set, region_end, odd, colour } = found.nodes[next];
            next += 1;
            let row = order.row_of(set);
            while member < region_end {
                let free = found.regions[member];
                member += 1;
                for from in set {
                    for to in board.destinations(from, set | free | walls) {
                        let target = set.moved(from, to);
                        let target_row = row & !(1 << order.position(from));
                        let passed = order.place(row, from).abs_diff(order.place(target_row, to));
                        let target_odd = odd != (passed % 2 == 1);
                        let at = Occupied { numbered: target, free };
                        match found.index.get(at) {
                            Some(known) => {
                                let known = &found.nodes[known as usize];
                                even_only &= known.odd == target_odd;
                                two_colours &= known.colour != colour;
                            }
                            None => found.add(at, target_odd, !colour)?,
                        }
                    }
                }
            }
        }
        let Exploration { nodes, regions, index, .. } = found;
        let mut graph = OccupancyGraph {
            places: start.numbered.len(),
            sets: nodes.iter().map(|node| node.set).collect(),
            region_ends: nodes.iter().map(|node| node.region_end as u32).collect(),
            regions,
            index,
            odd: Vec::new(),
            even_only,
            colour_boundary: None,
            group_ends: Vec::new(),
            groups: Vec::new(),
            source_ends: Vec::new(),
            sources: Vec::new(),
        };
        if start.free.is_empty() {
            (graph.regions, graph.region_ends) = (Vec::new(), Vec::new());
        }
        let colour = |node: u32| two_colours && nodes[node as usize].colour;
        let mut numbering: Vec<u32> = (0..nodes.len() as u32).collect();
        numbering.sort_by_key(|&node| {
            let set = order.row_of(nodes[node as usize].set);
            (colour(node), set, graph.region(node as usize).min())
        });
        if numbering.len() <= MAX_SETS_TO_ORDER {
            let mut place = vec![0; numbering.len()];
            for (at, &node) in (0..).zip(&numbering) {
                place[node as usize] = at;
            }
            let needed = numbering.iter().map(|&node| {
                let mut needed = Vec::new();
                graph.for_each_slide(board, walls, node as usize, |_, _, other| {
                    needed.push(place[other as usize]);
                });
                needed
            });
            let ordered = order_for_cache(needed.collect(), cached);
            numbering = ordered.into_iter().map(|at| numbering[at as usize]).collect();
            numbering.sort_by_key(|&node| colour(node));
        }
        graph.odd = numbering.iter().map(|&node| nodes[node as usize].odd).collect();
        graph.colour_boundary =
            two_colours.then(|| numbering.iter().take_while(|&&node| !colour(node)).count());
        drop(nodes);
        graph.number(&numbering);
        graph.find_sources(board, walls, order);
        Ok(graph)
    }

    /// Puts the nodes in this order.
    fn number(&mut self, order: &[u32]) {
        let mut number = vec![0; order.len()];
        let mut regions = Vec::with_capacity(self.regions.len());
        let mut region_ends = Vec::with_capacity(self.region_ends.len());
        for (new, &old) in (0..).zip(order) {
            number[old as usize] = new;
            if !self.regions.is_empty() {
                regions.extend(self.region(old as usize));
                region_ends.push(regions.len() as u32);
            }
        }
        self.sets = order.iter().map(|&old| self.sets[old as usize]).collect();
        (self.regions, self.region_ends) = (regions, region_ends);
        self.index.renumber(&number);
    }

    /// Calls with every slide of a numbered token from a node: from where to where, and to which node.
    fn for_each_slide(
        &self,
        board: &Board,
        walls: VertexSet,
        node: usize,
        mut tell: impl FnMut(Vertex, Vertex, u32),
    ) {
        let set = self.sets[node];
        for free in self.region(node) {
            for from in set {
                for to in board.destinations(from, set | free | walls) {
                    let at = Occupied { numbered: set.moved(from, to), free };
                    let node = self.index.get(at).expect("slides stay in the component");
                    tell(from, to, node);
                }
            }
        }
    }

    fn find_sources(&mut self, board: &Board, walls: VertexSet, order: &VertexOrder) {
        let mut slides: Vec<(u16, u32)> = Vec::new();
        for node in 0..self.sets.len() {
            slides.clear();
            let set = self.sets[node];
            let row = order.row_of(set);
            // A slide can be taken back, so where a token could go it could come from.
            self.for_each_slide(board, walls, node, |to, from, source| {
                let source_row = order.row_of(set.moved(to, from));
                let shift = Shifts::number(
                    self.places,
                    order.place(source_row, from),
                    order.place(row, to),
                );
                slides.push((shift as u16, source));
            });
            slides.sort_unstable();
            // Several places of a region allow the same slide.
            slides.dedup();
            for same in slides.chunk_by(|a, b| a.0 == b.0) {
                self.groups.push(Group { shift: same[0].0, sources: same.len() as u16 });
                self.sources.extend(same.iter().map(|&(_, source)| source));
            }
            self.group_ends.push(self.groups.len() as u32);
            self.source_ends.push(self.sources.len() as u32);
        }
    }

    /// The places of the free tokens that belong to a node: one empty set when there are none.
    pub fn region(&self, node: usize) -> impl Iterator<Item = VertexSet> + '_ {
        let places = match self.region_ends.get(node) {
            Some(&end) => {
                let start = node.checked_sub(1).map_or(0, |before| self.region_ends[before]);
                &self.regions[start as usize..end as usize]
            }
            None => &[VertexSet::EMPTY],
        };
        places.iter().copied()
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.sets.len()
    }

    /// The numbered tokens' vertices at each node.
    pub fn sets(&self) -> &[VertexSet] {
        &self.sets
    }

    /// The node of a place of the tokens.
    pub fn find(&self, at: Occupied) -> Option<usize> {
        // Sets of another size have no rank.
        if at.numbered.len() != self.places {
            return None;
        }
        self.index.get(at).map(|node| node as usize)
    }

    /// Whether every closed walk of sets permutes the tokens evenly.
    pub fn is_even_only(&self) -> bool {
        self.even_only
    }

    /// Whether walks from the first explored set to this one permute rows oddly.
    pub fn is_odd(&self, set: usize) -> bool {
        self.odd[set]
    }

    /// When every slide changes the colour: the number of sets of the first colour, which come
    /// first.
    pub fn colour_boundary(&self) -> Option<usize> {
        self.colour_boundary
    }

    /// The slides into a set: each shift that occurs, with the sets that slides with it come from.
    pub fn slides_into(&self, set: usize) -> impl Iterator<Item = (usize, &[u32])> {
        let start = |ends: &[u32]| set.checked_sub(1).map_or(0, |before| ends[before] as usize);
        let groups = &self.groups[start(&self.group_ends)..self.group_ends[set] as usize];
        let mut rest = &self.sources[start(&self.source_ends)..self.source_ends[set] as usize];
        groups.iter().map(move |group| {
            let (sources, others) = rest.split_at(group.sources as usize);
            rest = others;
            (group.shift as usize, sources)
        })
    }

    /// The shifts that occur.
    pub fn shifts(&self) -> impl Iterator<Item = (usize, usize)> {
        let mut occurs = vec![false; self.places * self.places];
        for group in &self.groups {
            occurs[group.shift as usize] = true;
        }
        let places = self.places;
        (0..occurs.len()).filter(move |&s| occurs[s]).map(move |s| (s / places, s % places))
    }

    /// Number of slides, each counted at both ends.
    pub fn slides(&self) -> usize {
        self.sources.len()
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        let sets = self.sets.len() * (8 + 1 + 4 + 4 + 4) + self.regions.len() * 8;
        self.index.bytes() + (sets + self.groups.len() * 4 + self.sources.len() * 4) as u64
    }
}
