//! Plays as tables: written for other programs, and read again.
//!
//! A row is a play. All formats have the same columns, which `docs/plays.md` describes.

mod columns;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::{self, Read, Write};
use std::str::FromStr;

use hyperslide_puzzle::{BoardSpec, Puzzle, shorten};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::day::{EPOCH, date};
use crate::play::{Kind, Play, PlayError, Verified, check_puzzle};
use crate::ranked::check_without_clock;
use crate::store::{Group, KeptPlay, NewPerson, Person, Store, StoreError};

/// Plays that are read from or written to a database at a time.
const PART: usize = 1000;
/// The greatest place of a play among the plays of its person: none has made as many, and there is
/// room for those that come after.
const MAX_NUMBER: i64 = 1_000_000_000;

/// How a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Values with commas between them, with a head line.
    Csv,
    /// An object of JSON on each line.
    Jsonl,
    /// Apache Parquet, compressed by Snappy.
    Parquet,
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Format, String> {
        match text {
            "csv" => Ok(Format::Csv),
            "jsonl" => Ok(Format::Jsonl),
            "parquet" => Ok(Format::Parquet),
            _ => Err(format!("the format '{text}' is unknown: write csv, jsonl or parquet")),
        }
    }
}

/// Why plays cannot be written or read.
#[derive(Debug, Error)]
pub enum ExchangeError {
    /// The database does not answer.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The file cannot be written.
    #[error("cannot write the plays: {0}")]
    Write(#[source] io::Error),
    /// A row is not a play that a server would have kept.
    #[error("row {row} is not a play: {reason}; the rows before it are kept")]
    Row {
        /// Its number, from 1, without the head.
        row: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// The file cannot be read, or is not such a table.
    #[error("this is not a table of plays: {0}")]
    Malformed(String),
}

/// A play as a row of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Row {
    /// Its name.
    pub id: String,
    /// The code of the person.
    pub person: String,
    /// The pseudonym.
    pub name: String,
    /// The policy that made it, when the person does not exist.
    pub simulated: Option<String>,
    /// Its place among the plays of the person, from 1.
    pub number: i64,
    /// The puzzle in one line.
    pub puzzle: String,
    /// The board with its metric.
    pub board: String,
    /// The number of tokens.
    pub tokens: i64,
    /// `explore`, `timed` or `fewest`.
    pub kind: String,
    /// `hover`, `click`, `keys`, `touch` or `typed`.
    pub control: String,
    /// Whether the numbers of the tiles vanished after the first move.
    pub blind: bool,
    /// Whether hints or distances were used.
    pub helped: bool,
    /// Whether it ends in the goal.
    pub solved: bool,
    /// The number of moves.
    pub length: i64,
    /// The number of multi-tile moves, on grids with one empty cell.
    pub multi: Option<i64>,
    /// Milliseconds from its beginning to its last move.
    pub ms: i64,
    /// The day on which it was kept.
    pub day: Date,
    /// The moves with their times, as `13-5@240 5-4@1200`.
    pub moves: String,
}

impl Row {
    fn new(play: KeptPlay, person: Person) -> Row {
        let Group { board, tokens, kind, control, blind } = play.group;
        Row {
            id: play.id,
            person: person.code,
            name: person.name,
            simulated: person.simulated,
            number: play.number,
            puzzle: play.puzzle,
            board,
            tokens,
            kind: kind.name().to_owned(),
            control: control.name().to_owned(),
            blind,
            helped: play.helped,
            solved: play.solved,
            length: play.length,
            multi: play.multi,
            ms: play.ms,
            day: date(play.day),
            moves: play.moves,
        }
    }

