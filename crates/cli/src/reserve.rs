//! What happens when the system refuses memory, as it does under a limit of the process.
//!
//! Searches ask for what they store in a way that can be refused, and end with the memory limit and
//! their bound. What is small and cannot be refused then comes from a reserve, so that they get
//! there. Whatever else is refused ends the program with one line, and never by an abort.

#![allow(
    unsafe_code,
    reason = "an allocator is unsafe; this one passes everything on to the system's"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::UnsafeCell;
use std::io::{Cursor, Write};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use hyperslide_table::{is_refusable, lock, set_short};

use crate::failure::ExitStatus;
use crate::terminal::is_searching;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

struct Allocator;

/// Bytes that are part of the program, so that nobody can refuse them; pages that are never used
/// take no memory.
const RESERVE: usize = 2 << 20;
/// What is larger does not come from the reserve.
const SMALL: usize = 128 << 10;

#[repr(align(4096))]
struct Reserve(UnsafeCell<[u8; RESERVE]>);

// SAFETY: its parts are given away one by one under the lock of `TAKEN`, each to one owner.
unsafe impl Sync for Reserve {}

static BYTES: Reserve = Reserve(UnsafeCell::new([0; RESERVE]));

struct Taken {
    /// Where the free part begins.
    bytes: usize,
    /// The number of pieces that have not come back.
    pieces: usize,
}

static TAKEN: Mutex<Taken> = Mutex::new(Taken { bytes: 0, pieces: 0 });

fn taken() -> MutexGuard<'static, Taken> {
    lock(&TAKEN)
}

/// Where a piece of the reserve begins, if it is not too large.
fn take(layout: Layout) -> Option<*mut u8> {
    let mut taken = taken();
    let begin = taken.bytes.next_multiple_of(layout.align());
    let end = begin.checked_add(layout.size())?;
    if layout.size() > SMALL || layout.align() > 4096 || end > RESERVE {
        return None;
    }
    taken.bytes = end;
    taken.pieces += 1;
    set_short(true);
    Some(BYTES.0.get().cast::<u8>().wrapping_add(begin))
}

fn is_of_reserve(pointer: *mut u8) -> bool {
    let begin = BYTES.0.get() as usize;
    (begin..begin + RESERVE).contains(&(pointer as usize))
}

/// Takes a piece back. The reserve is whole again when all of them are back.
fn give_back() {
    let mut taken = taken();
    taken.pieces -= 1;
    if taken.pieces == 0 {
        taken.bytes = 0;
        set_short(false);
    }
}

/// What to return where the system returned nothing.
#[cold]
fn refused(layout: Layout) -> *mut u8 {
    if is_refusable() {
        return std::ptr::null_mut();
    }
    take(layout).unwrap_or_else(end)
}

/// No solution of the puzzle that is being solved alone is shorter.
static BOUND: AtomicU32 = AtomicU32::new(0);

/// Notes what is known of the only puzzle that is being solved.
pub fn note_bound(lower_bound: u32) {
    BOUND.fetch_max(lower_bound, Ordering::Relaxed);
}

/// Writes to standard error, past its lock, which a thread without memory may hold.
fn write_error(text: &[u8]) {
    #[cfg(unix)]
    if let Ok(error) = std::os::fd::AsFd::as_fd(&std::io::stderr()).try_clone_to_owned() {
        let _ = std::fs::File::from(error).write_all(text);
    }
    #[cfg(not(unix))]
    let _ = std::io::stderr().write_all(text);
}

/// Ends the program with one line, which is written without any memory.
fn end() -> *mut u8 {
    thread_local!(static HERE: u8 = const { 0 });
    static ENDING: AtomicUsize = AtomicUsize::new(0);
    let here = HERE.with(|here| std::ptr::from_ref(here).addr());
    match ENDING.compare_exchange(0, here, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(_) => {}
        // The end itself needs memory.
        Err(ending) if ending == here => return std::ptr::null_mut(),
        // Another thread ends the program: without memory, this one would abort it.
        Err(_) => loop {
            std::thread::sleep(Duration::from_secs(1));
        },
    }
    let mut line = Cursor::new([0u8; 128]);
    let (written, status) = match (is_searching(), BOUND.load(Ordering::Relaxed)) {
        (true, 0) => (writeln!(line, "hyperslide: memory limit"), ExitStatus::LimitReached),
        (true, bound) => (
            writeln!(
                line,
                "hyperslide: memory limit: no solution yet; any solution has at least {bound} moves"
            ),
            ExitStatus::LimitReached,
        ),
        (false, _) => (
            writeln!(
                line,
                "hyperslide: the system refuses memory that the program needs: allow it more"
            ),
            ExitStatus::BadInput,
        ),
    };
    let length = written.map_or(0, |()| line.position() as usize);
    write_error(&line.get_ref()[..length]);
    std::process::exit(status as i32)
}

// SAFETY: pieces come from the system's allocator, or from the reserve, whose pieces are aligned,
// disjoint and never given away twice before all of them are back.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: passed on as it is.
        let pointer = unsafe { System.alloc(layout) };
        if pointer.is_null() { refused(layout) } else { pointer }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: passed on as it is.
        let pointer = unsafe { System.alloc_zeroed(layout) };
        if !pointer.is_null() {
            return pointer;
        }
        let pointer = refused(layout);
        if !pointer.is_null() {
            // SAFETY: the piece is as large as the layout says.
            unsafe { pointer.write_bytes(0, layout.size()) };
        }
        pointer
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        if is_of_reserve(pointer) {
            give_back();
        } else {
            // SAFETY: it came from the system's allocator, with this layout.
            unsafe { System.dealloc(pointer, layout) }
        }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !is_of_reserve(pointer) {
            // SAFETY: it came from the system's allocator, with this layout.
            let moved = unsafe { System.realloc(pointer, layout, size) };
            if !moved.is_null() {
                return moved;
            }
        }
        // SAFETY: the caller promises that the size is right for the alignment.
        let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        let moved = if is_of_reserve(pointer) {
            // SAFETY: the size is not 0, as the caller promises.
            unsafe { self.alloc(wanted) }
        } else {
            refused(wanted)
        };
        if !moved.is_null() {
            // SAFETY: both are at least as long as the shorter of them, and disjoint; the old one
            // is not used any more.
            unsafe {
                moved.copy_from_nonoverlapping(pointer, layout.size().min(size));
                self.dealloc(pointer, layout);
            }
        }
        moved
    }
}
