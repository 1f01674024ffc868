//! Arrays of callers, checked and copied; and arrays that are handed over.

use hyperslide_puzzle::Puzzle;
use numpy::ndarray::Array2;
use numpy::{
    Element, PyArray1, PyArray2, PyArrayDescrMethods, PyArrayMethods, PyUntypedArray,
    PyUntypedArrayMethods,
};
use pyo3::prelude::*;

use crate::errors::{Kind, error};
use crate::numbers::check_room;

/// What the cells of every state of a puzzle are checked against.
#[derive(Clone, Debug)]
pub struct Cells {
    /// The number of vertices.
    pub vertices: usize,
    /// How often each cell occurs, by its value.
    counts: Vec<u8>,
    /// The bits of the cells that occur, where every label occurs once and at most one vertex is
    /// empty: then a state is right if it has all of them.
    once: Option<u64>,
}

impl Cells {
    /// The cells of the states of a puzzle.
    pub fn new(puzzle: &Puzzle) -> Cells {
        let vertices = puzzle.board().vertex_count();
        let mut counts = vec![0; puzzle.labels().len() + 1];
        for &cell in &puzzle.start().cells()[..vertices] {
            counts[cell as usize] += 1;
        }
        let is_once = counts.len() <= 64 && counts.iter().all(|&count| count == 1);
        let once = is_once.then(|| u64::MAX >> (64 - counts.len()));
        Cells { vertices, counts, once }
    }

    /// Returns whether these are the cells of a state.
    #[inline]
    fn are(&self, cells: &[u8]) -> bool {
        if let Some(once) = self.once {
            let (mut seen, mut above) = (0u64, 0u8);
            for &cell in cells {
                seen |= 1 << (cell & 63);
                above |= cell & 192;
            }
            return seen == once && above == 0;
        }
        let mut counts = [0u8; 256];
        cells.iter().for_each(|&cell| counts[cell as usize] += 1);
        counts[..self.counts.len()] == self.counts[..]
    }

    /// What is wrong with the cells of a state, for people.
    fn problem(&self, cells: &[u8]) -> String {
        let labels = self.counts.len() - 1;
        if let Some(vertex) = cells.iter().position(|&cell| cell as usize > labels) {
            return format!(
                "has {} on vertex {vertex}: the cells of this puzzle are 0 (empty) to {labels}",
                cells[vertex]
            );
        }
        for (cell, &wanted) in self.counts.iter().enumerate() {
            let found = cells.iter().filter(|&&other| other as usize == cell).count();
            if found != wanted as usize {
                let what =
                    if cell == 0 { "empty vertices".to_owned() } else { format!("tokens {cell}") };
                return format!("has {found} {what}, and every state of this puzzle has {wanted}");
            }
        }
        "is right".to_owned()
    }

    /// Copies the states of an array, `uint8[n, vertices]`.
    ///
    /// # Errors
    ///
    /// An `ArrayError` that names what is wrong with the array, or with the first wrong state.
    pub fn read(&self, states: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
        let cells = self.read_unchecked(states)?;
        self.check(&cells)?;
        Ok(cells)
    }

    /// Refuses cells that are not those of states.
    ///
    /// # Errors
    ///
    /// An `ArrayError` that names what is wrong with the first wrong state.
    pub fn check(&self, cells: &[u8]) -> PyResult<()> {
        let wrong = match self.vertices {
            9 => self.first_wrong::<9>(cells),
            12 => self.first_wrong::<12>(cells),
            16 => self.first_wrong::<16>(cells),
            25 => self.first_wrong::<25>(cells),
            _ => cells.chunks_exact(self.vertices).position(|state| !self.are(state)),
        };
        match wrong {
            None => Ok(()),
            Some(number) => {
                let problem = self.problem(&cells[number * self.vertices..][..self.vertices]);
                Err(error(Kind::Array, format_args!("state {number} {problem}")))
            }
        }
    }

    /// The first state that is none, for boards of a size that is known when this is compiled,
    /// whose loops over the vertices are unrolled.
    fn first_wrong<const V: usize>(&self, cells: &[u8]) -> Option<usize> {
        let states = cells.as_chunks::<V>().0;
        let Some(once) = self.once.and_then(|once| u32::try_from(once).ok()) else {
            return states.iter().position(|state| !self.are(state));
        };
        let is_wrong = |state: &[u8; V]| {
            let (seen, bits) = state.iter().fold((0, 0), |(seen, bits), &cell| {
                (seen | 1u32.wrapping_shl(cell.into()), bits | cell)
            });
            seen != once || bits >= 32
        };
        // One answer for several states, since wrong ones are rare.
        let groups = states.chunks(8);
        let is_any = |group: &[[u8; V]]| group.iter().fold(false, |any, one| any | is_wrong(one));
        let group = groups.clone().position(is_any)?;
        let first = groups.clone().nth(group)?.iter().position(is_wrong)?;
        Some(group * 8 + first)
    }

