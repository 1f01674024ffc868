//! The reasons why a goal cannot be reached, with the facts that prove them.

use std::fmt;

use num_bigint::BigUint;
use serde::Serialize;

use crate::vertex::{Vertex, VertexSet};

/// Why a goal cannot be reached, with the facts needed to check it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnsolvableReason {
    /// Tokens with this label cannot reach their goal vertices even on an otherwise empty board.
    NoWay {
        /// The label's name.
        label: String,
    },
    /// A token that never moves is not where the goal wants it.
    StuckToken {
        /// The token's vertex.
        vertex: Vertex,
        /// The label's name.
        label: String,
        /// The vertices of tokens that block each other, this token among them: no member can move
        /// while the others are in place, as the faces through each of them show.
        blocked: VertexSet,
    },
    /// No occupied set that is reachable from one end fits the other.
    OccupiedSets {
        /// The end whose sets were explored.
        end: SearchEnd,
        /// The number of sets reachable from it.
        occupied_sets: usize,
    },
    /// The goal requires an odd permutation of the tokens, but every closed walk induces an even
    /// one.
    Parity(WalkGroup),
    /// The permutation that the goal needs is not in the group of closed walks.
    Arrangement(WalkGroup),
    /// A search exhausted the component of the start or of the goal without meeting the other. It
    /// may have left out states that a heuristic proves to be dead ends.
    Exhausted {
        /// The end whose component was searched.
        end: SearchEnd,
        /// The number of states searched.
        states: u64,
        /// The number of tokens that kept their labels, if the search treated the others as
        /// interchangeable. That loses no solution and reduces the number of states.
        labelled: Option<usize>,
    },
}

/// The end of a puzzle that a search starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SearchEnd {
    /// The start state.
    Start,
    /// The states that meet the goal.
    Goal,
}

/// The group of the permutations of the tokens that closed walks make.
///
/// Permutations are written as cycles of start vertices: the token on each vertex of a cycle moves
/// to the next vertex of the cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalkGroup {
    /// The number of reachable occupied sets, all of which were explored.
    pub occupied_sets: usize,
    /// Number of tokens.
    pub tokens: usize,
    /// The order of the group of closed walks.
    pub group_order: BigUint,
    /// Generators of that group.
    pub generators: Vec<String>,
    /// A permutation that leads to the goal if it is followed by a shortest path to one of the
    /// goal's occupied sets.
    pub needed: String,
    /// The same permutation, written with the labels of the tokens, or with vertices if labels
    /// repeat.
    pub needed_by_label: String,
}

impl UnsolvableReason {
    /// Returns a stable one-word name: `parity`, `permutation-group`, `stuck-token` or `component`.
    pub fn code(&self) -> &'static str {
        match self {
            UnsolvableReason::Parity(_) => "parity",
            UnsolvableReason::Arrangement(_) => "permutation-group",
            UnsolvableReason::StuckToken { .. } => "stuck-token",
            UnsolvableReason::NoWay { .. }
            | UnsolvableReason::OccupiedSets { .. }
            | UnsolvableReason::Exhausted { .. } => "component",
        }
    }
}

impl fmt::Display for UnsolvableReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnsolvableReason::NoWay { label } => {
                write!(
                    f,
                    "the tokens {label} cannot reach their vertices even on an otherwise empty board"
                )
            }
            UnsolvableReason::StuckToken { vertex, label, blocked } => {
                let blocked: Vec<String> = blocked.into_iter().map(|v| v.to_string()).collect();
                write!(f, "token {label} on vertex {vertex} can never move")?;
                match blocked.split_last() {
                    Some((last, others @ [_, ..])) => {
                        let others = others.join(", ");
                        write!(f, ": the tokens on vertices {others} and {last} block each other")
                    }
                    _ => Ok(()),
                }
            }
            UnsolvableReason::OccupiedSets { end: SearchEnd::Start, occupied_sets } => write!(
                f,
                "{occupied_sets} occupied sets can be reached, and none of them fits the goal"
            ),
            UnsolvableReason::OccupiedSets { end: SearchEnd::Goal, occupied_sets } => write!(
                f,
                "the goal can be reached from {occupied_sets} occupied sets, and the start's is not \
                 among them"
            ),
            UnsolvableReason::Parity(WalkGroup { occupied_sets, needed_by_label, .. }) => write!(
                f,
                "the goal requires the odd permutation {needed_by_label} of the tokens, but every closed \
                 walk among the {occupied_sets} occupied sets induces an even one"
            ),
            UnsolvableReason::Arrangement(WalkGroup {
                occupied_sets,
                needed,
                needed_by_label,
                group_order,
                tokens,
                ..
            }) => {
                let of =
                    if needed == needed_by_label { "on these vertices" } else { "of the start" };
                write!(
                    f,
                    "the goal requires a permutation such as {needed_by_label} of the tokens {of}, which is \
                     not among the {group_order} of {tokens}! permutations that closed walks among the \
                     {occupied_sets} occupied sets generate"
                )
            }
            UnsolvableReason::Exhausted { end, states, labelled } => {
                let (this, other) = match end {
                    SearchEnd::Start => ("start", "goal"),
                    SearchEnd::Goal => ("goal", "start"),
                };
                write!(f, "all {states} states of the {this}'s component were searched")?;
                if let Some(tokens) = labelled {
                    write!(f, " with {tokens} of the tokens labelled")?;
                }
                write!(f, ", and it does not contain the {other}")
            }
        }
    }
}
