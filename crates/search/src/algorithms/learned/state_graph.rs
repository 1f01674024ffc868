//! What evolution and learning share: the states that were met, the shortest way known to each, and
//! what is expected of the way on.

use hyperslide_puzzle::{Label, Move, Puzzle, State, goal_states};
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::settings::{ABLATIONS, STATE_MEMORY};
use crate::algorithm::Task;
use crate::control::Meter;
use crate::engine::chunked_list::ChunkedList;
use crate::engine::codec::{Codec, Key, with_codec};
use crate::engine::nodes::{NO_PARENT, NodeId, Nodes, move_between};
use crate::heuristics::Heuristic;
use crate::outcome::{Limit, Outcome};
use crate::settings::{PROFILE, Profile};

/// The bytes of the given number of megabytes.
pub(crate) fn megabytes(count: u32) -> u64 {
    u64::from(count) << 20
}

/// No way to a state is known, or no way on.
const NEVER: u32 = u32::MAX;

/// The states that were met.
///
/// Memory: 26 to 32 bytes a state that needs one word, 4 more when a solution was shortened, and 4
/// a successor that was asked for.
pub(crate) struct StateGraph<'a, const WORDS: usize> {
    puzzle: &'a Puzzle,
    codec: Codec<WORDS>,
    heuristic: &'a dyn Heuristic,
    /// A note is the number of moves of the shortest way known, the parent the state before on it.
    nodes: Nodes<WORDS>,
    /// By state: moves that the way on takes at least, as far as is known.
    values: ChunkedList<u32>,
    /// By state: where its successors begin in `edges`, and how many they are; `NEVER` or missing
    /// when not asked for.
    successors: ChunkedList<(u32, u32)>,
    edges: ChunkedList<NodeId>,
    /// The number of states around the goal, the first ones, whose values are exact.
    seeds: NodeId,
    /// No state beyond them is nearer.
    beyond: u32,
    start: NodeId,
    memory: u64,
    /// Bytes that the method itself holds.
    pub others: u64,
    /// Bytes of the list of the neighbourhood that is searched.
    neighbourhood: u64,
    /// By state: in which neighbourhood it was found last, and whether it was reached there.
    marks: ChunkedList<u32>,
    /// The greatest mark so far.
    last_mark: u32,
    /// Whether values never exceed the truth.
    is_admissible: bool,
    /// How often somebody asked for the limits.
    calls: u32,
    shortens: bool,
    best: Option<Vec<Move>>,
}

