//! The iterations of IDA* over pattern databases: long ones are divided, and long searches follow the partitions of
//! the tokens that suit their puzzle best.

use std::ops::ControlFlow;
use std::sync::Arc;

use hyperslide_puzzle::{MAX_VERTICES, Move, Puzzle};
use hyperslide_table::CursorState;

use super::Iteration;
use super::outline::Outline;
use super::parallel::{self, Known, Node};
use super::patterns::{PARTS, Run, Tables};
use super::spectator::{Nobody, Reporter, Spectator};
use crate::algorithm::Task;
use crate::control::Meter;
use crate::engine::move_pruning::MovePruning;
use crate::error::SolveError;
use crate::heuristics::{Heuristic, HeuristicChoice, Incremental, IncrementalPatterns, Resources};
use crate::observer::Recorder;
use crate::outcome::Limit;
use crate::proof::{Proof, ProofState};

/// Once the iterations so far have expanded this many states, the next one is divided.
const LONG: u64 = 20_000;
/// Once they have expanded this many, threads share it.
const LONG_FOR_THREADS: u64 = 200_000;
/// Once they have expanded this many, partitions are compared.
const LONG_FOR_PARTITIONS: u64 = 1_000_000;
/// They are compared by an iteration of at most this many states.
const COMPARED: u64 = 100_000;
/// How many states of a table are built in the time of one expansion. Tables that have to be built before partitions
/// can be compared may take as long as the search so far.
const BUILT_PER_EXPANSION: f64 = 20.0;

/// The tree below the start of a puzzle.
pub(crate) struct PatternTree<'a> {
    task: &'a Task<'a>,
    pruning: Arc<MovePruning>,
    followed: Followed,
    past: Past,
}

/// A heuristic made of pattern databases, as it is followed from the start of a puzzle.
struct Followed {
    heuristic: Box<dyn Heuristic>,
    /// Where the cursors start, and the sum of each partition there; `None` where the goal is out
    /// of reach.
    start: Option<(Vec<CursorState>, Vec<u32>)>,
}

/// What the iterations so far leave to the next one.
#[derive(Default)]
struct Past {
    /// How many states they and the comparison of partitions expanded.
    expanded: u64,
    /// What the last one saw, if it was divided.
    outline: Outline,
    /// The other partitions that are worth comparing, once the search is long, and the states of their tables that had
    /// to be built then.
    others: Option<(Vec<HeuristicChoice>, f64)>,
    /// The choice of the best one or two partitions, once partitions have been compared.
    compared: Option<String>,
    /// The bound of the iteration that an earlier run began.
    continued: Option<u32>,
}

impl Followed {
    fn new(puzzle: &Puzzle, heuristic: Box<dyn Heuristic>) -> Followed {
        let mut followed = Followed { heuristic, start: None };
        followed.start = followed.patterns().walks.start(puzzle.start());
        followed
    }

    /// Its partitions, as those of the heuristic with this number.
    fn views(&self, number: usize) -> Vec<View> {
        (0..self.patterns().partitions()).map(|view| (number, view)).collect()
    }

    fn patterns(&self) -> IncrementalPatterns<'_> {
        match self.heuristic.incremental() {
            Some(Incremental::Patterns(patterns)) => patterns,
            _ => unreachable!("it is made of pattern databases"),
        }
    }
}

