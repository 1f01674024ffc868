//! The sub-problems of local value iteration: their tables, and what they decide.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use cpu_time::ThreadTime;
use hyperslide_puzzle::{
    Arrangement, Label, LoneTokenDistances, MAX_VERTICES, Move, Puzzle, Setup, State, Vertex,
    VertexSet, goal_count,
};
use hyperslide_table::{
    Abstraction, AbstractionError, BreadthFirst, BuildOptions, DistanceTable, Layers,
    MAX_GOAL_STATES, Rest, SearchOptions, Signals, TableError, binomial,
};
use rustc_hash::FxHashMap;

use crate::heuristics::Resources;
use crate::outcome::Limit;
use crate::table_cache::{Remembered, TableCache};

/// Decisions are remembered where there are at most this many: 2^24 of 2 bytes, 32 MiB.
const MOST_REMEMBERED: u64 = 1 << 24;

/// Bytes of a goal state while the list of them grows.
const BYTES_A_GOAL: f64 = 3.0 * size_of::<State>() as f64;

/// The sub-problems of all puzzles with one board, goal and set of tokens, whatever their starts.
pub(crate) struct SubProblems {
    puzzle: Puzzle,
    /// The goal's vertices with a token, in the order of [`places_in_order`].
    places: Vec<Vertex>,
    known: RwLock<FxHashMap<(usize, usize), Arc<SubProblem>>>,
}

/// How many tokens each label has.
fn tokens_of(puzzle: &Puzzle) -> [u8; MAX_VERTICES] {
    let mut tokens = [0; MAX_VERTICES];
    puzzle.start().tokens().for_each(|(_, label)| tokens[label.index()] += 1);
    tokens
}

/// The goal's vertices with a token, in the order of their labels, those of one label ascending;
/// backwards when the goal's empty vertices are nearer to the first than to the last, so that they
/// do not get walled in.
///
/// On a grid whose goal begins with the empty vertex this is the paper's order after a turn by 180
/// degrees.
fn places_in_order(puzzle: &Puzzle) -> Vec<Vertex> {
    let placed = puzzle.goal().labelled();
    let labels = puzzle.labels().iter().map(|(label, _)| label);
    let mut places: Vec<Vertex> = labels.flat_map(|label| placed.vertices_of(label)).collect();
    let distances = LoneTokenDistances::new(puzzle.board());
    let from_empty = |place: Option<&Vertex>| {
        let empty = puzzle.goal().empty().into_iter();
        place.and_then(|&place| empty.map(|empty| distances.get(place, empty)).min())
    };
    if from_empty(places.first()) < from_empty(places.last()) {
        places.reverse();
    }
    places
}

/// The number of goals whose sub-problems are remembered.
const REMEMBERED: usize = 64;

/// The sub-problems that local value iteration has met on the way to a puzzle's goal, with this
/// cache.
pub fn trained_sub_problems(cache: &TableCache, puzzle: &Puzzle) -> Vec<TrainedSubProblem> {
    SubProblems::of(cache, puzzle).trained()
}

impl SubProblems {
    /// The sub-problems of a puzzle's goal.
    pub fn of(cache: &TableCache, puzzle: &Puzzle) -> Arc<SubProblems> {
        let known = cache.slot::<Remembered<SubProblems>>();
        known.get_or_make(REMEMBERED, |known| known.are_of(puzzle), || SubProblems::new(puzzle))
    }

    pub fn new(puzzle: &Puzzle) -> SubProblems {
        SubProblems {
            puzzle: puzzle.clone(),
            places: places_in_order(puzzle),
            known: RwLock::default(),
        }
    }

    /// Returns whether they are those of this puzzle.
    pub fn are_of(&self, puzzle: &Puzzle) -> bool {
        self.puzzle.shares_goal_with(puzzle)
    }

    /// How many goal vertices there are to fill.
    pub fn places(&self) -> usize {
        self.places.len()
    }

