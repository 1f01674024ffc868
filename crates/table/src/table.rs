//! Distance tables, in memory and on disk.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use hyperslide_puzzle::{Move, Puzzle, State, VertexSet};
use memmap2::Mmap;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::abstraction::{Abstraction, AbstractionError, Rest};
use crate::distances::{Distances, Encoding, payload_bytes, stored};
use crate::files::{create_unfinished, remove_left_behind};
use crate::search::{BreadthFirst, Layers, SearchOptions, Signals};
use crate::space::{NEVER, Space, SpaceError, SpaceOptions};
use crate::sweep::MAX_BYTE;

/// The first bytes of every table file.
pub(crate) const MAGIC: [u8; 8] = *b"hyprtabl";
/// The version of the format. It changes whenever the order of sets or arrangements does.
pub const FORMAT_VERSION: u32 = 3;
/// The distances begin at a multiple of this number of bytes, so that they can be mapped.
const PAGE: u64 = 4096;
/// The number of bytes before the description: magic, version, length and checksum of the
/// description.
const FIXED: usize = 8 + 4 + 4 + 4;

/// The description of a table in its file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableDescription {
    /// The puzzle as a line; its start only determines the tokens and the vertices that they can
    /// reach.
    pub puzzle: String,
    /// The tokens that keep their labels.
    pub kept: Vec<String>,
    /// The tokens that stay on their goal vertices.
    pub settled: Vec<String>,
    /// The treatment of the other tokens: `counted`, `free` or `absent` ([`Rest`]).
    pub rest: String,
    /// The number of bits per state.
    pub bits: u8,
    /// The number of states at distance 0, 1, ...
    pub layers: Vec<u64>,
    /// Whether the table has all states from which the goal can be reached, not only the nearest.
    pub complete: bool,
    /// The number of occupied sets whose states are numbered.
    pub occupied_sets: u64,
    /// The checksum (CRC-32) of these sets in their order.
    pub numbering: u32,
    /// The size of the distances in bytes.
    pub payload_bytes: u64,
    /// The checksum (CRC-32) of the distances.
    pub payload_crc32: u32,
}

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
    /// An operation of the system failed.
    #[error("{what}: {source}")]
    Io {
        /// What failed, as in "cannot read the table PATH".
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
    /// A file is not a table, or is damaged.
    #[error("{path} {problem}: build it again with `hyperslide table build`")]
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
    /// Computes the distances by a breadth-first search from all goal states. `tell` is called
    /// after each layer; if it breaks, the table has the layers so far.
    ///
    /// # Errors
    ///
    /// Returns an error if the states cannot be numbered, the goal cannot be reached, a distance
    /// does not fit, the memory does not suffice, or the search is cancelled.
    pub fn build(
        abstraction: Abstraction,
        options: &BuildOptions,
        signals: &Signals<'_>,
        tell: &mut dyn FnMut(&Layers) -> ControlFlow<()>,
    ) -> Result<DistanceTable, TableError> {
        let space = space_of(&abstraction, options.memory, signals.cancel)?;
        DistanceTable::build_in(space, abstraction, options, signals, tell)
    }

    /// Does the same as [`DistanceTable::build`] with states that are already numbered.
    pub(crate) fn build_in(
        space: Space,
        abstraction: Abstraction,
        options: &BuildOptions,
        signals: &Signals<'_>,
        tell: &mut dyn FnMut(&Layers) -> ControlFlow<()>,
    ) -> Result<DistanceTable, TableError> {
        let goals: Vec<State> =
            abstraction.goals().iter().copied().filter(|goal| space.rank(goal).is_some()).collect();
        if goals.is_empty() {
            return Err(TableError::GoalOutOfReach { occupied_sets: space.occupied_sets() });
        }
        check_memory(&space, &abstraction, options)?;
        let in_place = is_in_place(&abstraction, options);
        let memory = |source| TableError::Io { what: "cannot get memory".to_owned(), source };
        let search_options = SearchOptions { in_place, ..options.search.clone() };
        let mut search = BreadthFirst::new(&space, search_options)
            .and_then(|search| search.with_distances(options.encoding))
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
                is_cut = tell(layers).is_break() || is_enough(search);
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

    /// Returns whether the table has the distances of this puzzle, whatever its start: the board, the
    /// metric, the tokens and the goal are the same, and all tokens keep their labels.
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
        let nearer = match self.encoding {
            Encoding::Byte => here.checked_sub(1)?,
            Encoding::Mod3 => (here + 2) % 3,
        };
        self.slides(region).find(|(_, to)| self.stored(to) == Some(nearer))
    }

    /// Returns slides from a state of the abstraction to a goal, each of which reduces the distance
    /// by one. Slides that cost nothing are left out.
    fn descent(&self, state: State) -> Option<Vec<Move>> {
        let mut here = self.stored(&state)?;
        let mut region = self.space.region(&state);
        let mut moves = Vec::new();
        while here != 0 || !region.iter().any(|state| self.abstraction.goals().contains(state)) {
            let (mv, to) = self.nearer(here, &region)?;
            moves.push(mv);
            here = self.stored(&to)?;
            region = self.space.region(&to);
        }
        Some(moves)
    }

    /// Returns the slides with a cost from the states of a region, with the states after them.
    pub(crate) fn slides(&self, region: &[State]) -> impl Iterator<Item = (Move, State)> {
        let (board, free) = (self.abstraction.puzzle().board(), self.abstraction.free_label());
        let walls = self.abstraction.walls();
        region.iter().flat_map(move |state| {
            let counts = |mv: &Move| {
                !walls.contains(mv.from) && (free.is_none() || state.label_at(mv.from) != free)
            };
            let played = |mv: Move| {
                let mut to = *state;
                to.slide(mv);
                (mv, to)
            };
            board.legal_moves(state).into_iter().filter(counts).map(played).collect::<Vec<_>>()
        })
    }

    /// Returns the number of slides with a cost on a descent from a state of the abstraction to a
    /// goal.
    pub(crate) fn cost_of_descent(&self, state: &State) -> Option<u32> {
        self.descent(*state).map(|moves| moves.len() as u32)
    }

    /// Returns the description that the file of this table has.
    pub fn description(&self) -> TableDescription {
        TableDescription {
            puzzle: self.abstraction.puzzle().to_string(),
            kept: self.abstraction.kept().into_iter().map(str::to_owned).collect(),
            settled: self.abstraction.settled().into_iter().map(str::to_owned).collect(),
            rest: self.abstraction.rest().name().to_owned(),
            bits: self.encoding.bits(),
            layers: self.layers.states.clone(),
            complete: self.layers.complete,
            occupied_sets: self.space.occupied_sets() as u64,
            numbering: numbering(&self.space),
            payload_bytes: self.bytes(),
            payload_crc32: crc32fast::hash(bytemuck::cast_slice(self.words())),
        }
    }

    /// Writes the table to a temporary file in the same directory, which is then renamed: another
    /// process sees the old file or the new one, never an incomplete one.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be written; an existing file then stays as it was.
    pub fn write(&self, path: &Path) -> Result<(), TableError> {
        remove_left_behind(path);
        let write = |name: &Path, mut file: File| -> io::Result<()> {
            let description = serde_json::to_vec(&self.description())?;
            let mut head = Vec::from(MAGIC);
            head.extend(FORMAT_VERSION.to_le_bytes());
            head.extend((description.len() as u32).to_le_bytes());
            head.extend(crc32fast::hash(&description).to_le_bytes());
            head.extend(&description);
            head.resize(head.len().next_multiple_of(PAGE as usize), 0);
            file.write_all(&head)?;
            file.write_all(bytemuck::cast_slice(self.words()))?;
            file.sync_all()?;
            fs::rename(name, path)
        };
        create_unfinished(path)
            .and_then(|(name, file)| {
                write(&name, file).inspect_err(|_| {
                    let _ = fs::remove_file(&name);
                })
            })
            .map_err(|source| TableError::Io {
                what: format!("cannot write the table {}", path.display()),
                source,
            })
    }

    /// Reads the description of a table file without reading the distances.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read or is not a table.
    pub fn describe(path: &Path) -> Result<TableDescription, TableError> {
        let name = path.display().to_string();
        let io_error =
            |source| TableError::Io { what: format!("cannot read the table {name}"), source };
        let damaged =
            |problem: &str| TableError::Damaged { path: name.clone(), problem: problem.to_owned() };
        // This comes before the file is opened, because opening a pipe could block indefinitely.
        if !path.metadata().map_err(io_error)?.is_file() {
            return Err(damaged("is not a file"));
        }
        let mut file = File::open(path).map_err(io_error)?;
        let metadata = file.metadata().map_err(io_error)?;
        let mut fixed = [0; FIXED];
        let is_short = |error: io::Error| {
            if error.kind() == io::ErrorKind::UnexpectedEof {
                damaged("is not a table: it is too short")
            } else {
                io_error(error)
            }
        };
        file.read_exact(&mut fixed).map_err(is_short)?;
        if fixed[..8] != MAGIC {
            return Err(damaged("is not a table: it begins with other bytes"));
        }
        let number = |at: usize| {
            u32::from_le_bytes([fixed[at], fixed[at + 1], fixed[at + 2], fixed[at + 3]])
        };
        let (version, length, crc32) = (number(8), number(12), number(16));
        if version != FORMAT_VERSION {
            return Err(damaged(&format!(
                "is a table of version {version}, but this program reads version {FORMAT_VERSION}"
            )));
        }
        if u64::from(length) > metadata.len() {
            return Err(damaged("is truncated"));
        }
        let mut text = vec![0; length as usize];
        file.read_exact(&mut text).map_err(is_short)?;
        if crc32fast::hash(&text) != crc32 {
            return Err(damaged("is damaged: the checksum of its description is wrong"));
        }
        let description: TableDescription = serde_json::from_slice(&text)
            .map_err(|error| damaged(&format!("has an invalid description ({error})")))?;
        let start = (FIXED as u64 + u64::from(length)).next_multiple_of(PAGE);
        let expected = start.checked_add(description.payload_bytes);
        if expected != Some(metadata.len()) {
            return Err(damaged(&format!(
                "has {} bytes instead of {}: it was truncated or extended",
                metadata.len(),
                expected.unwrap_or(u64::MAX),
            )));
        }
        let mut padding = vec![0; start as usize - FIXED - length as usize];
        file.read_exact(&mut padding).map_err(is_short)?;
        if padding.iter().any(|&byte| byte != 0) {
            return Err(damaged("is damaged: the padding before its distances is not empty"));
        }
        Ok(description)
    }

    /// Maps a table file into memory, read only, after checking all of it.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read, is not a table, or is damaged.
    #[allow(unsafe_code, reason = "a mapping is only sound while nobody changes the file")]
    pub fn open(path: &Path) -> Result<DistanceTable, TableError> {
        let description = DistanceTable::describe(path)?;
        let name = path.display().to_string();
        let damaged = |problem: String| TableError::Damaged { path: name.clone(), problem };
        let io_error =
            |source| TableError::Io { what: format!("cannot read the table {name}"), source };
        let puzzle = Puzzle::from_line(&description.puzzle)
            .map_err(|error| damaged(format!("names an invalid puzzle ({error})")))?;
        let rest: Rest =
            description.rest.parse().map_err(|error| damaged(format!("is wrong: {error}")))?;
        let abstraction = Abstraction::new(&puzzle, &description.kept, &description.settled, rest)?;
        let encoding: Encoding = description
            .bits
            .to_string()
            .parse()
            .map_err(|error| damaged(format!("is wrong: {error}")))?;
        let space = space_of(&abstraction, u64::MAX, &NEVER)?;
        if space.occupied_sets() as u64 != description.occupied_sets
            || numbering(&space) != description.numbering
            || payload_bytes(&space, encoding) != u128::from(description.payload_bytes)
        {
            return Err(damaged("numbers its states differently than this program".to_owned()));
        }
        let file = File::open(path).map_err(io_error)?;
        // SAFETY: tables are written under another name and renamed, so that no process of ours
        // ever changes one in place. If another program truncates the file while it is mapped, this
        // process ends with a signal, as with any mapped file.
        let map = unsafe { Mmap::map(&file) }.map_err(io_error)?;
        let start = map.len().checked_sub(description.payload_bytes as usize);
        let start = start.ok_or_else(|| damaged("is truncated".to_owned()))?;
        if crc32fast::hash(&map[start..]) != description.payload_crc32 {
            return Err(damaged("is damaged: the checksum of its distances is wrong".to_owned()));
        }
        let layers = Layers { states: description.layers, complete: description.complete };
        Ok(DistanceTable { abstraction, space, encoding, layers, data: Data::File(map) })
    }
}

