//! Graphs that are known by name.

use crate::text::parse_number;
use crate::vertex::MAX_VERTICES;

use super::BoardSpec;

/// A named graph, or a family of them with numbers in the name.
#[derive(Clone, Copy, Debug)]
pub struct NamedGraph {
    /// The name after `graph:`, with capital letters for numbers, as in `cycle-N`.
    pub name: &'static str,
    /// What it is, with its numbering where that is not obvious.
    pub summary: &'static str,
    /// Where it is from.
    pub source: &'static str,
    /// A name that can be typed as it is.
    pub example: &'static str,
    make: Make,
}

/// How a graph is made.
#[derive(Clone, Copy, Debug)]
enum Make {
    Edges(usize, &'static [[usize; 2]]),
    /// A Hamiltonian cycle, and for each of its vertices a chord that goes this many steps on: the
    /// notation of Lederberg, Coxeter and Frucht, repeated this many times.
    Lcf(&'static [i64], usize),
    /// From the numbers in the name; `None` if there is no such graph.
    Family(fn(&[usize]) -> Option<Graph>),
}

/// The number of vertices and the edges, which may be listed twice.
type Graph = (usize, Vec<[usize; 2]>);

/// All named graphs.
#[rustfmt::skip]
pub const NAMED_GRAPHS: &[NamedGraph] = &[
    NamedGraph { name: "theta0", summary: "Wilson's exceptional graph: the hexagon 0 to 5 and a seventh vertex between 0 and 3", source: "R. M. Wilson, Graph puzzles, homotopy, and the alternating group, J. Combin. Theory B 16 (1974)", example: "theta0", make: Make::Edges(7, &[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 0], [0, 6], [6, 3]]) },
    NamedGraph { name: "petersen", summary: "the pentagon 0 to 4 and the pentagram 5 to 9", source: "J. Petersen, L'Intermédiaire des Mathématiciens 5 (1898)", example: "petersen", make: Make::Family(|_| generalized_petersen(&[5, 2])) },
    NamedGraph { name: "k33", summary: "the complete bipartite graph of three houses and three utilities", source: "K. Kuratowski, Fund. Math. 15 (1930)", example: "k33", make: Make::Family(|_| complete_bipartite(&[3, 3])) },
    NamedGraph { name: "tetrahedron", summary: "the complete graph on 4 vertices", source: "Plato, Timaeus", example: "tetrahedron", make: Make::Family(|_| complete(&[4])) },
    NamedGraph { name: "cube", summary: "numbered as cube:3:1", source: "Plato, Timaeus", example: "cube", make: Make::Family(|_| hypercube(3)) },
    NamedGraph { name: "octahedron", summary: "three pairs of opposite vertices, 0-1, 2-3 and 4-5", source: "Plato, Timaeus", example: "octahedron", make: Make::Family(|_| multipartite(&[2, 2, 2])) },
    NamedGraph { name: "dodecahedron", summary: "20 vertices along a Hamiltonian cycle", source: "Plato, Timaeus; W. R. Hamilton's Icosian Game (1857)", example: "dodecahedron", make: Make::Lcf(&[10, 7, 4, -4, -7, 10, -4, 7, -7, 4], 2) },
    NamedGraph { name: "icosahedron", summary: "the poles 0 and 11, and the pentagons 1 to 5 and 6 to 10 between them", source: "Plato, Timaeus", example: "icosahedron", make: Make::Family(|_| icosahedron()) },
    NamedGraph { name: "truncated-tetrahedron", summary: "12 vertices along a Hamiltonian cycle", source: "Pappus, Collection V, of Archimedes' solids", example: "truncated-tetrahedron", make: Make::Lcf(&[2, 6, -2], 4) },
    NamedGraph { name: "cuboctahedron", summary: "the line graph of the cube", source: "Pappus, Collection V, of Archimedes' solids", example: "cuboctahedron", make: Make::Family(|_| cuboctahedron()) },
    NamedGraph { name: "heawood", summary: "the (3,6)-cage: points and lines of the Fano plane", source: "P. J. Heawood, Quart. J. Math. 24 (1890)", example: "heawood", make: Make::Lcf(&[5, -5], 7) },
    NamedGraph { name: "mobius-kantor", summary: "the generalized Petersen graph GP(8,3)", source: "H. S. M. Coxeter, Bull. Amer. Math. Soc. 56 (1950)", example: "mobius-kantor", make: Make::Family(|_| generalized_petersen(&[8, 3])) },
    NamedGraph { name: "pappus", summary: "points and lines of Pappus' configuration", source: "H. S. M. Coxeter, Bull. Amer. Math. Soc. 56 (1950)", example: "pappus", make: Make::Lcf(&[5, 7, -7, 7, -7, -5], 3) },
    NamedGraph { name: "desargues", summary: "the generalized Petersen graph GP(10,3)", source: "H. S. M. Coxeter, Bull. Amer. Math. Soc. 56 (1950)", example: "desargues", make: Make::Family(|_| generalized_petersen(&[10, 3])) },
    NamedGraph { name: "nauru", summary: "the generalized Petersen graph GP(12,5)", source: "R. M. Foster's census (1932)", example: "nauru", make: Make::Family(|_| generalized_petersen(&[12, 5])) },
    NamedGraph { name: "mcgee", summary: "the (3,7)-cage", source: "W. F. McGee, Canad. Math. Bull. 3 (1960)", example: "mcgee", make: Make::Lcf(&[12, 7, -7], 8) },
    NamedGraph { name: "tutte-coxeter", summary: "the (3,8)-cage", source: "W. T. Tutte, Proc. Cambridge Philos. Soc. 43 (1947)", example: "tutte-coxeter", make: Make::Lcf(&[-13, -9, 7, -7, 9, 13], 5) },
    NamedGraph { name: "franklin", summary: "a cubic graph that divides the Klein bottle into regions that need six colours", source: "P. Franklin, J. Math. Phys. 13 (1934)", example: "franklin", make: Make::Lcf(&[5, -5], 6) },
    NamedGraph { name: "frucht", summary: "one of the five smallest cubic graphs without symmetries", source: "R. Frucht, Canad. J. Math. 1 (1949)", example: "frucht", make: Make::Lcf(&[-5, -2, -4, 2, 5, -2, 2, 5, -2, -5, 4, 2], 1) },
    NamedGraph { name: "grotzsch", summary: "a triangle-free graph that needs four colours", source: "H. Grötzsch, Wiss. Z. Martin-Luther-Univ. 8 (1959); J. Mycielski, Colloq. Math. 3 (1955)", example: "grotzsch", make: Make::Family(|_| grotzsch()) },
    NamedGraph { name: "chvatal", summary: "the smallest triangle-free 4-regular graph that needs four colours", source: "V. Chvátal, J. Combin. Theory 9 (1970)", example: "chvatal", make: Make::Edges(12, &[[0, 1], [0, 4], [0, 6], [0, 9], [1, 2], [1, 5], [1, 7], [2, 3], [2, 6], [2, 8], [3, 4], [3, 7], [3, 9], [4, 5], [4, 8], [5, 10], [5, 11], [6, 10], [6, 11], [7, 8], [7, 11], [8, 10], [9, 10], [9, 11]]) },
    NamedGraph { name: "clebsch", summary: "the folded 5-cube: cube:4:1 with opposite vertices joined", source: "A. Clebsch (1868); J. J. Seidel, Linear Algebra Appl. 1 (1968)", example: "clebsch", make: Make::Family(|_| clebsch()) },
    NamedGraph { name: "shrikhande", summary: "torus:4:4 with one diagonal of each square", source: "S. S. Shrikhande, Ann. Math. Statist. 30 (1959)", example: "shrikhande", make: Make::Family(|_| shrikhande()) },
    NamedGraph { name: "hoffman-singleton", summary: "five pentagons and five pentagrams", source: "A. J. Hoffman, R. R. Singleton, IBM J. Res. Dev. 4 (1960)", example: "hoffman-singleton", make: Make::Family(|_| hoffman_singleton()) },
    NamedGraph { name: "moser-spindle", summary: "seven points at unit distances that need four colours", source: "L. Moser, W. Moser, Canad. Math. Bull. 4 (1961)", example: "moser-spindle", make: Make::Edges(7, &[[0, 1], [0, 2], [1, 2], [1, 3], [2, 3], [0, 4], [0, 5], [4, 5], [4, 6], [5, 6], [3, 6]]) },
    NamedGraph { name: "diamond", summary: "two triangles that share an edge", source: "ISGCI, the Information System on Graph Classes", example: "diamond", make: Make::Edges(4, &[[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]]) },
    NamedGraph { name: "bull", summary: "the triangle 0, 1, 2 with a horn on 1 and one on 2", source: "ISGCI, the Information System on Graph Classes", example: "bull", make: Make::Edges(5, &[[0, 1], [0, 2], [1, 2], [1, 3], [2, 4]]) },
    NamedGraph { name: "butterfly", summary: "two triangles that share vertex 0", source: "ISGCI, the Information System on Graph Classes", example: "butterfly", make: Make::Edges(5, &[[0, 1], [0, 2], [1, 2], [0, 3], [0, 4], [3, 4]]) },
    NamedGraph { name: "house", summary: "the square 0 to 3 with a roof, 4", source: "ISGCI, the Information System on Graph Classes", example: "house", make: Make::Edges(5, &[[0, 1], [1, 2], [2, 3], [3, 0], [2, 4], [3, 4]]) },
    NamedGraph { name: "complete-N", summary: "all pairs of N vertices", source: "F. Harary, Graph Theory (1969), chapter 2", example: "complete-5", make: Make::Family(complete) },
    NamedGraph { name: "complete-bipartite-M-N", summary: "M vertices, then N, and all pairs between them", source: "F. Harary, Graph Theory (1969), chapter 2", example: "complete-bipartite-2-3", make: Make::Family(complete_bipartite) },
    NamedGraph { name: "cycle-N", summary: "N vertices in a ring", source: "F. Harary, Graph Theory (1969), chapter 2", example: "cycle-6", make: Make::Family(cycle) },
    NamedGraph { name: "path-N", summary: "N vertices in a row", source: "F. Harary, Graph Theory (1969), chapter 2", example: "path-5", make: Make::Family(path) },
    NamedGraph { name: "star-N", summary: "N leaves around vertex 0", source: "F. Harary, Graph Theory (1969), chapter 2", example: "star-4", make: Make::Family(star) },
    NamedGraph { name: "wheel-N", summary: "a ring of N vertices around vertex 0", source: "F. Harary, Graph Theory (1969), chapter 5", example: "wheel-5", make: Make::Family(wheel) },
    NamedGraph { name: "theta-A-B-C", summary: "vertices 0 and 1, joined by three paths with A, B and C vertices between them; theta-1-2-2 is theta0", source: "R. M. Wilson (1974)", example: "theta-1-2-2", make: Make::Family(theta) },
    NamedGraph { name: "ladder-N", summary: "two rows of N vertices: grid:2:N", source: "F. Harary, Graph Theory (1969), chapter 2", example: "ladder-4", make: Make::Family(ladder) },
    NamedGraph { name: "prism-N", summary: "two rings of N vertices", source: "N. Biggs, Algebraic Graph Theory (1974)", example: "prism-5", make: Make::Family(|numbers| generalized_petersen(&[*numbers.first()?, 1])) },
    NamedGraph { name: "antiprism-N", summary: "two rings of N vertices, each adjacent to two of the other ring", source: "N. Biggs, Algebraic Graph Theory (1974)", example: "antiprism-4", make: Make::Family(antiprism) },
    NamedGraph { name: "mobius-ladder-N", summary: "a ring of 2N vertices with opposite ones joined", source: "R. K. Guy, F. Harary, Canad. Math. Bull. 10 (1967)", example: "mobius-ladder-4", make: Make::Family(mobius_ladder) },
    NamedGraph { name: "generalized-petersen-N-K", summary: "a ring of N vertices, and N more joined in steps of K", source: "M. E. Watkins, J. Combin. Theory 6 (1969)", example: "generalized-petersen-7-2", make: Make::Family(generalized_petersen) },
    NamedGraph { name: "knight-R-C", summary: "the moves of a knight on R rows of C squares", source: "P. Guarini di Forlì (1512)", example: "knight-3-3", make: Make::Family(|numbers| leaper(numbers, [(1, 2), (2, 1), (2, -1), (1, -2)])) },
    NamedGraph { name: "king-R-C", summary: "the moves of a king on R rows of C squares", source: "J. J. Watkins, Across the Board (2004)", example: "king-3-3", make: Make::Family(|numbers| leaper(numbers, [(0, 1), (1, 0), (1, 1), (1, -1)])) },
];

/// Returns the graph of this name, or `None` if there is none. The names are those of
/// [`NAMED_GRAPHS`] with numbers in place of capital letters; the graph has at most 64 vertices.
///
/// ```
/// let petersen = hyperslide_puzzle::named_graph("petersen").unwrap();
/// assert!(petersen.to_string().starts_with("graph:10:0-1,"));
/// assert!(hyperslide_puzzle::named_graph("cycle-65").is_none());
/// ```
pub fn named_graph(name: &str) -> Option<BoardSpec> {
    let (vertices, edges) = NAMED_GRAPHS.iter().find_map(|graph| graph.named(name))?;
    if !(1..=MAX_VERTICES).contains(&vertices) {
        return None;
    }
    let mut edges: Vec<[usize; 2]> =
        edges.into_iter().map(|[a, b]| if a > b { [b, a] } else { [a, b] }).collect();
    edges.sort_unstable();
    edges.dedup();
    Some(BoardSpec::Graph { vertices, edges })
}

/// Returns the parametrised entry of [`NAMED_GRAPHS`] that a name matches apart from the values of
/// its numbers.
pub fn named_family(name: &str) -> Option<&'static NamedGraph> {
    let is_number = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
    let matches = |words: Vec<&str>| !words.is_empty() && words.iter().all(is_number);
    NAMED_GRAPHS.iter().find(|graph| graph.parameters(name).is_some_and(matches))
}