impl<'a> PatternTree<'a> {
    /// The tree of a puzzle by a heuristic that is made of pattern databases.
    pub fn new(task: &'a Task<'a>, heuristic: Box<dyn Heuristic>) -> PatternTree<'a> {
        let (pruning, followed) = (task.move_pruning(), Followed::new(task.puzzle, heuristic));
        PatternTree { task, pruning, followed, past: Past::default() }
    }

    /// The estimate of the start; `None` where the goal is out of reach.
    pub fn estimate(&self) -> Option<u32> {
        let (_, sums) = self.followed.start.as_ref()?;
        let beside = self.followed.patterns().beside(self.task.puzzle.start())?;
        Some(sums.iter().copied().max()?.max(beside))
    }

    /// The start of the puzzle as it is followed; `None` where the goal is out of reach.
    fn root<const P: usize>(&self, followed: &Followed, bound: u32) -> Option<Node<P>> {
        let (board, start) = (self.task.puzzle.board(), self.task.puzzle.start());
        let (known, sums) = followed.start.as_ref()?;
        let mut cells = [0; MAX_VERTICES];
        for (vertex, label) in start.tokens() {
            cells[vertex.index()] = label.index() as u8;
        }
        let mut at = [CursorState::default(); PARTS];
        at[..known.len()].copy_from_slice(known);
        let empty = (board.vertex_set() - start.occupied()).lowest();
        let arrival = MovePruning::root(empty.expect("one vertex is empty"));
        let left = bound as i32;
        let slack = std::array::from_fn(|partition| left - sums[partition] as i32);
        Some(Node { cells, at, arrival, slack, left, path: Vec::new() })
    }
}

impl Iteration for PatternTree<'_> {
    const LONGEST: u32 = 4_000;

    fn resume(&mut self, meter: &mut Meter<'_>) -> Result<Option<u32>, SolveError> {
        let Some(state) = meter.proof().and_then(Proof::state) else { return Ok(None) };
        let ProofState { bound, before, compared, outline, .. } = state;
        meter.add_proof_cost(before);
        self.past.outline = Outline::new(outline);
        // Only those that are divided are kept.
        self.past.expanded = before.expanded.max(LONG);
        self.past.continued = Some(bound);
        let choice = compared.as_ref().and_then(|text| text.parse::<HeuristicChoice>().ok());
        if let Some(choice) = choice {
            let Task { puzzle, resources, .. } = self.task;
            let memory = resources.memory.saturating_sub(bytes_of([&self.followed]));
            let heuristic = choice.build(puzzle, &Resources { memory, ..resources.clone() })?;
            let chosen = Followed::new(puzzle, heuristic);
            meter.note_tables(bytes_of([&self.followed, &chosen]));
            meter.note_heuristic(&choice.to_string());
            self.followed = chosen;
        }
        self.past.compared = compared;
        Ok(Some(bound))
    }

    fn visit(
        &mut self,
        _: u32,
        bound: u32,
        recorder: Option<&Recorder<'_>>,
        meter: &mut Meter<'_>,
    ) -> ControlFlow<Result<Vec<Move>, Limit>, Option<u32>> {
        let before = meter.stats.expanded;
        // An iteration that is continued began without a comparison, or after it.
        if self.past.continued != Some(bound)
            && let Err(limit) = self.compare_partitions(bound, meter)
        {
            return ControlFlow::Break(Err(limit));
        }
        // As a run that continues this one from here will count.
        self.past.expanded += meter.stats.expanded - before;
        let before = meter.stats.expanded;
        let vertices = self.task.puzzle.board().vertex_set();
        let flow = match recorder {
            None => self.visit_before(Nobody, bound, meter),
            Some(recorder) => {
                self.visit_before(Reporter::new(recorder, vertices, bound), bound, meter)
            }
        };
        self.past.expanded += meter.stats.expanded - before;
        flow
    }
}

