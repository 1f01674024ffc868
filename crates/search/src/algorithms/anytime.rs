//! A solution soon, then better ones.

use std::time::Instant;

use cpu_time::ProcessTime;
use hyperslide_puzzle::{Move, UnsolvableReason};

use super::beam::{self, Beam};
use super::learned::state_graph::{NEIGHBOURHOOD, shorten};
use super::{auto, closed_walks, staged};
use crate::algorithm::{Algorithm, Answer, Guarantee, Task};
use crate::control::Meter;
use crate::error::SolveError;
use crate::heuristics::{Heuristic, HeuristicChoice, HeuristicError, Incremental, Resources};
use crate::outcome::{Limit, Outcome};
use crate::settings::PROFILE;

pub(crate) const ALGORITHM: Algorithm = Algorithm {
    name: "anytime",
    summary: "a solution soon, then better ones until a limit is reached or the best is proven \
              shortest: staged search or closed walks, then wider and wider beams and \
              neighbourhoods of the best solution, in turns with an optimal search that raises the \
              lower bound",
    guarantee: Guarantee::None,
    source: "Hyperslide, docs/decisions/0009-near-optimal.md; neighbourhoods: H. Nakhost and M. \
             Mueller, ICAPS 2010",
    when: "the best solution that a given time allows is wanted",
    uses_heuristic: true,
    looks_up_tables: false,
    shows_expansions: true,
    settings: staged::ALGORITHM.settings,
    requires_solvability: false,
    check: staged::ALGORITHM.check,
    run,
};

/// Width of the first beam.
const NARROWEST: usize = 64;
/// Width of the last ones, where memory allows it.
const WIDEST: usize = 1 << 28;
/// States of the widest neighbourhood of the best that is searched: some 2 GB.
const WIDEST_NEIGHBOURHOOD: usize = 1 << 22;
/// Each beam is this many times wider than the one before it.
const WIDENING: usize = 4;
/// States that each of the first searches may generate.
const FIRST_NODES: u64 = 1_200_000;
/// The least number of states that a search by closed walks may generate.
const WALK_NODES: u64 = 1 << 23;
/// While there is no solution, a beam may be this many times as long as the lower bound.
const LONGEST: u32 = 64;
/// One part in this many of the states generated so far is for the lower bound.
const PROOF_SHARE: u64 = 4;
/// One part in this many of the time that is left is for building tables.
const FIRST_SHARE: u32 = 4;
/// The same once a busy machine has used up the first share.
const SECOND_SHARE: u32 = 2;
/// The machine is busy when the process had less CPU time than this part of the time that passed.
/// On an idle machine at least one thread builds all the time.
const STARVED: f64 = 0.75;
/// The number of states that the first search for the lower bound may generate.
const PROOF_NODES: u64 = 100_000;