    /// The sub-problem of bringing tokens to these places while all before them stay.
    pub fn get(&self, kept: Range<usize>) -> Arc<SubProblem> {
        let key = (kept.start, kept.end);
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known.get(&key) {
            return Arc::clone(found);
        }
        drop(known);
        let fresh = Arc::new(SubProblem::new(&self.puzzle, &self.places, kept));
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(known.entry(key).or_insert(fresh))
    }

    /// Those that have tables, in the order of their places.
    pub fn trained(&self) -> Vec<TrainedSubProblem> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let mut sorted: Vec<_> = known.iter().collect();
        sorted.sort_by_key(|&((first, end), _)| (*end, std::cmp::Reverse(*first)));
        let name = |&place: &Vertex| {
            let label = self.puzzle.goal().labelled().label_at(place);
            label.map_or(String::new(), |label| self.puzzle.labels().name(label).to_owned())
        };
        let trained = sorted.into_iter().filter_map(|(&(first, end), problem)| {
            let trained = problem.trained.read().unwrap_or_else(PoisonError::into_inner);
            (!trained.tables.is_empty()).then(|| TrainedSubProblem {
                kept: self.places[first..end].iter().map(name).collect(),
                settled: self.places[..first].iter().map(name).collect(),
                tables: trained.tables.clone(),
                cpu_s: trained.cpu_s,
            })
        });
        trained.collect()
    }
}

/// A sub-problem G,R of local value iteration whose distances are known.
#[derive(Clone)]
pub struct TrainedSubProblem {
    /// The tokens G that are brought to their places, by name.
    pub kept: Vec<String>,
    /// The tokens R that stay, by name.
    pub settled: Vec<String>,
    /// The distances: a table for each component of occupied sets that was met, mostly one.
    pub tables: Vec<Arc<DistanceTable>>,
    /// CPU seconds of the threads that asked for the tables, and built them or read them from a
    /// file; not of those that helped.
    pub cpu_s: f64,
}

/// What a sub-problem's policy says of a state that does not solve it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// No moves solve it from there.
    NoSolution,
    /// The first of the legal moves, ascending by `(from, to)`, that leads nearer.
    Slide(Move),
}

impl Decision {
    /// As it is remembered; 0 is not known.
    fn code(self) -> u16 {
        match self {
            Decision::NoSolution => 1,
            Decision::Slide(mv) => (2 + mv.from.index() * MAX_VERTICES + mv.to.index()) as u16,
        }
    }

    fn decode(code: u16) -> Option<Decision> {
        match code {
            0 => None,
            1 => Some(Decision::NoSolution),
            code => {
                let code = code as usize - 2;
                let from = Vertex::new(code / MAX_VERTICES)?;
                Some(Decision::Slide(Move { from, to: Vertex::new(code % MAX_VERTICES)? }))
            }
        }
    }
}

/// What training a sub-problem may use.
pub(crate) struct Training<'a> {
    pub resources: &'a Resources<'a>,
    /// Bytes that it may take.
    pub memory: u64,
}

impl Training<'_> {
    /// The table of a part of a puzzle that has this state of it.
    fn table(&self, part: &Puzzle, seen: &State) -> Result<Arc<DistanceTable>, TableError> {
        // The tokens that are alike may stand anywhere at the goal.
        let goals = goal_count(part);
        let (needed, limit) = ((goals * BYTES_A_GOAL) as u128, self.memory);
        if goals > MAX_GOAL_STATES as f64 || needed > u128::from(limit) {
            return Err(TableError::Memory { needed, limit });
        }
        let abstraction = abstraction(part)?;
        let Resources { cache, threads, .. } = self.resources;
        let options = BuildOptions {
            memory: self.memory,
            search: SearchOptions { threads: *threads, ..SearchOptions::default() },
            ..BuildOptions::default()
        };
        self.resources.watch().during(|stop| {
            let signals = &Signals::new(stop);
            let table = cache.store().get(abstraction.clone(), &options, signals)?;
            if table.covers(seen) {
                return Ok(table);
            }
            // The stored one is of other occupied sets, and no slides lead between those and these.
            let mut go_on = |_: &Layers| ControlFlow::Continue(());
            Ok(Arc::new(DistanceTable::build(abstraction, &options, signals, &mut go_on)?))
        })
    }

    fn why_stopped(&self) -> Limit {
        self.resources.watch().reason().map_or(Limit::Memory, Limit::from)
    }
}

