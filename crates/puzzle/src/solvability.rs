//! Whether a goal can be reached, decided without searching through arrangements.
//!
//! The reachable occupied sets (K) and the permutations of the tokens that closed walks among them
//! make (the group H) decide the question: an arrangement on a set of K is reachable if and only if
//! the permutation it needs is in H. This is due to Wilson (1974) for graphs with one empty vertex;
//! the same argument applies to any board with any number of empty vertices. When Wilson's theorem
//! already shows that the goal is reachable, nothing is explored.

use std::ops::ControlFlow;

use crate::assignment::minimum_assignment;
use crate::distance::{LoneTokenDistances, UNREACHABLE};
use crate::far_walks::{FarWalks, walk_far};
use crate::goal::GoalCell;
use crate::label::Label;
use crate::occupancy::{Discovery, OccupancyComponent, Unfinished};
use crate::permutation::Permutation;
use crate::permutation_group::{Found, PermutationGroup};
use crate::puzzle::Puzzle;
use crate::slot_goals::SlotGoals;
use crate::stuck::provably_stuck;
use crate::unsolvable::{SearchEnd, UnsolvableReason, WalkGroup};
use crate::vertex::{Vertex, VertexSet};
use crate::wilson;

/// The amount of work that [`decide_solvability`] may do from each end. In total it may do up to
/// twice as much, because it repeats the exploration with growing limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// The greatest number of occupied sets to explore, at 45 to 65 bytes each.
    pub occupied_sets: usize,
    /// The greatest number of slides between them to follow, at some 50 ns each.
    pub slides: u64,
    /// The greatest number of attempts to fit the tokens to the goal by group elements, at some 100
    /// ns each.
    pub group_steps: u64,
}

impl Effort {
    /// The least effort. It detects tokens that block each other, tokens without a path to their
    /// goal vertices, starts or goals where nothing can move, and reachable goals on most
    /// 2-connected graphs.
    pub const LEAST: Effort = Effort { occupied_sets: 0, slides: 0, group_steps: 0 };
    /// Enough for every cube up to d = 4 and every board with one empty vertex, which take
    /// milliseconds.
    pub const QUICK: Effort =
        Effort { occupied_sets: 1 << 14, slides: 1 << 21, group_steps: 1 << 18 };
    /// Enough for 4 million occupied sets, such as those of the 5-cube with six tokens, which take
    /// some seconds.
    pub const THOROUGH: Effort =
        Effort { occupied_sets: 1 << 22, slides: 1 << 28, group_steps: 1 << 23 };
}

/// The answer of [`decide_solvability`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Solvability {
    /// The goal can be reached.
    Solvable,
    /// The goal cannot be reached, for this reason.
    Unsolvable(UnsolvableReason),
    /// The effort did not suffice to decide.
    Undecided,
}

/// Decides whether the goal can be reached, without searching through arrangements.
///
/// Labels may repeat, and the goal may leave vertices and tokens free. An answer is always exact;
/// it is [`Solvability::Undecided`] if the effort did not suffice or if `stop`, which is called
/// regularly with the number of bytes held, returned true. Parity is given as the reason only if
/// all labels are distinct and the goal places every token.
pub fn decide_solvability(
    puzzle: &Puzzle,
    effort: Effort,
    stop: &dyn Fn(u64) -> bool,
) -> Solvability {
    if puzzle.goal().is_met(puzzle.start()) || wilson::is_reachable(puzzle) == Some(true) {
        return Solvability::Solvable;
    }
    decide_by_exploring(puzzle, effort, stop)
}

/// Decides what neither the start nor Wilson's theorem does.
pub(crate) fn decide_by_exploring(
    puzzle: &Puzzle,
    effort: Effort,
    stop: &dyn Fn(u64) -> bool,
) -> Solvability {
    match no_way(puzzle).or_else(|| stuck_token(puzzle)) {
        Some(reason) => Solvability::Unsolvable(reason),
        None => decide_by_walks(puzzle, effort, stop),
    }
}

fn no_way(puzzle: &Puzzle) -> Option<UnsolvableReason> {
    let distances = LoneTokenDistances::new(puzzle.board());
    let (label, _) = puzzle.labels().iter().find(|&(label, _)| {
        let to: Vec<Vertex> = puzzle.goal().labelled().vertices_of(label).into_iter().collect();
        let from: Vec<Vertex> = puzzle.start().vertices_of(label).into_iter().collect();
        let cost = |row: usize, column: usize| match distances.get(from[column], to[row]) {
            UNREACHABLE => None,
            _ => Some(0),
        };
        minimum_assignment(to.len(), from.len(), cost).is_none()
    })?;
    Some(UnsolvableReason::NoWay { label: puzzle.labels().name(label).to_owned() })
}

