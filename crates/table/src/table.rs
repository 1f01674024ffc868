//! Distance tables: building them, and looking up distances and moves.

use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use hyperslide_puzzle::{Move, Puzzle, State, VertexSet};
use memmap2::Mmap;
use thiserror::Error;

use crate::abstraction::{Abstraction, AbstractionError};
use crate::distances::{Distances, Encoding, payload_bytes, stored, stored_at};
use crate::search::{BreadthFirst, Layers, SearchOptions, Signals};
use crate::space::{Numberings, Space, SpaceError, SpaceOptions};
use crate::sweep::MAX_BYTE;
use crate::watch::Watch;

/// Why a table cannot be built, read or written.
#[derive(Debug, Error)]
pub enum TableError {
    /// The abstraction is impossible.
    #[error(transparent)]
    Abstraction(#[from] AbstractionError),
    /// The states cannot be numbered.
    #[error(transparent)]
    Space(#[from] SpaceError),
    /// The tokens can reach no set of vertices that fits the goal.
    #[error(
        "the goal cannot be reached: it fits none of the {occupied_sets} sets of vertices that the \
         tokens can occupy"
    )]
    GoalOutOfReach {
        /// The number of sets that the tokens can occupy.
        occupied_sets: usize,
    },
    /// The table and the search for it need more memory than allowed.
    #[error(
        "the table and the search for it need {needed} bytes or more, but only {limit} may be used: \
         keep fewer tokens, use 2 bits per state, or allow more memory"
    )]
    Memory {
        /// Bytes needed.
        needed: u128,
        /// Bytes allowed.
        limit: u64,
    },
    /// A distance does not fit in a byte.
    #[error(
        "a distance is greater than {MAX_BYTE}, which does not fit in a byte: use 2 bits per state"
    )]
    TooDeep,
    /// The search was cancelled.
    #[error("cancelled before the table was complete")]
    Cancelled,
    /// A table cannot be read.
    #[error("cannot read the table {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// Another operation of the system failed.
    #[error("{what}: {source}")]
    Io {
        /// What failed, as in "cannot write the table PATH".
        what: String,
        /// The reason.
        source: io::Error,
    },
    /// A store that may not build tables does not have the table.
    #[error(
        "there is no pattern database of {kept} tokens on {board} in {place}, and none may be built: \
         allow it, or build it first"
    )]
    Missing {
        /// The number of tokens that keep their labels.
        kept: usize,
        /// The board.
        board: String,
        /// Where the table was expected: a file, or memory.
        place: String,
    },
    /// The tables in the directory of a store would exceed its size limit.
    #[error(
        "the tables in {} would take {bytes} bytes, more than the limit of {limit}: remove some, or raise the \
         limit",
        directory.display()
    )]
    DirectoryFull {
        /// The directory.
        directory: PathBuf,
        /// The total size of its tables in bytes, including the new one.
        bytes: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// A file is not a table, or is damaged.
    #[error("{path} {problem}: build it again")]
    Damaged {
        /// The file.
        path: String,
        /// What is wrong with it.
        problem: String,
    },
}

enum Data {
    Memory(Distances),
    File(Mmap),
}

/// The exact distances to the goal of all states of an abstraction.
pub struct DistanceTable {
    abstraction: Abstraction,
    space: Space,
    encoding: Encoding,
    layers: Layers,
    data: Data,
}

/// Options for building a table.
#[derive(Clone, Debug)]
pub struct BuildOptions {
    /// How distances are stored.
    pub encoding: Encoding,
    /// If set, building stops after the layer in which this number of states is reached.
    pub max_states: Option<u64>,
    /// If set, building stops after the layer in which this state of the puzzle is reached.
    pub until: Option<State>,
    /// The memory that the table and the search for it may use, in bytes.
    pub memory: u64,
    /// Options of the search.
    pub search: SearchOptions,
}

