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

/// How every table file begins.
pub(crate) const MAGIC: [u8; 8] = *b"hyprtabl";
/// The version of the format. Another order of sets or arrangements is another version.
pub const FORMAT_VERSION: u32 = 3;
/// The payload begins at a multiple of this, so that it can be mapped.
const PAGE: u64 = 4096;
/// Bytes before the description: magic, version, the description's length and its checksum.
const FIXED: usize = 8 + 4 + 4 + 4;

/// What a table is of, as its file says it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableDescription {
    /// The puzzle in one line; its start only says which tokens there are and where they can go.
    pub puzzle: String,
    /// Tokens kept apart.
    pub kept: Vec<String>,
    /// Tokens that stay on their goal vertices.
    pub settled: Vec<String>,
    /// `counted`, `free` or `absent`: what becomes of the others.
    pub rest: String,
    /// Bits a state.
    pub bits: u8,
    /// Number of states at distance 0, 1, ...
    pub layers: Vec<u64>,
    /// Whether all states that lead to the goal are in it, or only the nearest.
    pub complete: bool,
    /// Occupied sets that its numbers run over.
    pub occupied_sets: u64,
    /// Checksum of these sets in their order.
    pub numbering: u32,
    /// Bytes of the distances.
    pub payload_bytes: u64,
    /// Checksum of the distances.
    pub payload_crc32: u32,
}

/// Why there is no table.
#[derive(Debug, Error)]
pub enum TableError {
    /// The abstraction is impossible.
    #[error(transparent)]
    Abstraction(#[from] AbstractionError),
    /// The states cannot be numbered.
    #[error(transparent)]
    Space(#[from] SpaceError),
    /// No goal state is where the start's tokens can go.
    #[error(
        "the goal is out of the start's reach: none of the {occupied_sets} sets of vertices that the \
         tokens can occupy fits it"
    )]
    GoalOutOfReach {
        /// How many sets there are.
        occupied_sets: usize,
    },
    /// More memory than allowed.
    #[error(
        "the table and the search for it need {needed} bytes or more, and {limit} may be used: keep fewer tokens, use 2 bits a state, or allow more"
    )]
    Memory {
        /// Bytes needed.
        needed: u128,
        /// Bytes allowed.
        limit: u64,
    },
    /// A distance does not fit in a byte.
    #[error(
        "a distance is greater than {MAX_BYTE}, which a byte does not hold: use 2 bits a state"
    )]
    TooDeep,
    /// It was cancelled.
    #[error("cancelled before the table was complete")]
    Cancelled,
    /// The system did not do something.
    #[error("{what}: {source}")]
    Io {
        /// What.
        what: String,
        /// Why.
        source: io::Error,
    },
    /// A store that may not build has no such table.
    #[error(
        "there is no pattern database of {kept} tokens on {board} in {place}, and none may be built: allow it, or build it first"
    )]
    Missing {
        /// Tokens told apart.
        kept: usize,
        /// The board.
        board: String,
        /// The file looked for, or memory.
        place: String,
    },
    /// A file is not a table, or not a whole one.
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

/// Exact distances to a goal over all states of an abstraction.
pub struct DistanceTable {
    abstraction: Abstraction,
    space: Space,
    encoding: Encoding,
    layers: Layers,
    data: Data,
}

/// How to build a table.
#[derive(Clone, Debug)]
pub struct BuildOptions {
    /// How distances are stored.
    pub encoding: Encoding,
    /// Stops after the layer in which so many states are reached.
    pub max_states: Option<u64>,
    /// Stops after the layer in which this state of the puzzle is reached.
    pub until: Option<State>,
    /// Bytes that the table and the search for it may use.
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
    /// Computes the distances by a breadth-first search from all goal states. When `tell` breaks, the
    /// table has the layers so far.
    ///
    /// # Errors
    ///
    /// When it is impossible, needs too much memory or is cancelled.
    pub fn build(
        abstraction: Abstraction,
        options: &BuildOptions,
        signals: &Signals<'_>,
        tell: &mut dyn FnMut(&Layers) -> ControlFlow<()>,
    ) -> Result<DistanceTable, TableError> {
        let space = space_of(&abstraction, options.memory, signals.cancel)?;
        DistanceTable::build_in(space, abstraction, options, signals, tell)
    }

    /// [`DistanceTable::build`] with the states numbered already.
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

    /// What the table is an abstraction of.
    pub fn abstraction(&self) -> &Abstraction {
        &self.abstraction
    }

    /// The numbered states.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// How distances are stored.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Number of states at each distance.
    pub fn layers(&self) -> &Layers {
        &self.layers
    }

    /// Bytes of the distances.
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

