//! The starts of a census, one state for every orbit of occupied sets, and their results.

use hyperslide_puzzle::{Board, Label, Regime, State, Vertex, VertexSet, factorial};
use hyperslide_table::{Layers, Space, SpaceError, SpaceOptions, VertexOrder, Watch};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::survey::{ComponentClass, Orbit, Survey};

/// The result of the search from one start.
///
/// All tokens are distinguishable, so relabelling takes any arrangement on an occupied set to any
/// other, and symmetries take the set to the others of its orbit. The layers are therefore the same
/// from all of these states.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StartResult {
    /// The vertices of the tokens at the start.
    pub occupied: Vec<usize>,
    /// The number of occupied sets of its orbit within the component.
    pub orbit: u64,
    /// The number of states at distance 0, 1, ... up to the eccentricity.
    pub layers: Vec<u64>,
    /// The greatest distance of the states on the occupied sets of each orbit, in the order of the
    /// component's orbits, if the search was to settle the diameter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orbit_depths: Option<Vec<u32>>,
}

impl StartResult {
    /// Returns the greatest distance from the start.
    pub fn eccentricity(&self) -> u32 {
        self.layers.len().saturating_sub(1) as u32
    }

    /// Returns the result so far of the search from an orbit's representative.
    pub(crate) fn of_orbit(orbit: &Orbit, layers: &Layers) -> StartResult {
        StartResult {
            occupied: orbit.representative.into_iter().map(|v| v.index()).collect(),
            orbit: orbit.sets,
            layers: layers.states.clone(),
            orbit_depths: None,
        }
    }

    /// Returns the occupied set of the start, which is empty if the list names a vertex twice or
    /// one that no board has.
    pub fn set(&self) -> VertexSet {
        let set: VertexSet = self.occupied.iter().filter_map(|&at| Vertex::new(at)).collect();
        if set.len() == self.occupied.len() { set } else { VertexSet::EMPTY }
    }
}

/// Results by the occupied sets of their starts.
pub(crate) type StartsBySet<'a> = FxHashMap<VertexSet, &'a StartResult>;

/// Returns results by the occupied sets of their starts.
pub(crate) fn by_set(starts: &[StartResult]) -> StartsBySet<'_> {
    starts.iter().map(|start| (start.set(), start)).collect()
}

/// Returns a state on an occupied set with distinguishable tokens whose parity the space has.
pub(crate) fn start_state(space: Option<&Space>, occupied: VertexSet, walls: VertexSet) -> State {
    let label = |number: usize| Label::new(number).expect("a board has at most 64 tokens");
    // The tokens that never move come last, so that the others have the same labels everywhere.
    let moving = (occupied - walls).into_iter();
    let mut state: State =
        moving.chain(walls).enumerate().map(|(number, vertex)| (vertex, label(number))).collect();
    if space.is_some_and(|space| space.rank(&state).is_none()) {
        let mut moving = (occupied - walls).into_iter();
        if let (Some(a), Some(b)) = (moving.next(), moving.next()) {
            swap(&mut state, a, b);
        }
    }
    state
}

fn swap(state: &mut State, a: Vertex, b: Vertex) {
    let exchanged = |vertex| {
        if vertex == a {
            b
        } else if vertex == b {
            a
        } else {
            vertex
        }
    };
    *state = state.tokens().map(|(vertex, label)| (exchanged(vertex), label)).collect();
}

/// Numbers the states of a component.
///
/// # Errors
///
/// Returns an error if the states cannot be numbered, if that takes more than `memory` bytes, or if
/// the watch stops it.
pub fn component_space(
    board: &Board,
    kind: &ComponentClass,
    order: Option<&VertexOrder>,
    memory: u64,
    watch: Watch<'_>,
) -> Result<Space, SpaceError> {
    let state = start_state(None, kind.representative, kind.stuck);
    let options = SpaceOptions {
        walls: kind.stuck,
        order: order.cloned(),
        memory,
        watch,
        ..SpaceOptions::default()
    };
    Space::new(board, &state, &options)
}

/// Returns whether a component has so few of the arrangements of its tokens, as on a cycle, that
/// its states are stored one by one instead of being numbered.
pub fn is_sparse(kind: &ComponentClass) -> bool {
    /// Up to this many states are always numbered, since that takes only a fraction of a second.
    const ALWAYS_NUMBERED: u64 = 10_000_000;
    /// Storing a state costs more than numbering this many, which take one bit each.
    const NUMBERED_PER_STORED: u64 = 64;
    /// Storing this many states takes several seconds; larger components are numbered.
    const MOST_STORED: u64 = 10_000_000;

    let moving = kind.representative.len() - kind.stuck.len();
    let (states, numbered) = (kind.size(), factorial(moving) * kind.occupied_sets);
    states <= MOST_STORED.into()
        && numbered > ALWAYS_NUMBERED.into()
        && numbered > states * NUMBERED_PER_STORED
}

/// Returns the starts that a census searches: the orbits of all components in which tokens move.
pub fn starts(survey: &Survey) -> impl Iterator<Item = (&ComponentClass, &Orbit)> {
    let moving = survey.classes.iter().filter(|kind| kind.regime != Regime::Isolated);
    moving.flat_map(|kind| kind.orbits.iter().map(move |orbit| (kind, orbit)))
}

/// Returns these starts, by their occupied sets.
pub(crate) fn by_representative(
    survey: &Survey,
) -> FxHashMap<VertexSet, (&ComponentClass, &Orbit)> {
    starts(survey).map(|(kind, orbit)| (orbit.representative, (kind, orbit))).collect()
}
