//! A long iteration of IDA* over pattern databases, divided into subtrees: threads take them one by
//! one, the most promising first.

use std::ops::{ControlFlow, RangeInclusive};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use cpu_time::ThreadTime;
use hyperslide_puzzle::{MAX_VERTICES, Move};
use hyperslide_table::{CursorState, lock, spawn};

use super::outline::{Outline, Trail, trail};
use super::patterns::{PARTS, Run, Tables};
use super::spectator::{Position, Spectator};
use crate::control::Meter;
use crate::engine::cells::slide_of;
use crate::engine::move_pruning::{PruningState, Step};
use crate::outcome::Limit;
use crate::proof::{Proof, ProofCost, ProofState, SearchedSubtree, SeenSubtree};

/// The tree is cut at the first level with at least this many nodes: the more subtrees, the fewer
/// states are searched besides those that lead to the solution.
const SUBTREES: RangeInclusive<u64> = 100..=8_000;
/// One subtree for each of this many states that earlier iterations expanded; this one expands some
/// seven times as many.
const EXPANDED_PER_SUBTREE: u64 = 200;
/// A subtree is divided further if the last iteration expanded this many times the mean there.
const LARGE: u64 = 4;
/// No subtree is divided once there are this many, whose nodes take 27 MB.
const MOST_SUBTREES: usize = 24_000;
/// There may be one subtree for each of this many nodes that memory has room for: the next level of
/// a tree is up to three times as long as the one before, and lists that grow have room to spare.
const ROOM: u64 = 8;
/// The number of states that a thread generates between two checks of what the others do.
const INTERVAL: u64 = 1 << 16;

/// How long the first thread waits for the others between two checks of the limits.
const WAIT: Duration = Duration::from_millis(1);

/// A node, with everything that the search of its subtree needs.
#[derive(Clone)]
pub(crate) struct Node<const P: usize> {
    pub cells: [u8; MAX_VERTICES],
    pub at: [CursorState; PARTS],
    pub arrival: PruningState,
    /// How far the f of each partition is below the bound.
    pub slack: [i32; P],
    /// Moves left up to the bound.
    pub left: i32,
    /// The moves to it.
    pub path: Vec<Move>,
}

impl<const P: usize> Node<P> {
    fn position<'a>(&'a self, tables: &Tables<'_>) -> Position<'a> {
        let empty = tables.pruning.empty(self.arrival);
        Position { cells: &self.cells, empty, left: self.left }
    }
}

/// What is known before an iteration.
#[derive(Clone, Copy)]
pub(crate) struct Known<'a> {
    /// How many states earlier iterations expanded.
    pub expanded: u64,
    /// What the last one saw.
    pub outline: &'a Outline,
    /// The choice of the pattern databases that are followed, once partitions have been compared.
    pub compared: Option<&'a str>,
}