    /// Copies the bytes of an array, `uint8[n, vertices]`.
    ///
    /// # Errors
    ///
    /// An `ArrayError` that names what is wrong with the array.
    pub fn read_unchecked(&self, states: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
        let wanted = || format!("uint8[n, {}]", self.vertices);
        let array = any_array(states, "states", wanted)?;
        let shape = array.shape();
        let is_fit = matches!(*shape, [_, vertices] if vertices == self.vertices);
        match states.cast::<PyArray2<u8>>() {
            Ok(array) if is_fit => copied(array),
            _ => Err(wrong_array("states", array, &wanted())),
        }
    }

    /// Copies one state, `uint8[vertices]`.
    ///
    /// # Errors
    ///
    /// An `ArrayError` that names what is wrong with it.
    pub fn read_one(&self, state: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
        let wanted = || format!("uint8[{}]", self.vertices);
        let array = any_array(state, "the state", wanted)?;
        let is_fit = *array.shape() == [self.vertices];
        let cells = match state.cast::<PyArray1<u8>>() {
            Ok(array) if is_fit => copied(array)?,
            _ => return Err(wrong_array("the state", array, &wanted())),
        };
        if self.are(&cells) {
            Ok(cells)
        } else {
            Err(error(Kind::Array, format_args!("the state {}", self.problem(&cells))))
        }
    }
}

/// Copies an array of whole numbers, `int[n]`.
///
/// # Errors
///
/// An `ArrayError` that names what is wrong with it.
pub fn read_numbers(
    numbers: &Bound<'_, PyAny>,
    name: &str,
    count: Option<usize>,
) -> PyResult<Vec<i64>> {
    let wanted = || match count {
        Some(count) => format!("int64[{count}]"),
        None => "int64[n]".to_owned(),
    };
    let array = any_array(numbers, name, wanted)?;
    let is_whole = matches!(array.dtype().kind(), b'i' | b'u');
    let is_long = matches!(*array.shape(), [length] if count.is_none_or(|count| count == length));
    if !is_whole || !is_long {
        return Err(wrong_array(name, array, &wanted()));
    }
    if let Ok(array) = numbers.cast::<PyArray1<i64>>() {
        return copied(array);
    }
    if let Ok(array) = numbers.cast::<PyArray1<i32>>() {
        return Ok(copied(array)?.into_iter().map(i64::from).collect());
    }
    if let Ok(array) = numbers.cast::<PyArray1<u64>>() {
        let large = |number: u64| {
            let problem = format_args!("{name}: {number} is more than {}", i64::MAX);
            i64::try_from(number).map_err(|_| error(Kind::Array, problem))
        };
        return copied(array)?.into_iter().map(large).collect();
    }
    copied(numbers.call_method1("astype", ("int64",))?.cast::<PyArray1<i64>>()?)
}

/// Copies an array of actions, `int[count]`, of which there are at most 256, as bytes; `None` where
/// it is of another form than usual or one of the actions is none, which [`read_numbers`] and a
/// check then say in words.
pub fn read_few_actions(
    actions: &Bound<'_, PyAny>,
    count: usize,
    all: usize,
) -> PyResult<Option<Vec<u8>>> {
    /// Narrows the numbers in one pass that also checks them.
    fn narrowed<T: Element + Copy + Into<i64>>(
        array: &Bound<'_, PyArray1<T>>,
        (count, all): (usize, usize),
    ) -> PyResult<Option<Vec<u8>>> {
        let is_usual = array.data().is_aligned() && array.is_c_contiguous() && array.len() == count;
        if !is_usual {
            return Ok(None);
        }
        let array = array.try_readonly().map_err(|busy| error(Kind::Array, busy))?;
        let Ok(numbers) = array.as_slice() else { return Ok(None) };
        let wide = |&number: &T| -> i64 { number.into() };
        let bits = numbers.iter().map(wide).fold(0, |bits, number| bits | number);
        let is_right = (bits as u64) < all.min(256) as u64;
        Ok(is_right.then(|| numbers.iter().map(|number| wide(number) as u8).collect()))
    }
    let form = (count, all);
    if let Ok(array) = actions.cast::<PyArray1<i64>>() {
        narrowed(array, form)
    } else if let Ok(array) = actions.cast::<PyArray1<i32>>() {
        narrowed(array, form)
    } else {
        Ok(None)
    }
}