/// The abstraction that keeps apart the tokens of a part with numbers, and settles those that are
/// settled.
fn abstraction(part: &Puzzle) -> Result<Abstraction, AbstractionError> {
    let names = part.labels().iter().map(|(_, name)| name.to_owned());
    let (settled, others): (Vec<String>, Vec<String>) = names.partition(|name| name == SETTLED);
    let kept: Vec<String> = others.into_iter().filter(|name| name != REST).collect();
    Abstraction::new(part, &kept, &settled, Rest::Counted)
}

/// What a sub-problem holds.
#[derive(Clone, Copy, Default)]
pub(crate) struct Size {
    /// Bytes of its tables and of what it remembers.
    pub bytes: u64,
    /// Bytes of the largest search that made a table.
    pub training: u64,
    /// States that its tables have.
    pub states: u64,
}

#[derive(Default)]
struct Trained {
    tables: Vec<Arc<DistanceTable>>,
    cpu_s: f64,
}

/// A table, or how many sets of vertices the tokens can occupy, none of which fits the goal.
type TableOrSets = Result<Arc<DistanceTable>, usize>;

/// Bringing tokens to some places while those on others stay, all further tokens being alike.
pub(crate) struct SubProblem {
    puzzle: Puzzle,
    /// What is to be where.
    wanted: Vec<(Vertex, Label)>,
    /// What is to be empty: with the last tokens all that the goal wants.
    empty: VertexSet,
    walls: VertexSet,
    /// The labels kept apart.
    kept: Vec<Label>,
    numbers: Numbers,
    remembered: OnceLock<Option<Box<[AtomicU16]>>>,
    trained: RwLock<Trained>,
}

impl SubProblem {
    /// The number of tokens that are distinguished where others with several labels are taken as
    /// alike.
    pub fn distinguished(&self) -> Option<usize> {
        let tokens = self.kept.iter().map(|&label| self.puzzle.start().vertices_of(label).len());
        (self.kept.len() + 1 < self.puzzle.labels().len()).then(|| tokens.sum())
    }

    fn new(puzzle: &Puzzle, places: &[Vertex], kept: Range<usize>) -> SubProblem {
        let placed = puzzle.goal().labelled();
        let is_last = kept.end == places.len();
        let wanted = places[kept.clone()].iter();
        let wanted: Vec<(Vertex, Label)> =
            wanted.filter_map(|&place| Some((place, placed.label_at(place)?))).collect();
        let walls: VertexSet = places[..kept.start].iter().copied().collect();
        let mut labels: Vec<Label> = wanted.iter().map(|&(_, label)| label).collect();
        labels.dedup();
        let numbers = Numbers::new(puzzle, placed, &labels, walls);
        SubProblem {
            puzzle: puzzle.clone(),
            wanted,
            empty: if is_last { puzzle.goal().empty() } else { VertexSet::EMPTY },
            walls,
            kept: labels,
            numbers,
            remembered: OnceLock::new(),
            trained: RwLock::default(),
        }
    }

    /// Returns whether the tokens are in place.
    pub fn is_met(&self, state: &State) -> bool {
        self.wanted.iter().all(|&(place, label)| state.label_at(place) == Some(label))
            && (state.occupied() & self.empty).is_empty()
    }

    /// What to do in a state in which the settled tokens are in place and the others are not.
    ///
    /// # Errors
    ///
    /// The limit that was reached before the table was there.
    #[inline]
    pub fn decide(&self, state: &State, training: &Training<'_>) -> Result<Decision, Limit> {
        let Some(remembered) = self.remembered(training.memory) else {
            return self.look_up(state, training);
        };
        let entry = &remembered[self.numbers.of(state)];
        if let Some(decision) = Decision::decode(entry.load(Ordering::Relaxed)) {
            return Ok(decision);
        }
        let decision = self.look_up(state, training)?;
        entry.store(decision.code(), Ordering::Relaxed);
        Ok(decision)
    }

