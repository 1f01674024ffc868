//! The numbers of move sequences: the counts of a file, each with its origin, and random puzzles.

use std::collections::BTreeMap;

use hyperslide_puzzle::{BoardSpec, Puzzle, perft};
use hyperslide_testkit::{PlainPuzzle, Random, random_puzzle};
use serde::Deserialize;

/// A start with the numbers of its move sequences, as `data/perft.toml` describes them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    puzzle: String,
    origin: Origin,
    source: Option<String>,
    /// The number of sequences of 1, 2, 3, ... moves.
    counts: Vec<u128>,
}

#[derive(Deserialize, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "lowercase")]
enum Origin {
    Walk,
    Lone,
    Published,
    Stuck,
    Enumerated,
}

fn cases() -> Vec<(Case, Puzzle)> {
    #[derive(Deserialize)]
    struct File {
        case: Vec<Case>,
    }
    let file: File = toml::from_str(include_str!("data/perft.toml")).unwrap();
    let read = |case: Case| {
        let puzzle = Puzzle::from_line(&case.puzzle)
            .unwrap_or_else(|error| panic!("{}: {error}", case.puzzle));
        (case, puzzle)
    };
    file.case.into_iter().map(read).collect()
}

/// Counts sequences one by one through the moves of the plain solver.
fn enumerate(plain: &PlainPuzzle, cells: &Vec<Option<usize>>, length: usize) -> u128 {
    if length == 0 {
        return 1;
    }
    let after = |(from, to): (usize, usize)| {
        let mut next = cells.clone();
        next[to] = next[from].take();
        enumerate(plain, &next, length - 1)
    };
    plain.moves(cells).into_iter().map(after).sum()
}

fn cells(puzzle: &Puzzle) -> Vec<Option<usize>> {
    PlainPuzzle::cells(puzzle.start(), puzzle.board().vertex_count())
}

/// The walks of a given length of the only empty vertex along the board's edges.
fn walks(puzzle: &Puzzle, length: usize) -> u128 {
    let plain = PlainPuzzle::new(puzzle);
    let cells = cells(puzzle);
    // On a graph a lone token moves along an edge.
    let neighbours = |vertex: usize| {
        let mut alone = vec![None; cells.len()];
        alone[vertex] = Some(0);
        plain.moves(&alone).into_iter().map(|(_, to)| to)
    };
    let mut walks: Vec<u128> = cells.iter().map(|cell| u128::from(cell.is_none())).collect();
    assert_eq!(walks.iter().sum::<u128>(), 1, "{puzzle} has one empty vertex");
    for _ in 0..length {
        let mut next = vec![0; walks.len()];
        for (vertex, &count) in walks.iter().enumerate() {
            neighbours(vertex).for_each(|neighbour| next[neighbour] += count);
        }
        walks = next;
    }
    walks.into_iter().sum()
}

/// The number of vertices that a lone token on a cube can slide to.
fn degree_on_cube(puzzle: &Puzzle) -> u128 {
    let BoardSpec::Cube { d, k } = *puzzle.board().spec() else {
        panic!("{puzzle} is not on a cube")
    };
    let binomial =
        |chosen: usize| (0..chosen).fold(1, |b, i| b * (d - i) as u128 / (i as u128 + 1));
    (1..=k).map(binomial).sum()
}

#[test]
fn the_counts_of_the_file_are_found() {
    for (case, puzzle) in cases() {
        for (length, &count) in (1..).zip(&case.counts) {
            assert_eq!(perft(puzzle.board(), puzzle.start(), length), count, "{puzzle} {length}");
        }
    }
}

#[test]
fn the_counts_of_the_file_have_their_origin() {
    let mut origins = BTreeMap::new();
    for (case, puzzle) in cases() {
        *origins.entry(case.origin).or_insert(0) += 1;
        assert_eq!(case.source.is_some(), case.origin == Origin::Published, "{puzzle}");
        for (length, &count) in (1..).zip(&case.counts) {
            let expected = match case.origin {
                Origin::Walk => walks(&puzzle, length),
                Origin::Lone => degree_on_cube(&puzzle).pow(length as u32),
                Origin::Stuck => 0,
                Origin::Published | Origin::Enumerated => continue,
            };
            assert_eq!(count, expected, "{puzzle} {length}");
        }
    }
    assert!(origins.len() == 5 && origins.values().all(|&cases| cases >= 2), "{origins:?}");
}

#[test]
fn a_plain_enumerator_finds_the_counts_of_the_file() {
    const MOST: u128 = 10_000;
    for (case, puzzle) in cases() {
        let plain = PlainPuzzle::new(&puzzle);
        for (length, &count) in (1..).zip(&case.counts).filter(|&(_, &count)| count <= MOST) {
            assert_eq!(enumerate(&plain, &cells(&puzzle), length), count, "{puzzle} {length}");
        }
    }
}

#[test]
fn a_plain_enumerator_counts_the_same_from_random_starts() {
    let mut random = Random::new(1907);
    for _ in 0..300 {
        let puzzle = random_puzzle(&mut random);
        let plain = PlainPuzzle::new(&puzzle);
        for length in 0..=3 {
            let found = perft(puzzle.board(), puzzle.start(), length as u32);
            assert_eq!(found, enumerate(&plain, &cells(&puzzle), length), "{puzzle} {length}");
        }
    }
}
