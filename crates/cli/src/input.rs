//! Puzzles from names, lines, files and standard input.

use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};

use hyperslide_lab::{find_instance, is_toml, open_file, read_board, read_file};
use hyperslide_puzzle::{
    Arrangement, Board, BoardSource, BoardSpec, FileFormat, MAX_PUZZLE_LENGTH, Metric, Puzzle,
    PuzzleFile, PuzzleLine, Setup,
};

use crate::failure::Failure;
use crate::options::PuzzleArguments;

/// The most bytes of a file whose puzzles are counted before the first is solved.
const MAX_COUNTED_BYTES: u64 = 64 << 20;

/// Where the puzzles of a command come from.
pub enum Source {
    /// One puzzle: a name, a line or the text of a file.
    One(Text),
    /// One for each line.
    Many(Lines),
}

/// The text of one puzzle and where to look for the files it names.
pub struct Text {
    text: String,
    format: TextFormat,
    folder: PathBuf,
    /// The file and the line that it comes from, for messages.
    origin: Option<String>,
}

enum TextFormat {
    /// A name, a line or a JSON object.
    Line,
    Toml,
}

impl Source {
    /// Finds out what the argument means.
    pub fn open(argument: &str) -> Result<Source, Failure> {
        let here = PathBuf::new();
        if argument == "-" {
            let reader = Box::new(BufReader::new(std::io::stdin()));
            return Ok(Source::Many(Lines::new(reader, "standard input".to_owned(), here)));
        }
        if is_line(argument) || find_instance(argument).is_some() {
            let text = argument.to_owned();
            let (format, folder, origin) = (TextFormat::Line, here, None);
            return Ok(Source::One(Text { text, format, folder, origin }));
        }
        let path = Path::new(argument);
        if std::fs::symlink_metadata(path).is_err_and(|error| error.kind() == ErrorKind::NotFound) {
            return Err(Failure::Input(no_puzzle(argument)));
        }
        let folder = path.parent().map(Path::to_owned).unwrap_or_default();
        if is_toml(path) {
            let (text, origin) =
                (read_file(path).map_err(Failure::Input)?, Some(argument.to_owned()));
            return Ok(Source::One(Text { text, format: TextFormat::Toml, folder, origin }));
        }
        let file = open_file(path).map_err(Failure::Input)?;
        let is_regular = file.metadata().is_ok_and(|metadata| metadata.is_file());
        let lines = Lines::new(Box::new(BufReader::new(file)), argument.to_owned(), folder);
        Ok(Source::Many(Lines { file: is_regular.then(|| path.to_owned()), ..lines }))
    }

    /// The one puzzle of a command that takes no batch.
    pub fn only(self) -> Result<Text, Failure> {
        match self {
            Source::One(text) => Ok(text),
            Source::Many(mut lines) => {
                let (_, first) = lines.next().ok_or_else(|| lines.no_puzzles_error())?;
                match lines.next() {
                    None => first,
                    Some(_) => Err(Failure::Input(format!(
                        "{} holds more than one puzzle: this command takes one",
                        lines.name
                    ))),
                }
            }
        }
    }
}

fn is_line(text: &str) -> bool {
    text.trim_start().starts_with('{') || PuzzleLine::is_meant_by(text)
}

/// What to say of an argument that is nothing that is known.
fn no_puzzle(argument: &str) -> String {
    hyperslide_lab::no_puzzle(
        argument,
        "an instance, a file or a puzzle line",
        "hyperslide instances, and hyperslide solve --help",
    )
}

/// The puzzles in a stream: one to a line, or JSON objects over several lines. Empty lines and
/// lines that begin with # are skipped.
pub struct Lines {
    reader: Box<dyn BufRead + Send>,
    name: String,
    folder: PathBuf,
    /// The file that all of them are in, if it is one that can be read again.
    file: Option<PathBuf>,
    number: usize,
    /// A line that was read and belongs to the next puzzle.
    ahead: Option<Line>,
    failed: bool,
}

