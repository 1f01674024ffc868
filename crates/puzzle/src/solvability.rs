//! Whether a goal can be reached, decided without searching through arrangements.
//!
//! The reachable occupied sets (K) and the permutations of the tokens that closed walks among them
//! make (the group H) decide the question: an arrangement on a set of K is reachable if and only if
//! the permutation it needs is in H. This is due to Wilson (1974) for graphs with one empty vertex;
//! the same argument holds for every board and any number of empty vertices.

use std::fmt;
use std::ops::ControlFlow;

use num_bigint::BigUint;

use crate::assignment::minimum_assignment;
use crate::distance::{LoneTokenDistances, UNREACHABLE};
use crate::goal::GoalCell;
use crate::label::Label;
use crate::occupancy::{Discovery, OccupancyComponent, Unfinished};
use crate::permutation::{Found, Permutation, PermutationGroup};
use crate::puzzle::Puzzle;
use crate::state::State;
use crate::stuck::provably_stuck;
use crate::vertex::{Vertex, VertexSet};

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
    /// goal vertices, and starts or goals where nothing can move.
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

/// Why a goal cannot be reached, with the facts needed to check it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnsolvableReason {
    /// Tokens with this label cannot reach their goal vertices even on an otherwise empty board.
    NoWay {
        /// The label's name.
        label: String,
    },
    /// A token that never moves is not where the goal wants it.
    StuckToken {
        /// The token's vertex.
        vertex: Vertex,
        /// The label's name.
        label: String,
        /// The vertices of tokens that block each other, this token among them: no member can move
        /// while the others are in place, as the faces through each of them show.
        blocked: VertexSet,
    },
    /// No occupied set that is reachable from one end fits the other.
    OccupiedSets {
        /// The end whose sets were explored.
        end: SearchEnd,
        /// The number of sets reachable from it.
        occupied_sets: usize,
    },
    /// The goal needs an odd permutation of the tokens, and all closed walks make even ones.
    Parity(WalkGroup),
    /// The permutation that the goal needs is not in the group of closed walks.
    Arrangement(WalkGroup),
    /// A search exhausted the component of the start or of the goal without meeting the other. It
    /// may have left out states that a heuristic proves to be dead ends.
    Exhausted {
        /// The end whose component was searched.
        end: SearchEnd,
        /// The number of states searched.
        states: u64,
        /// The number of tokens that kept their labels, if the search treated the others as
        /// interchangeable. That loses no solution and reduces the number of states.
        labelled: Option<usize>,
    },
}

/// The end of a puzzle that a search starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchEnd {
    /// The start state.
    Start,
    /// The states that meet the goal.
    Goal,
}

/// The group of the permutations of the tokens that closed walks make.
///
/// Permutations are written as cycles of start vertices: the token on each vertex of a cycle moves
/// to the next vertex of the cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalkGroup {
    /// The number of reachable occupied sets, all of which were explored.
    pub occupied_sets: usize,
    /// Number of tokens.
    pub tokens: usize,
    /// The order of the group of closed walks.
    pub group_order: BigUint,
    /// Generators of that group.
    pub generators: Vec<String>,
    /// A permutation that leads to the goal if it is followed by a shortest path to one of the
    /// goal's occupied sets.
    pub needed: String,
    /// The same permutation, written with the labels of the tokens, or with vertices if labels
    /// repeat.
    pub needed_by_label: String,
}

impl UnsolvableReason {
    /// Returns a stable one-word name: `parity`, `permutation-group`, `stuck-token` or `component`.
    pub fn code(&self) -> &'static str {
        match self {
            UnsolvableReason::Parity(_) => "parity",
            UnsolvableReason::Arrangement(_) => "permutation-group",
            UnsolvableReason::StuckToken { .. } => "stuck-token",
            UnsolvableReason::NoWay { .. }
            | UnsolvableReason::OccupiedSets { .. }
            | UnsolvableReason::Exhausted { .. } => "component",
        }
    }
}

