//! The report of a census, as programs and records read it.

use hyperslide_puzzle::{Board, BoardSpec, Regime, factorial};
use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

use crate::few_starts::{Bounds, OrbitNumbers};
use crate::start::{StartResult, StartsBySet, by_set, starts};
use crate::survey::{ComponentClass, Survey};

/// A diameter, either exact or between bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Diameter {
    /// The diameter, known from searches from every orbit or from those that settle it.
    Exact(u32),
    /// Bounds, known from searches from some orbits.
    Between {
        /// The greatest distance found.
        lower: u32,
        /// Twice the least eccentricity: any two states are at most that far apart by way of a
        /// state that has it; or less, by way of the searches that settle diameters.
        upper: Option<u32>,
    },
}

impl std::fmt::Display for Diameter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Diameter::Exact(diameter) => diameter.fmt(f),
            Diameter::Between { lower, upper: Some(upper) } => write!(f, "{lower}..{upper}"),
            Diameter::Between { lower, upper: None } => write!(f, "{lower}.."),
        }
    }
}

/// The regime of a puzzle graph in the terms of Beyer et al. 2023, section 6.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GraphRegime {
    /// No token can move in any configuration.
    Isolated,
    /// Some token can move in some configuration, but every configuration has a token that never
    /// can.
    SemiIsolated,
    /// Exactly two components have mobile configurations.
    StrongParity,
    /// Exactly one component has mobile configurations.
    Connected,
    /// More than two components have mobile configurations.
    Other,
}

impl GraphRegime {
    /// Returns the name used in JSON.
    pub fn name(self) -> &'static str {
        match self {
            GraphRegime::Isolated => "isolated",
            GraphRegime::SemiIsolated => "semi-isolated",
            GraphRegime::StrongParity => "strong-parity",
            GraphRegime::Connected => "connected",
            GraphRegime::Other => "other",
        }
    }
}

/// Components that agree in everything that the census determines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComponentReport {
    /// The number of configurations in each component, |K| |H|.
    pub size: String,
    /// The number of these components, with distinguishable tokens.
    pub count: String,
    /// How freely the tokens move.
    pub regime: Regime,
    /// The number of occupied sets of each component, |K|.
    pub occupied_sets: u64,
    /// The number of arrangements on each occupied set, |H|.
    pub arrangements: String,
    /// Whether every closed walk induces an even permutation of the tokens.
    pub even_permutations_only: bool,
    /// The number of tokens that never move.
    pub stuck_tokens: usize,
    /// The greatest distance between two configurations; null before the first search.
    pub diameter: Option<Diameter>,
    /// The least eccentricity; null until it is known.
    pub radius: Option<u32>,
    /// The number of orbits of the occupied sets of one component under the board's symmetries, and
    /// thus of searches that suffice.
    pub orbits: usize,
    /// The number of orbits that have been searched.
    pub searched: usize,
    /// The number of occupied sets of one component with each eccentricity, in ascending order.
    pub eccentricities: Vec<EccentricityCount>,
}

/// Occupied sets with the same eccentricity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EccentricityCount {
    /// The greatest distance from a configuration on such a set.
    pub eccentricity: u32,
    /// The number of orbits of these sets.
    pub orbits: u64,
    /// The number of these sets.
    pub occupied_sets: u64,
}

/// A statement of the cubical paper on which this census bears.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// The statement's number, as in `Conjecture 1.19`.
    pub statement: String,
    /// Whether it holds for this graph.
    pub holds: bool,
    /// The result that confirms or refutes it.
    pub found: String,
}

/// The report of a census. Counts that may exceed 64 bits are decimal strings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CensusReport {
    /// The board.
    pub board: String,
    /// `face` or `edge`.
    pub metric: String,
    /// The number of empty vertices.
    pub empty: usize,
    /// The number of tokens.
    pub tokens: usize,
    /// The number of configurations of distinguishable tokens.
    pub configurations: String,
    /// The regime of the puzzle graph.
    pub regime: GraphRegime,
    /// Whether all closed walks, in all components, permute the tokens evenly (weak parity: Lemma
    /// 6.3, for the cycle base of a spanning tree of the occupancy graph).
    pub weak_parity: bool,
    /// Whether exactly two components are mobile, and differ by parity.
    pub strong_parity: bool,
    /// The order of the board's symmetry group.
    pub symmetries: String,
    /// The number of occupied sets.
    pub occupied_sets: u64,
    /// The number of occupied sets on which some token can move.
    pub moving_sets: u64,
    /// The number of searches that suffice by symmetry.
    pub orbits: usize,
    /// The number of these searches that have been made.
    pub searched: usize,
    /// Whether all diameters are known.
    pub complete: bool,
    /// The components, grouped by their results, the largest first.
    pub components: Vec<ComponentReport>,
    /// The statements of the cubical paper that bear on this graph.
    pub checks: Vec<Check>,
}