/// Numbers the states of an abstraction. If it has several goals, arrangements of both parities are
/// included.
pub(crate) fn space_of(
    abstraction: &Abstraction,
    memory: u64,
    cancel: &AtomicBool,
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
        SpaceOptions { walls, halve, free: abstraction.free_label(), max_sets, cancel, ..default };
    let start = if halve { goal } else { start.as_ref().unwrap_or(goal) };
    match Space::new(abstraction.puzzle().board(), start, &options) {
        Err(SpaceError::TooManySets { limit }) if limit < SpaceOptions::default().max_sets => {
            // The exact need is not known, only that it is greater than this.
            let needed = (limit as u128 + 1) * u128::from(bytes_a_set);
            Err(TableError::Memory { needed, limit: memory })
        }
        Err(SpaceError::Cancelled) => Err(TableError::Cancelled),
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
        + payload_bytes(space, options.encoding);
    if needed > u128::from(options.memory) {
        return Err(TableError::Memory { needed, limit: options.memory });
    }
    Ok(())
}

/// Returns the checksum of the occupied sets in the order of their numbers.
fn numbering(space: &Space) -> u32 {
    let mut hash = crc32fast::Hasher::new();
    for node in 0..space.occupied_sets() {
        hash.update(&space.sets()[node].bits().to_le_bytes());
        // One set of vertices of the free tokens identifies the region.
        let free = space.graph().region(node).min().unwrap_or(VertexSet::EMPTY);
        hash.update(&free.bits().to_le_bytes());
    }
    hash.finalize()
}
