//! The number of states at every distance from the usual goal of a grid with one empty vertex.

use std::ops::ControlFlow;

use hyperslide_puzzle::{Metric, Puzzle};
use hyperslide_table::{BreadthFirst, SearchOptions, Signals, Space, SpaceOptions, Watch};
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
        let options =
            SpaceOptions { watch: Watch::flag(context.cancel), ..SpaceOptions::default() };
        let space = Space::new(puzzle.board(), puzzle.start(), &options).map_err(NoData::failed)?;
        let mut search = BreadthFirst::new(
            &space,
            SearchOptions { farthest: FARTHEST, ..SearchOptions::default() },
        )
        .map_err(NoData::failed)?;
        search.start(&[*puzzle.start()]).map_err(NoData::failed)?;
        let found = search.run(&Signals::new(context.cancel), |_| ControlFlow::Continue(()));
        if !found.complete {
            return Err(NoData::Cancelled);
        }
        let (states, mean) = (found.states.clone(), found.mean());
        let farthest = search.farthest().unwrap_or_default();
        let mut farthest: Vec<String> =
            farthest.iter().map(|state| puzzle.write_state(state)).collect();
        farthest.sort();
        Ok(TaskData::Layers(LayersData { states, mean, farthest }))
    }
}
