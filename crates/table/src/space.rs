//! The numbering of the states on one component of occupied sets.

use std::sync::{Arc, Mutex, OnceLock, Weak};

use hyperslide_puzzle::{Board, Label, MAX_VERTICES, State, Vertex, VertexSet};
use thiserror::Error;

use crate::arrangements::is_odd;
use crate::graph::OccupancyGraph;
use crate::layout::{BlockLayout, Parity, Place, Shifts};
use crate::lock::lock;
use crate::token_positions::{Occupied, TokenPositions};
use crate::vertex_order::VertexOrder;
use crate::watch::Watch;

/// Why the states of a component cannot be numbered.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SpaceError {
    /// The component has too many occupied sets.
    #[error(
        "the tokens can occupy more than {limit} sets of vertices: use more empty vertices, fewer \
         tokens or a smaller board"
    )]
    TooManySets {
        /// The number of sets allowed.
        limit: usize,
    },
    /// The tokens have too many arrangements.
    #[error(
        "{tokens} tokens have {arrangements:.1e} arrangements on each occupied set, {:.1e} bytes \
         at one bit each, more than can be searched: use fewer tokens, or give more of them the same label",
        arrangements / 8.0
    )]
    TooManyArrangements {
        /// The number of tokens that move.
        tokens: usize,
        /// The number of their arrangements.
        arrangements: f64,
    },
    /// The numbering needs more memory than allowed.
    #[error(
        "the tokens can occupy {sets} sets of vertices or more, and numbering these alone takes more than the \
         {limit} bytes that may be used"
    )]
    Memory {
        /// The number of sets found so far.
        sets: usize,
        /// Bytes needed.
        needed: u64,
        /// Bytes allowed.
        limit: u64,
    },
    /// The numbering was stopped.
    #[error("stopped before the states were numbered")]
    Stopped,
    /// A vertex of the walls has no token.
    #[error("vertex {0} must hold a token that never moves, but it is empty in this state")]
    NoWall(Vertex),
}

/// The size in bytes of the cache for which the occupied sets are ordered. It affects speed only.
const CACHE_BYTES: u64 = 16 << 20;

/// How states are numbered, and which slides count.
#[derive(Clone, Debug)]
pub struct SpaceOptions<'a> {
    /// The vertices whose tokens never move.
    pub walls: VertexSet,
    /// The order in which the tokens of an occupied set make a row; [`VertexOrder::along_faces`] if
    /// `None`.
    pub order: Option<VertexOrder>,
    /// Leave out the half of the arrangements that cannot be reached because of their parity. This
    /// must be off for starts of both parities.
    pub halve: bool,
    /// Slides of tokens with this label cost nothing, and states that differ by such slides only
    /// have the same number.
    pub free: Option<Label>,
    /// The greatest number of occupied sets allowed.
    pub max_sets: usize,
    /// The memory that the numbering may use, in bytes.
    pub memory: u64,
    /// When the numbering has to stop.
    pub watch: Watch<'a>,
}

impl Default for SpaceOptions<'_> {
    fn default() -> Self {
        SpaceOptions {
            walls: VertexSet::EMPTY,
            order: None,
            halve: true,
            free: None,
            max_sets: 50_000_000,
            memory: u64::MAX,
            watch: Watch::default(),
        }
    }
}

/// The numbered states with the tokens of a start on the occupied sets that they can reach: `rank =
/// occupied set x arrangement`.
///
/// All arrangements on these sets are numbered, whether they can be reached or not, with one
/// exception: if every closed walk permutes distinct tokens evenly, the half of them that is
/// unreachable because of its parity is left out.
#[derive(Clone, Debug)]
pub struct Space {
    numbering: Arc<Numbering>,
    walls: Vec<(Vertex, Label)>,
    free: Option<Label>,
    /// The label of each class.
    classes: Vec<Label>,
    /// The class of each label that numbered tokens have.
    class_of: [Option<u8>; MAX_VERTICES],
    /// Whether rows on the set of the graph's base are odd, with [`Parity::Fixed`].
    odd: bool,
}

/// The class of each numbered token, of which there are at most as many as vertices.
type Row = [u8; MAX_VERTICES];

/// What spaces share when the same sets are occupied by as many tokens, whichever these are.
#[derive(Debug)]
struct Numbering {
    board: Board,
    order: VertexOrder,
    walls: VertexSet,
    halve: bool,
    graph: OccupancyGraph,
    layout: BlockLayout,
    shifts: Shifts,
    parity: Parity,
    checksum: OnceLock<u32>,
}

