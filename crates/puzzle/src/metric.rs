//! What counts as one move.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// What counts as one move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Metric {
    /// A token may move to any vertex of a free face in one move (a k-move in the papers).
    #[default]
    Face,
    /// A token may move only to a neighbour on a free face (puz' in the cubical paper).
    Edge,
}

impl Metric {
    /// Both metrics, the default first.
    pub const ALL: [Metric; 2] = [Metric::Face, Metric::Edge];

    /// Returns the metric's name, `face` or `edge`.
    pub const fn name(self) -> &'static str {
        match self {
            Metric::Face => "face",
            Metric::Edge => "edge",
        }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The error for a word that is not the name of a metric.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("metric {} is unknown: write face or edge", crate::text::quote(.0))]
pub struct UnknownMetric(pub String);

impl FromStr for Metric {
    type Err = UnknownMetric;

    fn from_str(text: &str) -> Result<Metric, UnknownMetric> {
        Metric::ALL
            .into_iter()
            .find(|metric| metric.name() == text)
            .ok_or_else(|| UnknownMetric(text.to_owned()))
    }
}
