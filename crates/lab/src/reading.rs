//! Boards and puzzles that people name, in files or by name, and what to say when there is nothing
//! of that name. The command line and the Python package both read through it.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

use hyperslide_puzzle::{
    BoardFile, BoardSource, BoardSpec, FileFormat, MAX_PUZZLE_LENGTH, MAX_VERTICES, NAMED_GRAPHS,
    named_family, read_graph6_file, shorten,
};

use crate::experiment::{Experiment, experiments, find_experiment};
use crate::instances::{find_suite, instances, suites};

/// The most bytes of a file that holds one board or puzzle: each number may be on a line of its
/// own.
const MAX_FILE_BYTES: u64 = 4 * MAX_PUZZLE_LENGTH as u64;

/// Some editors begin a file with it.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Opens a file for reading.
///
/// # Errors
///
/// What is wrong with it, in a line that names it.
pub fn open_file(path: &Path) -> Result<File, String> {
    let failed = |error| format!("cannot read {}: {error}", path.display());
    let file = File::open(path).map_err(failed)?;
    if file.metadata().map_err(failed)?.is_dir() {
        return Err(format!("{} is a directory: name a file in it", path.display()));
    }
    Ok(file)
}

/// The text of a file that holds one board or puzzle.
///
/// # Errors
///
/// What is wrong with it, in a line that names it.
pub fn read_file(path: &Path) -> Result<String, String> {
    let mut bytes = Vec::new();
    open_file(path)?
        .take(MAX_FILE_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(format!(
            "{} has more than {MAX_FILE_BYTES} bytes: no puzzle needs that many",
            path.display()
        ));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let place = error.utf8_error().valid_up_to();
        format!("{} is not UTF-8 text: see byte {place}", path.display())
    })?;
    Ok(text.strip_prefix(BYTE_ORDER_MARK).map(str::to_owned).unwrap_or(text))
}

/// Returns whether a file is in TOML, by the end of its name.
pub fn is_toml(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml"))
}

/// Returns whether a file holds a line of graph6 or sparse6, by the end of its name.
fn is_graph6(path: &Path) -> bool {
    let ending = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    ["g6", "s6", "graph6", "sparse6"].iter().any(|known| ending.eq_ignore_ascii_case(known))
}

/// A board as it is written, read from its file where it has one. A file is looked for in the
/// folder of the file that names it.
///
/// # Errors
///
/// What is wrong, in a line.
pub fn read_board(source: BoardSource, folder: &Path) -> Result<BoardSpec, String> {
    match source {
        BoardSource::Spec(spec) => Ok(spec),
        BoardSource::Named { name, spec } => {
            let path = folder.join(&name);
            if path.exists() {
                return Err(format!(
                    "graph:{name} is the name of a graph, and there is a file {}: write graph:./{name} \
                     for the file, or rename it for the graph",
                    path.display()
                ));
            }
            Ok(spec)
        }
        BoardSource::File { family, path } => {
            let named = (family == "graph").then(|| path.clone());
            let path = folder.join(path);
            if let Some(name) = named.filter(|_| !path.exists()) {
                return Err(no_graph(&name, &path));
            }
            let text = read_file(&path)?;
            if family == "graph" && is_graph6(&path) {
                return read_graph6_file(&text)
                    .map_err(|message| format!("{}: {message}", path.display()));
            }
            let format = if is_toml(&path) { FileFormat::Toml } else { FileFormat::Json };
            BoardFile::parse(&text, format, Some(family))
                .map_err(|error| format!("{}: {error}", path.display()))
        }
    }
}

/// What to say of a graph that is neither a name nor a file.
fn no_graph(name: &str, path: &Path) -> String {
    let shown = shorten(name);
    format!(
        "cannot read {}: there is no such file, and '{shown}' is not the name of a graph.{} \
         hyperslide boards --graphs lists the names",
        path.display(),
        graph_hint(name),
    )
}

