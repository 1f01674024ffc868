//! Search guided by an estimate that a caller makes of many states at once, such as a neural
//! network.
//!
//! Greedy search, A\*, weighted A\* and beam search as they are defined in `algorithms`, except
//! that states are expanded until a batch of new ones is there to be estimated together (batch
//! weighted A\*: Agostinelli, McAleer, Shmakov and Baldi, Nature Machine Intelligence 1, 2019, pp.
//! 356-363), and that estimates are fractions.

mod beam;
mod best_first;

use hyperslide_puzzle::{Move, Puzzle, SearchEnd, State};
use thiserror::Error;

use crate::algorithms::{WEIGHT, WIDTH};
use crate::config::Config;
use crate::control::{Control, Meter};
use crate::engine::codec::{Codec, Key, with_codec};
use crate::engine::nodes::{NodeId, Nodes};
use crate::error::SolveError;
use crate::observer::Recorder;
use crate::outcome::{Limit, Outcome, Report};
use crate::settings::{PROFILE, Profile};
use crate::solve::{answer_without_search, conclude};

/// Returns an estimate of the moves to the goal for each of some states.
pub type Estimate<'a, E> = dyn FnMut(&[State]) -> Result<Vec<f64>, E> + 'a;

/// The estimates of a caller.
pub struct Guide<'a, E> {
    /// Makes them. Negative estimates count as 0, since networks have some; an infinite one says
    /// that the goal cannot be reached.
    pub estimate: &'a mut Estimate<'a, E>,
    /// The most states that are estimated together.
    pub batch: usize,
    /// Whether the caller declares that no estimate is greater than the number of moves to the
    /// goal. Only then is anything concluded about the length of the shortest solution.
    pub admissible: bool,
}