    /// The play, once its moves were played again by the rule: what follows from them is computed,
    /// and must be what the row says.
    fn verify(&self, person: i64) -> Result<KeptPlay, String> {
        let puzzle = Puzzle::from_line(&self.puzzle).map_err(|error| error.to_string())?;
        let name = |error: PlayError| error.to_string();
        check_puzzle(&puzzle.to_string()).map_err(name)?;
        let play: Play = self.moves.parse().map_err(name)?;
        let verified = play.verify(&puzzle).map_err(name)?;
        let kind: Kind = self.kind.parse().map_err(name)?;
        let control = self.control.parse().map_err(name)?;
        let group = Group::of(&puzzle, kind, control, self.blind);
        let since = self.day.since(EPOCH).map_err(|error| error.to_string())?;
        let kept = KeptPlay {
            number: self.number,
            ..KeptPlay::new(
                self.id.clone(),
                person,
                &puzzle,
                group,
                (&play, &verified),
                self.helped,
                since.get_days().into(),
            )
        };
        let texts = [
            ("id", self.id.as_str()),
            ("person", &self.person),
            ("name", &self.name),
            ("simulated", self.simulated.as_deref().unwrap_or_default()),
        ];
        let number = |multi: Option<i64>| multi.map_or(String::new(), |multi| multi.to_string());
        let says = [
            ("length", self.length.to_string(), kept.length.to_string()),
            ("ms", self.ms.to_string(), kept.ms.to_string()),
            ("solved", self.solved.to_string(), kept.solved.to_string()),
            ("board", self.board.clone(), kept.group.board.clone()),
            ("tokens", self.tokens.to_string(), kept.group.tokens.to_string()),
            // It may be left empty.
            ("multi", number(self.multi.or(kept.multi)), number(kept.multi)),
        ];
        match says.into_iter().find(|(_, says, is)| says != is) {
            Some((column, says, is)) => {
                Err(format!("{column} is {says}, but its moves make it {is}"))
            }
            None if self.id.is_empty() || self.person.is_empty() => {
                Err("id and person must not be empty".to_owned())
            }
            None if texts.iter().any(|(_, text)| text.contains(char::is_control)) => {
                Err("id, person, name and simulated must not contain control characters".to_owned())
            }
            None if let Some((column, text)) =
                texts.into_iter().find(|(_, text)| !is_plain(text)) =>
            {
                Err(format!(
                    "{column} is '{}', which other programs may take for a formula or a tag: write it without \
                     < and >, and begin it with a letter",
                    shorten(text)
                ))
            }
            None if kept.day < 0 => Err(format!("day is {}: write {EPOCH} or later", self.day)),
            None if !(1..=MAX_NUMBER).contains(&self.number) => {
                Err(format!("number is {}: write 1 to {MAX_NUMBER}", self.number))
            }
            None => self.check_kind(&puzzle, kind, &verified).map(|()| kept),
        }
    }

    /// Checks that a server would have kept a play of this kind.
    fn check_kind(&self, puzzle: &Puzzle, kind: Kind, verified: &Verified) -> Result<(), String> {
        if self.blind && kind == Kind::Explore {
            return Err("blind is true, but only ranked plays are blind".to_owned());
        }
        if self.blind && !matches!(puzzle.board().spec(), BoardSpec::Grid { .. }) {
            return Err(format!(
                "blind is true, but only grids are played blind, not {}",
                self.board
            ));
        }
        if kind == Kind::Explore {
            return Ok(());
        }
        if puzzle.goal().is_met(puzzle.start()) {
            return Err("a ranked play starts from a puzzle that is not solved already".to_owned());
        }
        check_without_clock(kind, verified, self.helped).map_err(|refused| refused.to_string())
    }
}

/// Returns whether a text shows as it is, in pages and in tables of other programs.
fn is_plain(text: &str) -> bool {
    !text.starts_with(['=', '+', '-', '@']) && !text.contains(['<', '>'])
}

/// Writes all plays, and returns their number.
///
/// # Errors
///
/// When the database does not answer, or the file cannot be written.
pub async fn export(
    store: &dyn Store,
    format: Format,
    out: impl Write + Send,
) -> Result<u64, ExchangeError> {
    let mut rows = Rows::new(format, out)?;
    let (mut after, mut written) = (String::new(), 0);
    loop {
        let part = store.plays(&after, PART as u32).await?;
        let Some((last, _)) = part.last() else { break };
        after.clone_from(&last.id);
        written += part.len() as u64;
        rows.write(part.into_iter().map(|(play, person)| Row::new(play, person)).collect())?;
    }
    rows.finish()?;
    Ok(written)
}

/// A table that is being written.
enum Rows<W: Write + Send> {
    Csv(Box<csv::Writer<W>>),
    Jsonl(W),
    Parquet(Box<columns::Columns<W>>),
}

impl<W: Write + Send> Rows<W> {
    fn new(format: Format, out: W) -> Result<Rows<W>, ExchangeError> {
        Ok(match format {
            Format::Csv => {
                // A table without rows has its head, too.
                let mut out = csv::WriterBuilder::new().has_headers(false).from_writer(out);
                out.write_record(columns::names()).map_err(unwritten_csv)?;
                Rows::Csv(Box::new(out))
            }
            Format::Jsonl => Rows::Jsonl(out),
            Format::Parquet => Rows::Parquet(Box::new(columns::Columns::new(out)?)),
        })
    }