impl PatternTree<'_> {
    /// Does the same as [`Iteration::visit`], watched by a spectator.
    fn visit_before<S: Spectator>(
        &mut self,
        spectator: S,
        bound: u32,
        meter: &mut Meter<'_>,
    ) -> ControlFlow<Result<Vec<Move>, Limit>, Option<u32>> {
        match self.followed.patterns().partitions() {
            1 => self.visit_along::<1, S>(spectator, bound, meter),
            _ => self.visit_along::<2, S>(spectator, bound, meter),
        }
    }

    /// The same along one or two partitions.
    fn visit_along<const P: usize, S: Spectator>(
        &mut self,
        spectator: S,
        bound: u32,
        meter: &mut Meter<'_>,
    ) -> ControlFlow<Result<Vec<Move>, Limit>, Option<u32>> {
        meter.note_bytes(self.pruning.bytes());
        let Some(root) = self.root::<P>(&self.followed, bound) else {
            return ControlFlow::Continue(None);
        };
        let patterns = self.followed.patterns();
        let tables = Tables::new(self.task.puzzle, &self.pruning, &patterns);
        let Past { expanded, outline, compared, .. } = &self.past;
        let least_excess = if *expanded < LONG {
            visit_whole(&tables, &root, (bound, u64::MAX), spectator, meter)?
        } else {
            // Counted states end a search at the same place on any number of threads: on one.
            let is_shared = *expanded >= LONG_FOR_THREADS && !meter.counts_nodes();
            let threads = if is_shared { self.task.resources.threads } else { 1 };
            let known = Known { expanded: *expanded, outline, compared: compared.as_deref() };
            let (least_excess, outline) =
                parallel::visit(&tables, root, known, threads, &spectator, meter)?;
            self.past.outline = outline;
            least_excess
        };
        ControlFlow::Continue(next_bound(bound, least_excess))
    }

    /// Once the search takes long enough, follows those of the good partitions and their reflections that expand the
    /// fewest states, judged by an early iteration. No solution is shorter than `proven`.
    ///
    /// Partitions that are as good as each other on average differ by a factor of two on a typical puzzle and of ten on
    /// some, by about the same factor in every iteration.
    fn compare_partitions(&mut self, proven: u32, meter: &mut Meter<'_>) -> Result<(), Limit> {
        let Task { puzzle, resources, .. } = self.task;
        if self.past.compared.is_some() || self.past.expanded < LONG_FOR_PARTITIONS {
            return Ok(());
        }
        let Past { expanded, others, .. } = &mut self.past;
        let (others, unbuilt) =
            others.get_or_insert_with(|| self.followed.patterns().others(resources));
        if others.is_empty() || *unbuilt / BUILT_PER_EXPANSION > *expanded as f64 {
            return Ok(());
        }
        let others = std::mem::take(others);
        let own = self.followed.patterns().choice().to_string();
        let early = self.early_iteration(proven, meter)?;
        let Some((bound, expanded)) = early else {
            self.past.compared = Some(own);
            return Ok(());
        };
        // Each partition with its reflection.
        let mut best = Best { views: self.followed.views(0), expanded };
        let own_bytes = bytes_of([&self.followed]);
        let mut all = vec![&self.followed];
        let mut built = Vec::new();
        for choice in others {
            // Tables of the same sizes take about as many bytes.
            if bytes_of(all.iter().copied().chain(&built)) + own_bytes > resources.memory {
                break;
            }
            match choice.build(puzzle, resources) {
                Ok(heuristic) => built.push(Followed::new(puzzle, heuristic)),
                // The search may have more time than tables.
                Err(_) => meter.poll(0, proven)?,
            }
        }
        all.extend(&built);
        meter.note_tables(bytes_of(all.iter().copied()));
        for (number, other) in all.iter().enumerate().skip(1) {
            let views = other.views(number);
            let judged = self.iteration(other, bound, best.allows(&views), proven, meter)?;
            best.improve(judged, views);
        }
        // Any other as the second one, and then in the place of the first.
        let views = |(number, other): (usize, &&Followed)| other.views(number);
        let every: Vec<View> = all.iter().enumerate().flat_map(views).collect();
        let of_views = |views: &[View]| {
            let of = views.iter().map(|&(number, view)| (all[number].patterns(), view));
            let heuristic = IncrementalPatterns::of_partitions(of, &resources.cache)?;
            Some(Followed::new(puzzle, heuristic))
        };
        for place in [1, 0] {
            for &view in &every {
                let mut pair = best.views.clone();
                match pair.get_mut(place) {
                    Some(old) => *old = view,
                    None => pair.push(view),
                }
                if pair.len() < 2 || pair[0] == pair[1] || pair == best.views {
                    continue;
                }
                let Some(other) = of_views(&pair) else { continue };
                let judged = self.iteration(&other, bound, best.allows(&pair), proven, meter)?;
                best.improve(judged, pair);
            }
        }
        if let Some(chosen) = of_views(&best.views) {
            self.followed = chosen;
        }
        let choice = self.followed.patterns().choice().to_string();
        meter.note_heuristic(&choice);
        self.past.compared = Some(choice);
        Ok(())
    }

    /// The bound of the last iteration that expands fewer than [`COMPARED`] states, and how many it expands.
    fn early_iteration(
        &self,
        proven: u32,
        meter: &mut Meter<'_>,
    ) -> Result<Option<(u32, u64)>, Limit> {
        let (mut early, mut next) = (None, self.estimate());
        while let Some(bound) = next {
            let judged = self.iteration(&self.followed, bound, COMPARED, proven, meter)?;
            let Some((expanded, beyond)) = judged else { break };
            (early, next) = (Some((bound, expanded)), beyond);
        }
        Ok(early)
    }

    /// An iteration without a solution, if it expands fewer than `most` states: their number, and the bound of the
    /// next one. No solution is shorter than `proven`.
    fn iteration(
        &self,
        followed: &Followed,
        bound: u32,
        most: u64,
        proven: u32,
        meter: &mut Meter<'_>,
    ) -> Result<Judged, Limit> {
        // From here on, states are counted between checks that are always at the same distance.
        meter.poll(0, proven)?;
        let patterns = followed.patterns();
        let tables = Tables::new(self.task.puzzle, &self.pruning, &patterns);
        let before = meter.stats.expanded;
        let limits = (proven, most);
        let flow = match patterns.partitions() {
            1 => (self.root::<1>(followed, bound))
                .map(|root| visit_whole(&tables, &root, limits, Nobody, meter)),
            _ => (self.root::<2>(followed, bound))
                .map(|root| visit_whole(&tables, &root, limits, Nobody, meter)),
        };
        let expanded = meter.stats.expanded - before;
        match flow {
            Some(ControlFlow::Break(Err(limit))) if expanded < most => Err(limit),
            Some(ControlFlow::Continue(excess)) if expanded < most => {
                Ok(Some((expanded, next_bound(bound, excess))))
            }
            _ => Ok(None),
        }
    }
}