impl NamedGraph {
    /// Returns the words that stand for this entry's parameters, if the name is otherwise its own.
    fn parameters<'n>(&self, name: &'n str) -> Option<Vec<&'n str>> {
        let (mut ours, mut words) = (self.name.split('-'), name.split('-'));
        let mut parameters = Vec::new();
        loop {
            match (ours.next(), words.next()) {
                (None, None) => return Some(parameters),
                (Some(ours), Some(word)) if ours.bytes().all(|byte| byte.is_ascii_uppercase()) => {
                    parameters.push(word);
                }
                (Some(ours), Some(word)) if ours == word => {}
                _ => return None,
            }
        }
    }

    /// Makes the graph if the name is of this entry.
    fn named(&self, name: &str) -> Option<Graph> {
        // No board has more vertices, so that no product of two numbers overflows.
        let number = |word| parse_number(word).filter(|&number| number <= MAX_VERTICES);
        let numbers: Vec<usize> =
            self.parameters(name)?.into_iter().map(number).collect::<Option<_>>()?;
        match self.make {
            Make::Edges(vertices, edges) => Some((vertices, edges.to_vec())),
            Make::Lcf(chords, times) => Some(lcf(chords, times)),
            Make::Family(make) => make(&numbers),
        }
    }
}

fn lcf(chords: &[i64], times: usize) -> Graph {
    let vertices = chords.len() * times;
    let chord = |v: usize| (v as i64 + chords[v % chords.len()]).rem_euclid(vertices as i64);
    let edges = (0..vertices).flat_map(|v| [[v, (v + 1) % vertices], [v, chord(v) as usize]]);
    (vertices, edges.collect())
}