impl CensusReport {
    /// Returns the report of a survey and of the searches made so far. `reached` are the layers
    /// from starts whose search is not complete.
    pub fn new(
        board: &Board,
        survey: &Survey,
        done: &[StartResult],
        reached: Option<&StartResult>,
    ) -> CensusReport {
        let arrangements = factorial(survey.tokens);
        let components = component_reports(board, survey, done, reached);
        let regime = graph_regime(survey);
        let orbits = starts(survey).count();
        let searched = components.iter().map(|component| component.searched).sum();
        let mut report = CensusReport {
            board: board.spec().to_string(),
            metric: board.metric().name().to_owned(),
            empty: board.vertex_count() - survey.tokens,
            tokens: survey.tokens,
            configurations: (arrangements * survey.occupied_sets).to_string(),
            regime,
            weak_parity: survey.classes.iter().all(|kind| kind.even_only),
            strong_parity: regime == GraphRegime::StrongParity
                && survey
                    .classes
                    .iter()
                    .all(|kind| kind.regime != Regime::Mobile || kind.even_only),
            symmetries: survey.symmetry.order.to_string(),
            occupied_sets: survey.occupied_sets,
            moving_sets: survey.occupied_sets - survey.isolated_sets,
            orbits,
            searched,
            complete: components.iter().all(|one| matches!(one.diameter, Some(Diameter::Exact(_)))),
            components,
            checks: Vec::new(),
        };
        report.checks = checks(board, &report);
        report
    }

    /// Returns the class of the components with the most configurations, which the paper's tables
    /// describe.
    pub fn largest(&self) -> Option<&ComponentReport> {
        self.components.first()
    }
}

/// Returns whether all mobile configurations are on one component of the occupancy graph: if they
/// form two components of the puzzle graph, these differ by parity.
fn is_on_one_component(survey: &Survey) -> bool {
    let mobile = survey.classes.iter().filter(|kind| kind.regime == Regime::Mobile);
    mobile.map(|kind| kind.occupancy_components).sum::<u64>() == 1
}

/// Returns the regime of the puzzle graph.
fn graph_regime(survey: &Survey) -> GraphRegime {
    let is_mobile = |kind: &&ComponentClass| kind.regime == Regime::Mobile;
    let mobile = survey.classes.iter().filter(is_mobile);
    let mobile: BigUint = mobile.map(|kind| kind.count(survey.tokens)).sum();
    let one = BigUint::from(1u32);
    if survey.classes.is_empty() {
        GraphRegime::Isolated
    } else if mobile == BigUint::ZERO {
        GraphRegime::SemiIsolated
    } else if mobile == one {
        GraphRegime::Connected
    } else if mobile == &one + &one && is_on_one_component(survey) {
        GraphRegime::StrongParity
    } else {
        GraphRegime::Other
    }
}

/// Returns the reports of all components, of which those that agree in everything are counted
/// together. Isolated configurations come last.
fn component_reports(
    board: &Board,
    survey: &Survey,
    done: &[StartResult],
    reached: Option<&StartResult>,
) -> Vec<ComponentReport> {
    let done = &by_set(done);
    let mut components: Vec<ComponentReport> = Vec::new();
    for kind in &survey.classes {
        let report = component_report(board, survey, kind, done, reached);
        let same = components.iter_mut().find(|other| {
            let with_count = ComponentReport { count: other.count.clone(), ..report.clone() };
            **other == with_count
        });
        match same {
            Some(same) => {
                let sum: BigUint = decimal(&same.count) + decimal(&report.count);
                same.count = sum.to_string();
            }
            None => components.push(report),
        }
    }
    if survey.isolated_sets > 0 {
        components.push(ComponentReport {
            size: "1".to_owned(),
            count: (factorial(survey.tokens) * survey.isolated_sets).to_string(),
            regime: Regime::Isolated,
            occupied_sets: 1,
            arrangements: "1".to_owned(),
            even_permutations_only: true,
            stuck_tokens: survey.tokens,
            diameter: Some(Diameter::Exact(0)),
            radius: Some(0),
            orbits: 0,
            searched: 0,
            eccentricities: Vec::new(),
        });
    }
    components
}

fn decimal(text: &str) -> BigUint {
    text.parse().expect("the report's own counts are decimal")
}

