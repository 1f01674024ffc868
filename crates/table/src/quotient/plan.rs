//! Which blocks a half-sweep computes, in which process, and what processes send each other for it.

use std::sync::Arc;

use super::peers::{Exchange, windows};
use super::search::QuotientSearch;
use super::sweep::Task;

impl QuotientSearch<'_> {
    /// What this process exchanges with others in a half-sweep with these tasks of each.
    pub(super) fn exchange(&self, tasks: &[Vec<Task>]) -> Option<Exchange> {
        let peers = Arc::clone(self.options.peers.as_ref()?);
        let limit = (self.options.window_bytes() / self.space.block_bytes()).max(1) as usize;
        let windows: Vec<_> = tasks.iter().map(|tasks| windows(tasks, limit)).collect();
        let count = windows.iter().map(Vec::len).max().unwrap_or(0);
        let first = peers.new_windows(count as u64);
        Some(Exchange { peers, windows, first, count })
    }

    /// The targets of a half-sweep: those that are full because one of their sources is, and, by
    /// process, those to be computed, in the order in which the cache is used best. Where new states
    /// are collected, all are computed. All processes make the same plan.
    pub(super) fn plan(&self, side: usize, is_collecting: bool) -> (Vec<u32>, Vec<Vec<Task>>) {
        let is_changed = |block: &u32| self.manifest.changed.binary_search(block).is_ok();
        let full = self.space.block_states() as u32;
        let (_, processes) = self.options.process();
        let (mut filled, mut tasks) = (Vec::new(), vec![Vec::new(); processes]);
        for target in self.sides.blocks(side) {
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
        if self.manifest.layers.len() % 2 == 1 {
            tasks.iter_mut().for_each(|tasks| tasks.reverse());
        }
        (filled, tasks)
    }
}
