//! Records as a table, in Parquet or CSV: one row per problem and contestant. The columns are what was run, and
//! the metrics of the one list of metrics.

use std::path::Path;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Float64Array, RecordBatch, StringArray, UInt64Array};
use arrow_schema::{DataType, Field, Schema};
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use thiserror::Error;
use tickstar::space::Corners;

use super::{Contestant, Course};
use crate::metric::{METRICS, csv_line, optional};
use crate::{Number, Outcome, Record};

/// Why a table cannot be written or read.
#[derive(Debug, Error)]
pub enum TableError {
    /// Not Parquet, or not all of it.
    #[error("not a table of records in Parquet: {0}")]
    Parquet(#[from] ParquetError),
    /// A column that should be there.
    #[error("the table has no column `{0}` of the expected kind")]
    Column(String),
}

/// Rows of records, to be written.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct RecordTable {
    rows: Vec<Row>,
}

/// A record with what it is a record of.
#[derive(Clone, PartialEq, Debug)]
struct Row {
    experiment: String,
    course: usize,
    problem: usize,
    contestant: usize,
    label: String,
    map_hash: String,
    corners: &'static str,
    record: Record,
}

/// The value of a column in a row.
enum Value {
    Text(String),
    Count(Option<u64>),
    Real(Option<f64>),
}

/// The columns before the metrics.
const SETUP: [&str; 21] = [
    "experiment",
    "course",
    "problem",
    "contestant",
    "label",
    "map",
    "map_sha256",
    "corners",
    "world",
    "seed",
    "start_x",
    "start_y",
    "goal_x",
    "goal_y",
    "algorithm",
    "parameters",
    "budget",
    "version",
    "outcome",
    "frames",
    "frames_over_optimal",
];

impl RecordTable {
    /// Adds the record of one contestant on a problem of a course. The numbers are places in the experiment.
    pub fn push(
        &mut self,
        experiment: &str,
        (nth_course, course): (usize, &Course),
        problem: usize,
        (nth, contestant): (usize, &Contestant),
        record: Record,
    ) {
        self.rows.push(Row {
            experiment: experiment.into(),
            course: nth_course,
            problem,
            contestant: nth,
            label: contestant.name.clone(),
            map_hash: course.map_hash.clone(),
            corners: match course.arena.map().space().corners() {
                Corners::Never => "never",
                Corners::Allowed => "allowed",
            },
            record,
        });
    }

    /// All of it as Parquet: the same bytes for the same rows.
    ///
    /// # Errors
    /// Only if a column does not fit its kind, which would be a bug.
    pub fn parquet(&self) -> Result<Vec<u8>, TableError> {
        let mut fields = Vec::new();
        let mut arrays: Vec<ArrayRef> = Vec::new();
        for (nth, name) in columns().enumerate() {
            let values: Vec<Value> = self.rows.iter().map(|row| row.value(nth)).collect();
            let (kind, array) = array(nth, &values);
            fields.push(Field::new(name, kind, true));
            arrays.push(array);
        }
        let schema = Arc::new(Schema::new(fields));
        let batch = RecordBatch::try_new(schema.clone(), arrays).map_err(ParquetError::from)?;
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let mut writer = ArrowWriter::try_new(Vec::new(), schema, Some(properties))?;
        writer.write(&batch)?;
        Ok(writer.into_inner()?)
    }

    /// All of it as CSV.
    pub fn csv(&self) -> String {
        let names: Vec<String> = columns().map(str::to_string).collect();
        let mut text = csv_line(&names);
        for row in &self.rows {
            let field = |nth| match row.value(nth) {
                Value::Text(text) => text,
                Value::Count(count) => optional(count),
                Value::Real(real) => optional(real),
            };
            text += &csv_line(&(0..names.len()).map(field).collect::<Vec<_>>());
        }
        text
    }

    /// The format that a file's name asks for.
    ///
    /// # Errors
    /// When the table cannot be written as Parquet.
    pub fn bytes_for(&self, path: &Path) -> Result<Vec<u8>, TableError> {
        let is_csv = path.extension().is_some_and(|kind| kind.eq_ignore_ascii_case("csv"));
        if is_csv { Ok(self.csv().into_bytes()) } else { self.parquet() }
    }
}

/// The names of all columns.
fn columns() -> impl Iterator<Item = &'static str> {
    let metrics = METRICS.iter().filter(|metric| metric.is_in_record() || metric.is_of_frames());
    SETUP.into_iter().chain(metrics.map(|metric| metric.name))
}

/// The values of the column of this number as an array.
fn array(nth: usize, values: &[Value]) -> (DataType, ArrayRef) {
    let kind = match kind(nth) {
        Kind::Text => DataType::Utf8,
        Kind::Count => DataType::UInt64,
        Kind::Real => DataType::Float64,
    };
    let array: ArrayRef = match kind {
        DataType::Utf8 => Arc::new(StringArray::from_iter_values(
            values
                .iter()
                .map(|value| if let Value::Text(text) = value { text.as_str() } else { "" }),
        )),
        DataType::UInt64 => Arc::new(
            values
                .iter()
                .map(|value| if let Value::Count(count) = value { *count } else { None })
                .collect::<UInt64Array>(),
        ),
        _ => Arc::new(
            values
                .iter()
                .map(|value| if let Value::Real(real) = value { *real } else { None })
                .collect::<Float64Array>(),
        ),
    };
    (kind, array)
}

