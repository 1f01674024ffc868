//! The documents that Hyperslide repeats.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;

/// A document that experiments repeat.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Paper {
    /// How experiments and sources name it.
    pub key: Cow<'static, str>,
    /// What it is called for short.
    pub short: Cow<'static, str>,
    /// Authors.
    pub authors: Cow<'static, str>,
    /// Title.
    pub title: Cow<'static, str>,
    /// Where and when it appeared.
    pub published: Cow<'static, str>,
}

impl Paper {
    const fn known(
        key: &'static str,
        short: &'static str,
        authors: &'static str,
        title: &'static str,
        published: &'static str,
    ) -> Paper {
        Paper {
            key: Cow::Borrowed(key),
            short: Cow::Borrowed(short),
            authors: Cow::Borrowed(authors),
            title: Cow::Borrowed(title),
            published: Cow::Borrowed(published),
        }
    }
}

/// The paper of an experiment as its file names it: the key of one of [`PAPERS`], or a paper of its
/// own.
#[derive(Clone, Debug, Deserialize)]
#[serde(
    untagged,
    expecting = "not a paper: write a key, or { key, short, authors, title, published }, each a text"
)]
pub(crate) enum PaperField {
    Key(String),
    Own(Paper),
}

impl PaperField {
    /// The paper itself.
    ///
    /// # Errors
    ///
    /// Which keys there are.
    pub fn paper(&self) -> Result<Paper, String> {
        let key = match self {
            PaperField::Own(own) => {
                if own.key.trim().is_empty() {
                    return Err("paper: key is empty: write one".to_owned());
                }
                return match PAPERS.iter().find(|paper| paper.key == own.key && *paper != own) {
                    None => Ok(own.clone()),
                    Some(Paper { key, title, .. }) => Err(format!(
                        "paper: the key '{key}' is that of \"{title}\": write paper = \"{key}\" \
                         if you mean it, or choose another key"
                    )),
                };
            }
            PaperField::Key(key) => key,
        };
        PAPERS.iter().find(|paper| paper.key == *key).cloned().ok_or_else(|| {
            let known = PAPERS.iter().map(|paper| &*paper.key).collect::<Vec<_>>().join(", ");
            format!(
                "there is no paper '{key}': write one of {known}, describe it as paper = {{ key, \
                 short, authors, title, published }}, or leave paper out"
            )
        })
    }
}

/// Authors, title, and where it appeared.
impl fmt::Display for Paper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}. {}", self.authors, self.title, self.published)
    }
}

/// The five documents that Hyperslide was made to repeat.
pub const PAPERS: &[Paper] = &[
    Paper::known(
        "merleau2024",
        "Cubical study",
        "N. S. C. Merleau, M. O'Malley, É. Roldán, S. Mukherjee",
        "Approximately Optimal Search on a Higher-dimensional Sliding Puzzle",
        "arXiv 2412.01937, December 2024",
    ),
    Paper::known(
        "nayak",
        "Sliding-block study",
        "N. Nayak, A. Huang",
        "Comparing search algorithms for solving the sliding-block puzzle",
        "Cornell University",
    ),
    Paper::known(
        "beyer2023",
        "Cubical puzzles",
        "M. Beyer, S. Mereta, É. Roldán, P. Voran",
        "Higher-dimensional cubical sliding puzzles",
        "arXiv 2307.14143, July 2023",
    ),
    Paper::known(
        "bischoff",
        "Local value iteration",
        "B. Bischoff, D. Nguyen-Tuong, H. Markert, A. Knoll",
        "Solving the 15-Puzzle Game Using Local Value-Iteration",
        "Robert Bosch GmbH and TU Munich",
    ),
    Paper::known(
        "l1scientific",
        "Dynamic programming",
        "L1 Scientific",
        "Slider Puzzles, Part 1: Dynamic Programming",
        "web log",
    ),
];
