//! The searches of `anytime` that take turns: beams, closed walks, neighbourhoods and proofs.

use std::time::{Duration, Instant};

use cpu_time::ProcessTime;

use super::{Best, End, in_share_of_time, is_starved};
use crate::algorithm::Task;
use crate::algorithms::beam::{self, Beam};
use crate::algorithms::learned::state_graph::{NEIGHBOURHOOD, shorten};
use crate::algorithms::{auto, closed_walks};
use crate::control::Meter;
use crate::error::SolveError;
use crate::heuristics::{Heuristic, HeuristicChoice, HeuristicError, Incremental};
use crate::outcome::{Limit, Outcome};
use crate::settings::PROFILE;

/// Width of the first beam.
const NARROWEST: usize = 64;
/// Width of the last ones, where memory allows it.
const WIDEST: usize = 1 << 28;
/// States of the widest neighbourhood of the best that is searched: some 2 GB.
const WIDEST_NEIGHBOURHOOD: usize = 1 << 22;
/// Each beam is this many times wider than the one before it.
const WIDENING: usize = 4;
/// The least number of states that a search by closed walks may generate.
const WALK_NODES: u64 = 1 << 23;
/// One part in this many of what states have cost so far is for the lower bound.
const PROOF_SHARE: u64 = 4;
/// What the first search for the lower bound may cost, in states whose estimates are looked up.
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

/// What leads beams and neighbourhoods.
pub(super) struct Leader {
    /// What was chosen, which says whether its estimates are lower bounds; proofs have another
    /// heuristic.
    pub choice: HeuristicChoice,
    pub heuristic: Box<dyn Heuristic>,
    /// What takes its place once the pattern databases of proofs are built.
    pub with_tables: Option<HeuristicChoice>,
}

impl Leader {
    /// Returns whether it leads a beam so well that there are no shorter solutions in the
    /// neighbourhood of the beam's own.
    fn leads_well(&self) -> bool {
        matches!(
            self.heuristic.incremental(),
            Some(
                Incremental::Patterns(_)
                    | Incremental::GridWeights(_)
                    | Incremental::NeighbourWeights(_)
            )
        )
    }
}

/// Searches beams and neighbourhoods behind `leader`, in turns with proofs, until a limit is
/// reached or the best solution is proven shortest. Proofs use the distances of lone tokens when
/// they `lack_tables`.
pub(super) fn improve(
    task: &Task<'_>,
    leader: Leader,
    lack_tables: bool,
    best: &mut Best,
    meter: &mut Meter<'_>,
) -> End {
    // The published A* does not prove what it finds.
    let settings = &task.settings.without(&PROFILE);
    let with_tables = &Task { settings, ..task.clone() };
    let lone_token = HeuristicChoice::lone_token();
    let without_tables = &Task { heuristic: &lone_token, ..with_tables.clone() };
    let effort = auto::effort(task.puzzle);
    let mut turns = Turns {
        task,
        leader,
        without_tables,
        longest: beam::longest(best.lower_bound),
        width: NARROWEST,
        took: None,
        seed: 0,
        was_starved: false,
        is_cut: true,
        walks: true,
        neighbourhood: NEIGHBOURHOOD,
        prover: Some(if lack_tables { without_tables } else { with_tables }),
        proof_nodes: (PROOF_NODES as f64 / effort) as u64,
        spent_on_proofs: 0,
        effort,
        best,
    };
    while !turns.best.is_proven() {
        turns.best.note(meter);
        if let Err(end) = turns.next(meter) {
            return end;
        }
    }
    End::Limit(Limit::Width)
}

/// The searches that take turns, and what each needs to know for its next one.
struct Turns<'a> {
    task: &'a Task<'a>,
    leader: Leader,
    /// The task under the distances of lone tokens, which needs no tables.
    without_tables: &'a Task<'a>,
    /// While there is no solution, a beam without a limit on its length could wander indefinitely.
    longest: u32,
    /// The width of the latest beam, or that of the next while nothing tells how long it takes.
    width: usize,
    /// How long the latest beam took.
    took: Option<Duration>,
    /// Which states the next beam draws.
    seed: u64,
    /// Whether the machine left the last beam too little CPU time.
    was_starved: bool,
    /// Whether a wider beam may find more.
    is_cut: bool,
    /// Whether closed walks would find more with more states.
    walks: bool,
    /// The size of the next neighbourhood.
    neighbourhood: usize,
    /// What the next proof searches: with tables at first, without them when there is too little
    /// time or memory for them, and nothing when it would find no more.
    prover: Option<&'a Task<'a>>,
    /// The number of states that the next proof may generate.
    proof_nodes: u64,
    /// What proofs have cost, in states whose estimates are looked up.
    spent_on_proofs: u64,
    /// What a state costs whose estimate is not looked up.
    effort: f64,
    best: &'a mut Best,
}

