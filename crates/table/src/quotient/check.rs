//! What is checked of a layer before it is committed.

use std::collections::BTreeSet;
use std::ops::Range;

use hyperslide_puzzle::{Board, BoardSpec, Label, State, Vertex};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::blocks::Buffer;
use super::error::FilesError;
use super::search::QuotientSearch;
use crate::layout::Place;

/// Blocks that are drawn from those of a layer.
const BLOCKS: usize = 2;
/// Drawn states of a layer whose inverses are looked up, each of which takes a block to be read.
const INVERSES: usize = 64;

/// A place of a block of one side, of which is asked whether its state was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Question {
    side: u32,
    block: u32,
    /// The word of the block, and the bit of the word.
    word: u32,
    lane: u32,
}

/// A drawn state.
struct Drawn {
    block: usize,
    is_reached: bool,
    /// The questions about the states from which a slide leads to it.
    neighbours: Range<usize>,
    /// The question about its inverse.
    inverse: Option<usize>,
}

impl QuotientSearch<'_> {
    /// Computes drawn states of the new side again, one by one from the rule, without symmetries of
    /// blocks, shifts or vector code. Where the graph is a Cayley graph, also checks that a state
    /// and its inverse have been reached at the same time. Of several processes, each draws states
    /// of its own blocks, `completed`, and they answer each other's questions.
    pub(super) fn check(
        &self,
        layer: u32,
        side: usize,
        completed: &[usize],
    ) -> Result<(), FilesError> {
        if self.options.checks == 0 {
            return Ok(());
        }
        let seed = u64::from(layer) | (self.share.process as u64) << 32;
        let mut random = SplitMix64::seed_from_u64(seed);
        let (mut drawn, mut questions) = (Vec::new(), Vec::new());
        for _ in 0..BLOCKS.min(completed.len()) {
            let block = random.next_u64() % completed.len() as u64;
            let block = completed[block as usize];
            let target = self.read(side, block)?;
            let wrong = || FilesError::Differs { layer, block };
            for number in 0..self.options.checks / BLOCKS {
                let Some(place) = self.draw(&target, number % 2 == 0, &mut random) else {
                    continue;
                };
                let state = self.space.state_at(block, place);
                let first = questions.len();
                for neighbour in self.neighbours(&state) {
                    questions.push(self.question(1 - side, &neighbour).ok_or_else(wrong)?);
                }
                let neighbours = first..questions.len();
                let inverse = (number < INVERSES / BLOCKS)
                    .then(|| inverse_state(self.space.board(), self.space.start(), &state))
                    .flatten();
                let inverse = match inverse {
                    Some(inverse) => {
                        questions.push(self.question(side, &inverse).ok_or_else(wrong)?);
                        Some(questions.len() - 1)
                    }
                    None => None,
                };
                let is_reached = self.bit(&target, place);
                drawn.push(Drawn { block, is_reached, neighbours, inverse });
            }
            self.files.recycle(target);
        }
        let answers = self.answers(&questions)?;
        for Drawn { block, is_reached, neighbours, inverse } in drawn {
            let is_reached_again = answers[neighbours].contains(&true);
            let is_inverse_reached = inverse.map_or(is_reached, |inverse| answers[inverse]);
            if is_reached_again != is_reached || is_inverse_reached != is_reached {
                return Err(FilesError::Differs { layer, block });
            }
        }
        Ok(())
    }

    /// The states from which one step of the search leads to a state.
    fn neighbours(&self, state: &State) -> Vec<State> {
        let moves = self.space.board().legal_moves(state).into_iter();
        let moves = moves.filter(|mv| !self.space.walls().contains(mv.from));
        let mut neighbours: Vec<State> = moves
            .map(|mv| {
                let mut neighbour = *state;
                neighbour.slide(mv);
                neighbour
            })
            .collect();
        // Where there are two copies, what was visited before stays visited.
        if !self.sides.is_in_place() {
            neighbours.push(*state);
        }
        neighbours
    }

    /// The question about a state; `None` if it is not numbered.
    fn question(&self, side: usize, state: &State) -> Option<Question> {
        let (block, place) = self.space.locate(state)?;
        let word = u64::from(place.run) * self.space.layout().words() + u64::from(place.word);
        Some(Question {
            side: side as u32,
            block: block as u32,
            word: word as u32,
            lane: place.lane,
        })
    }

    /// Returns whether the states in question were reached.
    fn answers(&self, questions: &[Question]) -> Result<Vec<bool>, FilesError> {
        let Some(peers) = &self.options.peers else { return self.own_answers(questions) };
        let wrong = |process| FilesError::Disagree { process };
        let all = peers.gather(bytemuck::cast_slice(questions).to_vec())?;
        let mut own = Vec::new();
        for bytes in &all {
            let asked = bytes.chunks_exact(size_of::<Question>());
            let asked: Vec<Question> = asked.map(bytemuck::pod_read_unaligned).collect();
            let is_own = |question: &&Question| self.owner(question) == self.share.process;
            own.extend(
                self.own_answers(&asked.iter().filter(is_own).copied().collect::<Vec<_>>())?,
            );
        }
        let own = own.into_iter().map(u8::from).collect();
        let answers = peers.gather(own)?;
        // The answers of each process, those to this one's questions after those to the ones
        // before.
        let mut next = vec![0; answers.len()];
        for (asking, bytes) in all.iter().enumerate().take(self.share.process) {
            let asked = bytes.chunks_exact(size_of::<Question>());
            for question in asked.map(bytemuck::pod_read_unaligned::<Question>) {
                let process = self.owner(&question);
                *next.get_mut(process).ok_or_else(|| wrong(asking))? += 1;
            }
        }
        questions
            .iter()
            .map(|question| {
                let process = self.owner(question);
                let answer = answers[process].get(next[process]).ok_or_else(|| wrong(process))?;
                next[process] += 1;
                Ok(*answer != 0)
            })
            .collect()
    }

    fn owner(&self, question: &Question) -> usize {
        self.share.owner(question.side as usize, question.block as usize)
    }

    /// The answers to questions about blocks of this process, each of which is read once.
    fn own_answers(&self, questions: &[Question]) -> Result<Vec<bool>, FilesError> {
        let mut order: Vec<usize> = (0..questions.len()).collect();
        order.sort_unstable_by_key(|&number| questions[number]);
        let block = |&number: &usize| (questions[number].side, questions[number].block);
        let mut answers = vec![false; questions.len()];
        for same in order.chunk_by(|first, second| block(first) == block(second)) {
            let (side, number) = block(&same[0]);
            let buffer = self.read(side as usize, number as usize)?;
            for &number in same {
                let Question { word, lane, .. } = questions[number];
                answers[number] = buffer.words()[word as usize] >> lane & 1 == 1;
            }
            self.files.recycle(buffer);
        }
        Ok(answers)
    }

    /// Draws a place of a block: any, or one of a state that was reached, of which there are few at
    /// first. `None` if there is none.
    fn draw(&self, block: &Buffer, is_reached: bool, random: &mut SplitMix64) -> Option<Place> {
        let layout = self.space.layout();
        let mut below = |limit: u64| random.next_u64() % limit;
        let mut place = Place {
            run: below(layout.runs()) as u32,
            word: below(layout.words()) as u32,
            lane: below(layout.lanes()) as u32,
        };
        if is_reached {
            let words = block.words();
            let first = (u64::from(place.run) * layout.words() + u64::from(place.word)) as usize;
            let mut following = (0..words.len()).map(|step| (first + step) % words.len());
            let word = following.find(|&word| words[word] != 0)?;
            place = Place {
                run: (word as u64 / layout.words()) as u32,
                word: (word as u64 % layout.words()) as u32,
                lane: words[word].trailing_zeros(),
            };
        }
        Some(place)
    }
}