/// Visits everything below the root within the bound, subtree by subtree, in the order that the
/// last iteration's outline suggests.
///
/// Breaks with the solution of the first subtree in this order that has one, whatever the number of
/// threads, or with a limit; otherwise continues with the least excess over the bound, and with the
/// outline of this iteration.
pub(crate) fn visit<const P: usize, S: Spectator>(
    tables: &Tables<'_>,
    root: Node<P>,
    Known { expanded, outline, compared }: Known<'_>,
    threads: usize,
    spectator: &S,
    meter: &mut Meter<'_>,
) -> ControlFlow<Result<Vec<Move>, Limit>, (i32, Outline)> {
    let bound = root.left.cast_unsigned();
    let before = meter.proof_cost();
    let count = (expanded / EXPANDED_PER_SUBTREE).clamp(*SUBTREES.start(), *SUBTREES.end());
    let most = match meter.proof() {
        None => most_subtrees::<P>(bound, meter),
        // It is divided in the same way whenever it is continued, whatever memory there is then.
        Some(_) => MOST_SUBTREES,
    };
    let least_excess = i32::MAX;
    let mut division = Division { tables, outline, spectator, meter, most, least_excess };
    let roots = division.divide(root, (count as usize).min(most))?;
    let least_excess = division.least_excess;
    let held = bytes_of(&roots);
    if let Err(limit) = meter.hold(held) {
        return ControlFlow::Break(Err(limit));
    }
    if roots.is_empty() {
        return ControlFlow::Continue((least_excess, Outline::default()));
    }
    let trails: Vec<Trail> = roots.iter().map(|node| trail(&node.path)).collect();
    let order = outline.order(&trails);
    let mut searched = meter.proof().map_or_else(Vec::new, |proof| {
        let (roots, outline) = (checksum(&roots), outline.subtrees().to_vec());
        let compared = compared.map(str::to_owned);
        proof.begin(ProofState { bound, roots, compared, outline, before, subtrees: Vec::new() })
    });
    let mut is_done = vec![false; roots.len()];
    // What is listed twice, or is no subtree of this iteration, is not what an earlier run kept.
    searched.retain(|earlier| match is_done.get_mut(earlier.number) {
        Some(done) if !*done => {
            *done = true;
            meter.add_proof_cost(earlier.cost);
            true
        }
        _ => false,
    });
    let subtrees = Subtrees {
        tables,
        roots: &roots,
        order: &order,
        is_done,
        proof: meter.proof(),
        spectator,
        next: AtomicUsize::new(0),
        stop: AtomicBool::new(false),
        expanded: AtomicU64::new(0),
        generated: AtomicU64::new(0),
        searched: Mutex::new(searched),
        solved: AtomicUsize::new(usize::MAX),
        solution: Mutex::new(None),
    };
    let limit = meter.with_held(held, |meter| subtrees.visit_all(bound, threads, meter));
    let solution = subtrees.solution.into_inner().unwrap_or_else(PoisonError::into_inner);
    let searched = subtrees.searched.into_inner().unwrap_or_else(PoisonError::into_inner);
    match (solution, limit) {
        // As long as the bound, and so shortest, also where subtrees before its own were not
        // searched to their end.
        (Some((_, moves)), _) => ControlFlow::Break(Ok(moves)),
        (None, Some(limit)) => ControlFlow::Break(Err(limit)),
        (None, None) => {
            let excesses = searched.iter().filter_map(|subtree| subtree.least_excess);
            let least_excess = excesses.fold(least_excess, i32::min);
            let seen = |subtree: &SearchedSubtree| {
                let SearchedSubtree { number, least_h, cost, .. } = *subtree;
                let trail = trails.get(number)?.clone();
                Some(SeenSubtree { trail, least_h, expanded: cost.expanded })
            };
            let outline = Outline::new(searched.iter().filter_map(seen).collect());
            ControlFlow::Continue((least_excess, outline))
        }
    }
}

/// How many subtrees there may be in the memory that is left.
fn most_subtrees<const P: usize>(bound: u32, meter: &Meter<'_>) -> usize {
    let each = size_of::<Weighed<P>>() + NOTED + bound as usize * size_of::<Move>();
    let most = meter.memory_left() / (ROOM * each as u64);
    usize::try_from(most).map_or(MOST_SUBTREES, |most| most.clamp(1, MOST_SUBTREES))
}

/// Bytes of what is noted of each subtree, besides the trail to it.
const NOTED: usize = size_of::<Trail>() + size_of::<SearchedSubtree>() + size_of::<SeenSubtree>();

/// Bytes of the roots of subtrees, and of what is noted of each.
fn bytes_of<const P: usize>(roots: &Vec<Node<P>>) -> u64 {
    let paths: usize = roots.iter().map(|node| node.path.capacity() * size_of::<Move>()).sum();
    (roots.capacity() * size_of::<Node<P>>() + paths + roots.len() * NOTED) as u64
}

/// A checksum of all that the searches of these subtrees begin with.
fn checksum<const P: usize>(roots: &[Node<P>]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    for Node { cells, at: _, arrival, slack, left, path } in roots {
        hasher.update(cells);
        hasher.update(&arrival.to_le_bytes());
        slack.iter().chain([left]).for_each(|number| hasher.update(&number.to_le_bytes()));
        path.iter().for_each(|mv| hasher.update(&[mv.from.index() as u8, mv.to.index() as u8]));
    }
    hasher.finalize()
}

/// Divides the tree of an iteration.
struct Division<'a, 'm, S> {
    tables: &'a Tables<'a>,
    outline: &'a Outline,
    spectator: &'a S,
    meter: &'a mut Meter<'m>,
    /// The greatest number of subtrees.
    most: usize,
    /// How far the nearest node beyond the bound exceeds it.
    least_excess: i32,
}

/// A node, and the number of states that the last iteration expanded below it.
type Weighed<const P: usize> = (Node<P>, u64);