impl Default for BuildOptions {
    fn default() -> BuildOptions {
        BuildOptions {
            encoding: Encoding::Mod3,
            max_states: None,
            until: None,
            memory: u64::MAX,
            search: SearchOptions::default(),
        }
    }
}

impl DistanceTable {
    /// Computes the distances by a breadth-first search from all goal states. `on_progress` is
    /// called after each layer; if it breaks, the table has the layers so far.
    ///
    /// # Errors
    ///
    /// Returns an error if the states cannot be numbered, the goal cannot be reached, a distance
    /// does not fit, the memory does not suffice, or the search is cancelled.
    pub fn build(
        abstraction: Abstraction,
        options: &BuildOptions,
        signals: &Signals<'_>,
        on_progress: &mut dyn FnMut(&Layers) -> ControlFlow<()>,
    ) -> Result<DistanceTable, TableError> {
        let known = Numberings::default();
        let space = space_of(&abstraction, &known, options.memory, Watch::flag(signals.cancel))?;
        DistanceTable::build_in(space, abstraction, options, signals, on_progress)
    }

    /// Builds the table of all distances to a puzzle's goal where it, and building it, fit in 64
    /// MB: some 20 million states, in seconds.
    ///
    /// # Errors
    ///
    /// Returns an error if it does not fit, or if building it fails or is cancelled.
    pub fn build_small(puzzle: &Puzzle, cancel: &AtomicBool) -> Result<DistanceTable, TableError> {
        const MOST_BYTES: u64 = 64 << 20;
        let options = BuildOptions {
            encoding: Encoding::Byte,
            memory: MOST_BYTES,
            ..BuildOptions::default()
        };
        let abstraction = Abstraction::whole(puzzle)?;
        let mut go_on = |_: &Layers| ControlFlow::Continue(());
        DistanceTable::build(abstraction, &options, &Signals::new(cancel), &mut go_on)
    }

    /// Does the same as [`DistanceTable::build`] with states that are already numbered.
    pub(crate) fn build_in(
        space: Space,
        abstraction: Abstraction,
        options: &BuildOptions,
        signals: &Signals<'_>,
        on_progress: &mut dyn FnMut(&Layers) -> ControlFlow<()>,
    ) -> Result<DistanceTable, TableError> {
        let goals: Vec<State> =
            abstraction.goals().iter().copied().filter(|goal| space.rank(goal).is_some()).collect();
        if goals.is_empty() {
            return Err(TableError::GoalOutOfReach { occupied_sets: space.occupied_sets() });
        }
        check_memory(&space, &abstraction, options)?;
        let in_place = is_in_place(&abstraction, options);
        let memory = |source: io::Error| match source.kind() {
            io::ErrorKind::Interrupted => TableError::Cancelled,
            _ => TableError::Io { what: "cannot get memory".to_owned(), source },
        };
        let search_options = SearchOptions { in_place, ..options.search.clone() };
        let mut search = BreadthFirst::new(&space, search_options)
            .and_then(|search| search.with_distances(options.encoding, signals.cancel))
            .map_err(memory)?;
        search.start(&goals).expect("goals out of the space have been left out");
        let until = options.until.and_then(|state| abstraction.of(&state));
        let is_enough = |search: &BreadthFirst<'_>| {
            options.max_states.is_some_and(|most| search.layers().total() >= most)
                || until.is_some_and(|state| search.has_visited(&state))
        };
        let mut is_cut = is_enough(&search);
        if !is_cut {
            search.run(signals, |search| {
                let layers = search.layers();
                is_cut = on_progress(layers).is_break() || is_enough(search);
                let is_too_deep = options.encoding == Encoding::Byte && layers.depth() > MAX_BYTE;
                if is_cut || is_too_deep {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            });
        }
        let layers = search.layers().clone();
        if options.encoding == Encoding::Byte && layers.depth() > MAX_BYTE {
            return Err(TableError::TooDeep);
        }
        if !layers.complete && !is_cut {
            return Err(TableError::Cancelled);
        }
        let data = search.into_distances().expect("the search was to write distances");
        let encoding = options.encoding;
        Ok(DistanceTable { abstraction, space, encoding, layers, data: Data::Memory(data) })
    }

