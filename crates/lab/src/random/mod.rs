//! Random puzzles, the same for the same seed.

mod at_distance;
mod draws;
mod error;

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hyperslide_puzzle::{
    Arrangement, Board, EMPTY, Effort, InvalidPuzzle, LabelPositions, Problem, Puzzle, Setup,
    SolvabilityMemo, State, Vertex, Which,
};
use hyperslide_table::{
    Abstraction, BuildOptions, DistanceTable, Encoding, Layers, NEVER, STORED_STATE_BYTES, Signals,
    SpaceError, TableError, Watch,
};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use self::at_distance::at_distance;
use self::at_distance::nearby_states_at;
pub use self::at_distance::{draw_at_distance, draw_nearby, states_at};
use self::draws::attempts;
pub(crate) use self::draws::{below, walk};
pub use self::error::RandomError;
use crate::record::Machine;

/// How random puzzles are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Law {
    /// Every solvable start is equally likely.
    Uniform,
    /// A random walk from the goal. Its number of slides is drawn uniformly between the bounds, and
    /// each slide uniformly among the legal ones, except that a slide never undoes the one before
    /// it while there is another.
    Walk {
        /// The least number of slides.
        least: u32,
        /// The greatest number of slides.
        most: u32,
    },
    /// A number of attempts to slide, from the goal on, drawn uniformly between the bounds. Each
    /// attempt draws an empty vertex and then a direction from which a token may slide into it.
    /// Every vertex counts as having as many directions as the vertex with the most, and nothing
    /// moves when there is no token to slide from the direction that was drawn. An attempt may undo
    /// the one before it. After many attempts all starts that can be reached are equally
    /// likely, unless no attempt can fail and their number is fixed: its parity then decides.
    /// `DeepCubeA`'s test states are drawn in this way (Agostinelli et al. 2019).
    Attempts {
        /// The least number of attempts.
        least: u32,
        /// The greatest number of attempts.
        most: u32,
    },
    /// Every start whose shortest solution has exactly this many moves is equally likely.
    Distance(u32),
}

impl Law {
    /// Returns whether the start is reached by at least one step from the goal.
    fn walks(self) -> bool {
        matches!(self, Law::Walk { most: 1.., .. } | Law::Attempts { most: 1.., .. })
    }

    /// Returns whether other starts than the goal are wanted.
    fn leaves_goal(self) -> bool {
        self.walks() || self == Law::Uniform
    }
}

/// What is drawn.
#[derive(Clone, Debug)]
pub struct RandomPuzzles {
    /// The board.
    pub board: Board,
    /// The number of tokens.
    pub tokens: usize,
    /// The labels of the tokens 1, 2, ... where some are to be alike. The puzzles are those of
    /// tokens that are all different, which are then labelled so. A goal that has these labels
    /// keeps them.
    pub labels: Option<Vec<String>>,
    /// The goal. When it is missing, the usual one is taken on grids with one empty vertex, and
    /// elsewhere one is drawn for each puzzle.
    pub goal: Option<Arrangement>,
    /// How the starts are drawn.
    pub law: Law,
    /// The seed.
    pub seed: u64,
    /// The longest that drawing one puzzle may take, to be checked between its draws and while
    /// their solvability is decided, and the longest that the table of [`Law::Distance`] may take
    /// before; `None` for no limit.
    pub time: Option<Duration>,
}

/// Decides whether a puzzle can be solved; `None` when the effort does not suffice, the deadline
/// comes first or `cancel` becomes true.
pub(crate) fn is_solvable(
    puzzle: &Puzzle,
    memo: &mut SolvabilityMemo,
    deadline: Option<Instant>,
    cancel: &AtomicBool,
) -> Option<bool> {
    /// A million occupied sets, those of the 5-cube with six tokens among them: where four million
    /// decide no more, they take several seconds, and another draw takes less.
    const EFFORT: Effort = Effort { occupied_sets: 1 << 20, ..Effort::THOROUGH };

    let is_late = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
    memo.is_solvable(puzzle, EFFORT, &|_| cancel.load(Ordering::Relaxed) || is_late())
}

/// The most puzzles that are drawn in search of one that can be used.
pub(crate) const TRIES: u32 = 10_000;
/// The most puzzles, in search of one, whose solvability may remain undecided.
pub(crate) const UNDECIDED: u32 = 64;

