//! Exact distances and shortest moves of many states, looked up in one table.

use hyperslide_puzzle::{Actions, Board, GoalCell, Label, Move, State, Vertex, VertexSet};
use hyperslide_table::{CellRanks, DistanceTable, Encoding};

/// The distances and the best moves of states that are given as cells
/// ([`State::from_cells`]), from a table of all distances.
///
/// ```
/// use std::ops::ControlFlow;
/// use hyperslide_lab::ExactDistances;
/// use hyperslide_puzzle::Puzzle;
/// use hyperslide_table::{Abstraction, BuildOptions, DistanceTable, Signals};
///
/// let puzzle = Puzzle::from_line("grid:2:2 1,2,3,0")?;
/// let table = DistanceTable::build(
///     Abstraction::whole(&puzzle)?,
///     &BuildOptions::default(),
///     &Signals::default(),
///     &mut |_| ControlFlow::Continue(()),
/// )?;
/// let exact = ExactDistances::new(&table).unwrap();
/// // The tokens 1, 2 and 3 are the labels 0, 1 and 2.
/// assert_eq!(exact.distance(&[1, 2, 0, 3]), Some(1));
/// assert_eq!(exact.distance(&[2, 1, 3, 0]), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ExactDistances<'a> {
    table: &'a DistanceTable,
    ranks: CellRanks<'a>,
    board: &'a Board,
    /// The cells of the goal, [`OPEN`] where it takes any.
    goal: Vec<u8>,
    vertices: usize,
    /// Where one vertex is empty: the vertices from which a token can slide to each such vertex.
    sources: Option<Vec<Vec<u8>>>,
}

const OPEN: u8 = u8::MAX;

/// The states that are looked up together, so that the memory answers for many of them at once.
const AT_ONCE: usize = 256;

/// A state on its way to the goal.
struct Descent {
    /// Its number among the states that were asked for.
    state: usize,
    /// The stored value of where it is now.
    here: u8,
    moves: u32,
    /// The slide that would take back the last one.
    back: Option<(u8, u8)>,
    /// The number of slides from where it is now, except that one.
    slides: usize,
}

