//! The numbering of the states up to the symmetries of the start.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};

use hyperslide_puzzle::{Board, Label, Permutation, State, Vertex, VertexSet, symmetry_group};
use rustc_hash::FxHashMap;
use thiserror::Error;

use super::division::{Division, MAX_PREFIX};
use super::relabel::{Relabeller, Relabelling};
use crate::arrangements::is_odd;
use crate::layout::{BlockLayout, Parity, Place, Shifts};
use crate::vertex_order::VertexOrder;

/// Symmetries of a board that are listed at most.
const MAX_SYMMETRIES: usize = 10_000;

/// Why the states of a puzzle graph cannot be numbered for a search in files.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum QuotientError {
    /// Two tokens have the same label.
    #[error(
        "a search in files needs tokens with distinct labels, but two have the same: search in memory"
    )]
    EqualLabels,
    /// There are too few tokens for blocks.
    #[error("a search in files needs at least two tokens that can move: search in memory")]
    TooFewTokens,
    /// There are too many tokens for blocks.
    #[error("a search in files takes at most 21 tokens that can move: use fewer tokens")]
    TooManyTokens,
    /// There are too many blocks.
    #[error("the states make more than {limit} blocks: use fewer tokens or a smaller board")]
    TooManyBlocks {
        /// The number of blocks allowed.
        limit: usize,
    },
    /// The numbering was cancelled.
    #[error("cancelled")]
    Cancelled,
}

/// The positions of the prefix tokens and the empty vertices: what the states of a block share.
///
/// Keys are ordered by the prefix first, so that blocks with the same positions of these tokens are
/// neighbours in the files, and nearly always represent their orbits by the same symmetry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Key {
    /// Six bits for each token, the first one highest.
    prefix: u64,
    empty: u64,
}

/// A block: one occupied set with one placement of the prefix tokens, which represents its orbit.
#[derive(Clone, Copy, Debug)]
struct Node {
    key: Key,
    /// Whether its rows are odd, where the states have rows of one parity only.
    is_odd: bool,
    colour: bool,
    /// The number of blocks that symmetries make of it.
    orbit: u32,
}

/// A slide into a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    /// The block from which the tokens slide, by its number.
    pub source: u32,
    /// The symmetry by which the source represents its orbit, by its number among the relabellings.
    pub relabelling: Option<u32>,
    /// What the slide does to the rows; nothing if a prefix token slides.
    pub shift: Option<u16>,
}

/// The states with distinct tokens that a start can reach, up to the symmetries of the board that
/// fix the start's empty vertices, in blocks.
///
/// With distinct labels, a symmetry `s` of the board that fixes the set of empty vertices of the
/// start acts on positions and labels at once, `x -> s x s^-1`, fixes the start, and so keeps
/// distances from it. Of each orbit of blocks one is kept. Counts are weighed by the sizes of the
/// orbits; a block that some symmetries fix is closed under them.
///
/// Memory: some 64 bytes for each block and 16 for each slide between blocks, 32 while they are
/// numbered; relabellings take 40 bytes each.
pub struct QuotientSpace {
    board: Board,
    start: State,
    walls: VertexSet,
    division: Division,
    layout: BlockLayout,
    shifts: Shifts,
    order: VertexOrder,
    parity: Parity,
    /// The symmetries, the identity first, and the inverse of each.
    symmetries: Vec<Permutation>,
    inverses: Vec<u16>,
    relabeller: Relabeller,
    relabellings: Vec<Relabelling>,
    nodes: Vec<Node>,
    /// The number of blocks of the start's colour, which come first; `None` if a closed walk has an
    /// odd number of slides.
    boundary: Option<usize>,
    edge_ends: Vec<u32>,
    edges: Vec<Edge>,
    numbers: FxHashMap<Key, u32>,
    /// For each label, the start's vertex.
    label_vertices: Vec<Option<Vertex>>,
    /// For each symmetry and prefix token, where the image of the token is in a key.
    prefix_shifts: Vec<[u8; MAX_PREFIX]>,
}

