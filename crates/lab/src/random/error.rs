//! Why there are no random puzzles.

use std::time::Duration;

use hyperslide_puzzle::InvalidPuzzle;
use hyperslide_table::TableError;
use thiserror::Error;

/// Why there are no random puzzles.
#[derive(Debug, Error)]
pub enum RandomError {
    /// The tokens or the goal do not fit the board.
    #[error(transparent)]
    Puzzle(#[from] InvalidPuzzle),
    /// There are too many tokens, or none.
    #[error("{tokens} tokens on {vertices} vertices: {}", room(*vertices))]
    Tokens {
        /// The number that was asked for.
        tokens: usize,
        /// The number of vertices.
        vertices: usize,
    },
    /// The goal does not say where each token goes.
    #[error("the goal leaves something open: write where each token goes")]
    OpenGoal,
    /// The goal names empty vertices.
    #[error(
        "the goal says 0=...: leave that out, because vertices without a token are empty anyway"
    )]
    EmptyInGoal,
    /// The goal has several tokens with the same label.
    #[error(
        "the goal names a token twice: name each once, or say which tokens are alike with --tokens, as in 2xa,b"
    )]
    LikeTokens,
    /// There is not one label for each token.
    #[error("{labels} labels for {tokens} tokens: write one for each")]
    Labels {
        /// The number of labels.
        labels: usize,
        /// The number of tokens.
        tokens: usize,
    },
    /// An exact distance of tokens that are alike was asked for.
    #[error(
        "exact distances are drawn for tokens that are all different: label each differently, or leave the labels or \
         the distance out"
    )]
    LikeDistance,
    /// The goal has another number of tokens than was asked for.
    #[error(
        "the goal has {of_goal} tokens and not {tokens}: leave the number of tokens out, or write {of_goal}"
    )]
    GoalTokens {
        /// The number that was asked for.
        tokens: usize,
        /// The number that the goal has.
        of_goal: usize,
    },
    /// The goal has other labels than those that were asked for.
    #[error(
        "the goal has other labels than the tokens: write the same ones, or the numbers 1 to {tokens}, which \
         are then labelled in their order"
    )]
    GoalLabels {
        /// The number of tokens.
        tokens: usize,
    },
    /// No token can move in any of the many goals that were drawn.
    #[error("no token can move in any of {0} random goals: use fewer tokens, or name a goal")]
    NoneMoves(u32),
    /// No token can move in the goal that was named.
    #[error(
        "no token can move in this goal, so no walk can leave it and no other start leads to it: name another \
         goal, or use fewer tokens"
    )]
    StuckGoal,
    /// None of the many starts that were drawn is solvable.
    #[error(
        "none of {0} random starts can be solved: use fewer tokens, or draw by a walk from the goal"
    )]
    NoneSolvable(u32),
    /// None of the starts that were drawn is known to be solvable, and some could not be decided.
    #[error(
        "none of {tries} random starts is known to be solvable, and {undecided} of them could not be \
         decided: use fewer tokens, or draw by a walk from the goal"
    )]
    Undecided {
        /// The number of starts that were drawn.
        tries: u32,
        /// The number of those that may or may not be solvable.
        undecided: u32,
    },
    /// No puzzle was found in the time.
    #[error(
        "no random puzzle was found in {} s: use fewer tokens, draw by a walk from the goal, or allow \
         more time", .0.as_secs_f64()
    )]
    Time(Duration),
    /// The table of exact distances takes too long.
    #[error(
        "the table of exact distances was not built in {} s: use fewer tokens, draw by a walk from the goal, or \
         allow more time", .0.as_secs_f64()
    )]
    TableTime(Duration),
    /// The table of exact distances needs more memory than may be used.
    #[error(
        "the table of exact distances needs {needed} bytes or more, but only {limit} may be used: use fewer \
         tokens, or draw by a walk from the goal"
    )]
    TableMemory {
        /// Bytes needed.
        needed: u128,
        /// Bytes that may be used.
        limit: u64,
    },
    /// Neither the table nor the starts at the distance fit in memory or time.
    #[error(
        "{too_large}; the starts at distance {distance} alone are too many as well: ask for a smaller one"
    )]
    TooFar {
        /// The distance that was asked for, in moves.
        distance: u32,
        /// The error that the table failed with.
        too_large: Box<RandomError>,
    },
    /// No start is so far away.
    #[error("no start is {wanted} moves away: the farthest is {farthest}")]
    NotSoFar {
        /// The distance that was asked for, in moves.
        wanted: u32,
        /// The greatest distance of any start, in moves.
        farthest: u32,
    },
    /// A flag stopped the drawing.
    #[error("the drawing was stopped")]
    Cancelled,
    /// The goal is not one state.
    #[error("an exact distance needs one goal for all puzzles: name it with --goal")]
    NoGoal,
    /// The table has distances of an abstraction, or modulo 3.
    #[error(
        "the table does not have the whole distances of all states: build one with 8 bits per state that keeps all labels"
    )]
    NotWhole,
    /// The table of exact distances cannot be built.
    #[error(transparent)]
    Table(#[from] TableError),
}

fn room(vertices: usize) -> String {
    match vertices {
        ..2 => "use a board of at least 2 vertices, one for a token and one that is left empty"
            .to_owned(),
        _ => format!("use 1 to {}, so that one is left empty", vertices - 1),
    }
}