    /// Returns the abstraction whose distances the table has.
    pub fn abstraction(&self) -> &Abstraction {
        &self.abstraction
    }

    /// Returns the numbered states.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// How distances are stored.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Returns the numbers of states at each distance.
    pub fn layers(&self) -> &Layers {
        &self.layers
    }

    /// Returns the size of the distances in bytes.
    pub fn bytes(&self) -> u64 {
        (self.words().len() * 8) as u64
    }

    pub(crate) fn words(&self) -> &[u64] {
        match &self.data {
            Data::Memory(distances) => distances.words(),
            Data::File(map) => bytemuck::cast_slice(&map[map.len() - self.payload_len()..]),
        }
    }

    fn payload_len(&self) -> usize {
        payload_bytes(&self.space, self.encoding) as usize
    }

    /// Returns the value that is stored for a state of the abstraction: its distance, or its
    /// distance modulo 3 with [`Encoding::Mod3`]. Returns `None` if the table does not have the
    /// state.
    pub fn stored(&self, state: &State) -> Option<u8> {
        let (set, place) = self.space.locate(state)?;
        stored(&self.space, self.encoding, self.words(), set, place)
    }

    /// Returns the value that is stored for the state with this [rank](Space::rank), as
    /// [`DistanceTable::stored`] does.
    ///
    /// # Panics
    ///
    /// Panics if the rank is not below [`Space::states`].
    #[inline]
    pub fn stored_at(&self, rank: u64) -> Option<u8> {
        stored_at(&self.space, self.encoding, self.words(), rank)
    }

    /// Returns the ranks of chosen states, for instance of random ones at given distances:
    /// `chosen[d]` has the numbers of those at distance d, in ascending order and counted from 0 in
    /// the order of the ranks. The ranks are in the order of `chosen`. Numbers that are too great
    /// are left out.
    ///
    /// Takes one pass over the table, which ends early when `cancel` becomes true. Returns `None`
    /// unless whole distances are stored ([`Encoding::Byte`]).
    pub fn ranks_at(&self, chosen: &[Vec<u64>], cancel: &AtomicBool) -> Option<Vec<Vec<u64>>> {
        /// States between two looks at the flag.
        const PART: u64 = 1 << 20;

        if self.encoding != Encoding::Byte {
            return None;
        }
        let states = self.space.states() as usize;
        let bytes: &[u8] = &bytemuck::cast_slice(self.words())[..states];
        let mut ranks = vec![Vec::new(); chosen.len()];
        let mut next: Vec<&[u64]> = chosen.iter().map(Vec::as_slice).collect();
        next.resize(256, &[]);
        // How many more states of each distance to pass until the next that is chosen.
        let mut left = [u64::MAX; 256];
        for (left, next) in left.iter_mut().zip(&next) {
            *left = next.first().copied().unwrap_or(u64::MAX);
        }
        for (rank, &distance) in (0u64..).zip(bytes) {
            if rank % PART == 0 && cancel.load(Ordering::Relaxed) {
                break;
            }
            let distance = distance as usize;
            if left[distance] != 0 {
                left[distance] -= 1;
                continue;
            }
            let same = next[distance].iter().take_while(|&&number| number == next[distance][0]);
            let (here, rest) = next[distance].split_at(same.count());
            ranks[distance].extend(std::iter::repeat_n(rank, here.len()));
            next[distance] = rest;
            left[distance] = rest.first().map_or(u64::MAX, |&number| number - here[0] - 1);
        }
        Some(ranks)
    }

    /// Returns the distance of a state of the *puzzle*, or `None` if the table does not have the
    /// state. Takes time O(1) with [`Encoding::Byte`], and O(distance x moves) with
    /// [`Encoding::Mod3`].
    pub fn distance(&self, state: &State) -> Option<u32> {
        let state = self.abstraction.of(state)?;
        match self.encoding {
            Encoding::Byte => self.stored(&state).map(u32::from),
            Encoding::Mod3 => self.cost_of_descent(&state),
        }
    }