/// Returns ` Did you mean graph:NAME?` for the named graph that is most similar to what was typed,
/// or, when only its numbers are wrong, what they may be; an empty text when none is similar.
pub fn graph_hint(name: &str) -> String {
    if let Some(family) = named_family(name) {
        return format!(
            " graph:{} takes other numbers, for at most {MAX_VERTICES} vertices, as in graph:{}.",
            family.name, family.example
        );
    }
    let close = near(name, NAMED_GRAPHS.iter().map(|graph| graph.name));
    close.map_or_else(String::new, |known| format!(" Did you mean graph:{known}?"))
}

/// What to say of a text that is none of the ways to name a puzzle. `ways` lists those that there
/// are, and `more` says where to read about them.
pub fn no_puzzle(text: &str, ways: &str, more: &str) -> String {
    let shown = shorten(text);
    let names: Vec<&str> = suites().map(|suite| suite.name.as_str()).collect();
    let first_of = |suite: &str| find_suite(suite)?.instances.first();
    if let Some(first) = first_of(text) {
        let name = &first.name;
        return format!("'{shown}' is a suite: name a puzzle of it, as in {name}, or use compare");
    }
    if let Some((suite, number)) = text.rsplit_once('/')
        && let Some(suite) = find_suite(suite)
        && let [first, .., last] = suite.instances.as_slice()
        && [number, last.name.trim_start_matches(&format!("{}/", suite.name))]
            .iter()
            .all(|number| number.parse::<u64>().is_ok())
    {
        let (first, last) = (&first.name, &last.name);
        return format!(
            "'{shown}' is not an instance: that suite has the puzzles {first} to {last}"
        );
    }
    let begun: Vec<&str> =
        names.iter().copied().filter(|name| text.len() > 1 && name.starts_with(text)).collect();
    let names = instances().map(|instance| instance.name.as_str());
    let hint = match (begun.as_slice(), near(text, names)) {
        ([], None) => String::new(),
        ([], Some(name)) => format!(" Did you mean {name}?"),
        (suites, _) => {
            let example = first_of(suites[0]).map_or("", |instance| instance.name.as_str());
            let are = if suites.len() == 1 { "is a suite" } else { "are suites" };
            format!(" {} {are}: name a puzzle, as in {example}.", suites.join(" and "))
        }
    };
    format!("'{shown}' is not {ways}.{hint} See: {more}")
}

/// The experiment of a name, or of a file in TOML. `also` lists, with commas behind them, what else
/// may be written where the name is.
///
/// # Errors
///
/// What is wrong, in a line.
pub fn named_experiment(name: &str, also: &str) -> Result<Experiment, String> {
    if let Some(experiment) = find_experiment(name) {
        return Ok(experiment.clone());
    }
    let path = Path::new(name);
    if path.extension().is_some_and(|ending| ending == "toml") || path.is_file() {
        return Experiment::read(path).map_err(|error| error.to_string());
    }
    let names = experiments().iter().map(Experiment::name);
    let shown = shorten(name);
    Err(match near(name, names.clone()) {
        Some(near) => format!(
            "no experiment is called '{shown}'. Did you mean {near}? hyperslide experiment lists them"
        ),
        None => format!(
            "no experiment is called '{shown}': write {}, {also}or a file whose name ends in .toml",
            names.collect::<Vec<_>>().join(", ")
        ),
    })
}

/// The known name that was probably meant: the one that differs by a slip, in which a letter in
/// four may be wrong, otherwise the first that begins with what was typed.
pub fn near<'n>(typed: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let known: Vec<&str> = known.collect();
    let distance = |&name: &&'n str| (strsim::damerau_levenshtein(name, typed), name);
    let (slips, name) = known.iter().map(distance).min()?;
    let letters = typed.chars().count();
    if slips <= (letters / 4).min(3) {
        return Some(name);
    }
    known.into_iter().find(|name| letters > 2 && name.starts_with(typed))
}

/// A limit of time.
///
/// # Errors
///
/// What is wrong with the number of seconds: it is negative, or more than a billion.
pub fn read_seconds(seconds: f64) -> Result<Duration, &'static str> {
    if !seconds.is_finite() || seconds < 0.0 {
        return Err("write a number of seconds that is not negative, as in 2.5");
    }
    // Clocks cannot add any number of seconds to what they show.
    if seconds > 1e9 {
        return Err("that is longer than any run");
    }
    Ok(Duration::from_secs_f64(seconds))
}