impl<S: Spectator> Division<'_, '_, S> {
    /// Expands level after level until there are at least `count` nodes, and then those with large
    /// subtrees. Continues with the nodes that are left, none when the tree ends before.
    fn divide<const P: usize>(
        &mut self,
        root: Node<P>,
        count: usize,
    ) -> ControlFlow<Result<Vec<Move>, Limit>, Vec<Node<P>>> {
        let bound = root.left.cast_unsigned();
        let expanded = self.outline.expanded();
        let mut open = vec![(root, expanded)];
        while !open.is_empty() && open.len() < count {
            let bytes = (open.capacity() * size_of::<Weighed<P>>()) as u64;
            if let Err(limit) = self.meter.poll(bytes, bound) {
                return ControlFlow::Break(Err(limit));
            }
            let mut next = Vec::new();
            for weighed in &open {
                self.expand(weighed, &mut next)?;
            }
            open = next;
        }
        let large = expanded.saturating_mul(LARGE) / count as u64;
        let mut roots = Vec::new();
        // The first node last.
        open.reverse();
        while let Some(weighed) = open.pop() {
            if weighed.1 <= large || roots.len() + open.len() >= self.most {
                roots.push(weighed.0);
                continue;
            }
            let first = open.len();
            self.expand(&weighed, &mut open)?;
            open[first..].reverse();
        }
        ControlFlow::Continue(roots)
    }

    /// Adds the successors of a node within the bound; breaks with the path to it if it is the
    /// goal.
    fn expand<const P: usize>(
        &mut self,
        (node, expanded): &Weighed<P>,
        next: &mut Vec<Weighed<P>>,
    ) -> ControlFlow<Result<Vec<Move>, Limit>> {
        let Division { tables, outline, spectator, .. } = *self;
        if node.slack[0] == node.left && tables.is_solved(&node.cells, node.arrival) {
            return ControlFlow::Break(Ok(node.path.clone()));
        }
        self.meter.stats.expanded += 1;
        let position = node.position(tables);
        spectator.after(&node.path).expand(position, || tables.estimate(position, node.slack));
        self.meter.stats.generated += tables.pruning.steps(node.arrival).len() as u64;
        let first = next.len();
        for step in tables.pruning.steps(node.arrival) {
            next.extend(self.successor(node, *step).map(|child| (child, 0)));
        }
        let share = expanded / (next.len() - first).max(1) as u64;
        for (child, expanded) in &mut next[first..] {
            *expanded = outline.expanded_below(&trail(&child.path), share);
        }
        ControlFlow::Continue(())
    }

    /// The node after a step, or `None` if it is beyond the bound.
    fn successor<const P: usize>(&mut self, node: &Node<P>, step: Step) -> Option<Node<P>> {
        let tables = self.tables;
        let empty = tables.pruning.empty(node.arrival);
        let mut child = Node { arrival: step.next, left: node.left - 1, ..node.clone() };
        let label = node.cells[step.from as usize];
        let mut excess = 0;
        for partition in 0..P {
            let part = tables.part(partition, label);
            child.at[part] = tables.slide(part, node.at[part], step, empty);
            child.slack[partition] -= 1 + child.at[part].change_since(node.at[part]);
            excess = excess.max(-child.slack[partition]);
        }
        child.cells[empty as usize] = label;
        let beside = match excess {
            0 => tables.excess_beside(&child.cells, child.arrival, child.left),
            _ => Some(excess),
        };
        let excess = beside.unwrap_or(i32::MAX);
        if excess > 0 {
            self.least_excess = excess.min(self.least_excess);
            return None;
        }
        child.path.push(slide_of(step.from, empty));
        Some(child)
    }
}

/// The subtrees of an iteration, and what the threads that search them tell each other.
struct Subtrees<'a, const P: usize, S> {
    tables: &'a Tables<'a>,
    roots: &'a [Node<P>],
    /// Their numbers, in the order in which they are searched.
    order: &'a [u32],
    /// Which of them an earlier run searched.
    is_done: Vec<bool>,
    /// Is told of each of the other subtrees once it has been searched.
    proof: Option<&'a Proof<'a>>,
    spectator: &'a S,
    /// The place of the next one in the order.
    next: AtomicUsize,
    /// Set when a limit is reached.
    stop: AtomicBool,
    expanded: AtomicU64,
    generated: AtomicU64,
    /// What was searched to its end without a solution.
    searched: Mutex<Vec<SearchedSubtree>>,
    /// The place of the first subtree that is known to have a solution.
    solved: AtomicUsize,
    /// The same with that solution.
    solution: Mutex<Option<(usize, Vec<Move>)>>,
}