    /// What is stored for a state of the abstraction: its distance modulo 3, or with a byte a state
    /// its distance; `None` when the table does not have it.
    pub fn stored(&self, state: &State) -> Option<u8> {
        let (set, place) = self.space.locate(state)?;
        stored(&self.space, self.encoding, self.words(), set, place)
    }

    /// The distance of a state of the *puzzle*, or `None` when the table does not have it. Takes time
    /// O(1) with a byte a state, otherwise O(distance x moves).
    pub fn distance(&self, state: &State) -> Option<u32> {
        let state = self.abstraction.of(state)?;
        match self.encoding {
            Encoding::Byte => self.stored(&state).map(u32::from),
            Encoding::Mod3 => self.cost_of_descent(&state),
        }
    }

    /// Writes another value for a state, as damage would.
    #[cfg(test)]
    pub(crate) fn set(&mut self, state: &State, value: Option<u8>) {
        let (set, place) = self.space.locate(state).expect("the state is numbered");
        let Data::Memory(distances) = &mut self.data else { panic!("the table is in a file") };
        distances.set(&self.space, set, place, value);
    }

    /// Whether the table is of this puzzle, whatever its start: same board, metric, tokens and goal,
    /// and every token kept apart.
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

    /// A shortest way to the goal from a state of the puzzle, when the table keeps all its tokens
    /// apart and has the state.
    pub fn solve(&self, state: &State) -> Option<Vec<Move>> {
        if !self.abstraction.is_whole() {
            return None;
        }
        self.descent(self.abstraction.of(state)?)
    }

    /// The first slide, ascending by `(from, to)`, that leads from a state of the abstraction one nearer to the goal;
    /// `None` when the table does not have the state. At a goal it means nothing.
    pub fn first_nearer(&self, state: &State) -> Option<Move> {
        let here = self.stored(state)?;
        self.nearer(here, std::slice::from_ref(state)).map(|(mv, _)| mv)
    }

    /// The first slide from a region at a stored distance that leads one nearer, and where it leads.
    fn nearer(&self, here: u8, region: &[State]) -> Option<(Move, State)> {
        let nearer = match self.encoding {
            Encoding::Byte => here.checked_sub(1)?,
            Encoding::Mod3 => (here + 2) % 3,
        };
        self.slides(region).find(|(_, to)| self.stored(to) == Some(nearer))
    }

    /// Slides from a state of the abstraction to a goal, each to the least distance there is; those that
    /// cost nothing are left out.
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

    /// The slides that cost something from the states of a region, with where they lead.
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

    /// How many slides with a cost a descent from a state of the abstraction takes.
    pub(crate) fn cost_of_descent(&self, state: &State) -> Option<u32> {
        self.descent(*state).map(|moves| moves.len() as u32)
    }

    /// What the file of this table says about it.
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

    /// Writes the table to a temporary name in the same directory, which is then renamed: another
    /// process sees the old file or the new one, never half of one.
    ///
    /// # Errors
    ///
    /// When that fails; what was there before stays.
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

    /// Reads what a file says about its table, without looking at the distances.
    ///
    /// # Errors
    ///
    /// When it cannot be read or is not a table.
    pub fn describe(path: &Path) -> Result<TableDescription, TableError> {
        let name = path.display().to_string();
        let io_error =
            |source| TableError::Io { what: format!("cannot read the table {name}"), source };
        let damaged =
            |problem: &str| TableError::Damaged { path: name.clone(), problem: problem.to_owned() };
        // Before it is opened: that would wait indefinitely where it is a pipe.
        if !path.metadata().map_err(io_error)?.is_file() {
            return Err(damaged("is no file"));
        }
        let mut file = File::open(path).map_err(io_error)?;
        let metadata = file.metadata().map_err(io_error)?;
        let mut fixed = [0; FIXED];
        let is_short = |error: io::Error| {
            if error.kind() == io::ErrorKind::UnexpectedEof {
                damaged("is no table: it is too short")
            } else {
                io_error(error)
            }
        };
        file.read_exact(&mut fixed).map_err(is_short)?;
        if fixed[..8] != MAGIC {
            return Err(damaged("is no table: it begins with other bytes"));
        }
        let number = |at: usize| {
            u32::from_le_bytes([fixed[at], fixed[at + 1], fixed[at + 2], fixed[at + 3]])
        };
        let (version, length, crc32) = (number(8), number(12), number(16));
        if version != FORMAT_VERSION {
            return Err(damaged(&format!(
                "is a table of version {version}, and this program reads version {FORMAT_VERSION}"
            )));
        }
        if u64::from(length) > metadata.len() {
            return Err(damaged("is cut off"));
        }
        let mut text = vec![0; length as usize];
        file.read_exact(&mut text).map_err(is_short)?;
        if crc32fast::hash(&text) != crc32 {
            return Err(damaged("is damaged: the checksum of its description is wrong"));
        }
        let description: TableDescription = serde_json::from_slice(&text)
            .map_err(|error| damaged(&format!("has a description that is wrong ({error})")))?;
        let start = (FIXED as u64 + u64::from(length)).next_multiple_of(PAGE);
        let expected = start.checked_add(description.payload_bytes);
        if expected != Some(metadata.len()) {
            return Err(damaged(&format!(
                "has {} bytes where {} are needed: it is cut off or was added to",
                metadata.len(),
                expected.unwrap_or(u64::MAX),
            )));
        }
        let mut padding = vec![0; start as usize - FIXED - length as usize];
        file.read_exact(&mut padding).map_err(is_short)?;
        if padding.iter().any(|&byte| byte != 0) {
            return Err(damaged("is damaged: something stands before its distances"));
        }
        Ok(description)
    }

