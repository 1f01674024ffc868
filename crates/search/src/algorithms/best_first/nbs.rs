//! Near-optimal bidirectional search.

use hyperslide_puzzle::goal_states;
use hyperslide_puzzle::{Arrangement, Move, Puzzle, SearchEnd, Setup, State, UnsolvableReason};

use super::bidirectional::MAX_BACKWARD_ROOTS;
use crate::algorithm::{Algorithm, Answer, Guarantee, Task};
use crate::control::Meter;
use crate::engine::codec::{Codec, with_codec};
use crate::engine::nodes::{NodeId, Nodes};
use crate::engine::open_list::OpenList;
use crate::engine::resumable::Resumable;
use crate::error::SolveError;
use crate::heuristics::{Heuristic, Resources, Successor};
use crate::observer::Recorder;
use crate::outcome::{Limit, Outcome};

pub(crate) const ALGORITHM: Algorithm = Algorithm {
    name: "nbs",
    summary: "near-optimal bidirectional search: expands pairs of states, one from each end, whose \
              lower bound is least; it expands at most twice as many states as any search from \
              either end or both must, up to ties",
    guarantee: Guarantee::Optimal,
    source: "J. Chen, R. C. Holte, S. Zilles and N. R. Sturtevant, Front-to-end bidirectional \
             heuristic search with near-optimal node expansions, IJCAI 2017",
    when: "neither A* nor a search from both ends is known to suit the puzzle, its states are too \
           many for A* alone, and the goal leaves few states open",
    uses_heuristic: true,
    looks_up_tables: false,
    shows_expansions: true,
    keeps_proofs: false,
    settings: &[],
    requires_solvability: false,
    check: Algorithm::any_settings,
    run,
};

fn run(task: &Task<'_>, meter: &mut Meter<'_>) -> Result<Answer, SolveError> {
    let puzzle = task.puzzle;
    let goals = goal_states(puzzle, MAX_BACKWARD_ROOTS)
        .ok_or(SolveError::OpenGoal { algorithm: ALGORITHM.name, limit: MAX_BACKWARD_ROOTS })?;
    let forward = task.build_heuristic(meter)?;
    let Some(any_goal) = goals.first() else {
        unreachable!("a goal that fits its puzzle is met by some state");
    };
    let backward = backward(task, any_goal, &*forward)?;
    meter.note_tables(forward.bytes() + backward.bytes());
    let heuristics = [&*forward, &*backward];
    let is_bound = task.heuristic.is_admissible();
    let outcome = with_codec!(puzzle, |codec| {
        let recorder = meter.recorder(ALGORITHM.name, puzzle);
        match Search::new(puzzle, &codec, heuristics, &goals, is_bound, recorder) {
            Ok(mut search) => search.run(meter),
            Err(limit) => Outcome::LimitReached { limit, lower_bound: 0 },
        }
    });
    Ok((outcome, ALGORITHM.name))
}

/// What estimates the way to the start, in the memory that the other heuristic leaves. Moves are
/// reversible: it is a heuristic of the puzzle with start and goal exchanged.
pub(crate) fn backward(
    task: &Task<'_>,
    any_goal: &State,
    forward: &dyn Heuristic,
) -> Result<Box<dyn Heuristic>, SolveError> {
    let memory = task.resources.memory.saturating_sub(forward.bytes());
    let resources = Resources { memory, ..task.resources.clone() };
    Ok(task.heuristic.build(&exchanged(task.puzzle, any_goal), &resources)?)
}

/// The puzzle from a goal state to the start. Its labels are the same, since they are in the order
/// of their names.
fn exchanged(puzzle: &Puzzle, goal: &State) -> Puzzle {
    let start: Arrangement = match puzzle.write_state(goal).parse() {
        Ok(start) => start,
        Err(error) => unreachable!("a written state is read: {error}"),
    };
    let setup = Setup { start, goal: Some(puzzle.setup().start) };
    Puzzle::new(puzzle.board().clone(), &setup).expect("a goal state is a start")
}

/// What is stored of a node in one word: its place, its estimate h and its cost g.
#[derive(Clone, Copy)]
struct Note(u32);

/// Where a node of one of the searches is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Open, and not made ready yet, whatever f = g + h: so is every state that is generated.
    Waiting,
    /// Open, and f is not beyond the bound.
    Ready,
    /// Expanded.
    Closed,
}

const H_BITS: u32 = 13;
const G_BITS: u32 = u32::BITS - 2 - H_BITS;
/// The longest path that can be stored: 131,071 moves.
const LONGEST: u32 = (1 << G_BITS) - 1;

impl Note {
    fn new(place: Place, g: u32, h: u32) -> Note {
        assert!(h < 1 << H_BITS, "an estimate of {h} moves is more than any board asks for");
        Note((place as u32) << (u32::BITS - 2) | h << G_BITS | g)
    }

    fn is(self, place: Place) -> bool {
        self.0 >> (u32::BITS - 2) == place as u32
    }

    fn g(self) -> u32 {
        self.0 & LONGEST
    }

    fn h(self) -> u32 {
        self.0 >> G_BITS & ((1 << H_BITS) - 1)
    }

