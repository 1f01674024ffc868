//! A copy of the web application for any file host: the page, the boards, the levels with the exact
//! distances of small puzzles, lessons and the report, as files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use hyperslide_lab::{BoardDescription, Registry};
use hyperslide_puzzle::{Board, BoardSpec, Label, Metric, Puzzle, State, VertexSet};
use hyperslide_table::DistanceTable;
use include_dir::{Dir, DirEntry};
use jiff::civil::Date;
use serde::Serialize;
use serde_json::{Value, json};

use crate::advisor::Advisor;
use crate::assets::{FRONT_END, REPORT};
use crate::lesson::Lesson;
use crate::levels::{Day, FIRST_DAY, ladder, lesson_puzzles};
use crate::options::Options;

/// The most entries of a table in the copy, a byte each.
const TABLE_ENTRIES: u64 = 600_000;
/// What a table has for a state from which the goal cannot be reached.
const UNREACHABLE: u8 = u8::MAX;
/// The days for which the copy has puzzles.
const DAYS: usize = 366;
/// The heuristics of its lessons.
const LESSON_HEURISTICS: [&str; 2] = ["lone-token", "blind"];

/// Why a copy cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum SiteError {
    /// The place is not an empty directory, and something in it would be lost.
    #[error("{0} is not empty: name a new directory, or one that holds an earlier copy")]
    NotEmpty(PathBuf),
    /// The front-end is not part of this program.
    #[error(
        "this program was built without its front-end: run npm run build in web/, and build it again"
    )]
    NoFrontEnd,
    /// There are no daily puzzles on the first day.
    #[error(
        "there are no daily puzzles before {FIRST_DAY}, and the first day is {0}: name another --from"
    )]
    TooEarly(Date),
    /// A file cannot be written.
    #[error("cannot write {0}: {1}")]
    Io(PathBuf, io::Error),
}

/// What was written.
#[derive(Clone, Copy, Debug, Default)]
pub struct SiteSummary {
    /// The number of files.
    pub files: usize,
    /// Their bytes.
    pub bytes: u64,
    /// The number of tables of exact distances among them.
    pub tables: usize,
    /// The number of lessons among them.
    pub lessons: usize,
    /// The first and the last day that have a puzzle.
    pub days: Option<(Date, Date)>,
}

/// A file that only a copy has, so that an earlier one is known.
const MARK: &str = "data/levels.json";

/// The index of the tables.
const TABLES: &str = "data/tables.json";
/// The index of the lessons.
const LESSONS: &str = "data/lessons.json";
const INDEXES: [&str; 2] = [TABLES, LESSONS];

/// Writes a copy into a directory, which is made, is empty or holds an earlier copy. The daily
/// puzzles begin on the day `from`, and there is a year of them.
///
/// # Errors
///
/// When the directory holds something else, a file cannot be written, or the day comes before all
/// that have a puzzle.
pub fn write_site(out: &Path, from: Date) -> Result<SiteSummary, SiteError> {
    if from < FIRST_DAY {
        return Err(SiteError::TooEarly(from));
    }
    let is_empty =
        |dir: &Path| fs::read_dir(dir).map_or(true, |mut entries| entries.next().is_none());
    if !out.join(MARK).exists() && !is_empty(out) {
        return Err(SiteError::NotEmpty(out.to_owned()));
    }
    let mut site = Writer { out, written: BTreeSet::new(), summary: SiteSummary::default() };
    // The indexes of an earlier copy would lead to files of this one if it was not finished.
    for index in INDEXES {
        site.remove(&out.join(index))?;
    }
    // With the mark first, a copy that was not finished can be written again.
    site.levels(from)?;
    site.front_end(&FRONT_END)?;
    site.file("report.html", REPORT.as_bytes())?;
    site.json("data/algorithms.json", &Registry::all())?;
    site.boards()?;
    let advisor = Advisor::new(&Options { builds_tables: false, ..Options::default() });
    site.tables(&advisor)?;
    site.lessons()?;
    for folder in ["assets", "data/tables", "data/lessons"] {
        site.remove_others(&out.join(folder))?;
    }
    Ok(site.summary)
}

