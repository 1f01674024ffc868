//! Searches that several processes share, here threads, against the search in memory.

use std::collections::{BTreeMap, VecDeque};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

use hyperslide_puzzle::{Board, BoardSpec, Label, Metric, State, Vertex, VertexSet};
use hyperslide_table::{
    BreadthFirst, FilesError, FilesOptions, FilesProgress, Layers, PeerGone, Peers, Resume,
    SearchOptions, SentBlock, Signals, Space, SpaceOptions, count_layers_in_files, end_searches,
    join_searches,
};

static NEVER: AtomicBool = AtomicBool::new(false);

/// What threads that play processes have sent to each other.
#[derive(Debug, Default)]
struct Mail {
    gathered: BTreeMap<u64, BTreeMap<usize, Vec<u8>>>,
    /// By receiver and window.
    sent_blocks: BTreeMap<(usize, u64), VecDeque<SentBlock>>,
    closed: BTreeMap<u64, usize>,
    /// The most blocks that were on their way to one receiver.
    most: usize,
    gone: Option<usize>,
}

#[derive(Debug)]
struct Thread {
    process: usize,
    processes: usize,
    round: Mutex<u64>,
    windows: Mutex<u64>,
    /// The window that this process does not live to close.
    last_window: Option<u64>,
    mail: Arc<(Mutex<Mail>, Condvar)>,
}

impl Thread {
    fn all(processes: usize) -> Vec<Arc<Thread>> {
        Thread::all_until(processes, None)
    }

    /// As many processes, of which one ends when it has sent its part of a window.
    fn all_until(processes: usize, end: Option<(usize, u64)>) -> Vec<Arc<Thread>> {
        let mail = Arc::new((Mutex::new(Mail::default()), Condvar::new()));
        (0..processes)
            .map(|process| {
                let (round, windows) = (Mutex::new(0), Mutex::new(0));
                let last_window = end.filter(|(one, _)| *one == process).map(|(_, window)| window);
                let mail = Arc::clone(&mail);
                Arc::new(Thread { process, processes, round, windows, last_window, mail })
            })
            .collect()
    }

    /// Waits until there is something.
    fn wait<T>(&self, mut of: impl FnMut(&mut Mail) -> Option<T>) -> Result<T, PeerGone> {
        let mut mail: MutexGuard<'_, Mail> = self.mail.0.lock().unwrap();
        loop {
            if let Some(found) = of(&mut mail) {
                self.mail.1.notify_all();
                return Ok(found);
            }
            if let Some(process) = mail.gone {
                return Err(PeerGone { process, reason: "it has left".to_owned() });
            }
            mail = self.mail.1.wait(mail).unwrap();
        }
    }
}

impl Peers for Thread {
    fn process(&self) -> usize {
        self.process
    }

    fn processes(&self) -> usize {
        self.processes
    }

    fn on_this_machine(&self) -> usize {
        1
    }

    fn gather(&self, bytes: Vec<u8>) -> Result<Vec<Vec<u8>>, PeerGone> {
        let mut round = self.round.lock().unwrap();
        self.wait(|mail| {
            mail.gathered.entry(*round).or_default().insert(self.process, bytes.clone());
            Some(())
        })?;
        let all = self.wait(|mail| {
            let all = &mail.gathered[&*round];
            (all.len() == self.processes).then(|| all.values().cloned().collect())
        });
        *round += 1;
        all
    }

    fn new_windows(&self, count: u64) -> u64 {
        let mut next = self.windows.lock().unwrap();
        *next += count;
        *next - count
    }

    fn send(&self, window: u64, to: usize, sent: SentBlock) -> Result<(), PeerGone> {
        self.wait(|mail| {
            mail.sent_blocks.entry((to, window)).or_default().push_back(sent.clone());
            let under_way = mail.sent_blocks.iter().filter(|((other, _), _)| *other == to);
            mail.most = mail.most.max(under_way.map(|(_, sent_blocks)| sent_blocks.len()).sum());
            Some(())
        })
    }

    fn close(&self, window: u64) -> Result<(), PeerGone> {
        if self.last_window == Some(window) {
            self.leave();
            return Err(PeerGone { process: self.process, reason: "it ends here".to_owned() });
        }
        self.wait(|mail| {
            *mail.closed.entry(window).or_default() += 1;
            Some(())
        })?;
        let Some(before) = window.checked_sub(1) else { return Ok(()) };
        self.wait(|mail| {
            let is_closed = mail.closed.get(&before).copied().unwrap_or(0) == self.processes;
            let is_open = mail
                .sent_blocks
                .iter()
                .any(|((_, other), sent_blocks)| *other == before && !sent_blocks.is_empty());
            (is_closed && !is_open).then_some(())
        })
    }

    fn receive(&self, window: u64) -> Result<SentBlock, PeerGone> {
        self.wait(|mail| mail.sent_blocks.get_mut(&(self.process, window))?.pop_front())
    }

    fn leave(&self) {
        self.mail.0.lock().unwrap().gone.get_or_insert(self.process);
        self.mail.1.notify_all();
    }
}

struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let memory = Path::new("/dev/shm");
        let parent = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        Folder(parent.join(format!("hyperslide-processes-{}-{number}", std::process::id())))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn board(spec: BoardSpec) -> Board {
    Board::new(spec, Metric::Face).unwrap()
}

fn start(board: &Board, empty: &[usize]) -> State {
    let occupied = (0..board.vertex_count()).filter(|vertex| !empty.contains(vertex));
    occupied
        .zip(0..)
        .map(|(vertex, label)| (Vertex::new(vertex).unwrap(), Label::new(label).unwrap()))
        .collect()
}

