//! Which tokens make the prefix of a block, the words of its runs, and the bits of its words.

use hyperslide_puzzle::{Label, Permutation, State, Vertex, VertexSet};
use rustc_hash::{FxHashMap, FxHashSet};

use super::blocks::BlockFiles;
use super::space::QuotientError;
use crate::layout::{BlockLayout, Parity};

/// The greatest number of prefix tokens: their positions are packed into one word.
pub(super) const MAX_PREFIX: usize = 10;
/// The greatest number of lane tokens: a word has a bit for each of their orders, or for each
/// even one.
const MAX_LANES: usize = 5;
/// The greatest number of word tokens: a run has a word for each of their orders.
const MAX_WORD_TOKENS: usize = 6;
/// What a block costs in addition to its bytes, as bytes of a file: memory for its number, slides
/// and counts, and the time in which it is found, queued and read.
const BYTES_OF_BLOCK: u64 = 16 << 10;
/// Computing this many bytes of a block costs as much as storing one.
const COMPUTED_BYTES: u64 = 4;
/// The greatest order of a group whose subgroups are tried.
const MAX_GROUP: usize = 400;
/// The greatest number of subgroups that are tried.
const MAX_SUBGROUPS: usize = 2000;

/// A division of the tokens that the symmetries respect: each of the three lists is a union of
/// orbits of labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Division {
    /// Tokens whose positions are the same in all states of a block.
    pub prefix: Vec<Label>,
    /// Tokens whose order is a bit of a word.
    pub lanes: Vec<Label>,
    /// Tokens whose order is a word of a run.
    pub words: Vec<Label>,
}

impl Division {
    /// The labels of a row: the lane tokens first.
    pub fn rest(&self) -> Vec<Label> {
        self.lanes.iter().chain(&self.words).copied().collect()
    }

    /// Chooses the subgroup of the symmetries and the division that it respects for which all
    /// states cost least, then the longest runs. `parity` says which rows occur.
    ///
    /// # Errors
    ///
    /// Returns an error if there are fewer than two tokens, or too many for one word of prefix.
    pub fn choose(
        start: &State,
        symmetries: &[Permutation],
        parity: Parity,
    ) -> Result<(Division, Vec<Permutation>), QuotientError> {
        if start.occupied().len() < 2 {
            return Err(QuotientError::TooFewTokens);
        }
        let mut best: Option<((f64, usize), Division, Vec<Permutation>)> = None;
        for subgroup in subgroups(symmetries) {
            let subgroup: Vec<Permutation> =
                subgroup.into_iter().map(|number| symmetries[number]).collect();
            let Some(division) = Division::of_orbits(&orbits(start, &subgroup)) else {
                continue;
            };
            let Some(cost) = division.cost_of_state(parity) else { continue };
            let cost = cost / subgroup.len() as f64;
            let words = division.words.len();
            if best
                .as_ref()
                .is_none_or(|((least, most), ..)| cost < *least || cost == *least && words > *most)
            {
                best = Some(((cost, words), division, subgroup));
            }
        }
        let (_, division, subgroup) = best.ok_or(QuotientError::TooManyTokens)?;
        Ok((division, subgroup))
    }

    /// What a block costs for each of its states, in bytes of a file; `None` if it is too large.
    fn cost_of_state(&self, parity: Parity) -> Option<f64> {
        let tokens = self.lanes.len() + self.words.len();
        let layout = BlockLayout::of_distinct(tokens, self.lanes.len(), parity)?;
        let cost =
            BlockFiles::slot_bytes(&layout) + layout.bytes() / COMPUTED_BYTES + BYTES_OF_BLOCK;
        Some(cost as f64 / layout.arrangements() as f64)
    }

