//! Abstractions of puzzles, whose distances tables hold.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use hyperslide_puzzle::{Label, Puzzle, State, VertexSet, goal_count, goal_states};
use thiserror::Error;

/// How an abstraction treats the tokens whose labels it does not keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// The tokens are indistinguishable, and their slides count.
    Counted,
    /// The tokens are indistinguishable, and their slides cost nothing. Distances of disjoint sets
    /// of kept tokens can be added (an additive pattern database).
    Free,
    /// The tokens are removed. Distances of disjoint sets of kept tokens can be added, too, but are
    /// weak if few vertices are empty.
    Absent,
}

impl Rest {
    /// All treatments.
    pub const ALL: [Rest; 3] = [Rest::Counted, Rest::Free, Rest::Absent];

    /// Returns the name: `counted`, `free` or `absent`.
    pub fn name(self) -> &'static str {
        match self {
            Rest::Counted => "counted",
            Rest::Free => "free",
            Rest::Absent => "absent",
        }
    }
}

impl fmt::Display for Rest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The error for a word that is not the name of a [`Rest`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the rest is counted, free or absent, not {0}")]
pub struct UnknownRest(String);

impl FromStr for Rest {
    type Err = UnknownRest;

    fn from_str(text: &str) -> Result<Rest, UnknownRest> {
        Rest::ALL
            .into_iter()
            .find(|rest| rest.name() == text)
            .ok_or_else(|| UnknownRest(text.to_owned()))
    }
}

/// Why an abstraction of a puzzle is impossible.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum AbstractionError {
    /// No token has this name.
    #[error("the puzzle has no token {0}")]
    NoToken(String),
    /// A token is named twice.
    #[error("token {0} cannot be both kept and settled, nor named twice")]
    Twice(String),
    /// The goal does not place all tokens with the label of a settled one.
    #[error("token {0} cannot be settled: the goal does not place all tokens with this label")]
    NotPlaced(String),
    /// There are too many goal states.
    #[error("about {0:.1e} states meet the goal, more than {MAX_GOAL_STATES}: fix more of it")]
    TooManyGoals(f64),
}

/// The greatest number of goal states from which a table is built.
pub const MAX_GOAL_STATES: usize = 1 << 20;

/// The order of the goal states.
fn by_tokens(one: &State, other: &State) -> Ordering {
    one.tokens().cmp(other.tokens())
}

/// A puzzle in which some tokens keep their labels, some are settled on their goal vertices, and
/// the rest are indistinguishable or removed.
#[derive(Clone, Debug)]
pub struct Abstraction {
    puzzle: Puzzle,
    kept: Vec<Label>,
    settled: Vec<Label>,
    rest: Rest,
    /// The label of all tokens of the rest.
    rest_label: Option<Label>,
    walls: VertexSet,
    goals: Vec<State>,
}

impl Abstraction {
    /// Returns the abstraction that keeps everything.
    ///
    /// # Errors
    ///
    /// Returns an error if more than [`MAX_GOAL_STATES`] states meet the goal.
    pub fn whole(puzzle: &Puzzle) -> Result<Abstraction, AbstractionError> {
        let kept = puzzle.labels().iter().map(|(label, _)| label).collect();
        Abstraction::from_labels(puzzle, kept, Vec::new(), Rest::Counted)
    }

    /// Returns the abstraction in which the tokens named in `kept` keep their labels, those named
    /// in `settled` stay on their goal vertices, and the others are treated according to `rest`.
    ///
    /// # Errors
    ///
    /// Returns an error if a name is wrong, if the goal does not place all tokens with a settled
    /// label, or if more than [`MAX_GOAL_STATES`] states meet the goal.
    pub fn new(
        puzzle: &Puzzle,
        kept: &[String],
        settled: &[String],
        rest: Rest,
    ) -> Result<Abstraction, AbstractionError> {
        let find = |name: &String| {
            puzzle.labels().find(name).ok_or_else(|| AbstractionError::NoToken(name.clone()))
        };
        let kept: Vec<Label> = kept.iter().map(find).collect::<Result<_, _>>()?;
        let settled: Vec<Label> = settled.iter().map(find).collect::<Result<_, _>>()?;
        let mut named: Vec<Label> = kept.iter().chain(&settled).copied().collect();
        named.sort_unstable();
        if let Some(twice) = named.windows(2).find(|pair| pair[0] == pair[1]) {
            let name = puzzle.labels().name(twice[0]).to_owned();
            return Err(AbstractionError::Twice(name));
        }
        Abstraction::from_labels(puzzle, kept, settled, rest)
    }