impl Numbering {
    fn new(
        board: &Board,
        at: Occupied,
        multiplicities: &[usize],
        order: VertexOrder,
        options: &SpaceOptions<'_>,
    ) -> Result<Numbering, SpaceError> {
        let too_many = || {
            let factorial = |n: usize| (1..=n).map(|n| n as f64).product::<f64>();
            let alike: f64 = multiplicities.iter().map(|&count| factorial(count)).product();
            let tokens = at.numbered.len();
            let arrangements = factorial(tokens) / alike;
            SpaceError::TooManyArrangements { tokens, arrangements }
        };
        let block = BlockLayout::new(multiplicities, Parity::Both).ok_or_else(too_many)?.bytes();
        let cached = (CACHE_BYTES / block.max(1)) as usize;
        let SpaceOptions { walls, halve, .. } = *options;
        let places = TokenPositions::new(board, at, walls, options.max_sets);
        let graph = OccupancyGraph::explore(places, board, at, &order, options, cached)?;
        let is_halved = halve
            && graph.is_even_only()
            && multiplicities.iter().all(|&count| count == 1)
            && multiplicities.len() >= 2;
        let parity = if is_halved { Parity::Fixed } else { Parity::Both };
        let layout = BlockLayout::new(multiplicities, parity).ok_or_else(too_many)?;
        let shifts =
            Shifts::new(&layout, graph.shifts(), options.watch).ok_or(SpaceError::Stopped)?;
        let (board, checksum) = (board.clone(), OnceLock::new());
        Ok(Numbering { board, order, walls, halve, graph, layout, shifts, parity, checksum })
    }
}

/// The numberings that some spaces have, so that the next space may share one.
#[derive(Debug, Default)]
pub(crate) struct Numberings(Mutex<Vec<Weak<Numbering>>>);

impl Numberings {
    /// Returns the one that numbers a start like this in the same way.
    fn find(&self, is_alike: impl Fn(&Numbering) -> bool) -> Option<Arc<Numbering>> {
        let known = lock(&self.0);
        known.iter().filter_map(Weak::upgrade).find(|numbering| is_alike(numbering))
    }

    fn add(&self, numbering: &Arc<Numbering>) {
        let mut known = lock(&self.0);
        known.retain(|numbering| numbering.strong_count() > 0);
        known.push(Arc::downgrade(numbering));
    }
}

impl Space {
    /// Explores the occupied sets that can be reached from the start and numbers the states on
    /// them.
    ///
    /// Takes time O(slides between occupied sets) and [`Space::bytes`] of memory.
    ///
    /// # Errors
    ///
    /// Returns an error if there are too many sets or arrangements, if a wall has no token, or if
    /// the numbering is stopped.
    pub fn new(
        board: &Board,
        start: &State,
        options: &SpaceOptions<'_>,
    ) -> Result<Space, SpaceError> {
        Space::sharing(&Numberings::default(), board, start, options)
    }

    /// Does the same as [`Space::new`], and shares the numbering if one is known.
    pub(crate) fn sharing(
        known: &Numberings,
        board: &Board,
        start: &State,
        options: &SpaceOptions<'_>,
    ) -> Result<Space, SpaceError> {
        let mut walls = Vec::new();
        for vertex in options.walls {
            walls.push((vertex, start.label_at(vertex).ok_or(SpaceError::NoWall(vertex))?));
        }
        let free_tokens = |label| start.vertices_of(label) - options.walls;
        let free = options.free.map_or(VertexSet::EMPTY, free_tokens);
        let moving = start.occupied() - options.walls - free;
        let at = Occupied { numbered: moving, free };
        let mut classes: Vec<Label> =
            moving.into_iter().filter_map(|vertex| start.label_at(vertex)).collect();
        classes.sort_unstable();
        let multiplicities: Vec<usize> =
            classes.chunk_by(|a, b| a == b).map(<[Label]>::len).collect();
        classes.dedup();
        let order = options.order.clone().unwrap_or_else(|| VertexOrder::along_faces(board));
        let is_alike = |numbering: &Numbering| {
            at.has_free()
                && numbering.layout.multiplicities() == multiplicities
                && (numbering.walls, numbering.halve) == (options.walls, options.halve)
                && numbering.order == order
                && numbering.board == *board
                && numbering.graph.find(at).is_some()
        };
        let numbering = match known.find(is_alike) {
            Some(numbering) => numbering,
            None => {
                let new = Arc::new(Numbering::new(board, at, &multiplicities, order, options)?);
                known.add(&new);
                new
            }
        };
        let free = options.free.filter(|_| !free.is_empty());
        let mut class_of = [None; MAX_VERTICES];
        for (class, label) in (0..).zip(&classes) {
            class_of[label.index()] = Some(class);
        }
        let mut space = Space { numbering, walls, free, classes, class_of, odd: false };
        if space.is_halved() {
            let mut row = [0; MAX_VERTICES];
            let known = space.row(start, &mut row);
            let (set, row) = known.expect("the start is on its own occupied set");
            space.odd = is_odd(row) != space.graph().is_odd(set);
        }
        Ok(space)
    }

