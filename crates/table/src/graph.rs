//! The occupied sets that slides lead to from a start, and from which of them slides lead to each.

use hyperslide_puzzle::{Board, Vertex, VertexSet};

use crate::layout::Shifts;
use crate::space::{SpaceError, SpaceOptions};
use crate::token_positions::{Occupied, TokenPositions};
use crate::vertex_order::VertexOrder;
use crate::watch::Watch;

/// Slides with the same shift into the same occupied set.
#[derive(Clone, Copy, Debug)]
struct Group {
    shift: u16,
    sources: u16,
}

/// A component of the occupancy graph with the slides into each of its nodes.
///
/// A node is a set of vertices that the numbered tokens occupy. Where there are tokens whose slides
/// cost nothing, it is that and a region: all places of these that such slides lead to from each
/// other.
///
/// Where there are such tokens it is the same from whichever of its nodes it is explored, so that
/// pattern databases can share it; only a parity of rows that is not fixed depends on how a node
/// was reached. Without such tokens the order of nodes depends on the start.
///
/// Memory: 4 bytes a slide, 4 for each shift that occurs at a node, 17 a node, and 37 to 73 for
/// each set of both kinds of tokens that occurs, or where one vertex is empty 12 a node and 4 for
/// each set of numbered tokens.
#[derive(Debug)]
pub(crate) struct OccupancyGraph {
    places: usize,
    /// Sets of the numbered tokens' vertices.
    sets: Vec<VertexSet>,
    at: TokenPositions,
    /// Whether the rows on a set are of the other parity than on the base's when parity is fixed.
    /// The base is the start, or the least node where the start must not show.
    odd: Vec<bool>,
    even_only: bool,
    /// How many sets come before the first of the other colour, when every slide changes colour.
    colour_boundary: Option<usize>,
    group_ends: Vec<u32>,
    groups: Vec<Group>,
    source_ends: Vec<u32>,
    sources: Vec<u32>,
}

/// Bytes of a node without its position, its slides and its shifts.
const BYTES_A_NODE: usize = size_of::<VertexSet>() + size_of::<bool>() + 2 * size_of::<u32>();

/// The greatest number of occupied sets for which an order for the cache is worked out.
const MAX_SETS_TO_ORDER: usize = 200_000;

/// Puts sets in an order in which blocks are still in the cache when they are needed again: always
/// next the set of whose sources fewest are missing from a cache of `cached` blocks, which drops
/// the one not used for longest.
///
/// On `puz[4,2,7]` this takes a simulated cache from 7.3 misses a set to 4.3.
///
/// # Errors
///
/// When the time is over.
fn order_for_cache(
    mut needed: Vec<Vec<u32>>,
    cached: usize,
    watch: Watch<'_>,
) -> Result<Vec<u32>, SpaceError> {
    for (own, blocks) in (0..).zip(&mut needed) {
        blocks.push(own);
    }
    let nodes = needed.len();
    let most = needed.iter().map(Vec::len).max().unwrap_or(0);
    let mut missing: Vec<u32> = needed.iter().map(|blocks| blocks.len() as u32).collect();
    // The sets that are left by the number of missing blocks, the last that came to it first.
    let mut levels = Lists::new(nodes, most + 1);
    for number in (0..nodes).rev() {
        levels.move_to_front(number, missing[number] as usize);
    }
    let mut done = vec![false; nodes];
    // The blocks in the cache, the one used last first.
    let mut cache = Lists::new(nodes, 1);
    let mut is_cached = vec![false; nodes];
    let mut held = 0;
    let mut order = Vec::with_capacity(nodes);
    while order.len() < nodes {
        if order.len().is_multiple_of(NODES_BETWEEN_CHECKS) && watch.is_over() {
            return Err(SpaceError::Stopped);
        }
        let next = (0..=most).find_map(|level| levels.first(level));
        let next = next.expect("every set that is left is in the list of its level");
        done[next] = true;
        levels.remove(next);
        order.push(next as u32);
        for &block in &needed[next] {
            let block = block as usize;
            if !is_cached[block] {
                is_cached[block] = true;
                held += 1;
                // Slides go both ways: the sets that need a block are those that it needs.
                for other in needed[block].iter().map(|&other| other as usize) {
                    missing[other] -= 1;
                    if !done[other] {
                        levels.move_to_front(other, missing[other] as usize);
                    }
                }
            }
            cache.move_to_front(block, 0);
        }
        while held > cached.max(1) {
            let Some(block) = cache.last(0) else { break };
            cache.remove(block);
            is_cached[block] = false;
            held -= 1;
            for other in needed[block].iter().map(|&other| other as usize) {
                missing[other] += 1;
                if !done[other] {
                    levels.move_to_front(other, missing[other] as usize);
                }
            }
        }
    }
    Ok(order)
}

