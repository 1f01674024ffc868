//! The occupied sets that slides lead to from a start, and from which of them slides lead to each.

use hyperslide_puzzle::{Board, Vertex, VertexSet};
use rustc_hash::FxHashMap;

use crate::layout::Shifts;

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

/// A component of the occupancy graph with the slides into each of its sets.
///
/// Memory: 4 bytes a slide, 4 for each shift that occurs at a set, 24 and a hash entry of 12 to 24
/// bytes a set.
#[derive(Clone, Debug)]
pub(crate) struct OccupancyGraph {
    places: usize,
    /// Sets of the moving tokens' vertices, walls excluded.
    sets: Vec<VertexSet>,
    index: FxHashMap<u64, u32>,
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
fn order_for_cache(
    board: &Board,
    walls: VertexSet,
    sets: &[VertexSet],
    cached: usize,
) -> Vec<VertexSet> {
    let index: FxHashMap<u64, u32> =
        sets.iter().zip(0..).map(|(set, number)| (set.bits(), number)).collect();
    let needed: Vec<Vec<u32>> = sets
        .iter()
        .zip(0..)
        .map(|(&set, number)| {
            let mut needed = vec![number];
            for to in set {
                let from = board.destinations(to, set | walls).into_iter();
                needed.extend(from.map(|from| index[&set.moved(to, from).bits()]));
            }
            needed
        })
        .collect();
    let most = needed.iter().map(Vec::len).max().unwrap_or(0);
    let mut missing: Vec<u32> = needed.iter().map(|blocks| blocks.len() as u32).collect();
    // Sets by the number of missing blocks; entries that are out of date are passed over.
    let mut buckets: Vec<Vec<u32>> = vec![Vec::new(); most + 1];
    for number in (0..sets.len()).rev() {
        buckets[missing[number] as usize].push(number as u32);
    }
    let mut done = vec![false; sets.len()];
    let mut last_use = vec![u64::MAX; sets.len()];
    let mut uses: std::collections::VecDeque<(u32, u64)> = std::collections::VecDeque::new();
    let (mut clock, mut held) = (0, 0);
    let mut order = Vec::with_capacity(sets.len());
    while order.len() < sets.len() {
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
        order.push(sets[next]);
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

impl OccupancyGraph {
    /// Explores from a start. Tokens on `walls` never move; `start` does not include them.
    pub fn explore(
        board: &Board,
        start: VertexSet,
        walls: VertexSet,
        order: &VertexOrder,
        limit: usize,
        cached: usize,
    ) -> Result<OccupancyGraph, TooManySets> {
        let places = start.len();
        let mut found = vec![start];
        let mut seen: FxHashMap<u64, (bool, bool)> = FxHashMap::default();
        // Of the set whose arrangements keep the start's parity: whether its rows are odd; its
        // colour.
        seen.insert(start.bits(), (false, false));
        let (mut even_only, mut two_colours) = (true, true);
        let mut next = 0;
        while next < found.len() {
            let set = found[next];
            next += 1;
            let (odd, colour) = seen[&set.bits()];
            let row = order.row_of(set);
            for from in set {
                for to in board.destinations(from, set | walls) {
                    let target = set.moved(from, to);
                    let target_row = row & !(1 << order.position(from));
                    let passed = order.place(row, from).abs_diff(order.place(target_row, to));
                    let target_odd = odd != (passed % 2 == 1);
                    match seen.get(&target.bits()) {
                        Some(&known) => {
                            even_only &= known.0 == target_odd;
                            two_colours &= known.1 != colour;
                        }
                        None if found.len() >= limit => return Err(TooManySets),
                        None => {
                            seen.insert(target.bits(), (target_odd, !colour));
                            found.push(target);
                        }
                    }
                }
            }
        }
        found.sort_by_key(|set| {
            let colour = two_colours && seen[&set.bits()].1;
            (colour, order.row_of(*set))
        });
        if found.len() <= MAX_SETS_TO_ORDER {
            found = order_for_cache(board, walls, &found, cached);
            found.sort_by_key(|set| two_colours && seen[&set.bits()].1);
        }
        let odd: Vec<bool> = found.iter().map(|set| seen[&set.bits()].0).collect();
        let colour_boundary =
            two_colours.then(|| found.iter().take_while(|set| !seen[&set.bits()].1).count());
        drop(seen);
        let index: FxHashMap<u64, u32> =
            found.iter().zip(0..).map(|(set, number)| (set.bits(), number)).collect();
        let mut graph = OccupancyGraph {
            places,
            sets: found,
            index,
            odd,
            even_only,
            colour_boundary,
            group_ends: Vec::new(),
            groups: Vec::new(),
            source_ends: Vec::new(),
            sources: Vec::new(),
        };
        graph.find_sources(board, walls, order);
        Ok(graph)
    }

    fn find_sources(&mut self, board: &Board, walls: VertexSet, order: &VertexOrder) {
        let mut slides: Vec<(u16, u32)> = Vec::new();
        for &set in &self.sets {
            slides.clear();
            let row = order.row_of(set);
            for to in set {
                // A slide can be taken back, so where this token could go it could come from.
                for from in board.destinations(to, set | walls) {
                    let source = set.moved(to, from);
                    let source_row = order.row_of(source);
                    let shift = Shifts::number(
                        self.places,
                        order.place(source_row, from),
                        order.place(row, to),
                    );
                    slides.push((shift as u16, self.index[&source.bits()]));
                }
            }
            slides.sort_unstable();
            for same in slides.chunk_by(|a, b| a.0 == b.0) {
                self.groups.push(Group { shift: same[0].0, sources: same.len() as u16 });
                self.sources.extend(same.iter().map(|&(_, source)| source));
            }
            self.group_ends.push(self.groups.len() as u32);
            self.source_ends.push(self.sources.len() as u32);
        }
    }

    /// Number of occupied sets.
    pub fn len(&self) -> usize {
        self.sets.len()
    }

    /// The occupied sets, walls excluded.
    pub fn sets(&self) -> &[VertexSet] {
        &self.sets
    }

    /// The number of an occupied set.
    pub fn find(&self, set: VertexSet) -> Option<usize> {
        self.index.get(&set.bits()).map(|&number| number as usize)
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
        let sets = self.sets.len() * (8 + 1 + 4 + 4) + self.index.capacity() * 14;
        (sets + self.groups.len() * 4 + self.sources.len() * 4) as u64
    }
}
