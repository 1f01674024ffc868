//! Rows as the columns of a Parquet file.

use std::io::{self, Write};
use std::sync::{Arc, LazyLock};

use jiff::Span;
use parquet::basic::Compression;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{ChunkReader, FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::record::Field;
use parquet::record::reader::RowIter;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::Type;
use serde_json::Value;

use super::{ExchangeError, ReadRows, Row};
use crate::day::EPOCH;

/// The columns, in the order of [`Row`].
const SCHEMA: &str = "message plays {
    REQUIRED BYTE_ARRAY id (UTF8);
    REQUIRED BYTE_ARRAY person (UTF8);
    REQUIRED BYTE_ARRAY name (UTF8);
    OPTIONAL BYTE_ARRAY simulated (UTF8);
    REQUIRED INT64 number;
    REQUIRED BYTE_ARRAY puzzle (UTF8);
    REQUIRED BYTE_ARRAY board (UTF8);
    REQUIRED INT64 tokens;
    REQUIRED BYTE_ARRAY kind (UTF8);
    REQUIRED BYTE_ARRAY control (UTF8);
    REQUIRED BOOLEAN blind;
    REQUIRED BOOLEAN helped;
    REQUIRED BOOLEAN solved;
    REQUIRED INT64 length;
    OPTIONAL INT64 multi;
    REQUIRED INT64 ms;
    REQUIRED INT32 day (DATE);
    REQUIRED BYTE_ARRAY moves (UTF8);
}";

static TYPE: LazyLock<Arc<Type>> = LazyLock::new(|| {
    Arc::new(parse_message_type(SCHEMA).unwrap_or_else(|error| panic!("{SCHEMA}: {error}")))
});

/// The names of the columns.
pub fn names() -> impl Iterator<Item = &'static str> {
    TYPE.get_fields().iter().map(|field| field.name())
}

/// Checks that a table has all columns.
pub fn check_names(has: impl Fn(&str) -> bool) -> Result<(), ExchangeError> {
    match names().find(|name| !has(name)) {
        Some(missing) => Err(ExchangeError::Malformed(format!("it has no column {missing}"))),
        None => Ok(()),
    }
}

/// Rows that stand together in a file: readers skip and load them as a whole.
const GROUP: usize = 50_000;

/// A file that Parquet can be read from, whose end is read first.
pub trait Source: ChunkReader {}

impl<T: ChunkReader> Source for T {}

/// A file that is being written.
pub struct Columns<W: Write + Send> {
    file: SerializedFileWriter<W>,
    rows: Vec<Row>,
}

/// Keeps the system's own error, whose kind says what to do about it.
fn failed(error: ParquetError) -> ExchangeError {
    ExchangeError::Write(match error {
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(source) => io::Error::other(source),
        },
        error => io::Error::other(error),
    })
}

impl<W: Write + Send> Columns<W> {
    pub fn new(out: W) -> Result<Columns<W>, ExchangeError> {
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let file = SerializedFileWriter::new(out, Arc::clone(&TYPE), Arc::new(properties));
        Ok(Columns { file: file.map_err(failed)?, rows: Vec::new() })
    }

    pub fn write(&mut self, part: Vec<Row>) -> Result<(), ExchangeError> {
        self.rows.extend(part);
        if self.rows.len() >= GROUP { self.write_group().map_err(failed) } else { Ok(()) }
    }