/// The pairs of `0..count` for which a relation holds.
fn pairs(count: usize, joined: impl Fn(usize, usize) -> bool) -> Vec<[usize; 2]> {
    let all = (0..count).flat_map(|a| (a + 1..count).map(move |b| [a, b]));
    all.filter(|&[a, b]| joined(a, b)).collect()
}

fn complete(numbers: &[usize]) -> Option<Graph> {
    let &[n] = numbers else { return None };
    Some((n, pairs(n, |_, _| true)))
}

fn multipartite(sizes: &[usize]) -> Option<Graph> {
    let parts: Vec<usize> =
        sizes.iter().enumerate().flat_map(|(part, &size)| vec![part; size]).collect();
    Some((parts.len(), pairs(parts.len(), |a, b| parts[a] != parts[b])))
}

fn complete_bipartite(numbers: &[usize]) -> Option<Graph> {
    if numbers.contains(&0) { None } else { multipartite(numbers) }
}

fn ring(first: usize, count: usize) -> impl Iterator<Item = [usize; 2]> {
    (0..count).map(move |i| [first + i, first + (i + 1) % count])
}

fn cycle(numbers: &[usize]) -> Option<Graph> {
    let &[n] = numbers else { return None };
    (n >= 3).then(|| (n, ring(0, n).collect()))
}

