//! A solution soon, then better ones.

mod crowded;
mod turns;

use std::time::Instant;

use cpu_time::ProcessTime;
use hyperslide_puzzle::{Move, UnsolvableReason};

use self::turns::{Leader, improve};
use super::beam::{self, Beam};
use super::best_first::{astar, greedy};
use super::{auto, closed_walks, staged};
use crate::algorithm::{Algorithm, Answer, Guarantee, Task};
use crate::control::Meter;
use crate::error::SolveError;
use crate::heuristics::{HeuristicChoice, HeuristicError, Resources};
use crate::outcome::{Limit, Outcome};

pub(crate) const ALGORITHM: Algorithm = Algorithm {
    name: "anytime",
    summary: "a solution soon, then better ones until a limit is reached or the best is proven \
              shortest: A*, staged search, a narrow beam, greedy search, beams of closed walks or products of such walks, then wider and \
              wider beams and neighbourhoods of the best solution, in turns with an optimal search \
              that raises the lower bound",
    guarantee: Guarantee::None,
    source: "Hyperslide, docs/decisions/0009-near-optimal.md; neighbourhoods: H. Nakhost and M. \
             Mueller, ICAPS 2010",
    when: "the best solution that a given time allows is wanted",
    uses_heuristic: true,
    looks_up_tables: false,
    shows_expansions: true,
    keeps_proofs: false,
    settings: staged::ALGORITHM.settings,
    requires_solvability: false,
    check: staged::ALGORITHM.check,
    run,
};

/// What finds a solution.
type Run = fn(&Task<'_>, &mut Meter<'_>) -> Result<Answer, SolveError>;

/// How many states A* may generate at the beginning, to solve easy puzzles in some ten
/// milliseconds.
const EASY_NODES: u64 = 50_000;
/// A* may generate no more than the node limit of the whole search divided by this.
const EASY_PART: u64 = 64;
/// How many states greedy search may generate, in some 0.2 s, after a narrow beam has failed. It
/// suits trees and mazes, where each state has few successors.
const GREEDY_NODES: u64 = 2_000_000;
/// What the states may cost that a staged search and closed walks generate at first.
const FIRST_NODES: u64 = 1_200_000;
/// The width of the first beam, and the layers that it has at least before it is given up: where
/// states have a hundred slides each, these are more states than others have.
const FIRST_WIDTH: usize = 256;
const FIRST_LAYERS: u64 = 160;
/// The share of the time that is left for building tables.
const FIRST_SHARE: f64 = 0.25;
/// The same once a busy machine has used up the first share: about as much CPU time, when three
/// processes share a core.
const SECOND_SHARE: f64 = 0.75;
/// The machine is busy when the process had less CPU time than this part of the time that passed.
/// On an idle machine at least one thread builds all the time.
const STARVED: f64 = 0.75;

struct Best {
    moves: Option<Vec<Move>>,
    lower_bound: u32,
}

impl Best {
    fn below(&self) -> u32 {
        self.moves.as_ref().map_or(u32::MAX, |moves| moves.len() as u32)
    }

    fn improve(&mut self, moves: Vec<Move>) {
        if (moves.len() as u32) < self.below() {
            self.moves = Some(moves);
        }
    }

    /// Takes in what a part of the search found, and returns whether it would find more with more
    /// states.
    ///
    /// # Errors
    ///
    /// Fails when the result ends the whole search. Memory that is too small for one part may
    /// suffice for others.
    fn take(&mut self, outcome: Outcome, meter: &Meter<'_>) -> Result<bool, End> {
        match outcome {
            Outcome::Solved { moves, lower_bound, .. } => {
                self.lower_bound = self.lower_bound.max(lower_bound);
                self.improve(moves);
                Ok(true)
            }
            Outcome::LimitReached { limit, lower_bound } => {
                self.lower_bound = self.lower_bound.max(lower_bound);
                match limit {
                    Limit::Time | Limit::Cancelled => Err(End::Limit(limit)),
                    Limit::Nodes if meter.is_out_of_nodes() => Err(End::Limit(limit)),
                    Limit::Nodes => Ok(true),
                    Limit::Memory | Limit::Length | Limit::Width | Limit::Generations => Ok(false),
                }
            }
            Outcome::Unsolvable(reason) => Err(End::Unsolvable(reason)),
        }
    }