/// Linked lists of numbers, each of which is in one list at most. Takes 8 bytes for each number.
struct Lists {
    numbers: usize,
    /// What follows each number and then each list's head; a number in no list follows itself.
    next: Vec<u32>,
    previous: Vec<u32>,
}

impl Lists {
    /// Returns empty lists for the numbers below a bound.
    fn new(numbers: usize, lists: usize) -> Lists {
        let alone: Vec<u32> = (0..(numbers + lists) as u32).collect();
        Lists { numbers, next: alone.clone(), previous: alone }
    }

    /// Takes a number out of its list, if it is in one.
    fn remove(&mut self, number: usize) {
        let (before, after) = (self.previous[number], self.next[number]);
        self.next[before as usize] = after;
        self.previous[after as usize] = before;
        self.next[number] = number as u32;
        self.previous[number] = number as u32;
    }

    /// Makes a number the first of a list.
    fn move_to_front(&mut self, number: usize, list: usize) {
        self.remove(number);
        let head = self.numbers + list;
        let after = self.next[head];
        self.next[number] = after;
        self.previous[number] = head as u32;
        self.next[head] = number as u32;
        self.previous[after as usize] = number as u32;
    }

    fn first(&self, list: usize) -> Option<usize> {
        Some(self.next[self.numbers + list] as usize).filter(|&number| number < self.numbers)
    }

    fn last(&self, list: usize) -> Option<usize> {
        Some(self.previous[self.numbers + list] as usize).filter(|&number| number < self.numbers)
    }
}

/// A node while the graph is explored.
struct Found {
    set: VertexSet,
    /// Of the node whose arrangements keep the start's parity: whether its rows are odd.
    odd: bool,
    colour: bool,
}

/// The nodes that slides lead to from a start, in the order in which a breadth-first search finds
/// them.
struct Exploration {
    at: TokenPositions,
    nodes: Vec<Found>,
    even_only: bool,
    /// Whether every slide changes the colour.
    two_colours: bool,
    /// The number of slides from all nodes.
    slides: usize,
}

/// The number of nodes between two checks of the limits.
const NODES_BETWEEN_CHECKS: usize = 1 << 8;

/// Bytes that nodes with these slides take at least, in addition to their positions: while they are
/// sorted, or afterwards.
fn bytes_beside_positions(nodes: usize, slides: usize) -> u64 {
    /// Places in the order, and the keys by which it is sorted.
    const SORTED: usize = 4 + size_of::<((u64, Option<VertexSet>), u32)>();
    let sorting = nodes * (size_of::<Found>() + size_of::<VertexSet>() + SORTED);
    sorting.max(nodes * BYTES_A_NODE + slides * size_of::<u32>()) as u64
}

impl Exploration {
    fn run(
        mut at: TokenPositions,
        board: &Board,
        start: Occupied,
        order: &VertexOrder,
        options: &SpaceOptions<'_>,
    ) -> Result<Exploration, SpaceError> {
        let SpaceOptions { walls, max_sets: limit, memory, watch, .. } = *options;
        let too_many = |_| SpaceError::TooManySets { limit };
        at.add(board, walls, start, limit).map_err(too_many)?;
        let mut nodes = vec![Found { set: start.numbered, odd: false, colour: false }];
        let (mut even_only, mut two_colours) = (true, true);
        let mut slides = Vec::new();
        let mut slide_count = 0;
        let fits = |at: &TokenPositions, sets: usize, slides: usize| {
            let needed = at.bytes() + bytes_beside_positions(sets, slides);
            let is_too_much = needed > memory;
            if is_too_much {
                Err(SpaceError::Memory { sets, needed, limit: memory })
            } else {
                Ok(())
            }
        };
        let mut next = 0;
        while next < nodes.len() {
            if next.is_multiple_of(NODES_BETWEEN_CHECKS) {
                if watch.is_over() {
                    return Err(SpaceError::Stopped);
                }
                fits(&at, nodes.len(), slide_count)?;
            }
            let Found { set, odd, colour } = nodes[next];
            slides.clear();
            at.for_each_slide(board, walls, next, set, |from, to, then| {
                slides.push((from, to, then));
            });
            next += 1;
            slide_count += slides.len();
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
                        at.add(board, walls, then, limit).map_err(too_many)?;
                        let set = then.numbered;
                        nodes.push(Found { set, odd: target_odd, colour: !colour });
                    }
                }
            }
        }
        fits(&at, nodes.len(), slide_count)?;
        Ok(Exploration { at, nodes, even_only, two_colours, slides: slide_count })
    }
}

