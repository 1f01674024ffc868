//! Which partitions of the tokens a long IDA* search follows: those that suit its puzzle best.
//!
//! Partitions that are as good as each other on average differ by a factor of two on a typical
//! puzzle and of ten on some, by about the same factor in every iteration. So an early iteration
//! shows which of them to follow.

use std::ops::ControlFlow;

use super::followed::{Allowance, Followed};
use super::spectator::Nobody;
use crate::control::Meter;
use crate::heuristics::{HeuristicChoice, IncrementalPatterns, Resources};
use crate::outcome::Limit;

/// Once the iterations so far have expanded this many states, partitions are compared.
const LONG: u64 = 1_000_000;
/// They are compared by an iteration of at most this many states.
const COMPARED: u64 = 100_000;
/// How many states of a table are built in the time of one expansion. Tables that have to be built
/// before partitions can be compared may take as long as the search so far.
const BUILT_PER_EXPANSION: f64 = 20.0;

/// What is known about the partitions of a puzzle.
#[derive(Default)]
pub(crate) struct Partitions {
    /// The others that are worth comparing, once the search is long, and the states of their tables
    /// that had to be built then.
    others: Option<(Vec<HeuristicChoice>, f64)>,
    /// The choice of the best one or two, once they have been compared.
    pub compared: Option<String>,
}

/// A partition or its reflection: the number of the heuristic that has it, and its number there.
type View = (usize, usize);

/// The views of a heuristic with this number.
fn views(number: usize, followed: &Followed<'_>) -> Vec<View> {
    (0..followed.patterns().partitions()).map(|view| (number, view)).collect()
}

/// The views of several are compared by one iteration.
struct Comparison<'m, 'c> {
    bound: u32,
    /// No solution is shorter.
    proven: u32,
    /// The views that expand the fewest states so far, and how many.
    best: Vec<View>,
    expanded: u64,
    meter: &'m mut Meter<'c>,
}

impl Comparison<'_, '_> {
    /// Keeps other views if they are better. A state takes half as long again with a second view.
    fn judge(&mut self, other: &Followed<'_>, views: Vec<View>) -> Result<(), Limit> {
        let is_slower = views.len() > self.best.len();
        let most = if is_slower { self.expanded * 2 / 3 } else { self.expanded };
        let allowance = Allowance { proven: self.proven, most };
        if let Some((expanded, _)) = iteration(other, self.bound, allowance, self.meter)? {
            (self.best, self.expanded) = (views, expanded);
        }
        Ok(())
    }
}

impl Partitions {
    /// Once the search takes long enough, judges all views by an early iteration, and returns what
    /// is best to follow. `expanded` is the number of states that iterations have expanded, and no
    /// solution is shorter than `proven`.
    pub fn compare<'a>(
        &mut self,
        followed: &Followed<'a>,
        resources: &Resources<'_>,
        (expanded, proven): (u64, u32),
        meter: &mut Meter<'_>,
    ) -> Result<Option<Followed<'a>>, Limit> {
        if self.compared.is_some() || expanded < LONG {
            return Ok(None);
        }
        let find = || followed.patterns().others(resources);
        let (others, unbuilt) = self.others.get_or_insert_with(find);
        if others.is_empty() || *unbuilt / BUILT_PER_EXPANSION > expanded as f64 {
            return Ok(None);
        }
        let Some((bound, expanded)) = early_iteration(followed, proven, meter)? else {
            self.compared = Some(followed.patterns().choice().to_string());
            return Ok(None);
        };
        let others = build(others, followed, resources, proven, meter)?;
        let all: Vec<&Followed<'_>> = [followed].into_iter().chain(&others).collect();
        meter.note_tables(Followed::bytes_of(all.iter().copied()));
        // Each partition with its reflection.
        let best = views(0, followed);
        let mut comparison = Comparison { bound, proven, best, expanded, meter };
        for (number, other) in (1..).zip(&others) {
            comparison.judge(other, views(number, other))?;
        }
        // Any other as the second one, and then in the place of the first.
        let every: Vec<View> =
            (0..).zip(&all).flat_map(|(number, one)| views(number, one)).collect();
        let of_views = |views: &[View]| {
            let of = views.iter().map(|&(number, view)| (all[number].patterns(), view));
            let heuristic = IncrementalPatterns::of_partitions(of, &resources.cache)?;
            Some(followed.along(heuristic))
        };
        for place in [1, 0] {
            for &view in &every {
                let mut pair = comparison.best.clone();
                match pair.get_mut(place) {
                    Some(old) => *old = view,
                    None => pair.push(view),
                }
                if pair.len() < 2 || pair[0] == pair[1] || pair == comparison.best {
                    continue;
                }
                if let Some(other) = of_views(&pair) {
                    comparison.judge(&other, pair)?;
                }
            }
        }
        let chosen = of_views(&comparison.best);
        let choice = chosen.as_ref().unwrap_or(followed).patterns().choice().to_string();
        meter.note_heuristic(&choice);
        self.compared = Some(choice);
        Ok(chosen)
    }
}