impl Turns<'_> {
    /// A turn of each search that is due.
    fn next(&mut self, meter: &mut Meter<'_>) -> Result<(), End> {
        let was_last = self.is_cut && self.search_beam(meter)?;
        if self.best.moves.is_none() && self.walks {
            self.walk(meter)?;
        }
        // The last beam begins at once: a neighbourhood may take all that is left.
        let hurries = !was_last && self.next_beam(meter).1.is_some();
        let searches_near = self.is_cut && !self.leader.leads_well();
        if searches_near && !self.best.is_proven() && !hurries {
            self.search_neighbourhood(meter)?;
        }
        while let Some(prover) = self.prover.filter(|_| self.is_proof_due(meter)) {
            self.best.note(meter);
            self.prove(prover, meter)?;
            self.change_leader(meter)?;
        }
        let is_done = self.only_proofs_help() && self.prover.is_none();
        if is_done { Err(End::Limit(Limit::Width)) } else { Ok(()) }
    }

    /// Returns whether beams have found what they can, and so have closed walks.
    fn only_proofs_help(&self) -> bool {
        !self.is_cut && (self.best.moves.is_some() || !self.walks)
    }

    /// Lets pattern databases lead, too, from now on, if they suit and are built.
    fn change_leader(&mut self, meter: &mut Meter<'_>) -> Result<(), SolveError> {
        let Task { puzzle, resources, .. } = self.task;
        let Some(with_tables) = &self.leader.with_tables else { return Ok(()) };
        if HeuristicChoice::patterns_are_ready(puzzle, resources) {
            let leading = Task { heuristic: with_tables, ..self.task.clone() };
            let heuristic = leading.build_heuristic(meter)?;
            self.leader = Leader { choice: with_tables.clone(), heuristic, with_tables: None };
            self.is_cut = true;
        }
        Ok(())
    }

    fn is_proof_due(&self, meter: &Meter<'_>) -> bool {
        // Before the last beam there is no time for a proof, unless none was tried: on a machine
        // that others keep busy the narrowest beam takes so long that the next seems to be the
        // last, and an easy puzzle would never be proven.
        let is_first = self.spent_on_proofs == 0 && self.was_starved;
        let is_turn = (self.next_beam(meter).1.is_none() || is_first)
            && self.spent_on_proofs <= meter.cost() / PROOF_SHARE;
        (is_turn || self.only_proofs_help()) && !self.best.is_proven()
    }

    /// Searches the next beam, and returns whether it had to end in time.
    fn search_beam(&mut self, meter: &mut Meter<'_>) -> Result<bool, End> {
        let below = if self.best.moves.is_some() { self.best.below() } else { self.longest };
        let (width, end) = self.next_beam(meter);
        self.width = width;
        let beam = Beam { width, seed: self.seed, below, end };
        let (began, cpu) = (Instant::now(), ProcessTime::now());
        let before = meter.stats.generated;
        let found = beam::search(self.task, &*self.leader.heuristic, beam, meter);
        if !self.leader.leads_well() {
            meter.add_effort(meter.stats.generated - before, self.effort);
        }
        self.was_starved = is_starved(began, cpu);
        match found {
            Ok(beam::Ended { found, is_cut }) => {
                self.is_cut = is_cut;
                found.into_iter().for_each(|moves| self.best.improve(moves));
                self.took = Some(began.elapsed());
            }
            // As wide as memory allows, with other states drawn.
            Err(Limit::Memory) if self.width > NARROWEST => {
                (self.width, self.took) = (self.width / WIDENING, None);
            }
            Err(limit) => return Err(End::Limit(limit)),
        }
        self.seed += 1;
        Ok(end.is_some())
    }

    /// The width of the next beam, given the time that the latest took, and when it has to end:
    /// only the last one has to.
    ///
    /// What is left may suffice for the next but hardly for one after it: then one that just fits,
    /// and no proof before it. Two of about one width are worth less than one that is wider.
    fn next_beam(&self, meter: &Meter<'_>) -> (usize, Option<Instant>) {
        let Some(took) = self.took else { return (self.width, None) };
        let now = Instant::now();
        let left = meter.deadline().map(|end| end.saturating_duration_since(now));
        let (wider, end) = match left.filter(|left| *left < took * LAST) {
            Some(left) if self.best.moves.is_some() => {
                let left =
                    if self.leader.leads_well() { left - left / LEFT_OVER } else { left / 2 };
                (left.div_duration_f64(took) * TOO_WIDE, Some(now + left))
            }
            Some(left) => (left.div_duration_f64(took) * FITTING, None),
            None => (WIDENING as f64, None),
        };
        (((self.width as f64 * wider) as usize).clamp(1, WIDEST), end)
    }

    /// Looks for a first solution by closed walks, with as many states as all searches before it.
    fn walk(&mut self, meter: &mut Meter<'_>) -> Result<(), End> {
        let nodes = meter.stats.generated.max(WALK_NODES);
        let (outcome, _) = meter
            .with_node_allowance(nodes, |meter| closed_walks::run(self.without_tables, meter))?;
        self.walks = self.best.take(outcome, meter)?;
        Ok(())
    }

    /// Looks for a shorter solution in the neighbourhood of the best, if there is one.
    fn search_neighbourhood(&mut self, meter: &mut Meter<'_>) -> Result<(), End> {
        let Some(moves) = self.best.moves.take() else { return Ok(()) };
        let Leader { choice, heuristic, .. } = &self.leader;
        let leading = &Task { heuristic: choice, ..self.task.clone() };
        let (moves, end) = shorten(leading, &**heuristic, moves, self.neighbourhood, meter);
        self.best.moves = Some(moves);
        self.neighbourhood = match end {
            Ok(()) => (self.neighbourhood * WIDENING).min(WIDEST_NEIGHBOURHOOD),
            Err(Limit::Memory) => (self.neighbourhood / WIDENING).max(1),
            Err(limit) => return Err(End::Limit(limit)),
        };
        Ok(())
    }

    /// Raises the lower bound, or proves that there is none.
    fn prove(&mut self, prover: &Task<'_>, meter: &mut Meter<'_>) -> Result<(), End> {
        let before = meter.cost();
        let outcome = prove(prover, self.proof_nodes, meter)?;
        self.spent_on_proofs += meter.cost() - before;
        self.proof_nodes = self.proof_nodes.saturating_mul(4);
        match outcome {
            // There is too little memory or time for its tables, or for what it holds without them.
            Outcome::LimitReached { limit: Limit::Time | Limit::Memory, lower_bound }
                if !meter.is_over(0) =>
            {
                self.best.lower_bound = self.best.lower_bound.max(lower_bound);
                let had_tables = !std::ptr::eq(prover, self.without_tables);
                self.prover = had_tables.then_some(self.without_tables);
            }
            outcome => {
                if !self.best.take(outcome, meter)? {
                    self.prover = None;
                }
            }
        }
        Ok(())
    }
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

