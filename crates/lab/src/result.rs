//! Results as programs read them: what the command line prints as JSON and records hold.

use hyperslide_puzzle::{Move, Puzzle, UnsolvableReason, Vertex, WalkGroup};
use hyperslide_search::{Limit, Outcome, Report, Stats};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// How solving ended, as programs read it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Status {
    /// A solution was found.
    Solved,
    /// There is none.
    Unsolvable,
    /// A limit came first.
    LimitReached,
    /// The input was wrong, or another program gave no solution.
    #[default]
    Error,
}

/// One move, as programs read it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MoveText {
    /// The token's label.
    pub token: String,
    /// The vertex it leaves.
    pub from: usize,
    /// The vertex it goes to.
    pub to: usize,
}

/// The one schema of a result: what `hyperslide solve --format json` prints and records hold.
/// Documented in `docs/json.md`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SolveResult {
    /// How it ended.
    pub status: Status,
    /// Whether the moves are proven shortest (solved only).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub optimal: Option<bool>,
    /// The solution.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves: Option<Vec<MoveText>>,
    /// Number of moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<u32>,
    /// No solution is shorter than this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lower_bound: Option<u32>,
    /// By how much the moves are more than that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gap: Option<u32>,
    /// Why it is unsolvable: `parity`, `permutation-group`, `stuck-token` or `component`. What is
    /// wrong with another program's answer: `missing`, `unreadable`, `illegal`, `wrong`,
    /// `too-long`, `crashed` or `not-started`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The reason in a sentence, or what is wrong with the input; of a solution only that no token
    /// can move, or that an earlier run finished its proof.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<String>,
    /// What is needed to check the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub certificate: Option<Value>,
    /// Which limit was reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub limit: Option<Limit>,
    /// What it cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub stats: Option<Stats>,
    /// The algorithm that gave the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub algorithm: Option<String>,
    /// Why `auto` chose that one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choice: Option<String>,
    /// The heuristic that a long search found best for the puzzle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heuristic: Option<String>,
    /// The seed it was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The puzzle in one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub puzzle: Option<String>,
}

impl SolveResult {
    /// The moves of the solution, if there is one.
    pub fn solution(&self) -> Option<Vec<Move>> {
        read_moves(self.moves.as_ref()?)
    }

    /// The result for wrong input.
    pub fn error(message: &str) -> SolveResult {
        let explanation = Some(message.to_owned());
        SolveResult { explanation, ..SolveResult::default() }
    }

    /// The result for a puzzle without a solution.
    pub fn unsolvable(reason: &UnsolvableReason) -> SolveResult {
        SolveResult {
            status: Status::Unsolvable,
            reason: Some(reason.code().to_owned()),
            explanation: Some(reason.to_string()),
            certificate: Some(certificate(reason)),
            ..SolveResult::default()
        }
    }

    /// The result of a report.
    pub fn new(puzzle: &Puzzle, report: &Report) -> SolveResult {
        let outcome = match &report.outcome {
            Outcome::Solved { moves: found, optimal, lower_bound } => SolveResult {
                status: Status::Solved,
                optimal: Some(*optimal),
                moves: Some(move_texts(puzzle, found)),
                length: Some(found.len() as u32),
                lower_bound: Some(*lower_bound),
                // Otherwise nobody would see that the goal holds only because nothing can change.
                explanation: puzzle
                    .board()
                    .legal_moves(puzzle.start())
                    .is_empty()
                    .then(|| "the start is the goal, and no token can move".to_owned()),
                ..SolveResult::default()
            },
            Outcome::Unsolvable(reason) => SolveResult::unsolvable(reason),
            Outcome::LimitReached { limit, lower_bound } => SolveResult {
                status: Status::LimitReached,
                lower_bound: Some(*lower_bound),
                limit: Some(*limit),
                ..SolveResult::default()
            },
        };
        let gap = |length: u32| length - outcome.lower_bound.unwrap_or_default();
        SolveResult {
            gap: outcome.length.map(gap),
            stats: Some(report.stats),
            algorithm: Some(report.algorithm.to_owned()),
            choice: report.choice.map(str::to_owned),
            heuristic: report.heuristic.clone(),
            seed: Some(report.seed),
            puzzle: Some(puzzle.to_string()),
            ..outcome
        }
    }
}

/// The moves that programs wrote; `None` if one of them names no vertex.
pub(crate) fn read_moves(moves: &[MoveText]) -> Option<Vec<Move>> {
    let read = |mv: &MoveText| Some(Move { from: Vertex::new(mv.from)?, to: Vertex::new(mv.to)? });
    moves.iter().map(read).collect()
}

/// Moves from a puzzle's start, as programs read them.
///
/// # Panics
///
/// When a move is not legal: moves are replayed before they get here.
pub fn move_texts(puzzle: &Puzzle, moves: &[Move]) -> Vec<MoveText> {
    let mut state = *puzzle.start();
    let mut texts = Vec::with_capacity(moves.len());
    for &mv in moves {
        let label = state.label_at(mv.from).expect("moves are replayed before they get here");
        texts.push(MoveText {
            token: puzzle.labels().name(label).to_owned(),
            from: mv.from.index(),
            to: mv.to.index(),
        });
        state.slide(mv);
    }
    texts
}

fn certificate(reason: &UnsolvableReason) -> Value {
    match reason {
        UnsolvableReason::NoWay { label } => json!({ "token": label }),
        UnsolvableReason::StuckToken { vertex, label, blocked } => json!({
            "token": label,
            "vertex": vertex.index(),
            "blocked": blocked.into_iter().map(Vertex::index).collect::<Vec<_>>(),
        }),
        UnsolvableReason::OccupiedSets { end, occupied_sets } => {
            json!({ "end": end, "occupied_sets": occupied_sets })
        }
        UnsolvableReason::Parity(walks) | UnsolvableReason::Arrangement(walks) => {
            let WalkGroup { occupied_sets, tokens, group_order, generators, needed, .. } = walks;
            json!({
                "occupied_sets": occupied_sets,
                "tokens": tokens,
                "group_order": group_order.to_string(),
                "generators": generators,
                "needed": needed,
            })
        }
        UnsolvableReason::Exhausted { end, states, labelled } => {
            let mut certificate = json!({ "end": end, "states": states });
            if let Some(tokens) = labelled {
                certificate["told_apart"] = json!(tokens);
            }
            certificate
        }
    }
}

#[cfg(test)]
mod tests {
    use hyperslide_search::{Config, Control, solve};

    use super::*;

    #[test]
    fn a_solution_of_a_puzzle_in_which_nothing_can_move_says_so() {
        for (line, is_stuck) in [
            ("grid:2:2 1,2,3,4 -> 1,2,3,4", true),
            ("cube:2:2 a=0,b=1,c=2 -> a=0,b=1,c=2", true),
            ("grid:2:2 1,2,3,0 -> 1,2,3,0", false),
        ] {
            let puzzle = Puzzle::from_line(line).unwrap();
            let report = solve(&puzzle, &Config::default(), &Control::default()).unwrap();
            let result = SolveResult::new(&puzzle, &report);
            assert_eq!((result.status, result.length), (Status::Solved, Some(0)), "{line}");
            let explanation = result.explanation.unwrap_or_default();
            assert_eq!(explanation.contains("no token can move"), is_stuck, "{line}");
        }
    }
}