/// A beam is the last one when the time that is left is less than this many times what the beam
/// before it took.
const LAST: u32 = 32;
/// A last beam under an estimate that leads it well leaves one part in this many of the time
/// unused.
const LEFT_OVER: u32 = 50;
/// The last beam begins this many times wider than fits the time, and becomes narrower as it
/// proceeds.
const TOO_WIDE: f64 = 1.2;
/// While there is no solution, nobody knows when a beam will end: its width is chosen for this part
/// of the time that is left.
const FITTING: f64 = 0.8;

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

    fn tell(&self, meter: &mut Meter<'_>) {
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
    for first in [staged::run, closed_walks::run] {
        let (outcome, _) = meter.with_node_allowance(FIRST_NODES, |meter| first(&plain, meter))?;
        if let Err(end) = best.take(outcome, meter) {
            return Ok((end.outcome(best), ALGORITHM.name));
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
    let end = improve(proving, &*heuristic, is_plain && is_same, &mut best, meter)?;
    Ok((end.outcome(best), ALGORITHM.name))
}

/// Why there is nothing left to improve.
enum End {
    /// A limit was reached, or the best solution is proven shortest.
    Limit(Limit),
    /// There is no solution.
    Unsolvable(UnsolvableReason),
}

impl End {
    fn outcome(self, best: Best) -> Outcome {
        match self {
            End::Limit(limit) => best.outcome(limit),
            End::Unsolvable(reason) => Outcome::Unsolvable(reason),
        }
    }
}

/// Searches beams and neighbourhoods under `heuristic`, in turns with proofs, until a limit is
/// reached or the best solution is proven shortest. Proofs use the distances of lone tokens when
/// they `lack_tables`.
fn improve(
    task: &Task<'_>,
    heuristic: &dyn Heuristic,
    mut lack_tables: bool,
    best: &mut Best,
    meter: &mut Meter<'_>,
) -> Result<End, SolveError> {
    // The published A* does not prove what it finds.
    let settings = &task.settings.without(&PROFILE);
    let with_tables = &Task { settings, ..task.clone() };
    let lone_token = HeuristicChoice::lone_token();
    let without = &Task { heuristic: &lone_token, ..with_tables.clone() };
    let mut width = NARROWEST;
    let mut neighbourhood = NEIGHBOURHOOD;
    // These lead a beam so well that there are no shorter solutions in the neighbourhood of its
    // own.
    let leads_well =
        matches!(heuristic.incremental(), Some(Incremental::Patterns(_) | Incremental::Weights(_)));
    let mut seed = 0;
    // When the next beam has to end, if it is the last one.
    let mut end = None;
    let longest = best.lower_bound.saturating_add(1).saturating_mul(LONGEST);
    let (mut proof, mut proof_nodes) = (PROOF_NODES, 0);
    let (mut more_proof, mut more_walks) = (true, true);
    while !best.is_proven() {
        best.tell(meter);
        // Without a limit on its length, a beam could wander indefinitely until there is a
        // solution.
        let below = if best.moves.is_some() { best.below() } else { longest };
        let beam = Beam { width, seed, below, end: end.take() };
        let began = Instant::now();
        match beam::search(task, heuristic, beam, meter) {
            Ok(found) => {
                found.into_iter().for_each(|moves| best.improve(moves));
                let took = began.elapsed();
                // What is left may suffice for the next but hardly for one after it: then one that
                // just fits, and no proof before it. Two of about one width are worth less than one
                // that is wider.
                let now = Instant::now();
                let left = meter.deadline().map(|end| end.saturating_duration_since(now));
                let wider: f64 = match left.filter(|left| *left < took * LAST) {
                    Some(left) if best.moves.is_some() => {
                        let left = if leads_well { left - left / LEFT_OVER } else { left / 2 };
                        end = Some(now + left);
                        left.div_duration_f64(took) * TOO_WIDE
                    }
                    Some(left) => left.div_duration_f64(took) * FITTING,
                    None => WIDENING as f64,
                };
                width = ((width as f64 * wider) as usize).clamp(1, WIDEST);
                seed += 1;
            }
            Err(Limit::Memory) if width > NARROWEST => {
                // As wide as memory allows, with other states drawn.
                width /= WIDENING;
                seed += 1;
            }
            Err(limit) => return Ok(End::Limit(limit)),
        }
        if best.moves.is_none() && more_walks {
            // As many states as all searches before it.
            let walks = meter.stats.generated.max(WALK_NODES);
            let (outcome, _) =
                meter.with_node_allowance(walks, |meter| closed_walks::run(without, meter))?;
            match best.take(outcome, meter) {
                Ok(more) => more_walks = more,
                Err(end) => return Ok(end),
            }
        }
        if !leads_well
            && !best.is_proven()
            && let Some(moves) = best.moves.take()
        {
            let (moves, end) = shorten(task, heuristic, moves, neighbourhood, meter);
            best.moves = Some(moves);
            match end {
                Ok(()) => neighbourhood = (neighbourhood * WIDENING).min(WIDEST_NEIGHBOURHOOD),
                Err(Limit::Memory) => neighbourhood = (neighbourhood / WIDENING).max(1),
                Err(limit) => return Ok(End::Limit(limit)),
            }
        }
        let is_last = end.is_some();
        let is_due = more_proof && proof_nodes <= meter.stats.generated / PROOF_SHARE;
        if is_last || !is_due || best.is_proven() {
            continue;
        }
        best.tell(meter);
        let before = meter.stats.generated;
        let proving = if lack_tables { without } else { with_tables };
        let outcome = prove(proving, proof, meter)?;
        proof_nodes += meter.stats.generated - before;
        more_proof = match outcome {
            // There is too little memory or time for its tables, or for what it holds without them.
            Outcome::LimitReached { limit: Limit::Time | Limit::Memory, lower_bound }
                if !meter.is_over(0) =>
            {
                best.lower_bound = best.lower_bound.max(lower_bound);
                !std::mem::replace(&mut lack_tables, true)
            }
            outcome => match best.take(outcome, meter) {
                Ok(more) => more,
                Err(end) => return Ok(end),
            },
        };
        proof = proof.saturating_mul(4);
    }
    Ok(End::Limit(Limit::Width))
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
    let was_starved = cpu.elapsed() < began.elapsed().mul_f64(STARVED);
    if ran_out(&result) && was_starved && !meter.is_over(0) {
        return work(&with_share(task, SECOND_SHARE, meter), meter);
    }
    result
}

/// The task with one part in `parts` of the time that is left for building its tables.
fn with_share<'a>(task: &Task<'a>, parts: u32, meter: &Meter<'_>) -> Task<'a> {
    let now = Instant::now();
    let share = |end: Instant| now + end.saturating_duration_since(now) / parts;
    let deadline = meter.deadline().map(share);
    Task { resources: Resources { deadline, ..task.resources.clone() }, ..task.clone() }
}

/// Runs an optimal search for the lower bound that may generate the given number of states; its
/// tables are built in a share of the time.
fn prove(task: &Task<'_>, nodes: u64, meter: &mut Meter<'_>) -> Result<Outcome, SolveError> {
    let search = |task: &Task<'_>, meter: &mut Meter<'_>| {
        match meter.with_node_allowance(nodes, |meter| auto::run(task, meter)) {
            Ok((outcome, _)) => Ok(outcome),
            Err(SolveError::Heuristic(HeuristicError::Stopped(limit))) => {
                Ok(Outcome::LimitReached { limit, lower_bound: 0 })
            }
            // The table may not or cannot be built: what was found so far is still worth something.
            Err(SolveError::Heuristic(HeuristicError::Table { .. })) => {
                Ok(Outcome::LimitReached { limit: Limit::Memory, lower_bound: 0 })
            }
            Err(error) => Err(error),
        }
    };
    let ran_out = |outcome: &Result<Outcome, SolveError>| {
        matches!(outcome, Ok(Outcome::LimitReached { limit: Limit::Time, .. }))
    };
    in_share_of_time(task, meter, search, ran_out)
}
