//! A home for each token where labels repeat, for heuristics that need to know where each token has
//! to go.

use hyperslide_puzzle::{
    Arrangement, EMPTY, LoneTokenDistances, MAX_VERTICES, Puzzle, Setup, State, Vertex, VertexSet,
};

use super::learned_weights::{Built, Cells};
use super::{Heuristic, Incremental};
use crate::engine::cells::state_on;

/// The homes of the tokens of a puzzle with repeated labels: 16 KB.
///
/// Which token has which home of its label is a matter of each state: the sum of distances is the
/// least there is.
pub(crate) struct TokenHomes {
    /// The same puzzle with a label for each token.
    puzzle: Puzzle,
    /// What each token's label is called in the original.
    labels: Cells,
    /// What it costs on each vertex to have the home of each token: above all the distance from
    /// there. Of two ways with the same sum the more equal ones are cheaper, since then neither
    /// token has to pass the other.
    costs: Vec<[i32; MAX_VERTICES]>,
}

impl TokenHomes {
    /// For a puzzle with repeated labels whose goal places every token.
    pub fn new(original: &Puzzle) -> Option<TokenHomes> {
        /// The cost of a step; the square of a distance is less.
        const STEP: i32 = 1 << 16;

        if original.has_distinct_labels() || original.free_tokens() > 0 {
            return None;
        }
        let board = original.board();
        let mut homes: Vec<_> = original.goal().labelled().tokens().collect();
        homes.sort_by_key(|&(_, label)| label);
        let mut labels = [0; MAX_VERTICES];
        for (name, &(_, label)) in labels.iter_mut().zip(&homes) {
            *name = label.index() as u8;
        }
        let distances = LoneTokenDistances::new(board);
        let costs = board.vertices().map(|vertex| {
            let mut row = [0; MAX_VERTICES];
            for (cost, &(home, _)) in row.iter_mut().zip(&homes) {
                let steps = i32::from(distances.get(vertex, home));
                *cost = steps * STEP + steps * steps;
            }
            row
        });
        let costs = costs.collect();
        // Any start will do, since the weights of a puzzle depend on its goal only.
        let mut entries = vec![EMPTY.to_owned(); board.vertex_count()];
        for (number, &(home, _)) in homes.iter().enumerate() {
            entries[home.index()] = (number + 1).to_string();
        }
        let goal = Arrangement::ByVertex(entries);
        let setup = Setup { start: goal.clone(), goal: Some(goal) };
        let puzzle = Puzzle::new(board.clone(), &setup).expect("every token has a home");
        Some(TokenHomes { puzzle, labels, costs })
    }

    /// The puzzle with a label for each token. Its start is its goal.
    pub fn puzzle(&self) -> &Puzzle {
        &self.puzzle
    }

    /// The label that a token has in the original.
    #[inline]
    pub fn label(&self, token: usize) -> usize {
        self.labels[token % MAX_VERTICES] as usize
    }

    /// A state of the original in which each token has a label of its own, by the cheapest
    /// assignment of homes.
    pub fn assign(&self, state: &State) -> State {
        let mut cells = [0; MAX_VERTICES];
        let mut first = 0;
        while first < state.occupied().len() {
            let label = self.label(first);
            let alike = state.tokens().filter(|&(_, of)| of.index() == label);
            let alike: Vec<usize> = alike.map(|(vertex, _)| vertex.index()).collect();
            for (number, &vertex) in alike.iter().enumerate() {
                cells[vertex] = (first + number) as u8;
                self.exchange(&mut cells, &alike[..=number]);
            }
            first += alike.len();
        }
        state_on(&cells, state.occupied())
    }

    /// Restores the cheapest assignment of homes after one of the tokens on `occupied` slid to
    /// `vertex`; returns whether any of them has another home.
    pub fn reassign(&self, cells: &mut Cells, occupied: VertexSet, vertex: Vertex) -> bool {
        let label = self.label(cells[vertex.index()] as usize);
        let mut alike = [0; MAX_VERTICES];
        let mut count = 0;
        for at in occupied.into_iter().map(Vertex::index) {
            if at != vertex.index() && self.label(cells[at] as usize) == label {
                alike[count] = at;
                count += 1;
            }
        }
        alike[count] = vertex.index();
        self.exchange(cells, &alike[..=count])
    }

    /// Lets tokens of one label exchange homes in a cycle through the last of them, if that makes
    /// them cheaper. When the others had the cheapest homes among themselves, all have them then: a
    /// shortest path (Bellman 1958) in the graph of who may take whose home.
    fn exchange(&self, cells: &mut Cells, alike: &[usize]) -> bool {
        let Some(last) = alike.len().checked_sub(1) else { return false };
        let mut homes = [0; MAX_VERTICES];
        homes.iter_mut().zip(alike).for_each(|(home, &at)| *home = cells[at] as usize);
        // What it costs one token to take the home of another in place of its own.
        let dearer = |one: usize, other: usize| {
            let costs = &self.costs[alike[one]];
            costs[homes[other] % MAX_VERTICES] - costs[homes[one] % MAX_VERTICES]
        };
        // Of paths from the last token to each: what they cost, and the token before the end.
        let mut paths = [0; MAX_VERTICES];
        (0..last).for_each(|one| paths[one] = dearer(last, one));
        let mut before = [last; MAX_VERTICES];
        // Those that a cheaper path was found to, as a set.
        let mut open = (1_u64 << last) - 1;
        while open != 0 {
            let one = open.trailing_zeros() as usize;
            open &= open - 1;
            for other in 0..last {
                let path = paths[one] + dearer(one, other);
                if path < paths[other] {
                    (paths[other], before[other]) = (path, one);
                    open |= 1 << other;
                }
            }
        }
        let around = (0..last).map(|one| (paths[one] + dearer(one, last), one)).min();
        let Some((_, mut one)) = around.filter(|&(cost, _)| cost < 0) else { return false };
        let mut home = cells[alike[last]];
        while one != last {
            std::mem::swap(&mut cells[alike[one]], &mut home);
            one = before[one];
        }
        cells[alike[last]] = home;
        true
    }
}