/// How many states an iteration without a solution expands, and the bound of the next one; `None` if they are too many.
type Judged = Option<(u64, Option<u32>)>;

/// A partition or its reflection: the number of the heuristic that has it, and its number there.
type View = (usize, usize);

/// The best of those that have been compared.
struct Best {
    views: Vec<View>,
    expanded: u64,
}

impl Best {
    /// How many states other views may expand to be better. A state takes half as long again with a second view.
    fn allows(&self, views: &[View]) -> u64 {
        if views.len() > self.views.len() { self.expanded * 2 / 3 } else { self.expanded }
    }

    fn improve(&mut self, judged: Judged, views: Vec<View>) {
        if let Some((expanded, _)) = judged {
            *self = Best { views, expanded };
        }
    }
}

/// Bytes of the tables that are followed, each counted once.
fn bytes_of<'a>(all: impl IntoIterator<Item = &'a Followed>) -> u64 {
    IncrementalPatterns::bytes_of(all.into_iter().map(Followed::patterns))
}

/// The bound of the next iteration, if there is anything beyond this one's.
fn next_bound(bound: u32, least_excess: i32) -> Option<u32> {
    (least_excess < i32::MAX).then(|| bound + least_excess as u32)
}

/// Visits everything below the root within its bound, unless more than `most` states are expanded. No solution is
/// shorter than `proven`. Breaks with a solution or a limit; otherwise continues with the least excess over the
/// bound.
fn visit_whole<const P: usize, S: Spectator>(
    tables: &Tables<'_>,
    root: &Node<P>,
    (proven, most): (u32, u64),
    spectator: S,
    meter: &mut Meter<'_>,
) -> ControlFlow<Result<Vec<Move>, Limit>, i32> {
    let before = (meter.stats.expanded, meter.stats.generated);
    let next_look = meter.next_poll().saturating_sub(before.1);
    let mut look = |(expanded, generated): (u64, u64)| {
        (meter.stats.expanded, meter.stats.generated) = (before.0 + expanded, before.1 + generated);
        if expanded >= most {
            return Err(Limit::Nodes);
        }
        meter.poll(0, proven).map(|()| meter.next_poll() - before.1)
    };
    let mut run = Run::new(tables, root.cells, root.at, next_look, &mut look, spectator);
    let found = tables.best_search::<P, S>()(&mut run, root.arrival, root.slack, root.left);
    let Run { expanded, generated, least_excess, limit, mut solution, .. } = run;
    (meter.stats.expanded, meter.stats.generated) = (before.0 + expanded, before.1 + generated);
    match (found, limit) {
        (true, Some(limit)) => ControlFlow::Break(Err(limit)),
        (true, None) => {
            solution.reverse();
            ControlFlow::Break(Ok(solution))
        }
        (false, _) => ControlFlow::Continue(least_excess),
    }
}