/// The most states that are stored to draw from those at a distance, some seconds of search: the
/// 15-puzzle has 12 million within 22 moves, and 23 million within 23.
const MOST_NEARBY: u64 = 20_000_000;

/// How far the drawing of one random puzzle has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// The puzzle's number, from 0.
    pub number: u64,
    /// The number of draws for this puzzle that could not be used.
    pub refused: u32,
    /// The number of those whose solvability could not be decided.
    pub undecided: u32,
}

impl RandomPuzzles {
    /// The first `count` puzzles of the seed. A greater count adds puzzles behind the same ones.
    ///
    /// # Errors
    ///
    /// When the tokens or the goal do not fit the board, or no puzzle can be drawn.
    pub fn draw(&self, count: usize) -> Result<Vec<Puzzle>, RandomError> {
        self.each(count, |_| ())?.collect()
    }

    /// The puzzles of [`RandomPuzzles::draw`], each drawn when it is asked for. `report` is called
    /// before each draw.
    ///
    /// # Errors
    ///
    /// Those of [`RandomPuzzles::draw`].
    pub fn each(
        &self,
        count: usize,
        report: impl Fn(&Drawing),
    ) -> Result<impl Iterator<Item = Result<Puzzle, RandomError>>, RandomError> {
        self.each_until(count, report, &NEVER)
    }

    /// The same until `cancel` becomes true: the puzzle that is drawn then is
    /// [`RandomError::Cancelled`].
    ///
    /// # Errors
    ///
    /// Those of [`RandomPuzzles::draw`].
    pub fn each_until(
        &self,
        count: usize,
        report: impl Fn(&Drawing),
        cancel: &AtomicBool,
    ) -> Result<impl Iterator<Item = Result<Puzzle, RandomError>>, RandomError> {
        self.usual_goal()?;
        let exact = match self.law {
            Law::Distance(_) if self.labels.as_deref().is_some_and(are_alike) => {
                return Err(RandomError::LikeDistance);
            }
            Law::Distance(distance) => Some(self.exact(distance, cancel)?),
            _ => None,
        };
        let mut memo = SolvabilityMemo::default();
        Ok((0..count as u64).map(move |number| {
            let drawn = self.draw_one(number, exact.as_ref(), &mut memo, &report, cancel)?;
            self.labelled(drawn)
        }))
    }

    /// Returns the first of this many puzzles that is not solved from the beginning, or `None` if
    /// all are. Draws no more than it needs.
    ///
    /// # Errors
    ///
    /// Those of [`RandomPuzzles::draw`].
    pub fn first_unsolved(&self, tries: usize) -> Result<Option<Puzzle>, RandomError> {
        let is_unsolved = |puzzle: &Puzzle| !puzzle.goal().is_met(puzzle.start());
        self.each(tries, |_| ())?.find(|drawn| drawn.as_ref().map_or(true, is_unsolved)).transpose()
    }

    /// The puzzle of the seed with this number, from 0. [`Law::Distance`] is not supported.
    ///
    /// # Errors
    ///
    /// Those of [`RandomPuzzles::draw`].
    pub fn nth(&self, number: u64) -> Result<Puzzle, RandomError> {
        let memo = &mut SolvabilityMemo::default();
        self.labelled(self.draw_one(number, None, memo, &|_| (), &NEVER)?)
    }

    /// The same puzzle with the labels that its tokens are to have.
    fn labelled(&self, puzzle: Puzzle) -> Result<Puzzle, RandomError> {
        match &self.labels {
            Some(labels) if !has_labels(&puzzle, labels) => Ok(relabelled(&puzzle, labels)?),
            _ => Ok(puzzle),
        }
    }