    /// The memory of decisions, where they are few enough and fit.
    #[inline]
    fn remembered(&self, memory: u64) -> Option<&[AtomicU16]> {
        let fresh = || {
            let entries = self.numbers.count.filter(|&count| 2 * count <= memory / 2)?;
            Some((0..entries).map(|_| AtomicU16::new(0)).collect())
        };
        self.remembered.get_or_init(fresh).as_deref()
    }

    /// [`SubProblem::decide`] by the table alone.
    #[cold]
    pub fn look_up(&self, state: &State, training: &Training<'_>) -> Result<Decision, Limit> {
        let Ok(table) = self.table(state, training)? else {
            return Ok(Decision::NoSolution);
        };
        let seen = table.abstraction().of(&self.seen(state));
        let slide = seen.and_then(|seen| table.first_nearer(&seen));
        Ok(slide.map_or(Decision::NoSolution, Decision::Slide))
    }

    /// The table that has the state's occupied set.
    pub fn table(&self, state: &State, training: &Training<'_>) -> Result<TableOrSets, Limit> {
        let seen = self.seen(state);
        let trained = self.trained.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(table) = trained.tables.iter().find(|table| table.covers(&seen)) {
            return Ok(Ok(Arc::clone(table)));
        }
        drop(trained);
        let cpu = ThreadTime::now();
        let table = match training.table(&self.part(state), &seen) {
            Ok(table) => table,
            Err(TableError::GoalOutOfReach { occupied_sets }) => return Ok(Err(occupied_sets)),
            Err(TableError::Cancelled) => return Err(training.why_stopped()),
            // Whatever else stands in the way is that it is too large.
            Err(_) => return Err(Limit::Memory),
        };
        let mut trained = self.trained.write().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have asked for the same one, and only one of them built it.
        trained.cpu_s += cpu.elapsed().as_secs_f64();
        if !trained.tables.iter().any(|known| known.covers(&seen)) {
            trained.tables.push(Arc::clone(&table));
        }
        Ok(Ok(table))
    }

    /// What it holds.
    pub fn size(&self) -> Size {
        let trained = self.trained.read().unwrap_or_else(PoisonError::into_inner);
        let remembered = self.remembered.get().and_then(Option::as_deref);
        let mut size =
            Size { bytes: 2 * remembered.map_or(0, <[AtomicU16]>::len) as u64, ..Size::default() };
        for table in &trained.tables {
            let goals = table.abstraction().goals();
            let search = BreadthFirst::bytes(table.space(), goals.len() == 1, 1);
            let goals = size_of_val(goals) as u64;
            size.bytes += table.bytes() + table.space().bytes() + goals;
            size.training = size.training.max(u64::try_from(search).unwrap_or(u64::MAX));
            size.states += table.layers().total();
        }
        size
    }

    /// The state with the labels of [`SubProblem::part`].
    fn seen(&self, state: &State) -> State {
        let settled = self.kept.len();
        let rest = settled + usize::from(!self.walls.is_empty());
        let tokens = state.tokens().filter_map(|(vertex, label)| {
            let number = if self.walls.contains(vertex) {
                settled
            } else {
                self.kept.iter().position(|&kept| kept == label).unwrap_or(rest)
            };
            Some((vertex, Label::new(number)?))
        });
        tokens.collect()
    }

