//! Which blocks a half-sweep computes, in which process, and what processes send each other for it.

use std::sync::Arc;

use super::peers::{Exchange, fetches};
use super::search::QuotientSearch;
use super::sweep::Task;

impl QuotientSearch<'_> {
    /// What this process exchanges with others in a half-sweep with these tasks of each.
    pub(super) fn exchange(&self, tasks: &[Vec<Task>]) -> Option<Exchange> {
        let peers = Arc::clone(self.options.peers.as_ref()?);
        let blocks = |bytes: u64| (bytes / self.space.block_bytes()).max(1) as usize;
        let (capacity, window) =
            (blocks(self.options.remote_bytes()), blocks(self.options.window_bytes()));
        let fetches = tasks.iter().map(|tasks| fetches(tasks, capacity)).collect();
        let mut exchange = Exchange { peers, fetches, window, first: 0, capacity };
        exchange.first = exchange.peers.new_windows(exchange.windows() as u64);
        Some(exchange)
    }

    /// The targets of a half-sweep: those that are full because one of their sources is, and, by
    /// process, those to be computed, in the order in which the cache is used best. Where new
    /// states are collected, all are computed. All processes make the same plan.
    pub(super) fn plan(&self, side: usize, is_collecting: bool) -> (Vec<u32>, Vec<Vec<Task>>) {
        let is_changed = |block: &u32| self.manifest.changed.binary_search(block).is_ok();
        let full = self.space.block_states() as u32;
        let (_, processes) = self.options.process();
        let (mut filled, mut tasks) = (Vec::new(), vec![Vec::new(); processes]);
        for &target in self.share.order.blocks(self.sides, side) {
            let target = target as usize;
            if self.stored[side][self.sides.slot(side, target)].states == full {
                continue;
            }
            let mut sources: Vec<u32> =
                self.space.slides_into(target).iter().map(|edge| edge.source).collect();
            if !self.sides.is_in_place() {
                sources.push(target as u32);
            }
            sources.sort_unstable();
            sources.dedup();
            if !sources.iter().any(is_changed) {
                continue;
            }
            // A slide maps the whole block of its source to a whole block.
            let states = |&source: &u32| {
                let source = self.sides.slot(1 - side, source as usize);
                self.stored[1 - side][source].states
            };
            let is_full = |source: &u32| states(source) == full;
            if !is_collecting && sources.iter().any(is_full) {
                filled.push(target as u32);
                continue;
            }
            sources.retain(|source| states(source) > 0);
            let owner = self.share.owner(side, target);
            let is_own = |source: &u32| self.share.owner(1 - side, *source as usize) == owner;
            let (sources, remote) = sources.into_iter().partition(is_own);
            tasks[owner].push(Task { target: target as u32, sources, remote });
        }
        // The next half-sweep goes the other way, so it begins with what is in the cache.
        // Neighbouring processes come to the boundary between their blocks at the same time, and
        // need each other's then.
        for (process, tasks) in tasks.iter_mut().enumerate() {
            if (self.manifest.layers.len() + process) % 2 == 1 {
                tasks.reverse();
            }
        }
        (filled, tasks)
    }
}
