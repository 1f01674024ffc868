//! Lifts of isolated configurations to the cube of the next dimension (Lemma 2.6).

use hyperslide_puzzle::{Vertex, VertexSet};

use super::statements::cube;
use crate::survey::subsets;

/// Checks the 1-lifts of k-isolated configurations. Returns their number, one that is not
/// (k+1)-semi-isolated, and one whose component has a configuration that is not a lift of it.
///
/// The embedding of a lift may vary: the added token may be on any facet whose opposite facet
/// contains all other tokens.
pub(super) fn lifts(d: usize, k: usize, l: usize) -> (u64, Option<String>, Option<String>) {
    let (small, large) = (cube(d, k), cube(d + 1, k + 1));
    let tokens = (1usize << d) - l;
    let half = 1usize << d;
    let (mut cases, mut not_semi_isolated, mut no_lift) = (0, None, None);
    for set in subsets(half, tokens) {
        if set.is_empty() || !set.into_iter().all(|v| small.destinations(v, set).is_empty()) {
            continue;
        }
        cases += 1;
        let is_lifted_to = |place: Vertex| {
            (0..=d).any(|coordinate| {
                let side = place.index() >> coordinate & 1;
                set.into_iter().all(|v| v.index() >> coordinate & 1 != side)
            })
        };
        // The positions that the added token can reach from each vertex of the other facet.
        let mut places = VertexSet::EMPTY;
        for start in (half..2 * half).filter_map(Vertex::new) {
            let mut open = vec![start];
            while let Some(place) = open.pop() {
                if places.contains(place) {
                    continue;
                }
                places.insert(place);
                let mut occupied = set;
                occupied.insert(place);
                let destinations = large.destinations(place, occupied);
                let others_stuck =
                    set.into_iter().all(|v| large.destinations(v, occupied).is_empty());
                if !others_stuck || destinations.is_empty() {
                    not_semi_isolated
                        .get_or_insert_with(|| format!("{set:?} with a token on {place}"));
                }
                if !is_lifted_to(place) {
                    no_lift.get_or_insert_with(|| format!("{set:?} with a token on {place}"));
                }
                open.extend(destinations);
            }
        }
    }
    (cases, not_semi_isolated, no_lift)
}
