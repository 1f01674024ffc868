//! The ladder of levels, and the puzzle of each day, read from `levels/`.

use std::sync::LazyLock;
use std::time::Duration;

use hyperslide_lab::{KnownLength, Law, RandomPuzzles, find_instance};
use hyperslide_puzzle::{Metric, Puzzle};
use hyperslide_search::{Config, Control, Limits, Outcome, solve};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::input::read_board;

/// The ladder, from the first steps to the hardest states.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Ladder {
    /// Its groups in order.
    pub groups: Vec<Group>,
}

/// Levels that belong together.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Group {
    /// A word for links.
    pub id: String,
    /// What they are.
    pub title: String,
    /// A sentence about them.
    pub text: String,
    /// The levels in order.
    pub levels: Vec<Level>,
}

/// A puzzle to play.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Level {
    /// Its name: the group and its number, or the instance and its rule.
    pub id: String,
    /// What it is called.
    pub title: String,
    /// The puzzle in one line.
    pub puzzle: String,
    /// Its board.
    pub board: String,
    /// The number of tokens.
    pub tokens: usize,
    /// The number of moves of a shortest solution; null when there is no solution.
    pub minimum: Option<u32>,
    /// The minimum that was published, when it is another.
    pub published: Option<String>,
    /// What is worth knowing about it.
    pub note: Option<String>,
    /// Where it comes from.
    pub source: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LadderFile {
    group: Vec<GroupFile>,
    daily: Vec<DailyFile>,
    lesson: Vec<LessonFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GroupFile {
    id: String,
    title: String,
    text: String,
    source: Option<String>,
    level: Vec<LevelFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LevelFile {
    /// An instance, with its rule where it has one; or else a puzzle and its minimum.
    instance: Option<String>,
    puzzle: Option<String>,
    minimum: Option<u32>,
    title: String,
    published: Option<String>,
    note: Option<String>,
    source: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DailyFile {
    board: String,
    tokens: usize,
    title: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LessonFile {
    puzzle: String,
}

static FILE: LazyLock<LadderFile> = LazyLock::new(|| {
    toml::from_str(include_str!("../../../levels/ladder.toml"))
        .unwrap_or_else(|error| panic!("levels/ladder.toml: {error}"))
});

/// The ladder.
pub fn ladder() -> &'static Ladder {
    static LADDER: LazyLock<Ladder> =
        LazyLock::new(|| Ladder { groups: FILE.group.iter().map(read_group).collect() });
    &LADDER
}

/// The puzzles of the lesson.
pub fn lesson_puzzles() -> impl Iterator<Item = Puzzle> {
    FILE.lesson.iter().map(|lesson| {
        Puzzle::from_line(&lesson.puzzle)
            .unwrap_or_else(|error| panic!("levels/ladder.toml, {}: {error}", lesson.puzzle))
    })
}

fn read_group(file: &GroupFile) -> Group {
    let levels = file.level.iter().zip(1..).map(|(level, number)| read_level(file, level, number));
    Group {
        id: file.id.clone(),
        title: file.title.clone(),
        text: file.text.clone(),
        levels: levels.collect(),
    }
}

fn read_level(group: &GroupFile, file: &LevelFile, number: usize) -> Level {
    let wrong =
        |what: &str| -> ! { panic!("levels/ladder.toml, {}, level {number}: {what}", group.id) };
    let (id, puzzle, minimum, source) = match (&file.instance, &file.puzzle) {
        (Some(name), None) => {
            let Some((instance, rule)) = find_instance(name) else { wrong("no such instance") };
            let puzzle = match instance.puzzle(rule, Metric::Face) {
                Ok(puzzle) => puzzle,
                Err(error) => wrong(&error.to_string()),
            };
            let minimum = instance.known_length(rule).and_then(KnownLength::moves);
            (name.clone(), puzzle, minimum, Some(instance.source.clone()))
        }
        (None, Some(line)) => match Puzzle::from_line(line) {
            Ok(puzzle) => (format!("{}/{number}", group.id), puzzle, file.minimum, None),
            Err(error) => wrong(&error.to_string()),
        },
        _ => wrong("give an instance or a puzzle"),
    };
    let source = file.source.clone().or(source).or_else(|| group.source.clone());
    Level {
        id,
        title: file.title.clone(),
        board: puzzle.board().spec().to_string(),
        tokens: puzzle.start().occupied().len(),
        puzzle: puzzle.to_string(),
        minimum,
        published: file.published.clone(),
        note: file.note.clone(),
        source: source.unwrap_or_else(|| "Hyperslide".to_owned()),
    }
}

/// The day whose puzzle has the number 1.
pub const FIRST_DAY: Date = jiff::civil::date(2026, 1, 1);

/// The puzzle of a day: drawn uniformly among the solvable starts of a board that depends on the
/// day of the week, by a seed that is the number of the day.
fn daily_puzzle(date: Date) -> Option<(i32, &'static str, Puzzle)> {
    let number = (date - FIRST_DAY).get_days() + 1;
    let kind = &FILE.daily[usize::try_from(date.weekday().to_monday_zero_offset()).ok()?];
    let board = read_board(&kind.board, None).ok()?;
    let random = RandomPuzzles {
        board,
        tokens: kind.tokens,
        labels: None,
        goal: None,
        law: Law::Uniform,
        seed: u64::try_from(number).ok()?,
        time: Some(Duration::from_secs(5)),
    };
    // Where drawing it takes too long there is no puzzle yet, rather than another one.
    let puzzle = random.first_unsolved(16).ok()??;
    Some((number, &kind.title, puzzle))
}

/// The puzzle of a day, with its minimum.
#[derive(Clone)]
pub struct Day {
    /// The number of the day.
    pub number: i32,
    /// What kind of puzzle it is.
    pub title: &'static str,
    /// The puzzle in one line.
    pub puzzle: String,
    /// Those of [`minimum`].
    pub minimum: Option<u32>,
}

impl Day {
    /// Draws the puzzle of a day and solves it.
    pub fn of(date: Date) -> Option<Day> {
        let (number, title, puzzle) = daily_puzzle(date)?;
        Some(Day { number, title, minimum: minimum(&puzzle), puzzle: puzzle.to_string() })
    }
}

/// The number of moves of a shortest solution, when a search of some seconds proves it.
fn minimum(puzzle: &Puzzle) -> Option<u32> {
    let limits = Limits { time: Some(Duration::from_secs(5)), memory: Some(1 << 28), nodes: None };
    let control = Control { limits, ..Control::default() };
    match solve(puzzle, &Config::default(), &control).ok()?.outcome {
        Outcome::Solved { moves, optimal: true, .. } => Some(moves.len() as u32),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_ladder_can_be_read_and_no_level_stands_twice() {
        let mut seen = HashSet::new();
        for level in ladder().groups.iter().flat_map(|group| &group.levels) {
            assert!(seen.insert(level.puzzle.clone()), "{} stands twice", level.id);
        }
        assert!(seen.len() > 60);
    }

    #[test]
    fn every_day_has_a_puzzle() {
        let mut date = FIRST_DAY;
        for number in 1..=14 {
            let (found, _, puzzle) = daily_puzzle(date).unwrap();
            assert_eq!(found, number);
            assert_eq!(daily_puzzle(date).unwrap().2, puzzle);
            date = date.tomorrow().unwrap();
        }
    }
}
