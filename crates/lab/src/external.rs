//! Other programs as solvers: one process for each puzzle, within limits, its moves checked by the
//! rule.

#![cfg(unix)]

use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::{Duration, Instant};

use hyperslide_puzzle::{Puzzle, one_line};
use hyperslide_search::{Limit, Limits, Stats};
use hyperslide_table::process_memory;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use wait4::{ResUse, Wait4};

use crate::replay::{ReplayError, replay};
use crate::result::{SolveResult, Status, move_texts};

/// The most bytes of moves that a program may write.
const MAX_OUTPUT: u64 = 16 << 20;
/// The most bytes of messages that are kept for the last line.
const MAX_MESSAGES: usize = 1 << 16;
/// Time between two looks at a running program.
const POLL_INTERVAL: Duration = Duration::from_millis(2);
/// How many times its memory is looked at while its running time doubles.
const LOOKS: u32 = 50;
/// How long output is waited for after the program has ended: what it left behind is ended, too.
const DRAIN_TIME: Duration = Duration::from_secs(2);

/// Runs a shell command on a puzzle: its line on standard input, the moves on standard output in
/// any notation that [`replay`] reads. Its environment has the limits and the seed:
/// `HYPERSLIDE_LIMIT_TIME` in seconds and `HYPERSLIDE_LIMIT_MEMORY` in bytes, where there are such
/// limits, and `HYPERSLIDE_SEED`. A solution whose line was written before the time was over
/// counts.
///
/// The memory limit is that of the address space of each of its processes. When the time is over or
/// `cancel` becomes true, the command is killed with all that it started in its process group. The
/// statistics have the CPU seconds and the most resident memory of a process as the operating
/// system accounts them for the command and those of its children that it waited for; states are
/// not known and stay 0. Linux counts the memory of the process that starts a command as the
/// command's own: where that may be all there is, the peaks are those of the processes that were
/// seen at work.
///
/// The result is an error with a `reason` when the program gives no solution: `missing` (no moves),
/// `unreadable`, `illegal` (a move breaks the rule), `wrong` (they end elsewhere), `too-long` (more
/// than 16 MiB), `crashed` or `not-started`.
pub(crate) fn run_program(
    command: &str,
    puzzle: &Puzzle,
    seed: u64,
    limits: &Limits,
    cancel: Option<&AtomicBool>,
) -> SolveResult {
    let began = Instant::now();
    let result = match start(command, seed, limits) {
        Ok(child) => {
            let mut running = Running::new(child, puzzle);
            match running.watch(limits.time.and_then(|time| began.checked_add(time)), cancel) {
                Ok((stopped, used)) => {
                    let mut stats = statistics(&used, began.elapsed().as_secs_f64());
                    // The system's numbers of one process differ by a little.
                    let own_bytes = peak_bytes(std::process::id());
                    if stats.peak_bytes <= own_bytes + own_bytes / 16 {
                        stats.peak_bytes = running.seen_bytes;
                    }
                    let stats = Some(stats);
                    let (output, messages) = running.written();
                    let result = match stopped {
                        Some(Stopped::Limit(Limit::Time)) => judge_in_time(puzzle, &output),
                        Some(stopped) => stopped.result(),
                        None if output.len() as u64 > MAX_OUTPUT => Stopped::TooLong.result(),
                        None if used.status.success() => judge(puzzle, &output),
                        None => failure("crashed", &crash(used.status, &messages)),
                    };
                    SolveResult { stats, ..result }
                }
                Err(error) => failure("crashed", &format!("it cannot be waited for: {error}")),
            }
        }
        Err(error) => failure("not-started", &format!("sh cannot be started: {error}")),
    };
    let (algorithm, line) = (format!("exec:{command}"), puzzle.to_string());
    SolveResult { algorithm: Some(algorithm), puzzle: Some(line), ..result }
}

/// Starts the command in a process group of its own, so that all of it can be killed.
fn start(command: &str, seed: u64, limits: &Limits) -> io::Result<Child> {
    // A limit that is refused is higher than one that holds already.
    let ulimit = |bytes: u64| format!("ulimit -v {} 2>/dev/null\n", bytes.div_ceil(1024));
    let ulimit = limits.memory.map(ulimit).unwrap_or_default();
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(ulimit + command).process_group(0);
    shell.env("HYPERSLIDE_SEED", seed.to_string());
    let time = limits.time.map(|time| time.as_secs_f64().to_string());
    let memory = limits.memory.map(|bytes| bytes.to_string());
    for (name, limit) in [("HYPERSLIDE_LIMIT_TIME", time), ("HYPERSLIDE_LIMIT_MEMORY", memory)] {
        match limit {
            Some(limit) => shell.env(name, limit),
            None => shell.env_remove(name),
        };
    }
    shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()
}

