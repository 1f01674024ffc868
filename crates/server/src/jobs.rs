//! Searches as jobs: each on a thread of the server's own, never on one that answers requests.
//!
//! Every client has a queue, and the workers take from the queues in turns, so that nobody waits
//! for all the searches of somebody else. A job has a [`Control`] of its own: limits, cancellation,
//! progress, and an observer when its expansions are to be seen.

use std::collections::{HashMap, VecDeque};
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hyperslide_lab::{SolveResult, Tables};
use hyperslide_puzzle::Puzzle;
use hyperslide_search::{Config, Control, Limits, Observer, Progress, TableCache, solve};
use hyperslide_table::lock;
use rand::Rng;
use tokio::sync::watch;

use crate::guard::Client;

/// Expansions that are kept for whoever watches a search.
const OBSERVED: usize = 20_000;
/// Jobs that one client may have waiting.
const WAITING_OF_ONE: usize = 64;
/// Jobs that may wait in all.
const WAITING: usize = 512;
/// How long a finished job is kept.
const KEPT: Duration = Duration::from_secs(600);
/// Finished jobs that are kept in all, and those among them whose expansions are.
const KEPT_JOBS: usize = 512;
const KEPT_OBSERVED: usize = 12;

/// How far a job is.
#[derive(Clone, Debug)]
pub enum JobState {
    /// It waits behind others.
    Queued,
    /// It searches.
    Running(Option<Progress>),
    /// It has ended.
    Done(Arc<SolveResult>),
}

/// What a job is to do.
pub struct Work {
    /// The puzzle.
    pub puzzle: Puzzle,
    /// By which algorithm.
    pub config: Config,
    /// Within which limits.
    pub limits: Limits,
    /// Whether its expansions are to be seen.
    pub is_observed: bool,
}

/// A search that somebody asked for.
pub struct Job {
    /// Its name, which cannot be guessed.
    pub id: String,
    /// Whoever has it may cancel the job.
    pub key: String,
    work: Work,
    cancel: AtomicBool,
    observer: Option<Arc<Observer>>,
    state: watch::Sender<JobState>,
    /// The number of clients that follow its events.
    followers: AtomicUsize,
}

impl Job {
    /// What sees its expansions, when somebody asked for them.
    pub fn observer(&self) -> Option<&Arc<Observer>> {
        self.observer.as_ref()
    }

    /// How far it is.
    pub fn state(&self) -> JobState {
        self.state.borrow().clone()
    }

    /// Tells of every change of its state.
    pub fn changes(&self) -> watch::Receiver<JobState> {
        self.state.subscribe()
    }

    /// Counts a client that follows its events, until what is returned is dropped.
    pub fn follow(self: &Arc<Job>) -> Follower {
        self.followers.fetch_add(1, Ordering::Relaxed);
        Follower(Arc::clone(self))
    }

    /// Returns whether somebody follows its events.
    pub fn is_followed(&self) -> bool {
        self.followers.load(Ordering::Relaxed) > 0
    }

    /// Stops it soon.
    pub fn cancel(&self) {
        self.cancel.store(true, Ordering::Relaxed);
    }

    fn run(&self, tables: &Tables, cache: &Arc<TableCache>) {
        self.state.send_replace(JobState::Running(None));
        let on_progress = |progress: &Progress| {
            self.state.send_replace(JobState::Running(Some(*progress)));
        };
        let puzzle = &self.work.puzzle;
        let search = || {
            // A finished job is kept for a while, but the tables of its heuristic are not kept with
            // it.
            let mut config = Config { cache: Arc::clone(cache), ..self.work.config.clone() };
            if config.algorithm.looks_up_tables {
                config.table = tables.find(puzzle);
            }
            let control = Control {
                limits: self.work.limits,
                cancel: Some(&self.cancel),
                progress: Some(&on_progress),
                observer: self.observer.as_deref(),
                ..Control::default()
            };
            match solve(puzzle, &config, &control) {
                Ok(report) => SolveResult::new(puzzle, &report),
                Err(error) => SolveResult::error(&error.to_string()),
            }
        };
        // Whatever happens, the worker continues with the next job.
        let result = std::panic::catch_unwind(AssertUnwindSafe(search)).unwrap_or_else(|_| {
            let algorithm = self.work.config.algorithm.name;
            tracing::error!(%puzzle, algorithm, "a search panicked");
            SolveResult::error("the search failed because of a mistake in the program")
        });
        self.state.send_replace(JobState::Done(Arc::new(result)));
    }
}

