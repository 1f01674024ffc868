//! What stands above every comparison with published values.

use serde::Serialize;

use crate::papers::Paper;

/// Which experiment a comparison is of, and what it is compared with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Heading {
    /// The experiment.
    pub experiment: String,
    /// What it is.
    pub title: String,
    /// The paper: authors, title, where.
    pub paper: String,
    /// The table, figure or theorems, or that there is none.
    pub table: String,
    /// The section where it stands, or which sets the task.
    pub section: String,
}

impl Heading {
    pub(crate) fn new(
        experiment: &str,
        title: &str,
        paper: &Paper,
        table: &str,
        section: &str,
    ) -> Heading {
        let Paper { authors, title: of_paper, published, .. } = paper;
        Heading {
            experiment: experiment.to_owned(),
            title: title.to_owned(),
            paper: format!("{authors}: {of_paper}. {published}"),
            table: table.to_owned(),
            section: section.to_owned(),
        }
    }
}