    fn note(&self, meter: &mut Meter<'_>) {
        let length = self.moves.as_ref().map(|moves| moves.len() as u32);
        meter.note_best(length, self.lower_bound);
    }

    fn is_proven(&self) -> bool {
        self.below() <= self.lower_bound
    }

    fn outcome(self, limit: Limit) -> Outcome {
        match self.moves {
            Some(moves) => {
                let optimal = moves.len() as u32 <= self.lower_bound;
                let lower_bound = self.lower_bound.min(moves.len() as u32);
                Outcome::Solved { moves, optimal, lower_bound }
            }
            None => {
                let lower_bound = self.lower_bound;
                Outcome::LimitReached { limit, lower_bound }
            }
        }
    }
}

fn run(task: &Task<'_>, meter: &mut Meter<'_>) -> Result<Answer, SolveError> {
    let mut best = Best { moves: None, lower_bound: 0 };
    // Without tables first: a solution is wanted soon.
    let lone_token = HeuristicChoice::default();
    let plain = Task { heuristic: &lone_token, ..task.clone() };
    let assigned = (FIRST_NODES as f64 / auto::effort(task.puzzle)) as u64;
    let slides = task.puzzle.board().legal_moves(task.puzzle.start()).len();
    let layers = FIRST_LAYERS * (FIRST_WIDTH * slides) as u64;
    let easy = EASY_NODES.min(meter.nodes_left() / EASY_PART);
    let mut first: Vec<(Run, u64)> = vec![
        (astar::ALGORITHM.run, easy),
        (staged::run, assigned),
        (narrow_beam, layers.max(FIRST_NODES)),
    ];
    let crowded: (Run, u64) = (crowded::run, crowded::MOST_NODES);
    let walks: (Run, u64) = (closed_walks::run, FIRST_NODES);
    if task.puzzle.board().is_graph() {
        // Where faces are edges, closed walks take a fraction of the time.
        first.extend([(greedy::ALGORITHM.run as Run, GREEDY_NODES), walks, crowded]);
    } else {
        first.extend([crowded, walks]);
    }
    for (run, nodes) in first {
        let (outcome, _) = meter.with_node_allowance(nodes, |meter| run(&plain, meter))?;
        if let Err(end) = best.take(outcome, meter) {
            return Ok((end.outcome(best)?, ALGORITHM.name));
        }
        if best.moves.is_some() {
            break;
        }
    }
    let (leading, suited) = (auto::leading(task.puzzle), auto::suited(task.puzzle));
    let chosen = task.heuristic;
    // An estimate that is not a lower bound proves nothing.
    let proves = !chosen.is_default() && chosen.is_admissible();
    let proving = &Task { heuristic: if proves { chosen } else { &suited }, ..task.clone() };
    let leading = if chosen.is_default() {
        Task { heuristic: &leading, ..task.clone() }
    } else {
        task.clone()
    };
    let built = if chosen.is_default() {
        let ran_out = |built: &Result<_, SolveError>| {
            let stopped = SolveError::Heuristic(HeuristicError::Stopped(Limit::Time));
            built.as_ref().is_err_and(|error| *error == stopped)
        };
        in_share_of_time(&leading, meter, |task, meter| task.build_heuristic(meter), ran_out)
    } else {
        leading.build_heuristic(meter)
    };
    let (heuristic, is_plain) = match built {
        Err(SolveError::Heuristic(HeuristicError::Stopped(limit))) if meter.is_over(0) => {
            return Ok((best.outcome(limit), ALGORITHM.name));
        }
        // The search continues without tables that it has no time or memory for, and without tables
        // that nobody chose and that may not be built.
        Err(SolveError::Heuristic(HeuristicError::Stopped(_))) => {
            (plain.build_heuristic(meter)?, true)
        }
        Err(SolveError::Heuristic(HeuristicError::Table { .. })) if chosen.is_default() => {
            (plain.build_heuristic(meter)?, true)
        }
        heuristic => (heuristic?, false),
    };
    best.lower_bound = best.lower_bound.max(leading.least(&*heuristic));
    let is_same = leading.heuristic.to_string() == proving.heuristic.to_string();
    let with_tables = auto::leading_by_tables(task.puzzle).filter(|_| chosen.is_default());
    let choice = if is_plain { plain.heuristic } else { leading.heuristic }.clone();
    let leader = Leader { choice, heuristic, with_tables };
    let end = improve(proving, leader, is_plain && is_same, &mut best, meter);
    Ok((end.outcome(best)?, ALGORITHM.name))
}

