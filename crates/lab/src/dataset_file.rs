//! Data sets as Parquet files: a row for each state.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use hyperslide_puzzle::{Actions, Puzzle};
use parquet::basic::Compression;
use parquet::column::reader::get_typed_column_reader;
use parquet::data_type::{BoolType, DataType, Int32Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::Type;
use sha2::{Digest, Sha256};

use crate::states::Dataset;

/// The columns, which are named as the arrays of the package for Python.
const SCHEMA: &str = "message dataset {
    REQUIRED GROUP states (LIST) { REPEATED GROUP list { REQUIRED INT32 element (UINT_8); } }
    REQUIRED INT32 cost_to_go (INT_16);
    REQUIRED GROUP optimal_actions (LIST) { REPEATED GROUP list { REQUIRED BOOLEAN element; } }
}";

static TYPE: LazyLock<Arc<Type>> = LazyLock::new(|| {
    Arc::new(parse_message_type(SCHEMA).unwrap_or_else(|error| panic!("{SCHEMA}: {error}")))
});

/// The key of the puzzle's line in the metadata of a file.
const PUZZLE: &str = "hyperslide.puzzle";

/// The key of the digest of the puzzle and all columns.
const DIGEST: &str = "hyperslide.sha256";

/// How the writer of these files names itself. Others keep the digest of columns that they change.
const WRITER: &str = "parquet-rs";

/// Rows that stand together in a file: readers skip and load them as a whole.
const GROUP: usize = 1 << 16;

/// Why a Parquet file of a data set cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum DatasetFileError {
    /// The file cannot be opened, made, read or written.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// It is not a file of Parquet, or it is damaged.
    #[error("{0}")]
    Parquet(#[from] ParquetError),
    /// Its metadata do not name the puzzle.
    #[error("its metadata have no {PUZZLE}: write it with hyperslide dataset")]
    NoPuzzle,
    /// The puzzle that it names cannot be built.
    #[error("its {PUZZLE} is not a puzzle: {0}")]
    WrongPuzzle(String),
    /// A column is missing or of another type.
    #[error("its column {0} is missing, or of another type")]
    NoColumn(&'static str),
    /// A column does not have as many values in each row as the puzzle asks for.
    #[error("its column {column} must have {wanted} values in each row")]
    WrongRow {
        /// The column's name.
        column: &'static str,
        /// The values that each row should have.
        wanted: usize,
    },
    /// What it has is not what was written.
    #[error("it is damaged: its columns do not match its {DIGEST}, so write it again")]
    Damaged,
    /// A value is outside its range.
    #[error("its column {column} has the value {value}, which is out of range")]
    OutOfRange {
        /// The column's name.
        column: &'static str,
        /// The value.
        value: i32,
    },
}

impl Dataset {
    /// Writes a Parquet file with the columns `states` (a list of `uint8`), `cost_to_go` (`int16`)
    /// and `optimal_actions` (a list of booleans). The metadata of the file has the puzzle's line
    /// as `hyperslide.puzzle`, and a digest of it and of the columns as `hyperslide.sha256`.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn write_parquet(&self, out: impl Write + Send) -> Result<(), DatasetFileError> {
        let line = self.puzzle.to_string();
        let digest = KeyValue::new(DIGEST.to_owned(), self.digest(&line));
        let puzzle = KeyValue::new(PUZZLE.to_owned(), line);
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_key_value_metadata(Some(vec![puzzle, digest]))
            .build();
        let mut file = SerializedFileWriter::new(out, Arc::clone(&TYPE), Arc::new(properties))?;
        let vertices = self.puzzle.board().vertex_count();
        let actions = Actions::new(&self.puzzle).count();
        let rows = self.distances.len();
        for first in (0..rows).step_by(GROUP) {
            let (first, last) = (first, rows.min(first + GROUP));
            let mut group = file.next_row_group()?;
            let cells = &self.states[first * vertices..last * vertices];
            let cells: Vec<i32> = cells.iter().copied().map(i32::from).collect();
            write_lists::<Int32Type>(&mut group, &cells, vertices)?;
            let distances = self.distances[first..last].iter().copied().map(i32::from);
            let distances: Vec<i32> = distances.collect();
            write_column::<Int32Type>(&mut group, &distances, None)?;
            let optimal = &self.optimal_actions[first * actions..last * actions];
            write_lists::<BoolType>(&mut group, optimal, actions)?;
            group.close()?;
        }
        file.close()?;
        Ok(())
    }

    /// The SHA-256 of the puzzle's line and all columns: pages of Parquet have no checksums.
    fn digest(&self, line: &str) -> String {
        let mut hash = Sha256::new();
        hash.update(line);
        hash.update(&self.states);
        for distances in self.distances.chunks(GROUP) {
            let bytes: Vec<u8> = distances.iter().flat_map(|one| one.to_le_bytes()).collect();
            hash.update(bytes);
        }
        for optimal in self.optimal_actions.chunks(GROUP) {
            let bytes: Vec<u8> = optimal.iter().copied().map(u8::from).collect();
            hash.update(bytes);
        }
        hex::encode(hash.finalize())
    }

    /// Reads what [`Dataset::write_parquet`] wrote, or another program from it. Files without a
    /// digest are older. Whether the cells are those of states is not checked.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, does not have these columns, or is not as it was written.
    ///
    /// # Panics
    ///
    /// The library panics over some damaged files.
    pub fn read_parquet(path: &Path) -> Result<Dataset, DatasetFileError> {
        let file = SerializedFileReader::new(File::open(path)?)?;
        let metadata = file.metadata().file_metadata();
        let value = |key: &str| {
            let pairs = metadata.key_value_metadata()?;
            pairs.iter().find(|pair| pair.key == key)?.value.clone()
        };
        let line = value(PUZZLE).ok_or(DatasetFileError::NoPuzzle)?;
        let is_ours = metadata.created_by().is_some_and(|writer| writer.starts_with(WRITER));
        let digest = value(DIGEST).filter(|_| is_ours);
        let puzzle = Puzzle::from_line(&line)
            .map_err(|problem| DatasetFileError::WrongPuzzle(problem.to_string()))?;
        let vertices = puzzle.board().vertex_count();
        let actions = Actions::new(&puzzle).count();
        let mut data = Dataset {
            puzzle,
            states: Vec::new(),
            distances: Vec::new(),
            optimal_actions: Vec::new(),
        };
        for number in 0..file.num_row_groups() {
            let group = file.get_row_group(number)?;
            let cells = read_column::<Int32Type>(&*group, "states", vertices)?;
            data.states.extend(in_range::<u8>("states", cells)?);
            let distances = read_column::<Int32Type>(&*group, "cost_to_go", 1)?;
            data.distances.extend(in_range::<i16>("cost_to_go", distances)?);
            data.optimal_actions.extend(read_column::<BoolType>(
                &*group,
                "optimal_actions",
                actions,
            )?);
        }
        if digest.is_some_and(|digest| digest != data.digest(&line)) {
            return Err(DatasetFileError::Damaged);
        }
        Ok(data)
    }
}

