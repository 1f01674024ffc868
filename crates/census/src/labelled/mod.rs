//! Censuses of tokens of which several share a label.
//!
//! With distinguishable tokens one start of every orbit of occupied sets suffices, because
//! relabelling takes any arrangement to any other. Where tokens are alike it does not: here the
//! searches start from one state of each orbit of *states*, under the symmetries of the board and
//! under exchanges of labels with equal numbers of tokens.

mod explore;
mod record;
mod report;
mod search;
mod tokens;

use hyperslide_puzzle::{Board, Regime, State, VertexSet, factorial};
use hyperslide_table::{Arrangements, SpaceError, Watch};
use num_bigint::BigUint;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use explore::explore;
pub use record::{LabelledRecord, labelled_digest};
pub use report::{LabelledComponent, LabelledReport, StateEccentricity};
pub use tokens::{TokensError, token_counts, token_labels};

/// The greatest number of states that [`LabelledSurvey::new`] numbers.
pub const MAX_LABELLED_STATES: u64 = 100_000_000;

/// Bytes of a state during the survey: the number of its component, its orbit, a place in a queue,
/// and the place of its orbit.
const BYTES_A_STATE: u64 = 16;

/// Bytes of an orbit: what the survey has of it, and the start of its search.
const BYTES_AN_ORBIT: u64 = 48;

/// Why a census of tokens with repeated labels cannot be made.
#[derive(Debug, Error)]
pub enum LabelledError {
    /// The board has fewer vertices than there are tokens.
    #[error("{board} has {vertices} vertices, too few for {tokens} tokens: name fewer")]
    TooManyTokens {
        /// The board.
        board: String,
        /// The number of its vertices.
        vertices: usize,
        /// The number of tokens.
        tokens: usize,
    },
    /// There are more states than are numbered.
    #[error(
        "{board} with these tokens has {states} states, more than the {MAX_LABELLED_STATES} that a \
         census with repeated labels can number: use fewer tokens, or more with the same label"
    )]
    TooManyStates {
        /// The board.
        board: String,
        /// The number of states, in decimal.
        states: String,
    },
    /// The census was stopped before the states were surveyed.
    #[error("stopped before the states were surveyed")]
    Stopped,
    /// The states cannot be numbered.
    #[error(transparent)]
    Space(#[from] SpaceError),
    /// More memory is needed than allowed.
    #[error("the census needs {needed} bytes, but only {limit} may be used")]
    Memory {
        /// Bytes needed.
        needed: u128,
        /// Bytes allowed.
        limit: u64,
    },
    /// Memory cannot be allocated.
    #[error("cannot get memory for the search: {0}")]
    Allocation(std::io::Error),
    /// A search found another number of states than the survey.
    #[error(
        "the search from {cells:?} found {found} states, the survey {expected}: please report this"
    )]
    Contradiction {
        /// The start.
        cells: Vec<u8>,
        /// The number of states found.
        found: u64,
        /// The number expected.
        expected: u64,
    },
    /// The recorded starts do not fit the survey.
    #[error("the recorded starts do not fit the board's orbits: {0}")]
    Starts(String),
}

/// The identity of a census with repeated labels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelledKey {
    /// The board, in one word.
    pub board: String,
    /// The metric.
    pub metric: String,
    /// The number of tokens of each label, the greatest first.
    pub labels: Vec<usize>,
}

/// The search from one start, and the states for which it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelledStart {
    /// For each vertex 0 where it is empty, otherwise the number of the label from 1.
    pub cells: Vec<u8>,
    /// The number of states of its orbit within the component.
    pub orbit: u64,
    /// The number of states at distance 0, 1, ... up to the eccentricity.
    pub layers: Vec<u64>,
}

/// An orbit of states of one component.
#[derive(Clone, Debug, PartialEq, Eq)]
struct StateOrbit {
    /// The number of its first state among the arrangements.
    representative: u64,
    states: u64,
}

/// Components that symmetries and exchanges of labels take to each other.
#[derive(Clone, Debug)]
struct Kind {
    size: u64,
    count: u64,
    regime: Regime,
    stuck: VertexSet,
    occupied_sets: u64,
    orbits: Vec<StateOrbit>,
}

/// All states of a board with given tokens: their components and orbits.
#[derive(Clone, Debug)]
pub struct LabelledSurvey {
    board: Board,
    /// The states as arrangements of classes on the vertices; class 0 is an empty vertex.
    states: Arrangements,
    symmetries: BigUint,
    kinds: Vec<Kind>,
    isolated: u64,
}

impl LabelledSurvey {
    /// Surveys all states of a board with these numbers of tokens of each label.
    ///
    /// Takes O(states x moves) of time, 16 bytes a state and 48 an orbit.
    ///
    /// # Errors
    ///
    /// Returns an error if there are too many tokens or states, if that takes more than `memory`
    /// bytes, or if the watch stops it.
    pub fn new(
        board: &Board,
        labels: &[usize],
        memory: u64,
        watch: Watch<'_>,
    ) -> Result<LabelledSurvey, LabelledError> {
        let mut labels = labels.to_vec();
        labels.sort_unstable_by(|a, b| b.cmp(a));
        let (vertices, tokens) = (board.vertex_count(), labels.iter().sum::<usize>());
        if tokens > vertices {
            let board = board.to_string();
            return Err(LabelledError::TooManyTokens { board, vertices, tokens });
        }
        let counts = [&[vertices - tokens], &labels[..]].concat();
        let states = Arrangements::new(&counts).filter(|all| all.count() <= MAX_LABELLED_STATES);
        let Some(states) = states else {
            let alike: BigUint = counts.iter().map(|&count| factorial(count)).product();
            let (board, states) = (board.to_string(), (factorial(vertices) / alike).to_string());
            return Err(LabelledError::TooManyStates { board, states });
        };
        explore(board, states, memory, watch)
    }

    /// Returns the identity of the census.
    pub fn key(&self) -> LabelledKey {
        LabelledKey {
            board: self.board.spec().to_string(),
            metric: self.board.metric().name().to_owned(),
            labels: self.labels(),
        }
    }

    fn labels(&self) -> Vec<usize> {
        self.states.multiplicities()[1..].to_vec()
    }

    /// Returns the number of searches that suffice.
    pub fn orbits(&self) -> usize {
        self.kinds.iter().map(|kind| kind.orbits.len()).sum()
    }

    /// For each vertex of a state 0 where it is empty, otherwise the number of the label.
    fn cells(&self, rank: u64) -> Vec<u8> {
        cells(&self.states, rank)
    }

    fn state(&self, rank: u64) -> State {
        State::from_cells(&self.cells(rank)).expect("cells of labels from 1 on")
    }
}

/// For each vertex of a state 0 where it is empty, otherwise the number of the label.
fn cells(states: &Arrangements, rank: u64) -> Vec<u8> {
    let mut cells = vec![0; states.places()];
    states.unrank(rank, &mut cells);
    cells
}