impl<'a, const WORDS: usize> StateGraph<'a, WORDS> {
    /// Only the start is known. The heuristic is that of the task, whose choice says whether its
    /// estimates are lower bounds.
    pub fn new(
        task: &Task<'a>,
        codec: Codec<WORDS>,
        heuristic: &'a dyn Heuristic,
    ) -> StateGraph<'a, WORDS> {
        let mut graph = StateGraph {
            puzzle: task.puzzle,
            codec,
            heuristic,
            nodes: Nodes::new(),
            values: ChunkedList::new(NEVER),
            successors: ChunkedList::new((NEVER, 0)),
            edges: ChunkedList::new(0),
            seeds: 0,
            beyond: 0,
            start: 0,
            // With room for what grows before the next look.
            memory: megabytes(task.get(&STATE_MEMORY)).min(task.resources.memory / 16 * 15),
            others: 0,
            neighbourhood: 0,
            marks: ChunkedList::new(0),
            last_mark: 0,
            calls: 0,
            is_admissible: task.heuristic.is_admissible(),
            shortens: !task.get(&ABLATIONS).shortening,
            best: None,
        };
        graph.meet_start();
        graph
    }

    /// Makes at least the given number of states around the goal known with their distances, in
    /// whole layers of a breadth-first search from the goal; all states when there are fewer. Does
    /// nothing where the goal leaves too much open. Must be called first.
    pub fn seed(&mut self, least: u32, meter: &mut Meter<'_>) -> Result<(), Limit> {
        self.has_room()?;
        let Some(goals) = goal_states(self.puzzle, MOST_GOALS) else { return Ok(()) };
        self.nodes = Nodes::new();
        self.values.clear();
        self.successors.clear();
        self.marks.clear();
        for goal in &goals {
            let key = self.codec.pack(goal);
            self.meet(&key, || Some(0));
        }
        let (mut layer, mut depth) = (0, 0);
        loop {
            let end = self.nodes.len();
            (self.seeds, self.beyond) = (end, depth + 1);
            if end >= least || layer == end {
                break;
            }
            for id in layer..end {
                // All that this meets first is one farther.
                for place in self.successors(id, meter)? {
                    let next = self.edges.get(place);
                    if next >= end {
                        *self.values.entry(next as usize) = depth + 1;
                    }
                }
            }
            (layer, depth) = (end, depth + 1);
        }
        self.meet_start();
        self.has_room()
    }

    fn meet_start(&mut self) {
        let key = self.codec.pack(self.puzzle.start());
        let (heuristic, start) = (self.heuristic, self.puzzle.start());
        self.start = self.meet(&key, || heuristic.estimate(start));
        // Otherwise `has_room` says that memory is too small.
        if !self.is_full() {
            self.nodes.get_mut(self.start).note = 0;
        }
    }

    fn meet(&mut self, key: &Key<WORDS>, h: impl FnOnce() -> Option<u32>) -> NodeId {
        let (id, is_new) = self.nodes.insert(key, NO_PARENT, NEVER);
        if is_new {
            let value = h().map_or(NEVER, |h| h.max(self.beyond));
            self.values.push(value);
        }
        id
    }

    /// Meets the state, with this key, that a move makes of another.
    fn meet_after(&mut self, key: &Key<WORDS>, state: &State, mv: Move) -> NodeId {
        let heuristic = self.heuristic;
        self.meet(key, || {
            let mut next = *state;
            next.slide(mv);
            heuristic.estimate(&next)
        })
    }

    /// The start.
    pub fn start(&self) -> NodeId {
        self.start
    }

    /// A state.
    pub fn state(&self, id: NodeId) -> State {
        self.codec.unpack(&self.nodes.get(id).key)
    }

    /// Moves of the shortest way known to a state.
    pub fn g(&self, id: NodeId) -> u32 {
        self.nodes.get(id).note
    }

    /// Moves that the way on takes at least, as far as is known.
    pub fn h(&self, id: NodeId) -> u32 {
        self.values.get(id as usize)
    }

    /// Moves of the best solution.
    pub fn best(&self) -> u32 {
        self.best.as_ref().map_or(u32::MAX, |moves| moves.len() as u32)
    }

    /// Returns whether a way over this state may be shorter than the best.
    pub fn is_promising(&self, id: NodeId) -> bool {
        self.g(id).saturating_add(self.h(id)) < self.best()
    }

    /// Returns whether no solution is shorter than the best.
    pub fn is_proven(&self) -> bool {
        self.best() <= self.lower_bound()
    }

    fn lower_bound(&self) -> u32 {
        if self.is_admissible { self.h(self.start) } else { 0 }
    }

    /// Goes on from a state, `state`, by a move: where that leads, and whether this is a shorter
    /// way than any before.
    pub fn step(&mut self, from: NodeId, state: &State, label: Label, mv: Move) -> (NodeId, bool) {
        let key = self.codec.moved(&self.nodes.get(from).key, label, mv);
        let to = self.meet_after(&key, state, mv);
        (to, !self.is_full() && self.arrive(from, to))
    }

    /// Notes that a state can be reached from another; whether that is a shorter way than any
    /// before.
    pub fn arrive(&mut self, from: NodeId, to: NodeId) -> bool {
        let g = self.g(from) + 1;
        if g >= self.g(to) {
            return false;
        }
        let node = self.nodes.get_mut(to);
        (node.note, node.parent) = (g, from);
        if self.is_goal(to) && g < self.best() {
            self.best = Some(self.nodes.path(&self.codec, to));
        }
        true
    }

    /// Returns whether a state is solved.
    pub fn is_goal(&self, id: NodeId) -> bool {
        self.h(id) == 0 && self.puzzle.goal().is_met(&self.state(id))
    }

    /// How many states have a known distance; they are the first.
    pub fn seeds(&self) -> NodeId {
        self.seeds
    }

    /// Takes a way from the start to a goal as the best solution.
    pub fn solve_by(&mut self, states: &[NodeId]) {
        let moves =
            states.windows(2).map(|pair| move_between(&self.state(pair[0]), &self.state(pair[1])));
        self.best = Some(moves.collect());
    }

    /// Returns whether the distance of a state to the goal is known.
    pub fn is_seeded(&self, id: NodeId) -> bool {
        id < self.seeds
    }

    /// From a state whose distance is known to the goal, by a shortest way.
    pub fn finish(&mut self, from: NodeId, meter: &mut Meter<'_>) -> Result<(), Limit> {
        let mut here = from;
        while self.h(here) > 0 {
            let nearer = self.h(here) - 1;
            let next = self.successors(here, meter)?.map(|edge| self.edges.get(edge));
            let next = { next }.find(|&next| self.is_seeded(next) && self.h(next) == nearer);
            let next = next.expect("a state at a distance has a neighbour that is nearer");
            self.arrive(here, next);
            here = next;
        }
        Ok(())
    }

    /// The places in [`StateGraph::edge`] of a state's successors.
    pub fn successors(
        &mut self,
        id: NodeId,
        meter: &mut Meter<'_>,
    ) -> Result<std::ops::Range<usize>, Limit> {
        let (mut start, mut count) = self.successors.get(id as usize);
        if start == NEVER {
            self.check(meter)?;
            meter.stats.expanded += 1;
            start = self.edges.len() as u32;
            let packed = self.nodes.get(id).key;
            let state = self.codec.unpack(&packed);
            for (from, label) in state.tokens() {
                for to in self.puzzle.board().destinations(from, state.occupied()) {
                    let mv = Move { from, to };
                    meter.stats.generated += 1;
                    let key = self.codec.moved(&packed, label, mv);
                    let next = self.meet_after(&key, &state, mv);
                    self.edges.push(next);
                }
            }
            // Some of these are not those states.
            if self.is_full() {
                return Err(Limit::Memory);
            }
            count = self.edges.len() as u32 - start;
            *self.successors.entry(id as usize) = (start, count);
        }
        Ok(start as usize..(start + count) as usize)
    }

    /// The state at this place.
    pub fn edge(&self, place: usize) -> NodeId {
        self.edges.get(place)
    }

    /// Learns from a state's successors how far the way on is at least.
    pub fn learn(&mut self, id: NodeId, meter: &mut Meter<'_>) -> Result<(), Limit> {
        let edges = self.successors(id, meter)?;
        let least = edges.map(|edge| self.h(self.edges.get(edge))).min();
        self.raise(id, least.unwrap_or(NEVER));
        Ok(())
    }

    /// The same, and lists the successors that are nearest to the goal.
    pub fn look_ahead(
        &mut self,
        id: NodeId,
        nearest: &mut Vec<NodeId>,
        meter: &mut Meter<'_>,
    ) -> Result<(), Limit> {
        let edges = self.successors(id, meter)?;
        nearest.clear();
        let mut least = NEVER;
        for next in edges.map(|edge| self.edges.get(edge)) {
            let value = self.h(next);
            if value < least {
                least = value;
                nearest.clear();
            }
            if value == least {
                nearest.push(next);
            }
        }
        self.raise(id, least);
        Ok(())
    }

    /// A state is a move farther than the nearest of its successors.
    fn raise(&mut self, id: NodeId, least: u32) {
        if !self.is_seeded(id) {
            let value = self.values.entry(id as usize);
            *value = (*value).max(least.saturating_add(1));
        }
    }

    /// Looks for shorter ways through the neighbourhood of the best, as wide as suits methods that
    /// do so often.
    pub fn shorten(&mut self, meter: &mut Meter<'_>) -> Result<(), Limit> {
        if !self.shortens {
            return Ok(());
        }
        self.shorten_within(NEIGHBOURHOOD, WIDEST_NEIGHBOURHOOD, meter)
    }

    /// Looks for shorter ways through the neighbourhood of the best one: the states nearest to it,
    /// of which `most` are expanded. Repeats this while it helps, and then with twice as many
    /// states, up to `widest` (plan neighbourhood graph search, Nakhost and Mueller 2010).
    fn shorten_within(
        &mut self,
        mut most: usize,
        widest: usize,
        meter: &mut Meter<'_>,
    ) -> Result<(), Limit> {
        while most <= widest && !self.is_proven() {
            assert!(most > 0, "twice nothing is nothing");
            let length = self.best();
            let mut near = self.best_states();
            let (is_near, is_seen) = (self.last_mark + 1, self.last_mark + 2);
            self.last_mark = is_seen;
            for &state in &near {
                *self.marks.entry(state as usize) = is_near;
            }
            let mut next = 0;
            while next < near.len().min(most) {
                self.neighbourhood = (near.capacity() * 4) as u64;
                self.look(next, meter)?;
                for place in self.successors(near[next], meter)? {
                    let state = self.edges.get(place);
                    let mark = self.marks.entry(state as usize);
                    if *mark != is_near {
                        *mark = is_near;
                        near.push(state);
                    }
                }
                next += 1;
            }
            // Breadth-first from the start through them.
            let mut layer = vec![self.start];
            let mut visited = 0;
            *self.marks.entry(self.start as usize) = is_seen;
            while let Some(&first) = layer.first()
                && self.g(first) < self.best()
            {
                let mut next_layer = Vec::new();
                for &state in &layer {
                    if self.successors.get(state as usize).0 == NEVER {
                        continue;
                    }
                    visited += 1;
                    self.look(visited, meter)?;
                    for place in self.successors(state, meter)? {
                        let next = self.edges.get(place);
                        let mark = self.marks.entry(next as usize);
                        if *mark == is_near {
                            *mark = is_seen;
                            self.arrive(state, next);
                            next_layer.push(next);
                        }
                    }
                }
                layer = next_layer;
            }
            meter.note_bytes(self.bytes());
            self.neighbourhood = 0;
            if self.best() == length {
                most *= 2;
            }
        }
        Ok(())
    }

    /// The states on the best way.
    fn best_states(&self) -> Vec<NodeId> {
        let mut key = self.nodes.get(self.start).key;
        let mut states = vec![self.start];
        for &mv in self.best.iter().flatten() {
            let label = self.codec.unpack(&key).label_at(mv.from).expect("a move moves a token");
            key = self.codec.moved(&key, label, mv);
            states.push(self.nodes.find(&key).expect("the states of a way are known"));
        }
        states
    }

    /// A state drawn of those that may lie on a better way.
    pub fn any(&self, random: &mut Xoshiro256PlusPlus) -> Option<NodeId> {
        (0..DRAWS)
            .map(|_| random.random_range(0..self.nodes.len()))
            .find(|&id| self.is_promising(id))
    }

    /// The memory limit, if the system had no memory for a state or what is known of it.
    pub fn has_room(&self) -> Result<(), Limit> {
        if self.is_full() { Err(Limit::Memory) } else { Ok(()) }
    }

    fn is_full(&self) -> bool {
        self.nodes.is_full()
            || self.values.is_full()
            || self.successors.is_full()
            || self.edges.is_full()
            || self.marks.is_full()
    }

    fn bytes(&self) -> u64 {
        // Places of successors are 32 bits.
        if self.edges.len() > NEVER as usize - (1 << 24) {
            return u64::MAX;
        }
        let own =
            self.values.bytes() + self.successors.bytes() + self.edges.bytes() + self.marks.bytes();
        self.nodes.bytes().saturating_add(own + self.others + self.neighbourhood)
    }

    /// Returns an error when a limit is reached, which is checked on every 16th call only.
    pub fn check(&mut self, meter: &mut Meter<'_>) -> Result<(), Limit> {
        self.calls = self.calls.wrapping_add(1);
        self.has_room()?;
        if !self.calls.is_multiple_of(16) {
            return Ok(());
        }
        let length = self.best.as_ref().map(|moves| moves.len() as u32);
        let lower_bound = self.lower_bound();
        meter.note_best(length, lower_bound);
        meter.check(|| self.bytes(), lower_bound)?;
        if self.bytes() > self.memory { Err(Limit::Memory) } else { Ok(()) }
    }

    /// Returns whether a limit is reached while states are visited whose successors are known; it
    /// looks now and then.
    fn look(&self, visited: usize, meter: &mut Meter<'_>) -> Result<(), Limit> {
        if !visited.is_multiple_of(1 << 14) {
            return Ok(());
        }
        meter.poll(self.bytes(), self.lower_bound())
    }

    /// What is known in the end.
    pub fn outcome(&mut self, limit: Limit) -> Outcome {
        let lower_bound = self.lower_bound();
        match self.best.take() {
            Some(moves) => {
                let length = moves.len() as u32;
                let optimal = length <= lower_bound;
                Outcome::Solved { moves, optimal, lower_bound: lower_bound.min(length) }
            }
            None => Outcome::LimitReached { limit, lower_bound },
        }
    }
}