/// What a column holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Count,
    Real,
}

fn metric(nth: usize) -> Option<&'static crate::Metric> {
    let mut metrics =
        METRICS.iter().filter(|metric| metric.is_in_record() || metric.is_of_frames());
    metrics.nth(nth.checked_sub(SETUP.len())?)
}

fn kind(nth: usize) -> Kind {
    match (SETUP.get(nth), metric(nth)) {
        (
            Some(
                &("experiment" | "label" | "map" | "map_sha256" | "corners" | "world"
                | "algorithm" | "parameters" | "version" | "outcome"),
            ),
            _,
        ) => Kind::Text,
        (Some(&"frames_over_optimal"), _) => Kind::Real,
        (Some(_), _) => Kind::Count,
        (None, Some(metric)) if metric.is_count() => Kind::Count,
        (None, _) => Kind::Real,
    }
}

impl Row {
    fn value(&self, nth: usize) -> Value {
        let record = &self.record;
        let text = |text: &str| Value::Text(text.to_string());
        let count = |count: u64| Value::Count(Some(count));
        let Some(name) = SETUP.get(nth) else {
            let number = metric(nth).and_then(|metric| metric.of(record));
            return match (kind(nth), number) {
                (Kind::Count, Some(Number::Count(value))) => count(value),
                (Kind::Count, _) => Value::Count(None),
                (_, number) => Value::Real(number.map(Number::as_f64)),
            };
        };
        match *name {
            "experiment" => text(&self.experiment),
            "course" => count(self.course as u64),
            "problem" => count(self.problem as u64),
            "contestant" => count(self.contestant as u64),
            "label" => text(&self.label),
            "map" => text(&record.map),
            "map_sha256" => text(&self.map_hash),
            "corners" => text(self.corners),
            "world" => text(&record.world),
            "seed" => count(record.seed),
            "start_x" => count(record.start[0].into()),
            "start_y" => count(record.start[1].into()),
            "goal_x" => count(record.goal[0].into()),
            "goal_y" => count(record.goal[1].into()),
            "algorithm" => text(record.algorithm),
            "parameters" => text(&serde_json::Value::from(record.params.clone()).to_string()),
            "budget" => Value::Count(record.budget),
            "version" => text(env!("CARGO_PKG_VERSION")),
            "outcome" => text(match record.outcome {
                Outcome::Reached => "reached",
                Outcome::Unreachable => "unreachable",
                Outcome::GaveUp => "gave_up",
            }),
            "frames" => Value::Count(record.clock.map(|clock| clock.frames)),
            "frames_over_optimal" => Value::Real(record.clock.and_then(|clock| clock.over_optimal)),
            other => unreachable!("no value for the column `{other}`"),
        }
    }
}

/// The rows of a table that was written as Parquet, as CSV without a header.
pub(super) fn csv_lines(bytes: Vec<u8>) -> Result<String, TableError> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(Bytes::from(bytes))?;
    let mut text = String::new();
    for batch in builder.build()? {
        let batch = batch.map_err(ParquetError::from)?;
        let field = |array: &ArrayRef, row: usize| {
            let any = array.as_any();
            if array.is_null(row) {
                String::new()
            } else if let Some(counts) = any.downcast_ref::<UInt64Array>() {
                counts.value(row).to_string()
            } else if let Some(reals) = any.downcast_ref::<Float64Array>() {
                reals.value(row).to_string()
            } else if let Some(texts) = any.downcast_ref::<StringArray>() {
                texts.value(row).to_string()
            } else {
                String::new()
            }
        };
        for row in 0..batch.num_rows() {
            let fields: Vec<_> = batch.columns().iter().map(|array| field(array, row)).collect();
            text += &csv_line(&fields);
        }
    }
    Ok(text)
}

/// Columns of a table that was read, as numbers: what has no value is not a number (NaN).
pub(super) fn read(bytes: Vec<u8>, names: &[&str]) -> Result<Vec<Vec<f64>>, TableError> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(Bytes::from(bytes))?;
    let schema = builder.schema().clone();
    let places: Vec<usize> = names
        .iter()
        .map(|name| schema.index_of(name).map_err(|_| TableError::Column((*name).into())))
        .collect::<Result<_, _>>()?;
    let mask = ProjectionMask::roots(builder.parquet_schema(), places);
    let mut columns = vec![Vec::new(); names.len()];
    for batch in builder.with_projection(mask).build()? {
        let batch = batch.map_err(ParquetError::from)?;
        for (name, column) in names.iter().zip(&mut columns) {
            let missing = || TableError::Column((*name).into());
            let array = batch.column_by_name(name).ok_or_else(missing)?;
            if let Some(counts) = array.as_any().downcast_ref::<UInt64Array>() {
                column.extend(counts.iter().map(|value| value.map_or(f64::NAN, |v| v as f64)));
            } else if let Some(reals) = array.as_any().downcast_ref::<Float64Array>() {
                column.extend(reals.iter().map(|value| value.unwrap_or(f64::NAN)));
            } else if let Some(texts) = array.as_any().downcast_ref::<StringArray>() {
                // The only text that is needed as a number.
                let reached = |text: Option<&str>| f64::from(u8::from(text == Some("reached")));
                column.extend(texts.iter().map(reached));
            } else {
                return Err(missing());
            }
        }
    }
    Ok(columns)
}