    /// The division into unions of orbits with the most lane tokens, then the most word tokens; of
    /// equal ones that with the last orbits as lanes, so that the first are the prefix.
    fn of_orbits(orbits: &[Vec<Label>]) -> Option<Division> {
        let mut best: Option<((usize, usize), Division)> = None;
        let mut lanes = Vec::new();
        lane_choices(orbits, orbits.len(), MAX_LANES, &mut lanes, &mut |lanes| {
            let lane_tokens = tokens(orbits, lanes);
            let is_worse = best.as_ref().is_some_and(|((count, _), _)| lane_tokens < *count);
            if lane_tokens < 2 || is_worse {
                return;
            }
            // The sums that the other orbits make, each with the orbits that make it.
            let mut sums: [Option<Vec<usize>>; MAX_WORD_TOKENS + 1] = Default::default();
            sums[0] = Some(Vec::new());
            for orbit in (0..orbits.len()).rev().filter(|orbit| !lanes.contains(orbit)) {
                for sum in (0..=MAX_WORD_TOKENS).rev() {
                    let larger = sum + orbits[orbit].len();
                    if larger <= MAX_WORD_TOKENS && sums[larger].is_none() {
                        let Some(mut words) = sums[sum].clone() else { continue };
                        words.push(orbit);
                        sums[larger] = Some(words);
                    }
                }
            }
            let words = sums.into_iter().flatten().next_back().unwrap_or_default();
            let value = (lane_tokens, tokens(orbits, &words));
            let count = orbits.iter().map(Vec::len).sum::<usize>() - value.0 - value.1;
            if count > MAX_PREFIX || best.as_ref().is_some_and(|(other, _)| value <= *other) {
                return;
            }
            let of = |is_in: &dyn Fn(usize) -> bool| {
                let orbits = orbits.iter().enumerate().filter(|&(orbit, _)| is_in(orbit));
                orbits.flat_map(|(_, labels)| labels.iter().copied()).collect()
            };
            let division = Division {
                prefix: of(&|orbit| !lanes.contains(&orbit) && !words.contains(&orbit)),
                lanes: of(&|orbit| lanes.contains(&orbit)),
                words: of(&|orbit| words.contains(&orbit)),
            };
            best = Some((value, division));
        });
        best.map(|(_, division)| division)
    }
}

fn tokens(orbits: &[Vec<Label>], chosen: &[usize]) -> usize {
    chosen.iter().map(|&orbit| orbits[orbit].len()).sum()
}

/// Visits all sets of the orbits below `end` with at most `room` tokens, the last orbits first.
fn lane_choices(
    orbits: &[Vec<Label>],
    end: usize,
    room: usize,
    chosen: &mut Vec<usize>,
    visit: &mut impl FnMut(&[usize]),
) {
    visit(chosen);
    for orbit in (0..end).rev().filter(|&orbit| orbits[orbit].len() <= room) {
        chosen.push(orbit);
        lane_choices(orbits, orbit, room - orbits[orbit].len(), chosen, visit);
        chosen.pop();
    }
}

/// The subgroups of a group, by the numbers of their elements in rising order; the group itself
/// first, and only it and the subgroup of the identity where it has more than [`MAX_GROUP`]
/// elements.
fn subgroups(group: &[Permutation]) -> Vec<Vec<usize>> {
    let all: Vec<usize> = (0..group.len()).collect();
    let mut found = vec![all, vec![0]];
    found.dedup();
    if group.len() > MAX_GROUP {
        return found;
    }
    let numbers: FxHashMap<&Permutation, usize> = group.iter().zip(0..).collect();
    let products: Vec<Vec<usize>> = group
        .iter()
        .map(|first| group.iter().map(|second| numbers[&first.then(second)]).collect())
        .collect();
    let mut known: FxHashSet<Vec<usize>> = found.iter().cloned().collect();
    // Each subgroup is that of the identity, extended by one element at a time.
    let mut next = found.len() - 1;
    while next < found.len() {
        let subgroup = found[next].clone();
        next += 1;
        for element in (0..group.len()).filter(|element| subgroup.binary_search(element).is_err()) {
            let extended = generated(&products, &subgroup, element);
            if known.insert(extended.clone()) {
                found.push(extended);
            }
            if found.len() >= MAX_SUBGROUPS {
                return found;
            }
        }
    }
    found
}

