//! Surveys of up to a billion occupied sets, which find components and parity at four bits per set.

use std::collections::BTreeMap;

use hyperslide_puzzle::{Board, Regime, factorial};
use hyperslide_table::{Watch, binomial};
use num_bigint::BigUint;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::marked_component::{GroupUnknown, MarkedComponent, Marks, WALKS};
use crate::survey::{SurveyError, SurveyLimits};

/// The invariants of components that the survey determines.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ComponentInvariants {
    /// The number of occupied sets of each component, |K|.
    pub occupied_sets: u64,
    /// The regime, `semi-isolated` or `mobile`.
    pub regime: String,
    /// The number of tokens that never move.
    pub stuck_tokens: usize,
    /// Whether every closed walk induces an even permutation of the tokens.
    pub even_permutations_only: bool,
    /// The order |H| of the group of closed walks in decimal, for mobile components only.
    pub arrangements: Option<String>,
}

/// The result of a survey of a very large number of occupied sets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParitySurvey {
    /// The board.
    pub board: String,
    /// The metric.
    pub metric: String,
    /// The number of empty vertices.
    pub empty: usize,
    /// The number of occupied sets.
    pub occupied_sets: u64,
    /// The number of occupied sets on which no token can move.
    pub isolated_sets: u64,
    /// The invariants of the other components of the occupancy graph, each with the number of
    /// components.
    pub components: Vec<(ComponentInvariants, u64)>,
    /// The number of components of the puzzle graph with distinguishable tokens whose
    /// configurations are mobile.
    pub mobile_components: String,
    /// Whether there are exactly two such components, which differ by parity.
    pub strong_parity: bool,
}

/// Why a survey failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParityError {
    /// The survey needs more memory than allowed, or was stopped.
    #[error(transparent)]
    Survey(#[from] SurveyError),
    /// The closed walks tried do not determine the group of a component.
    #[error(
        "{walks} random closed walks in a component of {sets} occupied sets generate a group of order \
         {order}, but it is not known whether all closed walks generate a larger one"
    )]
    GroupUnknown {
        /// The number of closed walks tried.
        walks: usize,
        /// The number of occupied sets of the component.
        sets: u64,
        /// The order of the group found.
        order: String,
    },
}

/// The number of occupied sets between two calls of `on_progress`.
const SETS_BETWEEN_REPORTS: u64 = 1 << 20;

