//! A race of searches for a proven answer: whose bound is expected to be ahead has nearly all
//! turns.

use hyperslide_puzzle::{Effort, Puzzle, Solvability};

use super::ALGORITHM;
use crate::algorithm::Answer;
use crate::control::Meter;
use crate::engine::resumable::Resumable;
use crate::error::SolveError;
use crate::heuristics::HeuristicError;
use crate::outcome::{Limit, Outcome};
use crate::reachable::{decide, most_occupied_sets};

/// What costs are counted in: a state that is generated and not stored, some ten nanoseconds.
type Cost = f64;

/// What a state costs that is generated without an estimate, stored or not, on average.
const STATE: Cost = 13.5;

/// What the first may cost before the others begin: some three milliseconds, in which easy puzzles
/// are solved.
const ALONE: Cost = 300_000.0;

/// The least turn.
const LEAST: Cost = 10_000.0;

/// By how many moves another one has to be expected ahead before it takes over. Two that are close
/// would otherwise share the turns, which costs more than either.
const CLEARLY: f64 = 2.0;

/// A turn in proportion to all turns before it.
const TURN: f64 = 0.1;

/// One that is behind gets a turn when its cost is below this fraction of the cost of the one that
/// is ahead.
const SHARE: f64 = 0.03;

/// They are compared by the bounds that are expected of them when all costs so far, times this,
/// have been spent on each.
const HORIZON: f64 = 8.0;

/// The rise of a bound is measured over the latest part of a search: from this fraction of its
/// costs on.
const LATEST: f64 = 1.0 / 32.0;

/// States generated before the solvability of a puzzle that was not decided at once is looked into,
/// and how many times more before the next look.
const UNDECIDED: u64 = 2_000_000;
const GROWTH: u64 = 16;

/// Why a search has not begun.
pub(super) enum NotBegun {
    /// There is no memory for it, or no time.
    Limit(Limit),
    /// It cannot be used on this puzzle.
    Refused(SolveError),
}

impl From<Limit> for NotBegun {
    fn from(limit: Limit) -> NotBegun {
        NotBegun::Limit(limit)
    }
}

impl From<SolveError> for NotBegun {
    fn from(error: SolveError) -> NotBegun {
        NotBegun::Refused(error)
    }
}

/// Begins a search.
type Begin<'a> = &'a dyn Fn(&mut Meter<'_>) -> Result<Box<dyn Resumable + 'a>, NotBegun>;

/// One of those that compete.
pub(super) struct Runner<'a> {
    name: &'static str,
    /// What a generated state costs in proportion to one that is generated without an estimate.
    effort: f64,
    /// What a state costs in addition when it is stored.
    stored_cost: Cost,
    begin: Begin<'a>,
    search: Option<Box<dyn Resumable + 'a>>,
    /// States generated.
    generated: u64,
    cost: Cost,
    /// The bounds that it had, each with what it had cost to reach it, ascending.
    bounds: Vec<(Cost, u32)>,
}

impl<'a> Runner<'a> {
    pub fn new(name: &'static str, effort: f64, stored_cost: Cost, begin: Begin<'a>) -> Runner<'a> {
        let (search, bounds) = (None, Vec::new());
        Runner { name, effort, stored_cost, begin, search, generated: 0, cost: 0.0, bounds }
    }

    /// What a generated state costs when it is not stored.
    fn generated_cost(&self) -> Cost {
        1.0 + STATE * (self.effort - 1.0)
    }

    fn bytes(&self) -> u64 {
        self.search.as_ref().map_or(0, |search| search.bytes())
    }

    fn stored(&self) -> u64 {
        self.search.as_ref().map_or(0, |search| search.stored())
    }

    /// Forgets the search, so that others may have its memory.
    fn forget(&mut self) {
        (self.search, self.generated, self.cost) = (None, 0, 0.0);
        self.bounds.clear();
    }

    /// Begins the search, unless it has begun.
    fn begin(&mut self, meter: &mut Meter<'_>) -> Result<(), NotBegun> {
        if self.search.is_none() {
            self.search = Some((self.begin)(meter)?);
        }
        Ok(())
    }

    /// Goes on for a turn, with at most this many states.
    fn run(&mut self, turn: Cost, most: u64, meter: &mut Meter<'_>) -> Outcome {
        let states = (turn / self.mean_cost()).max(1.0) as u64;
        let search = self.search.as_mut().expect("it has begun");
        let before = meter.stats.generated;
        let outcome = meter.with_node_allowance(states.min(most), |meter| search.run(meter));
        let generated = meter.stats.generated - before;
        meter.add_effort(generated, self.effort);
        self.generated += generated;
        self.cost =
            self.generated_cost() * self.generated as f64 + self.stored_cost * self.stored() as f64;
        if let Outcome::LimitReached { lower_bound, .. } = outcome
            && self.bounds.last().is_none_or(|&(_, bound)| bound < lower_bound)
        {
            self.bounds.push((self.cost, lower_bound));
        }
        outcome
    }

    /// What a generated state costs, given how many of them are stored.
    fn mean_cost(&self) -> Cost {
        match self.generated {
            // Half of them are on most boards.
            0 => self.generated_cost() + self.stored_cost / 2.0,
            generated => self.cost / generated as f64,
        }
    }

    /// The bound that is expected at a cost. Each further move of it takes a factor, which is taken
    /// to remain what it was of late.
    fn expected_bound(&self, cost: Cost) -> f64 {
        let Some(&(reached, bound)) = self.bounds.last() else { return 0.0 };
        let is_early = |&&(cost, _): &&(Cost, u32)| cost <= self.cost * LATEST;
        let early = self.bounds.iter().rev().find(is_early).or(self.bounds.first());
        let &(since, before) = early.unwrap_or(&(reached, bound));
        // It stands at the beginning of a bound as long as it has not risen.
        let rise = if bound > before {
            f64::from(bound - before) / (reached / since).ln().max(f64::EPSILON)
        } else {
            0.5 / (self.cost / since).ln().max(1.0)
        };
        f64::from(bound) + rise * (cost / reached).ln()
    }
}

