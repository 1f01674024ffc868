//! Which tokens share a pattern database: as the user names them, as good partitions are known, or
//! by how close their goals are.

use std::cmp::Reverse;

use hyperslide_puzzle::{
    BoardSpec, LoneTokenDistances, Permutation, Puzzle, Vertex, VertexSet, shorten,
};

use super::super::{HeuristicError, Request};
use super::{BETWEEN, ENTRY, PARTITIONS, image};

/// The goal vertices of the tokens of each part, for each partition that the argument asks for.
pub(super) fn named(
    request: &Request<'_>,
    symmetries: &[Permutation],
) -> Result<Vec<Vec<VertexSet>>, HeuristicError> {
    let Request { argument, .. } = *request;
    if argument.matches(BETWEEN).count() >= PARTITIONS {
        return Err(HeuristicError::Argument {
            heuristic: ENTRY.name,
            argument: argument.to_owned(),
            problem: format!("write at most {PARTITIONS} partitions"),
        });
    }
    let partition = |argument| named_partition(&Request { argument, ..*request }, symmetries);
    argument.split(BETWEEN).map(partition).collect()
}

/// The same for one partition.
fn named_partition(
    request: &Request<'_>,
    symmetries: &[Permutation],
) -> Result<Vec<VertexSet>, HeuristicError> {
    let Request { puzzle, argument, .. } = *request;
    let goal = puzzle.goal().labelled();
    let wrong = |problem: String| HeuristicError::Argument {
        heuristic: ENTRY.name,
        argument: argument.to_owned(),
        problem,
    };
    let sizes: Option<Vec<usize>> = argument.split('-').map(|size| size.parse().ok()).collect();
    let tokens = goal.occupied().len();
    if let Some(sizes) = sizes.filter(|sizes| argument.contains('-') || sizes == &[tokens]) {
        let sum = sizes.iter().fold(0usize, |sum, &size| sum.saturating_add(size));
        if sum != tokens || sizes.contains(&0) {
            return Err(wrong(format!(
                "the sizes add up to {sum}: write parts of at least 1 that add up to {tokens}, the number of tokens"
            )));
        }
        if !puzzle.has_distinct_labels() {
            return Err(wrong("some tokens are alike: name the tokens of each part".to_owned()));
        }
        return Ok(cluster(puzzle, &sizes, symmetries));
    }
    let mut parts = Vec::new();
    let mut named = VertexSet::EMPTY;
    for part in argument.split('/') {
        let mut places = VertexSet::EMPTY;
        for name in part.split('+') {
            let Some(label) = puzzle.labels().find(name) else {
                let name = shorten(name);
                return Err(wrong(format!("it has no token {name}: write 1+2/3+4")));
            };
            if !(goal.vertices_of(label) & named).is_empty() {
                return Err(wrong(format!("token {name} is listed twice: name it once")));
            }
            places = places | goal.vertices_of(label);
            named = named | places;
        }
        parts.push(places);
    }
    Ok(parts)
}

/// How many tokens a part has at most, when nobody says it.
pub(super) fn most_kept(puzzle: &Puzzle, is_walk: bool) -> usize {
    /// States of a table for a walk: a six-token one of the 24-puzzle has 127.5 million without
    /// regions.
    const WALK_STATES: f64 = 1.3e8;
    /// States of another table, at a byte each.
    const STATES: f64 = 2e7;
    /// Kept tokens at most.
    const MOST: usize = 6;

    let vertices = puzzle.board().vertex_count();
    let tokens = puzzle.goal().labelled().occupied().len();
    let most_states = if is_walk { WALK_STATES } else { STATES };
    let fits = |&kept: &usize| placements(vertices, kept) <= most_states;
    (1..=tokens.min(MOST)).rev().find(fits).unwrap_or(1)
}

/// How many ways there are to put `kept` tokens on vertices.
pub(super) fn placements(vertices: usize, kept: usize) -> f64 {
    (vertices - kept + 1..=vertices).map(|count| count as f64).product()
}

