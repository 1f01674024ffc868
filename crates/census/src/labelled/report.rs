//! What the searches from tokens with repeated labels say of their components.

use std::collections::HashMap;

use hyperslide_puzzle::Regime;
use serde::{Deserialize, Serialize};

use super::{Kind, LabelledStart, LabelledSurvey};
use crate::report::Diameter;

/// States with the same eccentricity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateEccentricity {
    /// The greatest distance from such a state.
    pub eccentricity: u32,
    /// The number of orbits of these states.
    pub orbits: u64,
    /// The number of these states.
    pub states: u64,
}

/// Components that agree in everything that the census determines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelledComponent {
    /// The number of states of each component.
    pub size: u64,
    /// The number of these components.
    pub count: u64,
    /// How freely the tokens move.
    pub regime: Regime,
    /// The number of occupied sets of each component.
    pub occupied_sets: u64,
    /// The number of tokens that never move.
    pub stuck_tokens: usize,
    /// The greatest distance between two states; null before the first search.
    pub diameter: Option<Diameter>,
    /// The least eccentricity; null until all orbits are searched.
    pub radius: Option<u32>,
    /// The number of orbits of the states of one component, and thus of searches that suffice.
    pub orbits: usize,
    /// The number of orbits that have been searched.
    pub searched: usize,
    /// The number of states of one component with each eccentricity, in ascending order.
    pub eccentricities: Vec<StateEccentricity>,
}

/// The report of a census with repeated labels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelledReport {
    /// The board.
    pub board: String,
    /// `face` or `edge`.
    pub metric: String,
    /// The number of empty vertices.
    pub empty: usize,
    /// The number of tokens.
    pub tokens: usize,
    /// The number of tokens of each label, the greatest first.
    pub labels: Vec<usize>,
    /// The number of states.
    pub configurations: u64,
    /// The order of the board's symmetry group.
    pub symmetries: String,
    /// The number of searches that suffice by symmetry.
    pub orbits: usize,
    /// The number of these searches that have been made.
    pub searched: usize,
    /// Whether all searches have been made.
    pub complete: bool,
    /// The components, the largest first.
    pub components: Vec<LabelledComponent>,
}

impl LabelledSurvey {
    /// Returns the report of the searches made so far.
    pub fn report(&self, done: &[LabelledStart]) -> LabelledReport {
        let by_rank: HashMap<u64, &LabelledStart> =
            done.iter().map(|start| (self.states.rank(&start.cells), start)).collect();
        let mut components: Vec<LabelledComponent> = Vec::new();
        let mut searched = 0;
        for kind in &self.kinds {
            let report = component_report(kind, &by_rank);
            searched += report.searched;
            // Components of the same numbers are one entry, even if no symmetry relates them.
            let same = components.iter_mut().find(|other| {
                **other == LabelledComponent { count: other.count, ..report.clone() }
            });
            match same {
                Some(same) => same.count += report.count,
                None => components.push(report),
            }
        }
        let complete = components.iter().all(|component| component.radius.is_some());
        let tokens = self.labels().iter().sum();
        if self.isolated > 0 {
            components.push(LabelledComponent {
                size: 1,
                count: self.isolated,
                regime: Regime::Isolated,
                occupied_sets: 1,
                stuck_tokens: tokens,
                diameter: Some(Diameter::Exact(0)),
                radius: Some(0),
                orbits: 0,
                searched: 0,
                eccentricities: Vec::new(),
            });
        }
        LabelledReport {
            board: self.board.spec().to_string(),
            metric: self.board.metric().name().to_owned(),
            empty: self.board.vertex_count() - tokens,
            tokens,
            labels: self.labels(),
            configurations: self.states.count(),
            symmetries: self.symmetries.to_string(),
            orbits: self.orbits(),
            searched,
            complete,
            components,
        }
    }
}

fn component_report(kind: &Kind, done: &HashMap<u64, &LabelledStart>) -> LabelledComponent {
    let mut eccentricities: Vec<StateEccentricity> = Vec::new();
    let mut searched = 0;
    for orbit in &kind.orbits {
        let Some(start) = done.get(&orbit.representative) else { continue };
        searched += 1;
        let eccentricity = start.layers.len().saturating_sub(1) as u32;
        match eccentricities.iter_mut().find(|entry| entry.eccentricity == eccentricity) {
            Some(entry) => {
                entry.orbits += 1;
                entry.states += orbit.states;
            }
            None => {
                let states = orbit.states;
                eccentricities.push(StateEccentricity { eccentricity, orbits: 1, states });
            }
        }
    }
    eccentricities.sort_by_key(|entry| entry.eccentricity);
    let ends = eccentricities.first().zip(eccentricities.last());
    let is_complete = searched == kind.orbits.len();
    let diameter = ends.map(|(least, greatest)| match is_complete {
        true => Diameter::Exact(greatest.eccentricity),
        false => {
            Diameter::Between { lower: greatest.eccentricity, upper: Some(2 * least.eccentricity) }
        }
    });
    LabelledComponent {
        size: kind.size,
        count: kind.count,
        regime: kind.regime,
        occupied_sets: kind.occupied_sets,
        stuck_tokens: kind.stuck.len(),
        diameter,
        radius: ends.filter(|_| is_complete).map(|(least, _)| least.eccentricity),
        orbits: kind.orbits.len(),
        searched,
        eccentricities,
    }
}
