//! The iteration of IDA* for graphs with one empty vertex: the 15-puzzle and its relatives.
//!
//! A second representation for measured speed, tested against the iteration for any board: the
//! state is the label on each vertex and the way the empty vertex came, so that a node costs one
//! table look-up a successor and nothing is allocated.

use std::ops::ControlFlow;

use hyperslide_puzzle::{Label, MAX_VERTICES, Move, Puzzle, Vertex};

use super::Iteration;
use super::packed::{End, Packed};
use super::spectator::{Nobody, Position, Reporter, Spectator};
use crate::control::Meter;
use crate::engine::cells::{slide_of, state_of};
use crate::heuristics::{Heuristic, Incremental};
use crate::observer::Recorder;
use crate::outcome::Limit;

/// One empty vertex on a graph, with an estimate that is a sum over the tokens.
pub(crate) struct OneEmpty<'a> {
    puzzle: &'a Puzzle,
    tables: Tables,
    packed: Option<Packed>,
}

/// The empty vertex together with where it came from, numbered: one more than the directed edge.
pub(super) type Arrival = u16;

/// The empty vertex of the start, which came from nowhere.
pub(super) const ROOT: Arrival = 0;

pub(super) struct Tables {
    /// The steps after each arrival: `steps[spans[a].0..spans[a].1]`, never straight back.
    spans: Vec<(u32, u32)>,
    steps: Vec<Step>,
    /// For each directed edge, the change of the estimate by the label that moves along it; 64
    /// bytes an edge: 3 KiB for the 15-puzzle.
    pub changes: Vec<[i8; MAX_VERTICES]>,
    /// The vertex that is empty after each arrival.
    pub empty: Vec<u8>,
}

impl Tables {
    /// The number of the first edge along which a vertex may cease to be empty; they are numbered
    /// in this order.
    pub fn first_edge(&self, empty: u8) -> u16 {
        let arrivals = (ROOT..).zip(&self.empty).filter(|&(_, &at)| at == empty);
        arrivals.flat_map(|(a, _)| self.steps(a)).map(|step| step.edge).min().unwrap_or(0)
    }

    /// The steps after an arrival.
    pub fn steps(&self, arrival: Arrival) -> &[Step] {
        let (start, end) = self.spans[usize::from(arrival)];
        &self.steps[start as usize..end as usize]
    }

    fn bytes(&self) -> u64 {
        let steps = size_of_val(&self.steps[..]) + size_of_val(&self.spans[..]) + self.empty.len();
        (steps + size_of_val(&self.changes[..])) as u64
    }
}

/// A token slides from `from` to the empty vertex.
#[derive(Clone, Copy)]
pub(super) struct Step {
    pub from: u8,
    /// Its row of [`Tables::changes`].
    pub edge: u16,
    pub next: Arrival,
}

/// What changes during one iteration.
struct Run<'a, 'm, S> {
    /// The label's index on each vertex; that of the empty vertex means nothing.
    cells: [u8; MAX_VERTICES],
    meter: &'a mut Meter<'m>,
    goal: &'a dyn Fn(&[u8; MAX_VERTICES], u8) -> bool,
    bound: u32,
    /// How far the nearest state beyond the bound exceeds it.
    least_excess: i32,
    limit: Option<Limit>,
    /// The solution's moves, last first.
    solution: Vec<Move>,
    spectator: S,
}

impl<'a> OneEmpty<'a> {
    /// Prepares the tables, or returns `None` when the puzzle is of another kind.
    pub fn new(puzzle: &'a Puzzle, heuristic: &dyn Heuristic) -> Option<OneEmpty<'a>> {
        let board = puzzle.board();
        let Some(Incremental::TokenCosts(costs)) = heuristic.incremental() else { return None };
        if !puzzle.has_one_empty() {
            return None;
        }
        let root_empty = (board.vertex_set() - puzzle.start().occupied()).lowest()?;
        let labels: Vec<Label> = puzzle.labels().iter().map(|(label, _)| label).collect();
        // Arrival 0 is the root; arrival e + 1 is the empty vertex coming along directed edge e.
        let edges: Vec<(Vertex, Vertex)> = board
            .vertices()
            .flat_map(|before| {
                board.lone_destinations(before).into_iter().map(move |after| (before, after))
            })
            .collect();
        let edge = |before: Vertex, after: Vertex| {
            edges.binary_search(&(before, after)).expect("an edge leads both ways") as u16
        };
        let changes = edges
            .iter()
            .map(|&(empty, from)| {
                let mut row = [0; MAX_VERTICES];
                for &label in &labels {
                    let (after, before) = (costs.get(label, empty), costs.get(label, from));
                    // Where a label cannot reach its goal the puzzle was refused long before.
                    let change = i16::from(after) - i16::from(before);
                    row[label.index()] =
                        i8::try_from(change).expect("costs of neighbours are near");
                }
                row
            })
            .collect();
        let mut tables =
            Tables { spans: Vec::new(), steps: Vec::new(), changes, empty: Vec::new() };
        let arrivals = std::iter::once((None, root_empty))
            .chain(edges.iter().map(|&(before, after)| (Some(before), after)));
        for (before, empty) in arrivals {
            let start = tables.steps.len() as u32;
            for from in
                board.lone_destinations(empty).into_iter().filter(|&from| Some(from) != before)
            {
                let edge = edge(empty, from);
                tables.steps.push(Step { from: from.index() as u8, edge, next: edge + 1 });
            }
            tables.spans.push((start, tables.steps.len() as u32));
            tables.empty.push(empty.index() as u8);
        }
        let packed = Packed::new(&tables, &labels);
        Some(OneEmpty { puzzle, tables, packed })
    }
}

impl Iteration for OneEmpty<'_> {
    const LONGEST: u32 = 8_000;