/// A line without its end, or what is wrong with it.
type Line = Result<String, String>;

impl Lines {
    fn new(reader: Box<dyn BufRead + Send>, name: String, folder: PathBuf) -> Lines {
        let (file, number, ahead, failed) = (None, 0, None, false);
        Lines { reader, name, folder, file, number, ahead, failed }
    }

    /// The number of puzzles, where they are in a file that is soon counted. Lines that hold no
    /// puzzle count, too.
    pub fn total(&self) -> Option<usize> {
        let path = self.file.as_ref()?;
        if std::fs::metadata(path).ok()?.len() > MAX_COUNTED_BYTES {
            return None;
        }
        let reader = Box::new(BufReader::new(File::open(path).ok()?));
        Some(Lines::new(reader, self.name.clone(), self.folder.clone()).count())
    }

    /// The error of an input without puzzles.
    pub fn no_puzzles_error(&self) -> Failure {
        Failure::Input(format!("{} holds no puzzle", self.name))
    }

    fn failure(&self, line: usize, message: &str) -> Failure {
        Failure::Input(format!("{}, line {line}: {message}", self.name))
    }

    fn read_line(&mut self) -> Option<Line> {
        if let Some(line) = self.ahead.take() {
            self.number += 1;
            return Some(line);
        }
        if self.failed {
            return None;
        }
        match self.read_bytes() {
            Ok(bytes) if bytes.is_empty() => None,
            Ok(bytes) => {
                self.number += 1;
                Some(self.decode(bytes))
            }
            Err(error) => {
                // Reading on would fail in the same way indefinitely.
                self.failed = true;
                self.number += 1;
                Some(Err(format!("cannot read on: {error}")))
            }
        }
    }

    /// The bytes of a line with its end; of a line that is too long only the first ones.
    fn read_bytes(&mut self) -> std::io::Result<Vec<u8>> {
        let most = MAX_PUZZLE_LENGTH as u64 + 1;
        let mut bytes = Vec::new();
        self.reader.by_ref().take(most).read_until(b'\n', &mut bytes)?;
        let mut passed = bytes.len();
        let mut rest = Vec::new();
        let mut all = passed;
        while passed > MAX_PUZZLE_LENGTH && !rest.ends_with(b"\n") && !bytes.ends_with(b"\n") {
            rest.clear();
            passed = self.reader.by_ref().take(most).read_until(b'\n', &mut rest)?;
            all += passed;
            if all > 256 * MAX_PUZZLE_LENGTH {
                return Err(std::io::Error::other("no line ends in it, so it holds no puzzles"));
            }
        }
        Ok(bytes)
    }

    fn decode(&self, bytes: Vec<u8>) -> Line {
        let line = String::from_utf8(bytes).map_err(|error| {
            let place = error.utf8_error().valid_up_to();
            format!("not UTF-8 text: see byte {place} of the line")
        })?;
        // Some editors begin a file with a byte order mark, and files are appended to others.
        let line = line.strip_prefix('\u{feff}').unwrap_or(&line).trim();
        if line.len() > MAX_PUZZLE_LENGTH {
            return Err(too_long());
        }
        Ok(line.to_owned())
    }
}

fn too_long() -> String {
    format!("a puzzle has at most {MAX_PUZZLE_LENGTH} bytes, and this one has more")
}

impl Iterator for Lines {
    /// The line's number, and the puzzle's text or what is wrong with it.
    type Item = (usize, Result<Text, Failure>);