fn path(numbers: &[usize]) -> Option<Graph> {
    let &[n] = numbers else { return None };
    (n >= 1).then(|| (n, (1..n).map(|v| [v - 1, v]).collect()))
}

fn star(numbers: &[usize]) -> Option<Graph> {
    let &[n] = numbers else { return None };
    Some((n + 1, (1..=n).map(|leaf| [0, leaf]).collect()))
}

fn wheel(numbers: &[usize]) -> Option<Graph> {
    let &[n] = numbers else { return None };
    (n >= 3).then(|| (n + 1, ring(1, n).chain((1..=n).map(|v| [0, v])).collect()))
}

fn theta(numbers: &[usize]) -> Option<Graph> {
    // At most one path is an edge: a graph has no second edge between two vertices.
    if numbers.len() != 3 || numbers.iter().filter(|&&between| between == 0).count() > 1 {
        return None;
    }
    let (mut next, mut edges) = (2, Vec::new());
    for &between in numbers {
        let inner = next..next + between;
        let path: Vec<usize> = [0].into_iter().chain(inner).chain([1]).collect();
        edges.extend(path.windows(2).map(|step| [step[0], step[1]]));
        next += between;
    }
    Some((next, edges))
}

fn ladder(numbers: &[usize]) -> Option<Graph> {
    let &[n] = numbers else { return None };
    let rails = (1..n).flat_map(|v| [[v - 1, v], [n + v - 1, n + v]]);
    (n >= 1).then(|| (2 * n, rails.chain((0..n).map(|v| [v, n + v])).collect()))
}