impl QuotientSpace {
    /// Explores the blocks that can be reached from the start. The tokens on the vertices of `walls`
    /// never move. `max_blocks` bounds the number of blocks.
    ///
    /// # Errors
    ///
    /// Returns an error if labels are equal, if fewer than two tokens can move, if there are too many
    /// blocks, or if `cancel` becomes true.
    pub fn new(
        board: &Board,
        start: &State,
        walls: VertexSet,
        max_blocks: usize,
        cancel: &AtomicBool,
    ) -> Result<QuotientSpace, QuotientError> {
        let symmetries = stabiliser(board, start.occupied(), walls);
        let moving: State = start.tokens().filter(|&(vertex, _)| !walls.contains(vertex)).collect();
        let has_one_parity = board.vertex_count() - start.occupied().len() == 1;
        let (division, symmetries) = Division::choose(&moving, &symmetries, has_one_parity)?;
        QuotientSpace::divided(board, start, walls, division, symmetries, max_blocks, cancel)
    }

    /// The space with these symmetries and a division that they respect.
    fn divided(
        board: &Board,
        start: &State,
        walls: VertexSet,
        division: Division,
        symmetries: Vec<Permutation>,
        max_blocks: usize,
        cancel: &AtomicBool,
    ) -> Result<QuotientSpace, QuotientError> {
        let mut label_vertices = Vec::new();
        for (vertex, label) in start.tokens() {
            if label_vertices.len() <= label.index() {
                label_vertices.resize(label.index() + 1, None);
            }
            if label_vertices[label.index()].replace(vertex).is_some() {
                return Err(QuotientError::EqualLabels);
            }
        }
        let prefix_shifts = prefix_shifts(start, &division, &symmetries, &label_vertices);
        let explorer = Explorer {
            board,
            start,
            walls,
            order: VertexOrder::along_faces(board),
            division: &division,
            symmetries: &symmetries,
            label_vertices: &label_vertices,
            prefix_shifts: &prefix_shifts,
        };
        let Explored { mut nodes, slides, ends, relabellings, is_even_only, has_two_colours } =
            explorer.explore(max_blocks, cancel)?;
        let order = explorer.order.clone();
        let rest = division.rest().len();
        let parity = if is_even_only { Parity::Fixed } else { Parity::Both };
        let layout = BlockLayout::of_distinct(rest, division.lanes.len(), parity)
            .ok_or(QuotientError::TooManyBlocks { limit: max_blocks })?;
        // Blocks are numbered by colour, then by key.
        let mut sorted: Vec<usize> = (0..nodes.len()).collect();
        let is_other = |node: &Node| has_two_colours && node.colour != nodes[0].colour;
        sorted.sort_by_key(|&node| (is_other(&nodes[node]), nodes[node].key));
        let mut number = vec![0; nodes.len()];
        for (new, &old) in sorted.iter().enumerate() {
            number[old] = new as u32;
        }
        let boundary = has_two_colours.then(|| nodes.iter().filter(|node| !is_other(node)).count());
        let classes: Vec<Vec<u8>> = symmetries
            .iter()
            .map(|symmetry| explorer.renamed(symmetry, &division.rest()))
            .collect();
        let mut edges = Vec::with_capacity(slides.len());
        let mut edge_ends = Vec::with_capacity(nodes.len());
        for &old in &sorted {
            let first = old.checked_sub(1).map_or(0, |before| ends[before]);
            for &slide in &slides[first as usize..ends[old] as usize] {
                edges.push(Edge { source: number[slide.source as usize], ..slide });
            }
            edge_ends.push(edges.len() as u32);
        }
        drop((slides, ends));
        let wanted = edges.iter().filter_map(|edge| edge.shift);
        let shifts = Shifts::new(
            &layout,
            wanted.map(|shift| (usize::from(shift) / rest, usize::from(shift) % rest)),
            cancel,
        )
        .ok_or(QuotientError::Cancelled)?;
        nodes = sorted.iter().map(|&old| nodes[old]).collect();
        let numbers = nodes.iter().zip(0..).map(|(node, number)| (node.key, number)).collect();
        let inverses = symmetries.iter().map(|symmetry| {
            let inverse = symmetry.inverse();
            symmetries.iter().position(|other| *other == inverse).expect("a group") as u16
        });
        Ok(QuotientSpace {
            board: board.clone(),
            start: *start,
            walls,
            relabeller: Relabeller::new(&layout, &classes),
            inverses: inverses.collect(),
            division,
            layout,
            shifts,
            order,
            parity,
            symmetries,
            relabellings,
            nodes,
            boundary,
            edge_ends,
            edges,
            numbers,
            label_vertices,
            prefix_shifts,
        })
    }

