//! The components of the states and their orbits.

use std::collections::HashMap;

use hyperslide_puzzle::{Board, Permutation, VertexSet, classify_with_group, symmetry_group};
use hyperslide_table::{Arrangements, Watch};

use super::{
    BYTES_A_STATE, BYTES_AN_ORBIT, Kind, LabelledError, LabelledSurvey, StateOrbit, cells,
};
use crate::survey::DisjointSets;

const UNSEEN: u32 = u32::MAX;
const ISOLATED: u32 = u32::MAX - 1;

/// The components of all states.
struct Components {
    /// For each state the number of its component, or [`ISOLATED`].
    number: Vec<u32>,
    /// The first state of each component, and the number of its states.
    firsts: Vec<(u64, u64)>,
    isolated: u64,
}

/// Finds the components of all states and their orbits.
pub(super) fn explore(
    board: &Board,
    states: Arrangements,
    memory: u64,
    watch: Watch<'_>,
) -> Result<LabelledSurvey, LabelledError> {
    let fits = |orbits: u64| {
        let needed = states.count() * BYTES_A_STATE + orbits * BYTES_AN_ORBIT;
        if needed > memory {
            return Err(LabelledError::Memory { needed: needed.into(), limit: memory });
        }
        Ok(())
    };
    fits(0)?;
    let Components { number, firsts, isolated } =
        components(board, &states, watch).ok_or(LabelledError::Stopped)?;
    let symmetry = symmetry_group(board);
    let mut alike = DisjointSets::new(firsts.len());
    let mut orbits = DisjointSets::new(states.count() as usize);
    for rank in 0..states.count() {
        if is_over(rank, watch) {
            return Err(LabelledError::Stopped);
        }
        if number[rank as usize] == ISOLATED {
            continue;
        }
        let cells = cells(&states, rank);
        for image in images(&cells, &symmetry.generators, states.multiplicities()) {
            let image = states.rank(&image);
            orbits.join(rank as u32, image as u32);
            alike.join(number[rank as usize], number[image as usize]);
        }
    }
    let kinds = kinds(board, &states, &firsts, &mut alike, watch);
    let mut kinds = kinds.ok_or(LabelledError::Stopped)?;
    // For the root of each orbit its place among the orbits of the kind, from 1.
    let mut places = vec![0u32; states.count() as usize];
    let mut orbit_count = 0;
    for rank in 0..states.count() {
        if is_over(rank, watch) {
            return Err(LabelledError::Stopped);
        }
        // The orbits of the first component of each kind.
        let Some(kind) = kinds.get_mut(&number[rank as usize]) else { continue };
        let place = &mut places[orbits.root(rank as u32) as usize];
        if *place == 0 {
            kind.orbits.push(StateOrbit { representative: rank, states: 0 });
            *place = kind.orbits.len() as u32;
            orbit_count += 1;
            fits(orbit_count)?;
        }
        kind.orbits[*place as usize - 1].states += 1;
    }
    let mut kinds: Vec<Kind> = kinds.into_values().collect();
    kinds.sort_by_key(|kind| {
        (std::cmp::Reverse(kind.size), kind.orbits.first().map(|orbit| orbit.representative))
    });
    let board = board.clone();
    Ok(LabelledSurvey { board, states, symmetries: symmetry.order, kinds, isolated })
}

/// Returns whether the survey has to stop, which is checked at every 4,096th state.
fn is_over(rank: u64, watch: Watch<'_>) -> bool {
    rank.is_multiple_of(1 << 12) && watch.is_over()
}

/// Numbers the components, or returns `None` if stopped.
fn components(board: &Board, states: &Arrangements, watch: Watch<'_>) -> Option<Components> {
    let mut number = vec![UNSEEN; states.count() as usize];
    let (mut firsts, mut isolated) = (Vec::new(), 0);
    let mut queue: Vec<u32> = Vec::new();
    for rank in 0..states.count() {
        if is_over(rank, watch) {
            return None;
        }
        if number[rank as usize] != UNSEEN {
            continue;
        }
        let own = firsts.len() as u32;
        number[rank as usize] = own;
        queue.clear();
        queue.push(rank as u32);
        let mut next = 0;
        while next < queue.len() {
            if is_over(next as u64, watch) {
                return None;
            }
            let mut cells = cells(states, u64::from(queue[next]));
            next += 1;
            let occupied = occupied(board, &cells);
            for from in occupied {
                for to in board.destinations(from, occupied) {
                    cells.swap(from.index(), to.index());
                    let target = states.rank(&cells);
                    cells.swap(from.index(), to.index());
                    let entry = &mut number[target as usize];
                    if *entry == UNSEEN {
                        *entry = own;
                        queue.push(target as u32);
                    }
                }
            }
        }
        if queue.len() == 1 {
            number[rank as usize] = ISOLATED;
            isolated += 1;
        } else {
            firsts.push((rank, queue.len() as u64));
        }
    }
    Some(Components { number, firsts, isolated })
}

fn occupied(board: &Board, cells: &[u8]) -> VertexSet {
    board.vertices().filter(|vertex| cells[vertex.index()] != 0).collect()
}

/// What the generators of the symmetries make of a state, and the exchanges of labels that equally
/// many tokens have: these stand next to each other.
fn images(cells: &[u8], generators: &[Permutation], counts: &[usize]) -> Vec<Vec<u8>> {
    let moved = |generator: &Permutation| {
        let mut image = vec![0; cells.len()];
        for (vertex, &label) in cells.iter().enumerate() {
            image[generator.image(vertex)] = label;
        }
        image
    };
    let exchanged = |first: usize| {
        let (a, b) = (first as u8, first as u8 + 1);
        let exchange = |&label: &u8| match label {
            label if label == a => b,
            label if label == b => a,
            label => label,
        };
        cells.iter().map(exchange).collect()
    };
    let alike =
        (1..counts.len().saturating_sub(1)).filter(|&label| counts[label] == counts[label + 1]);
    generators.iter().map(moved).chain(alike.map(exchanged)).collect()
}

/// Returns the kinds of components, by the number of the first component of each, or `None` if
/// stopped.
fn kinds(
    board: &Board,
    states: &Arrangements,
    firsts: &[(u64, u64)],
    alike: &mut DisjointSets,
    watch: Watch<'_>,
) -> Option<HashMap<u32, Kind>> {
    let mut kinds: HashMap<u32, Kind> = HashMap::new();
    for (number, &(first, size)) in firsts.iter().enumerate() {
        let root = alike.root(number as u32);
        if let Some(kind) = kinds.get_mut(&root) {
            kind.count += 1;
            continue;
        }
        let occupied = occupied(board, &cells(states, first));
        let (found, _) = classify_with_group(board, occupied, size as usize, &|_| watch.is_over());
        // `None` only if stopped: a component has no more sets than states.
        let component = found.component?;
        kinds.insert(
            root,
            Kind {
                size,
                count: 1,
                regime: found.regime.expect("a component that was explored has a regime"),
                stuck: found.stuck,
                occupied_sets: component.occupied_sets as u64,
                orbits: Vec::new(),
            },
        );
    }
    Some(kinds)
}
