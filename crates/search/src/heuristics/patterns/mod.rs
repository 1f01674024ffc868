//! Additive pattern databases.

mod division;
mod part;
mod walks;

use std::str::FromStr;
use std::sync::Arc;

use hyperslide_puzzle::{
    Board, Label, Move, Permutation, Puzzle, State, Vertex, VertexSet, symmetry_group,
};
use hyperslide_table::{DistanceTable, Encoding, Space};

use self::division::{cluster, default_sizes, good, most_kept, named, placements};
use self::part::{Held, Part, Pattern, pattern};
use super::{
    Heuristic, HeuristicEntry, HeuristicError, Incremental, IncrementalPatterns, Request, Resources,
};
use crate::outcome::Limit;
use crate::settings::{Domain, Setting, Typed, Unreadable};
use crate::table_cache::{Remembered, TableCache};

pub(crate) use self::walks::{PatternWalks, WalkPart};

/// The sets of tokens that have a table each.
static PARTS: Typed<Parts> = Setting::typed(
    "parts",
    "SIZES|TOKENS",
    "",
    Domain::Text("sizes as in 6-6-3, tokens as in 1+2+5/3+4, or two of these separated by a colon"),
    "The sets of tokens that have a table each, by their sizes or by their tokens; sets that suit \
     the puzzle and the memory when left out",
);

/// That a text has the form of such sets; whether they fit depends on the puzzle.
struct Parts;

impl FromStr for Parts {
    type Err = Unreadable;

    fn from_str(text: &str) -> Result<Parts, Unreadable> {
        let names_all = text.split([':', '/', '+']).all(|name| !name.is_empty());
        if names_all { Ok(Parts) } else { Err(Unreadable) }
    }
}

pub(super) const ENTRY: HeuristicEntry = HeuristicEntry {
    name: "patterns",
    summary: "additive pattern databases, also looked up in the reflected puzzle where the board allows it; \
              patterns:6-6-3 chooses their sizes, and patterns:1+2+5/3+4 their tokens; a second partition after a \
              colon is looked up instead of the reflected puzzle",
    admissible: true,
    consistent: true,
    parameter: Some(PARTS.setting()),
    build: |request| {
        let Request { puzzle, argument, resources } = *request;
        let remembered = resources.cache.slot::<Remembered<Patterns>>();
        let is_wanted = |known: &Patterns| known.are_of(puzzle, argument, resources.memory);
        if let Some(patterns) = remembered.find(is_wanted) {
            return Ok(Box::new(patterns));
        }
        // Tables that the new ones could have shared may go with those that are forgotten.
        remembered.forget_while(|known| {
            Patterns::bytes_of(known.iter().map(|known| &**known)) > resources.memory / 2
        });
        let build = || Patterns::new(request);
        Ok(Box::new(remembered.get_or_build(REMEMBERED, is_wanted, build)?))
    },
};

/// Returns whether the pattern databases that suit a puzzle are remembered.
pub(super) fn are_ready(puzzle: &Puzzle, resources: &Resources<'_>) -> bool {
    let remembered = resources.cache.slot::<Remembered<Patterns>>();
    remembered.find(|known| known.are_of(puzzle, "", resources.memory)).is_some()
}

/// How large the pattern databases are that suit a puzzle with one empty vertex, built or not,
/// before any two of them are found to be alike.
pub(crate) struct PatternSizes {
    /// The sets of vertices that the tokens of a part may occupy, of all parts together.
    pub occupied_sets: f64,
    /// The states, without regard to where the empty vertex is.
    pub states: f64,
}

impl PatternSizes {
    pub fn of(puzzle: &Puzzle) -> PatternSizes {
        let vertices = puzzle.board().vertex_count();
        let mut all = PatternSizes { occupied_sets: 0.0, states: 0.0 };
        for kept in default_sizes(puzzle, most_kept(puzzle, true), true) {
            let states = placements(vertices, kept);
            all.states += states;
            all.occupied_sets += states / placements(kept, kept);
        }
        all
    }
}