/// Writes the next column, whose rows are lists of the same length.
fn write_lists<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, impl Write + Send>,
    values: &[T::T],
    length: usize,
) -> Result<(), ParquetError> {
    let begins: Vec<i16> = (0..values.len()).map(|at| i16::from(at % length != 0)).collect();
    write_column::<T>(group, values, Some(&begins))
}

/// Writes the next column. The repetition levels of lists are 0 where a row begins and 1 elsewhere.
fn write_column<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, impl Write + Send>,
    values: &[T::T],
    repetitions: Option<&[i16]>,
) -> Result<(), ParquetError> {
    let Some(mut column) = group.next_column()? else {
        return Err(ParquetError::General("there is a column too many".to_owned()));
    };
    let present = repetitions.map(|_| vec![1; values.len()]);
    column.typed::<T>().write_batch(values, present.as_deref(), repetitions)?;
    column.close()
}

/// Reads a column of some rows, each of which has this number of values.
fn read_column<T: DataType>(
    group: &dyn RowGroupReader,
    name: &'static str,
    length: usize,
) -> Result<Vec<T::T>, DatasetFileError> {
    let columns = group.metadata().columns().iter();
    let is_wanted = |column: &str| column == name;
    let found = columns.enumerate().find(|(_, column)| {
        column.column_path().parts().first().is_some_and(|part| is_wanted(part))
            && column.column_type() == T::get_physical_type()
    });
    let Some((number, column)) = found else { return Err(DatasetFileError::NoColumn(name)) };
    let wrong = DatasetFileError::WrongRow { column: name, wanted: length };
    let is_list = column.column_descr().max_rep_level() == 1;
    let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
    let mut reader = get_typed_column_reader::<T>(group.get_column_reader(number)?);
    let (mut values, mut present, mut repetitions) = (Vec::new(), Vec::new(), Vec::new());
    loop {
        let (records, ..) =
            reader.read_records(GROUP, Some(&mut present), Some(&mut repetitions), &mut values)?;
        if records == 0 {
            break;
        }
    }
    let begins_row = |(at, &level): (usize, &i16)| (level == 0) == (at % length == 0);
    let are_lists = !is_list || repetitions.iter().enumerate().all(begins_row);
    if Some(values.len()) != rows.checked_mul(length) || !are_lists {
        return Err(wrong);
    }
    Ok(values)
}

/// The numbers in a narrower type.
fn in_range<T: TryFrom<i32>>(
    column: &'static str,
    values: Vec<i32>,
) -> Result<Vec<T>, DatasetFileError> {
    let narrow =
        |value| T::try_from(value).map_err(|_| DatasetFileError::OutOfRange { column, value });
    values.into_iter().map(narrow).collect()
}