impl<const P: usize, S: Spectator> Subtrees<'_, P, S> {
    /// Searches the subtrees on a number of threads; returns the limit that stopped it, if one did.
    fn visit_all(&self, bound: u32, threads: usize, meter: &mut Meter<'_>) -> Option<Limit> {
        let cpu_s: Mutex<f64> = Mutex::new(0.0);
        let before = (meter.stats.expanded, meter.stats.generated);
        let mut limit = None;
        let mut report = || {
            meter.stats.expanded = before.0.wrapping_add(self.expanded.load(Ordering::Relaxed));
            meter.stats.generated = before.1.wrapping_add(self.generated.load(Ordering::Relaxed));
            if limit.is_none()
                && let Err(reached) = meter.poll(0, bound)
            {
                limit = Some(reached);
                self.stop.store(true, Ordering::Relaxed);
            }
            meter.nodes_left()
        };
        std::thread::scope(|scope| {
            let run = || {
                spawn(scope, || {
                    let start = ThreadTime::now();
                    self.work(&mut || u64::MAX);
                    let own = start.elapsed().as_secs_f64();
                    *lock(&cpu_s) += own;
                })
            };
            let others: Vec<_> = (1..threads).filter_map(|_| run()).collect();
            self.work(&mut report);
            // The others' last subtrees may be large: limits are looked at until they are done.
            while others.iter().any(|other| !other.is_finished()) {
                std::thread::sleep(WAIT);
                report();
            }
        });
        meter.stats.expanded = before.0 + self.expanded.load(Ordering::Relaxed);
        meter.stats.generated = before.1 + self.generated.load(Ordering::Relaxed);
        meter.add_cpu(cpu_s.into_inner().unwrap_or_else(PoisonError::into_inner));
        limit
    }

    /// Searches one subtree after another; `report` is called now and then, and returns how many
    /// states may be generated until it is called again.
    fn work(&self, report: &mut dyn FnMut() -> u64) {
        loop {
            let place = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(&number) = self.order.get(place) else { return };
            let number = number as usize;
            if !self.is_done[number] && self.search(place, number, report).is_break() {
                return;
            }
        }
    }

    /// Searches one subtree, unless it is time to stop.
    fn search(
        &self,
        place: usize,
        number: usize,
        report: &mut dyn FnMut() -> u64,
    ) -> ControlFlow<()> {
        let node = &self.roots[number];
        let started = ThreadTime::now();
        let (mut told_expanded, mut told_generated) = (0, 0);
        let mut look = |so_far: (u64, u64)| {
            // Less than before where a search takes back steps that it counted and did not take.
            self.expanded.fetch_add(so_far.0.wrapping_sub(told_expanded), Ordering::Relaxed);
            self.generated.fetch_add(so_far.1.wrapping_sub(told_generated), Ordering::Relaxed);
            (told_expanded, told_generated) = so_far;
            let left = report();
            // A subtree after one that has a solution is not needed any more.
            let is_needed = self.solved.load(Ordering::Relaxed) >= place;
            if self.stop.load(Ordering::Relaxed) || !is_needed {
                return Err(Limit::Cancelled);
            }
            Ok(so_far.1 + left.min(INTERVAL))
        };
        let Ok(next_look) = look((0, 0)) else { return ControlFlow::Break(()) };
        let tables = self.tables;
        let spectator = self.spectator.after(&node.path);
        let mut run = Run::new(tables, node.cells, node.at, next_look, &mut look, spectator);
        let search = tables.best_search::<P, S>();
        let found = search(&mut run, node.arrival, node.slack, node.left);
        let so_far = (run.expanded, run.generated);
        match run.limit {
            None if found => {
                let way = node.path.iter().chain(run.solution.iter().rev()).copied();
                self.note_solution(place, way.collect());
            }
            None => self.record_searched(number, &run, started.elapsed()),
            Some(_) => {}
        }
        // What is left to report; whether to stop is asked before the next.
        let _ = look(so_far);
        ControlFlow::Continue(())
    }

    /// Records that a subtree was searched to its end without a solution.
    fn record_searched(&self, number: usize, run: &Run<'_, S>, took: Duration) {
        let Run { expanded, generated, least_excess, least_h, .. } = *run;
        let cost = ProofCost { expanded, generated, cpu_s: took.as_secs_f64() };
        let least_excess = (least_excess < i32::MAX).then_some(least_excess);
        let least_h = (least_h < i32::MAX).then_some(least_h.cast_unsigned());
        let subtree = SearchedSubtree { number, least_excess, least_h, cost };
        lock(&self.searched).push(subtree);
        if let Some(proof) = self.proof {
            proof.add(subtree);
        }
    }

    /// Remembers the solution of a subtree, unless one before it in the order has one.
    fn note_solution(&self, place: usize, moves: Vec<Move>) {
        let mut best = lock(&self.solution);
        if best.as_ref().is_none_or(|&(other, _)| place < other) {
            *best = Some((place, moves));
            self.solved.fetch_min(place, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said of [`MOST_SUBTREES`].
    #[cfg(target_pointer_width = "64")]
    #[test]
    fn the_nodes_of_all_subtrees_take_27_megabytes() {
        assert_eq!(MOST_SUBTREES * size_of::<Node<2>>() / 1_000_000, 27);
    }
}
