//! Whole numbers and room for arrays, refused with the value where they are out of range.

use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;

use crate::errors::{Kind, error};

/// The most threads, as on the command line.
const MOST_THREADS: usize = 1024;

/// Reads a whole number that is not negative.
///
/// # Errors
///
/// A `SettingError` that names a number which is out of range, and a `TypeError` for anything else.
pub fn whole<T: TryFrom<u64>>(value: &Bound<'_, PyAny>) -> PyResult<T> {
    let refused = || {
        let greatest = u64::MAX >> (64 - 8 * size_of::<T>());
        error(
            Kind::Setting,
            format_args!("{value} is out of range: write a whole number from 0 to {greatest}"),
        )
    };
    match value.extract::<u64>() {
        Ok(number) => T::try_from(number).map_err(|_| refused()),
        Err(problem) if problem.is_instance_of::<PyOverflowError>(value.py()) => Err(refused()),
        Err(problem) => Err(problem),
    }
}

/// The same, or `None`.
///
/// # Errors
///
/// Those of [`whole`].
pub fn whole_or_none<T: TryFrom<u64>>(value: &Bound<'_, PyAny>) -> PyResult<Option<T>> {
    if value.is_none() { Ok(None) } else { whole(value).map(Some) }
}

/// Reads a number of threads, or `None`.
///
/// # Errors
///
/// Those of [`whole`].
pub fn threads_or_none(value: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    match whole_or_none(value)? {
        Some(threads) if !(1..=MOST_THREADS).contains(&threads) => Err(error(
            Kind::Setting,
            format_args!("threads is {threads}: write 1 to {MOST_THREADS}"),
        )),
        threads => Ok(threads),
    }
}

/// Refuses what has no room in memory, since a failed allocation would end the process.
///
/// # Errors
///
/// An `ArrayError` that says how much is needed.
pub fn check_room(count: usize, bytes_each: usize) -> PyResult<()> {
    /// What is always granted, since asking takes longer than copying it.
    const LITTLE: usize = 1 << 20;
    let bytes = count.checked_mul(bytes_each);
    let fits = |bytes| bytes <= LITTLE || Vec::<u8>::new().try_reserve_exact(bytes).is_ok();
    if bytes.is_some_and(fits) {
        return Ok(());
    }
    let gigabytes = count as f64 * bytes_each as f64 / 1e9;
    Err(error(
        Kind::Array,
        format_args!("an array of {gigabytes:.1} GB does not fit in memory: use fewer states"),
    ))
}
