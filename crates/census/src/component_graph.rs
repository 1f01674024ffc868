//! A small component of a puzzle graph, state by state.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};

use hyperslide_puzzle::{Label, Permutation, Puzzle, State, Vertex, symmetry_group};
use thiserror::Error;

/// A component of a puzzle graph: its states in ascending order of their distance to the goal, and
/// the moves between them.
#[derive(Clone, Debug)]
pub struct ComponentGraph {
    /// The states; those that meet the goal come first.
    pub states: Vec<State>,
    /// The number of moves from each state to the nearest one that meets the goal.
    pub distances: Vec<u32>,
    /// The orbit of each state, numbered from 0 in the order of the states. Two states are in one
    /// orbit when a symmetry of the board, followed by an exchange of labels that equally many
    /// tokens have, takes one to the other. `None` when the orbits reach over more than a million
    /// states of other components.
    pub orbits: Option<Vec<u32>>,
    /// Pairs of states that one move leads from one to the other, each once, the lesser number
    /// first, in ascending order.
    pub edges: Vec<[u32; 2]>,
}

/// Why a component is not drawn.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ComponentGraphError {
    /// The graph is too large.
    #[error(
        "the component has more than {limit} states: take fewer tokens, or only count the states at each distance"
    )]
    TooLarge {
        /// The most states that are allowed.
        limit: usize,
    },
    /// The goal is elsewhere.
    #[error(
        "none of the {states} states of the component meets the goal: name a goal that can be \
         reached, or repeat the start as the goal"
    )]
    NoGoal {
        /// The states of the component.
        states: usize,
    },
    /// It was cancelled.
    #[error("cancelled before the component was complete")]
    Cancelled,
}

/// The greatest number of states of other components that are looked at for the orbits: 100 bytes
/// each.
const MAX_ORBIT_STATES: usize = 1_000_000;

impl ComponentGraph {
    /// The component of the start.
    ///
    /// A plain breadth-first search: some 200 bytes a state and 8 a move.
    ///
    /// # Errors
    ///
    /// When it has more than `limit` states, none of them meets the goal, or it is cancelled.
    pub fn new(
        puzzle: &Puzzle,
        limit: usize,
        cancel: &AtomicBool,
    ) -> Result<ComponentGraph, ComponentGraphError> {
        let (states, neighbours) = explore(puzzle, limit, cancel)?;
        let distances = distances(puzzle, &states, &neighbours);
        let distances = distances.ok_or(ComponentGraphError::NoGoal { states: states.len() })?;
        let mut order: Vec<usize> = (0..states.len()).collect();
        order.sort_by_key(|&state| distances[state]);
        let mut number = vec![0; states.len()];
        (0..).zip(&order).for_each(|(new, &old)| number[old] = new);
        let mut edges = Vec::new();
        for (from, neighbours) in neighbours.iter().enumerate() {
            let pairs = neighbours.iter().map(|&to| [number[from], number[to as usize]]);
            edges.extend(pairs.filter(|[from, to]| from < to));
        }
        edges.sort_unstable();
        let distances = order.iter().map(|&state| distances[state]).collect();
        let states: Vec<State> = order.iter().map(|&state| states[state]).collect();
        let orbits = orbits(puzzle, &states);
        Ok(ComponentGraph { states, distances, orbits, edges })
    }

    /// The number of states at each distance.
    pub fn layers(&self) -> Vec<usize> {
        let farthest = self.distances.last().copied().unwrap_or(0) as usize;
        let mut layers = vec![0; farthest + 1];
        self.distances.iter().for_each(|&distance| layers[distance as usize] += 1);
        layers
    }
}

/// The states that slides lead to from the start, and the neighbours of each by their numbers.
type Explored = (Vec<State>, Vec<Vec<u32>>);

fn explore(
    puzzle: &Puzzle,
    limit: usize,
    cancel: &AtomicBool,
) -> Result<Explored, ComponentGraphError> {
    let mut numbers = HashMap::from([(*puzzle.start(), 0)]);
    let mut states = vec![*puzzle.start()];
    let mut neighbours: Vec<Vec<u32>> = Vec::new();
    while let Some(state) = states.get(neighbours.len()).copied() {
        let mut around = Vec::new();
        for mv in puzzle.board().legal_moves(&state) {
            let mut next = state;
            next.slide(mv);
            let number = *numbers.entry(next).or_insert_with(|| {
                states.push(next);
                states.len() as u32 - 1
            });
            around.push(number);
        }
        if states.len() > limit {
            return Err(ComponentGraphError::TooLarge { limit });
        }
        if cancel.load(Ordering::Relaxed) {
            return Err(ComponentGraphError::Cancelled);
        }
        // Slides of like tokens may lead to one state.
        around.sort_unstable();
        around.dedup();
        neighbours.push(around);
    }
    Ok((states, neighbours))
}

/// The distance of each state to the goal, unless no state meets it.
fn distances(puzzle: &Puzzle, states: &[State], neighbours: &[Vec<u32>]) -> Option<Vec<u32>> {
    let mut distances = vec![u32::MAX; states.len()];
    let mut open: VecDeque<usize> =
        (0..states.len()).filter(|&state| puzzle.goal().is_met(&states[state])).collect();
    open.iter().for_each(|&state| distances[state] = 0);
    if open.is_empty() {
        return None;
    }
    while let Some(state) = open.pop_front() {
        for &next in &neighbours[state] {
            if distances[next as usize] == u32::MAX {
                distances[next as usize] = distances[state] + 1;
                open.push_back(next as usize);
            }
        }
    }
    Some(distances)
}