fn antiprism(numbers: &[usize]) -> Option<Graph> {
    let &[n] = numbers else { return None };
    let between = (0..n).flat_map(|v| [[v, n + v], [v, n + (v + 1) % n]]);
    (n >= 3).then(|| (2 * n, ring(0, n).chain(ring(n, n)).chain(between).collect()))
}

fn mobius_ladder(numbers: &[usize]) -> Option<Graph> {
    let &[n] = numbers else { return None };
    (n >= 2).then(|| (2 * n, ring(0, 2 * n).chain((0..n).map(|v| [v, v + n])).collect()))
}

fn generalized_petersen(numbers: &[usize]) -> Option<Graph> {
    let &[n, k] = numbers else { return None };
    let inner = (0..n).map(|v| [n + v, n + (v + k) % n]);
    let is_one = n >= 3 && k >= 1 && 2 * k < n;
    is_one.then(|| (2 * n, ring(0, n).chain((0..n).map(|v| [v, n + v])).chain(inner).collect()))
}

fn hypercube(d: usize) -> Option<Graph> {
    Some((1 << d, pairs(1 << d, |a, b| (a ^ b).count_ones() == 1)))
}

fn icosahedron() -> Option<Graph> {
    let (_, between) = antiprism(&[5])?;
    let caps = (0..5).flat_map(|v| [[0, 1 + v], [11, 6 + v]]);
    Some((12, between.into_iter().map(|[a, b]| [a + 1, b + 1]).chain(caps).collect()))
}