struct Writer<'a> {
    out: &'a Path,
    written: BTreeSet<PathBuf>,
    summary: SiteSummary,
}

impl Writer<'_> {
    fn file(&mut self, name: &str, bytes: &[u8]) -> Result<(), SiteError> {
        let path = self.out.join(name);
        let failed = |error| SiteError::Io(path.clone(), error);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        fs::write(&path, bytes).map_err(failed)?;
        self.written.insert(path);
        self.summary.files += 1;
        self.summary.bytes += bytes.len() as u64;
        Ok(())
    }

    fn remove(&self, path: &Path) -> Result<(), SiteError> {
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(SiteError::Io(path.to_owned(), error))
            }
            _ => Ok(()),
        }
    }

    /// Removes files of an earlier copy that this one does not have.
    fn remove_others(&self, folder: &Path) -> Result<(), SiteError> {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            // Links lead elsewhere.
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                self.remove_others(&path)?;
            } else if !self.written.contains(&path) {
                self.remove(&path)?;
            }
        }
        Ok(())
    }

    fn json(&mut self, name: &str, value: &impl Serialize) -> Result<(), SiteError> {
        let text = serde_json::to_vec(value).expect("what is served is plain data");
        self.file(name, &text)
    }

    /// The page as it is served, but marked as a copy.
    fn front_end(&mut self, dir: &Dir<'_>) -> Result<(), SiteError> {
        for entry in dir.entries() {
            match entry {
                DirEntry::Dir(dir) => self.front_end(dir)?,
                DirEntry::File(file) if file.path() == Path::new("index.html") => {
                    let page = file.contents_utf8().unwrap_or_default();
                    let marked = page.replacen("<html", "<html data-static=\"true\"", 1);
                    if marked == page {
                        return Err(SiteError::NoFrontEnd);
                    }
                    self.file("index.html", marked.as_bytes())?;
                }
                DirEntry::File(file) => {
                    self.file(&file.path().display().to_string(), file.contents())?;
                }
            }
        }
        Ok(())
    }

    /// Every grid and every cube that can be played, and the boards of the levels.
    fn boards(&mut self) -> Result<(), SiteError> {
        let grids =
            (2..=8).flat_map(|rows| (2..=8).map(move |columns| BoardSpec::Grid { rows, columns }));
        let cubes = (2..=6).flat_map(|d| (1..=d).map(move |k| BoardSpec::Cube { d, k }));
        let mut boards: BTreeMap<String, BoardDescription> = BTreeMap::new();
        for spec in grids.chain(cubes) {
            for metric in Metric::ALL {
                // Every grid and cube of these sizes can be built in both metrics.
                if let Ok(board) = Board::new(spec.clone(), metric) {
                    boards.insert(board.to_string(), BoardDescription::new(&board));
                }
            }
        }
        for puzzle in level_puzzles() {
            let board = puzzle.board();
            boards.entry(board.to_string()).or_insert_with(|| BoardDescription::new(board));
        }
        self.json("data/boards.json", &boards)
    }

    fn levels(&mut self, from: Date) -> Result<(), SiteError> {
        let mut days: Vec<Value> = Vec::new();
        for date in from.series(jiff::Span::new().days(1)).take(DAYS) {
            let Some(Day { number, title, puzzle, minimum }) = Day::of(date) else { continue };
            let first = self.summary.days.map_or(date, |(first, _)| first);
            self.summary.days = Some((first, date));
            days.push(json!({
                "date": date.to_string(),
                "number": number,
                "title": title,
                "puzzle": puzzle,
                "minimum": minimum,
            }));
        }
        self.json(MARK, &json!({ "groups": ladder().groups, "daily": days }))
    }

    /// A table for each goal of the levels whose puzzle is small enough, and an index of them: from
    /// the board and the goal, as in `cube:3:2 -> a=1,b=2`, to the file and the order of its
    /// labels.
    fn tables(&mut self, advisor: &Advisor) -> Result<(), SiteError> {
        let mut index: BTreeMap<String, Value> = BTreeMap::new();
        for puzzle in level_puzzles() {
            let key = format!("{} -> {}", puzzle.board(), puzzle.write_goal());
            let fits = puzzle.has_distinct_labels() && entries(&puzzle) <= TABLE_ENTRIES;
            if !fits || index.contains_key(&key) {
                continue;
            }
            let Some(table) = advisor.table(&puzzle) else { continue };
            let name = format!("{:03}.bin", index.len());
            self.file(&format!("data/tables/{name}"), &distances(&puzzle, &table))?;
            let labels: Vec<&str> = puzzle.labels().iter().map(|(_, label)| label).collect();
            index.insert(key, json!({ "file": name, "labels": labels }));
        }
        self.summary.tables = index.len();
        self.json(TABLES, &index)
    }

    /// The page's own lessons, a lesson for each level that is short enough, and an index of them.
    fn lessons(&mut self) -> Result<(), SiteError> {
        let mut index: BTreeMap<String, String> = BTreeMap::new();
        for puzzle in lesson_puzzles().chain(level_puzzles()) {
            for heuristic in LESSON_HEURISTICS {
                let Ok(lesson) = Lesson::new(&puzzle, heuristic) else { continue };
                let name = format!("{:03}.json", index.len());
                self.json(&format!("data/lessons/{name}"), &lesson)?;
                index.insert(format!("{heuristic} {puzzle}"), name);
            }
        }
        self.summary.lessons = index.len();
        self.json(LESSONS, &index)
    }
}