fn stuck_token(puzzle: &Puzzle) -> Option<UnsolvableReason> {
    let blocked = provably_stuck(puzzle.board(), puzzle.start().occupied());
    let mut misplaced: Vec<(Vertex, Label)> = Vec::new();
    for (vertex, label) in puzzle.start().tokens().filter(|&(vertex, _)| blocked.contains(vertex)) {
        let wanted = puzzle.goal().cells()[vertex.index()];
        if wanted == GoalCell::Label(label) {
            continue;
        }
        misplaced.push((vertex, label));
        // On a free vertex, a stuck token matters only if the goal needs one of its label
        // elsewhere.
        let like = misplaced.iter().filter(|&&(_, other)| other == label).count();
        let present = puzzle.start().vertices_of(label).len();
        let placed = puzzle.goal().labelled().vertices_of(label).len();
        if wanted != GoalCell::Any || placed > present - like {
            let label = puzzle.labels().name(label).to_owned();
            return Some(UnsolvableReason::StuckToken { vertex, label, blocked });
        }
    }
    None
}

fn decide_by_walks(puzzle: &Puzzle, effort: Effort, stop: &dyn Fn(u64) -> bool) -> Solvability {
    /// The number of occupied sets explored from each end at first, and the factor by which it
    /// grows: a small component at one end then decides before most of a large one at the other is
    /// explored.
    const FIRST: usize = 1 << 12;
    const GROWTH: usize = 16;

    let goals = SlotGoals::new(puzzle, puzzle.start());
    let mut sets = FIRST.min(effort.occupied_sets);
    loop {
        let part = Effort { occupied_sets: sets, ..effort };
        let start = match decide_from_start(&goals, part, stop) {
            Ok(answer) => return answer,
            Err(start) => start,
        };
        if start.end == Unfinished::Stopped {
            return Solvability::Undecided;
        }
        if let Some(set) = goals.only_set() {
            let stop = |bytes| stop(start.component.bytes() + bytes);
            match decide_from_goal(&goals, set, &start, part, &stop) {
                Solvability::Undecided => {}
                answer => return answer,
            }
            if sets == FIRST && sets < effort.occupied_sets {
                let (limit, steps) = (effort.occupied_sets, effort.group_steps);
                match walk_far(&goals, set, &start.group, limit, steps, &stop) {
                    FarWalks::Reached => return Solvability::Solvable,
                    FarWalks::OtherParity => return Solvability::Undecided,
                    FarWalks::Nothing => {}
                }
            }
        }
        // Slides may have run out before sets did.
        if start.component.sets().len() < sets || sets >= effort.occupied_sets {
            return Solvability::Undecided;
        }
        sets = sets.saturating_mul(GROWTH).min(effort.occupied_sets);
    }
}

/// An exploration from the start that does not decide.
struct Explored {
    component: OccupancyComponent,
    /// The group of the closed walks found; there may be more.
    group: PermutationGroup,
    /// Why the exploration is not complete.
    end: Unfinished,
}

