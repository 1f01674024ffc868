//! The format of tables for programs. `docs/json.md` documents it.

use serde::Serialize;

use super::{Report, Summary};
use crate::compare::Comparison;

/// What the format is called.
pub const FORMAT: &str = "hyperslide-table";
/// The version of the format. It changes when a field is taken away or means something else.
pub const VERSION: u32 = 2;

#[derive(Serialize)]
struct Document<'a, T> {
    format: &'static str,
    version: u32,
    #[serde(flatten)]
    content: &'a T,
}

/// A comparison as one JSON object on one line.
///
/// # Panics
///
/// Never: a comparison has nothing that JSON cannot hold.
pub fn json(comparison: &Comparison) -> String {
    let document = Document { format: FORMAT, version: VERSION, content: comparison };
    serde_json::to_string(&document).expect("a comparison is plain data")
}

/// The counts of verdicts of several comparisons as one JSON object on one line.
///
/// # Panics
///
/// Never: counts have nothing that JSON cannot hold.
pub fn summary_json(summary: &Summary) -> String {
    let document = Document { format: "hyperslide-summary", version: VERSION, content: summary };
    serde_json::to_string(&document).expect("counts are plain data")
}

/// A report as one JSON object on one line.
///
/// # Panics
///
/// Never: a report has nothing that JSON cannot hold.
pub(super) fn report_json(report: &Report) -> String {
    let Report { comparisons, verdicts, unread, foreign, .. } = report;
    let mut content =
        serde_json::json!({ "comparisons": comparisons, "verdicts": verdicts, "unread": unread });
    if !foreign.is_empty() {
        content["foreign"] = serde_json::json!(foreign);
    }
    let document = Document { format: "hyperslide-report", version: VERSION, content: &content };
    serde_json::to_string(&document).expect("a report is plain data")
}