/// Builds a heuristic that is for distinct labels, with a home for each token where they repeat.
pub(super) fn build_on(
    puzzle: &Puzzle,
    build: impl FnOnce(&Puzzle) -> Built<dyn Heuristic>,
) -> Built<dyn Heuristic> {
    let Some(homes) = TokenHomes::new(puzzle) else { return build(puzzle) };
    let of_tokens = build(homes.puzzle())?;
    Ok(Box::new(OfTokens { homes, of_tokens }))
}

/// A heuristic on tokens with assigned homes.
struct OfTokens {
    homes: TokenHomes,
    of_tokens: Box<dyn Heuristic>,
}

impl Heuristic for OfTokens {
    fn estimate(&self, state: &State) -> Option<u32> {
        self.of_tokens.estimate(&self.homes.assign(state))
    }

    /// For beams, which assign homes themselves.
    fn incremental(&self) -> Option<Incremental<'_>> {
        self.of_tokens.incremental()
    }

    fn bytes(&self) -> u64 {
        self.of_tokens.bytes() + size_of::<TokenHomes>() as u64
    }
}

#[cfg(test)]
mod tests {
    use hyperslide_testkit::Random;

    use super::super::HeuristicChoice;
    use super::super::learned_weights::cells_on;
    use super::*;

    /// The sum of the distances of tokens from their homes.
    fn distance(homes: &TokenHomes, cells: &Cells, occupied: VertexSet) -> u32 {
        let to_go = LoneTokenDistances::new(homes.puzzle.board());
        let goal = homes.puzzle.goal().labelled();
        let home = |token: usize| {
            goal.tokens().find(|(_, label)| label.index() == token).map(|(home, _)| home).unwrap()
        };
        let of = |vertex: Vertex| to_go.get(vertex, home(cells[vertex.index()] as usize));
        occupied.into_iter().map(|vertex| u32::from(of(vertex))).sum()
    }

    /// After every slide of a walk: the sum that the heuristic for lone tokens finds by
    /// assignments, and each label on as many vertices as before.
    #[test]
    fn homes_remain_the_nearest_there_are() {
        let mut random = Random::new(12);
        for line in [
            "grid:3:4 a,a,b,b,b,a,a,b,b,a,b,0",
            "grid:5:5 a,a,a,b,b,b,c,c,c,d,d,d,a,a,a,b,b,b,c,c,c,d,d,0,0",
            "torus:4:4 a,b,a,b,a,b,a,b,a,b,a,b,a,b,c,0",
            "graph:petersen a=1+2+3+4,b=5+6+7,c=8+9",
            "grid:6:6 a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,0,a",
        ] {
            let (_, cells) = line.split_once(' ').unwrap();
            let puzzle = Puzzle::from_line(&format!("{line} -> {cells}")).unwrap();
            let lone = HeuristicChoice::lone_token();
            let lone = lone.build(&puzzle, &super::super::Resources::default()).unwrap();
            let homes = TokenHomes::new(&puzzle).unwrap();
            let mut state = *puzzle.start();
            let (mut cells, _) = cells_on(puzzle.board().vertex_set(), &homes.assign(&state));
            let mut exchanged = 0;
            for _ in 0..1_000 {
                let moves: Vec<_> = puzzle.board().legal_moves(&state).into_iter().collect();
                let mv = moves[random.below(moves.len())];
                state.slide(mv);
                cells[mv.to.index()] = cells[mv.from.index()];
                let occupied = state.occupied();
                exchanged += usize::from(homes.reassign(&mut cells, occupied, mv.to));
                let least = lone.estimate(&state).unwrap();
                assert_eq!(distance(&homes, &cells, occupied), least, "{state:?}");
                let (assigned, _) = cells_on(puzzle.board().vertex_set(), &homes.assign(&state));
                assert_eq!(distance(&homes, &assigned, occupied), least, "{state:?}");
                for cells in [&cells, &assigned] {
                    let label = |vertex: Vertex| homes.label(cells[vertex.index()] as usize);
                    assert!(state.tokens().all(|(vertex, of)| label(vertex) == of.index()));
                }
            }
            assert!(exchanged > 10, "{line}: {exchanged}");
        }
    }

    #[test]
    fn homes_are_assigned_only_where_labels_repeat_and_all_are_placed() {
        for line in ["grid:2:2 1,2,3,0", "grid:2:2 a,a,b,0 -> a,b,*,*"] {
            assert!(TokenHomes::new(&Puzzle::from_line(line).unwrap()).is_none(), "{line}");
        }
    }
}