impl OccupancyGraph {
    /// Explores from a start and keeps the places in `at`, which has none yet. Tokens on the
    /// options' walls never move; `start` does not include them. At most as many sets of both kinds
    /// of tokens are looked at as the options allow. `cached` blocks fit in the cache.
    pub fn explore(
        at: TokenPositions,
        board: &Board,
        start: Occupied,
        order: &VertexOrder,
        options: &SpaceOptions<'_>,
        cached: usize,
    ) -> Result<OccupancyGraph, SpaceError> {
        let walls = options.walls;
        let Exploration { at, nodes, even_only, two_colours, slides } =
            Exploration::run(at, board, start, order, options)?;
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
        let mut numbering: Vec<u32> = (0..nodes.len() as u32).collect();
        numbering.sort_by_cached_key(|&node| {
            let set = order.row_of(nodes[node as usize].set);
            (set, graph.region(node as usize).min())
        });
        let base = if start.has_free() { numbering[0] } else { 0 };
        let Found { odd: base_odd, colour: base_colour, .. } = nodes[base as usize];
        let colour = |node: u32| two_colours && nodes[node as usize].colour != base_colour;
        numbering.sort_by_key(|&node| colour(node));
        // In a cache that holds all blocks no order is better. Other tables keep theirs: seeded
        // draws of states count in it.
        let is_worth_it = numbering.len() > cached || !start.has_free();
        if is_worth_it && numbering.len() <= MAX_SETS_TO_ORDER {
            numbering = graph.ordered_for_cache(board, walls, &numbering, cached, options.watch)?;
            numbering.sort_by_key(|&node| colour(node));
        }
        graph.odd = numbering.iter().map(|&node| nodes[node as usize].odd != base_odd).collect();
        graph.colour_boundary =
            two_colours.then(|| numbering.iter().take_while(|&&node| !colour(node)).count());
        drop(nodes);
        graph.number(&numbering);
        // A slide may be found from several places of a region, and is kept once.
        if !start.has_free() || matches!(graph.at, TokenPositions::OneEmpty(_)) {
            graph.sources.reserve_exact(slides);
        }
        graph.find_sources(board, order, options)?;
        Ok(graph)
    }

    /// Puts a numbering of the nodes in an order in which a cache of `cached` blocks is used well.
    fn ordered_for_cache(
        &self,
        board: &Board,
        walls: VertexSet,
        numbering: &[u32],
        cached: usize,
        watch: Watch<'_>,
    ) -> Result<Vec<u32>, SpaceError> {
        let mut place = vec![0; numbering.len()];
        for (at, &node) in (0..).zip(numbering) {
            place[node as usize] = at;
        }
        let needed = numbering.iter().enumerate().map(|(number, &node)| {
            if number.is_multiple_of(NODES_BETWEEN_CHECKS) && watch.is_over() {
                return Err(SpaceError::Stopped);
            }
            let mut needed = Vec::new();
            self.for_each_slide(board, walls, node as usize, |_, _, other| {
                needed.push(place[other as usize]);
            });
            // In which order slides are found must not show in the file.
            needed.sort_unstable();
            Ok(needed)
        });
        let ordered = order_for_cache(needed.collect::<Result<_, _>>()?, cached, watch)?;
        Ok(ordered.into_iter().map(|at| numbering[at as usize]).collect())
    }

    /// Puts the nodes in this order.
    fn number(&mut self, order: &[u32]) {
        self.sets = order.iter().map(|&old| self.sets[old as usize]).collect();
        self.at.renumber(order);
    }

    /// Calls with every slide of a numbered token from a node: from where to where, and to which
    /// node.
    fn for_each_slide(
        &self,
        board: &Board,
        walls: VertexSet,
        node: usize,
        mut visit: impl FnMut(Vertex, Vertex, u32),
    ) {
        self.at.for_each_slide(board, walls, node, self.sets[node], |from, to, then| {
            visit(from, to, self.at.find(then).expect("slides stay in the component"));
        });
    }

