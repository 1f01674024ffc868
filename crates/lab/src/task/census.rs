//! The components and diameters of a puzzle graph, as far as they can be searched in a moment.

use std::ops::ControlFlow;

use hyperslide_census::{
    CensusProgress, CensusReport, Ended, RunOptions, Survey, run as run_census, starts,
};
use hyperslide_puzzle::Metric;
use hyperslide_table::Signals;
use serde::{Deserialize, Serialize};

use super::{NoData, TaskContext, TaskData};
use crate::experiment::board;
use crate::record::{CensusRecord, known_censuses};

/// Which puzzle graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CensusTask {
    /// The board.
    pub board: String,
    /// What counts as one move.
    pub metric: Metric,
    /// The number of empty vertices.
    pub empty: usize,
}

/// What is known about a puzzle graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CensusData {
    /// The report.
    pub report: CensusReport,
    /// Where it comes from.
    pub origin: Origin,
}

/// Where the report on a puzzle graph comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// All starts were searched.
    Searched,
    /// A record of `hyperslide census` that was made by this revision.
    Record(String),
    /// A survey without a search: sizes and counts, no diameters.
    Surveyed,
}

impl CensusTask {
    pub(super) fn title(&self) -> String {
        format!("{}, {} empty, {} metric", self.board, self.empty, self.metric.name())
    }

    pub(super) fn run(&self, context: &TaskContext<'_>) -> Result<TaskData, NoData> {
        /// Graphs whose searches visit more states than this are taken from the records.
        const SEARCHED_NOW: u128 = 200_000_000;
        /// The same for a quick run.
        const SEARCHED_QUICKLY: u128 = 20_000_000;

        let is_it = |record: &&CensusRecord| {
            let census = &record.census;
            (census.board.as_str(), census.metric.as_str(), census.empty)
                == (self.board.as_str(), self.metric.name(), self.empty)
        };
        if let Some(record) = known_censuses().iter().find(is_it) {
            let origin = Origin::Record(record.provenance.revision.clone());
            let report = record.report.clone();
            return Ok(TaskData::Census(Box::new(CensusData { report, origin })));
        }
        let board = board(&self.board, self.metric).map_err(NoData::Failed)?;
        let survey = Survey::new(&board, self.empty).map_err(NoData::failed)?;
        let states =
            starts(&survey).map(|(kind, _)| u128::try_from(kind.size()).unwrap_or(u128::MAX));
        let states = states.fold(0u128, u128::saturating_add);
        let most = if context.quick { SEARCHED_QUICKLY } else { SEARCHED_NOW };
        let mut done = Vec::new();
        let mut origin = Origin::Surveyed;
        if states <= most {
            let mut on_progress = |_: &CensusProgress<'_>| ControlFlow::Continue(());
            let (options, signals) = (RunOptions::default(), Signals::new(context.cancel));
            let ended =
                run_census(&board, &survey, &options, &mut done, None, &signals, &mut on_progress)
                    .map_err(NoData::failed)?;
            if ended != Ended::Complete {
                return Err(NoData::Cancelled);
            }
            origin = Origin::Searched;
        }
        let report = CensusReport::new(&board, &survey, &done, None);
        Ok(TaskData::Census(Box::new(CensusData { report, origin })))
    }
}