/// Why a guided search has no outcome.
#[derive(Debug, Error)]
pub enum GuidedError<E> {
    /// The caller could not make an estimate.
    #[error("the estimate failed")]
    Estimate(E),
    /// The algorithm takes no estimate of a caller.
    #[error("{0} takes no heuristic of your own: use beam, greedy, astar or weighted-astar")]
    Algorithm(&'static str),
    /// The algorithm takes no estimate of a caller with one of its settings.
    #[error("{algorithm} takes no heuristic of your own with {setting}: leave the setting out")]
    Setting {
        /// The algorithm.
        algorithm: &'static str,
        /// The setting with its value.
        setting: &'static str,
    },
    /// An estimate is not a number.
    #[error("the heuristic is not a number in state {0} of a batch: return floats of 0 or more")]
    NotANumber(usize),
    /// There is another number of estimates than of states.
    #[error("the heuristic made {estimates} estimates of {states} states: return one for each")]
    Count {
        /// The number of estimates.
        estimates: usize,
        /// The number of states.
        states: usize,
    },
    /// The puzzle cannot be searched.
    #[error(transparent)]
    Solve(#[from] SolveError),
}

/// Solves a puzzle as [`crate::solve()`] does, with the estimates of a caller in place of the
/// heuristic of the configuration.
///
/// # Errors
///
/// When the algorithm takes no such estimates, or an estimate fails or is not a number.
pub fn solve_guided<E>(
    puzzle: &Puzzle,
    config: &Config,
    guide: Guide<'_, E>,
    control: &Control<'_>,
) -> Result<Report, GuidedError<E>> {
    let mut meter = Meter::new(control);
    let algorithm = config.algorithm;
    let kind = match algorithm.name {
        "beam" => Kind::Beam { width: config.settings.get(&WIDTH) },
        "greedy" => Kind::BestFirst { of_path: 0.0, weight: 1.0 },
        "astar" if config.settings.get(&PROFILE) == Profile::Published => {
            let setting = "profile=published";
            return Err(GuidedError::Setting { algorithm: algorithm.name, setting });
        }
        "astar" => Kind::BestFirst { of_path: 1.0, weight: 1.0 },
        "weighted-astar" => {
            let weight = config.settings.get(&WEIGHT);
            let weight = f64::from(weight.numerator) / f64::from(weight.denominator);
            Kind::BestFirst { of_path: 1.0, weight }
        }
        other => return Err(GuidedError::Algorithm(other)),
    };
    let outcome = match answer_without_search(puzzle, algorithm, &mut meter) {
        Some(outcome) => outcome,
        None => with_codec!(puzzle, |codec| {
            Search { puzzle, codec: &codec, nodes: Nodes::new(), estimates: Vec::new(), guide }
                .run(algorithm.name, kind, &mut meter)?
        }),
    };
    Ok(conclude(puzzle, outcome, algorithm.name, meter, config.seed)?)
}

#[derive(Clone, Copy)]
enum Kind {
    Beam {
        width: usize,
    },
    /// f = `of_path` g + `weight` h.
    BestFirst {
        of_path: f64,
        weight: f64,
    },
}

/// Estimates that should be whole may be greater by the error of a computation.
const TOLERANCE: f64 = 1e-4;

/// Why a search ends before it has an answer.
enum Stop<E> {
    Limit(Limit),
    Failed(GuidedError<E>),
}

impl<E> From<Limit> for Stop<E> {
    fn from(limit: Limit) -> Stop<E> {
        Stop::Limit(limit)
    }
}

struct Search<'a, 'g, const WORDS: usize, E> {
    puzzle: &'a Puzzle,
    codec: &'a Codec<WORDS>,
    nodes: Nodes<WORDS>,
    /// The estimate of each node.
    estimates: Vec<f64>,
    guide: Guide<'g, E>,
}

impl<const WORDS: usize, E> Search<'_, '_, WORDS, E> {
    fn run(
        mut self,
        algorithm: &'static str,
        kind: Kind,
        meter: &mut Meter<'_>,
    ) -> Result<Outcome, GuidedError<E>> {
        let recorder = meter.recorder(algorithm, self.puzzle);
        let recorder = recorder.as_ref();
        let outcome = match kind {
            Kind::Beam { width } => beam::search(&mut self, width, recorder, meter),
            Kind::BestFirst { of_path, weight } => {
                best_first::search(&mut self, (of_path, weight), recorder, meter)
            }
        };
        meter.note_end(self.bytes(), self.nodes.len().into());
        outcome
    }

    /// The bytes of the states and their estimates.
    fn bytes(&self) -> u64 {
        let estimates = self.estimates.capacity() * size_of::<f64>();
        self.nodes.bytes().saturating_add(estimates as u64)
    }

    /// Adds the start, and estimates it.
    fn begin(&mut self, note: u32, meter: &mut Meter<'_>) -> Result<NodeId, Stop<E>> {
        let start = self.puzzle.start();
        let root = self.nodes.insert_root(&self.codec.pack(start), note)?;
        self.estimate(std::slice::from_ref(start), 0, 0, meter)?;
        Ok(root)
    }

    /// Estimates states that were added to the nodes in this order. The caller may need long for a
    /// batch, so that each is followed by a look at the limits: `bytes` are those of the search
    /// that are not in [`Search::bytes`].
    fn estimate(
        &mut self,
        states: &[State],
        bytes: u64,
        lower_bound: u32,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stop<E>> {
        for states in states.chunks(self.guide.batch.max(1)) {
            let estimates = (self.guide.estimate)(states);
            let estimates =
                estimates.map_err(|error| Stop::Failed(GuidedError::Estimate(error)))?;
            if estimates.len() != states.len() {
                let (estimates, states) = (estimates.len(), states.len());
                return Err(Stop::Failed(GuidedError::Count { estimates, states }));
            }
            if let Some(number) = estimates.iter().position(|estimate| estimate.is_nan()) {
                return Err(Stop::Failed(GuidedError::NotANumber(number)));
            }
            self.estimates.extend(estimates.into_iter().map(|estimate| estimate.max(0.0)));
            meter.poll(self.bytes().saturating_add(bytes), lower_bound)?;
        }
        Ok(())
    }

    /// The number of moves that no solution is shorter than, when none has an f below this.
    fn bound(&self, f: f64, weight: f64) -> u32 {
        let unit = weight.max(1.0);
        if self.guide.admissible {
            ((f / unit) - TOLERANCE).ceil().clamp(0.0, 1e9) as u32
        } else {
            0
        }
    }

    /// Counts and shows the expansion of a node at depth g, and returns its key and its state.
    fn expand(
        &self,
        id: NodeId,
        g: u32,
        recorder: Option<&Recorder<'_>>,
        meter: &mut Meter<'_>,
    ) -> (Key<WORDS>, State) {
        meter.stats.expanded += 1;
        if let Some(recorder) = recorder {
            let h = self.estimates[id as usize].min(1e9) as u32;
            recorder.expand(|| self.nodes.expanded(self.codec, id, (g, Some(h)), SearchEnd::Start));
        }
        let key = self.nodes.get(id).key;
        (key, self.codec.unpack(&key))
    }

    /// The solution whose last state is a node.
    fn solved(&self, id: NodeId, lower_bound: u32) -> Outcome {
        let moves = self.nodes.path(self.codec, id);
        let length = moves.len() as u32;
        let lower_bound = lower_bound.min(length);
        Outcome::Solved { moves, optimal: lower_bound == length, lower_bound }
    }
}

/// The states that one slide leads to.
fn children<'a, const WORDS: usize>(
    puzzle: &'a Puzzle,
    codec: &'a Codec<WORDS>,
    (key, state): (Key<WORDS>, &'a State),
) -> impl Iterator<Item = (Key<WORDS>, State)> + 'a {
    state.tokens().flat_map(move |(from, label)| {
        puzzle.board().destinations(from, state.occupied()).into_iter().map(move |to| {
            let mv = Move { from, to };
            let mut next = *state;
            next.slide(mv);
            (codec.moved(&key, label, mv), next)
        })
    })
}