    /// Returns the number of numbered states.
    pub fn states(&self) -> u128 {
        self.graph().len() as u128 * u128::from(self.layout().arrangements())
    }

    /// Returns the number of occupied sets.
    pub fn occupied_sets(&self) -> usize {
        self.graph().len()
    }

    /// Returns the number of numbered arrangements on each occupied set.
    pub fn arrangements(&self) -> u64 {
        self.layout().arrangements()
    }

    /// Returns the number of slides between occupied sets, each counted once per direction.
    pub fn slides(&self) -> usize {
        self.graph().slides()
    }

    /// Returns whether half of the arrangements are left out because of their parity.
    pub fn is_halved(&self) -> bool {
        self.parity() == Parity::Fixed
    }

    /// Returns the sets of vertices that the moving tokens can occupy, in the order of the ranks.
    pub fn sets(&self) -> &[VertexSet] {
        self.graph().sets()
    }

    /// Returns the number of 64-bit words of a run of arrangements, 1 to 24 for up to nine distinct
    /// tokens. If it is small, several searches are faster side by side than one after another.
    pub fn run_words(&self) -> u64 {
        self.layout().words()
    }

    /// Returns which of two colours the occupied set of a state has if every slide changes the
    /// colour, and `None` if the sets have no such colouring or the state is not numbered.
    pub fn colour(&self, state: &State) -> Option<bool> {
        self.graph().colour_boundary()?;
        Some(self.graph().colour(self.locate(state)?.0))
    }

    /// Returns the size in bytes of the fixed tables: occupied sets, slides, and the permutations
    /// that shifts make.
    pub fn bytes(&self) -> u64 {
        self.graph().bytes() + self.shifts().bytes()
    }