    fn draw_one(
        &self,
        number: u64,
        exact: Option<&Exact>,
        memo: &mut SolvabilityMemo,
        report: &dyn Fn(&Drawing),
        cancel: &AtomicBool,
    ) -> Result<Puzzle, RandomError> {
        // Each puzzle has a stream of its own.
        let seed = self.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(number);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let usual_goal = self.usual_goal()?;
        let is_cancelled = || cancel.load(Ordering::Relaxed);
        let (mut undecided, mut stuck) = (0, 0);
        let deadline = self.time.and_then(|time| Instant::now().checked_add(time));
        for refused in 0..TRIES {
            if let Some(time) = self.time
                && deadline.is_some_and(|deadline| Instant::now() >= deadline)
            {
                return Err(RandomError::Time(time));
            }
            if is_cancelled() {
                return Err(RandomError::Cancelled);
            }
            report(&Drawing { number, refused, undecided });
            let goal = match &usual_goal {
                Some(puzzle) => puzzle.clone(),
                None => self.drawn_goal(&mut random)?,
            };
            // No other start leads to such a goal: the puzzle would be solved from the beginning.
            let is_stuck = goal.board().legal_moves(goal.start()).is_empty();
            if is_stuck && usual_goal.is_some() && self.law.leaves_goal() {
                return Err(RandomError::StuckGoal);
            }
            if is_stuck && self.law.walks() {
                stuck += 1;
                continue;
            }
            let start = match (self.law, exact) {
                (Law::Uniform, _) => {
                    let labels = goal.labels().iter().map(|(label, _)| label);
                    self.places(&mut random).into_iter().zip(labels).collect()
                }
                (Law::Walk { least, most }, _) => walk(&goal, (least, most), &mut random, cancel),
                (Law::Attempts { least, most }, _) => attempts(&goal, least, most, &mut random),
                (Law::Distance(distance), Some(Exact::Table(table))) => {
                    let state = at_distance(table, distance, deadline, &mut random, cancel);
                    state.ok_or_else(|| match is_cancelled() {
                        true => RandomError::Cancelled,
                        false => RandomError::Time(self.time.unwrap_or_default()),
                    })?
                }
                (Law::Distance(_), Some(Exact::Layer(states))) => {
                    states[below(&mut random, states.len() as u64)]
                }
                (Law::Distance(_), None) => return Err(RandomError::NoGoal),
            };
            // A walk ends early then.
            if is_cancelled() {
                return Err(RandomError::Cancelled);
            }
            let puzzle = goal.with_start(start).expect("the start has the tokens of the goal");
            if self.law != Law::Uniform {
                return Ok(puzzle);
            }
            if is_stuck {
                stuck += 1;
                continue;
            }
            match is_solvable(&puzzle, memo, deadline, cancel) {
                Some(true) => return Ok(puzzle),
                Some(false) => {}
                None => undecided += 1,
            }
            if undecided == UNDECIDED {
                return Err(RandomError::Undecided { tries: refused + 1, undecided });
            }
        }
        Err(if stuck == TRIES {
            RandomError::NoneMoves(TRIES)
        } else if undecided > 0 {
            RandomError::Undecided { tries: TRIES, undecided }
        } else {
            RandomError::NoneSolvable(TRIES)
        })
    }

    /// The puzzle whose start and goal are both the common goal; `None` when each puzzle has its
    /// own.
    pub(crate) fn usual_goal(&self) -> Result<Option<Puzzle>, RandomError> {
        let vertices = self.board.vertex_count();
        if !(1..vertices).contains(&self.tokens) {
            return Err(RandomError::Tokens { tokens: self.tokens, vertices });
        }
        if let Some(labels) = &self.labels
            && labels.len() != self.tokens
        {
            return Err(RandomError::Labels { labels: labels.len(), tokens: self.tokens });
        }
        let has_rows = self.board.spec().rows_and_columns().is_some();
        let usual = || {
            let tokens = (1..=self.tokens).map(|token| token.to_string());
            Arrangement::ByVertex(tokens.chain([EMPTY.to_owned()]).collect())
        };
        let one_empty = self.tokens + 1 == vertices;
        let goal = self.goal.clone().or_else(|| (has_rows && one_empty).then(usual));
        let Some(goal) = goal else { return Ok(None) };
        let of_goal = goal.token_count();
        let setup = Setup { start: goal.clone(), goal: Some(goal) };
        let puzzle = Puzzle::new(self.board.clone(), &setup).map_err(of_the_goal)?;
        if !puzzle.has_distinct_labels() && self.labels.is_none() {
            return Err(RandomError::LikeTokens);
        }
        if of_goal != self.tokens {
            return Err(RandomError::GoalTokens { tokens: self.tokens, of_goal });
        }
        if let Some(labels) = self.labels.as_ref().filter(|_| !puzzle.has_distinct_labels()) {
            let numbered = numbered(&puzzle, labels);
            return numbered.map(Some).ok_or(RandomError::GoalLabels { tokens: self.tokens });
        }
        let numbers: Vec<String> = (1..=self.tokens).map(|token| token.to_string()).collect();
        if let Some(labels) = &self.labels
            && !has_labels(&puzzle, labels)
            && !has_labels(&puzzle, &numbers)
        {
            return Err(RandomError::GoalLabels { tokens: self.tokens });
        }
        Ok(Some(puzzle))
    }