/// Returns the inverse of a state, which is equally far from the start, where the graph is a Cayley
/// graph: on cubes with k = 1, tokens with distinct labels and one empty vertex; `None` elsewhere.
///
/// Translations of the cube make the empty vertex the origin. In these coordinates a slide is
/// always one of d permutations, each its own inverse, together with a step of the empty vertex. So
/// a state is a permutation of positions and a position of the empty vertex; its inverse is the
/// inverse permutation and the same position, and a shortest way to one is a shortest way to the
/// other, reversed.
pub fn inverse_state(board: &Board, start: &State, state: &State) -> Option<State> {
    let BoardSpec::Cube { k: 1, .. } = board.spec() else { return None };
    let labels: BTreeSet<Label> = start.tokens().map(|(_, label)| label).collect();
    if labels.len() < start.occupied().len() {
        return None;
    }
    let empty = |state: &State| {
        let empty = board.vertex_set() - state.occupied();
        (empty.len() == 1).then(|| empty.lowest()).flatten()
    };
    let (origin, own) = (empty(start)?.index(), empty(state)?.index());
    let mut inverse = State::EMPTY;
    for (vertex, label) in state.tokens() {
        let position = vertex.index() ^ own;
        let home = start.vertices_of(label).lowest()?.index() ^ origin;
        let other = start.label_at(Vertex::new(position ^ origin)?)?;
        inverse.place(Vertex::new(home ^ own)?, other);
    }
    Some(inverse)
}

#[cfg(test)]
mod tests {
    use hyperslide_puzzle::Puzzle;

    use super::*;

    #[test]
    fn only_states_of_distinct_tokens_have_inverses() {
        let puzzle = |board: &str, state: &str| {
            Puzzle::from_line(&format!("{board} {state} -> {state}")).unwrap()
        };
        let inverse = |board: &str, state: &str| {
            let puzzle = puzzle(board, state);
            inverse_state(puzzle.board(), puzzle.start(), puzzle.start())
        };
        let distinct = *puzzle("cube:2:1", "a=0,b=1,c=2").start();
        assert_eq!(inverse("cube:2:1", "a=0,b=1,c=2"), Some(distinct));
        assert_eq!(inverse("cube:2:1", "a=0+1,b=2"), None);
        assert_eq!(inverse("cube:3:2", "a=0,b=1,c=2,d=3,e=4,f=5,g=6"), None);
    }
}