fn decide_from_start(
    goals: &SlotGoals<'_>,
    effort: Effort,
    stop: &dyn Fn(u64) -> bool,
) -> Result<Solvability, Box<Explored>> {
    /// The number of fitting sets that are tried again whenever the group grows. Goals may have
    /// thousands of fitting sets, and a few suffice to notice early that the goal is reachable.
    const TRIED_EARLY: usize = 16;

    let puzzle = goals.puzzle;
    let mut group = PermutationGroup::with_base(&goals.base());
    let mut fitting: Vec<usize> = Vec::new();
    let mut steps = effort.group_steps;
    let mut solvable = false;
    let (component, explored) = OccupancyComponent::explore(
        puzzle.board(),
        puzzle.start().occupied(),
        effort.occupied_sets,
        effort.slides,
        stop,
        &mut |discovery| {
            let mut is_met = |component: &OccupancyComponent, group: &PermutationGroup, number| {
                let places = component.places(number);
                matches!(goals.met(group, places, &mut steps), Found::Element(_))
            };
            match discovery {
                Discovery::Set(component, number) => {
                    if puzzle.goal().fits(component.sets()[number]) {
                        fitting.push(number);
                        solvable =
                            fitting.len() <= TRIED_EARLY && is_met(component, &group, number);
                    }
                }
                Discovery::ClosedWalk(component, _, walk) => {
                    solvable = group.insert_unproven(&walk)
                        && fitting
                            .iter()
                            .take(TRIED_EARLY)
                            .any(|&number| is_met(component, &group, number));
                }
            }
            if solvable { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        },
    );
    if solvable {
        return Ok(Solvability::Solvable);
    }
    let occupied_sets = component.sets().len();
    if let Err(end) = explored {
        return Err(Box::new(Explored { component, group, end }));
    }
    let Some(&first) = fitting.first() else {
        let end = SearchEnd::Start;
        let reason = UnsolvableReason::OccupiedSets { end, occupied_sets };
        return Ok(Solvability::Unsolvable(reason));
    };
    group.prove();
    for &number in &fitting {
        match goals.met(&group, component.places(number), &mut steps) {
            Found::Element(_) => return Ok(Solvability::Solvable),
            Found::Nothing if !stop(component.bytes()) => {}
            Found::Nothing | Found::OutOfSteps => return Ok(Solvability::Undecided),
        }
    }
    Ok(Solvability::Unsolvable(why_not(goals, &component, first, &group)))
}

/// Explores from the goal's only occupied set. The goal is unreachable if the start's set is not in
/// its component; where the two explorations meet, the closed walks found at the start may suffice
/// to reach the goal.
fn decide_from_goal(
    goals: &SlotGoals<'_>,
    set: VertexSet,
    start: &Explored,
    effort: Effort,
    stop: &dyn Fn(u64) -> bool,
) -> Solvability {
    let mut meeting = None;
    let (component, explored) = OccupancyComponent::explore(
        goals.puzzle.board(),
        set,
        effort.occupied_sets,
        effort.slides,
        stop,
        &mut |discovery| {
            if let Discovery::Set(component, number) = discovery {
                meeting = start.component.find(component.sets()[number]).map(|at| (at, number));
            }
            if meeting.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        },
    );
    if let Some((at, number)) = meeting {
        // The token of a slot first moves to a vertex of the set where they meet. From there it
        // moves to the goal vertex whose token moves to this vertex in the exploration from the
        // goal.
        let goal_vertices: Vec<u8> = set.into_iter().map(|vertex| vertex.index() as u8).collect();
        let ways = component.places(number);
        let end = |place: &u8| {
            let slot = ways.iter().position(|way| way == place);
            goal_vertices[slot.expect("both occupy the same vertices")]
        };
        let places: Vec<u8> = start.component.places(at).iter().map(end).collect();
        return match goals.met(&start.group, &places, &mut effort.group_steps.clone()) {
            Found::Element(_) => Solvability::Solvable,
            Found::Nothing | Found::OutOfSteps => Solvability::Undecided,
        };
    }
    match explored {
        Ok(()) => Solvability::Unsolvable(UnsolvableReason::OccupiedSets {
            end: SearchEnd::Goal,
            occupied_sets: component.sets().len(),
        }),
        Err(_) => Solvability::Undecided,
    }
}

/// Returns why the goal cannot be reached if no element of the group takes the tokens to it.
fn why_not(
    goals: &SlotGoals<'_>,
    component: &OccupancyComponent,
    fitting: usize,
    group: &PermutationGroup,
) -> UnsolvableReason {
    let puzzle = goals.puzzle;
    let needed = goals.needed(component.places(fitting));
    let vertices: Vec<String> =
        puzzle.start().tokens().map(|(vertex, _)| vertex.to_string()).collect();
    let by_vertex = |slot: usize| vertices[slot].clone();
    let by_label = |slot: usize| match puzzle.has_distinct_labels() {
        true => puzzle.labels().name(goals.labels[slot]).to_owned(),
        false => by_vertex(slot),
    };
    let generators = group
        .generators()
        .iter()
        .map(|walk| SlotGoals::write_permutation(walk, by_vertex))
        .collect();
    let walks = WalkGroup {
        occupied_sets: component.sets().len(),
        tokens: component.slots(),
        group_order: group.order(),
        generators,
        needed: SlotGoals::write_permutation(&needed, by_vertex),
        needed_by_label: SlotGoals::write_permutation(&needed, by_label),
    };
    let all_distinct = puzzle.has_distinct_labels() && puzzle.free_tokens() == 0;
    let even_only = group.generators().iter().all(Permutation::is_even);
    if all_distinct && even_only && !needed.is_even() {
        UnsolvableReason::Parity(walks)
    } else {
        UnsolvableReason::Arrangement(walks)
    }
}