    /// A random vertex for each token.
    fn places(&self, random: &mut Xoshiro256PlusPlus) -> Vec<Vertex> {
        let mut vertices: Vec<Vertex> = self.board.vertices().collect();
        for place in 0..self.tokens {
            let other = place + below(random, (vertices.len() - place) as u64);
            vertices.swap(place, other);
        }
        vertices.truncate(self.tokens);
        vertices
    }

    /// The puzzle whose start and goal are both a random state.
    fn drawn_goal(&self, random: &mut Xoshiro256PlusPlus) -> Result<Puzzle, RandomError> {
        let tokens = (1..=self.tokens).zip(self.places(random));
        let positions = tokens.map(|(token, vertex)| LabelPositions {
            label: token.to_string(),
            vertices: vec![vertex.index()],
            others_anywhere: false,
        });
        let start = Arrangement::ByLabel(positions.collect());
        Ok(Puzzle::new(self.board.clone(), &Setup { goal: Some(start.clone()), start })?)
    }

    /// Whatever fits: the table of the whole component, or the states at the distance alone.
    fn exact(&self, distance: u32, cancel: &AtomicBool) -> Result<Exact, RandomError> {
        let goal = self.usual_goal()?.ok_or(RandomError::NoGoal)?;
        let too_large = match self.table(&goal, distance, cancel) {
            Err(
                error @ (RandomError::TableMemory { .. }
                | RandomError::Table(TableError::Space(
                    SpaceError::TooManyArrangements { .. }
                    | SpaceError::TooManySets { .. }
                    | SpaceError::Memory { .. },
                ))),
            ) => error,
            table => return table.map(|table| Exact::Table(Box::new(table))),
        };
        let deadline = self.time.and_then(|time| Instant::now().checked_add(time));
        let most = MOST_NEARBY.min(Machine::memory_to_use() / STORED_STATE_BYTES);
        match nearby_states_at(&goal, distance, most, Watch::new(Some(cancel), deadline))? {
            _ if cancel.load(Ordering::Relaxed) => Err(RandomError::Cancelled),
            Some(states) => Ok(Exact::Layer(states)),
            None => Err(RandomError::TooFar { distance, too_large: Box::new(too_large) }),
        }
    }