    fn write(&mut self, part: Vec<Row>) -> Result<(), ExchangeError> {
        match self {
            Rows::Csv(out) => {
                part.iter().try_for_each(|row| out.serialize(row).map_err(unwritten_csv))
            }
            Rows::Jsonl(out) => part.iter().try_for_each(|row| {
                let line = serde_json::to_string(row).map_err(io::Error::from);
                let written = line.and_then(|line| writeln!(out, "{line}"));
                written.map_err(ExchangeError::Write)
            }),
            Rows::Parquet(columns) => columns.write(part),
        }
    }

    fn finish(self) -> Result<(), ExchangeError> {
        match self {
            Rows::Csv(mut out) => out.flush().map_err(ExchangeError::Write),
            Rows::Jsonl(mut out) => out.flush().map_err(ExchangeError::Write),
            Rows::Parquet(columns) => columns.finish(),
        }
    }
}

/// Keeps the system's own error, whose kind says what to do about it.
fn unwritten_csv(error: csv::Error) -> ExchangeError {
    ExchangeError::Write(match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        kind => io::Error::other(format!("{kind:?}")),
    })
}

/// What an import did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Plays that are new.
    pub added: u64,
    /// Plays that were there before.
    pub known: u64,
    /// Plays of people who were forgotten: they are left out.
    pub forgotten: u64,
}

/// Reads plays, each of which is played again by the rule, and keeps those that are not there yet.
/// To read the same file twice changes nothing.
///
/// # Errors
///
/// The first row that is wrong; those before it are kept, so that the file can be repaired and read
/// again.
pub async fn import(
    store: &dyn Store,
    format: Format,
    file: impl Read + Send + 'static + columns::Source,
) -> Result<Imported, ExchangeError> {
    let mut rows = read_rows(format, file)?;
    let mut people: HashMap<String, Option<KnownPerson>> = HashMap::new();
    let (mut imported, mut row) = (Imported::default(), 0);
    loop {
        let part: Vec<Result<Row, String>> = rows.by_ref().take(PART).collect();
        if part.is_empty() {
            return Ok(imported);
        }
        let mut plays = Vec::with_capacity(part.len());
        let mut wrong = None;
        for read in part {
            row += 1;
            // Nobody is added for the sake of a play that is refused.
            let (mut play, read) = match read.and_then(|read| Ok((read.verify(0)?, read))) {
                Ok(verified) => verified,
                Err(reason) => {
                    wrong = Some(ExchangeError::Row { row, reason });
                    break;
                }
            };
            let person = match people.entry(read.person.clone()) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => new.insert(find_or_add(store, &read).await?),
            };
            match person {
                None => imported.forgotten += 1,
                Some(person) if person.simulated != read.simulated => {
                    let by = |policy: &Option<String>| match policy {
                        Some(policy) => format!("simulated by {policy}"),
                        None => "not simulated".to_owned(),
                    };
                    wrong = Some(ExchangeError::Row {
                        row,
                        reason: format!(
                            "its play is {}, but the person {} is {}",
                            by(&read.simulated),
                            read.person,
                            by(&person.simulated)
                        ),
                    });
                    break;
                }
                Some(person) => {
                    play.person = person.id;
                    plays.push(play);
                }
            }
        }
        let added = store.add_plays(&plays).await?;
        imported.added += added;
        imported.known += plays.len() as u64 - added;
        if let Some(wrong) = wrong {
            return Err(wrong);
        }
    }
}