    fn next(&mut self) -> Option<Self::Item> {
        let mut text = loop {
            match self.read_line()? {
                Ok(line) if line.is_empty() || line.starts_with('#') => {}
                Ok(line) => break line,
                Err(message) => {
                    return Some((self.number, Err(self.failure(self.number, &message))));
                }
            }
        };
        let first = self.number;
        let mut braces = Braces::default();
        braces.read(&text);
        while text.starts_with('{') && braces.are_open() {
            let Some(line) = self.read_line() else { break };
            match line {
                // A line that is a puzzle of its own: this one was never closed.
                Ok(line) if is_object(&line) || is_no_json(&line) => {
                    self.number -= 1;
                    self.ahead = Some(Ok(line));
                    break;
                }
                Ok(line) if text.len() + line.len() < MAX_PUZZLE_LENGTH => {
                    braces.read(&line);
                    text.push('\n');
                    text.push_str(&line);
                }
                Ok(_) => return Some((first, Err(self.failure(first, &too_long())))),
                Err(message) => {
                    return Some((self.number, Err(self.failure(self.number, &message))));
                }
            }
        }
        let (format, folder) = (TextFormat::Line, self.folder.clone());
        let origin = Some(format!("{}, line {first}", self.name));
        Some((first, Ok(Text { text, format, folder, origin })))
    }
}

fn is_object(line: &str) -> bool {
    line.starts_with('{')
        && serde_json::from_str::<serde_json::Value>(line).is_ok_and(|value| value.is_object())
}

/// Returns whether a line begins with a word, such as a board or an instance, that is not a value
/// of JSON.
fn is_no_json(line: &str) -> bool {
    let word = line.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    word.starts_with(|c: char| c.is_ascii_alphabetic())
        && !["true", "false", "null"].contains(&word)
}

/// Counts the braces of a JSON text that are still open.
#[derive(Default)]
struct Braces {
    depth: i64,
    in_string: bool,
    escaped: bool,
}

impl Braces {
    fn read(&mut self, line: &str) {
        for byte in line.bytes() {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' if self.in_string => self.escaped = true,
                b'"' => self.in_string = !self.in_string,
                b'{' if !self.in_string => self.depth += 1,
                b'}' if !self.in_string => self.depth -= 1,
                _ => {}
            }
        }
        // A string does not go over the end of a line.
        (self.in_string, self.escaped) = (false, false);
    }

    fn are_open(&self) -> bool {
        self.depth > 0
    }
}

/// A puzzle taken apart, whatever it was read from.
struct Parts {
    board: BoardSpec,
    metric: Option<Metric>,
    start: Arrangement,
    goal: Option<Arrangement>,
}

impl Text {
    /// Builds the puzzle with the options of the command line.
    pub fn puzzle(&self, options: &PuzzleArguments) -> Result<Puzzle, Failure> {
        self.build(options, false)
    }

    /// Builds the puzzle of a command that looks at the start only; the goal may be left out.
    pub fn configuration(&self, options: &PuzzleArguments) -> Result<Puzzle, Failure> {
        self.build(options, true)
    }

    fn build(&self, options: &PuzzleArguments, start_only: bool) -> Result<Puzzle, Failure> {
        self.build_parts(options, start_only).map_err(|failure| match (&self.origin, failure) {
            (Some(origin), Failure::Input(message)) => {
                Failure::Input(format!("{origin}: {message}"))
            }
            (_, failure) => failure,
        })
    }

    fn build_parts(&self, options: &PuzzleArguments, start_only: bool) -> Result<Puzzle, Failure> {
        let parts = self.parts(options)?;
        let board = Board::new(parts.board, options.metric.or(parts.metric).unwrap_or_default());
        let board = board.map_err(Failure::input)?;
        let goal = match &options.goal {
            Some(goal) => Some(goal.parse().map_err(Failure::input)?),
            None => parts.goal,
        };
        if start_only && goal.is_none() {
            return Puzzle::of_start(board, parts.start).map_err(Failure::input);
        }
        Puzzle::new(board, &Setup { start: parts.start, goal }).map_err(Failure::input)
    }

