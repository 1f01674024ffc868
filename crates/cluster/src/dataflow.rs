//! The dataflow between the processes: blocks by windows, and what all of them gather.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Thread;
use std::time::Duration;

use hyperslide_table::{PeerGone, SentBlock, lock};
use timely::container::NoopBuilder;
use timely::dataflow::InputHandle;
use timely::dataflow::channels::pact::DistributorPact;
use timely::dataflow::operators::Capability;
use timely::dataflow::operators::generic::Operator;
use timely::dataflow::operators::probe::{Handle, Probe};
use timely::scheduling::Activator;
use timely::worker::Worker;

use crate::envelope::{ByRecipient, Envelope, EnvelopeBatch};

/// How long the dataflow sleeps when nobody wakes it.
const NAP: Duration = Duration::from_millis(100);

/// What is asked of the dataflow.
pub(crate) enum Command {
    Send { window: u64, envelope: Envelope },
    Close { window: u64 },
    Gather { round: u64, bytes: Vec<u8> },
    End,
}

/// What the search and the dataflow share.
#[derive(Default)]
pub(crate) struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
pub(crate) struct State {
    commands: VecDeque<Command>,
    /// Blocks that have arrived, by window.
    pub arrived: BTreeMap<u64, VecDeque<SentBlock>>,
    /// What has been gathered, by round and process.
    pub gathered: BTreeMap<u64, BTreeMap<usize, Vec<u8>>>,
    /// All windows before this one have been received by all.
    pub received: u64,
    pub gone: Option<PeerGone>,
    /// The thread of the dataflow.
    worker: Option<Thread>,
}

impl Shared {
    pub fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Asks something of the dataflow.
    pub fn ask(&self, command: Command) -> Result<(), PeerGone> {
        let mut state = self.lock();
        if let Some(gone) = &state.gone {
            return Err(gone.clone());
        }
        state.commands.push_back(command);
        state.wake();
        Ok(())
    }