impl<'a> ExactDistances<'a> {
    /// Prepares the look-ups. Returns `None` for a table that does not keep all labels: it has
    /// distances of an abstraction only.
    pub fn new(table: &'a DistanceTable) -> Option<ExactDistances<'a>> {
        if !table.abstraction().is_whole() {
            return None;
        }
        let puzzle = table.abstraction().puzzle();
        let board = puzzle.board();
        let cell = |cell: &GoalCell| match cell {
            GoalCell::Any => OPEN,
            GoalCell::Empty => 0,
            GoalCell::Label(label) => label.index() as u8 + 1,
        };
        let all = VertexSet::first(board.vertex_count());
        let sources = |empty: Vertex| -> Vec<u8> {
            let occupied = all - VertexSet::single(empty);
            let can_slide = |from: &Vertex| board.destinations(*from, occupied).contains(empty);
            occupied.into_iter().filter(can_slide).map(|from| from.index() as u8).collect()
        };
        let has_one_empty = puzzle.start().occupied().len() + 1 == board.vertex_count();
        Some(ExactDistances {
            table,
            ranks: CellRanks::new(table.space()),
            board,
            goal: puzzle.goal().cells().iter().map(cell).collect(),
            vertices: board.vertex_count(),
            sources: has_one_empty.then(|| all.into_iter().map(sources).collect()),
        })
    }

    /// Returns the number of moves from a state to the goal, or `None` if the table does not have
    /// the state. Takes time O(1) with whole distances, and O(distance x moves) with distances
    /// modulo 3.
    pub fn distance(&self, cells: &[u8]) -> Option<u32> {
        let mut distance = [-1];
        self.distances(cells, &mut distance);
        u32::try_from(distance[0]).ok()
    }

    /// Writes the distance of each state, -1 where the table does not have it. `cells` are those of
    /// all states in their order. With distances modulo 3, many states go down to the goal
    /// together.
    ///
    /// # Panics
    ///
    /// Panics if there is not one distance for each state.
    pub fn distances(&self, cells: &[u8], distances: &mut [i16]) {
        assert_eq!(cells.len(), distances.len() * self.vertices, "one distance for each state");
        let states = cells.chunks(AT_ONCE * self.vertices);
        for (states, distances) in states.zip(distances.chunks_mut(AT_ONCE)) {
            let (mut ranks, mut stored) = ([None; AT_ONCE], [None; AT_ONCE]);
            let stored = &mut stored[..distances.len()];
            self.stored(states, &mut ranks[..distances.len()], stored);
            match self.table.encoding() {
                Encoding::Byte => {
                    for (distance, stored) in distances.iter_mut().zip(stored) {
                        *distance = stored.map_or(-1, i16::from);
                    }
                }
                Encoding::Mod3 => self.descend(states, stored, distances),
            }
        }
    }

    /// Marks for each state the number of every action that leads one move closer to the goal; none
    /// if the state meets the goal, or the table does not have it. `cells` are those of all states
    /// in their order, and `marks` are `states x actions`.
    ///
    /// # Panics
    ///
    /// Panics if there is not one mark for each state and action.
    pub fn optimal_actions(&self, actions: &Actions, cells: &[u8], marks: &mut [bool]) {
        let all = actions.count();
        assert_eq!(marks.len() * self.vertices, cells.len() * all, "one mark for each action");
        marks.fill(false);
        let (mut ranks, mut stored) = (Vec::new(), Vec::new());
        let (mut children, mut numbers) = (Vec::new(), Vec::new());
        let states = cells.chunks(AT_ONCE * self.vertices);
        for (states, marks) in states.zip(marks.chunks_mut(AT_ONCE * all)) {
            children.clear();
            numbers.clear();
            for (number, cells) in states.chunks_exact(self.vertices).enumerate() {
                if self.is_goal(cells) {
                    continue;
                }
                // The state itself, and then its children.
                children.extend_from_slice(cells);
                numbers.push(None);
                self.for_each_slide(cells, |from, to| {
                    push_slid(&mut children, cells, from, to);
                    let mv = move_of(from, to);
                    let label = Label::new((cells[from as usize] as usize).wrapping_sub(1));
                    let action = label.map_or(0, |label| actions.number(label, mv));
                    numbers.push(Some(number * all + action));
                });
            }
            ranks.resize(numbers.len(), None);
            stored.resize(numbers.len(), None);
            self.stored(&children, &mut ranks, &mut stored);
            let mut nearer = None;
            for (&number, &stored) in numbers.iter().zip(&stored) {
                match number {
                    None => nearer = stored.map(|here| self.nearer(here)),
                    Some(mark) => marks[mark] = nearer.is_some() && stored == nearer,
                }
            }
        }
    }

    /// Looks up what is stored for each state. All ranks are computed before the first is read.
    fn stored(&self, cells: &[u8], ranks: &mut [Option<u64>], stored: &mut [Option<u8>]) {
        self.ranks.ranks(cells, ranks);
        for (stored, rank) in stored.iter_mut().zip(ranks) {
            *stored = rank.and_then(|rank| self.table.stored_at(rank));
        }
    }

    fn nearer(&self, here: u8) -> u8 {
        match self.table.encoding() {
            Encoding::Byte => here.wrapping_sub(1),
            Encoding::Mod3 => (here + 2) % 3,
        }
    }

    fn is_goal(&self, cells: &[u8]) -> bool {
        cells.iter().zip(&self.goal).all(|(&cell, &wanted)| cell == wanted || wanted == OPEN)
    }

    /// Calls `each` with the two vertices of every slide in a state.
    fn for_each_slide(&self, cells: &[u8], mut each: impl FnMut(u8, u8)) {
        match &self.sources {
            Some(sources) => {
                let Some(empty) = cells.iter().position(|&cell| cell == 0) else { return };
                sources[empty].iter().for_each(|&from| each(from, empty as u8));
            }
            None => {
                let Some(state) = State::from_cells(cells) else { return };
                let occupied = state.occupied();
                for from in occupied {
                    for to in self.board.destinations(from, occupied) {
                        each(from.index() as u8, to.index() as u8);
                    }
                }
            }
        }
    }

    /// Descends from all states to the goal, all of them by one move at a time, and writes how many
    /// moves each takes; -1 where nothing is stored.
    ///
    /// Of the slides from a state that is not at the goal, one leads closer, and never the one that
    /// takes back the last. So the last of the others is not looked up: it is the one if they are
    /// not.
    fn descend(&self, cells: &[u8], stored: &[Option<u8>], distances: &mut [i16]) {
        let farthest = self.table.layers().depth();
        let mut now = cells.to_vec();
        let mut descents: Vec<Descent> = stored
            .iter()
            .enumerate()
            .filter_map(|(state, &here)| {
                Some(Descent { state, here: here?, moves: 0, back: None, slides: 0 })
            })
            .collect();
        distances.fill(-1);
        let (mut children, mut slides) = (Vec::new(), Vec::new());
        let (mut ranks, mut stored) = (Vec::new(), Vec::new());
        let at = |state: usize| state * self.vertices..(state + 1) * self.vertices;
        loop {
            // What a damaged table says may never come to an end.
            descents.retain(|descent| {
                let is_there = descent.here == 0 && self.is_goal(&now[at(descent.state)]);
                if is_there {
                    distances[descent.state] = descent.moves as i16;
                }
                !is_there && descent.moves < farthest
            });
            if descents.is_empty() {
                return;
            }
            children.clear();
            slides.clear();
            for descent in &mut descents {
                let (cells, first) = (&now[at(descent.state)], slides.len());
                self.for_each_slide(cells, |from, to| {
                    if descent.back != Some((from, to)) {
                        slides.push((from, to));
                    }
                });
                descent.slides = slides.len() - first;
                if let Some((_, others)) = slides[first..].split_last() {
                    others.iter().for_each(|&(from, to)| {
                        push_slid(&mut children, cells, from, to);
                    });
                }
            }
            let count = children.len() / self.vertices;
            ranks.resize(count, None);
            stored.resize(count, None);
            self.stored(&children, &mut ranks, &mut stored);
            let (mut slides, mut stored) = (&slides[..], &stored[..]);
            descents.retain_mut(|descent| {
                let (own, others) = slides.split_at(descent.slides);
                slides = others;
                let Some((last, _)) = own.split_last() else { return false };
                let (known, others) = stored.split_at(descent.slides - 1);
                stored = others;
                let nearer = self.nearer(descent.here);
                let found = known.iter().position(|&stored| stored == Some(nearer));
                let (from, to) = found.map_or(*last, |number| own[number]);
                now[at(descent.state)].swap(from as usize, to as usize);
                (descent.here, descent.moves) = (nearer, descent.moves + 1);
                descent.back = Some((to, from));
                true
            });
        }
    }
}

/// Appends the cells of a state after a slide.
fn push_slid(states: &mut Vec<u8>, cells: &[u8], from: u8, to: u8) {
    let first = states.len();
    states.extend_from_slice(cells);
    states[first..].swap(from as usize, to as usize);
}

fn move_of(from: u8, to: u8) -> Move {
    let vertex = |vertex: u8| Vertex::new(vertex as usize).expect("boards have such vertices only");
    Move { from: vertex(from), to: vertex(to) }
}