fn orbits(puzzle: &Puzzle, states: &[State]) -> Option<Vec<u32>> {
    let symmetries = symmetry_group(puzzle.board()).generators;
    let classes = LabelClasses::new(puzzle);
    let mut known: HashMap<State, u32> = HashMap::new();
    let mut orbits = Vec::with_capacity(states.len());
    let mut count = 0;
    for state in states {
        let first = classes.normal_form(state.tokens());
        if !known.contains_key(&first) {
            known.insert(first, count);
            let mut open = vec![first];
            while let Some(form) = open.pop() {
                for symmetry in &symmetries {
                    let image = classes.normal_form(moved(&form, symmetry));
                    if known.insert(image, count).is_none() {
                        open.push(image);
                    }
                }
                if known.len() > states.len() + MAX_ORBIT_STATES {
                    return None;
                }
            }
            count += 1;
        }
        orbits.push(known[&first]);
    }
    Some(orbits)
}

/// A token's vertex and label.
type Token = (Vertex, Label);

fn moved(state: &State, symmetry: &Permutation) -> impl Iterator<Item = Token> {
    state
        .tokens()
        .filter_map(|(vertex, label)| Some((Vertex::new(symmetry.image(vertex.index()))?, label)))
}

/// The labels that equally many tokens have, so that exchanging them changes nothing but names.
struct LabelClasses {
    /// The class of each label: the first label that equally many tokens have.
    class: Vec<usize>,
    /// The labels of each class in order.
    members: Vec<Vec<Label>>,
}

impl LabelClasses {
    fn new(puzzle: &Puzzle) -> LabelClasses {
        let labels: Vec<_> = puzzle.labels().iter().map(|(label, _)| label).collect();
        let tokens = |label| puzzle.start().vertices_of(label).len();
        let first = |label| labels.iter().position(|&other| tokens(other) == tokens(label));
        let class: Vec<usize> = labels.iter().filter_map(|&label| first(label)).collect();
        let mut members = vec![Vec::new(); labels.len()];
        class.iter().zip(&labels).for_each(|(&class, &label)| members[class].push(label));
        LabelClasses { class, members }
    }

    /// The state with the labels of each class in the order in which the vertices come to them: the
    /// same for all states that differ in an exchange of labels only.
    fn normal_form(&self, tokens: impl Iterator<Item = Token>) -> State {
        let mut tokens: Vec<Token> = tokens.collect();
        tokens.sort_unstable();
        let mut name = vec![None; self.class.len()];
        let mut used = vec![0; self.class.len()];
        let renamed = tokens.into_iter().map(|(vertex, label)| {
            let name = name[label.index()].get_or_insert_with(|| {
                let class = self.class[label.index()];
                used[class] += 1;
                self.members[class][used[class] - 1]
            });
            (vertex, *name)
        });
        renamed.collect()
    }
}

#[cfg(test)]
mod tests {
    use hyperslide_table::NEVER;

    use super::*;

    fn graph(line: &str) -> ComponentGraph {
        ComponentGraph::new(&Puzzle::from_line(line).unwrap(), 10_000, &NEVER).unwrap()
    }

    fn orbit_count(graph: &ComponentGraph) -> u32 {
        graph.orbits.as_ref().unwrap().iter().max().unwrap() + 1
    }

    #[test]
    fn a_lone_token_walks_on_the_board_itself() {
        let cube = graph("cube:3:1 a=0 -> a=7");
        assert_eq!(
            (cube.layers(), cube.edges.len(), orbit_count(&cube)),
            (vec![1, 3, 3, 1], 12, 1)
        );
        // Corners, sides and the middle of a square are alike.
        let grid = graph("grid:3:3 1,0,0,0,0,0,0,0,0 -> 0,0,0,0,1,0,0,0,0");
        assert_eq!((grid.layers(), grid.edges.len(), orbit_count(&grid)), (vec![1, 4, 4], 12, 3));
        assert_eq!(grid.orbits.unwrap(), [0, 1, 1, 1, 1, 2, 2, 2, 2]);
    }

    #[test]
    fn orbits_are_those_of_occupied_sets_when_all_labels_differ() {
        // Two tokens on a cube are one, two or three edges apart; 56 states in all.
        let pair = graph("cube:3:1 a=0,b=1 -> a=1,b=0");
        assert_eq!((pair.states.len(), orbit_count(&pair)), (56, 3));
        // The same tokens, two of a and one of b: a and b cannot be exchanged.
        let triple = graph("grid:1:4 a,a,b,0 -> a,a,b,0");
        assert_eq!((triple.states.len(), orbit_count(&triple)), (4, 4));
        let exchanged = graph("grid:1:4 a,b,0,0 -> a,b,0,0");
        assert_eq!((exchanged.states.len(), orbit_count(&exchanged)), (6, 4));
    }

    #[test]
    fn every_edge_joins_neighbouring_layers_or_one_layer() {
        let graph = graph("cube:3:2 r=4,p=1,b=5,g=6 -> g=4,p=1,r=5,b=6");
        for [from, to] in &graph.edges {
            assert!(graph.distances[*from as usize].abs_diff(graph.distances[*to as usize]) <= 1);
        }
        assert!(graph.distances.is_sorted());
    }

    #[test]
    fn large_components_and_goals_elsewhere_are_refused() {
        let error = |line: &str| {
            ComponentGraph::new(&Puzzle::from_line(line).unwrap(), 1000, &NEVER).unwrap_err()
        };
        assert_eq!(
            error("grid:3:3 1,2,3,4,5,6,7,8,0"),
            ComponentGraphError::TooLarge { limit: 1000 }
        );
        assert_eq!(error("grid:2:3 2,1,3,4,5,0"), ComponentGraphError::NoGoal { states: 360 });
    }
}