    /// The puzzle from a state in which the kept tokens are called 1, 2, ..., and then come the
    /// settled ones and the rest, all alike.
    fn part(&self, state: &State) -> Puzzle {
        let write = |vertices: VertexSet| {
            vertices.into_iter().map(|v| v.index().to_string()).collect::<Vec<_>>()
        };
        let seen = self.seen(state);
        let (mut start, mut goal) = (Vec::new(), Vec::new());
        let mut add = |name: &str, vertices: VertexSet, mut places: Vec<String>| {
            if vertices.is_empty() {
                return;
            }
            start.push(format!("{name}={}", write(vertices).join("+")));
            if places.len() < vertices.len() {
                places.push("*".to_owned());
            }
            goal.push(format!("{name}={}", places.join("+")));
        };
        let mut others = state.occupied() - self.walls;
        for (number, &label) in self.kept.iter().enumerate() {
            let vertices = Label::new(number).map_or(VertexSet::EMPTY, |own| seen.vertices_of(own));
            let wanted = self.wanted.iter().filter(|&&(_, other)| other == label);
            let wanted: VertexSet = wanted.map(|&(place, _)| place).collect();
            add(&(number + 1).to_string(), vertices, write(wanted));
            others = others - vertices;
        }
        add(SETTLED, self.walls, write(self.walls));
        add(REST, others, Vec::new());
        if !self.empty.is_empty() {
            goal.push(format!("0={}", write(self.empty).join("+")));
        }
        let read = |entries: Vec<String>| -> Arrangement {
            entries.join(",").parse().expect("numbers and words are in the notation")
        };
        let setup = Setup { start: read(start), goal: Some(read(goal)) };
        Puzzle::new(self.puzzle.board().clone(), &setup).expect("a part of a puzzle is a puzzle")
    }
}

/// The name of all settled tokens, which stands after numbers.
const SETTLED: &str = "s";
/// The name of all tokens that are neither kept nor settled, which stands after that.
const REST: &str = "x";

/// Numbers for the states of a sub-problem: the set of empty vertices, then the vertices of the
/// kept tokens as digits, to the base of the number of vertices that are not walls.
struct Numbers {
    vertices: VertexSet,
    /// The number of each vertex among those that are not walls.
    cells: [u8; MAX_VERTICES],
    /// The first digit of each label; [`NO_DIGIT`] of those not kept.
    digits: [u8; MAX_VERTICES],
    /// What a digit is worth.
    weights: Vec<u32>,
    /// Numbers for one set of empty vertices.
    a_set: usize,
    walls: VertexSet,
    /// How many numbers there are, when they are few enough to remember a decision for each.
    count: Option<u64>,
}

const NO_DIGIT: u8 = u8::MAX;

impl Numbers {
    fn new(puzzle: &Puzzle, placed: &State, kept: &[Label], walls: VertexSet) -> Numbers {
        let vertices = puzzle.board().vertex_set();
        let mut cells = [0; MAX_VERTICES];
        for (number, vertex) in (vertices - walls).into_iter().enumerate() {
            cells[vertex.index()] = number as u8;
        }
        let base = (vertices - walls).len();
        let mut digits = [NO_DIGIT; MAX_VERTICES];
        let tokens = tokens_of(puzzle);
        let mut first = 0;
        for &label in kept {
            digits[label.index()] = first;
            let settled = (placed.vertices_of(label) & walls).len() as u8;
            first += tokens[label.index()] - settled;
        }
        let few = |numbers: u64| Some(numbers).filter(|&numbers| numbers <= MOST_REMEMBERED);
        let a_set = (0..first).try_fold(1, |all: u64, _| few(all * base as u64));
        let empty = vertices.len() - puzzle.start().occupied().len();
        let count = a_set.and_then(|a_set| few(a_set.checked_mul(binomial(base, empty))?));
        let weights = (0..u32::from(first)).map(|digit| (base as u32).saturating_pow(digit));
        Numbers {
            vertices,
            cells,
            digits,
            weights: weights.collect(),
            a_set: a_set.unwrap_or(0) as usize,
            walls,
            count,
        }
    }