    /// Overwrites the value of a state, as damage would.
    #[cfg(test)]
    pub(crate) fn set(&mut self, state: &State, value: Option<u8>) {
        let (set, place) = self.space.locate(state).expect("the state is numbered");
        let Data::Memory(distances) = &mut self.data else { panic!("the table is in a file") };
        distances.set(&self.space, set, place, value);
    }

    /// Returns whether the table has the distances of this puzzle: the board, the metric, the
    /// tokens and the goal are the same, all tokens keep their labels, and it
    /// [covers](DistanceTable::covers) the start.
    pub fn answers(&self, puzzle: &Puzzle) -> bool {
        let own = self.abstraction.puzzle();
        let count = |puzzle: &Puzzle| -> Vec<usize> {
            let of = |(label, _)| puzzle.start().vertices_of(label).len();
            puzzle.labels().iter().map(of).collect()
        };
        self.abstraction.is_whole()
            && own.board() == puzzle.board()
            && own.labels() == puzzle.labels()
            && own.goal() == puzzle.goal()
            && count(own) == count(puzzle)
            && self.covers(puzzle.start())
    }

    /// Returns whether the table says of a state of the puzzle all there is to say: it has the
    /// occupied set, or there is only one goal state, and the goal cannot be reached from the
    /// sets that it does not have. Several goal states may be in different components of the
    /// occupancy graph, and the table has only the component of the start that it was built for.
    pub fn covers(&self, state: &State) -> bool {
        let has = |state: State| self.space.rank(&state).is_some();
        self.abstraction.goals().len() == 1 || self.abstraction.of(state).is_some_and(has)
    }

    /// Returns a shortest solution from a state of the puzzle, or `None` if the table does not have
    /// the state or not all tokens keep their labels.
    pub fn solve(&self, state: &State) -> Option<Vec<Move>> {
        if !self.abstraction.is_whole() {
            return None;
        }
        self.descent(self.abstraction.of(state)?)
    }

    /// Returns the first slide, ascending by `(from, to)`, that takes a state of the abstraction
    /// one move closer to the goal, or `None` if the table does not have the state. At a goal, the
    /// value has no meaning.
    pub fn first_nearer(&self, state: &State) -> Option<Move> {
        let here = self.stored(state)?;
        self.nearer(here, std::slice::from_ref(state)).map(|(mv, _)| mv)
    }

    /// Returns the first slide from a region that leads one move closer to the goal, with the state
    /// after it. `here` is the stored value of the region.
    fn nearer(&self, here: u8, region: &[State]) -> Option<(Move, State)> {
        let nearer = self.value_before(here)?;
        self.visit_slides(region, |mv, to| match self.stored(to) == Some(nearer) {
            true => ControlFlow::Break((mv, *to)),
            false => ControlFlow::Continue(()),
        })
        .break_value()
    }

    /// Returns the stored value of the states one move closer to the goal than those with this one.
    fn value_before(&self, here: u8) -> Option<u8> {
        match self.encoding {
            Encoding::Byte => here.checked_sub(1),
            Encoding::Mod3 => Some((here + 2) % 3),
        }
    }

    /// Returns slides from a state of the abstraction to a goal, each of which reduces the distance
    /// by one. Slides that cost nothing are left out.
    fn descent(&self, state: State) -> Option<Vec<Move>> {
        let mut here = self.stored(&state)?;
        let mut region = self.space.region(&state);
        let mut moves = Vec::new();
        while here != 0 || !region.iter().any(|state| self.abstraction.is_goal(state)) {
            let (mv, to) = self.nearer(here, &region)?;
            moves.push(mv);
            here = self.value_before(here)?;
            region = self.space.region(&to);
        }
        Some(moves)
    }