/// A person of an import.
struct KnownPerson {
    id: i64,
    simulated: Option<String>,
}

/// The person of a row, who is added when nobody has the code; none of those who were
/// forgotten.
async fn find_or_add(store: &dyn Store, row: &Row) -> Result<Option<KnownPerson>, StoreError> {
    if store.is_forgotten(&row.person).await? {
        return Ok(None);
    }
    if let Some(person) = store.person_by_code(&row.person).await? {
        return Ok(Some(KnownPerson { id: person.id, simulated: person.simulated }));
    }
    let person = NewPerson {
        name: row.name.clone(),
        code: row.person.clone(),
        secret: None,
        consent: 0,
        day: 0,
        simulated: row.simulated.clone(),
    };
    let id = store.add_person(&person).await?;
    Ok(Some(KnownPerson { id, simulated: person.simulated }))
}

type ReadRows = Box<dyn Iterator<Item = Result<Row, String>> + Send>;

fn read_rows(
    format: Format,
    file: impl Read + Send + 'static + columns::Source,
) -> Result<ReadRows, ExchangeError> {
    use std::io::BufRead;
    Ok(match format {
        Format::Csv => {
            let mut reader = csv::Reader::from_reader(file);
            let malformed = |error: csv::Error| ExchangeError::Malformed(error.to_string());
            let head = reader.headers().map_err(malformed)?;
            columns::check_names(|name| head.iter().any(|found| found == name))?;
            if let Some(twice) =
                columns::names().find(|name| head.iter().filter(|found| found == name).count() > 1)
            {
                return Err(ExchangeError::Malformed(format!("it has two columns {twice}")));
            }
            let head = head.clone();
            Box::new(reader.into_records().map(move |record| {
                let record = record.map_err(|error| csv_reason(&error, None))?;
                let row = record.deserialize(Some(&head));
                row.map_err(|error| csv_reason(&error, Some((&head, &record))))
            }))
        }
        Format::Jsonl => {
            let lines = io::BufReader::new(file).lines();
            let filled =
                lines.filter(|line| line.as_ref().map_or(true, |line| !line.trim().is_empty()));
            Box::new(filled.map(|line| {
                let line = line.map_err(|error| error.to_string())?;
                serde_json::from_str(&line).map_err(|error| error.to_string())
            }))
        }
        Format::Parquet => columns::read(file)?,
    })
}