impl fmt::Display for UnsolvableReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnsolvableReason::NoWay { label } => {
                write!(
                    f,
                    "the tokens {label} cannot reach their vertices even on an otherwise empty board"
                )
            }
            UnsolvableReason::StuckToken { vertex, label, blocked } => {
                let blocked: Vec<String> = blocked.into_iter().map(|v| v.to_string()).collect();
                write!(
                    f,
                    "token {label} on vertex {vertex} can never move: the tokens on vertices {} block \
                     each other",
                    blocked.join(", ")
                )
            }
            UnsolvableReason::OccupiedSets { end: SearchEnd::Start, occupied_sets } => write!(
                f,
                "{occupied_sets} occupied sets can be reached, and none of them fits the goal"
            ),
            UnsolvableReason::OccupiedSets { end: SearchEnd::Goal, occupied_sets } => write!(
                f,
                "the goal can be reached from {occupied_sets} occupied sets, and the start's is not \
                 among them"
            ),
            UnsolvableReason::Parity(WalkGroup { occupied_sets, needed_by_label, .. }) => write!(
                f,
                "the goal needs the odd permutation {needed_by_label} of the tokens, and all closed walks \
                 among the {occupied_sets} occupied sets make even ones"
            ),
            UnsolvableReason::Arrangement(WalkGroup {
                occupied_sets,
                needed,
                group_order,
                tokens,
                ..
            }) => {
                write!(
                    f,
                    "the goal needs a permutation such as {needed}, which is not among the \
                     {group_order} of {tokens}! that closed walks among the {occupied_sets} occupied \
                     sets make"
                )
            }
            UnsolvableReason::Exhausted { end, states, labelled } => {
                let (this, other) = match end {
                    SearchEnd::Start => ("start", "goal"),
                    SearchEnd::Goal => ("goal", "start"),
                };
                write!(f, "all {states} states of the {this}'s component were searched")?;
                if let Some(tokens) = labelled {
                    write!(f, " with {tokens} of the tokens labelled")?;
                }
                write!(f, ", and it does not contain the {other}")
            }
        }
    }
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
    if puzzle.goal().is_met(puzzle.start()) {
        return Solvability::Solvable;
    }
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

/// The labels of a state's tokens by slot, with the goal's conditions on them.
pub(crate) struct Wishes<'a> {
    puzzle: &'a Puzzle,
    labels: Vec<Label>,
}