/// How many tokens each part has when it has at most `kept`.
pub(super) fn default_sizes(puzzle: &Puzzle, kept: usize, is_walk: bool) -> Vec<usize> {
    let tokens = puzzle.goal().labelled().occupied().len();
    if is_walk {
        // As many full parts as there are, and the rest.
        let mut sizes = vec![kept; tokens / kept];
        sizes.extend(Some(tokens % kept).filter(|&rest| rest > 0));
        return sizes;
    }
    let parts = tokens.div_ceil(kept);
    (0..parts).map(|part| (tokens + part) / parts).collect()
}

/// Partitions that are known to be good, by the goal vertices of their parts, the empty vertex
/// being the last. The first with its sizes is followed; long searches compare all of them.
const CATALOGUE: &[(usize, usize, &[&[usize]])] = &[
    // Found by exchanging tokens, like those without a source below (docs/decisions/0008).
    (4, 4, &[&[3, 6, 7, 10, 11, 14], &[4, 5, 8, 9, 12, 13], &[0, 1, 2]]),
    // Felner, Korf and Hanan 2004, turned round.
    (4, 4, &[&[0, 4, 5, 8, 9, 12], &[6, 7, 10, 11, 13, 14], &[1, 2, 3]]),
    (4, 4, &[&[0, 1, 4, 5, 8, 9], &[7, 10, 11, 12, 13, 14], &[2, 3, 6]]),
    (4, 4, &[&[0, 1, 4, 5, 6, 8], &[9, 10, 11, 12, 13, 14], &[2, 3, 7]]),
    (4, 4, &[&[0, 1, 4, 5, 8, 9, 12, 13], &[2, 3, 6, 7, 10, 11, 14]]),
    // Korf and Felner 2002, turned round.
    (
        5,
        5,
        &[
            &[0, 1, 2, 5, 6, 7],
            &[3, 4, 8, 9, 13, 14],
            &[10, 11, 15, 16, 20, 21],
            &[12, 17, 18, 19, 22, 23],
        ],
    ),
    (
        5,
        5,
        &[
            &[17, 18, 19, 21, 22, 23],
            &[10, 11, 12, 15, 16, 20],
            &[3, 4, 8, 9, 13, 14],
            &[0, 1, 2, 5, 6, 7],
        ],
    ),
    (
        5,
        5,
        &[
            &[14, 17, 18, 19, 22, 23],
            &[10, 11, 15, 16, 20, 21],
            &[3, 4, 8, 9, 12, 13],
            &[0, 1, 2, 5, 6, 7],
        ],
    ),
    (
        5,
        5,
        &[
            &[17, 18, 19, 21, 22, 23],
            &[0, 5, 10, 15, 16, 20],
            &[3, 4, 8, 9, 13, 14],
            &[1, 2, 6, 7, 11, 12],
        ],
    ),
];

/// How many partitions are compared on boards that the catalogue does not have.
const CLUSTERINGS: usize = 4;

/// The partition into parts of these sizes that is followed first: the best one known, or one whose
/// goals are close together.
pub(super) fn cluster(
    puzzle: &Puzzle,
    sizes: &[usize],
    symmetries: &[Permutation],
) -> Vec<VertexSet> {
    let known = catalogued(puzzle, sizes, symmetries).into_iter().next();
    known.unwrap_or_else(|| Clustering::new(puzzle).parts(sizes, 0))
}

/// Partitions into parts of these sizes that are worth comparing, that of [`cluster`] being the
/// first.
pub(super) fn good(
    puzzle: &Puzzle,
    sizes: &[usize],
    symmetries: &[Permutation],
) -> Vec<Vec<VertexSet>> {
    let mut good = catalogued(puzzle, sizes, symmetries);
    if good.is_empty() {
        let clustering = Clustering::new(puzzle);
        for turn in 0..CLUSTERINGS {
            let parts = clustering.parts(sizes, turn);
            let is_same = |known: &Vec<VertexSet>| parts.iter().all(|part| known.contains(part));
            if !good.iter().any(is_same) {
                good.push(parts);
            }
        }
    }
    good
}

