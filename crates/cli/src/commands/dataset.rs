//! `hyperslide dataset`: random states with their exact distances and best moves, as arrays.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use bytemuck::NoUninit;
use clap::{Args, ValueEnum};
use hyperslide_lab::{Dataset, DatasetFileError, DatasetLaw};
use hyperslide_puzzle::{Actions, Puzzle, State};
use hyperslide_table::{
    Abstraction, BuildOptions, Encoding, NEVER, TableError, replace_unlocked_with,
};
use zip::result::ZipResult;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::failure::{ExitStatus, Failure};
use crate::input::{Source, check_apart, check_target};
use crate::options::{MemoryArgument, PuzzleArguments, parse_whole};
use crate::tables;
use crate::terminal::{SearchProgress, bytes, counted, print, unwritten};

#[derive(Args)]
pub struct DatasetArguments {
    #[command(flatten)]
    pub puzzle: PuzzleArguments,
    /// The number of states
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub count: usize,
    /// How states are drawn
    #[arg(long, value_enum, default_value = "uniform")]
    pub by: By,
    /// The seed of the random numbers
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = parse_whole)]
    pub seed: u64,
    /// The file to write: .npz for numpy.load, .parquet for data frames and databases
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    #[command(flatten)]
    pub memory: MemoryArgument,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum By {
    /// Every state from which the goal can be reached
    Uniform,
    /// Every distance, and every state at that distance
    Distance,
}

/// The kinds of files.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    /// Arrays of NumPy in a zip archive.
    Arrays,
    /// A row for each state.
    Parquet,
}

impl Format {
    /// The kind that a file's name asks for.
    fn of(path: &Path) -> Result<Format, Failure> {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("npz") => Ok(Format::Arrays),
            Some("parquet") => Ok(Format::Parquet),
            _ => Err(Failure::Input(format!(
                "{} does not say its format: write a name that ends in .npz or .parquet",
                path.display()
            ))),
        }
    }
}

pub fn run(arguments: &DatasetArguments) -> Result<ExitStatus, Failure> {
    let puzzle = Source::open(&arguments.puzzle.puzzle)?.only()?.puzzle(&arguments.puzzle)?;
    check_target(&arguments.out)?;
    check_apart(&arguments.out, [&arguments.puzzle.puzzle])?;
    let format = Format::of(&arguments.out)?;
    let row = row_bytes(&puzzle);
    let needed = row.saturating_mul(arguments.count as u64);
    if needed > arguments.memory.limit() {
        return Err(Failure::Input(format!(
            "{} take {}, and the limit is {}: draw fewer, or raise --limit-memory",
            counted(arguments.count as u64, "state"),
            bytes(needed),
            bytes(arguments.memory.limit()),
        )));
    }
    let abstraction = Abstraction::whole(&puzzle).map_err(Failure::input)?;
    let options = BuildOptions {
        encoding: Encoding::Byte,
        memory: arguments.memory.limit() - needed,
        ..BuildOptions::default()
    };
    let line = SearchProgress::new("");
    let table = tables::build(abstraction, &options, &line).map_err(|error| match error {
        TableError::Memory { needed: table, .. } => Failure::Input(format!(
            "{} and the table of all states need {} or more, and the limit is {}: choose a puzzle with fewer \
             states, or raise --limit-memory",
            counted(arguments.count as u64, "state"),
            bytes(u64::try_from(table).unwrap_or(u64::MAX).saturating_add(needed)),
            bytes(arguments.memory.limit()),
        )),
        error => error.into(),
    })?;
    drop(line);
    let law = match arguments.by {
        By::Uniform => DatasetLaw::Uniform,
        By::Distance => DatasetLaw::Distance,
    };
    // Ctrl-C ends the program here.
    let data = Dataset::draw(&table, arguments.count, law, arguments.seed, &NEVER)?;
    let written = match format {
        Format::Arrays => write_arrays(&data, &arguments.out).map_err(DatasetFileError::Io),
        Format::Parquet => write_parquet(&data, &arguments.out),
    };
    written.map_err(|error| match error {
        DatasetFileError::Io(error) => unwritten(&arguments.out, &error),
        error => Failure::Other(format!("cannot write {}: {error}", arguments.out.display())),
    })?;
    let (states, file) = (counted(arguments.count as u64, "state"), arguments.out.display());
    print(&format!("{states} written to {file}\n"))?;
    Ok(ExitStatus::Done)
}

/// The bytes of a state in memory: its cells, its distance, and whether each action is optimal; and
/// the state itself with its distance while they are drawn.
fn row_bytes(puzzle: &Puzzle) -> u64 {
    let row = puzzle.board().vertex_count() + size_of::<u16>() + Actions::new(puzzle).count();
    (row + size_of::<State>() + size_of::<u32>()) as u64
}