impl Task<'_> {
    /// How many states around the goal a learner knows before it begins, unless --seeded says it:
    /// the study's 100 as published, otherwise one for every 6,500 arrangements of the tokens, from
    /// 50 to 100,000, and beyond 50 no more than one for every 50 states that may be generated.
    pub fn suitable_seeds(&self, meter: &Meter<'_>) -> u32 {
        match self.get(&PROFILE) {
            Profile::Published => 100,
            Profile::Improved => {
                let most = (meter.nodes_left() / 50).clamp(50, 100_000);
                (most_arrangements(self.puzzle) as u64 / 6500).clamp(50, most) as u32
            }
        }
    }
}

/// Looks for a shorter solution in the neighbourhood of one, up to a given number of states, and
/// again as long as that helps. The heuristic is that of the task. Returns the limit that stopped
/// it, if one did.
pub(crate) fn shorten(
    task: &Task<'_>,
    heuristic: &dyn Heuristic,
    moves: Vec<Move>,
    states: usize,
    meter: &mut Meter<'_>,
) -> (Vec<Move>, Result<(), Limit>) {
    with_codec!(task.puzzle, |codec| {
        let mut graph = StateGraph::new(task, codec, heuristic);
        graph.memory = u64::MAX;
        let mut state = *task.puzzle.start();
        let mut here = graph.start();
        for &mv in &moves {
            let label = state.label_at(mv.from).expect("a move moves a token");
            (here, _) = graph.step(here, &state, label, mv);
            state.slide(mv);
        }
        let end = graph.shorten_within(states, states, meter);
        (graph.best.unwrap_or(moves), end)
    })
}

/// In how many ways the tokens could stand if they were all different; saturates far above any
/// limit.
fn most_arrangements(puzzle: &Puzzle) -> usize {
    let vertices = puzzle.board().vertex_count();
    let tokens = puzzle.start().occupied().len();
    (0..tokens).fold(1, |count: usize, placed| count.saturating_mul(vertices - placed))
}

/// States near the best way whose successors are looked at, at first and at last.
pub(crate) const NEIGHBOURHOOD: usize = 20_000;
const WIDEST_NEIGHBOURHOOD: usize = 80_000;
/// Goal states that are listed at most.
const MOST_GOALS: usize = 1 << 16;
/// How often a state is drawn in search of a promising one.
const DRAWS: u32 = 64;