    /// Returns the board.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Returns the start.
    pub fn start(&self) -> &State {
        &self.start
    }

    /// Returns the vertices whose tokens never move.
    pub fn walls(&self) -> VertexSet {
        self.walls
    }

    /// Returns the number of blocks.
    pub fn blocks(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the number of blocks whose states have the start's colour, which come first, or `None`
    /// if states do not have two colours that every slide changes.
    pub fn blocks_of_start_colour(&self) -> Option<usize> {
        self.boundary
    }

    /// Returns the number of symmetries by which states are identified.
    pub fn symmetries(&self) -> usize {
        self.symmetries.len()
    }

    /// Returns the size in bytes of one block.
    pub fn block_bytes(&self) -> u64 {
        self.layout.bytes()
    }

    /// Returns the number of states in one block.
    pub fn block_states(&self) -> u64 {
        self.layout.arrangements()
    }

    /// Returns the number of blocks in the orbit that a block represents.
    pub fn orbit(&self, block: usize) -> u64 {
        u64::from(self.nodes[block].orbit)
    }

    /// Returns the number of states, all members of orbits counted.
    pub fn states(&self) -> u128 {
        let orbits: u128 = self.nodes.iter().map(|node| u128::from(node.orbit)).sum();
        orbits * u128::from(self.layout.arrangements())
    }

    /// Returns the bytes of memory that the numbering takes.
    pub(crate) fn bytes(&self) -> u64 {
        let node = size_of::<Node>() + size_of::<u32>() + 2 * size_of::<(Key, u32)>();
        (self.nodes.len() * node + self.edges.len() * size_of::<Edge>()) as u64
    }

    /// Returns the number of slides between blocks, each counted once per direction, and how many of
    /// them need a relabelling.
    pub fn slides(&self) -> (usize, usize) {
        let relabelled = self.edges.iter().filter(|edge| edge.relabelling.is_some()).count();
        (self.edges.len(), relabelled)
    }

    /// Returns the labels whose positions are the same in all states of a block.
    pub fn prefix(&self) -> &[Label] {
        &self.division.prefix
    }

    /// Returns the other labels, in the order in which rows are numbered.
    pub fn rest(&self) -> Vec<Label> {
        self.division.rest()
    }

    pub(crate) fn layout(&self) -> &BlockLayout {
        &self.layout
    }

    pub(crate) fn shifts(&self) -> &Shifts {
        &self.shifts
    }

    pub(crate) fn relabeller(&self) -> &Relabeller {
        &self.relabeller
    }

    pub(crate) fn relabelling(&self, number: u32) -> &Relabelling {
        &self.relabellings[number as usize]
    }

    pub(crate) fn is_odd(&self, block: usize) -> bool {
        self.nodes[block].is_odd
    }

    /// The slides into a block.
    pub(crate) fn slides_into(&self, block: usize) -> &[Edge] {
        let start = block.checked_sub(1).map_or(0, |before| self.edge_ends[before]);
        &self.edges[start as usize..self.edge_ends[block] as usize]
    }

    /// The symmetries that fix a block, the identity left out, as relabellings of the block.
    pub(crate) fn stabiliser(&self, block: usize) -> Vec<Relabelling> {
        let explorer = self.explorer();
        let key = self.nodes[block].key;
        let free = explorer.free(key);
        let fixing =
            (1..self.symmetries.len()).filter(|&number| explorer.moved(key, number) == key);
        fixing.map(|number| explorer.relabelling(number, &self.inverses, &free, &free)).collect()
    }

    /// The block and the place in it of the representative of a state's orbit; `None` if it is not
    /// numbered.
    pub(crate) fn locate(&self, state: &State) -> Option<(usize, Place)> {
        let is_same = |vertex| state.label_at(vertex) == self.start.label_at(vertex);
        let has_all = state.occupied().len() == self.start.occupied().len();
        if !has_all || !self.walls.into_iter().all(is_same) {
            return None;
        }
        let explorer = self.explorer();
        let (key, symmetry) = explorer.canonical(explorer.key(state)?);
        let block = *self.numbers.get(&key)? as usize;
        let moved = self.image(state, &self.symmetries[symmetry])?;
        let rest = self.division.rest();
        let row: Option<Vec<u8>> = explorer
            .free(key)
            .into_iter()
            .map(|vertex| {
                let label = moved.label_at(vertex)?;
                Some(rest.iter().position(|&other| other == label)? as u8)
            })
            .collect();
        let row = row?;
        let fits = self.parity == Parity::Both || is_odd(&row) == self.nodes[block].is_odd;
        fits.then(|| (block, self.layout.place(&row)))
    }

    /// The state at a place of a block.
    pub(crate) fn state_at(&self, block: usize, place: Place) -> State {
        let node = &self.nodes[block];
        let explorer = self.explorer();
        let mut row = vec![0; self.layout.places()];
        self.layout.row(place, node.is_odd, &mut row);
        let rest = self.division.rest();
        let free = explorer.free(node.key);
        let rest = free.into_iter().zip(row.iter().map(|&class| rest[class as usize]));
        let prefix =
            explorer.prefix(node.key).into_iter().zip(self.division.prefix.iter().copied());
        let walls = self.start.tokens().filter(|&(vertex, _)| self.walls.contains(vertex));
        rest.chain(prefix).chain(walls).collect()
    }

    /// The empty vertices of a block, and the tokens that are on the same vertex in all its states.
    pub(crate) fn fixed_in(&self, block: usize) -> (VertexSet, Vec<(Vertex, Label)>) {
        let key = self.nodes[block].key;
        let prefix = self.explorer().prefix(key).into_iter();
        let prefix = prefix.zip(self.division.prefix.iter().copied());
        let walls = self.start.tokens().filter(|&(vertex, _)| self.walls.contains(vertex));
        (VertexSet::from_bits(key.empty), prefix.chain(walls).collect())
    }

    /// Returns all states that symmetries of the start make of a state, each once, itself first.
    pub fn orbit_of(&self, state: &State) -> Vec<State> {
        let mut orbit: Vec<State> = Vec::new();
        for symmetry in &self.symmetries {
            if let Some(image) = self.image(state, symmetry)
                && !orbit.contains(&image)
            {
                orbit.push(image);
            }
        }
        orbit
    }

    /// The state `s x s^-1` of a state `x`.
    fn image(&self, state: &State, symmetry: &Permutation) -> Option<State> {
        let explorer = self.explorer();
        let mut image = State::EMPTY;
        for (vertex, label) in state.tokens() {
            image.place(vertex_image(symmetry, vertex), explorer.label_image(symmetry, label)?);
        }
        Some(image)
    }

    fn explorer(&self) -> Explorer<'_> {
        Explorer {
            board: &self.board,
            start: &self.start,
            walls: self.walls,
            order: self.order.clone(),
            division: &self.division,
            symmetries: &self.symmetries,
            label_vertices: &self.label_vertices,
            prefix_shifts: &self.prefix_shifts,
        }
    }
}