#[cfg(test)]
mod tests {
    use super::super::patterns::{Search, fastest};
    use super::*;
    use crate::algorithm::Defaults;
    use crate::control::Control;

    /// Iterations that find nothing visit the same states in both ways, and the one that has a
    /// solution finds one.
    #[test]
    fn batches_visit_what_the_recursion_visits() {
        let mut iterations = 0;
        for (line, heuristic) in [
            ("grid:3:4 11,10,9,8,7,6,5,4,3,1,2,0", "patterns:7-4"),
            ("grid:2:5 9,8,7,6,5,4,3,2,1,0", "patterns:7-2"),
            // Seen in the mirror, too.
            ("grid:3:3 8,7,6,5,4,3,2,1,0", "patterns:7-1"),
            ("grid:3:3 8,6,7,2,5,4,3,0,1 -> 1,2,3,4,5,6,7,8,0", "patterns:7-1"),
            ("grid:2:5 9,8,7,6,5,4,3,2,1,0", "patterns:1+2+3+4+5+6+7"),
        ] {
            let puzzle = Puzzle::from_line(line).unwrap();
            let choice: HeuristicChoice = heuristic.parse().unwrap();
            let defaults = Defaults::default();
            let task = defaults.task(&puzzle, Resources::default());
            let heuristic = choice.build(&puzzle, &task.resources).unwrap();
            let tree = PatternTree::new(&task, heuristic);
            iterations += match tree.followed.patterns().partitions() {
                1 => compare::<1>(&tree),
                _ => compare::<2>(&tree),
            };
        }
        assert!(iterations > 5, "{iterations}");
    }