    fn table(
        &self,
        goal: &Puzzle,
        distance: u32,
        cancel: &AtomicBool,
    ) -> Result<DistanceTable, RandomError> {
        let abstraction = Abstraction::whole(goal).map_err(TableError::from)?;
        let options = BuildOptions {
            encoding: Encoding::Byte,
            memory: Machine::memory_to_use(),
            ..BuildOptions::default()
        };
        let deadline = self.time.and_then(|time| Instant::now().checked_add(time));
        let watch = Watch::new(Some(cancel), deadline);
        let mut until = |layers: &Layers| match layers.depth() >= distance {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        let built = watch.during(|stop| {
            DistanceTable::build(abstraction, &options, &Signals::new(stop), &mut until)
        });
        let table = match (built, self.time) {
            (Err(TableError::Cancelled | TableError::Space(SpaceError::Stopped)), Some(time)) => {
                return Err(RandomError::TableTime(time));
            }
            (Err(TableError::Memory { needed, limit }), _) => {
                return Err(RandomError::TableMemory { needed, limit });
            }
            (built, _) => built?,
        };
        let farthest = table.layers().depth();
        if let (false, Some(time)) = (table.layers().complete || farthest >= distance, self.time) {
            return Err(RandomError::TableTime(time));
        }
        if farthest < distance {
            return Err(RandomError::NotSoFar { wanted: distance, farthest });
        }
        Ok(table)
    }
}

/// Where starts at an exact distance are drawn from.
enum Exact {
    Table(Box<DistanceTable>),
    /// All states at the distance.
    Layer(Vec<State>),
}

/// Returns whether two of the labels are the same.
fn are_alike(labels: &[String]) -> bool {
    labels.iter().collect::<BTreeSet<_>>().len() < labels.len()
}

/// Returns whether a puzzle of tokens that are all different has these labels, in any order.
fn has_labels(puzzle: &Puzzle, labels: &[String]) -> bool {
    let own: BTreeSet<&str> = puzzle.labels().iter().map(|(_, label)| label).collect();
    own.len() == labels.len() && own == labels.iter().map(String::as_str).collect()
}

/// The same puzzle with these labels in place of its own, in their order.
fn relabelled(puzzle: &Puzzle, labels: &[String]) -> Result<Puzzle, InvalidPuzzle> {
    let arrangement = |state: &State| {
        let label = |vertex| state.label_at(vertex).map_or(EMPTY, |label| &labels[label.index()]);
        Arrangement::ByVertex(puzzle.board().vertices().map(|v| label(v).to_owned()).collect())
    };
    let (start, goal) = (arrangement(puzzle.start()), arrangement(puzzle.goal().labelled()));
    Puzzle::new(puzzle.board().clone(), &Setup { start, goal: Some(goal) })
}

/// The puzzle with the number of a token, from 1, in place of each label of its start; `None`
/// unless it has these labels.
fn numbered(puzzle: &Puzzle, labels: &[String]) -> Option<Puzzle> {
    let mut cells = vec![EMPTY.to_owned(); puzzle.board().vertex_count()];
    let mut left: Vec<(Vertex, &str)> = puzzle
        .start()
        .tokens()
        .map(|(vertex, label)| (vertex, puzzle.labels().name(label)))
        .collect();
    for (token, label) in (1..).zip(labels) {
        let place = left.iter().position(|(_, own)| own == label)?;
        let (vertex, _) = left.remove(place);
        cells[vertex.index()] = token.to_string();
    }
    let start = Arrangement::ByVertex(cells);
    Puzzle::new(puzzle.board().clone(), &Setup { goal: Some(start.clone()), start }).ok()
}

/// What is wrong with a goal that was read as a start as well.
fn of_the_goal(error: InvalidPuzzle) -> RandomError {
    let has = |is: fn(&Problem) -> bool| error.reasons.iter().any(is);
    if has(|problem| matches!(problem, Problem::OpenStart(_))) {
        return RandomError::OpenGoal;
    }
    if has(|problem| matches!(problem, Problem::EmptyInStart)) {
        return RandomError::EmptyInGoal;
    }
    RandomError::Puzzle(error.of(Which::Goal))
}

#[cfg(test)]
mod tests {
    use hyperslide_puzzle::{BoardSource, Metric};
    use hyperslide_search::{Config, Control, Outcome, solve};

    use super::*;

    fn puzzles(board: &str, tokens: usize, law: Law) -> RandomPuzzles {
        let Ok(BoardSource::Spec(spec)) = board.parse() else { panic!("{board}") };
        let board = Board::new(spec, Metric::Face).unwrap();
        RandomPuzzles { board, tokens, labels: None, goal: None, law, seed: 7, time: None }
    }

    fn shortest(puzzle: &Puzzle) -> Option<usize> {
        let report = solve(puzzle, &Config::default(), &Control::default()).unwrap();
        match report.outcome {
            Outcome::Solved { moves, optimal: true, .. } => Some(moves.len()),
            _ => None,
        }
    }

    #[test]
    fn the_first_unsolved_puzzle_is_drawn() {
        let mut passed_over = 0;
        for seed in 0..40 {
            let random = RandomPuzzles { seed, ..puzzles("grid:2:2", 3, Law::Uniform) };
            let drawn = random.draw(8).unwrap();
            let place = drawn.iter().position(|puzzle| !puzzle.goal().is_met(puzzle.start()));
            passed_over += place.unwrap_or(8);
            assert_eq!(random.first_unsolved(8).unwrap(), place.map(|place| drawn[place].clone()));
        }
        assert!(passed_over > 0);
        let random = puzzles("grid:2:2", 3, Law::Walk { least: 0, most: 0 });
        assert_eq!(random.first_unsolved(3).unwrap(), None);
    }

