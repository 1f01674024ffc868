//! How freely the tokens of a configuration move.

use std::fmt;
use std::ops::ControlFlow;

use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

use crate::board::Board;
use crate::occupancy::{Discovery, OccupancyComponent};
use crate::permutation::PermutationGroup;
use crate::stuck::provably_stuck;
use crate::vertex::VertexSet;

/// How freely the tokens of a configuration move (Beyer et al. 2023, Definition 1.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Regime {
    /// No token can move.
    Isolated,
    /// Some tokens can move, and some never can.
    SemiIsolated,
    /// Every token can move sooner or later.
    Mobile,
}

impl fmt::Display for Regime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Regime::Isolated => "isolated",
            Regime::SemiIsolated => "semi-isolated",
            Regime::Mobile => "mobile",
        })
    }
}

/// The component of a configuration in the puzzle graph, all tokens told apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// Occupied sets in it: |K|.
    pub occupied_sets: usize,
    /// Arrangements of the tokens on one occupied set: |H|, the order of the group of closed walks.
    pub arrangements: BigUint,
    /// Configurations in it: |K| |H|.
    pub size: BigUint,
    /// Components over the same occupied sets: n! / |H|.
    pub count: BigUint,
    /// Whether every closed walk permutes the tokens evenly.
    pub even_only: bool,
}

/// What [`classify`] finds out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classification {
    /// The regime, or `None` when some tokens are [`Classification::undecided`] and that matters.
    pub regime: Option<Regime>,
    /// Tokens that never move, by their vertices.
    pub stuck: VertexSet,
    /// Tokens of which nothing was found out before the limit.
    pub undecided: VertexSet,
    /// The component, when the limit sufficed to explore it.
    pub component: Option<Component>,
}

/// Classifies one configuration; labels do not matter.
///
/// Explores at most `limit` occupied sets. Beyond that, stuck tokens are reported only where
/// [`provably_stuck`] shows it and moving ones where they were seen to move.
pub fn classify(board: &Board, occupied: VertexSet, limit: usize) -> Classification {
    let mut group = PermutationGroup::trivial(occupied.len());
    // A token is stuck while its vertex is occupied, and cannot be left, in every set seen.
    let mut still = occupied;
    let (component, explored) = OccupancyComponent::explore(
        board,
        occupied,
        limit,
        u64::MAX,
        &|_| false,
        &mut |discovery| {
            match discovery {
                Discovery::Set(component, number) => {
                    let set = component.sets()[number];
                    for vertex in still {
                        if !set.contains(vertex) || !board.destinations(vertex, set).is_empty() {
                            still.remove(vertex);
                        }
                    }
                }
                Discovery::ClosedWalk(_, _, walk) => {
                    group.insert_unproven(&walk);
                }
            }
            ControlFlow::Continue(())
        },
    );
    group.prove();
    let isolated = occupied.into_iter().all(|v| board.destinations(v, occupied).is_empty());
    let regime_of = |stuck: VertexSet| match stuck {
        _ if isolated => Regime::Isolated,
        VertexSet::EMPTY => Regime::Mobile,
        _ => Regime::SemiIsolated,
    };
    match explored {
        Ok(()) => {
            let arrangements = group.order();
            let permutations: BigUint = (1..=occupied.len()).map(BigUint::from).product();
            Classification {
                regime: Some(regime_of(still)),
                stuck: still,
                undecided: VertexSet::EMPTY,
                component: Some(Component {
                    occupied_sets: component.sets().len(),
                    size: &arrangements * component.sets().len(),
                    count: permutations / &arrangements,
                    even_only: group.generators().iter().all(crate::Permutation::is_even),
                    arrangements,
                }),
            }
        }
        Err(_) => {
            let stuck = provably_stuck(board, occupied);
            let undecided = still - stuck;
            let known = undecided.is_empty() || !stuck.is_empty();
            Classification {
                regime: known.then(|| regime_of(stuck)),
                stuck,
                undecided,
                component: None,
            }
        }
    }
}