/// The symmetries of the board that fix the occupied set and the walls in it, the identity first; only
/// the identity where the board has too many symmetries to list.
fn stabiliser(board: &Board, occupied: VertexSet, walls: VertexSet) -> Vec<Permutation> {
    let degree = board.vertex_count();
    let Some(all) = symmetry_group(board).elements(degree, MAX_SYMMETRIES) else {
        return vec![Permutation::identity(degree)];
    };
    let fixes = |symmetry: &Permutation| {
        [occupied, walls]
            .into_iter()
            .all(|set| set.into_iter().all(|vertex| set.contains(vertex_image(symmetry, vertex))))
    };
    all.into_iter().filter(fixes).collect()
}

fn vertex_image(symmetry: &Permutation, vertex: Vertex) -> Vertex {
    Vertex::new(symmetry.image(vertex.index())).expect("a vertex of the board")
}

/// Blocks in the order in which they are found.
struct Explored {
    nodes: Vec<Node>,
    /// The slides into each of them, one after the other, and where those of each end.
    slides: Vec<Edge>,
    ends: Vec<u32>,
    relabellings: Vec<Relabelling>,
    /// Whether each closed walk makes an even permutation of the rows.
    is_even_only: bool,
    /// Whether each closed walk has an even number of slides.
    has_two_colours: bool,
}