    #[test]
    fn goals_that_cannot_move_are_drawn_again() {
        // An eighth of these goals are stuck.
        let random = RandomPuzzles {
            seed: 1,
            ..puzzles("cube:3:2", 4, Law::Walk { least: 100, most: 100 })
        };
        for puzzle in random.draw(50).unwrap() {
            assert!(!puzzle.goal().is_met(puzzle.start()), "{puzzle}");
        }
        let stuck = puzzles("cube:3:3", 7, Law::Walk { least: 1, most: 9 });
        assert!(matches!(stuck.draw(1), Err(RandomError::NoneMoves(_))));
        let goal = "1=0,2=1,3=2,4=4,5=3,6=5,7=6".parse().ok();
        let named = RandomPuzzles { goal, ..stuck };
        assert!(matches!(named.draw(1), Err(RandomError::StuckGoal)));
        // Nor is any start but the goal solvable there, which is a reason of its own.
        let named = RandomPuzzles { law: Law::Uniform, ..named };
        assert!(matches!(named.draw(1), Err(RandomError::StuckGoal)));
        for seed in 1..7 {
            let stuck = RandomPuzzles { seed, ..puzzles("cube:3:2", 7, Law::Uniform) };
            assert!(matches!(stuck.draw(1), Err(RandomError::NoneMoves(_))), "seed {seed}");
        }
        // Whoever asks for no step gets none.
        assert!(puzzles("cube:3:3", 7, Law::Walk { least: 0, most: 0 }).draw(1).is_ok());
    }

    #[test]
    fn near_the_goal_there_are_exact_distances_without_a_table() {
        let random = RandomPuzzles { seed: 3, ..puzzles("grid:4:4", 15, Law::Distance(13)) };
        let drawn = random.draw(4).unwrap();
        assert!(drawn.iter().all(|puzzle| shortest(puzzle) == Some(13)));
        assert_eq!(drawn, random.draw(4).unwrap());
        // The same states as those of a table.
        let small = puzzles("grid:3:3", 8, Law::Uniform);
        let goal = small.usual_goal().unwrap().unwrap();
        let table = small.table(&goal, 31, &NEVER).unwrap();
        let nearby = |distance, most| nearby_states_at(&goal, distance, most, Watch::default());
        for distance in [0, 1, 17, 31] {
            let states = nearby(distance, u64::MAX).unwrap().unwrap();
            assert_eq!(states.len() as u64, table.layers().states[distance as usize]);
            assert!(states.iter().all(|state| table.distance(state) == Some(distance)));
        }
        assert_eq!(nearby(17, 100).unwrap(), None);
        let too_far = nearby(32, u64::MAX);
        assert!(matches!(too_far, Err(RandomError::NotSoFar { wanted: 32, farthest: 31 })));
    }

    #[test]
    fn they_can_be_solved_and_are_the_same_for_the_same_seed() {
        for (board, tokens) in [("grid:3:3", 8), ("cube:3:2", 4), ("cube:4:3", 5), ("grid:2:4", 5)]
        {
            let random = puzzles(board, tokens, Law::Uniform);
            let drawn = random.draw(20).unwrap();
            assert_eq!(drawn[..5], random.draw(5).unwrap());
            assert!(drawn.iter().all(|puzzle| shortest(puzzle).is_some()), "{board}");
            assert_ne!(drawn[0], RandomPuzzles { seed: 8, ..random }.draw(1).unwrap()[0]);
        }
        assert!(puzzles("cube:3:2", 8, Law::Uniform).draw(1).is_err());
        assert!(puzzles("cube:3:2", 0, Law::Uniform).draw(1).is_err());
        // Every start is isolated, and hardly ever its own goal.
        assert!(puzzles("cube:4:4", 15, Law::Uniform).draw(1).is_err());
    }

    #[test]
    fn tokens_that_are_alike_are_named_afterwards() {
        let labels = |text: &str| Some(text.split(',').map(str::to_owned).collect());
        let different = puzzles("grid:3:3", 8, Law::Uniform);
        let alike = RandomPuzzles { labels: labels("a,a,a,b,b,b,c,c"), ..different.clone() };
        let text = |puzzle: &Puzzle| puzzle.write_state(puzzle.start());
        for (different, alike) in different.draw(9).unwrap().iter().zip(alike.draw(9).unwrap()) {
            let named = text(different).replace(['1', '2', '3'], "a").replace(['4', '5', '6'], "b");
            assert_eq!(text(&alike), named.replace(['7', '8'], "c"));
            let Some(length) = shortest(&alike) else { panic!("{alike}") };
            assert!(length <= shortest(different).unwrap());
        }
        let few = RandomPuzzles { labels: labels("a,b"), ..different };
        assert!(matches!(few.draw(1), Err(RandomError::Labels { labels: 2, tokens: 8 })));
    }

