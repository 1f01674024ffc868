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
pub fn json(comparison: &Comparison) -> String {
    document(FORMAT, comparison)
}

/// The counts of verdicts of several comparisons as one JSON object on one line.
pub fn summary_json(summary: &Summary) -> String {
    document("hyperslide-summary", summary)
}

/// A report as one JSON object on one line.
pub(super) fn report_json(report: &Report) -> String {
    let Report { comparisons, verdicts, unread, foreign, .. } = report;
    let mut content =
        serde_json::json!({ "comparisons": comparisons, "verdicts": verdicts, "unread": unread });
    if !foreign.is_empty() {
        content["foreign"] = serde_json::json!(foreign);
    }
    document("hyperslide-report", &content)
}

/// A document of this format.
fn document(format: &'static str, content: &impl Serialize) -> String {
    let document = Document { format, version: VERSION, content };
    serde_json::to_string(&document).expect("tables and counts have nothing that JSON cannot hold")
}