/// The states of those pattern databases that suit a puzzle with one empty vertex and would have to
/// be built, without regard to where the empty vertex is.
pub(super) fn unbuilt_states(puzzle: &Puzzle, resources: &Resources<'_>) -> f64 {
    let symmetries = symmetries(puzzle.board());
    let sizes = default_sizes(puzzle, most_kept(puzzle, true), true);
    unbuilt_states_of(cluster(puzzle, &sizes, &symmetries), puzzle, resources, &symmetries)
}

/// The same for the tables of these parts.
fn unbuilt_states_of(
    parts: impl IntoIterator<Item = VertexSet>,
    puzzle: &Puzzle,
    resources: &Resources<'_>,
    symmetries: &[Permutation],
) -> f64 {
    let mut unbuilt = Vec::new();
    let mut states = 0.0;
    for places in parts {
        let Ok(pattern) = pattern(puzzle, places, symmetries, true) else { continue };
        let Pattern { abstraction, encoding, .. } = &pattern;
        let text = abstraction.text();
        if !unbuilt.contains(&text) && !resources.cache.store().has(abstraction, *encoding) {
            unbuilt.push(text);
            states += placements(puzzle.board().vertex_count(), places.len());
        }
    }
    states
}

/// The symmetries of a board that are looked through.
fn symmetries(board: &Board) -> Vec<Permutation> {
    let count = board.vertex_count();
    let all = symmetry_group(board).elements(count, MAX_SYMMETRIES);
    all.unwrap_or_else(|| vec![Permutation::identity(count)])
}

/// How many pattern databases are remembered, which are large: those of four goals, with as many
/// partitions as are compared. Tables that they have in common are there once.
const REMEMBERED: usize = 16;

/// Stands between two partitions.
const BETWEEN: char = ':';

/// Symmetries of a board that are looked through for a pattern like one that has a table already:
/// the 6-cube has 46,080.
const MAX_SYMMETRIES: usize = 50_000;

/// Sums of distances in additive pattern databases (Korf and Felner 2002): every slide moves one
/// token, so that distances of disjoint sets of tokens add up, slides of the others costing
/// nothing. Of the sum and that of the reflected puzzle the greater one.
///
/// Where one vertex of a graph is empty the tables have 2 bits a state and record where the empty
/// vertex can go (zero-aware; Clausecker and Reinefeld 2019); elsewhere a byte. Where the other
/// tokens have too many places they are left out, which is weaker.
pub(crate) struct Patterns {
    /// One of the puzzles that they are of.
    puzzle: Puzzle,
    /// What stood behind the name.
    argument: String,
    /// The memory that larger tables did not fit in, where nobody said how large.
    too_little: Option<u64>,
    partitions: Vec<Partition>,
    walks: Option<PatternWalks>,
}

/// Disjoint sets of tokens, each with its table.
#[derive(Clone)]
struct Partition {
    parts: Vec<Arc<Part>>,
    /// For each label the number of its part.
    part_of: Vec<Option<u8>>,
}

impl Patterns {
    /// The partitions that are looked up for a state alone. Two bits only show how a distance
    /// changes, so that only one such sum can be followed without remembering all of them.
    fn looked_up(&self) -> &[Partition] {
        if self.walks.is_some() { &self.partitions[..1] } else { &self.partitions }
    }

    fn new(request: &Request<'_>) -> Result<Patterns, HeuristicError> {
        let puzzle = request.puzzle;
        if !puzzle.goal().free_vertices().is_empty() || puzzle.labels().is_empty() {
            return Err(HeuristicError::OtherPuzzles {
                heuristic: ENTRY.name,
                what: "goals that say where every token goes",
            });
        }
        let is_walk = puzzle.has_one_empty() && puzzle.has_distinct_labels();
        let symmetries = symmetries(puzzle.board());
        if !request.argument.is_empty() {
            let named = named(request, &symmetries)?;
            return Patterns::of(request, &named, &symmetries, is_walk);
        }
        let mut too_little = None;
        for kept in (1..=most_kept(puzzle, is_walk)).rev() {
            let chosen = cluster(puzzle, &default_sizes(puzzle, kept, is_walk), &symmetries);
            match Patterns::of(request, &[chosen], &symmetries, is_walk) {
                Err(HeuristicError::Stopped(Limit::Memory)) if kept > 1 => {
                    too_little = Some(request.resources.memory);
                }
                answer => return Ok(Patterns { too_little, ..answer? }),
            }
        }
        unreachable!("one token a part is tried last")
    }