    pub fn finish(mut self) -> Result<(), ExchangeError> {
        if !self.rows.is_empty() {
            self.write_group().map_err(failed)?;
        }
        self.file.close().map(|_| ()).map_err(failed)
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        let rows = std::mem::take(&mut self.rows);
        let mut group = self.file.next_row_group()?;
        let text = |of: fn(&Row) -> &str| -> Vec<ByteArray> {
            rows.iter().map(|row| of(row).into()).collect()
        };
        let number = |of: fn(&Row) -> i64| -> Vec<i64> { rows.iter().map(of).collect() };
        let truth = |of: fn(&Row) -> bool| -> Vec<bool> { rows.iter().map(of).collect() };
        put::<ByteArrayType>(&mut group, &text(|row| &row.id))?;
        put::<ByteArrayType>(&mut group, &text(|row| &row.person))?;
        put::<ByteArrayType>(&mut group, &text(|row| &row.name))?;
        let policies = rows.iter().map(|row| row.simulated.as_deref().map(ByteArray::from));
        put_known::<ByteArrayType>(&mut group, policies)?;
        put::<Int64Type>(&mut group, &number(|row| row.number))?;
        put::<ByteArrayType>(&mut group, &text(|row| &row.puzzle))?;
        put::<ByteArrayType>(&mut group, &text(|row| &row.board))?;
        put::<Int64Type>(&mut group, &number(|row| row.tokens))?;
        put::<ByteArrayType>(&mut group, &text(|row| &row.kind))?;
        put::<ByteArrayType>(&mut group, &text(|row| &row.control))?;
        put::<BoolType>(&mut group, &truth(|row| row.blind))?;
        put::<BoolType>(&mut group, &truth(|row| row.helped))?;
        put::<BoolType>(&mut group, &truth(|row| row.solved))?;
        put::<Int64Type>(&mut group, &number(|row| row.length))?;
        put_known::<Int64Type>(&mut group, rows.iter().map(|row| row.multi))?;
        put::<Int64Type>(&mut group, &number(|row| row.ms))?;
        let days = rows.iter().map(|row| row.day.since(EPOCH).map_or(0, |span| span.get_days()));
        put::<Int32Type>(&mut group, &days.collect::<Vec<i32>>())?;
        put::<ByteArrayType>(&mut group, &text(|row| &row.moves))?;
        group.close()?;
        Ok(())
    }
}

/// Writes the next column.
fn put<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, impl Write + Send>,
    values: &[T::T],
) -> Result<(), ParquetError> {
    put_levels::<T>(group, values, None)
}

/// Writes the next column, which has values in some rows only.
fn put_known<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, impl Write + Send>,
    values: impl Iterator<Item = Option<T::T>>,
) -> Result<(), ParquetError> {
    let (mut known, mut levels) = (Vec::new(), Vec::new());
    for value in values {
        levels.push(i16::from(value.is_some()));
        known.extend(value);
    }
    put_levels::<T>(group, &known, Some(&levels))
}

fn put_levels<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, impl Write + Send>,
    values: &[T::T],
    levels: Option<&[i16]>,
) -> Result<(), ParquetError> {
    let Some(mut column) = group.next_column()? else {
        return Err(ParquetError::General("there is a column too many".to_owned()));
    };
    column.typed::<T>().write_batch(values, levels, None)?;
    column.close()
}

/// The rows of a file.
pub fn read(file: impl Source + 'static) -> Result<ReadRows, ExchangeError> {
    let malformed = |error: ParquetError| ExchangeError::Malformed(error.to_string());
    let reader = SerializedFileReader::new(file).map_err(malformed)?;
    let found = reader.metadata().file_metadata().schema().get_fields();
    check_names(|name| found.iter().any(|field| field.name() == name))?;
    // The reader panics on negative positions.
    let chunks = reader.metadata().row_groups().iter().flat_map(RowGroupMetaData::columns);
    let is_before = |chunk: &&ColumnChunkMetaData| {
        chunk.dictionary_page_offset().unwrap_or(0) < 0
            || chunk.data_page_offset() < 0
            || chunk.compressed_size() < 0
    };
    if let Some(chunk) = { chunks }.find(is_before) {
        let column = chunk.column_path().string();
        return Err(ExchangeError::Malformed(format!(
            "the position recorded for column {column} is invalid"
        )));
    }
    let rows = RowIter::from_file_into(Box::new(reader));
    Ok(Box::new(rows.map(|row| {
        let row = row.map_err(|error| error.to_string())?;
        let columns = row.get_column_iter().map(|(name, field)| {
            let value = match field {
                Field::Null => Value::Null,
                Field::Bool(truth) => Value::from(*truth),
                Field::Int(number) => Value::from(*number),
                Field::Long(number) => Value::from(*number),
                Field::Str(text) => Value::from(text.as_str()),
                Field::Date(day) => {
                    let day = Span::new().try_days(*day).and_then(|days| EPOCH.checked_add(days));
                    Value::from(day.map_err(|error| error.to_string())?.to_string())
                }
                other => {
                    return Err(format!("{name} is {other}, of a type that it should not have"));
                }
            };
            Ok((name.clone(), value))
        });
        let object: serde_json::Map<String, Value> = columns.collect::<Result<_, String>>()?;
        serde_json::from_value(Value::Object(object)).map_err(|error| error.to_string())
    })))
}
