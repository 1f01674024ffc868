//! The puzzles of a task: a named instance that is solved repeatedly, or random puzzles of a board.

use hyperslide_puzzle::{Arrangement, Board, BoardSource, Metric, Puzzle};
use serde::{Deserialize, Serialize};

use crate::instances::{KnownLength, find_instance};
use crate::random::{Law, RandomPuzzles};

/// Where the puzzles of a task come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Puzzles {
    /// One named puzzle, the same for every run.
    Named(NamedPuzzle),
    /// Random puzzles, a new one for every run.
    Random(RandomSet),
}

/// A named puzzle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedPuzzle {
    /// The instance's name.
    pub instance: String,
    /// Its rule k, for cubes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<usize>,
    /// The puzzle in one line, its metric included. A record of another puzzle does not count,
    /// whatever it is called.
    pub line: String,
}

/// Random puzzles of one board, every solvable start being equally likely.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RandomSet {
    /// The board.
    pub board: String,
    /// The number of tokens; one less than there are vertices when missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<usize>,
    /// The goal of all puzzles. When it is missing, boards with one empty vertex have their usual
    /// goal, and on other boards each puzzle has a random goal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// The seed of the puzzles.
    pub seed: u64,
}

impl NamedPuzzle {
    /// The named puzzle under a rule.
    ///
    /// # Errors
    ///
    /// Which name is unknown, or which rules there are.
    pub fn new(instance: &str, rule: Option<usize>, metric: Metric) -> Result<NamedPuzzle, String> {
        let (found, _) =
            find_instance(instance).ok_or_else(|| format!("unknown instance {instance}"))?;
        let puzzle = found.puzzle(rule, metric).map_err(|error| error.to_string())?;
        Ok(NamedPuzzle { instance: instance.to_owned(), rule, line: puzzle.to_string() })
    }

    /// A puzzle that is written in one line and has no name.
    ///
    /// # Errors
    ///
    /// What is wrong with the line.
    pub fn written(line: &str) -> Result<NamedPuzzle, String> {
        let puzzle = Puzzle::from_line(line).map_err(|error| error.to_string())?;
        Ok(NamedPuzzle { instance: line.to_owned(), rule: None, line: puzzle.to_string() })
    }

    /// The puzzle itself.
    ///
    /// # Errors
    ///
    /// What is wrong with its line.
    pub fn puzzle(&self) -> Result<Puzzle, String> {
        Puzzle::from_line(&self.line).map_err(|error| error.to_string())
    }

    /// What is known about its shortest solution.
    pub fn known_length(&self) -> Option<KnownLength> {
        let (instance, _) = find_instance(&self.instance)?;
        instance.known_length(self.rule)
    }
}

impl RandomSet {
    /// The law that draws them.
    ///
    /// # Errors
    ///
    /// What is wrong with the board, the number of tokens or the goal.
    pub fn law(&self) -> Result<RandomPuzzles, String> {
        let board = board(&self.board, Metric::Face)?;
        let vertices = board.vertex_count();
        let tokens = self.tokens.unwrap_or(vertices - 1);
        if !(1..vertices).contains(&tokens) {
            return Err(format!(
                "{} has no room for {tokens} tokens: write 1 to {}",
                self.board,
                vertices - 1
            ));
        }
        let goal = self.goal.as_ref().map(|goal| {
            goal.parse::<Arrangement>().map_err(|error| format!("the goal '{goal}': {error}"))
        });
        let (goal, law, seed) = (goal.transpose()?, Law::Uniform, self.seed);
        Ok(RandomPuzzles { board, tokens, goal, law, seed })
    }

    /// The board with its number of tokens where that is not one less than there are vertices.
    pub fn title(&self) -> String {
        match self.tokens {
            Some(tokens) => format!("{}, {tokens} tokens", self.board),
            None => self.board.clone(),
        }
    }
}

/// The board that a text names.
///
/// # Errors
///
/// What is wrong with it; boards from files are refused, since experiments do not depend on them.
pub fn board(text: &str, metric: Metric) -> Result<Board, String> {
    let source = text.parse().map_err(|error| format!("the board '{text}': {error}"))?;
    let BoardSource::Spec(spec) = source else {
        return Err(format!("the board '{text}' is a file: write grid:R:C or cube:D:K"));
    };
    Board::new(spec, metric).map_err(|error| format!("the board '{text}': {error}"))
}