    fn f(self) -> u32 {
        self.g() + self.h()
    }
}

/// One of the two searches. An entry of an open list is worth nothing once its node is elsewhere or
/// was reached by a shorter way.
struct Side<'a, const WORDS: usize> {
    end: SearchEnd,
    heuristic: &'a dyn Heuristic,
    nodes: Nodes<WORDS>,
    /// By f.
    waiting: OpenList,
    /// By g.
    ready: OpenList,
}

impl<const WORDS: usize> Side<'_, WORDS> {
    fn note(&self, id: NodeId) -> Note {
        Note(self.nodes.get(id).note)
    }

    fn put(&mut self, id: NodeId, place: Place) {
        let note = self.note(id);
        self.nodes.get_mut(id).note = Note::new(place, note.g(), note.h()).0;
        match place {
            Place::Waiting => self.waiting.push(note.f(), note.g(), id),
            Place::Ready => self.ready.push(note.g(), 0, id),
            Place::Closed => {}
        }
    }

    /// The least f of those that wait, with its node.
    fn first_waiting(&mut self) -> Option<(u32, NodeId)> {
        while let Some((f, g, id)) = self.waiting.first() {
            let note = self.note(id);
            if note.is(Place::Waiting) && note.g() == g {
                return Some((f, id));
            }
            self.waiting.pop();
        }
        None
    }

    /// The least g of those that are ready, with its node.
    fn first_ready(&mut self) -> Option<(u32, NodeId)> {
        while let Some((g, _, id)) = self.ready.first() {
            let note = self.note(id);
            if note.is(Place::Ready) && note.g() == g {
                return Some((g, id));
            }
            self.ready.pop();
        }
        None
    }

    /// Makes those ready whose f is below the bound.
    fn make_ready(&mut self, bound: u32) {
        while let Some((f, id)) = self.first_waiting()
            && f < bound
        {
            self.put(id, Place::Ready);
        }
    }

    fn bytes(&self) -> u64 {
        let lists = self.waiting.bytes().saturating_add(self.ready.bytes());
        self.nodes.bytes().saturating_add(lists)
    }

    fn is_full(&self) -> bool {
        self.nodes.is_full() || self.waiting.is_full() || self.ready.is_full()
    }
}

/// Both searches and the best solution so far.
pub(crate) struct Search<'a, const WORDS: usize> {
    puzzle: &'a Puzzle,
    codec: &'a Codec<WORDS>,
    recorder: Option<Recorder<'a>>,
    sides: [Side<'a, WORDS>; 2],
    /// Of the state that is expanded.
    successors: Vec<Successor>,
    /// No solution that is still to be found is shorter than this.
    bound: u32,
    /// The length of the best solution, and where its ways from both ends meet.
    best: Option<(u32, [NodeId; 2])>,
    /// Whether the heuristic is a lower bound.
    is_bound: bool,
}

/// What comes next.
enum Next {
    /// This pair of states is expanded.
    Pair([NodeId; 2]),
    /// No solution is shorter than the best.
    Proven,
    /// This side has nothing left to expand.
    Exhausted(usize),
}