    fn find_sources(
        &mut self,
        board: &Board,
        order: &VertexOrder,
        options: &SpaceOptions<'_>,
    ) -> Result<(), SpaceError> {
        let walls = options.walls;
        let mut slides: Vec<(u16, u32)> = Vec::new();
        for node in 0..self.sets.len() {
            if node.is_multiple_of(NODES_BETWEEN_CHECKS) && options.watch.is_over() {
                return Err(SpaceError::Stopped);
            }
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
            // A region may be entered from more nodes than a group can have.
            let same = slides.chunk_by(|a, b| a.0 == b.0);
            for same in same.flat_map(|same| same.chunks(usize::from(u16::MAX))) {
                self.groups.push(Group { shift: same[0].0, sources: same.len() as u16 });
                self.sources.extend(same.iter().map(|&(_, source)| source));
            }
            self.group_ends.push(self.groups.len() as u32);
            self.source_ends.push(self.sources.len() as u32);
        }
        Ok(())
    }

    /// The places of the free tokens that belong to a node: one empty set when there are no such
    /// tokens.
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

    /// Returns whether every closed walk of sets permutes the tokens evenly.
    pub fn is_even_only(&self) -> bool {
        self.even_only
    }

    /// Returns whether walks from the base's set to this one permute rows oddly.
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
        let sets = self.sets.len() * BYTES_A_NODE;
        self.at.bytes() + (sets + self.groups.len() * 4 + self.sources.len() * 4) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where one vertex is empty or no token is free, positions are kept in another form, and the
    /// graph must not show it.
    #[test]
    fn all_forms_of_positions_make_the_same_graph() {
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
            for free in [free, VertexSet::EMPTY] {
                let start = Occupied { numbered, free };
                let order = VertexOrder::along_faces(&board);
                let options = SpaceOptions { walls, ..SpaceOptions::default() };
                let explore = |places| {
                    OccupancyGraph::explore(places, &board, start, &order, &options, 100).unwrap()
                };
                let fast = explore(TokenPositions::new(&board, start, walls, 1 << 20));
                match free.is_empty() {
                    true => assert!(matches!(fast.at, TokenPositions::NoneFree(_))),
                    false => assert!(matches!(fast.at, TokenPositions::OneEmpty(_))),
                }
                let plain = explore(TokenPositions::any());
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
                        graph
                            .slides_into(node)
                            .map(|(shift, from)| (shift, from.to_vec()))
                            .collect()
                    };
                    assert_eq!(slides(&fast), slides(&plain));
                    for free in fast.region(node) {
                        let at = Occupied { numbered: fast.sets[node], free };
                        assert_eq!((fast.find(at), plain.find(at)), (Some(node), Some(node)));
                    }
                }
                // Neither have positions with one token more or less, or with one on a wall, a
                // node.
                let first = numbered.lowest().unwrap();
                let others = walls.into_iter().map(|wall| numbered.moved(first, wall));
                for numbered in others.chain([
                    numbered | VertexSet::single(last),
                    numbered - VertexSet::single(first),
                ]) {
                    let at = Occupied { numbered, free: VertexSet::EMPTY };
                    assert_eq!((fast.find(at), plain.find(at)), (None, None));
                }
            }
        }
    }

    /// Tables whose tokens stand elsewhere share a graph, so the start must not show in it.
    #[test]
    fn a_component_is_the_same_from_each_of_its_nodes() {
        for (board, tokens) in [("grid:3:3", 3), ("grid:2:4", 5), ("cube:4:1", 2), ("cube:3:1", 3)]
        {
            let Ok(hyperslide_puzzle::BoardSource::Spec(spec)) = board.parse() else {
                panic!("{board}");
            };
            let board = Board::new(spec, hyperslide_puzzle::Metric::Face).unwrap();
            let order = VertexOrder::along_faces(&board);
            let options = SpaceOptions::default();
            let explore = |start: Occupied, cached: usize| {
                let places = TokenPositions::new(&board, start, VertexSet::EMPTY, 1 << 20);
                OccupancyGraph::explore(places, &board, start, &order, &options, cached).unwrap()
            };
            let numbered = VertexSet::first(tokens);
            let last = Vertex::new(board.vertex_count() - 1).unwrap();
            let free = board.vertex_set() - numbered - VertexSet::single(last);
            for cached in [2, usize::MAX - 1] {
                let first = explore(Occupied { numbered, free }, cached);
                for node in (0..first.len()).step_by(7) {
                    let free = first.region(node).next().unwrap();
                    let other = explore(Occupied { numbered: first.sets[node], free }, cached);
                    assert_eq!(first.sets, other.sets);
                    assert_eq!(first.even_only, other.even_only);
                    assert!(!first.even_only || first.odd == other.odd);
                    assert_eq!(first.colour_boundary, other.colour_boundary);
                    assert_eq!(first.group_ends, other.group_ends);
                    assert_eq!(first.sources, other.sources);
                }
            }
        }
    }
}