    /// The partitions that are followed expand no more states than the best of those with their reflections.
    #[test]
    fn good_partitions_are_followed() {
        let (defaults, resources) = (Defaults::default(), Resources::default());
        let goal = "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15";
        let mut better = 0;
        for start in [
            "15,14,0,4,11,1,6,13,7,5,8,9,3,2,10,12",
            "10,0,2,4,5,1,6,12,11,13,9,7,15,3,14,8",
            "11,14,13,1,2,3,12,4,15,7,9,5,10,6,8,0",
            "15,2,12,11,14,13,9,5,1,3,8,7,0,10,6,4",
        ] {
            let puzzle = Puzzle::from_line(&format!("grid:4:4 {start} -> {goal}")).unwrap();
            let task = defaults.task(&puzzle, resources.clone());
            let built = |choice: &HeuristicChoice| choice.build(&puzzle, &resources).unwrap();
            let mut meter = Meter::new(&Control::default());
            let mut tree = PatternTree::new(&task, built(&HeuristicChoice::patterns()));
            let (mut choices, _) = tree.followed.patterns().others(&task.resources);
            assert!(choices.len() > 1);
            choices.insert(0, HeuristicChoice::patterns());
            // The states of each iteration that has no solution.
            let mut counts = |choice: &HeuristicChoice| {
                let followed = Followed::new(&puzzle, built(choice));
                let (mut counts, mut next) = (Vec::new(), tree.estimate());
                while let Some(bound) = next {
                    let seen = tree.iteration(&followed, bound, COMPARED, 0, &mut meter).unwrap();
                    let Some((expanded, beyond)) = seen else { break };
                    counts.push((bound, expanded));
                    next = beyond;
                }
                counts
            };
            let &(bound, own) = counts(&choices[0]).last().unwrap();
            let mut at_bound = |choice: &HeuristicChoice| {
                let found = counts(choice).into_iter().find(|&(at, _)| at == bound);
                found.map_or(u64::MAX, |(_, expanded)| expanded)
            };
            let best_reflected = choices.iter().map(&mut at_bound).min().unwrap();
            // Not while the search is short.
            tree.compare_partitions(bound, &mut meter).unwrap();
            assert_eq!(tree.past.compared, None);
            tree.past.expanded = LONG_FOR_PARTITIONS;
            // Nor within an iteration that an earlier run began.
            tree.past.continued = Some(bound);
            let flow = tree.visit(0, bound, None, &mut meter);
            assert!(flow.is_continue() && tree.past.compared.is_none());
            tree.compare_partitions(bound, &mut meter).unwrap();
            let followed = tree.iteration(&tree.followed, bound, COMPARED, 0, &mut meter).unwrap();
            let (expanded, _) = followed.unwrap();
            assert!(expanded <= best_reflected, "{expanded} {best_reflected}");
            better += u32::from(expanded < best_reflected) + u32::from(expanded < own);
            let choice: HeuristicChoice = tree.past.compared.as_ref().unwrap().parse().unwrap();
            let named = Followed::new(&puzzle, built(&choice));
            assert_eq!(tree.iteration(&named, bound, COMPARED, 0, &mut meter).unwrap(), followed);
        }
        assert!(better > 4, "{better}");
    }

    /// How many iterations found nothing.
    fn compare<const P: usize>(tree: &PatternTree<'_>) -> u32 {
        let patterns = tree.followed.patterns();
        let tables = Tables::new(tree.task.puzzle, &tree.pruning, &patterns);
        assert!(tables.are_few_and_large());
        let mut bound = tree.estimate().unwrap();
        let mut iterations = 0;
        loop {
            let visit = |search: Search<P, Nobody>| {
                let mut look = |_: (u64, u64)| Ok(u64::MAX);
                let root = tree.root::<P>(&tree.followed, bound).unwrap();
                let mut run = Run::new(&tables, root.cells, root.at, u64::MAX, &mut look, Nobody);
                let found = search(&mut run, root.arrival, root.slack, root.left);
                (found, run.expanded, run.generated, run.least_excess, run.solution)
            };
            let (plain, batched) =
                (visit(fastest::<P, false, Nobody>()), visit(tables.best_search()));
            if plain.0 {
                let moves: Vec<Move> = batched.4.iter().rev().copied().collect();
                let end = tree.task.puzzle.replay(&moves).unwrap();
                assert!(tree.task.puzzle.goal().is_met(&end) && moves.len() == plain.4.len());
                return iterations;
            }
            assert_eq!(
                (plain.0, plain.1, plain.2),
                (batched.0, batched.1, batched.2),
                "bound {bound}"
            );
            assert!(plain.3 <= batched.3, "bound {bound}: {} and {}", plain.3, batched.3);
            bound += plain.3.cast_unsigned();
            iterations += 1;
        }
    }
}