    /// Calls `visit` with every slide with a cost from the states of a region, and the state after
    /// it, until it breaks.
    pub(crate) fn visit_slides<B>(
        &self,
        region: &[State],
        mut visit: impl FnMut(Move, &State) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let board = self.abstraction.puzzle().board();
        let (free, walls) = (self.abstraction.free_label(), self.abstraction.walls());
        for state in region {
            let occupied = state.occupied();
            let without_cost = free.map_or(VertexSet::EMPTY, |label| state.vertices_of(label));
            let mut after = *state;
            for from in occupied - walls - without_cost {
                for to in board.destinations(from, occupied) {
                    let mv = Move { from, to };
                    after.slide(mv);
                    visit(mv, &after)?;
                    after.slide(mv.reversed());
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Returns the number of slides with a cost on a descent from a state of the abstraction to a
    /// goal.
    pub(crate) fn cost_of_descent(&self, state: &State) -> Option<u32> {
        self.descent(*state).map(|moves| moves.len() as u32)
    }

    /// Returns the table whose distances are at the end of a mapped file. The caller vouches that
    /// they belong to this space and encoding.
    pub(crate) fn of_file(
        abstraction: Abstraction,
        space: Space,
        encoding: Encoding,
        layers: Layers,
        map: Mmap,
    ) -> DistanceTable {
        DistanceTable { abstraction, space, encoding, layers, data: Data::File(map) }
    }
}

/// Numbers the states of an abstraction. If it has several goals, arrangements of both parities are
/// included.
pub(crate) fn space_of(
    abstraction: &Abstraction,
    known: &Numberings,
    memory: u64,
    watch: Watch<'_>,
) -> Result<Space, TableError> {
    /// The memory for each occupied set and its slides while they are explored, in bytes.
    const BYTES_A_SET: u64 = 200;

    // In the table, a set with many arrangements takes more: at least half of them, at two bits or
    // more.
    let bytes_a_set = (abstraction.arrangements() / 8.0).max(BYTES_A_SET as f64) as u64;

    let walls = abstraction.walls();
    let goal = &abstraction.goals()[0];
    // The exploration begins at the start, or at the goal if the start has settled tokens
    // elsewhere.
    let start = abstraction.of(abstraction.puzzle().start());
    let halve = abstraction.goals().len() == 1;
    let default = SpaceOptions::default();
    let max_sets = default.max_sets.min((memory / bytes_a_set) as usize);
    let options =
        SpaceOptions { walls, halve, free: abstraction.free_label(), max_sets, watch, ..default };
    let start = if halve { goal } else { start.as_ref().unwrap_or(goal) };
    match Space::sharing(known, abstraction.puzzle().board(), start, &options) {
        Err(SpaceError::TooManySets { limit }) if limit < SpaceOptions::default().max_sets => {
            // The exact need is not known, only that it is greater than this.
            let needed = (limit as u128 + 1) * u128::from(bytes_a_set);
            Err(TableError::Memory { needed, limit: memory })
        }
        Err(SpaceError::Stopped) => Err(TableError::Cancelled),
        space => Ok(space?),
    }
}

/// Returns whether the search for a table updates one array in place.
fn is_in_place(abstraction: &Abstraction, options: &BuildOptions) -> bool {
    abstraction.goals().len() == 1 && options.search.in_place
}

/// Checks that the table and the search for it fit in the memory allowed.
///
/// # Errors
///
/// Returns an error with the memory needed if they do not fit.
pub(crate) fn check_memory(
    space: &Space,
    abstraction: &Abstraction,
    options: &BuildOptions,
) -> Result<(), TableError> {
    let needed = BreadthFirst::bytes(space, is_in_place(abstraction, options), 1)
        + u128::from(space.bytes())
        + payload_bytes(space, options.encoding)
        // Those that are in the space are listed once more.
        + 2 * size_of_val(abstraction.goals()) as u128;
    if needed > u128::from(options.memory) {
        return Err(TableError::Memory { needed, limit: options.memory });
    }
    Ok(())
}
