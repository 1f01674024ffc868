//! The number of states at every distance from the usual goal of a grid with one empty vertex.

use std::ops::ControlFlow;

use hyperslide_puzzle::{Metric, Puzzle};
use hyperslide_table::{LayerCount, LayerCountOptions, Layers, Signals, count_layers};
use serde::{Deserialize, Serialize};

use super::{NoData, TaskContext, TaskData};
use crate::experiment::board;

/// Which grid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LayersTask {
    /// The board.
    pub board: String,
}

/// A distribution of distances.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LayersData {
    /// The number of states at distance 0, 1, ...
    pub states: Vec<u64>,
    /// The mean distance.
    pub mean: f64,
    /// The states at the greatest distance, where they are few.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub farthest: Vec<String>,
}

/// The most states that are listed.
const FARTHEST: usize = 100;

impl LayersTask {
    pub(super) fn run(&self, context: &TaskContext<'_>) -> Result<TaskData, NoData> {
        let vertices = board(&self.board, Metric::Face).map_err(NoData::Failed)?.vertex_count();
        let tokens: Vec<String> = (1..vertices).map(|token| token.to_string()).collect();
        let puzzle = Puzzle::from_line(&format!("{} {},0", self.board, tokens.join(",")))
            .map_err(NoData::failed)?;
        let options = LayerCountOptions {
            memory: context.memory,
            farthest: FARTHEST,
            ..LayerCountOptions::default()
        };
        let signals = Signals::new(context.cancel);
        let mut go_on = |_: &Layers, _| ControlFlow::Continue(());
        let LayerCount { layers, farthest } =
            count_layers(&puzzle, &options, &signals, &mut go_on).map_err(NoData::failed)?;
        if !layers.complete {
            return Err(NoData::Cancelled);
        }
        let farthest = farthest.unwrap_or_default();
        let mut farthest: Vec<String> =
            farthest.iter().map(|state| puzzle.write_state(state)).collect();
        farthest.sort();
        let (states, mean) = (layers.states.clone(), layers.mean());
        Ok(TaskData::Layers(LayersData { states, mean, farthest }))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use super::*;

    #[test]
    fn a_count_keeps_to_the_memory() {
        let run = |memory| {
            let cancel = AtomicBool::new(false);
            let context = TaskContext {
                keep: None,
                threads: 1,
                memory,
                quick: false,
                cache: Arc::default(),
                cancel: &cancel,
                progress: &|_| {},
            };
            LayersTask { board: "grid:3:4".to_owned() }.run(&context)
        };
        match run(1 << 20) {
            Err(NoData::Failed(reason)) => assert!(reason.contains("may be used"), "{reason}"),
            other => panic!("{other:?}"),
        }
        let Ok(TaskData::Layers(found)) = run(1 << 30) else { panic!("it fits") };
        assert_eq!(found.states.iter().sum::<u64>(), 239_500_800);
    }
}
