//! The documents that Hyperslide repeats.

use std::fmt;

/// A document that Hyperslide builds on or compares itself with.
#[derive(Clone, Copy, Debug)]
pub struct Paper {
    /// How experiments and sources name it.
    pub key: &'static str,
    /// What it is called for short.
    pub short: &'static str,
    /// Authors.
    pub authors: &'static str,
    /// Title.
    pub title: &'static str,
    /// Where and when it appeared.
    pub published: &'static str,
}

/// Authors, title, and where it appeared.
impl fmt::Display for Paper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}. {}", self.authors, self.title, self.published)
    }
}

/// The five documents.
pub const PAPERS: &[Paper] = &[
    Paper {
        key: "merleau2024",
        short: "Cubical study",
        authors: "N. S. C. Merleau, M. O'Malley, É. Roldán, S. Mukherjee",
        title: "Approximately Optimal Search on a Higher-dimensional Sliding Puzzle",
        published: "arXiv 2412.01937, December 2024",
    },
    Paper {
        key: "nayak",
        short: "Sliding-block study",
        authors: "N. Nayak, A. Huang",
        title: "Comparing search algorithms for solving the sliding-block puzzle",
        published: "Cornell University",
    },
    Paper {
        key: "beyer2023",
        short: "Cubical puzzles",
        authors: "M. Beyer, S. Mereta, É. Roldán, P. Voran",
        title: "Higher-dimensional cubical sliding puzzles",
        published: "arXiv 2307.14143, July 2023",
    },
    Paper {
        key: "bischoff",
        short: "Local value iteration",
        authors: "B. Bischoff, D. Nguyen-Tuong, H. Markert, A. Knoll",
        title: "Solving the 15-Puzzle Game Using Local Value-Iteration",
        published: "Robert Bosch GmbH and TU Munich",
    },
    Paper {
        key: "l1scientific",
        short: "Dynamic programming",
        authors: "L1 Scientific",
        title: "Slider Puzzles, Part 1: Dynamic Programming",
        published: "web log",
    },
];

/// The paper with this key.
pub(crate) fn find_paper(key: &str) -> Result<&'static Paper, String> {
    PAPERS.iter().find(|paper| paper.key == key).ok_or_else(|| {
        let known = PAPERS.iter().map(|paper| paper.key).collect::<Vec<_>>().join(", ");
        format!("there is no paper '{key}': write one of {known}, or leave paper out")
    })
}