    #[test]
    fn a_goal_may_have_the_labels_of_the_tokens() {
        let labels = |text: &str| text.split(',').map(str::to_owned).collect::<Vec<String>>();
        let with_goal = |goal: &str| RandomPuzzles {
            labels: Some(labels("a,a,b,b")),
            goal: Some(goal.parse().unwrap()),
            ..puzzles("grid:2:3", 4, Law::Uniform)
        };
        let drawn = with_goal("b,a,0,a,b,0").draw(50).unwrap();
        for puzzle in &drawn {
            assert_eq!(puzzle.write_state(puzzle.goal().labelled()), "b,a,0,a,b,0", "{puzzle}");
        }
        // The puzzles are those of the numbers that the labels stand for.
        let numbers = with_goal("3,1,0,2,4,0").draw(50).unwrap();
        assert_eq!(numbers.len(), drawn.len());
        assert!(numbers.iter().zip(&drawn).all(|(a, b)| a.to_string() == b.to_string()));
        let error = with_goal("b,b,0,a,b,0").draw(1).unwrap_err();
        assert!(matches!(error, RandomError::GoalLabels { tokens: 4 }), "{error}");
    }

    #[test]
    fn exact_distances_are_exact() {
        for distance in [0, 1, 13, 31] {
            for puzzle in puzzles("grid:3:3", 8, Law::Distance(distance)).draw(5).unwrap() {
                assert_eq!(shortest(&puzzle), Some(distance as usize));
            }
        }
        let error = puzzles("grid:3:3", 8, Law::Distance(32)).draw(1).unwrap_err();
        assert!(error.to_string().contains("the farthest is 31"), "{error}");
    }

    #[test]
    fn walks_are_no_longer_than_asked_for() {
        for puzzle in puzzles("grid:4:4", 15, Law::Walk { least: 0, most: 12 }).draw(50).unwrap() {
            assert!(shortest(&puzzle).unwrap() <= 12);
        }
    }

    #[test]
    fn attempts_tend_to_all_states_alike() {
        // No attempt fails on 2x2, so that each length has its half of the states.
        let law = Law::Attempts { least: 200, most: 201 };
        let drawn = puzzles("grid:2:2", 3, law).draw(1200).unwrap();
        assert!(chi_squared_of_twelve(&drawn) < 31.3);
        let mut odd = 0;
        for puzzle in
            puzzles("grid:4:4", 15, Law::Attempts { least: 12, most: 12 }).draw(50).unwrap()
        {
            let moves = shortest(&puzzle).unwrap();
            assert!(moves <= 12);
            odd += moves % 2;
        }
        assert!((1..50).contains(&odd), "an attempt that fails changes no parity");
        // Tokens on most of a cube's vertices, and moves through faces: never more ways than are
        // drawn from.
        for (board, tokens) in [("cube:4:2", 8), ("cube:3:3", 1), ("grid:2:4", 5)] {
            let drawn =
                puzzles(board, tokens, Law::Attempts { least: 50, most: 60 }).draw(20).unwrap();
            assert!(drawn.iter().all(|puzzle| shortest(puzzle).is_some()), "{board}");
        }
    }

    /// How far the counts of the 12 states of the 2x2 puzzle are from a hundred each.
    fn chi_squared_of_twelve(drawn: &[Puzzle]) -> f64 {
        let mut counts = std::collections::BTreeMap::new();
        for puzzle in drawn {
            *counts.entry(puzzle.to_string()).or_insert(0i32) += 1;
        }
        assert_eq!(counts.len(), 12);
        counts.values().map(|&n| f64::from((n - 100).pow(2)) / 100.0).sum()
    }

    /// All 12 states of the 2x2 puzzle: 1,200 draws, a chi-squared of 11 degrees of freedom under
    /// its 0.001 quantile.
    #[test]
    fn starts_are_uniform() {
        let chi = chi_squared_of_twelve(&puzzles("grid:2:2", 3, Law::Uniform).draw(1200).unwrap());
        assert!(chi < 31.3, "{chi}");
    }
}