/// What blocks and their symmetries are, in terms of vertices and labels.
struct Explorer<'a> {
    board: &'a Board,
    start: &'a State,
    walls: VertexSet,
    order: VertexOrder,
    division: &'a Division,
    symmetries: &'a [Permutation],
    label_vertices: &'a [Option<Vertex>],
    prefix_shifts: &'a [[u8; MAX_PREFIX]],
}

impl Explorer<'_> {
    fn explore(&self, limit: usize, cancel: &AtomicBool) -> Result<Explored, QuotientError> {
        let rest = self.division.rest();
        let classes: Vec<Vec<u8>> =
            self.symmetries.iter().map(|symmetry| self.renamed(symmetry, &rest)).collect();
        let inverses: Vec<u16> = self
            .symmetries
            .iter()
            .map(|symmetry| {
                let inverse = symmetry.inverse();
                self.symmetries.iter().position(|other| *other == inverse).expect("a group") as u16
            })
            .collect();
        let is_relabelling_odd = |relabelling: &Relabelling| {
            is_odd(&relabelling.sources) != is_odd(&classes[relabelling.symmetry as usize])
        };
        let start_key = self.key(self.start).ok_or(QuotientError::EqualLabels)?;
        let start_row: Vec<u8> = self
            .free(start_key)
            .into_iter()
            .filter_map(|vertex| {
                let label = self.start.label_at(vertex)?;
                Some(rest.iter().position(|&other| other == label)? as u8)
            })
            .collect();
        let mut nodes = vec![Node {
            key: start_key,
            is_odd: is_odd(&start_row),
            colour: false,
            orbit: self.orbit_size(start_key),
        }];
        let mut numbers: FxHashMap<Key, usize> = [(start_key, 0)].into_iter().collect();
        let (mut slides, mut ends) = (Vec::new(), Vec::new());
        let mut relabelling_numbers: FxHashMap<Relabelling, u32> = FxHashMap::default();
        let mut relabellings = Vec::new();
        let (mut is_even_only, mut has_two_colours) = (true, true);
        let mut open: VecDeque<usize> = [0].into();
        while let Some(number) = open.pop_front() {
            if number % 1024 == 0 && cancel.load(Ordering::Relaxed) {
                return Err(QuotientError::Cancelled);
            }
            let Node { key, is_odd: is_node_odd, colour, .. } = nodes[number];
            let free = self.free(key);
            // Whatever fixes the block has to keep the parity of its rows.
            for symmetry in 1..self.symmetries.len() {
                if self.moved(key, symmetry) == key {
                    let own = self.relabelling(symmetry, &inverses, &free, &free);
                    is_even_only &= !is_relabelling_odd(&own);
                }
            }
            // A slide can be reversed, so the slides into a block are those out of it.
            for (other, shift) in self.slides(key) {
                let (representative, symmetry) = self.canonical(other);
                let relabelling = (symmetry != 0).then(|| {
                    let (source, target) = (self.free(representative), self.free(other));
                    self.relabelling(symmetry, &inverses, &source, &target)
                });
                let mut is_other_odd = is_node_odd;
                if let Some((from, to)) = shift {
                    is_other_odd ^= from.abs_diff(to) % 2 == 1;
                }
                if let Some(relabelling) = &relabelling {
                    is_other_odd ^= is_relabelling_odd(relabelling);
                }
                let source = *numbers.entry(representative).or_insert_with(|| {
                    nodes.push(Node {
                        key: representative,
                        is_odd: is_other_odd,
                        colour: !colour,
                        orbit: self.orbit_size(representative),
                    });
                    open.push_back(nodes.len() - 1);
                    nodes.len() - 1
                });
                if nodes.len() > limit {
                    return Err(QuotientError::TooManyBlocks { limit });
                }
                has_two_colours &= nodes[source].colour != colour;
                is_even_only &= nodes[source].is_odd == is_other_odd;
                let relabelling = relabelling.map(|relabelling| {
                    *relabelling_numbers.entry(relabelling).or_insert_with_key(|relabelling| {
                        relabellings.push(relabelling.clone());
                        relabellings.len() as u32 - 1
                    })
                });
                let shift = shift.map(|(from, to)| Shifts::number(rest.len(), from, to) as u16);
                slides.push(Edge { source: source as u32, relabelling, shift });
            }
            ends.push(slides.len() as u32);
        }
        Ok(Explored { nodes, slides, ends, relabellings, is_even_only, has_two_colours })
    }

    /// The blocks from which one slide leads to this one, with what it does to the rows: the token
    /// at place `from` of the source's row comes to place `to` of this one's.
    fn slides(&self, key: Key) -> Vec<(Key, Option<(usize, usize)>)> {
        let empty = VertexSet::from_bits(key.empty);
        let occupied = self.board.vertex_set() - empty;
        let prefix = self.prefix(key);
        let mut slides = Vec::new();
        for vertex in occupied - self.walls {
            for other in self.board.destinations(vertex, occupied) {
                let moved = occupied.moved(vertex, other);
                let empty = (self.board.vertex_set() - moved).bits();
                let token = prefix.iter().position(|&at| at == vertex);
                let slide = if let Some(token) = token {
                    let mut prefix = prefix.clone();
                    prefix[token] = other;
                    (Key { prefix: pack(&prefix), empty }, None)
                } else {
                    let source = Key { prefix: key.prefix, empty };
                    let place = |key, vertex| {
                        self.free(key).iter().position(|&free| free == vertex).unwrap_or(0)
                    };
                    (source, Some((place(source, other), place(key, vertex))))
                };
                slides.push(slide);
            }
        }
        slides
    }

    /// The relabelling that makes the block with the free vertices `target` of its representative,
    /// which `symmetry` makes of it.
    fn relabelling(
        &self,
        symmetry: usize,
        inverses: &[u16],
        source: &[Vertex],
        target: &[Vertex],
    ) -> Relabelling {
        let permutation = &self.symmetries[symmetry];
        let sources = target.iter().map(|&vertex| {
            let from = vertex_image(permutation, vertex);
            source.iter().position(|&free| free == from).unwrap_or(0) as u8
        });
        Relabelling { symmetry: inverses[symmetry], sources: sources.collect() }
    }

    /// The key of a state's block; `None` if a prefix token is missing.
    fn key(&self, state: &State) -> Option<Key> {
        let mut vertices = vec![None; self.division.prefix.len()];
        for (vertex, label) in state.tokens() {
            if let Some(token) = self.division.prefix.iter().position(|&other| other == label) {
                vertices[token] = Some(vertex);
            }
        }
        let vertices: Option<Vec<Vertex>> = vertices.into_iter().collect();
        let empty = (self.board.vertex_set() - state.occupied()).bits();
        Some(Key { prefix: pack(&vertices?), empty })
    }

    /// The least key that symmetries make of a key, and a symmetry that makes it.
    fn canonical(&self, key: Key) -> (Key, usize) {
        let mut least = (self.moved(key, 0), 0);
        for number in 1..self.symmetries.len() {
            let prefix = self.moved_prefix(key, number);
            if prefix <= least.0.prefix {
                let image = Key { prefix, empty: self.moved_empty(key, number) };
                least = least.min((image, number));
            }
        }
        least
    }

    fn orbit_size(&self, key: Key) -> u32 {
        let mut images: Vec<Key> =
            (0..self.symmetries.len()).map(|symmetry| self.moved(key, symmetry)).collect();
        images.sort_unstable();
        images.dedup();
        images.len() as u32
    }

    /// The key that a symmetry, given by its number, makes of a key.
    fn moved(&self, key: Key, symmetry: usize) -> Key {
        Key { prefix: self.moved_prefix(key, symmetry), empty: self.moved_empty(key, symmetry) }
    }

    fn moved_prefix(&self, key: Key, symmetry: usize) -> u64 {
        let permutation = &self.symmetries[symmetry];
        let shifts = &self.prefix_shifts[symmetry][..self.division.prefix.len()];
        // The last token is the lowest in the key.
        let (moved, _) = shifts.iter().rev().fold((0, key.prefix), |(moved, left), &shift| {
            (moved | (permutation.image((left & 63) as usize) as u64) << shift, left >> 6)
        });
        moved
    }

    fn moved_empty(&self, key: Key, symmetry: usize) -> u64 {
        let mut left = key.empty;
        let mut moved = 0;
        while left != 0 {
            moved |= 1 << self.symmetries[symmetry].image(left.trailing_zeros() as usize);
            left &= left - 1;
        }
        moved
    }

    /// The label that a symmetry makes of a label: that of the vertex to which it moves the label's
    /// vertex in the start.
    fn label_image(&self, symmetry: &Permutation, label: Label) -> Option<Label> {
        label_image(self.start, self.label_vertices, symmetry, label)
    }

    /// What a symmetry does to the places of labels in a list that it keeps.
    fn renamed(&self, symmetry: &Permutation, labels: &[Label]) -> Vec<u8> {
        let renamed = labels.iter().map(|&label| {
            let image = self.label_image(symmetry, label);
            labels.iter().position(|&other| Some(other) == image).unwrap_or(0) as u8
        });
        renamed.collect()
    }

    /// The vertices of the prefix tokens.
    fn prefix(&self, key: Key) -> Vec<Vertex> {
        let tokens = self.division.prefix.len();
        (0..tokens)
            .filter_map(|token| {
                Vertex::new((key.prefix >> (6 * (tokens - 1 - token)) & 63) as usize)
            })
            .collect()
    }

    /// The vertices of the other tokens, in the order of a row.
    fn free(&self, key: Key) -> Vec<Vertex> {
        let prefix: VertexSet = self.prefix(key).into_iter().collect();
        let occupied = self.board.vertex_set() - VertexSet::from_bits(key.empty);
        let free = occupied - prefix - self.walls;
        self.order.vertices().iter().copied().filter(|&vertex| free.contains(vertex)).collect()
    }
}

