//! Memory that the system may refuse: code that can do without it says so, and searches ask whether
//! something was refused that no code could do without.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, Scope, ScopedJoinHandle};

use memmap2::MmapMut;

thread_local! {
    static REFUSABLE: Cell<bool> = const { Cell::new(false) };
}

static IS_SHORT: AtomicBool = AtomicBool::new(false);

/// Runs something that has an answer to a refusal of memory, such as [`Vec::try_reserve`].
///
/// A program may have an allocator that ends it with a clear message when memory is refused where
/// there is no answer; it asks [`is_refusable`].
pub fn refusable<T>(allocate: impl FnOnce() -> T) -> T {
    let before = REFUSABLE.replace(true);
    let result = allocate();
    REFUSABLE.set(before);
    result
}

/// Returns whether this thread is in [`refusable`].
pub fn is_refusable() -> bool {
    REFUSABLE.get()
}

/// What the system says of a process's memory, in bytes: a field of its status such as `VmHWM`, the
/// most that it has had in memory at once. `None` where the system does not say.
pub fn process_memory(process: u32, field: &str) -> Option<u64> {
    status_field(&std::fs::read_to_string(format!("/proc/{process}/status")).ok()?, field)
}

fn status_field(status: &str, field: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

/// Notes that memory was refused, and that what was asked for came from a reserve; or that the
/// reserve is whole again. Searches then end with the memory limit.
pub fn set_short(is_short: bool) {
    IS_SHORT.store(is_short, Ordering::Relaxed);
}

/// Returns whether a reserve is in use.
#[inline]
pub fn is_short() -> bool {
    IS_SHORT.load(Ordering::Relaxed)
}

/// Spawns a thread where the system has one left, and memory for it; the caller does the work of
/// those that are missing.
pub fn spawn<'s, T: Send + 's>(
    scope: &'s Scope<'s, '_>,
    work: impl FnOnce() -> T + Send + 's,
) -> Option<ScopedJoinHandle<'s, T>> {
    /// The stack of a thread, and what is allocated before its work begins, where a refusal would
    /// end the program.
    const NEEDED: usize = 4 << 20;
    if is_short() || MmapMut::map_anon(NEEDED).is_err() {
        return None;
    }
    Builder::new().spawn_scoped(scope, work).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_of_a_process_is_read() {
        let status = "VmPeak:\t    9000 kB\nVmSize:\t    8000 kB\n";
        assert_eq!(status_field(status, "VmSize"), Some(8000 << 10));
        assert_eq!(status_field(status, "VmData"), None);
        assert!(process_memory(std::process::id(), "VmHWM").is_some_and(|bytes| bytes > 1 << 16));
    }
}