impl ParitySurvey {
    /// Surveys all occupied sets of a board with the given number of empty vertices. Each component
    /// is explored with the parity of one walk to each set; a slide closes an odd walk if the
    /// parities at its ends disagree (Lemmas 6.2 and 6.3 of Beyer et al. 2023, with the tree of a
    /// breadth-first search).
    ///
    /// Memory: four bits per occupied set, and 16 bytes for each set of the two largest layers.
    ///
    /// # Errors
    ///
    /// Returns an error if the survey needs more than `memory` bytes, if the order of a group
    /// remains unknown, or if the watch stops the survey.
    ///
    /// # Panics
    ///
    /// Panics if the board has fewer than `empty` vertices.
    pub fn new(
        board: &Board,
        empty: usize,
        memory: u64,
        threads: usize,
        watch: Watch<'_>,
        on_progress: &mut dyn FnMut(u64),
    ) -> Result<ParitySurvey, ParityError> {
        let vertices = board.vertex_count();
        assert!(empty <= vertices, "{empty} empty vertices of {vertices}");
        let tokens = vertices - empty;
        let sets = binomial(vertices, tokens);
        let limits = SurveyLimits { sets, bytes: sets.div_ceil(2), memory, watch };
        limits.check(0)?;
        let mut told = 0;
        let mut step = |seen: u64, more: usize| {
            if seen >= told + SETS_BETWEEN_REPORTS {
                told = seen;
                on_progress(seen);
            }
            limits.check(more)
        };
        let marks = Marks::new(board, tokens);
        let mut isolated_sets = 0;
        let mut seen = 0u64;
        let mut kinds: BTreeMap<ComponentInvariants, u64> = BTreeMap::new();
        for (rank, first) in marks.sets(tokens) {
            if rank.is_multiple_of(SETS_BETWEEN_REPORTS) {
                step(seen, 0)?;
            }
            if marks.is_marked(rank) {
                continue;
            }
            if first.into_iter().all(|vertex| board.destinations(vertex, first).is_empty()) {
                isolated_sets += 1;
                seen += 1;
                if seen.is_multiple_of(1 << 12) {
                    step(seen, 0)?;
                }
                continue;
            }
            let mut explored = |sets, bytes| step(seen + sets, bytes);
            let component = MarkedComponent::explore(board, &marks, first, threads, &mut explored)?;
            seen += component.occupied_sets;
            let kind = ComponentInvariants::of(&component, board, &marks, &mut || step(seen, 0))?;
            *kinds.entry(kind).or_default() += 1;
        }
        let mobile = |(kind, count): &(ComponentInvariants, u64)| -> Option<BigUint> {
            let order: BigUint = kind.arrangements.as_ref()?.parse().ok()?;
            Some(factorial(tokens) / order * *count)
        };
        let components: Vec<(ComponentInvariants, u64)> = kinds.into_iter().rev().collect();
        let mobile_components: BigUint = components.iter().filter_map(mobile).sum();
        let is_even = |(kind, _): &(ComponentInvariants, u64)| {
            kind.regime != Regime::Mobile.to_string() || kind.even_permutations_only
        };
        // If all are on one component of the occupancy graph, they differ by parity.
        let mobile_occupancy_components: u64 = components
            .iter()
            .filter(|(kind, _)| kind.regime == Regime::Mobile.to_string())
            .map(|(_, count)| count)
            .sum();
        Ok(ParitySurvey {
            board: board.spec().to_string(),
            metric: board.metric().name().to_owned(),
            empty,
            occupied_sets: sets,
            isolated_sets,
            strong_parity: mobile_components == BigUint::from(2u32)
                && mobile_occupancy_components == 1
                && components.iter().all(is_even),
            components,
            mobile_components: mobile_components.to_string(),
        })
    }
}

impl ComponentInvariants {
    fn of(
        component: &MarkedComponent,
        board: &Board,
        marks: &Marks,
        check: &mut dyn FnMut() -> Result<(), SurveyError>,
    ) -> Result<ComponentInvariants, ParityError> {
        let regime = component.regime();
        let order = match regime {
            Regime::Mobile => Some(component.group_order(board, marks, WALKS, check)?),
            _ => None,
        };
        let order = order.transpose().map_err(|GroupUnknown { walks, order }| {
            let (sets, order) = (component.occupied_sets, order.to_string());
            ParityError::GroupUnknown { walks, sets, order }
        })?;
        Ok(ComponentInvariants {
            occupied_sets: component.occupied_sets,
            regime: regime.to_string(),
            stuck_tokens: component.stuck.len(),
            even_permutations_only: component.even_only,
            arrangements: order.map(|order| order.to_string()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::survey::Survey;
    use hyperslide_puzzle::{BoardSpec, Metric};

    #[test]
    fn agrees_with_the_smaller_survey() {
        for (d, k) in [(2, 1), (3, 1), (3, 2), (4, 1), (4, 2), (4, 3)] {
            let board = Board::new(BoardSpec::Cube { d, k }, Metric::Face).unwrap();
            for empty in 1..1 << d {
                let watch = Watch::default();
                let large =
                    ParitySurvey::new(&board, empty, u64::MAX, 2, watch, &mut |_| {}).unwrap();
                let small = Survey::new(&board, empty).unwrap();
                assert_eq!(large.isolated_sets, small.isolated_sets, "{board} {empty}");
                let mut expected: BTreeMap<ComponentInvariants, u64> = BTreeMap::new();
                for kind in &small.classes {
                    let key = ComponentInvariants {
                        occupied_sets: kind.occupied_sets,
                        regime: kind.regime.to_string(),
                        stuck_tokens: kind.stuck.len(),
                        even_permutations_only: kind.even_only,
                        arrangements: (kind.regime == Regime::Mobile)
                            .then(|| kind.arrangements.to_string()),
                    };
                    *expected.entry(key).or_default() += kind.occupancy_components;
                }
                let found: BTreeMap<ComponentInvariants, u64> =
                    large.components.into_iter().collect();
                assert_eq!(found, expected, "{board} {empty}");
            }
        }
    }
}