/// Two edges of the cube are joined if they share a vertex and lie on one square; any two edges at
/// a vertex do.
fn cuboctahedron() -> Option<Graph> {
    let (_, edges) = hypercube(3)?;
    let share = |a: usize, b: usize| edges[a].iter().any(|end| edges[b].contains(end));
    Some((12, pairs(12, share)))
}

/// The pentagon 0 to 4, a copy 5 to 9 of each vertex that adjoins its neighbours, and 10, which
/// adjoins the copies (Mycielski's construction).
fn grotzsch() -> Option<Graph> {
    let copies = ring(0, 5).flat_map(|[a, b]| [[a, 5 + b], [b, 5 + a]]);
    Some((11, ring(0, 5).chain(copies).chain((5..10).map(|copy| [copy, 10])).collect()))
}

fn clebsch() -> Option<Graph> {
    Some((16, pairs(16, |a, b| matches!((a ^ b).count_ones(), 1 | 4))))
}

fn shrikhande() -> Option<Graph> {
    let joined = |a: usize, b: usize| {
        let (rows, columns) = ((b / 4 + 4 - a / 4) % 4, (b % 4 + 4 - a % 4) % 4);
        matches!((rows, columns), (0, 1 | 3) | (1, 0 | 1) | (3, 0 | 3))
    };
    Some((16, pairs(16, joined)))
}

/// Vertex j of pentagon h adjoins vertex h i + j of pentagram i (Robertson's construction).
fn hoffman_singleton() -> Option<Graph> {
    let mut edges = Vec::new();
    for part in 0..5 {
        edges.extend(ring(5 * part, 5));
        edges.extend((0..5).map(|j| [25 + 5 * part + j, 25 + 5 * part + (j + 2) % 5]));
        for i in 0..5 {
            edges.extend((0..5).map(|j| [5 * part + j, 25 + 5 * i + (part * i + j) % 5]));
        }
    }
    Some((50, edges))
}

