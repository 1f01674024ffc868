//! Which tokens make the prefix of a block, the words of its runs, and the bits of its words.

use hyperslide_puzzle::{Label, Permutation, State, Vertex, VertexSet};

use super::space::QuotientError;

/// Prefix tokens at most: their positions are packed into one word.
const MAX_PREFIX: usize = 10;
/// Lane tokens at least, where there are as many: with fewer, words would be nearly empty.
const MIN_LANES: usize = 4;
/// Orbits of labels for which all divisions are tried.
const MAX_ORBITS: usize = 10;
/// Word tokens at most: a run has a word for each of their orders.
const MAX_WORD_TOKENS: usize = 6;

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

    /// Chooses the division with the most states in a word, then the most in a block; `None` if the
    /// orbits of labels allow none with [`MIN_LANES`].
    ///
    /// # Errors
    ///
    /// Returns an error if there are fewer than two tokens.
    pub fn choose(
        start: &State,
        symmetries: &[Permutation],
    ) -> Result<Option<Division>, QuotientError> {
        let orbits = orbits(start, symmetries);
        let tokens = start.occupied().len();
        if tokens < 2 {
            return Err(QuotientError::TooFewTokens);
        }
        if symmetries.len() == 1 {
            let mut labels: Vec<Label> = start.tokens().map(|(_, label)| label).collect();
            let rest = labels.split_off(tokens.saturating_sub(5 + MAX_WORD_TOKENS));
            let (lanes, words) = rest.split_at(rest.len().min(5));
            let division = Division { prefix: labels, lanes: lanes.into(), words: words.into() };
            return Ok((division.prefix.len() <= MAX_PREFIX).then_some(division));
        }
        if orbits.len() > MAX_ORBITS {
            return Ok(None);
        }
        let mut best: Option<((usize, usize), Division)> = None;
        // Each orbit is of one of three kinds.
        for choice in 0..3usize.pow(orbits.len() as u32) {
            let mut division = Division { prefix: vec![], lanes: vec![], words: vec![] };
            let mut rest = choice;
            for orbit in &orbits {
                let part = match rest % 3 {
                    0 => &mut division.prefix,
                    1 => &mut division.words,
                    _ => &mut division.lanes,
                };
                part.extend(orbit);
                rest /= 3;
            }
            let (lanes, words) = (division.lanes.len(), division.words.len());
            let fits =
                lanes <= 5 && words <= MAX_WORD_TOKENS && division.prefix.len() <= MAX_PREFIX;
            if !fits || lanes < tokens.min(MIN_LANES) {
                continue;
            }
            if best.as_ref().is_none_or(|(value, _)| (lanes, words) > *value) {
                best = Some(((lanes, words), division));
            }
        }
        Ok(best.map(|(_, division)| division))
    }
}

/// The orbits of the labels: a symmetry moves labels as it moves the start's vertices. Their order is
/// that of the vertices, so that names of labels make no difference.
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