/// What is wrong with a record of comma-separated values, with its column where one is to blame.
fn csv_reason(error: &csv::Error, row: Option<(&csv::StringRecord, &csv::StringRecord)>) -> String {
    use csv::{DeserializeErrorKind, ErrorKind};
    match error.kind() {
        ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("it has {len} values, but the head has {expected_len}")
        }
        ErrorKind::Deserialize { err, .. } => {
            // A day is the only value whose error does not tell where it is.
            let day = || {
                let (head, record) = row?;
                let column = head.iter().position(|name| name == "day")?;
                record.get(column)?.parse::<Date>().is_err().then_some(column)
            };
            let column = err.field().map(|column| column as usize).or_else(day);
            let what = match err.kind() {
                DeserializeErrorKind::ParseBool(_) => "write true or false".to_owned(),
                DeserializeErrorKind::ParseInt(_) => "write a whole number".to_owned(),
                other => other.to_string(),
            };
            match row
                .zip(column)
                .and_then(|((head, record), column)| Some((head.get(column)?, record.get(column)?)))
            {
                Some((name, value)) => format!("{name} is '{value}': {what}"),
                None => what,
            }
        }
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> Row {
        Row {
            id: "id".to_owned(),
            person: "code".to_owned(),
            name: "calm-owl-123".to_owned(),
            simulated: None,
            number: 1,
            puzzle: "grid:2:2 1,2,0,3 -> 1,2,3,0".to_owned(),
            board: "grid:2:2".to_owned(),
            tokens: 3,
            kind: "explore".to_owned(),
            control: "keys".to_owned(),
            blind: false,
            helped: false,
            solved: true,
            length: 1,
            multi: Some(1),
            ms: 500,
            day: jiff::civil::date(2024, 10, 4),
            moves: "3-2@500".to_owned(),
        }
    }

    /// Writes a table of one play, and returns its bytes.
    fn table(format: Format) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut rows = Rows::new(format, &mut bytes).unwrap();
        rows.write(vec![row()]).unwrap();
        rows.finish().unwrap();
        bytes
    }

    fn path(name: &str) -> std::path::PathBuf {
        std::env::temp_dir().join(format!("hyperslide-{name}-{}", std::process::id()))
    }

    #[test]
    fn wrong_values_are_named_by_their_columns() {
        let path = path("columns");
        let text = String::from_utf8(table(Format::Csv)).unwrap();
        for (from, to, message) in [
            (",500,", ",bad,", "ms is 'bad': write a whole number"),
            (",false,false,", ",false,no,", "helped is 'no': write true or false"),
            ("2024-10-04", "4 October", "day is '4 October': "),
            ("3-2@500", "3-2@500,more", "it has 19 values, but the head has 18"),
            // What is wrong is not blamed on the day.
            (",500,2024-10-04", ",-,2024-10-04", "ms is '-': write a whole number"),
        ] {
            std::fs::write(&path, text.replace(from, to)).unwrap();
            let file = std::fs::File::open(&path).unwrap();
            let error = read_rows(Format::Csv, file).unwrap().next().unwrap().unwrap_err();
            assert!(error.starts_with(message), "{error}");
        }
        std::fs::write(&path, text.replace("tokens,", "ms,tokens,")).unwrap();
        let twice = read_rows(Format::Csv, std::fs::File::open(&path).unwrap());
        let Err(error) = twice else { panic!("two columns ms") };
        assert!(error.to_string().contains("it has two columns ms"), "{error}");
        std::fs::remove_file(&path).unwrap();
    }

    /// The end of a file says where its columns are.
    #[test]
    fn a_damaged_end_of_a_file_is_an_error_at_most() {
        let path = path("damaged");
        let bytes = table(Format::Parquet);
        let end: [u8; 4] = bytes[bytes.len() - 8..][..4].try_into().unwrap();
        let end = u32::from_le_bytes(end) as usize;
        let mut refused = 0;
        for place in bytes.len() - 8 - end..bytes.len() - 8 {
            for value in [bytes[place] ^ 1, 0xff] {
                let mut damaged = bytes.clone();
                damaged[place] = value;
                std::fs::write(&path, damaged).unwrap();
                let file = std::fs::File::open(&path).unwrap();
                let read = read_rows(Format::Parquet, file);
                refused += match read.map(|rows| rows.collect::<Result<Vec<_>, _>>()) {
                    Ok(Ok(_)) => 0,
                    Err(_) | Ok(Err(_)) => 1,
                };
            }
        }
        assert!(refused > end, "{refused} of {}", 2 * end);
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn days_are_those_of_the_table_in_every_format() {
        let path = path("days");
        for day in [EPOCH, EPOCH.yesterday().unwrap(), Date::MAX] {
            let row = Row { day, ..row() };
            for format in [Format::Csv, Format::Jsonl, Format::Parquet] {
                let file = std::fs::File::create(&path).unwrap();
                let mut rows = Rows::new(format, file).unwrap();
                rows.write(vec![row.clone()]).unwrap();
                rows.finish().unwrap();
                let mut read = read_rows(format, std::fs::File::open(&path).unwrap()).unwrap();
                assert_eq!(read.next().unwrap().unwrap(), row);
            }
            // A day before the first one would be exported as another day.
            match row.verify(0) {
                Ok(kept) => assert_eq!(date(kept.day), day),
                Err(error) => {
                    assert!(day < EPOCH && error.contains("1969-12-31"), "{error}");
                }
            }
        }
        std::fs::remove_file(&path).unwrap();
    }
}