/// A program at work.
struct Running {
    child: Child,
    output: Receiver<Vec<u8>>,
    messages: Receiver<Vec<u8>>,
    written: Option<Vec<u8>>,
    /// The greatest resident memory of a process that was seen, in bytes.
    seen_bytes: u64,
}

/// Why a program was killed.
enum Stopped {
    Limit(Limit),
    TooLong,
}

impl Running {
    fn new(mut child: Child, puzzle: &Puzzle) -> Running {
        if let Some(mut input) = child.stdin.take() {
            let line = format!("{puzzle}\n");
            // A program need not read its input, and must not hang for it.
            std::thread::spawn(move || input.write_all(line.as_bytes()));
        }
        let output = child.stdout.take().map(|pipe| read(move || begin_of(pipe)));
        let messages = child.stderr.take().map(|pipe| read(move || end_of(pipe)));
        let (output, messages) =
            output.zip(messages).expect("both are piped where the program is started");
        let seen_bytes = peak_bytes_of_all(child.id());
        Running { child, output, messages, written: None, seen_bytes }
    }

    /// Waits until the program ends, or kills it.
    fn watch(
        &mut self,
        deadline: Option<Instant>,
        cancel: Option<&AtomicBool>,
    ) -> io::Result<(Option<Stopped>, ResUse)> {
        let (mut stopped, mut used) = (None, None);
        let (began, mut look_at) = (Instant::now(), Instant::now());
        while stopped.is_none() {
            used = self.child.try_wait4()?;
            if Instant::now() >= look_at {
                self.seen_bytes = self.seen_bytes.max(peak_bytes_of_all(self.child.id()));
                look_at = Instant::now() + began.elapsed() / LOOKS;
            }
            stopped = if used.is_some() {
                break;
            } else if cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
                Some(Stopped::Limit(Limit::Cancelled))
            } else if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                Some(Stopped::Limit(Limit::Time))
            } else if self.writes_too_much() {
                Some(Stopped::TooLong)
            } else {
                std::thread::sleep(POLL_INTERVAL);
                None
            };
        }
        // Also what a program that ended by itself has left behind. The number of a group that has
        // members is not given to another process.
        let _ = killpg(Pid::from_raw(self.child.id() as i32), Signal::SIGKILL);
        let used = match used {
            Some(used) => used,
            None => loop {
                match self.child.try_wait4()? {
                    Some(used) => break used,
                    None => std::thread::sleep(POLL_INTERVAL),
                }
            },
        };
        Ok((stopped, used))
    }

    fn writes_too_much(&mut self) -> bool {
        match self.output.try_recv() {
            Ok(written) => self.written = Some(written),
            Err(TryRecvError::Empty | TryRecvError::Disconnected) => {}
        }
        self.written.as_ref().is_some_and(|written| written.len() as u64 > MAX_OUTPUT)
    }

    /// What it wrote and what it complained of.
    fn written(self) -> (Vec<u8>, Vec<u8>) {
        let deadline = Instant::now() + DRAIN_TIME;
        let rest = |pipe: Receiver<Vec<u8>>| {
            pipe.recv_timeout(deadline.saturating_duration_since(Instant::now()))
                .unwrap_or_default()
        };
        (self.written.unwrap_or_else(|| rest(self.output)), rest(self.messages))
    }
}

/// Reads a pipe on a thread of its own.
fn read(pipe: impl FnOnce() -> Vec<u8> + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || sender.send(pipe()));
    receiver
}

/// What is written to a pipe, up to one byte more than is allowed. What was read before an error
/// counts.
fn begin_of(pipe: impl Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = pipe.take(MAX_OUTPUT + 1).read_to_end(&mut bytes);
    bytes
}

/// The last of what is written to a pipe. All of it is read: a program is ended by the system when
/// it writes to a pipe that nobody reads.
fn end_of(mut pipe: impl Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let Ok(1..) = pipe.by_ref().take(MAX_MESSAGES as u64).read_to_end(&mut bytes) {
        bytes.drain(..bytes.len().saturating_sub(MAX_MESSAGES));
    }
    bytes
}

/// The most that a process has had in memory so far, in bytes; 0 where the system does not say.
fn peak_bytes(process: u32) -> u64 {
    process_memory(process, "VmHWM").unwrap_or(0)
}

/// The same of a process or one of its descendants.
fn peak_bytes_of_all(process: u32) -> u64 {
    let children = std::fs::read_to_string(format!("/proc/{process}/task/{process}/children"));
    let children = children.unwrap_or_default();
    let of_children = children.split_whitespace().filter_map(|child| child.parse().ok());
    of_children.map(peak_bytes_of_all).fold(peak_bytes(process), u64::max)
}

