//! What the processes of a search have found in a half-sweep.

use super::error::FilesError;
use super::manifest::LayerCost;
use super::sweep::Stored;

/// What a process has found in a half-sweep.
pub(super) struct SweepResult {
    pub completed: Vec<(u32, Stored)>,
    /// New states, as block, word and bit, and whether there were too many.
    pub found: Vec<(u32, u32, u8)>,
    pub overflowed: bool,
    pub cost: LayerCost,
}

impl SweepResult {
    pub fn to_bytes(&self) -> Vec<u8> {
        let LayerCost { read, written, sent, .. } = self.cost;
        let mut numbers = vec![read, written, sent, u64::from(self.overflowed)];
        numbers.push(self.completed.len() as u64);
        let pair = |first: u32, second: u32| u64::from(first) << 32 | u64::from(second);
        numbers.extend(self.completed.iter().map(|&(block, stored)| pair(block, stored.states)));
        for &(block, word, lane) in &self.found {
            numbers.extend([pair(block, word), u64::from(lane)]);
        }
        bytemuck::cast_slice(&numbers).to_vec()
    }

    /// Adds the results of the other processes to those of process `own`. Their checksums are not
    /// known, and nobody needs them.
    pub fn add_others(&mut self, all: &[Vec<u8>], own: usize) -> Result<(), FilesError> {
        for (process, bytes) in all.iter().enumerate().filter(|&(process, _)| process != own) {
            let numbers: Vec<u64> =
                bytes.chunks_exact(8).map(bytemuck::pod_read_unaligned).collect();
            let wrong = FilesError::Disagree { process };
            let [read, written, sent, overflowed, count, rest @ ..] = &numbers[..] else {
                return Err(wrong);
            };
            let Some((completed, found)) = rest.split_at_checked(*count as usize) else {
                return Err(wrong);
            };
            self.cost.read += read;
            self.cost.written += written;
            self.cost.sent += sent;
            self.overflowed |= *overflowed != 0;
            let halves = |number: u64| ((number >> 32) as u32, number as u32);
            self.completed.extend(completed.iter().map(|&number| {
                let (block, states) = halves(number);
                (block, Stored { states, checksum: 0 })
            }));
            self.found.extend(found.chunks_exact(2).map(|state| {
                let (block, word) = halves(state[0]);
                (block, word, state[1] as u8)
            }));
        }
        Ok(())
    }
}