#[cfg(test)]
mod tests {
    use hyperslide_puzzle::{Move, Puzzle, State};

    use super::*;
    use crate::algorithm::Defaults;
    use crate::control::Control;
    use crate::heuristics::Resources;

    /// Estimates as learned weights may give them: 0 at the goal, and far too much elsewhere.
    struct TooHigh(Puzzle);

    impl Heuristic for TooHigh {
        fn estimate(&self, state: &State) -> Option<u32> {
            Some(if self.0.goal().is_met(state) { 0 } else { 1000 })
        }
    }

    /// The task is that of proofs, whose heuristic is admissible; the leader's need not be.
    #[test]
    fn a_leader_that_estimates_too_much_proves_nothing() {
        // Its twelve states are a circle.
        let puzzle = Puzzle::from_line("grid:2:2 1,2,0,3").unwrap();
        let board = puzzle.board();
        let is_solved = |state: &State| puzzle.goal().is_met(state);
        let mut state = *puzzle.start();
        let leads_there = |mv: &Move| is_solved(&board.play(puzzle.start(), *mv).unwrap());
        let shortest = board.legal_moves(&state).into_iter().find(leads_there).unwrap();
        let (mut moves, mut back) = (Vec::new(), shortest);
        while !is_solved(&state) {
            let onward = board.legal_moves(&state).into_iter().find(|&mv| mv != back);
            let mv = onward.expect("two slides lead on from every state");
            moves.push(mv);
            state.slide(mv);
            back = mv.reversed();
        }
        assert_eq!(moves.len(), 11);
        let (defaults, control) = (Defaults::default(), Control::default());
        let task = &defaults.task(&puzzle, Resources::default());
        let choice = "weighted-neighbours".parse().unwrap();
        let heuristic = Box::new(TooHigh(puzzle.clone()));
        let mut best = Best { moves: Some(moves), lower_bound: 0 };
        let mut turns = Turns {
            task,
            leader: Leader { choice, heuristic, with_tables: None },
            without_tables: task,
            longest: u32::MAX,
            width: NARROWEST,
            took: None,
            seed: 0,
            was_starved: false,
            is_cut: true,
            walks: false,
            neighbourhood: NEIGHBOURHOOD,
            prover: None,
            proof_nodes: 0,
            spent_on_proofs: 0,
            effort: 1.0,
            best: &mut best,
        };
        assert!(turns.search_neighbourhood(&mut Meter::new(&control)).is_ok());
        assert_eq!(best.moves.unwrap(), [shortest]);
    }
}
