//! The documents that Hyperslide repeats.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use serde::Deserialize;

/// A document that experiments repeat.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Paper {
    /// How experiments and sources name it.
    pub key: String,
    /// What it is called for short.
    pub short: String,
    /// Authors.
    pub authors: String,
    /// Title.
    pub title: String,
    /// Where and when it appeared.
    pub published: String,
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
            let known =
                PAPERS.iter().map(|paper| paper.key.as_str()).collect::<Vec<_>>().join(", ");
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
pub static PAPERS: LazyLock<Vec<Paper>> = LazyLock::new(|| {
    let file: BTreeMap<String, Vec<Paper>> =
        toml::from_str(include_str!("papers.toml")).expect("papers.toml lists papers");
    file.into_values().flatten().collect()
});
