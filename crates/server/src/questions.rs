//! Whose question is answered next: few are at the same time, and no client has all turns.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};

use hyperslide_table::lock;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::Refusal;
use crate::guard::Client;
use crate::shares::Shares;

/// Questions that are answered at the same time, each on a thread that may block.
pub const AT_ONCE: usize = 2;
/// Of these, questions that may take many seconds: the others leave turns for those who play.
const LONG_AT_ONCE: usize = 1;
/// Questions that may read many rows at the same time, so that a slow database holds up no others.
const READING_AT_ONCE: usize = 2;
/// Questions that may wait for their turn.
const WAITING: usize = 512;
/// Those of one client.
const WAITING_OF_ONE: usize = 128;

/// The queues of questions.
pub struct Questions {
    quick: Queue,
    long: Queue,
    reading: Queue,
    waiting: Shares<Client>,
}

/// What a question needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// A thread for a moment.
    Quick,
    /// A thread for many seconds.
    Long,
    /// Many rows of the database in memory, before it needs a thread.
    Reading,
}

/// Permission to do such work, until it is dropped.
pub struct Turn {
    _permits: Vec<OwnedSemaphorePermit>,
}

/// A queue for a few turns. Each client has a queue of its own before it, which lets through as
/// many as there are turns: whoever asks waits for a few questions of each other client at most,
/// however many these have asked.
struct Queue {
    turns: usize,
    common: Arc<Semaphore>,
    own: Mutex<HashMap<Client, Weak<Semaphore>>>,
}

impl Questions {
    pub fn new() -> Questions {
        Questions {
            quick: Queue::new(AT_ONCE),
            long: Queue::new(LONG_AT_ONCE),
            reading: Queue::new(READING_AT_ONCE),
            waiting: Shares::new(WAITING, WAITING_OF_ONE),
        }
    }

    /// Waits for a turn.
    ///
    /// # Errors
    ///
    /// When too many wait already.
    pub async fn turn(&self, client: Client, work: Work) -> Result<Turn, Refusal> {
        let Some(_waiting) = self.waiting.take(client) else {
            return Err(Refusal::busy("too many requests are waiting: try again later"));
        };
        let mut permits = Vec::new();
        if work == Work::Reading {
            permits.extend(self.reading.turn(client).await);
            return Ok(Turn { _permits: permits });
        }
        if work == Work::Long {
            permits.extend(self.long.turn(client).await);
        }
        permits.extend(self.quick.turn(client).await);
        Ok(Turn { _permits: permits })
    }

    /// Returns whether another long question would have to wait.
    #[cfg(test)]
    pub fn is_long_taken(&self) -> bool {
        self.long.common.available_permits() == 0
    }
}

impl Queue {
    fn new(turns: usize) -> Queue {
        Queue { turns, common: Arc::new(Semaphore::new(turns)), own: Mutex::default() }
    }

    async fn turn(&self, client: Client) -> [OwnedSemaphorePermit; 2] {
        let open = "no queue is ever closed";
        let own = self.own(client).acquire_owned().await.expect(open);
        let common = Arc::clone(&self.common).acquire_owned().await.expect(open);
        [own, common]
    }

    /// The client's own queue; those of clients who ask nothing are forgotten.
    fn own(&self, client: Client) -> Arc<Semaphore> {
        let mut own = lock(&self.own);
        if let Some(queue) = own.get(&client).and_then(Weak::upgrade) {
            return queue;
        }
        own.retain(|_, queue| queue.strong_count() > 0);
        let queue = Arc::new(Semaphore::new(self.turns));
        own.insert(client, Arc::downgrade(&queue));
        queue
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn whoever_asks_much_holds_up_nobody_else() {
        let questions = Arc::new(Questions::new());
        let [much, little] = [1, 2].map(Client::numbered);
        let (sender, mut answered) = tokio::sync::mpsc::unbounded_channel();
        let ask = |client, name| {
            let (questions, sender) = (Arc::clone(&questions), sender.clone());
            tokio::spawn(async move {
                let turn = questions.turn(client, Work::Quick).await;
                tokio::time::sleep(Duration::from_millis(5)).await;
                sender.send((name, turn.is_ok())).unwrap();
            })
        };
        let many: Vec<_> = (0..WAITING_OF_ONE + 10).map(|_| ask(much, "much")).collect();
        // All of them wait by now.
        tokio::time::sleep(Duration::from_millis(1)).await;
        ask(little, "little").await.unwrap();
        for one in many {
            one.await.unwrap();
        }
        drop(sender);
        let mut order = Vec::new();
        while let Ok(answer) = answered.try_recv() {
            order.push(answer);
        }
        let refused = order.iter().filter(|(_, is_answered)| !is_answered).count();
        assert_eq!(refused, 10 - AT_ONCE, "those that have their turn wait no longer");
        let answered = order.iter().filter(|&&(_, is_answered)| is_answered);
        let place = answered.clone().position(|&(name, _)| name == "little").unwrap();
        assert!(place <= 3 * AT_ONCE, "{place} of {}", answered.count());
        assert!(lock(&questions.quick.own).values().all(|queue| queue.strong_count() == 0));
    }
}
