//! Whether a goal can be reached, decided without searching through arrangements.
//!
//! The occupied sets that slides lead to (K) and the permutations of the tokens that closed walks
//! among them make (the group H) tell everything: an arrangement on a set of K is reachable exactly
//! when the permutation it needs is in H. Wilson (1974) for graphs with one empty vertex; the same
//! for every board and any number of them.

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

/// How much work [`decide_solvability`] may do: so much from each end, and all in all up to twice that, since it looks
/// farther in rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Occupied sets to explore at the most; 45 to 65 bytes each.
    pub occupied_sets: usize,
    /// Slides between them to follow at the most, some 50 ns each.
    pub slides: u64,
    /// Attempts at fitting the tokens to the goal by group elements, some 100 ns each.
    pub group_steps: u64,
}

impl Effort {
    /// Only what needs next to no exploration: tokens that block each other, have no way to the goal, or cannot move at
    /// either end.
    pub const LEAST: Effort = Effort { occupied_sets: 0, slides: 0, group_steps: 0 };
    /// Enough for any cube up to d = 4 and any board with one empty vertex; milliseconds there.
    pub const QUICK: Effort =
        Effort { occupied_sets: 1 << 14, slides: 1 << 21, group_steps: 1 << 18 };
    /// Up to 4 million occupied sets, such as the 5-cube with six tokens: some seconds.
    pub const THOROUGH: Effort =
        Effort { occupied_sets: 1 << 22, slides: 1 << 28, group_steps: 1 << 23 };
}

/// The answer of [`decide_solvability`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Solvability {
    /// The goal can be reached.
    Solvable,
    /// It cannot, and why.
    Unsolvable(UnsolvableReason),
    /// The effort did not suffice to tell.
    Undecided,
}

/// Why a goal cannot be reached, with what is needed to check it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnsolvableReason {
    /// Tokens with this label cannot reach their vertices even when alone on the board.
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
        /// Tokens that block each other, that one among them: no member can move while the others
        /// stand. Checked by looking at the faces through each.
        blocked: VertexSet,
    },
    /// No occupied set that slides lead to from one end fits the other.
    OccupiedSets {
        /// Which end's sets these are.
        end: SearchEnd,
        /// How many there are.
        occupied_sets: usize,
    },
    /// The goal needs an odd permutation of the tokens, and every closed walk makes an even one.
    Parity(WalkGroup),
    /// The permutation that the goal needs is not in the group of closed walks.
    Arrangement(WalkGroup),
    /// A search went through a whole component, of the start or of the goal, without meeting the
    /// other; states that a heuristic shows to be dead ends need not be among them.
    Exhausted {
        /// Which end's component it was.
        end: SearchEnd,
        /// States in it.
        states: u64,
        /// How many tokens kept their labels, where the search took the others as
        /// interchangeable: no solution is lost by that, and fewer states are counted.
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

/// What closed walks do to the tokens.
///
/// Permutations are written in cycles of start vertices: the token of each vertex of a cycle goes to
/// the next one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalkGroup {
    /// Occupied sets explored: all that slides lead to.
    pub occupied_sets: usize,
    /// Number of tokens.
    pub tokens: usize,
    /// The order of the group of closed walks.
    pub group_order: BigUint,
    /// Generators of that group.
    pub generators: Vec<String>,
    /// A permutation that the goal needs before a shortest path to one of its occupied sets.
    pub needed: String,
    /// The same by the tokens' labels, or by vertices where labels repeat.
    pub needed_by_label: String,
}

impl UnsolvableReason {
    /// A stable one-word name: `parity`, `permutation-group`, `stuck-token` or `component`.
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
                    "no slides lead the tokens {label} to their vertices, even on an empty board"
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
                "slides lead to {occupied_sets} occupied sets, and none of them fits the goal"
            ),
            UnsolvableReason::OccupiedSets { end: SearchEnd::Goal, occupied_sets } => write!(
                f,
                "slides lead to the goal from {occupied_sets} occupied sets, and the start's is none of them"
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
                    write!(f, ", {tokens} of the tokens told apart")?;
                }
                write!(f, ": no {other} there")
            }
        }
    }
}

/// Decides whether the goal can be reached, without searching through arrangements.
///
/// Labels may repeat, and the goal may leave vertices and tokens free. The answer is exact whenever
/// there is one; it is [`Solvability::Undecided`] when the effort did not suffice or `stop`, which is
/// asked every now and then with the number of bytes held, returned true. Parity is named as the
/// reason only when all tokens are told apart and have their vertex.
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
        // On a free vertex the token does harm only when the goal wants its like elsewhere.
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

/// The tokens of a state by their slots, and what the goal wants of them.
pub(crate) struct Wishes<'a> {
    puzzle: &'a Puzzle,
    labels: Vec<Label>,
}

impl<'a> Wishes<'a> {
    pub fn new(puzzle: &'a Puzzle, state: &State) -> Wishes<'a> {
        Wishes { puzzle, labels: state.tokens().map(|(_, label)| label).collect() }
    }

    /// Whether the goal allows the token of a slot on a vertex, given by its number.
    pub fn allow(&self, slot: usize, vertex: u8) -> bool {
        match self.puzzle.goal().cells()[vertex as usize] {
            GoalCell::Label(label) => label == self.labels[slot],
            GoalCell::Any => true,
            GoalCell::Empty => false,
        }
    }

    /// Slots whose wish is hardest to meet first, so that the search for a group element fails early:
    /// unique labels with a vertex, then shared labels, then tokens that may end anywhere.
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

    /// Whether the walks and then the path that takes the tokens to these places can meet the goal.
    fn met(&self, group: &PermutationGroup, places: &[u8], steps: &mut u64) -> Found {
        let cells = self.puzzle.goal().cells();
        // Tokens stay in their orbit: it must hold as many of each label as its places ask for. This
        // settles at once what would take `find` ages where labels repeat.
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

    /// The occupied set of the goal, where there is only one.
    fn only_set(&self) -> Option<VertexSet> {
        let (board, goal) = (self.puzzle.board(), self.puzzle.goal());
        let placed = goal.labelled().occupied();
        if placed.len() == self.labels.len() {
            return Some(placed);
        }
        let rest = board.vertex_set() - goal.empty();
        (rest.len() == self.labels.len()).then_some(rest)
    }

    /// A permutation that takes the tokens to the goal, walks or not.
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

    /// A permutation of slots in cycles of names.
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
    /// Occupied sets that are explored from each end at first, and how many times more each time: a
    /// small component of one end then decides before most of a large one of the other is explored.
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

/// What was found around the start and does not decide.
struct Explored {
    component: OccupancyComponent,
    /// Of closed walks; there may be more.
    group: PermutationGroup,
    /// Why that is not all.
    end: Unfinished,
}

fn decide_from_start(
    wishes: &Wishes<'_>,
    effort: Effort,
    stop: &dyn Fn(u64) -> bool,
) -> Result<Solvability, Box<Explored>> {
    /// Sets that fit are tried again whenever the group grows; for goals with thousands of fitting
    /// sets a few are enough to notice early that the goal is reachable.
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

/// From the goal's only occupied set: whether the start's is out of its reach, or else, where the two
/// explorations meet, whether the closed walks found at the start suffice.
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
        // The token of a slot comes to a vertex of the set where they meet, and from there to the goal
        // as the one that would come back to that vertex.
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

/// No element of the group takes the tokens to the goal.
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