/// Boards with two colours and without, with symmetries and without, and empty vertices.
fn cases() -> Vec<(Board, Vec<usize>)> {
    vec![
        (board(BoardSpec::Grid { rows: 2, columns: 4 }), vec![7]),
        (board(BoardSpec::Grid { rows: 3, columns: 3 }), vec![8]),
        (board(BoardSpec::Grid { rows: 3, columns: 3 }), vec![1, 7]),
        (board(BoardSpec::Cube { d: 3, k: 1 }), vec![0, 3]),
        (board(BoardSpec::Cube { d: 3, k: 2 }), vec![0, 1, 2, 4]),
        (board(BoardSpec::Cube { d: 4, k: 1 }), vec![0, 3, 5, 6, 7, 9, 10, 11, 12, 13, 14]),
        (board(BoardSpec::Cube { d: 4, k: 2 }), vec![0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15]),
    ]
}

fn expected(board: &Board, start: &State) -> (Layers, Vec<State>) {
    let space = Space::new(board, start, &SpaceOptions::default()).unwrap();
    let options = SearchOptions { farthest: 100_000, ..SearchOptions::default() };
    let mut search = BreadthFirst::new(&space, options).unwrap();
    search.start(&[*start]).unwrap();
    let layers = search.run(&Signals::default(), |_| ControlFlow::Continue(())).clone();
    (layers, sorted(search.farthest().unwrap()))
}

fn sorted(mut states: Vec<State>) -> Vec<State> {
    states.sort_by_key(|state| state.tokens().collect::<Vec<_>>());
    states
}

/// The layers and the farthest states, which process 0 finds.
type Found = (Layers, Option<Vec<State>>);

/// What each process finds.
fn search_together(
    board: &Board,
    start: &State,
    folder: &Folder,
    threads: &[Arc<Thread>],
    resume: Resume,
) -> Vec<Result<Option<Found>, FilesError>> {
    let options = |thread: &Arc<Thread>| FilesOptions {
        cache: 400_000,
        farthest: 100_000,
        threads: 1,
        checks: 200,
        resume,
        peers: Some(Arc::clone(thread) as Arc<dyn Peers>),
        ..FilesOptions::new(folder.0.clone())
    };
    std::thread::scope(|scope| {
        let running: Vec<_> = threads
            .iter()
            .map(|thread| {
                let mut on_progress = |_: FilesProgress<'_>| ControlFlow::Continue(());
                scope.spawn(move || {
                    if thread.process > 0 {
                        let options = FilesOptions { resume: Resume::Never, ..options(thread) };
                        return join_searches(board, &options, &NEVER, &mut on_progress)
                            .map(|_| None);
                    }
                    let found = count_layers_in_files(
                        board,
                        start,
                        VertexSet::EMPTY,
                        options(thread),
                        &NEVER,
                        &mut on_progress,
                    )?;
                    if found.count.layers.complete {
                        assert_eq!(found.peak_memory.len(), threads.len());
                        end_searches(&**thread)?;
                    }
                    Ok(Some((found.count.layers, found.count.farthest)))
                })
            })
            .collect();
        running.into_iter().map(|process| process.join().unwrap()).collect()
    })
}

#[test]
fn several_processes_find_what_one_does() {
    for (board, empty) in cases() {
        let start = start(&board, &empty);
        let (layers, farthest) = expected(&board, &start);
        // The larger boards take a while.
        let numbers = if board.vertex_count() > 9 { 3..=3 } else { 1..=4 };
        for processes in numbers {
            let (folder, threads) = (Folder::new(), Thread::all(processes));
            let found = search_together(&board, &start, &folder, &threads, Resume::Never);
            let found: Vec<_> = found.into_iter().map(Result::unwrap).collect();
            let (found_layers, found_farthest) = found[0].clone().unwrap();
            assert_eq!(found_layers, layers, "{} {processes}", board.spec());
            assert_eq!(sorted(found_farthest.unwrap()), farthest, "{}", board.spec());
            // Nothing is left on its way.
            let mail = threads[0].mail.0.lock().unwrap();
            assert!(mail.sent_blocks.values().all(VecDeque::is_empty));
            assert!(processes == 1 || mail.most > 0);
        }
    }
}

#[test]
fn a_search_goes_on_after_one_process_has_ended() {
    for (board, empty) in cases() {
        let start = start(&board, &empty);
        let (layers, _) = expected(&board, &start);
        let (whole, threads) = (Folder::new(), Thread::all(3));
        search_together(&board, &start, &whole, &threads, Resume::Never);
        let windows = *threads[0].windows.lock().unwrap();
        // A process that ends costs at most the layer under way, so that a sixth of the windows
        // in each of four runs never makes a whole search.
        let folder = Folder::new();
        for (number, gone) in [1, 0, 2, 1].into_iter().enumerate() {
            let resume = if number == 0 { Resume::Never } else { Resume::Always };
            let threads = Thread::all_until(3, Some((gone, windows / 6)));
            for found in search_together(&board, &start, &folder, &threads, resume) {
                assert!(
                    matches!(&found, Err(FilesError::Gone(peer)) if peer.process == gone),
                    "{} {gone}: {found:?}",
                    board.spec()
                );
            }
        }
        // Another number of processes does not find its blocks there.
        let found = search_together(&board, &start, &folder, &Thread::all(1), Resume::Always);
        assert!(matches!(found[0], Err(FilesError::Foreign { .. })), "{found:?}");
        let found = search_together(&board, &start, &folder, &Thread::all(3), Resume::Always);
        let found: Vec<_> = found.into_iter().map(Result::unwrap).collect();
        assert_eq!(found[0].clone().unwrap().0, layers, "{}", board.spec());
    }
}