    /// Returns the size in bytes of the fixed tables of several spaces; those that some of them
    /// share are counted once.
    pub fn bytes_of<'a>(spaces: impl IntoIterator<Item = &'a Space>) -> u64 {
        let mut counted: Vec<&Arc<Numbering>> = Vec::new();
        let mut bytes = 0;
        for space in spaces {
            if !counted.iter().any(|known| Arc::ptr_eq(known, &space.numbering)) {
                counted.push(&space.numbering);
                bytes += space.bytes();
            }
        }
        bytes
    }

    /// Returns the checksum of the occupied sets in the order of their numbers.
    pub(crate) fn checksum(&self) -> u32 {
        *self.numbering.checksum.get_or_init(|| {
            let mut hash = crc32fast::Hasher::new();
            for (node, set) in self.sets().iter().enumerate() {
                hash.update(&set.bits().to_le_bytes());
                // One set of vertices of the free tokens identifies the region.
                let free = self.graph().region(node).min().unwrap_or(VertexSet::EMPTY);
                hash.update(&free.bits().to_le_bytes());
            }
            hash.finalize()
        })
    }

    /// Returns the distinct labels of the moving tokens in ascending order.
    pub fn classes(&self) -> &[Label] {
        &self.classes
    }

    /// Returns the order in which the tokens of an occupied set make a row.
    pub fn order(&self) -> &VertexOrder {
        &self.numbering.order
    }

    pub(crate) fn graph(&self) -> &OccupancyGraph {
        &self.numbering.graph
    }

    pub(crate) fn layout(&self) -> &BlockLayout {
        &self.numbering.layout
    }

    pub(crate) fn shifts(&self) -> &Shifts {
        &self.numbering.shifts
    }

    /// Returns the number of a state, `0..states()`, or `None` if it is not numbered here.
    pub fn rank(&self, state: &State) -> Option<u128> {
        let (set, place) = self.locate(state)?;
        let words = u128::from(self.layout().words());
        let lanes = u128::from(self.layout().lanes());
        let within = (u128::from(place.run) * words + u128::from(place.word)) * lanes;
        let arrangements = u128::from(self.layout().arrangements());
        Some(set as u128 * arrangements + within + u128::from(place.lane))
    }

    /// Returns the number of the state at a place in the block of an occupied set.
    pub(crate) fn number(&self, set: usize, run: u64, word: u64, lane: u64) -> u64 {
        let within = (run * self.layout().words() + word) * self.layout().lanes() + lane;
        set as u64 * self.layout().arrangements() + within
    }

    /// Returns whether all tokens move and every slide counts.
    pub(crate) fn is_plain(&self) -> bool {
        self.walls.is_empty() && self.free.is_none()
    }

    pub(crate) fn parity(&self) -> Parity {
        self.numbering.parity
    }

    /// Returns whether the numbered rows on an occupied set are odd, with [`Parity::Fixed`].
    pub(crate) fn has_odd_rows(&self, set: usize) -> bool {
        self.odd != self.graph().is_odd(set)
    }

    /// Returns the number of an occupied set, where every slide counts.
    pub(crate) fn find_set(&self, occupied: VertexSet) -> Option<usize> {
        self.graph().find(Occupied { numbered: occupied, free: VertexSet::EMPTY })
    }

    /// Returns a state with this number. It is the only one, unless some slides cost nothing: then
    /// it is one of those that differ by such slides.
    ///
    /// # Panics
    ///
    /// Panics if the number is not below [`Space::states`].
    pub fn unrank(&self, rank: u128) -> State {
        assert!(rank < self.states(), "rank {rank} of {} states", self.states());
        let arrangements = u128::from(self.layout().arrangements());
        let within = (rank % arrangements) as u64;
        let (lanes, words) = (self.layout().lanes(), self.layout().words());
        let place = Place {
            run: (within / lanes / words) as u32,
            word: (within / lanes % words) as u32,
            lane: (within % lanes) as u32,
        };
        self.state_at((rank / arrangements) as usize, place)
    }

    /// Returns the number of the occupied set of a state, and the state's place in the set's block.
    pub(crate) fn locate(&self, state: &State) -> Option<(usize, Place)> {
        let mut row = [0; MAX_VERTICES];
        let (set, row) = self.row(state, &mut row)?;
        if self.is_halved() && is_odd(row) != (self.odd != self.graph().is_odd(set)) {
            return None;
        }
        Some((set, self.layout().place(row)?))
    }

    /// Returns the state at a place in the block of an occupied set.
    pub(crate) fn state_at(&self, set: usize, place: Place) -> State {
        let mut row = vec![0; self.layout().places()];
        self.layout().row(place, self.odd != self.graph().is_odd(set), &mut row);
        let mut vertices: Vec<Vertex> = self.graph().sets()[set].into_iter().collect();
        vertices.sort_by_key(|&vertex| self.order().position(vertex));
        let moving = vertices
            .into_iter()
            .zip(&row)
            .map(|(vertex, &class)| (vertex, self.classes[class as usize]));
        let free =
            self.graph().region(set).next().into_iter().flatten().zip(self.free.iter().cycle());
        let free = free.map(|(vertex, &label)| (vertex, label));
        moving.chain(free).chain(self.walls.iter().copied()).collect()
    }

    /// Returns all states that differ from a state only by slides that cost nothing, itself
    /// included.
    pub(crate) fn region(&self, state: &State) -> Vec<State> {
        let (Some(label), Some((set, _))) = (self.free, self.occupied_set(state)) else {
            return vec![*state];
        };
        let free = state.vertices_of(label) - self.numbering.walls;
        let rest: State = state.tokens().filter(|&(vertex, _)| !free.contains(vertex)).collect();
        let places = self.graph().region(set).map(|free| {
            let mut state = rest;
            free.into_iter().for_each(|vertex| state.place(vertex, label));
            state
        });
        places.collect()
    }

    /// Writes the classes of a state's numbered tokens, in the order of their vertices, to the
    /// front of `row`. Returns the occupied set and that part of `row`, whose numbers of tokens of
    /// each class are those of the state.
    fn row<'r>(&self, state: &State, row: &'r mut Row) -> Option<(usize, &'r [u8])> {
        let (set, numbered) = self.occupied_set(state)?;
        let mut places = 0;
        for &vertex in self.order().vertices().iter().filter(|&&vertex| numbered.contains(vertex)) {
            row[places] = self.class_of[state.label_at(vertex)?.index()]?;
            places += 1;
        }
        Some((set, &row[..places]))
    }

    /// Returns the number of the occupied set of a state, and the vertices of its numbered tokens.
    fn occupied_set(&self, state: &State) -> Option<(usize, VertexSet)> {
        if self.walls.iter().any(|&(vertex, label)| state.label_at(vertex) != Some(label)) {
            return None;
        }
        let walls = self.numbering.walls;
        let free = self.free.map_or(VertexSet::EMPTY, |label| state.vertices_of(label)) - walls;
        let numbered = state.occupied() - walls - free;
        Some((self.graph().find(Occupied { numbered, free })?, numbered))
    }
}