/// The subgroup that a subgroup and one more element generate.
fn generated(products: &[Vec<usize>], subgroup: &[usize], element: usize) -> Vec<usize> {
    let mut is_in = vec![false; products.len()];
    let mut elements = vec![0];
    is_in[0] = true;
    let mut next = 0;
    while next < elements.len() {
        for &generator in subgroup.iter().chain([&element]) {
            let product = products[elements[next]][generator];
            if !std::mem::replace(&mut is_in[product], true) {
                elements.push(product);
            }
        }
        next += 1;
    }
    elements.sort_unstable();
    elements
}

/// The orbits of the labels: a symmetry moves labels as it moves the start's vertices. Their order
/// is that of the vertices, so that names of labels make no difference.
fn orbits(start: &State, symmetries: &[Permutation]) -> Vec<Vec<Label>> {
    let mut orbits: Vec<Vec<Label>> = Vec::new();
    for (vertex, label) in start.tokens() {
        if orbits.iter().flatten().any(|&other| other == label) {
            continue;
        }
        let images =
            symmetries.iter().filter_map(|symmetry| Vertex::new(symmetry.image(vertex.index())));
        let images: VertexSet = images.collect();
        orbits.push(images.into_iter().filter_map(|image| start.label_at(image)).collect());
    }
    orbits
}

#[cfg(test)]
mod tests {
    use hyperslide_puzzle::{Board, BoardSpec, Metric, symmetry_group};

    use super::*;

    #[test]
    fn all_subgroups_are_found() {
        // The dihedral group of order 8 has 10 subgroups, and the symmetries of the cube, of order
        // 48, have 98.
        let grid = Board::new(BoardSpec::Grid { rows: 3, columns: 3 }, Metric::Face).unwrap();
        let cube = Board::new(BoardSpec::Cube { d: 3, k: 1 }, Metric::Face).unwrap();
        for (board, order, count) in [(grid, 8, 10), (cube, 48, 98)] {
            let group = symmetry_group(&board).elements(board.vertex_count(), 100).unwrap();
            let subgroups = subgroups(&group);
            assert_eq!((group.len(), subgroups.len()), (order, count));
            assert!(subgroups.iter().all(|subgroup| order % subgroup.len() == 0));
        }
    }

    #[test]
    fn symmetries_are_given_up_where_blocks_would_be_tiny() {
        // All 32 symmetries that fix these empty vertices leave four tokens to a block: one word,
        // so that there are a thousand million blocks of a page each.
        let board = Board::new(BoardSpec::Cube { d: 4, k: 1 }, Metric::Face).unwrap();
        let vertices = [0, 3, 12, 15].map(|vertex| Vertex::new(vertex).unwrap());
        let empty: VertexSet = vertices.into_iter().collect();
        let tokens = (board.vertex_set() - empty).into_iter().zip((0..).filter_map(Label::new));
        let start: State = tokens.collect();
        let fixes = |symmetry: &Permutation| {
            vertices
                .iter()
                .all(|vertex| empty.contains(Vertex::new(symmetry.image(vertex.index())).unwrap()))
        };
        let all = symmetry_group(&board).elements(board.vertex_count(), 1000).unwrap();
        let fixing: Vec<Permutation> = all.into_iter().filter(fixes).collect();
        assert_eq!(fixing.len(), 32);
        assert_eq!(Division::of_orbits(&orbits(&start, &fixing)).unwrap().words, []);
        let (division, subgroup) = Division::choose(&start, &fixing, Parity::Both).unwrap();
        assert_eq!(subgroup.len(), 8);
        assert_eq!((division.lanes.len(), division.words.len()), (5, 6));
    }

    #[test]
    fn lanes_are_filled_before_words() {
        let labels = |range: std::ops::Range<usize>| range.filter_map(Label::new).collect();
        let orbits: Vec<Vec<Label>> = vec![labels(0..4), labels(4..7), labels(7..9), labels(9..15)];
        let division = Division::of_orbits(&orbits).unwrap();
        assert_eq!(division.prefix, orbits[0]);
        assert_eq!(division.lanes, labels(4..9));
        assert_eq!(division.words, orbits[3]);
    }
}