/// A beam that soon finds a solution, unless the tokens are in each other's way.
fn narrow_beam(task: &Task<'_>, meter: &mut Meter<'_>) -> Result<Answer, SolveError> {
    let heuristic = task.build_heuristic(meter)?;
    let least = task.least(&*heuristic);
    let beam = Beam { width: FIRST_WIDTH, seed: 0, below: beam::longest(least), end: None };
    let ended = beam::search(task, &*heuristic, beam, meter);
    let outcome = match ended.map(|ended| ended.found) {
        Ok(Some(moves)) => Outcome::Solved { moves, optimal: false, lower_bound: least },
        Ok(None) => Outcome::LimitReached { limit: Limit::Width, lower_bound: least },
        Err(limit) => Outcome::LimitReached { limit, lower_bound: least },
    };
    Ok((outcome, beam::ALGORITHM.name))
}

/// Why there is nothing left to improve.
enum End {
    /// A limit was reached, or the best solution is proven shortest.
    Limit(Limit),
    /// There is no solution.
    Unsolvable(UnsolvableReason),
    /// A part of the search cannot be used on this puzzle.
    Refused(SolveError),
}

impl From<SolveError> for End {
    fn from(error: SolveError) -> End {
        End::Refused(error)
    }
}

impl End {
    fn outcome(self, best: Best) -> Result<Outcome, SolveError> {
        match self {
            End::Limit(limit) => Ok(best.outcome(limit)),
            End::Unsolvable(reason) => Ok(Outcome::Unsolvable(reason)),
            End::Refused(error) => Err(error),
        }
    }
}

/// Runs `work`, which builds tables, in a share of the time that is left: no states are counted
/// while tables are built. Work that ran out of its share because the machine was busy is given a
/// second, larger share, in which it also finds the tables that other processes have finished in
/// the meantime.
fn in_share_of_time<T>(
    task: &Task<'_>,
    meter: &mut Meter<'_>,
    mut work: impl FnMut(&Task<'_>, &mut Meter<'_>) -> T,
    ran_out: impl Fn(&T) -> bool,
) -> T {
    let (began, cpu) = (Instant::now(), ProcessTime::now());
    let result = work(&with_share(task, FIRST_SHARE, meter), meter);
    if ran_out(&result) && is_starved(began, cpu) && !meter.is_over(0) {
        return work(&with_share(task, SECOND_SHARE, meter), meter);
    }
    result
}

/// Returns whether the machine has left the process too little CPU time since then.
fn is_starved(began: Instant, cpu: ProcessTime) -> bool {
    cpu.elapsed() < began.elapsed().mul_f64(STARVED)
}

/// The task with a share of the time that is left for building its tables.
fn with_share<'a>(task: &Task<'a>, part: f64, meter: &Meter<'_>) -> Task<'a> {
    let now = Instant::now();
    let share = |end: Instant| now + end.saturating_duration_since(now).mul_f64(part);
    let deadline = meter.deadline().map(share);
    Task { resources: Resources { deadline, ..task.resources.clone() }, ..task.clone() }
}