fn statistics(used: &ResUse, wall_s: f64) -> Stats {
    let usage = used.rusage;
    let cpu_s = (usage.utime + usage.stime).as_secs_f64();
    Stats { wall_s, cpu_s, peak_bytes: usage.maxrss, ..Stats::default() }
}

impl Stopped {
    fn result(self) -> SolveResult {
        match self {
            Stopped::Limit(limit) => SolveResult {
                limit: Some(limit),
                status: Status::LimitReached,
                ..SolveResult::default()
            },
            Stopped::TooLong => {
                failure("too-long", &format!("it wrote more than {} MiB", MAX_OUTPUT >> 20))
            }
        }
    }
}

/// The result of a program whose time was over: the solution on the lines that it had written.
fn judge_in_time(puzzle: &Puzzle, output: &[u8]) -> SolveResult {
    let whole = output.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    match judge(puzzle, &output[..whole]) {
        result if whole > 0 && result.status == Status::Solved => result,
        _ => Stopped::Limit(Limit::Time).result(),
    }
}

/// The result of a program that ended well, by what it wrote.
fn judge(puzzle: &Puzzle, output: &[u8]) -> SolveResult {
    match std::str::from_utf8(output) {
        Ok(text) => judge_moves(puzzle, text.trim()),
        Err(error) => {
            let place = error.valid_up_to();
            failure("unreadable", &format!("its output is not UTF-8 text: see byte {place}"))
        }
    }
}

fn judge_moves(puzzle: &Puzzle, text: &str) -> SolveResult {
    if text.is_empty() && !puzzle.goal().is_met(puzzle.start()) {
        return failure("missing", "it wrote no moves");
    }
    // Nothing to do is a solution of a puzzle that is solved from the beginning.
    let found = match replay(puzzle, text) {
        Ok(found) => found,
        Err(error) => {
            let reason = match error {
                ReplayError::Illegal { .. } | ReplayError::Token { .. } => "illegal",
                _ => "unreadable",
            };
            return failure(reason, &error.to_string());
        }
    };
    if !found.reaches_goal {
        let (moves, end) = (found.moves.len(), puzzle.write_state(&found.end));
        return failure("wrong", &format!("its {moves} moves end at {end}, which is not the goal"));
    }
    SolveResult {
        optimal: Some(false),
        moves: Some(move_texts(puzzle, &found.moves)),
        length: Some(found.moves.len() as u32),
        status: Status::Solved,
        ..SolveResult::default()
    }
}

/// How it ended, and the last line of its messages.
fn crash(status: ExitStatus, messages: &[u8]) -> String {
    let messages = String::from_utf8_lossy(messages);
    let last = messages.lines().map(str::trim).rfind(|line| !line.is_empty());
    last.map_or_else(|| status.to_string(), |last| format!("{status}: {}", one_line(last, 200)))
}

fn failure(reason: &str, explanation: &str) -> SolveResult {
    SolveResult { reason: Some(reason.to_owned()), ..SolveResult::error(explanation) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_may_write_any_number_of_messages() {
        let puzzle = Puzzle::from_line("grid:2:2 1,2,0,3 -> 1,2,3,0").unwrap();
        let run = |command: &str| run_program(command, &puzzle, 0, &Limits::default(), None);
        let long = "head -c 3000000 /dev/zero >&2 || exit 9";
        let result = run(&format!("{long}; echo 3-2"));
        assert_eq!((result.status, result.length), (Status::Solved, Some(1)), "{result:?}");
        // The last line is the one that counts, however many there are.
        let result = run(&format!("{long}; echo >&2; echo out of luck >&2; exit 7"));
        let explanation = result.explanation.unwrap();
        assert!(explanation.ends_with("out of luck"), "{explanation}");
    }

    #[test]
    fn the_memory_of_a_command_is_its_own() {
        let puzzle = Puzzle::from_line("grid:2:2 1,2,0,3 -> 1,2,3,0").unwrap();
        let bytes = |command: &str| {
            let result = run_program(command, &puzzle, 0, &Limits::default(), None);
            result.stats.unwrap().peak_bytes
        };
        // More than the commands use.
        let held = std::hint::black_box(vec![1u8; 300 << 20]);
        assert!(bytes("true") < 50_000_000, "it may be over before it is seen");
        for command in ["sleep 0.1", "sleep 0.1; true"] {
            let used = bytes(command);
            assert!((100_000..50_000_000).contains(&used), "{command}: {used}");
        }
        // One that uses more is seen at work, even as a child of a child.
        let used = bytes("true; (head -c 100000000 /dev/zero | tail; true); true");
        assert!((90_000_000..200_000_000).contains(&used), "{used}");
        drop(held);
    }
}
