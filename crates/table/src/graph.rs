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

/// Which places of the tokens each node has, and the node of each.
#[derive(Clone, Debug)]
enum Places {
    /// Any places.
    Any {
        nodes: FxHashMap<(VertexSet, VertexSet), u32>,
        /// Those of the free tokens, node after node.
        free: Vec<VertexSet>,
        ends: Vec<u32>,
    },
    OneEmpty(OneEmpty),
}

/// Places where one vertex of those that are no walls is empty: of the free tokens only it is known.
#[derive(Clone, Debug)]
struct OneEmpty {
    /// All vertices but the walls.
    left: VertexSet,
    /// Where the token on a vertex can slide when that is the empty vertex.
    neighbours: Vec<VertexSet>,
    ranks: SetRanks,
    /// By the rank of the numbered tokens' set: one of its nodes, or [`NO_NODE`].
    first: Vec<u32>,
    /// Another node of the same set, or [`NO_NODE`].
    next: Vec<u32>,
    /// The vertices that can be empty at a node.
    empty: Vec<VertexSet>,
}

const NO_NODE: u32 = u32::MAX;

/// Sets that [`OneEmpty`] has ranks for at most: 400 MB.
const MAX_RANKED: u64 = 100_000_000;

impl OneEmpty {
    /// `None` unless one vertex is empty, some tokens are free, and there are few enough sets.
    fn new(board: &Board, start: Occupied, walls: VertexSet) -> Option<OneEmpty> {
        let left = board.vertex_set() - walls;
        if (left - start.numbered - start.free).len() != 1 || start.free.is_empty() {
            return None;
        }
        let ranks = SetRanks::new(board.vertex_count(), start.numbered.len())?;
        if ranks.count() > MAX_RANKED {
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

    /// Adds the node of a place that has none: the empty vertex goes wherever free tokens let it.
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

impl Places {
    fn new(board: &Board, start: Occupied, walls: VertexSet) -> Places {
        match OneEmpty::new(board, start, walls) {
            Some(places) => Places::OneEmpty(places),
            None => Places::any(),
        }
    }

    fn any() -> Places {
        Places::Any { nodes: FxHashMap::default(), free: Vec::new(), ends: Vec::new() }
    }

    /// The node of a place.
    fn find(&self, at: Occupied) -> Option<u32> {
        match self {
            Places::Any { nodes, .. } => nodes.get(&(at.numbered, at.free)).copied(),
            Places::OneEmpty(places) => places.find(at.numbered, places.empty_vertex(at)?),
        }
    }

    /// Adds the node of a place that has none yet. At most `limit` places or nodes are kept.
    fn add(
        &mut self,
        board: &Board,
        walls: VertexSet,
        at: Occupied,
        limit: usize,
    ) -> Result<(), TooManySets> {
        let Occupied { numbered, free: start } = at;
        let (nodes, free, ends) = match self {
            Places::Any { nodes, free, ends } => (nodes, free, ends),
            Places::OneEmpty(places) => {
                if places.empty.len() >= limit {
                    return Err(TooManySets);
                }
                places.add(numbered, places.empty_vertex(at).expect("one vertex stays empty"));
                return Ok(());
            }
        };
        let number = ends.len() as u32;
        let mut next = free.len();
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
        ends.push(next as u32);
        Ok(())
    }

    /// The places of the free tokens at a node of this set.
    fn region(&self, node: usize, set: VertexSet) -> impl Iterator<Item = VertexSet> + '_ {
        let (some, empty) = match self {
            Places::Any { free, ends, .. } => {
                let start = node.checked_sub(1).map_or(0, |before| ends[before]);
                (&free[start as usize..ends[node] as usize], None)
            }
            Places::OneEmpty(places) => (&[][..], Some((places.left - set, places.empty[node]))),
        };
        let one_empty = empty.into_iter().flat_map(|(left, empty)| {
            empty.into_iter().map(move |vertex| left - VertexSet::single(vertex))
        });
        some.iter().copied().chain(one_empty)
    }

    /// Calls with every slide of a numbered token from a node: from where to where, and the place then.
    fn for_each_slide(
        &self,
        board: &Board,
        walls: VertexSet,
        node: usize,
        set: VertexSet,
        mut tell: impl FnMut(Vertex, Vertex, Occupied),
    ) {
        if let Places::OneEmpty(places) = self {
            for from in set {
                for to in places.neighbours[from.index()] & places.empty[node] {
                    let numbered = set.moved(from, to);
                    let free = places.left - numbered - VertexSet::single(from);
                    tell(from, to, Occupied { numbered, free });
                }
            }
            return;
        }
        for free in self.region(node, set) {
            for from in set {
                for to in board.destinations(from, set | free | walls) {
                    tell(from, to, Occupied { numbered: set.moved(from, to), free });
                }
            }
        }
    }

    /// Puts the nodes in this order.
    fn renumber(&mut self, order: &[u32]) {
        let mut number = vec![NO_NODE; order.len()];
        for (new, &old) in (0..).zip(order) {
            number[old as usize] = new;
        }
        match self {
            Places::Any { nodes, free, ends } => {
                nodes.values_mut().for_each(|node| *node = number[*node as usize]);
                let (mut ordered, mut ordered_ends) = (Vec::new(), Vec::new());
                for &old in order {
                    let start = (old as usize).checked_sub(1).map_or(0, |before| ends[before]);
                    ordered.extend(&free[start as usize..ends[old as usize] as usize]);
                    ordered_ends.push(ordered.len() as u32);
                }
                (*free, *ends) = (ordered, ordered_ends);
            }
            Places::OneEmpty(places) => {
                let renumbered = |node: u32| number.get(node as usize).copied().unwrap_or(NO_NODE);
                places.first.iter_mut().for_each(|node| *node = renumbered(*node));
                let old = |&old: &u32| old as usize;
                places.next = order.iter().map(|node| renumbered(places.next[old(node)])).collect();
                places.empty = order.iter().map(|node| places.empty[old(node)]).collect();
            }
        }
    }

    fn bytes(&self) -> u64 {
        match self {
            // A byte and an entry of 24 for each of 8/7 of the capacity.
            Places::Any { nodes, free, ends } => {
                (nodes.capacity() * 8 / 7 * 25 + free.len() * 8 + ends.len() * 4) as u64
            }
            Places::OneEmpty(places) => {
                places.ranks.bytes() + (places.first.len() * 4 + places.empty.len() * 12) as u64
            }
        }
    }
}

/// A component of the occupancy graph with the slides into each of its nodes.
///
/// A node is a set of vertices that the numbered tokens occupy. Where there are tokens whose slides
/// cost nothing, it is that and a region: all places of these that such slides lead to from each other.
///
/// Memory: 4 bytes a slide, 4 for each shift that occurs at a node, 17 a node, and 37 to 73 for each set
/// of both kinds of tokens that occurs, or where one vertex is empty 12 a node and 4 for each set of numbered tokens.
#[derive(Clone, Debug)]
pub(crate) struct OccupancyGraph {
    places: usize,
    /// Sets of the numbered tokens' vertices.
    sets: Vec<VertexSet>,
    at: Places,
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
    /// Of the node whose arrangements keep the start's parity: whether its rows are odd.
    odd: bool,
    colour: bool,
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
        let at = Places::new(board, start, walls);
        OccupancyGraph::explore_in(at, board, start, walls, order, limit, cached)
    }

    fn explore_in(
        mut at: Places,
        board: &Board,
        start: Occupied,
        walls: VertexSet,
        order: &VertexOrder,
        limit: usize,
        cached: usize,
    ) -> Result<OccupancyGraph, TooManySets> {
        at.add(board, walls, start, limit)?;
        let mut nodes = vec![Found { set: start.numbered, odd: false, colour: false }];
        let (mut even_only, mut two_colours) = (true, true);
        let mut slides = Vec::new();
        let mut next = 0;
        while next < nodes.len() {
            let Found { set, odd, colour } = nodes[next];
            slides.clear();
            at.for_each_slide(board, walls, next, set, |from, to, then| {
                slides.push((from, to, then));
            });
            next += 1;
            let row = order.row_of(set);
            for &(from, to, then) in &slides {
                let target_row = row & !(1 << order.position(from));
                let passed = order.place(row, from).abs_diff(order.place(target_row, to));
                let target_odd = odd != (passed % 2 == 1);
                match at.find(then) {
                    Some(known) => {
                        let known = &nodes[known as usize];
                        even_only &= known.odd == target_odd;
                        two_colours &= known.colour != colour;
                    }
                    None => {
                        at.add(board, walls, then, limit)?;
                        let set = then.numbered;
                        nodes.push(Found { set, odd: target_odd, colour: !colour });
                    }
                }
            }
        }
        let mut graph = OccupancyGraph {
            places: start.numbered.len(),
            sets: nodes.iter().map(|node| node.set).collect(),
            at,
            odd: Vec::new(),
            even_only,
            colour_boundary: None,
            group_ends: Vec::new(),
            groups: Vec::new(),
            source_ends: Vec::new(),
            sources: Vec::new(),
        };
        let colour = |node: u32| two_colours && nodes[node as usize].colour;
        let mut numbering: Vec<u32> = (0..nodes.len() as u32).collect();
        numbering.sort_by_cached_key(|&node| {
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
                // In which order slides are found must not show in the file.
                needed.sort_unstable();
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
        self.sets = order.iter().map(|&old| self.sets[old as usize]).collect();
        self.at.renumber(order);
    }

    /// Calls with every slide of a numbered token from a node: from where to where, and to which node.
    fn for_each_slide(
        &self,
        board: &Board,
        walls: VertexSet,
        node: usize,
        mut tell: impl FnMut(Vertex, Vertex, u32),
    ) {
        self.at.for_each_slide(board, walls, node, self.sets[node], |from, to, then| {
            tell(from, to, self.at.find(then).expect("slides stay in the component"));
        });
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

    /// The places of the free tokens that belong to a node: one empty set when there are no such tokens.
    pub fn region(&self, node: usize) -> impl Iterator<Item = VertexSet> + '_ {
        self.at.region(node, self.sets[node])
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
        self.at.find(at).map(|node| node as usize)
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

    /// Which of the two colours a set has; `false` for all where some slide keeps the colour.
    pub fn colour(&self, set: usize) -> bool {
        self.colour_boundary.is_some_and(|boundary| set >= boundary)
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
        let sets = self.sets.len() * (8 + 1 + 4 + 4);
        self.at.bytes() + (sets + self.groups.len() * 4 + self.sources.len() * 4) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where one vertex is empty the places are kept in another form, and the graph must not show it.
    #[test]
    fn both_forms_of_places_make_the_same_graph() {
        let set = |vertices: &[usize]| -> VertexSet {
            vertices.iter().map(|&vertex| Vertex::new(vertex).unwrap()).collect()
        };
        for (board, numbered, walls) in [
            ("grid:3:4", &[0, 5, 7][..], &[][..]),
            ("grid:3:3", &[1, 2, 4], &[0]),
            ("grid:4:4", &[3, 6, 9, 12], &[]),
            ("cube:3:1", &[0, 6], &[3]),
            ("grid:2:4", &[2, 5], &[]),
        ] {
            let Ok(hyperslide_puzzle::BoardSource::Spec(spec)) = board.parse() else {
                panic!("{board}");
            };
            let board = Board::new(spec, hyperslide_puzzle::Metric::Face).unwrap();
            let (numbered, walls) = (set(numbered), set(walls));
            let last = Vertex::new(board.vertex_count() - 1).unwrap();
            let free = board.vertex_set() - numbered - walls - VertexSet::single(last);
            let start = Occupied { numbered, free };
            let order = VertexOrder::along_faces(&board);
            let explore = |places| {
                OccupancyGraph::explore_in(places, &board, start, walls, &order, 1 << 20, 100)
                    .unwrap()
            };
            let fast = explore(Places::new(&board, start, walls));
            assert!(matches!(fast.at, Places::OneEmpty(_)));
            let plain = explore(Places::any());
            assert_eq!(fast.sets, plain.sets);
            assert_eq!(fast.even_only, plain.even_only);
            // Otherwise the parity of a node depends on how it was reached.
            assert!(!fast.even_only || fast.odd == plain.odd);
            assert_eq!(fast.colour_boundary, plain.colour_boundary);
            for node in 0..fast.len() {
                let sorted = |graph: &OccupancyGraph| {
                    let mut region: Vec<VertexSet> = graph.region(node).collect();
                    region.sort_unstable();
                    region
                };
                assert_eq!(sorted(&fast), sorted(&plain));
                let slides = |graph: &OccupancyGraph| -> Vec<(usize, Vec<u32>)> {
                    graph.slides_into(node).map(|(shift, from)| (shift, from.to_vec())).collect()
                };
                assert_eq!(slides(&fast), slides(&plain));
                for free in fast.region(node) {
                    let at = Occupied { numbered: fast.sets[node], free };
                    assert_eq!((fast.find(at), plain.find(at)), (Some(node), Some(node)));
                }
            }
        }
    }
}
