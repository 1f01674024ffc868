//! Beam search: of each layer, the states with the least estimates are expanded.

use super::{GuidedError, Search, Stop, children};
use crate::control::Meter;
use crate::engine::nodes::NodeId;
use crate::observer::Recorder;
use crate::outcome::{Limit, Outcome};
use hyperslide_puzzle::{State, mix};

/// In a note: the layer in which the state was met last times two, plus this when it was kept.
const KEPT: u32 = 1;

/// Searches with beams of the given width.
pub(super) fn search<const WORDS: usize, E>(
    search: &mut Search<'_, '_, WORDS, E>,
    width: usize,
    recorder: Option<&Recorder<'_>>,
    meter: &mut Meter<'_>,
) -> Result<Outcome, GuidedError<E>> {
    let mut lower_bound = 0;
    match run(search, width, &mut lower_bound, recorder, meter) {
        Ok(Some(last)) => Ok(search.solved(last, lower_bound)),
        Ok(None) => Ok(Outcome::LimitReached { limit: Limit::Width, lower_bound }),
        Err(Stop::Limit(limit)) => Ok(Outcome::LimitReached { limit, lower_bound }),
        Err(Stop::Failed(error)) => Err(error),
    }
}

/// Returns the last state of a solution, or none when a layer is empty.
fn run<const WORDS: usize, E>(
    search: &mut Search<'_, '_, WORDS, E>,
    width: usize,
    lower_bound: &mut u32,
    recorder: Option<&Recorder<'_>>,
    meter: &mut Meter<'_>,
) -> Result<Option<NodeId>, Stop<E>> {
    let (puzzle, codec) = (search.puzzle, search.codec);
    let root = search.begin(KEPT, meter)?;
    *lower_bound = search.bound(search.estimates[root as usize], 1.0);
    let (mut layer, mut states, mut reached) = (vec![root], Vec::new(), Vec::new());
    let mut g = 0;
    while !layer.is_empty() {
        g += 1;
        states.clear();
        reached.clear();
        for &id in &layer {
            let (key, state) = search.expand(id, g - 1, recorder, meter);
            for (moved, next) in children(puzzle, codec, (key, &state)) {
                meter.stats.generated += 1;
                let (child, is_new) = search.nodes.insert(&moved, id, g << 1);
                if is_new {
                    states.push(next);
                } else {
                    let known = search.nodes.get_mut(child);
                    if known.note & KEPT != 0 || known.note == g << 1 {
                        continue;
                    }
                    (known.parent, known.note) = (id, g << 1);
                }
                if puzzle.goal().is_met(&next) {
                    return Ok(Some(child));
                }
                reached.push(child);
            }
            let bytes = || search.bytes().saturating_add(bytes_of(&reached, &states));
            meter.check_storage(search.nodes.is_full(), bytes, *lower_bound)?;
        }
        search.estimate(&states, bytes_of(&reached, &states), *lower_bound, meter)?;
        let estimates = &search.estimates;
        reached.retain(|&id| estimates[id as usize].is_finite());
        reached.sort_unstable_by(|&a, &b| {
            let by_estimate = estimates[a as usize].total_cmp(&estimates[b as usize]);
            by_estimate.then_with(|| mix(a.into()).cmp(&mix(b.into())))
        });
        reached.truncate(width);
        std::mem::swap(&mut layer, &mut reached);
        for &id in &layer {
            search.nodes.get_mut(id).note |= KEPT;
        }
    }
    Ok(None)
}

/// The bytes of a layer that is not estimated yet.
fn bytes_of(reached: &Vec<NodeId>, states: &Vec<State>) -> u64 {
    let reached = reached.capacity() * size_of::<NodeId>();
    (reached + states.capacity() * size_of::<State>()) as u64
}
