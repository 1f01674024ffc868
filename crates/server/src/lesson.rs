//! A\* step by step: every state that a small search generates, with its g and h, for a lesson.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hyperslide_lab::{MoveText, cells};
use hyperslide_puzzle::{Board, Move, Puzzle, State};
use hyperslide_search::{
    Config, Control, HeuristicChoice, Limits, Observer, Outcome, Resources, solve,
};
use serde::Serialize;
use utoipa::ToSchema;

/// The most expansions of a lesson: a person goes through all of them.
pub const MAX_EXPANSIONS: usize = 200;
/// The most time that the search and the tables of its heuristic may take.
const TIME: Duration = Duration::from_secs(5);
/// The most bytes that they may hold.
const MEMORY: u64 = 1 << 28;

/// A state that the search generated.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct LessonNode {
    /// Its number, in the order in which the states were first generated.
    pub id: usize,
    /// The number of the state that its shortest known way comes from; null for the start.
    pub parent: Option<usize>,
    /// The move that leads from there to it.
    #[serde(rename = "move")]
    pub mv: Option<MoveText>,
    /// The label on each vertex; null where it is empty.
    pub cells: Vec<Option<String>>,
    /// The number of moves from the start.
    pub g: u32,
    /// The estimate of the moves that are left; null when the goal cannot be reached from it.
    pub h: Option<u32>,
    /// After how many other expansions it was expanded; null when it was still open in the end.
    pub expanded: Option<usize>,
}

/// A search by A\* to go through step by step.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Lesson {
    /// The puzzle in one line.
    pub puzzle: String,
    /// The heuristic.
    pub heuristic: String,
    /// The number of moves of the shortest solution.
    pub optimal_length: u32,
    /// The states, each once.
    pub nodes: Vec<LessonNode>,
    /// The numbers of the states in the order of their expansions.
    pub expansions: Vec<usize>,
    /// For each expansion, the numbers of the states that it adds to the open list, or finds a
    /// shorter way to.
    pub generated: Vec<Vec<usize>>,
    /// The numbers of the states on the solution, the start and the goal included.
    pub solution: Vec<usize>,
}

/// Why there is no lesson.
#[derive(Debug, thiserror::Error)]
pub enum LessonError {
    /// It would be too long.
    #[error(
        "A* expands more than {MAX_EXPANSIONS} states of this puzzle with {0}: take one that is nearer to \
         its goal, or a better heuristic"
    )]
    TooLong(String),
    /// The goal cannot be reached.
    #[error("the goal of this puzzle cannot be reached: {0}")]
    Unsolvable(String),
    /// The heuristic is not there, or not for this puzzle.
    #[error("{0}")]
    Heuristic(String),
}

/// An upper bound on the number of successors of any state of a board.
fn most_successors(board: &Board) -> u64 {
    let of_a_token = |vertex| board.lone_destinations(vertex).len() as u64;
    board.vertices().map(of_a_token).sum()
}

impl Lesson {
    /// Searches, and collects what there is to see.
    pub fn new(puzzle: &Puzzle, heuristic: &str) -> Result<Lesson, LessonError> {
        let refused = |error: &dyn std::fmt::Display| LessonError::Heuristic(error.to_string());
        let config =
            Config::new("astar", Some(heuristic), [], 0).map_err(|error| refused(&error))?;
        let choice: HeuristicChoice = heuristic.parse().map_err(|error| refused(&error))?;
        // The search then finds the tables that are built here.
        let resources = Resources {
            cache: Arc::clone(&config.cache),
            memory: MEMORY,
            threads: 1,
            deadline: Some(Instant::now() + TIME),
            cancel: None,
        };
        let estimates = choice.build(puzzle, &resources).map_err(|error| refused(&error))?;
        let observer = Observer::new(MAX_EXPANSIONS + 1);
        let limits = Limits {
            time: Some(TIME),
            memory: Some(MEMORY),
            nodes: Some((MAX_EXPANSIONS as u64 + 1) * most_successors(puzzle.board())),
        };
        let control = Control { limits, observer: Some(&observer), ..Control::default() };
        let report = solve(puzzle, &config, &control).map_err(|error| refused(&error))?;
        let moves = match report.outcome {
            Outcome::Solved { moves, .. } => moves,
            Outcome::Unsolvable(reason) => return Err(LessonError::Unsolvable(reason.to_string())),
            Outcome::LimitReached { .. } => return Err(LessonError::TooLong(heuristic.to_owned())),
        };
        let observed = observer.since(0, usize::MAX);
        if observed.seen > MAX_EXPANSIONS as u64 {
            return Err(LessonError::TooLong(heuristic.to_owned()));
        }
        let mut tree = Tree { puzzle, nodes: Vec::new(), known: HashMap::new() };
        let h = |state: &State| estimates.estimate(state);
        tree.add(*puzzle.start(), None, 0, h(puzzle.start()));
        let (mut expansions, mut generated) = (Vec::new(), Vec::new());
        for (order, expansion) in observed.expansions.iter().enumerate() {
            let (id, _) = tree.add(expansion.state, None, expansion.g, expansion.h);
            tree.nodes[id].expanded.get_or_insert(order);
            expansions.push(id);
            let mut added = Vec::new();
            for mv in puzzle.board().legal_moves(&expansion.state) {
                let mut next = expansion.state;
                next.slide(mv);
                let way = Some((id, expansion.state, mv));
                let (child, is_better) = tree.add(next, way, expansion.g + 1, h(&next));
                if is_better {
                    added.push(child);
                }
            }
            generated.push(added);
        }
        let mut state = *puzzle.start();
        let mut solution = vec![tree.known[&state]];
        for (g, &mv) in (1..).zip(&moves) {
            let before = (tree.known[&state], state, mv);
            state.slide(mv);
            let (id, _) = tree.add(state, Some(before), g, h(&state));
            solution.push(id);
        }
        Ok(Lesson {
            puzzle: puzzle.to_string(),
            heuristic: heuristic.to_owned(),
            optimal_length: moves.len() as u32,
            nodes: tree.nodes,
            expansions,
            generated,
            solution,
        })
    }
}