    /// The number of a state with the settled tokens in place.
    #[inline]
    fn of(&self, state: &State) -> usize {
        let mut next = self.digits;
        let mut number = 0;
        for vertex in state.occupied() - self.walls {
            let Some(label) = state.label_at(vertex) else { continue };
            let digit = &mut next[label.index()];
            if *digit != NO_DIGIT {
                let cell = usize::from(self.cells[vertex.index()]);
                number += cell * self.weights[usize::from(*digit)] as usize;
                *digit += 1;
            }
        }
        let empty = (self.vertices - state.occupied()).into_iter().zip(1..);
        // As `subset_rank` has it.
        let set = empty.map(|(vertex, taken)| {
            binomial(usize::from(self.cells[vertex.index()]), taken) as usize
        });
        set.sum::<usize>() * self.a_set + number
    }
}

#[cfg(test)]
mod tests {
    use hyperslide_puzzle::goal_states;
    use hyperslide_testkit::{Random, random_puzzle};

    use super::*;

    /// A state with the settled tokens in place and the others anywhere.
    fn anywhere(puzzle: &Puzzle, walls: VertexSet, random: &mut Random) -> Option<State> {
        let goals = goal_states(puzzle, 1000)?;
        let goal = goals.get(random.below(goals.len().max(1)))?;
        let mut open: Vec<Vertex> = (puzzle.board().vertex_set() - walls).into_iter().collect();
        random.shuffle(&mut open);
        let others = goal.tokens().filter(|(vertex, _)| !walls.contains(*vertex));
        let others = open.into_iter().zip(others).map(|(vertex, (_, label))| (vertex, label));
        Some(goal.tokens().filter(|(vertex, _)| walls.contains(*vertex)).chain(others).collect())
    }

    /// Holds what is remembered, when it is new and when it is known, against the table.
    fn check(puzzle: &Puzzle, kept: Range<usize>, times: usize, random: &mut Random) -> [usize; 2] {
        let problems = SubProblems::new(puzzle);
        let problem = problems.get(kept);
        let resources = Resources::default();
        let training = Training { resources: &resources, memory: u64::MAX };
        let mut found = [0, 0];
        for _ in 0..times {
            let Some(state) = anywhere(puzzle, problem.walls, random) else { break };
            if problem.is_met(&state) {
                continue;
            }
            let expected = problem.look_up(&state, &training);
            for _ in 0..2 {
                assert_eq!(problem.decide(&state, &training), expected, "{puzzle} {state:?}");
            }
            found[usize::from(expected != Ok(Decision::NoSolution))] += 1;
        }
        assert!(problem.remembered(u64::MAX).is_some());
        found
    }

    #[test]
    fn what_is_remembered_is_what_the_tables_say() {
        let mut random = Random::new(31);
        let mut found = [0, 0];
        let mut add = |more: [usize; 2]| {
            found[0] += more[0];
            found[1] += more[1];
        };
        for _ in 0..300 {
            let puzzle = random_puzzle(&mut random);
            let places = puzzle.goal().labelled().occupied().len();
            let end = random.below(places + 1);
            let first = random.below(end + 1);
            add(check(&puzzle, first..end, 40, &mut random));
        }
        let line = "grid:4:4 8,15,10,4,5,1,7,9,11,13,6,2,3,0,12,14";
        let puzzle = Puzzle::from_line(line).unwrap();
        for kept in [0..1, 2..4, 3..4, 8..13, 12..13, 9..11] {
            add(check(&puzzle, kept, 2000, &mut random));
        }
        assert!(found[0] > 3000 && found[1] > 8_000, "{found:?}");
    }

    #[test]
    fn what_is_too_much_is_not_remembered() {
        let line = "grid:4:4 8,15,10,4,5,1,7,9,11,13,6,2,3,0,12,14";
        let puzzle = Puzzle::from_line(line).unwrap();
        let problems = SubProblems::new(&puzzle);
        // 16 places for each of five tokens and the empty vertex are the most.
        assert_eq!(problems.get(0..5).numbers.count, Some(MOST_REMEMBERED));
        assert_eq!(problems.get(0..6).numbers.count, None);
        assert_eq!(problems.get(9..15).numbers.count, Some(7u64.pow(7)));
        assert!(problems.get(9..15).remembered(1 << 20).is_none());
    }
}
