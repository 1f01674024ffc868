//! How freely the tokens of a configuration move.

use std::fmt;
use std::ops::ControlFlow;

use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

use crate::board::Board;
use crate::occupancy::{Discovery, OccupancyComponent};
use crate::permutation_group::PermutationGroup;
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

/// The component of a configuration in the puzzle graph of distinguishable tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// The number of occupied sets in the component, |K|.
    pub occupied_sets: usize,
    /// The number of arrangements of the tokens on each of these sets: |H|, the order of the group
    /// of closed walks.
    pub arrangements: BigUint,
    /// The number of configurations in the component, |K| |H|.
    pub size: BigUint,
    /// The number of components over the same occupied sets, n! / |H|.
    pub count: BigUint,
    /// Whether every closed walk induces an even permutation of the tokens.
    pub even_only: bool,
}

/// The result of [`classify`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classification {
    /// The regime, or `None` if it depends on tokens that are [`Classification::undecided`].
    pub regime: Option<Regime>,
    /// The vertices of the tokens that never move.
    pub stuck: VertexSet,
    /// The vertices of the tokens for which the limit came before an answer.
    pub undecided: VertexSet,
    /// The component, or `None` if it has more occupied sets than the limit.
    pub component: Option<Component>,
}

/// Classifies one configuration. Labels do not matter.
///
/// Explores at most `limit` occupied sets. If the component has more, tokens are reported as stuck
/// only if [`provably_stuck`] proves it, and as moving only if they moved in the explored part.
pub fn classify(board: &Board, occupied: VertexSet, limit: usize) -> Classification {
    classify_with_group(board, occupied, limit, &|_| false).0
}

/// Does the same as [`classify`], and returns the group of closed walks, or `None` if the component
/// has more occupied sets than the limit. If `stop`, which is called regularly with the number of
/// bytes held, returns true, the result is that of a limit on the part that was explored.
///
/// The group acts on the tokens, which are numbered from 0 in the order of their vertices. An
/// element takes a token to the one whose vertex it reaches.
pub fn classify_with_group(
    board: &Board,
    occupied: VertexSet,
    limit: usize,
    stop: &dyn Fn(u64) -> bool,
) -> (Classification, Option<PermutationGroup>) {
    let mut group = PermutationGroup::trivial(occupied.len());
    // A token is stuck if its vertex is occupied in every explored set, and never left.
    let mut still = occupied;
    let (component, explored) =
        OccupancyComponent::explore(board, occupied, limit, u64::MAX, stop, &mut |discovery| {
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
        });
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
            let found = Classification {
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
            };
            (found, Some(group))
        }
        Err(_) => {
            let stuck = provably_stuck(board, occupied);
            let undecided = still - stuck;
            let known = undecided.is_empty() || !stuck.is_empty();
            let found = Classification {
                regime: known.then(|| regime_of(stuck)),
                stuck,
                undecided,
                component: None,
            };
            (found, None)
        }
    }
}
