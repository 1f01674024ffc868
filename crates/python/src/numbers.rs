//! Whole numbers and room for arrays, refused with the value where they are out of range.

use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;

use crate::errors::{Kind, error};

/// The most threads, as on the command line.
const MOST_THREADS: usize = 1024;

/// A whole number that is not negative, or such a number or `None`.
pub trait Whole: Sized {
    /// The greatest number of the type.
    const GREATEST: u64;
    /// What `None` is, where it may be written.
    const NONE: Option<Self>;

    /// The number, unless it is too great.
    fn new(number: u64) -> Option<Self>;
}

macro_rules! whole {
    ($($number:ty)*) => {$(
        impl Whole for $number {
            const GREATEST: u64 = <$number>::MAX as u64;
            const NONE: Option<$number> = None;

            fn new(number: u64) -> Option<$number> {
                number.try_into().ok()
            }
        }
    )*};
}

whole!(u8 u32 u64 usize);

impl<T: Whole> Whole for Option<T> {
    const GREATEST: u64 = T::GREATEST;
    const NONE: Option<Option<T>> = Some(None);

    fn new(number: u64) -> Option<Option<T>> {
        T::new(number).map(Some)
    }
}

/// Reads an argument with this name; `range` is what may be written, where it is less than the type
/// holds.
fn read<T: Whole>(value: &Bound<'_, PyAny>, name: &str, range: &str) -> PyResult<T> {
    if let (true, Some(none)) = (value.is_none(), T::NONE) {
        return Ok(none);
    }
    let refused = || {
        let range = match range {
            "" => format!("a whole number from 0 to {}", T::GREATEST),
            range => range.to_owned(),
        };
        error(Kind::Setting, format_args!("{name}: {value} is out of range: write {range}"))
    };
    match value.extract::<u64>() {
        Ok(number) => T::new(number).ok_or_else(refused),
        Err(problem) if problem.is_instance_of::<PyOverflowError>(value.py()) => Err(refused()),
        Err(problem) => Err(problem),
    }
}

/// What reads each argument that is a whole number. A number out of range is a `SettingError` that
/// names the argument, the number and the range, and anything else is a `TypeError`.
pub mod argument {
    use pyo3::exceptions::PyTypeError;
    use pyo3::prelude::*;

    use super::{Kind, MOST_THREADS, Whole, error, read};

    macro_rules! arguments {
        ($($name:ident: $range:literal,)*) => {$(
            pub fn $name<T: Whole>(value: &Bound<'_, PyAny>) -> PyResult<T> {
                read(value, stringify!($name), $range)
            }
        )*};
    }

    arguments! {
        batch: "",
        bits: "8 or 2",
        count: "",
        distance: "",
        empty: "1 or more, and less than the number of vertices",
        farthest: "",
        limit: "",
        limit_memory: "",
        limit_nodes: "",
        max_episode_steps: "",
        memory: "",
        n: "",
        num_envs: "1 to 268435456",
        rule: "1 to the dimension of the cube",
        seed: "",
        tokens: "1 or more, and less than the number of vertices",
    }

    /// The text of a board or a puzzle.
    pub fn text(value: &Bound<'_, PyAny>) -> PyResult<String> {
        value.extract().map_err(|_| {
            PyTypeError::new_err(format!("text is {value:?}: write a str, as in 'grid:3:3'"))
        })
    }

    /// The number of threads, or `None`.
    pub fn threads(value: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
        match read(value, "threads", &format!("1 to {MOST_THREADS}"))? {
            Some(threads) if !(1..=MOST_THREADS).contains(&threads) => Err(error(
                Kind::Setting,
                format_args!("threads is {threads}: write 1 to {MOST_THREADS}"),
            )),
            threads => Ok(threads),
        }
    }
}

/// Reads the number of an action: one that no `i64` holds is none, like -1.
///
/// # Errors
///
/// A `TypeError` for what is no number.
pub fn action<'py>(value: &Bound<'py, PyAny>) -> PyResult<(i64, Bound<'py, PyAny>)> {
    match value.extract::<i64>() {
        Err(problem) if PyErr::is_instance_of::<PyOverflowError>(&problem, value.py()) => {
            Ok((-1, value.clone()))
        }
        number => Ok((number?, value.clone())),
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