impl<'a> Wishes<'a> {
    pub fn new(puzzle: &'a Puzzle, state: &State) -> Wishes<'a> {
        Wishes { puzzle, labels: state.tokens().map(|(_, label)| label).collect() }
    }

    /// Returns whether the goal allows the token of a slot on a vertex, given by its number.
    pub fn allow(&self, slot: usize, vertex: u8) -> bool {
        match self.puzzle.goal().cells()[vertex as usize] {
            GoalCell::Label(label) => label == self.labels[slot],
            GoalCell::Any => true,
            GoalCell::Empty => false,
        }
    }

    /// Returns the slots in the order of the group's base, so that the search for an element fails
    /// early: unique labels with a goal vertex first, then shared labels, then tokens that may end
    /// anywhere.
    pub fn base(&self) -> Vec<usize> {
        let mut slots: Vec<usize> = (0..self.labels.len()).collect();
        slots.sort_by_key(|&slot| {
            let label = self.labels[slot];
            let like = self.labels.iter().filter(|&&other| other == label).count();
            match self.puzzle.goal().labelled().vertices_of(label).len() {
                0 => usize::MAX,
                _ => like,
            }
        });
        slots
    }

    /// Finds an element of the group that meets the goal if it is followed by the path that takes
    /// the tokens to these positions.
    fn met(&self, group: &PermutationGroup, places: &[u8], steps: &mut u64) -> Found {
        let cells = self.puzzle.goal().cells();
        // Tokens stay in their orbit, which must therefore hold as many tokens of each label as the
        // goal wants there. This decides at once cases with repeated labels that would take `find`
        // very long.
        let orbits = group.orbits();
        let wanted = |image: usize| cells[places[image] as usize];
        for (image, &orbit) in orbits.iter().enumerate() {
            if let GoalCell::Label(label) = wanted(image) {
                let in_orbit = |&slot: &usize| orbits[slot] == orbit;
                let slots = || (0..orbits.len()).filter(in_orbit);
                let have = slots().filter(|&slot| self.labels[slot] == label).count();
                let want = slots().filter(|&slot| wanted(slot) == GoalCell::Label(label)).count();
                if have < want {
                    return Found::Nothing;
                }
            }
        }
        group.find(steps, &|slot, image| self.allow(slot, places[image]))
    }

    /// Returns the occupied set of the goal, or `None` if more than one is possible.
    fn only_set(&self) -> Option<VertexSet> {
        let (board, goal) = (self.puzzle.board(), self.puzzle.goal());
        let placed = goal.labelled().occupied();
        if placed.len() == self.labels.len() {
            return Some(placed);
        }
        let rest = board.vertex_set() - goal.empty();
        (rest.len() == self.labels.len()).then_some(rest)
    }

    /// Returns a permutation that takes the tokens to the goal, whether or not closed walks make
    /// it.
    fn needed(&self, places: &[u8]) -> Permutation {
        let mut images = vec![usize::MAX; self.labels.len()];
        let mut taken = vec![false; self.labels.len()];
        let mut assign = |slot: usize, image: usize| {
            images[slot] = image;
            taken[image] = true;
        };
        let mut open: Vec<usize> = (0..self.labels.len()).collect();
        let wanted = |image: usize| self.puzzle.goal().cells()[places[image] as usize];
        for image in 0..places.len() {
            if let GoalCell::Label(label) = wanted(image)
                && let Some(found) = open.iter().position(|&slot| self.labels[slot] == label)
            {
                assign(open.remove(found), image);
            }
        }
        for image in 0..places.len() {
            if !matches!(wanted(image), GoalCell::Label(_)) && !open.is_empty() {
                assign(open.remove(0), image);
            }
        }
        debug_assert!(
            taken.iter().all(|&taken| taken),
            "a goal places no more tokens than there are"
        );
        Permutation::from_images(&images).expect("each place is given once")
    }

    /// Writes a permutation of slots as cycles of names.
    fn write(permutation: &Permutation, name: impl Fn(usize) -> String) -> String {
        let cycles = permutation.cycles();
        if cycles.is_empty() {
            return "()".to_owned();
        }
        let write = |cycle: &Vec<usize>| {
            format!("({})", cycle.iter().map(|&slot| name(slot)).collect::<Vec<_>>().join(" "))
        };
        cycles.iter().map(write).collect()
    }
}

fn decide_by_walks(puzzle: &Puzzle, effort: Effort, stop: &dyn Fn(u64) -> bool) -> Solvability {
    /// The number of occupied sets explored from each end at first, and the factor by which it
    /// grows: a small component at one end then decides before most of a large one at the other is
    /// explored.
    const FIRST: usize = 1 << 12;
    const GROWTH: usize = 16;

    let wishes = Wishes::new(puzzle, puzzle.start());
    let mut sets = FIRST.min(effort.occupied_sets);
    loop {
        let part = Effort { occupied_sets: sets, ..effort };
        let start = match decide_from_start(&wishes, part, stop) {
            Ok(answer) => return answer,
            Err(start) => start,
        };
        if start.end == Unfinished::Stopped {
            return Solvability::Undecided;
        }
        if let Some(set) = wishes.only_set() {
            let stop = |bytes| stop(start.component.bytes() + bytes);
            match decide_from_goal(&wishes, set, &start, part, &stop) {
                Solvability::Undecided => {}
                answer => return answer,
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
    wishes: &Wishes<'_>,
    effort: Effort,
    stop: &dyn Fn(u64) -> bool,
) -> Result<Solvability, Box<Explored>> {
    /// The number of fitting sets that are tried again whenever the group grows. Goals may have
    /// thousands of fitting sets, and a few suffice to notice early that the goal is reachable.
    const TRIED_EARLY: usize = 16;

    let puzzle = wishes.puzzle;
    let mut group = PermutationGroup::with_base(&wishes.base());
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
                matches!(wishes.met(group, places, &mut steps), Found::Element(_))
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
        match wishes.met(&group, component.places(number), &mut steps) {
            Found::Element(_) => return Ok(Solvability::Solvable),
            Found::Nothing if !stop(component.bytes()) => {}
            Found::Nothing | Found::OutOfSteps => return Ok(Solvability::Undecided),
        }
    }
    Ok(Solvability::Unsolvable(why_not(wishes, &component, first, &group)))
}

/// Explores from the goal's only occupied set. The goal is unreachable if the start's set is not in
/// its component; where the two explorations meet, the closed walks found at the start may suffice
/// to reach the goal.
fn decide_from_goal(
    wishes: &Wishes<'_>,
    set: VertexSet,
    start: &Explored,
    effort: Effort,
    stop: &dyn Fn(u64) -> bool,
) -> Solvability {
    let mut meeting = None;
    let (component, explored) = OccupancyComponent::explore(
        wishes.puzzle.board(),
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
        return match wishes.met(&start.group, &places, &mut effort.group_steps.clone()) {
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
    wishes: &Wishes<'_>,
    component: &OccupancyComponent,
    fitting: usize,
    group: &PermutationGroup,
) -> UnsolvableReason {
    let puzzle = wishes.puzzle;
    let needed = wishes.needed(component.places(fitting));
    let vertices: Vec<String> =
        puzzle.start().tokens().map(|(vertex, _)| vertex.to_string()).collect();
    let by_vertex = |slot: usize| vertices[slot].clone();
    let by_label = |slot: usize| match puzzle.has_distinct_labels() {
        true => puzzle.labels().name(wishes.labels[slot]).to_owned(),
        false => by_vertex(slot),
    };
    let generators = group.generators().iter().map(|walk| Wishes::write(walk, by_vertex)).collect();
    let walks = WalkGroup {
        occupied_sets: component.sets().len(),
        tokens: component.slots(),
        group_order: group.order(),
        generators,
        needed: Wishes::write(&needed, by_vertex),
        needed_by_label: Wishes::write(&needed, by_label),
    };
    let all_distinct = puzzle.has_distinct_labels() && puzzle.free_tokens() == 0;
    let even_only = group.generators().iter().all(Permutation::is_even);
    if all_distinct && even_only && !needed.is_even() {
        UnsolvableReason::Parity(walks)
    } else {
        UnsolvableReason::Arrangement(walks)
    }
}