    /// Waits until there is something, or until a process is gone.
    pub fn wait<T>(&self, mut of: impl FnMut(&mut State) -> Option<T>) -> Result<T, PeerGone> {
        let mut state = self.lock();
        loop {
            if let Some(found) = of(&mut state) {
                return Ok(found);
            }
            if let Some(gone) = &state.gone {
                return Err(gone.clone());
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Notes that a process is gone, unless that is known of another one already.
    pub fn set_gone(&self, gone: PeerGone) {
        let mut state = self.lock();
        state.gone.get_or_insert(gone);
        state.wake();
        self.changed.notify_all();
    }

    /// Runs the dataflow of this process until it is asked to end.
    pub fn run(self: &Arc<Shared>, worker: &mut Worker) {
        self.lock().worker = Some(std::thread::current());
        let mut flow = Dataflow::new(self, worker);
        loop {
            let (commands, is_gone) = {
                let mut state = self.lock();
                (std::mem::take(&mut state.commands), state.gone.is_some())
            };
            let is_idle = commands.is_empty();
            let mut is_over = is_gone;
            for command in commands {
                is_over |= flow.follow(command).is_break();
            }
            if is_over {
                break;
            }
            flow.release(&self.lock());
            if is_idle {
                worker.step_or_park(Some(NAP));
            } else {
                worker.step();
            }
            if let Some(received) = flow.probe.with_frontier(|frontier| frontier.first().copied()) {
                self.set_received(received);
            }
        }
        flow.held.borrow_mut().clear();
        self.lock().worker = None;
    }

    /// Notes that all windows before this one have been received by all.
    fn set_received(&self, received: u64) {
        let mut state = self.lock();
        if received > state.received {
            state.received = received;
            state.arrived = state.arrived.split_off(&received);
            self.changed.notify_all();
        }
    }
}

/// The dataflow of this process, as its thread sees it.
struct Dataflow {
    process: usize,
    processes: usize,
    /// Where blocks and what is gathered come in. Their times are windows and rounds.
    blocks: InputHandle<u64, NoopBuilder<EnvelopeBatch>>,
    notes: InputHandle<u64, NoopBuilder<EnvelopeBatch>>,
    /// The first window of which something may still arrive anywhere.
    probe: Handle<u64>,
    /// What keeps windows open whose blocks have arrived here and have not been taken: a window is
    /// over when its blocks have been taken.
    held: Rc<RefCell<BTreeMap<u64, Capability<u64>>>>,
    /// Runs the operator that holds them.
    activator: Rc<RefCell<Option<Activator>>>,
}

impl Dataflow {
    /// Lays the dataflow. What arrives is put into the shared state.
    fn new(shared: &Arc<Shared>, worker: &mut Worker) -> Dataflow {
        let mut flow = Dataflow {
            process: worker.index(),
            processes: worker.peers(),
            blocks: InputHandle::new_with_builder(),
            notes: InputHandle::new_with_builder(),
            probe: Handle::new(),
            held: Rc::default(),
            activator: Rc::default(),
        };
        worker.dataflow(|scope| {
            let (held, inbox) = (Rc::clone(&flow.held), Arc::clone(shared));
            let activator = Rc::clone(&flow.activator);
            flow.blocks
                .to_stream(scope)
                .unary_frontier::<NoopBuilder<EnvelopeBatch>, _, _, _>(
                    DistributorPact(|_| ByRecipient),
                    "Blocks",
                    |_, operator| {
                        *activator.borrow_mut() = Some(scope.activator_for(operator.address));
                        move |(input, _), _| {
                            input.for_each(|capability, envelopes: &mut EnvelopeBatch| {
                                let window = *capability.time();
                                held.borrow_mut()
                                    .entry(window)
                                    .or_insert_with(|| capability.retain(0));
                                let mut state = inbox.lock();
                                let arrived = state.arrived.entry(window).or_default();
                                arrived.extend(envelopes.0.drain(..).map(|envelope| envelope.sent));
                                inbox.changed.notify_all();
                            });
                        }
                    },
                )
                .probe_with(&flow.probe);
            let inbox = Arc::clone(shared);
            flow.notes.to_stream(scope).sink(
                DistributorPact(|_| ByRecipient),
                "Notes",
                move |(input, _)| {
                    input.for_each(|capability, envelopes: &mut EnvelopeBatch| {
                        let mut state = inbox.lock();
                        let round = state.gathered.entry(*capability.time()).or_default();
                        let envelopes = envelopes.0.drain(..);
                        round.extend(
                            envelopes.map(|envelope| (envelope.from as usize, envelope.sent.bytes)),
                        );
                        inbox.changed.notify_all();
                    });
                },
            );
        });
        flow
    }

    /// Does what is asked; breaks if it is asked to end.
    fn follow(&mut self, command: Command) -> ControlFlow<()> {
        match command {
            Command::Send { window, envelope } => {
                self.blocks.advance_to(window);
                self.blocks.send_batch(&mut EnvelopeBatch(vec![envelope]));
            }
            Command::Close { window } => self.blocks.advance_to(window + 1),
            Command::Gather { round, bytes } => {
                self.notes.advance_to(round);
                for to in (0..self.processes).filter(|&to| to != self.process) {
                    let sent = SentBlock { block: 0, states: 0, checksum: 0, bytes: bytes.clone() };
                    let envelope = Envelope { from: self.process as u32, to: to as u32, sent };
                    self.notes.send_batch(&mut EnvelopeBatch(vec![envelope]));
                }
                self.notes.advance_to(round + 1);
            }
            Command::End => return ControlFlow::Break(()),
        }
        ControlFlow::Continue(())
    }

    /// Ends the windows whose blocks have all been taken.
    fn release(&self, state: &State) {
        let is_taken = |window: &u64| state.arrived.get(window).is_none_or(VecDeque::is_empty);
        let mut held = self.held.borrow_mut();
        let before = held.len();
        held.retain(|window, _| !is_taken(window));
        // What an operator lets go is noticed when it runs.
        if held.len() < before
            && let Some(activator) = &*self.activator.borrow()
        {
            activator.activate();
        }
    }
}

impl State {
    /// Wakes the thread of the dataflow.
    pub fn wake(&self) {
        if let Some(worker) = &self.worker {
            worker.unpark();
        }
    }
}