fn write_parquet(data: &Dataset, path: &Path) -> Result<(), DatasetFileError> {
    replace_unlocked_with(path, |file| {
        let mut file = BufWriter::new(file);
        data.write_parquet(&mut file)?;
        Ok(file.flush()?)
    })
}

/// Writes the arrays that `hyperslide.Dataset.load` of the Python package reads.
fn write_arrays(data: &Dataset, path: &Path) -> io::Result<()> {
    let (rows, vertices) = (data.distances.len() as u64, data.puzzle.board().vertex_count() as u64);
    let actions = Actions::new(&data.puzzle).count() as u64;
    let line = data.puzzle.to_string().into_bytes();
    replace_unlocked_with(path, |file| {
        let mut out = FirstError::new(file);
        let mut zip = ZipWriter::new(&mut out);
        add(&mut zip, "states", &[rows, vertices], &data.states)?;
        add(&mut zip, "cost_to_go", &[rows], &data.distances)?;
        add(&mut zip, "optimal_actions", &[rows, actions], &data.optimal_actions)?;
        add(&mut zip, "puzzle", &[line.len() as u64], &line)?;
        zip.finish()?;
        match out.error {
            Some(error) => Err(error),
            None => out.file.flush(),
        }
    })
}

/// A file that keeps the first error and hides it, with all that is written afterwards, from its
/// writer: the crate `zip` would print an error as well as return it.
struct FirstError<'a> {
    file: BufWriter<&'a mut File>,
    error: Option<io::Error>,
    /// Where the writer believes that it is, and where it believes that the file ends.
    place: u64,
    end: u64,
}

impl<'a> FirstError<'a> {
    fn new(file: &'a mut File) -> FirstError<'a> {
        FirstError { file: BufWriter::new(file), error: None, place: 0, end: 0 }
    }

    fn attempt(&mut self, work: impl FnOnce(&mut BufWriter<&mut File>) -> io::Result<()>) {
        if self.error.is_none() {
            self.error = work(&mut self.file).err();
        }
    }
}

impl Write for FirstError<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.attempt(|file| file.write_all(bytes));
        self.place += bytes.len() as u64;
        self.end = self.end.max(self.place);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.attempt(|file| file.flush());
        Ok(())
    }
}

impl Seek for FirstError<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let place = match to {
            SeekFrom::Start(place) => Some(place),
            SeekFrom::Current(distance) => self.place.checked_add_signed(distance),
            SeekFrom::End(distance) => self.end.checked_add_signed(distance),
        };
        self.place = place.ok_or(io::ErrorKind::InvalidInput)?;
        let place = SeekFrom::Start(self.place);
        self.attempt(|file| file.seek(place).map(drop));
        Ok(self.place)
    }
}

/// A type of array elements, with NumPy's name for it.
trait Element: NoUninit {
    const NAME: &str;
}

impl Element for u8 {
    const NAME: &str = "|u1";
}

impl Element for bool {
    const NAME: &str = "|b1";
}

impl Element for i16 {
    const NAME: &str = if cfg!(target_endian = "little") { "<i2" } else { ">i2" };
}

/// Adds an array, as it is in memory: NumPy reads it fastest.
fn add<T: Element>(
    zip: &mut ZipWriter<&mut FirstError<'_>>,
    name: &str,
    shape: &[u64],
    values: &[T],
) -> ZipResult<()> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .large_file(size_of_val(values) >= u32::MAX as usize >> 1);
    zip.start_file(format!("{name}.npy"), options)?;
    zip.write_all(&npy_header::<T>(shape))?;
    zip.write_all(bytemuck::cast_slice(values))?;
    Ok(())
}

/// The header of a NumPy array file, in version 1.0 of the format. The crate `npyz` writes it too,
/// but depends on eleven others that parse Python literals.
fn npy_header<T: Element>(shape: &[u64]) -> Vec<u8> {
    const MAGIC: &[u8] = b"\x93NUMPY\x01\x00";
    const ALIGNMENT: usize = 64;
    let dimensions = match shape {
        [length] => format!("{length},"),
        lengths => lengths.iter().map(u64::to_string).collect::<Vec<_>>().join(", "),
    };
    let mut text =
        format!("{{'descr': '{}', 'fortran_order': False, 'shape': ({dimensions}), }}", T::NAME);
    // Spaces and the end of the line, so that the values are aligned.
    let unpadded = MAGIC.len() + size_of::<u16>() + text.len() + 1;
    text.extend(std::iter::repeat_n(' ', unpadded.next_multiple_of(ALIGNMENT) - unpadded));
    text.push('\n');
    let length = u16::try_from(text.len()).expect("an array has at most two dimensions");
    [MAGIC, &length.to_le_bytes(), text.as_bytes()].concat()
}
