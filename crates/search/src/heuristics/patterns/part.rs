//! One part of a partition: which table it has, and how that is seen through a symmetry of the
//! board.

use std::io::ErrorKind;
use std::sync::Arc;

use hyperslide_puzzle::{Arrangement, Label, Permutation, Puzzle, Setup, State, Vertex, VertexSet};
use hyperslide_table::{
    Abstraction, BuildOptions, DistanceTable, Encoding, Rest, SearchOptions, Signals, TableError,
};

use super::super::{HeuristicError, Request};
use super::{ENTRY, image, space_bytes};
use crate::outcome::Limit;

/// One set of tokens, seen through a symmetry of the board.
pub(super) struct Part {
    pub table: Arc<DistanceTable>,
    /// For each vertex of the puzzle the vertex of the table's.
    pub vertices: Permutation,
    /// For each label of the puzzle that of the table's puzzle; those that are not kept have that
    /// of the rest, or none.
    pub labels: Vec<Option<Label>>,
}

impl Part {
    /// The part of the tokens whose goals are these vertices.
    pub fn new(
        request: &Request<'_>,
        places: VertexSet,
        symmetries: &[Permutation],
        is_walk: bool,
        held: &mut Held,
    ) -> Result<Part, HeuristicError> {
        if let Some(reason) = request.resources.watch().reason() {
            return Err(HeuristicError::Stopped(reason.into()));
        }
        let pattern = pattern(request.puzzle, places, symmetries, is_walk)?;
        let Pattern { abstraction, encoding, vertices, labels } = pattern;
        let table = table(request, abstraction, encoding, held.left)?;
        held.add(&table)?;
        Ok(Part { table, vertices, labels })
    }

    /// What the table's puzzle has for a state.
    pub fn seen(&self, state: &State) -> State {
        let token = |(vertex, label): (Vertex, Label)| {
            Some((self.image(vertex), self.labels[label.index()]?))
        };
        state.tokens().filter_map(token).collect()
    }

    pub fn image(&self, vertex: Vertex) -> Vertex {
        Vertex::new(self.vertices.image(vertex.index())).expect("a symmetry keeps the board")
    }
}

/// The memory that the tables used so far leave free.
pub(super) struct Held {
    pub left: u64,
    pub tables: Vec<Arc<DistanceTable>>,
}

impl Held {
    /// Counts a table that was not counted before, and what is made of it to be followed slide by
    /// slide.
    fn add(&mut self, table: &Arc<DistanceTable>) -> Result<(), HeuristicError> {
        if self.tables.iter().any(|known| Arc::ptr_eq(known, table)) {
            return Ok(());
        }
        let copies = if table.encoding() == Encoding::Mod3 { 2 } else { 1 };
        let spaces = space_bytes(&self.tables);
        self.tables.push(Arc::clone(table));
        let bytes = copies * table.bytes() + space_bytes(&self.tables) - spaces;
        let left = self.left.checked_sub(bytes);
        self.left = left.ok_or(HeuristicError::Stopped(Limit::Memory))?;
        Ok(())
    }
}

/// What the table of a part is of, and how the part is seen through a symmetry of the board.
pub(super) struct Pattern {
    pub abstraction: Abstraction,
    pub encoding: Encoding,
    /// As those of [`Part`].
    vertices: Permutation,
    labels: Vec<Option<Label>>,
}