    fn from_labels(
        puzzle: &Puzzle,
        mut kept: Vec<Label>,
        mut settled: Vec<Label>,
        rest: Rest,
    ) -> Result<Abstraction, AbstractionError> {
        kept.sort_unstable();
        settled.sort_unstable();
        let placed = puzzle.goal().labelled();
        let mut walls = VertexSet::EMPTY;
        for &label in &settled {
            let places = placed.vertices_of(label);
            if places.len() != puzzle.start().vertices_of(label).len() {
                let name = puzzle.labels().name(label).to_owned();
                return Err(AbstractionError::NotPlaced(name));
            }
            walls = walls | places;
        }
        let mut goals = goal_states(puzzle, MAX_GOAL_STATES)
            .ok_or_else(|| AbstractionError::TooManyGoals(goal_count(puzzle)))?;
        let merged = puzzle
            .labels()
            .iter()
            .map(|(label, _)| label)
            .find(|label| !kept.contains(label) && !settled.contains(label));
        // Where every vertex has a label of its own, one of those that are merged is free.
        let rest_label = merged
            .filter(|_| rest != Rest::Absent)
            .map(|merged| Label::new(puzzle.labels().len()).unwrap_or(merged));
        let mut abstraction = Abstraction {
            puzzle: puzzle.clone(),
            kept,
            settled,
            rest,
            rest_label,
            walls,
            goals: Vec::new(),
        };
        for goal in &mut goals {
            *goal = abstraction.of(goal).expect("settled tokens are in place at the goal");
        }
        goals.sort_unstable_by(by_tokens);
        goals.dedup();
        abstraction.goals = goals;
        Ok(abstraction)
    }

    /// Returns the puzzle.
    pub fn puzzle(&self) -> &Puzzle {
        &self.puzzle
    }

    /// Returns the names of the tokens that keep their labels.
    pub fn kept(&self) -> Vec<&str> {
        self.kept.iter().map(|&label| self.puzzle.labels().name(label)).collect()
    }

    /// Returns the names of the settled tokens.
    pub fn settled(&self) -> Vec<&str> {
        self.settled.iter().map(|&label| self.puzzle.labels().name(label)).collect()
    }

    /// Returns the treatment of the other tokens.
    pub fn rest(&self) -> Rest {
        self.rest
    }

    /// Returns whether all tokens keep their labels, so that distances are those of the puzzle
    /// itself.
    pub fn is_whole(&self) -> bool {
        self.kept.len() == self.puzzle.labels().len()
    }

    /// Returns the vertices of the settled tokens.
    pub fn walls(&self) -> VertexSet {
        self.walls
    }

    /// Returns one line with everything that determines the distances: board, metric, number of
    /// tokens with each label, kept and settled tokens, and goal, but not the start.
    pub fn text(&self) -> String {
        let left_out = if self.is_whole() {
            String::new()
        } else {
            let (kept, settled) = (self.kept().join(","), self.settled().join(","));
            format!(" keeps {kept} settles {settled} {}", self.rest)
        };
        format!("{}{left_out}", Abstraction::whole_text(&self.puzzle))
    }

    /// Returns [`Abstraction::text`] of the abstraction that keeps all labels, even if that
    /// abstraction has too many goal states to exist.
    pub fn whole_text(puzzle: &Puzzle) -> String {
        let tokens: Vec<String> = puzzle
            .labels()
            .iter()
            .map(|(label, name)| format!("{name}x{}", puzzle.start().vertices_of(label).len()))
            .collect();
        let goal = puzzle.setup().goal.map(|goal| goal.to_string()).unwrap_or_default();
        format!("{} {} -> {goal}", puzzle.board(), tokens.join(","))
    }

    /// Returns the distinct goal states.
    pub fn goals(&self) -> &[State] {
        &self.goals
    }

    /// Returns whether a state of the abstraction is one of the goal states.
    pub(crate) fn is_goal(&self, state: &State) -> bool {
        self.goals.binary_search_by(|goal| by_tokens(goal, state)).is_ok()
    }

    /// Returns the number of arrangements of the labelled tokens on one set of vertices.
    pub(crate) fn arrangements(&self) -> f64 {
        let free = self.free_label();
        let alike = self.kept.iter().chain(self.rest_label.iter()).filter(|&&l| Some(l) != free);
        let counts = alike.map(|&label| self.goals[0].vertices_of(label).len());
        let (mut tokens, mut arrangements) = (0usize, 1.0);
        for count in counts {
            for number in 1..=count {
                tokens += 1;
                arrangements *= tokens as f64 / number as f64;
            }
        }
        arrangements
    }

    /// Returns the label of the tokens whose slides cost nothing, or `None` if there are none.
    pub fn free_label(&self) -> Option<Label> {
        self.rest_label.filter(|_| self.rest == Rest::Free)
    }

    /// Returns the state of the abstraction to which a state of the puzzle belongs, or `None` if a
    /// settled token is not on its goal vertex.
    pub fn of(&self, state: &State) -> Option<State> {
        let mut seen = State::EMPTY;
        for (vertex, label) in state.tokens() {
            if self.kept.contains(&label) {
                seen.place(vertex, label);
            } else if self.settled.contains(&label) {
                if self.puzzle.goal().labelled().label_at(vertex) != Some(label) {
                    return None;
                }
                seen.place(vertex, label);
            } else if let Some(rest) = self.rest_label {
                seen.place(vertex, rest);
            }
        }
        Some(seen)
    }
}