/// For each symmetry and prefix token, the shift of the token's image in a key.
fn prefix_shifts(
    start: &State,
    division: &Division,
    symmetries: &[Permutation],
    label_vertices: &[Option<Vertex>],
) -> Vec<[u8; MAX_PREFIX]> {
    let tokens = division.prefix.len();
    let shift = |symmetry, label| {
        let image = label_image(start, label_vertices, symmetry, label);
        let place = division.prefix.iter().position(|&other| Some(other) == image);
        place.map_or(0, |place| 6 * (tokens - 1 - place) as u8)
    };
    let of_symmetry = |symmetry| {
        let mut shifts = [0; MAX_PREFIX];
        for (own, &label) in shifts.iter_mut().zip(&division.prefix) {
            *own = shift(symmetry, label);
        }
        shifts
    };
    symmetries.iter().map(of_symmetry).collect()
}

fn label_image(
    start: &State,
    label_vertices: &[Option<Vertex>],
    symmetry: &Permutation,
    label: Label,
) -> Option<Label> {
    let vertex = (*label_vertices.get(label.index())?)?;
    start.label_at(vertex_image(symmetry, vertex))
}

fn pack(vertices: &[Vertex]) -> u64 {
    vertices.iter().fold(0, |packed, vertex| packed << 6 | vertex.index() as u64)
}