/// A client that follows a job.
pub struct Follower(Arc<Job>);

impl Drop for Follower {
    fn drop(&mut self) {
        self.0.followers.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Why a job is not taken.
#[derive(Debug, thiserror::Error)]
pub enum Full {
    /// The client has enough of them.
    #[error("{0} of your searches are waiting: wait for one of them, or cancel one")]
    OfOne(usize),
    /// Everybody together has.
    #[error("{0} searches are waiting: try again later")]
    OfAll(usize),
    /// The server is about to end.
    #[error("the server is being shut down: try again later")]
    Closing,
}

#[derive(Default)]
struct Inner {
    jobs: HashMap<String, Arc<Job>>,
    /// The clients that have jobs waiting, the next to be served first.
    waiting: VecDeque<(Client, VecDeque<Arc<Job>>)>,
    finished: VecDeque<(Instant, Arc<Job>)>,
    running: usize,
    is_closing: bool,
}

/// All jobs.
#[derive(Default)]
pub struct Jobs {
    inner: Mutex<Inner>,
    changed: Condvar,
}

/// A name of 128 random bits.
pub fn random_name() -> String {
    let mut bytes = [0; 16];
    rand::rng().fill_bytes(&mut bytes);
    hex::encode(bytes)
}

impl Jobs {
    /// Starts this number of workers, which look puzzles up in the same tables and keep those of
    /// heuristics in the same cache.
    pub fn start(workers: usize, tables: Tables, cache: TableCache) -> Arc<Jobs> {
        let (jobs, tables) = (Arc::new(Jobs::default()), Arc::new(tables));
        let cache = Arc::new(cache);
        for _ in 0..workers {
            let (jobs, tables) = (Arc::clone(&jobs), Arc::clone(&tables));
            let cache = Arc::clone(&cache);
            std::thread::spawn(move || {
                while let Some(job) = jobs.next() {
                    job.run(&tables, &cache);
                    jobs.finish(job);
                }
            });
        }
        jobs
    }

    /// Puts a job into its client's queue.
    pub fn add(&self, client: Client, work: Work) -> Result<Arc<Job>, Full> {
        let mut inner = lock(&self.inner);
        if inner.is_closing {
            return Err(Full::Closing);
        }
        let waiting = inner.waiting_jobs();
        if waiting >= WAITING {
            return Err(Full::OfAll(waiting));
        }
        let own = inner.waiting.iter().position(|(owner, _)| *owner == client);
        let of_client = own.map_or(0, |place| inner.waiting[place].1.len());
        if of_client >= WAITING_OF_ONE {
            return Err(Full::OfOne(of_client));
        }
        let job = Arc::new(Job {
            id: random_name(),
            key: random_name(),
            cancel: AtomicBool::new(false),
            observer: work.is_observed.then(|| Arc::new(Observer::new(OBSERVED))),
            state: watch::Sender::new(JobState::Queued),
            followers: AtomicUsize::new(0),
            work,
        });
        match own {
            Some(place) => inner.waiting[place].1.push_back(Arc::clone(&job)),
            None => inner.waiting.push_back((client, VecDeque::from([Arc::clone(&job)]))),
        }
        inner.jobs.insert(job.id.clone(), Arc::clone(&job));
        drop(inner);
        self.changed.notify_one();
        Ok(job)
    }

    /// The job with this name.
    pub fn find(&self, id: &str) -> Option<Arc<Job>> {
        lock(&self.inner).jobs.get(id).cloned()
    }

    /// How many jobs are served before this one, which waits.
    pub fn position(&self, job: &Job) -> usize {
        let inner = lock(&self.inner);
        let of = |queue: &VecDeque<Arc<Job>>| queue.iter().position(|other| other.id == job.id);
        let mut own = None;
        let mut ahead = Vec::new();
        let mut behind = Vec::new();
        for (_, queue) in &inner.waiting {
            match (of(queue), own) {
                (Some(place), _) => own = Some(place),
                (None, None) => ahead.push(queue.len()),
                (None, Some(_)) => behind.push(queue.len()),
            }
        }
        let Some(own) = own else { return 0 };
        // In turns: as many jobs of every other client as this client has before this one, and one
        // more of those whose turn comes first.
        let of_ahead = ahead.into_iter().map(|jobs| jobs.min(own + 1)).sum::<usize>();
        own + of_ahead + behind.into_iter().map(|jobs| jobs.min(own)).sum::<usize>()
    }

    /// The numbers of jobs that wait and that run.
    pub fn counts(&self) -> (usize, usize) {
        let inner = lock(&self.inner);
        (inner.waiting_jobs(), inner.running)
    }

    /// Cancels a job; one that still waits ends at once.
    pub fn cancel(&self, job: &Job) {
        job.cancel();
        let mut inner = lock(&self.inner);
        let mut taken = None;
        for (_, queue) in &mut inner.waiting {
            if let Some(place) = queue.iter().position(|other| other.id == job.id) {
                taken = queue.remove(place);
            }
        }
        inner.waiting.retain(|(_, queue)| !queue.is_empty());
        if let Some(job) = taken {
            job.state.send_replace(JobState::Done(Arc::new(cancelled(&job))));
            inner.keep(job);
        }
    }

    /// Takes no more jobs and cancels all that there are.
    pub fn close(&self) {
        let mut inner = lock(&self.inner);
        inner.is_closing = true;
        let waiting = std::mem::take(&mut inner.waiting);
        for job in inner.jobs.values() {
            job.cancel();
        }
        drop(inner);
        for job in waiting.into_iter().flat_map(|(_, queue)| queue) {
            job.state.send_replace(JobState::Done(Arc::new(cancelled(&job))));
        }
        self.changed.notify_all();
    }

    /// The next job, of the client whose turn it is; `None` when there will be no more.
    fn next(&self) -> Option<Arc<Job>> {
        let mut inner = lock(&self.inner);
        loop {
            if inner.is_closing {
                return None;
            }
            if let Some((client, mut queue)) = inner.waiting.pop_front() {
                let job = queue.pop_front();
                if !queue.is_empty() {
                    inner.waiting.push_back((client, queue));
                }
                inner.running += 1;
                return job;
            }
            inner = self.changed.wait(inner).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn finish(&self, job: Arc<Job>) {
        let mut inner = lock(&self.inner);
        inner.running -= 1;
        inner.keep(job);
    }
}

fn cancelled(job: &Job) -> SolveResult {
    SolveResult {
        status: hyperslide_lab::Status::LimitReached,
        limit: Some(hyperslide_search::Limit::Cancelled),
        lower_bound: Some(0),
        algorithm: Some(job.work.config.algorithm.name.to_owned()),
        puzzle: Some(job.work.puzzle.to_string()),
        ..SolveResult::default()
    }
}

impl Inner {
    fn waiting_jobs(&self) -> usize {
        self.waiting.iter().map(|(_, queue)| queue.len()).sum()
    }

    /// Keeps a finished job for a while, and forgets those that have been kept long enough.
    fn keep(&mut self, job: Arc<Job>) {
        self.finished.push_back((Instant::now(), job));
        let mut observed = self.finished.iter().filter(|(_, job)| job.observer.is_some()).count();
        let mut too_many = self.finished.len().saturating_sub(KEPT_JOBS);
        let jobs = &mut self.jobs;
        self.finished.retain(|(since, job)| {
            let is_heavy = job.observer.is_some() && observed > KEPT_OBSERVED;
            let is_over = too_many > 0 || is_heavy || since.elapsed() > KEPT;
            if is_over {
                too_many = too_many.saturating_sub(1);
                observed -= usize::from(job.observer.is_some());
                jobs.remove(&job.id);
            }
            !is_over
        });
    }
}

#[cfg(test)]
mod tests {
    use hyperslide_lab::{Status, TableSource};
    use hyperslide_table::{StoreEvent, TableStore};

    use super::*;

    fn start(cache: TableCache) -> Arc<Jobs> {
        Jobs::start(1, Tables::new(TableSource::None, |_| ()), cache)
    }

    fn work(line: &str, algorithm: &str) -> Work {
        Work {
            puzzle: Puzzle::from_line(line).unwrap(),
            config: Config::named(algorithm).unwrap(),
            limits: Limits { time: Some(Duration::from_secs(60)), ..Limits::default() },
            is_observed: false,
        }
    }

    const EASY: &str = "grid:2:2 1,2,0,3 -> 1,2,3,0";
    /// Nothing proves this one within the time of the test.
    const HARD: &str = "grid:6:6 35,34,33,32,31,30,29,28,27,26,25,24,23,22,21,20,19,18,17,16,15,14,13,\
                        12,11,10,9,8,7,6,5,4,3,1,2,0";

    fn wait(job: &Job) -> Arc<SolveResult> {
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            if let JobState::Done(result) = job.state() {
                return result;
            }
            assert!(Instant::now() < deadline, "the job does not end");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    #[test]
    fn clients_are_served_in_turns() {
        let jobs = Jobs::default();
        let [a, b] = [1, 2].map(Client::numbered);
        let of = |client, _| jobs.add(client, work(EASY, "auto")).unwrap();
        let first: Vec<_> = (0..3).map(|n| of(a, n)).collect();
        let second = of(b, 0);
        assert_eq!([0, 1, 2].map(|place: usize| jobs.position(&first[place])), [0, 2, 3]);
        assert_eq!(jobs.position(&second), 1);
        let order: Vec<String> = (0..4).map(|_| jobs.next().unwrap().id.clone()).collect();
        let expected = [&first[0], &second, &first[1], &first[2]].map(|job| job.id.clone());
        assert_eq!(order, expected);
    }

    #[test]
    fn jobs_end_when_they_are_cancelled_and_when_the_server_closes() {
        let jobs = start(TableCache::default());
        let client = Client::numbered(1);
        let running = jobs.add(client, work(HARD, "idastar")).unwrap();
        let waiting = jobs.add(client, work(EASY, "auto")).unwrap();
        jobs.cancel(&waiting);
        assert_eq!(wait(&waiting).status, Status::LimitReached);
        jobs.cancel(&running);
        assert_eq!(wait(&running).limit, Some(hyperslide_search::Limit::Cancelled));
        let next = jobs.add(client, work(EASY, "auto")).unwrap();
        assert_eq!(wait(&next).status, Status::Solved);
        let last = jobs.add(client, work(HARD, "idastar")).unwrap();
        jobs.close();
        assert_eq!(wait(&last).status, Status::LimitReached);
        assert!(matches!(jobs.add(client, work(EASY, "auto")), Err(Full::Closing)));
    }

    #[test]
    fn tables_are_built_once_for_all_jobs() {
        let built = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&built);
        let store = TableStore::new(None, move |event| {
            let is_built = matches!(event, StoreEvent::Building { .. });
            counter.fetch_add(usize::from(is_built), Ordering::Relaxed);
        });
        let jobs = start(TableCache::new(store));
        let solve = |state: &str| {
            let line = format!("grid:4:4 {state}");
            let config = Config::new("idastar", Some("patterns"), [], 0).unwrap();
            let work = Work { config, ..work(&line, "auto") };
            let job = jobs.add(Client::numbered(1), work).unwrap();
            assert_eq!(wait(&job).status, Status::Solved);
            built.load(Ordering::Relaxed)
        };
        let first = solve("1,2,3,4,5,6,7,8,9,10,11,12,13,14,0,15");
        assert!(first > 0);
        assert_eq!(solve("1,2,3,4,5,6,7,8,9,10,11,12,13,0,14,15"), first);
    }

    #[test]
    fn a_client_may_have_so_many_jobs_waiting_and_no_more() {
        let jobs = Jobs::default();
        let [a, b] = [1, 2].map(Client::numbered);
        for _ in 0..WAITING_OF_ONE {
            jobs.add(a, work(EASY, "auto")).unwrap();
        }
        assert!(matches!(jobs.add(a, work(EASY, "auto")), Err(Full::OfOne(WAITING_OF_ONE))));
        assert!(jobs.add(b, work(EASY, "auto")).is_ok());
    }
}