    fn visit(
        &mut self,
        h: u32,
        bound: u32,
        recorder: Option<&Recorder<'_>>,
        meter: &mut Meter<'_>,
    ) -> ControlFlow<Result<Vec<Move>, Limit>, Option<u32>> {
        let vertices = self.puzzle.board().vertex_set();
        if let Err(limit) = meter.hold(self.bytes()) {
            return ControlFlow::Break(Err(limit));
        }
        meter.with_held(self.bytes(), |meter| match (recorder, &self.packed) {
            (Some(recorder), _) => {
                self.visit_before(Reporter::new(recorder, vertices, bound), h, bound, meter)
            }
            (None, Some(packed)) => self.visit_packed(packed, h, bound, meter),
            (None, None) => self.visit_before(Nobody, h, bound, meter),
        })
    }
}

impl OneEmpty<'_> {
    /// Does the same as [`Iteration::visit`] where nobody watches.
    fn visit_packed(
        &self,
        packed: &Packed,
        h: u32,
        bound: u32,
        meter: &mut Meter<'_>,
    ) -> ControlFlow<Result<Vec<Move>, Limit>, Option<u32>> {
        let vertices = self.puzzle.board().vertex_set();
        let empty_after = |edge: usize| self.tables.empty[edge + 1];
        let is_goal = |cells: &[u8; MAX_VERTICES], edge: Option<usize>| {
            let empty = edge.map_or(self.tables.empty[usize::from(ROOT)], empty_after);
            self.puzzle.goal().is_met(&state_of(cells, vertices, empty))
        };
        match packed.visit(&self.start(), h, bound, is_goal, meter) {
            End::Solved(path) => {
                let after = path.iter().map(|&edge| empty_after(edge.into()));
                let before =
                    std::iter::once(self.tables.empty[usize::from(ROOT)]).chain(after.clone());
                ControlFlow::Break(Ok(after.zip(before).map(|(a, b)| slide_of(a, b)).collect()))
            }
            End::Limit(limit) => ControlFlow::Break(Err(limit)),
            End::Visited(None) => ControlFlow::Continue(None),
            End::Visited(Some(excess)) => ControlFlow::Continue(Some(bound + excess)),
        }
    }

    /// The tables' size, whoever watches; the states on the way there are not counted.
    fn bytes(&self) -> u64 {
        self.tables.bytes() + self.packed.as_ref().map_or(0, Packed::bytes)
    }

    /// The label on each vertex of the start.
    fn start(&self) -> [u8; MAX_VERTICES] {
        let mut cells = [0; MAX_VERTICES];
        for (vertex, label) in self.puzzle.start().tokens() {
            cells[vertex.index()] = label.index() as u8;
        }
        cells
    }

    /// Does the same as [`Iteration::visit`], watched by a spectator.
    fn visit_before<S: Spectator>(
        &self,
        spectator: S,
        h: u32,
        bound: u32,
        meter: &mut Meter<'_>,
    ) -> ControlFlow<Result<Vec<Move>, Limit>, Option<u32>> {
        let vertices = self.puzzle.board().vertex_set();
        let goal = |cells: &[u8; MAX_VERTICES], empty: u8| {
            self.puzzle.goal().is_met(&state_of(cells, vertices, empty))
        };
        let mut run = Run {
            cells: self.start(),
            meter,
            goal: &goal,
            bound,
            least_excess: i32::MAX,
            limit: None,
            solution: Vec::new(),
            spectator,
        };
        let found = search(&self.tables, &mut run, ROOT, h as i32, bound as i32 - h as i32);
        match (found, run.limit) {
            (true, Some(limit)) => ControlFlow::Break(Err(limit)),
            (true, None) => {
                run.solution.reverse();
                ControlFlow::Break(Ok(run.solution))
            }
            (false, _) if run.least_excess == i32::MAX => ControlFlow::Continue(None),
            (false, _) => ControlFlow::Continue(Some(bound + run.least_excess as u32)),
        }
    }
}

/// Visits the states below one whose estimate is `h` and whose f is `slack` below the bound.
/// Returns true to stop: with a solution or at a limit.
fn search<S: Spectator>(
    tables: &Tables,
    run: &mut Run<'_, '_, S>,
    arrival: Arrival,
    h: i32,
    slack: i32,
) -> bool {
    let empty = tables.empty[arrival as usize];
    if h == 0 && (run.goal)(&run.cells, empty) {
        return true;
    }
    let steps = tables.steps(arrival);
    // Followed once: each use through `run` would load the reference again.
    let meter = &mut *run.meter;
    meter.stats.expanded += 1;
    let position = Position { cells: &run.cells, empty, left: h + slack };
    run.spectator.expand(position, || h.cast_unsigned());
    meter.stats.generated += steps.len() as u64;
    if meter.stats.generated >= meter.next_poll()
        && let Err(limit) = meter.poll(0, run.bound)
    {
        run.limit = Some(limit);
        return true;
    }
    for (number, step) in steps.iter().enumerate() {
        let label = run.cells[(step.from & 63) as usize];
        let change = i32::from(tables.changes[step.edge as usize][(label & 63) as usize]);
        let left = slack - 1 - change;
        if left < 0 {
            run.least_excess = run.least_excess.min(-left);
            continue;
        }
        run.cells[(empty & 63) as usize] = label;
        run.spectator.descend(empty);
        if search(tables, run, step.next, h + change, left) {
            if run.limit.is_none() {
                run.solution.push(slide_of(step.from, empty));
                // The steps after this one were counted and not taken.
                run.meter.stats.generated -= (steps.len() - 1 - number) as u64;
            }
            return true;
        }
        run.spectator.ascend();
        run.cells[(step.from & 63) as usize] = label;
    }
    false
}