fn level_puzzles() -> impl Iterator<Item = Puzzle> {
    let levels = ladder().groups.iter().flat_map(|group| &group.levels);
    levels.filter_map(|level| Puzzle::from_line(&level.puzzle).ok())
}

/// The number of ways to place the tokens of a puzzle.
fn entries(puzzle: &Puzzle) -> u64 {
    let (vertices, tokens) = (puzzle.board().vertex_count(), puzzle.labels().len());
    (0..tokens).fold(1, |product: u64, token| product.saturating_mul((vertices - token) as u64))
}

/// The distances of all states, a byte each. The states are numbered in mixed radix: the first
/// token, in the order of the labels, has the number of its vertex, and each later one the number
/// of its vertex among those that the earlier ones leave free; the first is the most significant.
fn distances(puzzle: &Puzzle, table: &DistanceTable) -> Vec<u8> {
    let labels: Vec<Label> = puzzle.labels().iter().map(|(label, _)| label).collect();
    let mut bytes = Vec::with_capacity(entries(puzzle) as usize);
    place_all(
        &labels,
        VertexSet::first(puzzle.board().vertex_count()),
        State::EMPTY,
        &mut |state| {
            let distance = table.distance(state).and_then(|distance| u8::try_from(distance).ok());
            bytes.push(distance.unwrap_or(UNREACHABLE));
        },
    );
    bytes
}

/// Places a token of each label on vertices that are free, in every way, in the order of the
/// vertices, the last token's first.
fn place_all(labels: &[Label], free: VertexSet, state: State, visit: &mut dyn FnMut(&State)) {
    let Some((&label, others)) = labels.split_first() else { return visit(&state) };
    for vertex in free {
        let mut placed = state;
        placed.place(vertex, label);
        place_all(others, free - VertexSet::single(vertex), placed, visit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_hold_the_distance_of_every_state() {
        let puzzle = Puzzle::from_line("cube:3:1 a=0,b=3 -> a=7,b=4").unwrap();
        let advisor = Advisor::new(&Options { builds_tables: false, ..Options::default() });
        let table = advisor.table(&puzzle).unwrap();
        let bytes = distances(&puzzle, &table);
        assert_eq!(bytes.len(), 8 * 7);
        // a on 7 is the digit 7, and b on 4 the fifth of the vertices that are left.
        assert_eq!(bytes[7 * 7 + 4], 0);
        let start = table.distance(puzzle.start()).unwrap();
        assert_eq!(u32::from(bytes[2]), start);
        let reached = bytes.iter().filter(|&&byte| byte != UNREACHABLE).count() as u64;
        assert_eq!(reached, table.layers().total());
    }
}