/// The others whose tables can be built, and fit in the memory together.
fn build<'a>(
    others: &[HeuristicChoice],
    followed: &Followed<'a>,
    resources: &Resources<'_>,
    proven: u32,
    meter: &mut Meter<'_>,
) -> Result<Vec<Followed<'a>>, Limit> {
    // Tables of the same sizes take about as many bytes.
    let own_bytes = Followed::bytes_of([followed]);
    let mut built = Vec::new();
    for choice in others {
        let held = Followed::bytes_of([followed].into_iter().chain(&built));
        if held + own_bytes > resources.memory {
            break;
        }
        match choice.build(followed.puzzle, resources) {
            Ok(heuristic) => built.push(followed.along(heuristic)),
            // The search may have more time than tables.
            Err(_) => meter.poll(followed.pruning.bytes(), proven)?,
        }
    }
    Ok(built)
}

/// The bound of the last iteration that expands fewer than [`COMPARED`] states, and how many it
/// expands.
fn early_iteration(
    followed: &Followed<'_>,
    proven: u32,
    meter: &mut Meter<'_>,
) -> Result<Option<(u32, u64)>, Limit> {
    let allowance = Allowance { proven, most: COMPARED };
    let (mut early, mut next) = (None, followed.estimate());
    while let Some(bound) = next {
        let Some((expanded, beyond)) = iteration(followed, bound, allowance, meter)? else { break };
        (early, next) = (Some((bound, expanded)), beyond);
    }
    Ok(early)
}

/// How many states an iteration without a solution expands, and the bound of the next one; `None`
/// if it is not allowed as many.
fn iteration(
    followed: &Followed<'_>,
    bound: u32,
    allowance: Allowance,
    meter: &mut Meter<'_>,
) -> Result<Option<(u64, Option<u32>)>, Limit> {
    // From here on, states are counted between checks that are always at the same distance.
    meter.poll(followed.pruning.bytes(), allowance.proven)?;
    let before = meter.stats.expanded;
    let flow = followed.visit_whole(bound, allowance, Nobody, meter);
    let expanded = meter.stats.expanded - before;
    let is_allowed = expanded < allowance.most;
    match flow {
        ControlFlow::Break(Err(limit)) if is_allowed => Err(limit),
        // Where the goal is out of reach nothing is expanded, and nothing is known.
        ControlFlow::Continue(next) if is_allowed && expanded > 0 => Ok(Some((expanded, next))),
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use hyperslide_puzzle::Puzzle;

    use super::*;
    use crate::control::Control;
    use crate::engine::move_pruning::MovePruning;

    /// What is followed in the end expands no more states than the best partition with its
    /// reflection.
    #[test]
    fn good_partitions_are_followed() {
        let resources = Resources::default();
        let goal = "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15";
        let mut better = 0;
        for start in [
            "15,14,0,4,11,1,6,13,7,5,8,9,3,2,10,12",
            "10,0,2,4,5,1,6,12,11,13,9,7,15,3,14,8",
            "11,14,13,1,2,3,12,4,15,7,9,5,10,6,8,0",
            "15,2,12,11,14,13,9,5,1,3,8,7,0,10,6,4",
        ] {
            let puzzle = Puzzle::from_line(&format!("grid:4:4 {start} -> {goal}")).unwrap();
            let built = |choice: &HeuristicChoice| choice.build(&puzzle, &resources).unwrap();
            let pruning = MovePruning::of(&resources.cache, puzzle.board(), 10, u64::MAX);
            let own = Followed::new(&puzzle, pruning, built(&HeuristicChoice::patterns()));
            let mut meter = Meter::new(&Control::default());
            let early = early_iteration(&own, 0, &mut meter).unwrap();
            let (bound, own_expanded) = early.unwrap();
            let mut count = |followed: &Followed<'_>| {
                let allowance = Allowance { proven: 0, most: u64::MAX };
                iteration(followed, bound, allowance, &mut meter).unwrap().unwrap().0
            };
            let (others, _) = own.patterns().others(&resources);
            assert!(others.len() > 1);
            let of_others = others.iter().map(|choice| count(&own.along(built(choice))));
            let best_reflected = of_others.min().unwrap().min(own_expanded);
            let mut partitions = Partitions::default();
            let mut compare = |expanded: u64| {
                let mut meter = Meter::new(&Control::default());
                let chosen = partitions.compare(&own, &resources, (expanded, bound), &mut meter);
                (chosen.unwrap(), partitions.compared.clone())
            };
            let (chosen, compared) = compare(LONG - 1);
            assert!(chosen.is_none() && compared.is_none(), "the search is short");
            let (chosen, compared) = compare(LONG);
            let expanded = count(&chosen.unwrap());
            assert!(expanded <= best_reflected, "{expanded} {best_reflected}");
            better += u32::from(expanded < best_reflected) + u32::from(expanded < own_expanded);
            let named: HeuristicChoice = compared.unwrap().parse().unwrap();
            assert_eq!(count(&own.along(built(&named))), expanded);
        }
        assert!(better > 4, "{better}");
    }
}
