//! The other processes as a search sees them.

use std::fmt;
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Once, PoisonError, Weak};

use hyperslide_table::{PeerGone, Peers, SentBlock, lock};
use timely::WorkerConfig;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::allocator::{AllocatorBuilder, ProcessBuilder};
use timely::communication::{Hooks, WorkerGuards};
use timely::execute::execute_from;

use crate::connect::{ConnectError, connect};
use crate::dataflow::{Command, Shared};
use crate::envelope::Envelope;
use crate::hosts::Hosts;
use crate::spill::Spill;

/// The processes of a search, connected by timely dataflow over TCP.
///
/// Each process runs one worker of the dataflow, which moves blocks and notes and computes nothing.
/// When the connection to a process breaks, all calls return [`PeerGone`].
pub struct TimelyPeers {
    process: usize,
    processes: usize,
    on_this_machine: usize,
    shared: Arc<Shared>,
    /// The number of the next round of gathering.
    round: Mutex<u64>,
    /// The number of the next window.
    windows: AtomicU64,
    connections: Vec<TcpStream>,
    /// Only the end of the search takes them; the lock is for threads to share the rest.
    guards: Mutex<Option<WorkerGuards<()>>>,
}

impl fmt::Debug for TimelyPeers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TimelyPeers { process, processes, .. } = self;
        write!(f, "TimelyPeers({process} of {processes})")
    }
}

impl TimelyPeers {
    /// Connects this process to the others, and waits until all have been started. What their
    /// queues cannot keep in memory goes where `spill` says.
    ///
    /// # Errors
    ///
    /// Returns an error if the process's own address cannot be used, if another process is not
    /// started within ten minutes, or if `cancel` becomes true.
    pub fn connect(
        hosts: &Hosts,
        process: usize,
        spill: &Spill,
        cancel: &AtomicBool,
    ) -> Result<TimelyPeers, ConnectError> {
        let processes = hosts.addresses().len();
        let streams = connect(hosts, process, cancel)?;
        let broken = |process| move |source| ConnectError::Broken { process, source };
        let mut connections = Vec::new();
        for (other, stream) in streams.iter().enumerate() {
            if let Some(stream) = stream {
                connections.push(stream.try_clone().map_err(broken(other))?);
            }
        }
        let shared = Arc::new(Shared::default());
        watch(&shared);
        let hooks = Hooks { spill: Some(spill.policy()), ..Hooks::default() };
        let own = ProcessBuilder::new_typed_vector(1, hooks.refill.clone(), None);
        let (builders, threads) =
            initialize_networking_from_sockets(own, streams, process, 1, hooks)
                .map_err(broken(process))?;
        let builders = builders.into_iter().map(AllocatorBuilder::Tcp).collect();
        let running = Arc::clone(&shared);
        let guards = execute_from(builders, Box::new(threads), WorkerConfig::default(), {
            move |worker| running.run(worker)
        });
        let on_this_machine = hosts.on_machine_of(process);
        let guards = Mutex::new(Some(guards.map_err(ConnectError::Dataflow)?));
        let (round, windows) = (Mutex::new(0), AtomicU64::new(0));
        Ok(TimelyPeers {
            process,
            processes,
            on_this_machine,
            shared,
            round,
            windows,
            connections,
            guards,
        })
    }
}

impl Peers for TimelyPeers {
    fn process(&self) -> usize {
        self.process
    }

    fn processes(&self) -> usize {
        self.processes
    }

    fn on_this_machine(&self) -> usize {
        self.on_this_machine
    }

    fn gather(&self, bytes: Vec<u8>) -> Result<Vec<Vec<u8>>, PeerGone> {
        let mut next = lock(&self.round);
        let round = *next;
        *next += 1;
        self.shared.ask(Command::Gather { round, bytes: bytes.clone() })?;
        let others = self.processes - 1;
        let mut all = self.shared.wait(|state| {
            let gathered = state.gathered.entry(round).or_default();
            (gathered.len() == others).then(|| std::mem::take(gathered))
        })?;
        self.shared.lock().gathered.remove(&round);
        all.insert(self.process, bytes);
        Ok(all.into_values().collect())
    }

    fn new_windows(&self, count: u64) -> u64 {
        self.windows.fetch_add(count, Ordering::Relaxed)
    }

    fn send(&self, window: u64, to: usize, sent: SentBlock) -> Result<(), PeerGone> {
        let envelope = Envelope { from: self.process as u32, to: to as u32, sent };
        self.shared.ask(Command::Send { window, envelope })
    }

    fn close(&self, window: u64) -> Result<(), PeerGone> {
        self.shared.ask(Command::Close { window })?;
        self.shared.wait(|state| (state.received >= window).then_some(()))
    }

    fn receive(&self, window: u64) -> Result<SentBlock, PeerGone> {
        self.shared.wait(|state| {
            let arrived = state.arrived.get_mut(&window)?;
            let sent = arrived.pop_front()?;
            if arrived.is_empty() {
                state.wake();
            }
            Some(sent)
        })
    }

    fn leave(&self) {
        let reason = "this process has left it".to_owned();
        self.shared.set_gone(PeerGone { process: self.process, reason });
        for connection in &self.connections {
            // What fails here is gone already.
            let _ = connection.shutdown(Shutdown::Both);
        }
    }
}

impl TimelyPeers {
    /// Ends the dataflow once all processes have called this, and waits for them. Whoever is
    /// dropped without having called it has left.
    ///
    /// # Errors
    ///
    /// Returns an error if a process is gone.
    pub fn end(&self) -> Result<(), PeerGone> {
        let guards = lock(&self.guards).take();
        if let Err(gone) = self.shared.ask(Command::End) {
            // The threads of broken connections are not waited for.
            std::mem::forget(guards);
            return Err(gone);
        }
        drop(guards);
        Ok(())
    }
}

impl Drop for TimelyPeers {
    fn drop(&mut self) {
        let guards = self.guards.get_mut().unwrap_or_else(PoisonError::into_inner);
        let Some(guards) = guards.take() else { return };
        self.leave();
        std::mem::forget(guards);
    }
}

/// The dataflows of this process.
static RUNNING: Mutex<Vec<Weak<Shared>>> = Mutex::new(Vec::new());

/// Tells a search when a connection breaks: timely dataflow panics in the thread of the connection,
/// whose name says which process is at the other end.
fn watch(shared: &Arc<Shared>) {
    static INSTALL: Once = Once::new();
    INSTALL.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let thread = std::thread::current();
            let name = thread.name().unwrap_or_default();
            let Some(rest) = name.strip_prefix("timely:") else { return before(panic) };
            let process = rest.rsplit('-').next().and_then(|number| number.parse().ok());
            let reason = panic.payload_as_str().unwrap_or("the dataflow has failed");
            let reason = reason.trim_start_matches("timely communication error: ").to_owned();
            let gone = PeerGone { process: process.unwrap_or(0), reason };
            let running = lock(&RUNNING);
            running
                .iter()
                .filter_map(Weak::upgrade)
                .for_each(|shared| shared.set_gone(gone.clone()));
        }));
    });
    let mut running = lock(&RUNNING);
    running.retain(|shared| shared.strong_count() > 0);
    running.push(Arc::downgrade(shared));
}