    /// The pattern databases of these partitions; those of a single one also reflected.
    fn of(
        request: &Request<'_>,
        chosen: &[Vec<VertexSet>],
        symmetries: &[Permutation],
        is_walk: bool,
    ) -> Result<Patterns, HeuristicError> {
        let puzzle = request.puzzle;
        let mut held = Held { left: request.resources.memory, tables: Vec::new() };
        let reflected = match chosen {
            [chosen] => reflections(puzzle, chosen, symmetries),
            _ => Vec::new(),
        };
        let partitions = chosen
            .iter()
            .chain(&reflected)
            .map(|parts| Partition::new(request, parts, symmetries, is_walk, &mut held))
            .collect::<Result<Vec<_>, _>>()?;
        let walks =
            if is_walk { PatternWalks::new(&partitions, &request.resources.cache) } else { None };
        let argument = request.argument.to_owned();
        let patterns =
            Patterns { puzzle: puzzle.clone(), argument, too_little: None, partitions, walks };
        // Following them takes a little memory in addition to their distances.
        if patterns.bytes() > request.resources.memory {
            return Err(HeuristicError::Stopped(Limit::Memory));
        }
        Ok(patterns)
    }

    /// The argument that asks for these partitions, by their tokens.
    pub(super) fn named(&self) -> String {
        named_by_tokens(&self.puzzle, &self.partitions)
    }

    /// The arguments of other partitions into parts of the same sizes that are worth comparing, and
    /// the states of the tables that would have to be built for them. None if the tokens of these
    /// were named.
    pub(super) fn others(&self, resources: &Resources<'_>) -> (Vec<String>, f64) {
        let puzzle = &self.puzzle;
        if self.argument.contains(['+', '/', BETWEEN]) || self.walks.is_none() {
            return (Vec::new(), 0.0);
        }
        let sizes: Vec<usize> =
            self.partitions[0].places(puzzle).iter().map(|places| places.len()).collect();
        let symmetries = symmetries(puzzle.board());
        let mut others = good(puzzle, &sizes, &symmetries);
        others.drain(..others.len().min(1));
        let parts = others.iter().flatten().copied();
        let unbuilt = unbuilt_states_of(parts, puzzle, resources, &symmetries);
        (others.iter().map(|parts| names(puzzle, parts)).collect(), unbuilt)
    }

    /// The pattern databases of single partitions of several, given by their numbers, which are all
    /// of one puzzle.
    pub(super) fn of_partitions<'a>(
        chosen: impl IntoIterator<Item = (&'a Patterns, usize)>,
        cache: &TableCache,
    ) -> Option<Patterns> {
        let chosen: Vec<(&Patterns, usize)> = chosen.into_iter().collect();
        let partitions =
            chosen.iter().map(|&(patterns, number)| patterns.partitions.get(number).cloned());
        let partitions: Vec<Partition> = partitions.collect::<Option<_>>()?;
        let walks = Some(PatternWalks::new(&partitions, cache)?);
        let puzzle = chosen.first()?.0.puzzle.clone();
        let argument = named_by_tokens(&puzzle, &partitions);
        Some(Patterns { puzzle, argument, too_little: None, partitions, walks })
    }

    /// Returns whether they are what a puzzle and an argument ask for.
    fn are_of(&self, puzzle: &Puzzle, argument: &str, memory: u64) -> bool {
        self.argument == argument
            && self.puzzle.shares_goal_with(puzzle)
            && self.too_little.is_none_or(|too_little| too_little == memory)
            && self.bytes() <= memory
    }

    /// Bytes of its tables and of what is made of them.
    fn bytes(&self) -> u64 {
        Patterns::bytes_of([self])
    }

