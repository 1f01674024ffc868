//! The tokens of a census with repeated labels, as they are written.

use hyperslide_puzzle::{EMPTY, MAX_LABEL_LENGTH, shorten};
use thiserror::Error;

/// Why a text does not name tokens.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{entry}' {why}: write labels with commas between them, as in a,a,b or 2xa,b")]
pub struct TokensError {
    entry: String,
    why: &'static str,
}

/// Returns the label of each token in a text such as `2xa,b`, which names two tokens `a` and one
/// token `b`.
///
/// # Errors
///
/// Returns an error if an entry does not name 1 to 64 tokens with a label.
///
/// ```
/// use hyperslide_census::token_labels;
///
/// assert_eq!(token_labels("2xa,b,a")?, ["a", "a", "b", "a"]);
/// assert!(token_labels("2x").is_err());
/// # Ok::<(), hyperslide_census::TokensError>(())
/// ```
pub fn token_labels(text: &str) -> Result<Vec<&str>, TokensError> {
    let wrong = |entry: &str, why| TokensError { entry: shorten(entry), why };
    let mut labels = Vec::new();
    for entry in text.split(',').map(str::trim) {
        let (count, label) = match entry.split_once('x') {
            Some((count, label))
                if !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit()) =>
            {
                let count = count.parse().ok().filter(|count| (1..=64).contains(count));
                (count.ok_or_else(|| wrong(entry, "does not have 1 to 64 tokens"))?, label)
            }
            _ => (1, entry),
        };
        let is_label = !label.is_empty()
            && label != EMPTY
            && label.len() <= MAX_LABEL_LENGTH
            && label.chars().all(char::is_alphanumeric);
        if !is_label {
            return Err(wrong(entry, "is not a label"));
        }
        labels.extend(std::iter::repeat_n(label, count));
    }
    Ok(labels)
}

/// Returns the number of tokens of each label in a text as for [`token_labels`], in the order of
/// the labels.
///
/// # Errors
///
/// Those of [`token_labels`].
///
/// ```
/// assert_eq!(hyperslide_census::token_counts("2xa,b,a")?, [3, 1]);
/// # Ok::<(), hyperslide_census::TokensError>(())
/// ```
pub fn token_counts(text: &str) -> Result<Vec<usize>, TokensError> {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for label in token_labels(text)? {
        match counts.iter_mut().find(|(known, _)| *known == label) {
            Some((_, count)) => *count += 1,
            None => counts.push((label, 1)),
        }
    }
    Ok(counts.into_iter().map(|(_, count)| count).collect())
}
