//! Work that takes long: on a thread of its own, with the interpreter released, while the caller's
//! thread handles signals and calls what the caller gave.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hyperslide_table::{NEVER, lock};
use pyo3::prelude::*;

use crate::errors::{Kind, error, panicked, said};

/// Something of the caller's to be called, with all that it needs.
pub type Callback = Arc<Py<PyAny>>;

type Job = Box<dyn FnOnce(Python<'_>) -> PyResult<()> + Send>;

/// How often the caller's thread looks for Ctrl-C.
const SIGNALS: Duration = Duration::from_millis(50);

/// The caller's thread, as the working thread sees it.
pub struct Caller<'a> {
    jobs: Sender<Job>,
    cancel: &'a AtomicBool,
}

impl<'a> Caller<'a> {
    /// Becomes true when the work should end: after Ctrl-C, or an exception in a call.
    pub fn cancel(&self) -> &'a AtomicBool {
        self.cancel
    }

    /// Calls something on the caller's thread some time later.
    pub fn post(&self, job: impl FnOnce(Python<'_>) -> PyResult<()> + Send + 'static) {
        // Nobody listens when the caller has given up.
        let _ = self.jobs.send(Box::new(job));
    }

    /// The same for threads that search together.
    pub fn poster(&self) -> Poster {
        Poster { jobs: Mutex::new(self.jobs.clone()) }
    }

    /// Calls something on the caller's thread and waits for its answer: `None` when it raised an
    /// exception, or the caller has given up.
    pub fn ask<T: Send + 'static>(
        &self,
        job: impl FnOnce(Python<'_>) -> PyResult<T> + Send + 'static,
    ) -> Option<T> {
        let (reply, answer) = mpsc::channel();
        self.post(move |py| {
            let _ = reply.send(job(py)?);
            Ok(())
        });
        answer.recv().ok()
    }
}

/// Calls things on the caller's thread from any thread.
pub struct Poster {
    jobs: Mutex<Sender<Job>>,
}

impl Poster {
    /// Calls something on the caller's thread some time later.
    pub fn post(&self, job: impl FnOnce(Python<'_>) -> PyResult<()> + Send + 'static) {
        let _ = lock(&self.jobs).send(Box::new(job));
    }
}

/// Runs work that may take long.
///
/// # Errors
///
/// What a call raised, `KeyboardInterrupt` after Ctrl-C (what the work returns is then lost), or an
/// `InternalError` where the work panicked.
pub fn run<T: Send>(py: Python<'_>, work: impl FnOnce(&Caller<'_>) -> T + Send) -> PyResult<T> {
    let cancel = &AtomicBool::new(false);
    let (jobs, listen) = mpsc::channel::<Job>();
    let listen = Mutex::new(listen);
    let mut failure = None;
    let joined = std::thread::scope(|scope| {
        let work = move || work(&Caller { jobs, cancel });
        let worker = std::thread::Builder::new()
            .name("hyperslide".to_owned())
            .stack_size(8 << 20)
            .spawn_scoped(scope, work)
            .map_err(|no_thread| {
                error(Kind::Internal, format_args!("no thread can be started: {no_thread}"))
            })?;
        loop {
            let next = py.detach(|| next(&listen));
            let done = match next {
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => Ok(()),
                // After a failure nobody is called any more.
                Ok(_) if failure.is_some() => Ok(()),
                Ok(job) => job(py),
            };
            if let Err(raised) = done.and_then(|()| py.check_signals()) {
                cancel.store(true, Ordering::Relaxed);
                failure.get_or_insert(raised);
            }
        }
        Ok::<_, PyErr>(py.detach(|| worker.join()))
    })?;
    match (failure, joined) {
        (Some(raised), _) => Err(raised),
        (None, Ok(result)) => Ok(result),
        (None, Err(panic)) => Err(panicked(&*panic)),
    }
}

fn next(listen: &Mutex<Receiver<Job>>) -> Result<Job, RecvTimeoutError> {
    lock(listen).recv_timeout(SIGNALS)
}

/// From this many steps of some nanoseconds on, work is done on a thread of its own: what takes
/// less is over before anybody could wait for Ctrl-C, and a thread would be felt.
const LONG: u64 = 1 << 18;

/// Runs work of this many short steps with the interpreter released, so that the flag ends it soon
/// after Ctrl-C if it is long.
///
/// # Errors
///
/// Those of [`run`].
pub fn stoppable<T: Send>(
    py: Python<'_>,
    steps: u64,
    work: impl FnOnce(&AtomicBool) -> T + Send,
) -> PyResult<T> {
    match steps {
        LONG.. => run(py, |caller| work(caller.cancel())),
        _ => detached(py, || work(&NEVER)),
    }
}

/// Runs work that is soon done, with the interpreter released.
///
/// # Errors
///
/// An `InternalError` where the work panicked.
pub fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let caught = py.detach(|| std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)));
    caught.map_err(|panic| panicked(&*panic))
}

/// The same for work that takes less than to release the interpreter and to wait for it again.
///
/// # Errors
///
/// An `InternalError` where the work panicked.
pub fn attached<T>(work: impl FnOnce() -> T) -> PyResult<T> {
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
    caught.map_err(|panic| panicked(&*panic))
}

thread_local! {
    /// Whether a panic of this thread is an answer, and no bug that is to be reported.
    static IS_QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Lets [`guarded`] work panic without a word on standard error.
pub fn silence_guarded() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !IS_QUIET.get() {
            usual(panic);
        }
    }));
}

/// Runs work that panics over wrong input, since a library does, with the interpreter released;
/// returns what a panic said.
pub fn guarded<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> Result<T, String> {
    let caught = py.detach(|| {
        IS_QUIET.set(true);
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        IS_QUIET.set(false);
        caught
    });
    caught.map_err(|panic| said(&*panic).to_owned())
}