    fn parts(&self, options: &PuzzleArguments) -> Result<Parts, Failure> {
        let file = match self.format {
            TextFormat::Toml => Some(FileFormat::Toml),
            TextFormat::Line if self.text.trim_start().starts_with('{') => Some(FileFormat::Json),
            TextFormat::Line => None,
        };
        if let Some((instance, rule)) = find_instance(&self.text).filter(|_| file.is_none()) {
            if let (Some(named), Some(option)) = (rule, options.rule)
                && named != option
            {
                let message = format!("{} says rule {named}, and --rule {option}", self.text);
                return Err(Failure::Input(message));
            }
            let puzzle =
                instance.puzzle(rule.or(options.rule), Metric::Face).map_err(Failure::input)?;
            let Setup { start, goal } = puzzle.setup();
            return Ok(Parts { board: puzzle.board().spec().clone(), metric: None, start, goal });
        }
        if let Some(rule) = options.rule {
            return Err(Failure::Input(format!(
                "--rule {rule} is for cubical instances: a board says its rule, as in cube:4:3"
            )));
        }
        match file {
            Some(format) => {
                let file = PuzzleFile::parse(&self.text, format).map_err(Failure::input)?;
                let board = self.board(file.board)?;
                Ok(Parts { board, metric: Some(file.metric), start: file.start, goal: file.goal })
            }
            None if !is_line(&self.text) => Err(Failure::Input(no_puzzle(&self.text))),
            None => {
                let line: PuzzleLine = self.text.parse().map_err(Failure::input)?;
                let board = self.board(line.board)?;
                Ok(Parts { board, metric: line.metric, start: line.start, goal: line.goal })
            }
        }
    }

    fn board(&self, source: BoardSource) -> Result<BoardSpec, Failure> {
        read_board(source, &self.folder).map_err(Failure::Input)
    }
}

/// Makes sure, before long work begins, that a file can be put in place under this name: it is new
/// or an ordinary file, in a directory that exists.
pub fn check_target(path: &Path) -> Result<(), Failure> {
    let name = path.display();
    match std::fs::metadata(path) {
        Ok(found) if !found.is_file() => {
            return Err(Failure::Input(format!(
                "{name} is not an ordinary file and would be lost: name another"
            )));
        }
        _ => {}
    }
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    match parent {
        Some(parent) if !parent.is_dir() => Err(Failure::Input(format!(
            "{name}: {} is not a directory: make it first, or name another",
            parent.display()
        ))),
        _ => Ok(()),
    }
}

/// Refuses to write to a file that the command reads.
pub fn check_apart(
    out: &Path,
    read: impl IntoIterator<Item = impl AsRef<Path>>,
) -> Result<(), Failure> {
    // A file that is not there yet is one by its directory and its name.
    let place = |path: &Path| {
        path.canonicalize().ok().or_else(|| {
            let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
            Some(parent.unwrap_or(Path::new(".")).canonicalize().ok()?.join(path.file_name()?))
        })
    };
    let Some(own) = place(out) else { return Ok(()) };
    match read.into_iter().any(|path| place(path.as_ref()).is_some_and(|path| path == own)) {
        false => Ok(()),
        true => Err(Failure::Input(format!(
            "{} is what this command reads, and would be lost: name another",
            out.display()
        ))),
    }
}

/// Makes the directory that an option names, before long work begins whose files go there.
pub fn make_directory(directory: &Path, option: &str) -> Result<(), Failure> {
    std::fs::create_dir_all(directory).map_err(|error| {
        Failure::Input(format!(
            "{} cannot be made ({error}): name a directory, or another for {option}",
            directory.display()
        ))
    })
}

/// The board that a command names.
pub fn named_board(text: &str, metric: Metric) -> Result<Board, Failure> {
    let spec = read_board(text.parse().map_err(Failure::input)?, Path::new(""));
    let spec = spec.map_err(Failure::Input)?;
    Board::new(spec, metric).map_err(Failure::input)
}