fn component_report(
    board: &Board,
    survey: &Survey,
    kind: &ComponentClass,
    done: &StartsBySet<'_>,
    reached: Option<&StartResult>,
) -> ComponentReport {
    let mut eccentricities: Vec<EccentricityCount> = Vec::new();
    let mut searched = 0;
    // Searches that were made to settle the diameter bound it by themselves.
    let mut settles = false;
    for orbit in &kind.orbits {
        let Some(found) = done.get(&orbit.representative) else { continue };
        searched += 1;
        settles |= found.orbit_depths.is_some();
        let eccentricity = found.eccentricity();
        match eccentricities.iter_mut().find(|entry| entry.eccentricity == eccentricity) {
            Some(entry) => {
                entry.orbits += 1;
                entry.occupied_sets += orbit.sets;
            }
            None => eccentricities.push(EccentricityCount {
                eccentricity,
                orbits: 1,
                occupied_sets: orbit.sets,
            }),
        }
    }
    eccentricities.sort_by_key(|entry| entry.eccentricity);
    let least = eccentricities.first().map(|entry| entry.eccentricity);
    let greatest = eccentricities.last().map(|entry| entry.eccentricity);
    let is_complete = searched == kind.orbits.len();
    // A search that is not complete gives a lower bound.
    let partial = reached
        .filter(|start| kind.orbits.iter().any(|orbit| orbit.representative == start.set()))
        .map(StartResult::eccentricity);
    let diameter = match (greatest, partial) {
        (Some(greatest), _) if is_complete => Some(Diameter::Exact(greatest)),
        (None, None) => None,
        (greatest, partial) => Some(Diameter::Between {
            lower: greatest.max(partial).unwrap_or(0),
            upper: least.map(|least| 2 * least),
        }),
    };
    let (mut diameter, mut radius) = (diameter, least.filter(|_| is_complete));
    if !is_complete && settles {
        let mut bounds = Bounds::new(board, &mut OrbitNumbers::new(survey, kind), kind, done);
        bounds.lower = bounds.lower.max(partial.unwrap_or(0));
        diameter = Some(match bounds.is_settled() {
            true => Diameter::Exact(bounds.lower),
            false => Diameter::Between { lower: bounds.lower, upper: bounds.upper },
        });
        radius = least_distance_across(board, survey, kind).filter(|_| bounds.is_settled());
        if radius == Some(bounds.lower) {
            // Nothing is left between the least and the greatest eccentricity.
            eccentricities = vec![EccentricityCount {
                eccentricity: bounds.lower,
                orbits: kind.orbits.len() as u64,
                occupied_sets: kind.occupied_sets,
            }];
        } else {
            radius = None;
        }
    }
    ComponentReport {
        size: kind.size().to_string(),
        count: kind.count(survey.tokens).to_string(),
        regime: kind.regime,
        occupied_sets: kind.occupied_sets,
        arrangements: kind.arrangements.to_string(),
        even_permutations_only: kind.even_only,
        stuck_tokens: kind.stuck.len(),
        diameter,
        radius,
        orbits: kind.orbits.len(),
        searched,
        eccentricities,
    }
}

/// A distance that no eccentricity is below: on a cube with k = 1 whose states are all in one
/// component, the state in which each token is across the cube, d slides away.
fn least_distance_across(board: &Board, survey: &Survey, kind: &ComponentClass) -> Option<u32> {
    let BoardSpec::Cube { d, k: 1 } = *board.spec() else { return None };
    let has_all = kind.size() == factorial(survey.tokens) * survey.occupied_sets;
    has_all.then_some(d as u32 * survey.tokens as u32)
}

/// Checks the statements about diameters that this report decides.
fn checks(board: &Board, report: &CensusReport) -> Vec<Check> {
    let mut checks = Vec::new();
    for component in &report.components {
        let (Some(Diameter::Exact(diameter)), Some(radius)) =
            (component.diameter, component.radius)
        else {
            continue;
        };
        if component.regime == Regime::Mobile && matches!(board.spec(), BoardSpec::Cube { .. }) {
            checks.push(Check {
                statement: "section 6: diam <= f + 3 from every start".to_owned(),
                holds: diameter <= radius + 3,
                found: format!("diameter {diameter}, least eccentricity {radius}"),
            });
        }
        if let BoardSpec::Cube { d, k: 1 } = *board.spec()
            && report.empty >= 2
            && component.regime == Regime::Mobile
        {
            let expected = d as u32 * report.tokens as u32;
            checks.push(Check {
                statement: "Conjecture 1.19: diam = d (2^d - l)".to_owned(),
                holds: diameter == expected,
                found: format!("diameter {diameter}, d (2^d - l) = {expected}"),
            });
            checks.push(Check {
                statement: "every eccentricity equals d (2^d - l)".to_owned(),
                holds: diameter == expected && radius == expected,
                found: format!("eccentricities {radius} to {diameter}"),
            });
        }
    }
    checks
}