struct Tree<'a> {
    puzzle: &'a Puzzle,
    nodes: Vec<LessonNode>,
    known: HashMap<State, usize>,
}

impl Tree<'_> {
    /// Adds a state, or a shorter way to it. Returns its number, and whether anything was added.
    fn add(
        &mut self,
        state: State,
        way: Option<(usize, State, Move)>,
        g: u32,
        h: Option<u32>,
    ) -> (usize, bool) {
        let text = |(_, before, mv): &(usize, State, Move)| {
            let label = before.label_at(mv.from).expect("the move is legal");
            MoveText {
                token: self.puzzle.labels().name(label).to_owned(),
                from: mv.from.index(),
                to: mv.to.index(),
            }
        };
        let (parent, mv) = (way.as_ref().map(|way| way.0), way.as_ref().map(text));
        if let Some(&id) = self.known.get(&state) {
            let is_better = g < self.nodes[id].g;
            if is_better {
                let node = &mut self.nodes[id];
                (node.g, node.parent, node.mv) = (g, parent, mv);
            }
            return (id, is_better);
        }
        let id = self.nodes.len();
        self.known.insert(state, id);
        let cells = cells(self.puzzle, &state);
        self.nodes.push(LessonNode { id, parent, mv, cells, g, h, expanded: None });
        (id, true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lesson_has_every_expansion_and_a_way_to_each_state() {
        let puzzle = Puzzle::from_line("grid:3:3 1,2,3,0,4,6,7,5,8").unwrap();
        let lesson = Lesson::new(&puzzle, "lone-token").unwrap();
        assert_eq!(lesson.optimal_length, 3);
        assert_eq!(lesson.solution.len(), 4);
        let config = Config::new("astar", Some("lone-token"), [], 0).unwrap();
        let report = solve(&puzzle, &config, &Control::default()).unwrap();
        assert_eq!(lesson.expansions.len() as u64, report.stats.expanded);
        for node in &lesson.nodes[1..] {
            let parent = &lesson.nodes[node.parent.unwrap()];
            assert_eq!(parent.g + 1, node.g);
            let mv = node.mv.as_ref().unwrap();
            let mut cells = parent.cells.clone();
            cells.swap(mv.from, mv.to);
            assert_eq!(cells, node.cells);
        }
        let blind = Lesson::new(&puzzle, "blind").unwrap();
        assert!(blind.expansions.len() > lesson.expansions.len());
    }

    #[test]
    fn long_and_hopeless_searches_are_no_lessons() {
        let refused = |line: &str| {
            Lesson::new(&Puzzle::from_line(line).unwrap(), "lone-token").unwrap_err().to_string()
        };
        assert!(refused("grid:3:3 8,6,7,2,5,4,3,0,1").contains("more than 200"));
        assert!(refused("grid:3:3 2,1,3,4,5,6,7,8,0").contains("cannot be reached"));
    }

    /// Its tables would take gigabytes, whatever the distance to the goal.
    #[test]
    fn large_tables_are_refused() {
        let tiles: Vec<String> = (1..25).map(|tile| tile.to_string()).collect();
        let solved = Puzzle::from_line(&format!("grid:5:5 {},0", tiles.join(","))).unwrap();
        let error = Lesson::new(&solved, "patterns:7-7-7-3").unwrap_err();
        assert!(matches!(error, LessonError::Heuristic(_)), "{error}");
    }
}