    /// Bytes of all tables of several and of what is made of them, each counted once.
    pub(crate) fn bytes_of<'a>(all: impl IntoIterator<Item = &'a Patterns>) -> u64 {
        let (mut tables, mut walks) = (Vec::<Arc<DistanceTable>>::new(), Vec::new());
        let mut bytes = 0;
        for patterns in all {
            for part in patterns.partitions.iter().flat_map(|partition| &partition.parts) {
                if !tables.iter().any(|known| Arc::ptr_eq(known, &part.table)) {
                    tables.push(Arc::clone(&part.table));
                    bytes += part.table.bytes();
                }
            }
            for part in patterns.walks.iter().flat_map(|walks| &walks.parts) {
                if !walks.contains(&Arc::as_ptr(&part.walk)) {
                    walks.push(Arc::as_ptr(&part.walk));
                    bytes += part.walk.bytes();
                }
            }
        }
        bytes + space_bytes(&tables)
    }
}

/// Reflections of a partition that keep the goal's empty vertices give other sums from the same
/// tables.
fn reflections(
    puzzle: &Puzzle,
    chosen: &[VertexSet],
    symmetries: &[Permutation],
) -> Vec<Vec<VertexSet>> {
    let empty = puzzle.goal().empty();
    let keeps_goal = |symmetry: &&Permutation| image(symmetry, empty) == empty;
    let reflect = |symmetry: &Permutation| -> Vec<VertexSet> {
        chosen.iter().map(|&places| image(symmetry, places)).collect()
    };
    let is_new = |reflected: &Vec<VertexSet>| {
        !reflected.iter().all(|other| chosen.contains(other))
            && reflected.iter().all(|&places| whole_labels(puzzle, places))
    };
    symmetries.iter().filter(keeps_goal).take(PARTITIONS).map(reflect).filter(is_new).collect()
}

/// The tokens of a partition as an argument names them.
fn names(puzzle: &Puzzle, parts: &[VertexSet]) -> String {
    let goal = puzzle.goal().labelled();
    let name = |vertex| goal.label_at(vertex).map_or("", |label| puzzle.labels().name(label));
    let part = |&places: &VertexSet| places.into_iter().map(name).collect::<Vec<_>>().join("+");
    parts.iter().map(part).collect::<Vec<_>>().join("/")
}

/// The argument that asks for partitions, by their tokens.
fn named_by_tokens(puzzle: &Puzzle, partitions: &[Partition]) -> String {
    let names = |partition: &Partition| names(puzzle, &partition.places(puzzle));
    partitions.iter().map(names).collect::<Vec<_>>().join(&BETWEEN.to_string())
}

/// Bytes of what numbers the states of tables.
fn space_bytes(tables: &[Arc<DistanceTable>]) -> u64 {
    Space::bytes_of(tables.iter().map(|table| table.space()))
}

/// The greatest number of partitions: the chosen one, and a reflected or another one.
pub(crate) const PARTITIONS: usize = 2;
/// Stands for the part of a label that is in none.
pub(crate) const NO_PART: u8 = 63;

fn image(symmetry: &Permutation, set: VertexSet) -> VertexSet {
    set.into_iter().filter_map(|vertex| Vertex::new(symmetry.image(vertex.index()))).collect()
}

/// Returns whether the tokens whose goals are these vertices are all of their labels.
fn whole_labels(puzzle: &Puzzle, places: VertexSet) -> bool {
    let goal = puzzle.goal().labelled();
    places.into_iter().all(|vertex| {
        goal.label_at(vertex).is_some_and(|label| goal.vertices_of(label).is_subset(places))
    })
}

impl Partition {
    /// The goal vertices of the tokens of each part.
    fn places(&self, puzzle: &Puzzle) -> Vec<VertexSet> {
        let mut places = vec![VertexSet::EMPTY; self.parts.len()];
        for ((label, _), part) in puzzle.labels().iter().zip(&self.part_of) {
            if let Some(part) = part {
                let part = &mut places[*part as usize];
                *part = *part | puzzle.goal().labelled().vertices_of(label);
            }
        }
        places
    }