/// Copies an array of numbers, `float[n]`.
///
/// # Errors
///
/// An `ArrayError` that names what is wrong with it.
pub fn read_floats(numbers: &Bound<'_, PyAny>, name: &str, count: usize) -> PyResult<Vec<f64>> {
    let wanted = || format!("float[{count}]");
    let array = any_array(numbers, name, wanted)?;
    let is_number = matches!(array.dtype().kind(), b'i' | b'u' | b'f');
    if !is_number || *array.shape() != [count] {
        return Err(wrong_array(name, array, &wanted()));
    }
    if let Ok(array) = numbers.cast::<PyArray1<f64>>() {
        return copied(array);
    }
    copied(numbers.call_method1("astype", ("float64",))?.cast::<PyArray1<f64>>()?)
}

/// Copies a table of truths, `bool[rows, columns]`.
///
/// # Errors
///
/// An `ArrayError` that names what is wrong with it.
pub fn read_truths(
    truths: &Bound<'_, PyAny>,
    name: &str,
    rows: usize,
    columns: usize,
) -> PyResult<Vec<bool>> {
    let wanted = || format!("bool[{rows}, {columns}]");
    let array = any_array(truths, name, wanted)?;
    let is_fit = *array.shape() == [rows, columns];
    match truths.cast::<PyArray2<bool>>() {
        Ok(array) if is_fit => copied(array),
        _ => Err(wrong_array(name, array, &wanted())),
    }
}

fn any_array<'a, 'py>(
    array: &'a Bound<'py, PyAny>,
    name: &str,
    wanted: impl FnOnce() -> String,
) -> PyResult<&'a Bound<'py, PyUntypedArray>> {
    array.cast::<PyUntypedArray>().map_err(|_| {
        let given = array.get_type();
        let given = given.name().map_or_else(|_| "object".to_owned(), |name| name.to_string());
        error(
            Kind::Array,
            format_args!("{name} must be an array {}, not an object of type {given}", wanted()),
        )
    })
}

fn wrong_array(name: &str, array: &Bound<'_, PyUntypedArray>, wanted: &str) -> PyErr {
    let sizes: Vec<String> = array.shape().iter().map(ToString::to_string).collect();
    let given = format!("{}[{}]", array.dtype(), sizes.join(", "));
    error(Kind::Array, format_args!("{name} must be an array {wanted}, not {given}"))
}

/// Copies an array while the interpreter is held.
fn copied<T: Element + Copy, D: numpy::ndarray::Dimension>(
    array: &Bound<'_, numpy::PyArray<T, D>>,
) -> PyResult<Vec<T>> {
    // NumPy has arrays between the addresses that numbers of their size may have here.
    let is_apart = !array.data().is_aligned()
        || array.strides().iter().any(|stride| stride.unsigned_abs() % size_of::<T>() != 0);
    if is_apart {
        let copy = array.call_method0("copy")?;
        return copied(copy.cast::<numpy::PyArray<T, D>>()?);
    }
    // Views may have more elements than memory has bytes.
    check_room(array.len(), size_of::<T>())?;
    let array = array.try_readonly().map_err(|busy| error(Kind::Array, busy))?;
    match array.as_slice() {
        Ok(slice) if array.is_c_contiguous() => Ok(slice.to_vec()),
        _ => Ok(array.as_array().iter().copied().collect()),
    }
}

/// Loads what NumPy offers to compiled code: at first use it is loaded too, but where that fails,
/// as it does after Ctrl-C, it panics.
///
/// # Errors
///
/// When NumPy cannot be used.
pub fn load_interface(py: Python<'_>) -> PyResult<()> {
    let array = PyArray1::from_vec(py, vec![0u8]);
    array.try_readonly().map(|_| ()).map_err(|busy| error(Kind::Internal, busy))
}

/// Hands over numbers as rows of an array.
///
/// # Errors
///
/// When they do not fill the rows.
pub fn rows<T: Element>(
    py: Python<'_>,
    numbers: Vec<T>,
    rows: usize,
    columns: usize,
) -> PyResult<Bound<'_, PyArray2<T>>> {
    let array = Array2::from_shape_vec((rows, columns), numbers);
    let array = array.map_err(|problem| error(Kind::Internal, problem))?;
    Ok(PyArray2::from_owned_array(py, array))
}