impl<'a, const WORDS: usize> Search<'a, WORDS> {
    pub fn new(
        puzzle: &'a Puzzle,
        codec: &'a Codec<WORDS>,
        [forward, backward]: [&'a dyn Heuristic; 2],
        goals: &[State],
        is_bound: bool,
        recorder: Option<Recorder<'a>>,
    ) -> Result<Self, Limit> {
        let side = |end, heuristic| Side {
            end,
            heuristic,
            nodes: Nodes::new(),
            waiting: OpenList::default(),
            ready: OpenList::default(),
        };
        let sides = [side(SearchEnd::Start, forward), side(SearchEnd::Goal, backward)];
        let (successors, bound, best) = (Vec::new(), 0, None);
        let mut search =
            Search { puzzle, codec, recorder, sides, successors, bound, best, is_bound };
        for (number, states) in
            [std::slice::from_ref(puzzle.start()), goals].into_iter().enumerate()
        {
            for state in states {
                let side = &mut search.sides[number];
                let Some(h) = side.heuristic.estimate(state) else { continue };
                let note = Note::new(Place::Waiting, 0, h);
                let known = side.nodes.len();
                let id = side.nodes.insert_root(&codec.pack(state), note.0)?;
                if side.nodes.len() > known {
                    side.put(id, Place::Waiting);
                }
                if side.is_full() {
                    return Err(Limit::Memory);
                }
            }
        }
        Ok(search)
    }

    /// The pair of open states, one of each side, whose lower bound is least: the greatest of both
    /// f and of the way through a further move.
    fn next(&mut self) -> Next {
        loop {
            let is_proven = self.best.is_some_and(|(length, _)| length <= self.bound);
            if is_proven {
                return Next::Proven;
            }
            let bound = self.bound;
            self.sides.iter_mut().for_each(|side| side.make_ready(bound));
            let waiting = self.sides.each_mut().map(Side::first_waiting);
            let ready = self.sides.each_mut().map(Side::first_ready);
            let is_empty = |&number: &usize| waiting[number].is_none() && ready[number].is_none();
            if let Some(number) = (0..2).find(is_empty) {
                return Next::Exhausted(number);
            }
            let through = match ready {
                [Some((from_start, u)), Some((from_goal, v))] => {
                    let through = from_start + from_goal + 1;
                    if through <= bound {
                        return Next::Pair([u, v]);
                    }
                    Some(through)
                }
                _ => None,
            };
            let at_bound = |number: usize| waiting[number].filter(|&(f, _)| f <= bound);
            if let Some((number, (_, id))) = (0..2).find_map(|n| Some((n, at_bound(n)?))) {
                self.sides[number].put(id, Place::Ready);
                continue;
            }
            let beyond = waiting.into_iter().flatten().map(|(f, _)| f).chain(through).min();
            self.bound = beyond.expect("a side has something open");
        }
    }

    /// Expands a state of one side.
    fn expand(&mut self, number: usize, id: NodeId, meter: &mut Meter<'_>) -> Result<(), Limit> {
        let (board, codec) = (self.puzzle.board(), self.codec);
        let ([start, goal], successors) = (&mut self.sides, &mut self.successors);
        let (side, other) = if number == 0 { (start, goal) } else { (goal, start) };
        let note = side.note(id);
        side.put(id, Place::Closed);
        if note.g() == LONGEST {
            return Err(Limit::Length);
        }
        meter.stats.expanded += 1;
        if let Some(recorder) = &self.recorder {
            let known = (note.g(), Some(note.h()));
            recorder.expand(|| side.nodes.expanded(codec, id, known, side.end));
        }
        let packed = side.nodes.get(id).key;
        let state = codec.unpack(&packed);
        let g = note.g() + 1;
        Successor::list(successors, board, &state);
        side.heuristic.estimate_successors(note.h(), &state, successors);
        meter.stats.generated += successors.len() as u64;
        for &Successor { label, mv, h } in &*successors {
            let Some(h) = h else { continue };
            // It cannot lead to a shorter solution than the best.
            if self.best.is_some_and(|(length, _)| g + h >= length) {
                continue;
            }
            let key = codec.moved(&packed, label, mv);
            let note = Note::new(Place::Waiting, g, h);
            let (child, is_new) = side.nodes.insert(&key, id, note.0);
            if !is_new {
                if side.nodes.is_full() || side.note(child).g() <= g {
                    continue;
                }
                meter.stats.reopened += u64::from(side.note(child).is(Place::Closed));
                let known = side.nodes.get_mut(child);
                (known.note, known.parent) = (note.0, id);
            }
            side.put(child, Place::Waiting);
            if let Some(there) = other.nodes.find(&key) {
                let length = g + other.note(there).g();
                if self.best.is_none_or(|(best, _)| length < best) {
                    let meeting = if number == 0 { [child, there] } else { [there, child] };
                    self.best = Some((length, meeting));
                }
            }
        }
        Ok(())
    }

    /// The best solution.
    fn solution(&self) -> Outcome {
        let Some((length, [here, there])) = self.best else {
            unreachable!("a solution was found");
        };
        let [start, goal] = &self.sides;
        let mut moves = start.nodes.path(self.codec, here);
        let back = goal.nodes.path(self.codec, there);
        moves.extend(back.into_iter().rev().map(Move::reversed));
        // With a heuristic that overestimates, a shorter path to a state on the way may have been
        // found without the states after it being expanded again.
        let is_shorter = !self.is_bound && (moves.len() as u32) < length;
        assert!(is_shorter || moves.len() as u32 == length, "a shorter path is a shorter solution");
        let lower_bound = if self.is_bound { moves.len() as u32 } else { 0 };
        Outcome::Solved { moves, optimal: self.is_bound, lower_bound }
    }
}

impl<const WORDS: usize> Resumable for Search<'_, WORDS> {
    fn bytes(&self) -> u64 {
        self.sides.iter().fold(0, |sum, side| side.bytes().saturating_add(sum))
    }

    fn stored(&self) -> u64 {
        self.sides.iter().map(|side| u64::from(side.nodes.len())).sum()
    }

    fn expand_all(&mut self, meter: &mut Meter<'_>) -> Outcome {
        loop {
            let pair = match self.next() {
                Next::Pair(pair) => pair,
                Next::Exhausted(number) if self.best.is_none() => {
                    let Side { end, ref nodes, .. } = self.sides[number];
                    return Outcome::Unsolvable(UnsolvableReason::Exhausted {
                        end,
                        states: u64::from(nodes.len()),
                        labelled: None,
                    });
                }
                Next::Proven | Next::Exhausted(_) => return self.solution(),
            };
            for (number, id) in pair.into_iter().enumerate() {
                let limit = self.expand(number, id, meter);
                let least = self.best.map_or(self.bound, |(length, _)| self.bound.min(length));
                let lower_bound = if self.is_bound { least } else { 0 };
                let is_full = self.sides.iter().any(Side::is_full);
                let checked = meter.check_storage(is_full, || self.bytes(), lower_bound);
                if let Err(limit) = limit.and(checked) {
                    return Outcome::LimitReached { limit, lower_bound };
                }
            }
        }
    }
}