/// The pattern of the tokens whose goals are these vertices: the first of all that symmetries of
/// the board make of it.
pub(super) fn pattern(
    puzzle: &Puzzle,
    places: VertexSet,
    symmetries: &[Permutation],
    is_walk: bool,
) -> Result<Pattern, HeuristicError> {
    let (board, goal) = (puzzle.board(), puzzle.goal());
    let kept: Vec<Label> = puzzle
        .labels()
        .iter()
        .map(|(label, _)| label)
        .filter(|&label| goal.labelled().vertices_of(label).is_subset(places))
        .collect();
    let rest = goal.labelled().occupied() - places;
    let is_absent = !is_walk && !fits_free(board.vertex_count(), places.len(), rest.len());
    // Where the empty vertex can go without moving a kept token is all that matters of it.
    let empty = if is_walk { region_of(puzzle, places) } else { goal.empty() };
    let key = |symmetry: &Permutation| {
        let mut sets: Vec<VertexSet> =
            kept.iter().map(|&label| image(symmetry, goal.labelled().vertices_of(label))).collect();
        sets.sort_unstable();
        let empty = if is_absent { VertexSet::EMPTY } else { image(symmetry, empty) };
        (sets, empty)
    };
    let vertices = symmetries.iter().min_by_key(|symmetry| key(symmetry));
    let vertices = *vertices.expect("the identity is a symmetry");
    let (sets, empty) = key(&vertices);
    // The kept tokens of the table are called 1, 2, ... in the order of their sets, the rest x.
    let write = |set: VertexSet| {
        set.into_iter().map(|v| v.index().to_string()).collect::<Vec<_>>().join("+")
    };
    let names: Vec<String> = (1..=sets.len()).map(|number| number.to_string()).collect();
    let mut entries: Vec<String> =
        names.iter().zip(&sets).map(|(name, &set)| format!("{name}={}", write(set))).collect();
    let all_kept = sets.iter().fold(VertexSet::EMPTY, |all, &set| all | set);
    let empties = if is_walk {
        empty.lowest().map_or(VertexSet::EMPTY, VertexSet::single)
    } else {
        image(&vertices, goal.empty())
    };
    let others = board.vertex_set() - all_kept - empties;
    let has_rest = !is_absent && !others.is_empty();
    if has_rest {
        entries.push(format!("x={}", write(others)));
    }
    let failed = |problem: String| HeuristicError::Table { heuristic: ENTRY.name, problem };
    let arrangement: Arrangement = entries
        .join(",")
        .parse()
        .map_err(|error: hyperslide_puzzle::NotationError| failed(error.to_string()))?;
    let setup = Setup { start: arrangement.clone(), goal: Some(arrangement) };
    let pattern = Puzzle::new(board.clone(), &setup).map_err(|error| failed(error.to_string()))?;
    let labels = puzzle
        .labels()
        .iter()
        .map(|(label, _)| {
            let set = image(&vertices, goal.labelled().vertices_of(label));
            match sets.iter().position(|&other| other == set) {
                Some(number) => pattern.labels().find(&names[number]),
                None => pattern.labels().find("x"),
            }
        })
        .collect();
    let abstraction = if has_rest {
        Abstraction::new(&pattern, &names, &[], Rest::Free)
    } else {
        Abstraction::whole(&pattern)
    };
    let abstraction = abstraction.map_err(|error| failed(error.to_string()))?;
    let encoding = if is_walk && has_rest { Encoding::Mod3 } else { Encoding::Byte };
    Ok(Pattern { abstraction, encoding, vertices, labels })
}

/// Returns whether all places of the other tokens can be distinguished.
fn fits_free(vertices: usize, kept: usize, rest: usize) -> bool {
    const SETS: f64 = 2e6;
    const STATES: f64 = 1e8;
    let choose =
        |n: usize, k: usize| -> f64 { (0..k).map(|i| (n - i) as f64 / (i + 1) as f64).product() };
    let sets = choose(vertices, kept) * choose(vertices - kept, rest);
    let arrangements: f64 = (1..=kept).map(|n| n as f64).product();
    sets <= SETS && sets * arrangements <= STATES
}

/// Where the empty vertex can go from its goal when no token is on its way but those on `places`.
fn region_of(puzzle: &Puzzle, places: VertexSet) -> VertexSet {
    let board = puzzle.board();
    let mut region = puzzle.goal().empty();
    let mut open: Vec<Vertex> = region.into_iter().collect();
    while let Some(vertex) = open.pop() {
        for next in board.lone_destinations(vertex) - places - region {
            region.insert(next);
            open.push(next);
        }
    }
    region
}

fn table(
    request: &Request<'_>,
    abstraction: Abstraction,
    encoding: Encoding,
    memory: u64,
) -> Result<Arc<DistanceTable>, HeuristicError> {
    let resources = request.resources;
    let options = BuildOptions {
        encoding,
        memory,
        search: SearchOptions { threads: resources.threads, ..SearchOptions::default() },
        ..BuildOptions::default()
    };
    let watch = resources.watch();
    // One layer, and the numbering of the states before the first, may take longer than is left.
    let table = watch
        .during(|stop| resources.cache.store().get(abstraction, &options, &Signals::new(stop)));
    table.map_err(|error| match error {
        // Where no limit was reached the system had no thread to watch for one.
        TableError::Cancelled => {
            HeuristicError::Stopped(watch.reason().map_or(Limit::Memory, Limit::from))
        }
        TableError::Read { source, .. } | TableError::Io { source, .. }
            if source.kind() == ErrorKind::OutOfMemory =>
        {
            HeuristicError::Stopped(Limit::Memory)
        }
        TableError::Memory { .. } => HeuristicError::Stopped(Limit::Memory),
        error => HeuristicError::Table { heuristic: ENTRY.name, problem: error.to_string() },
    })
}