    /// Maps the table of a file into memory, read only, after checking all of it.
    ///
    /// # Errors
    ///
    /// When it cannot be read, is not a table, or is damaged.
    #[allow(unsafe_code, reason = "a mapping is only sound while nobody changes the file")]
    pub fn open(path: &Path) -> Result<DistanceTable, TableError> {
        let description = DistanceTable::describe(path)?;
        let name = path.display().to_string();
        let damaged = |problem: String| TableError::Damaged { path: name.clone(), problem };
        let io_error =
            |source| TableError::Io { what: format!("cannot read the table {name}"), source };
        let puzzle = Puzzle::from_line(&description.puzzle)
            .map_err(|error| damaged(format!("names a puzzle that is wrong ({error})")))?;
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
            return Err(damaged("numbers its states otherwise than this program".to_owned()));
        }
        let file = File::open(path).map_err(io_error)?;
        // SAFETY: tables are written under another name and renamed, so that no process of ours ever
        // changes one in place. Another program that cuts the file off while it is mapped ends this
        // one with a signal; that is what mapping means.
        let map = unsafe { Mmap::map(&file) }.map_err(io_error)?;
        let start = map.len().checked_sub(description.payload_bytes as usize);
        let start = start.ok_or_else(|| damaged("is cut off".to_owned()))?;
        if crc32fast::hash(&map[start..]) != description.payload_crc32 {
            return Err(damaged("is damaged: the checksum of its distances is wrong".to_owned()));
        }
        let layers = Layers { states: description.layers, complete: description.complete };
        Ok(DistanceTable { abstraction, space, encoding, layers, data: Data::File(map) })
    }
}

/// The states of an abstraction. All parities of arrangements where there are several goals.
pub(crate) fn space_of(
    abstraction: &Abstraction,
    memory: u64,
    cancel: &AtomicBool,
) -> Result<Space, TableError> {
    /// Bytes for each occupied set while they are explored, and a little for their slides.
    const BYTES_A_SET: u64 = 200;

    // In the table a set takes more when it has many arrangements: half of them at least, of two bits or more.
    let bytes_a_set = (abstraction.arrangements() / 8.0).max(BYTES_A_SET as f64) as u64;

    let walls = abstraction.walls();
    let goal = &abstraction.goals()[0];
    // From where the start's tokens are, or, when it has settled tokens elsewhere, from the goal.
    let start = abstraction.of(abstraction.puzzle().start());
    let halve = abstraction.goals().len() == 1;
    let default = SpaceOptions::default();
    let max_sets = default.max_sets.min((memory / bytes_a_set) as usize);
    let options =
        SpaceOptions { walls, halve, free: abstraction.free_label(), max_sets, cancel, ..default };
    let start = if halve { goal } else { start.as_ref().unwrap_or(goal) };
    match Space::new(abstraction.puzzle().board(), start, &options) {
        Err(SpaceError::TooManySets { limit }) if limit < SpaceOptions::default().max_sets => {
            // What would really be needed is not known: more than this.
            let needed = (limit as u128 + 1) * u128::from(bytes_a_set);
            Err(TableError::Memory { needed, limit: memory })
        }
        Err(SpaceError::Cancelled) => Err(TableError::Cancelled),
        space => Ok(space?),
    }
}

/// Whether the search for a table needs no second layer.
fn is_in_place(abstraction: &Abstraction, options: &BuildOptions) -> bool {
    abstraction.goals().len() == 1 && options.search.in_place
}

/// # Errors
///
/// When the table and building it take more memory than they may.
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

/// Checksum of the occupied sets in the order of their numbers.
fn numbering(space: &Space) -> u32 {
    let mut hash = crc32fast::Hasher::new();
    for node in 0..space.occupied_sets() {
        hash.update(&space.sets()[node].bits().to_le_bytes());
        // One place of the free tokens tells the region.
        let free = space.graph().region(node).min().unwrap_or(VertexSet::EMPTY);
        hash.update(&free.bits().to_le_bytes());
    }
    hash.finalize()
}