/// Squares that a piece joins by leaps of these rows and columns.
fn leaper(numbers: &[usize], leaps: [(i64, i64); 4]) -> Option<Graph> {
    let &[rows, columns] = numbers else { return None };
    if rows * columns > MAX_VERTICES || rows * columns == 0 {
        return None;
    }
    let joined = |a: usize, b: usize| {
        let row = (b / columns) as i64 - (a / columns) as i64;
        let column = (b % columns) as i64 - (a % columns) as i64;
        leaps.contains(&(row, column))
    };
    Some((rows * columns, pairs(rows * columns, joined)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Board, Metric, symmetry_group};

    /// The length of a shortest cycle, by breadth-first search from every vertex.
    fn girth(vertices: usize, edges: &[[usize; 2]]) -> Option<usize> {
        let mut least: Option<usize> = None;
        for &[a, b] in edges {
            // A shortest path between the ends of an edge without it closes a cycle.
            let (mut seen, mut layer, mut length) = (vec![false; vertices], vec![a], 1);
            seen[a] = true;
            while !layer.is_empty() && !seen[b] {
                let mut next = Vec::new();
                for &v in &layer {
                    for &[x, y] in edges.iter().filter(|&&edge| edge != [a, b]) {
                        for (from, to) in [(x, y), (y, x)] {
                            if from == v && !seen[to] {
                                seen[to] = true;
                                next.push(to);
                            }
                        }
                    }
                }
                layer = next;
                length += 1;
            }
            if seen[b] {
                least = Some(least.map_or(length, |known| known.min(length)));
            }
        }
        least
    }

    #[test]
    fn every_graph_is_what_the_literature_says() {
        // Vertices, edges, girth (0 for none) and the order of the automorphism group, from House
        // of Graphs, Foster's census and the papers.
        for (name, vertices, edges, girth_of, order) in [
            ("theta0", 7, 8, 5, 4u32),
            ("theta-1-2-2", 7, 8, 5, 4),
            ("petersen", 10, 15, 5, 120),
            ("generalized-petersen-7-2", 14, 21, 5, 14),
            ("k33", 6, 9, 4, 72),
            ("tetrahedron", 4, 6, 3, 24),
            ("cube", 8, 12, 4, 48),
            ("octahedron", 6, 12, 3, 48),
            ("dodecahedron", 20, 30, 5, 120),
            ("icosahedron", 12, 30, 3, 120),
            ("truncated-tetrahedron", 12, 18, 3, 24),
            ("cuboctahedron", 12, 24, 3, 48),
            ("heawood", 14, 21, 6, 336),
            ("mobius-kantor", 16, 24, 6, 96),
            ("pappus", 18, 27, 6, 216),
            ("desargues", 20, 30, 6, 240),
            ("nauru", 24, 36, 6, 144),
            ("mcgee", 24, 36, 7, 32),
            ("tutte-coxeter", 30, 45, 8, 1440),
            ("franklin", 12, 18, 4, 48),
            ("frucht", 12, 18, 3, 1),
            ("grotzsch", 11, 20, 4, 10),
            ("chvatal", 12, 24, 4, 8),
            ("clebsch", 16, 40, 4, 1920),
            ("shrikhande", 16, 48, 3, 192),
            ("hoffman-singleton", 50, 175, 5, 252_000),
            ("moser-spindle", 7, 11, 3, 8),
            ("diamond", 4, 5, 3, 4),
            ("bull", 5, 5, 3, 2),
            ("butterfly", 5, 6, 3, 8),
            ("house", 5, 6, 3, 2),
            ("complete-5", 5, 10, 3, 120),
            ("complete-bipartite-2-3", 5, 6, 4, 12),
            ("cycle-6", 6, 6, 6, 12),
            ("path-5", 5, 4, 0, 2),
            ("star-4", 5, 4, 0, 24),
            ("wheel-5", 6, 10, 3, 10),
            ("ladder-4", 8, 10, 4, 4),
            ("prism-5", 10, 15, 4, 20),
            ("antiprism-4", 8, 16, 3, 16),
            ("mobius-ladder-4", 8, 12, 4, 16),
            ("knight-3-3", 9, 8, 8, 16),
            ("king-3-3", 9, 20, 3, 8),
        ] {
            let spec = named_graph(name).unwrap_or_else(|| panic!("{name}"));
            let BoardSpec::Graph { edges: ref found, .. } = spec else { panic!("{name}") };
            let girth = girth(vertices, found).unwrap_or(0);
            let board = Board::new(spec.clone(), Metric::Face).unwrap();
            let symmetries = symmetry_group(&board).order;
            assert_eq!(
                (board.vertex_count(), found.len(), girth, symmetries),
                (vertices, edges, girth_of, order.into()),
                "{name}"
            );
        }
    }

    #[test]
    fn every_entry_has_an_example_and_names_are_not_ambiguous() {
        for graph in NAMED_GRAPHS {
            assert!(named_graph(graph.example).is_some(), "{}", graph.name);
            let of_others =
                NAMED_GRAPHS.iter().filter(|other| other.named(graph.example).is_some()).count();
            assert_eq!(of_others, 1, "{}", graph.example);
        }
        for none in [
            "cycle-2",
            "cycle-65",
            "cycle-",
            "cycle",
            "petersen-5",
            "star-64",
            "knight-9-9",
            "",
            "theta-0-0-3",
            "cycle--3",
            "knight-0-5",
            "complete-0",
        ] {
            assert!(named_graph(none).is_none(), "{none}");
        }
    }
}