    fn new(
        request: &Request<'_>,
        parts: &[VertexSet],
        symmetries: &[Permutation],
        is_walk: bool,
        held: &mut Held,
    ) -> Result<Partition, HeuristicError> {
        let puzzle = request.puzzle;
        let mut partition =
            Partition { parts: Vec::new(), part_of: vec![None; puzzle.labels().len()] };
        for (number, &places) in parts.iter().enumerate() {
            let part = Part::new(request, places, symmetries, is_walk, held)?;
            for vertex in places {
                if let Some(label) = puzzle.goal().labelled().label_at(vertex) {
                    partition.part_of[label.index()] = Some(number as u8);
                }
            }
            partition.parts.push(Arc::new(part));
        }
        Ok(partition)
    }
}

impl Heuristic for Arc<Patterns> {
    fn estimate(&self, state: &State) -> Option<u32> {
        let mut greatest = 0;
        for partition in self.looked_up() {
            let mut sum = 0;
            for part in &partition.parts {
                sum += part.table.distance(&part.seen(state))?;
            }
            greatest = greatest.max(sum);
        }
        Some(greatest)
    }

    fn after_move(&self, before: u32, state: &State, label: Label, mv: Move) -> Option<u32> {
        let mut next = *state;
        next.slide(mv);
        let [partition] = self.looked_up() else { return self.estimate(&next) };
        let Some(part) = partition.part_of[label.index()] else { return Some(before) };
        let part = &partition.parts[part as usize];
        let stored = |state: &State| {
            let seen = part.table.abstraction().of(&part.seen(state))?;
            part.table.stored(&seen).map(i32::from)
        };
        let (old, new) = (stored(state)?, stored(&next)?);
        let change = match part.table.encoding() {
            Encoding::Byte => new - old,
            Encoding::Mod3 => [0, 1, -1][(3 + new - old) as usize % 3],
        };
        before.checked_add_signed(change)
    }

    fn incremental(&self) -> Option<Incremental<'_>> {
        let patterns = |walks| IncrementalPatterns { patterns: self, walks, beside: Vec::new() };
        self.walks.as_ref().map(patterns).map(Incremental::Patterns)
    }

    fn bytes(&self) -> u64 {
        Patterns::bytes(self)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;
    use crate::heuristics::HeuristicChoice;

    /// A batch of puzzles with other goals does not hold the tables of all.
    #[test]
    fn remembered_tables_keep_to_the_memory() {
        let cache = Arc::new(TableCache::default());
        let known = cache.slot::<Remembered<Patterns>>();
        let held = || known.look(|all| Patterns::bytes_of(all.iter().map(|known| &**known)));
        let choice: HeuristicChoice = "patterns:4-4".parse().unwrap();
        let build = |goal: &str, memory: u64| {
            let line = format!("grid:3:3 8,6,7,2,5,4,3,0,1 -> {goal}");
            let puzzle = Puzzle::from_line(&line).unwrap();
            let resources = Resources { cache: Arc::clone(&cache), memory, ..Resources::default() };
            choice.build(&puzzle, &resources).unwrap();
        };
        // Other places of the empty vertex: goals that differ in tokens alone have the same tables.
        let goals =
            ["1,2,3,4,5,6,7,8,0", "1,2,3,4,5,6,7,0,8", "1,2,3,4,0,5,6,7,8", "1,2,3,4,5,0,6,7,8"];
        build(goals[0], u64::MAX);
        let one = held();
        assert!(one > 0);
        for (number, goal) in (1..).zip(goals) {
            build(goal, 2 * one);
            assert!(held() <= 2 * one, "{} bytes after {number} goals, {one} after one", held());
        }
        let all = known.look(VecDeque::len);
        for goal in goals {
            build(goal, u64::MAX);
        }
        let without_limit = known.look(VecDeque::len);
        assert!(all < without_limit, "{all} and {without_limit} goals");
        assert_eq!(without_limit, goals.len());
    }
}