/// The partitions of the catalogue into parts of these sizes.
fn catalogued(puzzle: &Puzzle, sizes: &[usize], symmetries: &[Permutation]) -> Vec<Vec<VertexSet>> {
    let BoardSpec::Grid { rows, columns } = *puzzle.board().spec() else { return Vec::new() };
    let last = Vertex::new(puzzle.board().vertex_count() - 1).map(VertexSet::single);
    let turned = symmetries.iter().find(|s| Some(image(s, puzzle.goal().empty())) == last);
    let Some(turned) = turned.filter(|_| puzzle.has_distinct_labels()) else { return Vec::new() };
    let back = turned.inverse();
    let sorted = |mut sizes: Vec<usize>| {
        sizes.sort_unstable();
        sizes
    };
    let wanted = sorted(sizes.to_vec());
    let set = |part: &&[usize]| {
        let places = part.iter().filter_map(|&v| Vertex::new(v)).collect();
        image(&back, places)
    };
    let is_wanted = |&&(of_rows, of_columns, parts): &&(usize, usize, &[&[usize]])| {
        (rows, columns) == (of_rows, of_columns)
            && sorted(parts.iter().map(|part| part.len()).collect()) == wanted
    };
    let wanted = CATALOGUE.iter().filter(is_wanted);
    wanted.map(|(_, _, parts)| parts.iter().map(set).collect()).collect()
}

/// Divides tokens into parts whose goals are close together.
struct Clustering {
    distances: LoneTokenDistances,
    /// The goals of each label, since tokens with one label stay together.
    goals: Vec<VertexSet>,
}

impl Clustering {
    fn new(puzzle: &Puzzle) -> Clustering {
        let goal = puzzle.goal().labelled();
        let goals = puzzle.labels().iter().map(|(label, _)| goal.vertices_of(label));
        let mut goals: Vec<VertexSet> = goals.collect();
        goals.sort_unstable();
        Clustering { distances: LoneTokenDistances::new(puzzle.board()), goals }
    }

    /// The sum of the squared distances between vertices of two sets.
    fn between(&self, a: VertexSet, b: VertexSet) -> u32 {
        let pairs = a.into_iter().flat_map(|v| b.into_iter().map(move |w| (v, w)));
        pairs.map(|(v, w)| u32::from(self.distances.get(v, w)).pow(2)).sum()
    }

    /// Where a part begins: at the edge, with the goals that are farthest from all others that are
    /// left.
    fn edge(&self, left: &[VertexSet]) -> Option<VertexSet> {
        let far = |&places: &VertexSet| {
            let sum: u32 = left.iter().map(|&other| self.between(places, other)).sum();
            (sum / places.len().max(1) as u32, Reverse(places))
        };
        left.iter().copied().max_by_key(far)
    }

    /// Parts of these sizes. Each turn begins far from where those before it begin.
    fn parts(&self, sizes: &[usize], turn: usize) -> Vec<VertexSet> {
        let mut left = self.goals.clone();
        let mut begun: Vec<VertexSet> = self.edge(&left).into_iter().collect();
        for _ in 0..turn {
            let far = |&places: &VertexSet| {
                let nearest = begun.iter().map(|&other| self.between(places, other)).min();
                (nearest, Reverse(places))
            };
            begun.extend(left.iter().copied().max_by_key(far));
        }
        let mut first = begun.pop();
        let mut parts = Vec::new();
        for &size in sizes {
            let Some(mut part) = first.take().or_else(|| self.edge(&left)) else { break };
            left.retain(|&other| other != part);
            while part.len() < size {
                let near =
                    |&(_, &places): &(usize, &VertexSet)| (self.between(part, places), places);
                let Some((next, _)) = left.iter().enumerate().min_by_key(near) else { break };
                part = part | left.remove(next);
            }
            parts.push(part);
        }
        parts.extend(left);
        parts
    }
}