/// Lets them take turns until one has the answer.
pub(super) fn race(
    puzzle: &Puzzle,
    mut runners: Vec<Runner<'_>>,
    meter: &mut Meter<'_>,
) -> Result<Answer, SolveError> {
    let sets = most_occupied_sets(puzzle);
    let is_open = Effort::QUICK.occupied_sets < sets && sets <= Effort::THOROUGH.occupied_sets;
    let mut undecided = if is_open { UNDECIDED } else { u64::MAX };
    let (mut proven, mut ahead) = (0, 0);
    loop {
        // Most puzzles are solved before their solvability would be decided: deciding takes its
        // turns too, about as long as the searches so far. Small puzzles were decided before.
        if meter.stats.generated >= undecided {
            undecided = undecided.saturating_mul(GROWTH);
            let effort = Effort { slides: meter.stats.generated, ..Effort::THOROUGH };
            if let Ok(Solvability::Unsolvable(reason)) = decide(puzzle, effort, meter) {
                return Ok((Outcome::Unsolvable(reason), ALGORITHM.name));
            }
        }
        let total: Cost = runners.iter().map(|runner| runner.cost).sum();
        ahead = leader(&runners, ahead, HORIZON * total);
        let next = next(&runners, ahead);
        let held: u64 = runners.iter().map(Runner::bytes).sum::<u64>() - runners[next].bytes();
        let turn = match total {
            _ if runners.len() == 1 => Cost::INFINITY,
            _ if total < ALONE => ALONE,
            total => LEAST.max(TURN * total),
        };
        let left = undecided.saturating_sub(meter.stats.generated).max(1);
        let mut outcome = match runners[next].begin(meter) {
            // Its own tables are not available, and the others do without them.
            Err(NotBegun::Refused(SolveError::Heuristic(_))) if runners.len() > 1 => {
                runners.remove(next);
                ahead = 0;
                continue;
            }
            Err(
                NotBegun::Limit(limit)
                | NotBegun::Refused(SolveError::Heuristic(HeuristicError::Stopped(limit))),
            ) => Outcome::LimitReached { limit, lower_bound: 0 },
            Err(NotBegun::Refused(error)) => return Err(error),
            Ok(()) => meter.with_held(held, |meter| runners[next].run(turn, left, meter)),
        };
        let stored = runners.iter().map(Runner::stored).sum();
        meter.note_end(runners.iter().map(Runner::bytes).sum(), stored);
        let name = runners[next].name;
        let Outcome::LimitReached { limit, lower_bound } = &mut outcome else {
            return Ok((outcome, name));
        };
        proven = proven.max(*lower_bound);
        *lower_bound = proven;
        match limit {
            Limit::Nodes if !meter.is_out_of_nodes() => {}
            Limit::Nodes | Limit::Time | Limit::Cancelled => return Ok((outcome, name)),
            // Another one may get along with the memory.
            _ if runners.len() == 1 => return Ok((outcome, name)),
            _ => {
                runners.remove(next);
                ahead = 0;
                runners.iter_mut().for_each(Runner::forget);
            }
        }
    }
}

/// Of which one the highest bound is expected at a cost; the one that was ahead before remains so
/// while the others are close.
fn leader(runners: &[Runner<'_>], before: usize, cost: Cost) -> usize {
    let expected = |place: usize| runners[place].expected_bound(cost);
    let best = (0..runners.len()).max_by(|&one, &other| expected(one).total_cmp(&expected(other)));
    best.filter(|&best| expected(best) > expected(before) + CLEARLY).unwrap_or(before)
}

/// Whose turn it is: first the first one's, then of those that are behind as long as that costs
/// little, and mostly of the one that is ahead.
fn next(runners: &[Runner<'_>], ahead: usize) -> usize {
    if runners[0].cost < ALONE {
        return 0;
    }
    let few = LEAST.max(SHARE * runners[ahead].cost);
    runners.iter().position(|runner| runner.cost < few).unwrap_or(ahead)
}
