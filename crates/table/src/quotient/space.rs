//! The numbering of the states up to the symmetries of the start.

use std::sync::atomic::AtomicBool;

use hyperslide_puzzle::{Board, Label, Permutation, State, Vertex, VertexSet, symmetry_group};
use rustc_hash::FxHashMap;
use thiserror::Error;

use super::blocks::BlockFiles;
use super::division::{Division, MAX_PREFIX};
use super::explorer::{Edge, Explored, Explorer, Key, Node, prefix_shifts, vertex_image};
use super::relabel::{Relabeller, Relabelling};
use crate::arrangements::is_odd;
use crate::layout::{BlockLayout, Parity, Place, Shifts};
use crate::vertex_order::VertexOrder;
use crate::watch::Watch;

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
    /// Explores the blocks that can be reached from the start. The tokens on the vertices of
    /// `walls` never move. `max_blocks` bounds the number of blocks.
    ///
    /// # Errors
    ///
    /// Returns an error if labels are equal, if fewer than two tokens can move, if there are too
    /// many blocks, or if `cancel` becomes true.
    pub fn new(
        board: &Board,
        start: &State,
        walls: VertexSet,
        max_blocks: usize,
        cancel: &AtomicBool,
    ) -> Result<QuotientSpace, QuotientError> {
        let symmetries = stabiliser(board, start.occupied(), walls);
        let moving: State = start.tokens().filter(|&(vertex, _)| !walls.contains(vertex)).collect();
        let has_one_empty = board.vertex_count() - start.occupied().len() == 1;
        let parity = if has_one_empty { Parity::Fixed } else { Parity::Both };
        let (division, symmetries) = Division::choose(&moving, &symmetries, parity)?;
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
        let inverses: Vec<u16> = symmetries
            .iter()
            .map(|symmetry| {
                let inverse = symmetry.inverse();
                symmetries.iter().position(|other| *other == inverse).expect("a group") as u16
            })
            .collect();
        let prefix_shifts = prefix_shifts(start, &division, &symmetries, &label_vertices);
        let explorer = Explorer {
            board,
            start,
            walls,
            order: VertexOrder::along_faces(board),
            division: &division,
            symmetries: &symmetries,
            inverses: &inverses,
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
            Watch::flag(cancel),
        )
        .ok_or(QuotientError::Cancelled)?;
        nodes = sorted.iter().map(|&old| nodes[old]).collect();
        let numbers = nodes.iter().zip(0..).map(|(node, number)| (node.key, number)).collect();
        Ok(QuotientSpace {
            board: board.clone(),
            start: *start,
            walls,
            relabeller: Relabeller::new(&layout, &classes),
            inverses,
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

    /// Returns the number of blocks whose states have the start's colour, which come first, or
    /// `None` if states do not have two colours that every slide changes.
    pub fn blocks_of_start_colour(&self) -> Option<usize> {
        self.boundary
    }

    /// Returns the number of symmetries by which states are identified.
    pub fn symmetries(&self) -> usize {
        self.symmetries.len()
    }

    /// Returns the size in bytes of one block in memory.
    pub fn block_bytes(&self) -> u64 {
        self.layout.bytes()
    }

    /// Returns the bytes that one block has in a file: whole pages, and fewer than in memory where
    /// many bits of its words stand for no state.
    pub fn slot_bytes(&self) -> u64 {
        BlockFiles::slot_bytes(&self.layout)
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

    /// Returns the number of slides between blocks, each counted once per direction, and how many
    /// of them need a relabelling.
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
        fixing.map(|number| explorer.relabelling(number, &free, &free)).collect()
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
        if fits { Some((block, self.layout.place(&row)?)) } else { None }
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
            inverses: &self.inverses,
            label_vertices: &self.label_vertices,
            prefix_shifts: &self.prefix_shifts,
        }
    }
}

/// The symmetries of the board that fix the occupied set and the walls in it, the identity first;
/// only the identity where the board has too many symmetries to list.
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
