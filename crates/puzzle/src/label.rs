//! The labels of tokens, and the signs that cannot be labels.

use std::cmp::Ordering;
use std::fmt;

use crate::metric::Metric;
use crate::vertex::MAX_VERTICES;

/// The sign of a vertex that is (or must be) empty.
pub const EMPTY: &str = "0";
/// The sign of "any": a goal's free vertex, or a token that may end anywhere.
pub const ANY: &str = "*";
/// The greatest length of a label, in characters.
pub const MAX_LABEL_LENGTH: usize = 16;

/// A token's label in one puzzle, as an index into its [`LabelTable`].
///
/// Tokens with equal labels are interchangeable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(u8);

impl Label {
    /// Returns the label with this index, or `None` if it is not below 64.
    #[inline]
    pub const fn new(index: usize) -> Option<Label> {
        if index < MAX_VERTICES { Some(Label(index as u8)) } else { None }
    }

    /// Returns the label's index in the label table, `0..64`.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "l{}", self.0)
    }
}

/// The names of a puzzle's labels, in natural order (numbers by value, before words).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelTable {
    names: Vec<String>,
}

impl LabelTable {
    /// Returns the table of these names, without repetitions, or `None` if there are more than 64
    /// different ones, which no board has room for.
    pub(crate) fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Option<LabelTable> {
        let mut names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        names.sort_by(|a, b| natural_order(a, b));
        names.dedup();
        (names.len() <= MAX_VERTICES).then_some(LabelTable { names })
    }

    /// Returns the number of different labels.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns whether there is no label.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Returns the name of a label.
    ///
    /// # Panics
    ///
    /// Panics if the label belongs to another puzzle and is not in this table.
    pub fn name(&self, label: Label) -> &str {
        &self.names[label.index()]
    }

    /// Returns the label with this name, or `None` if the puzzle has none.
    pub fn find(&self, name: &str) -> Option<Label> {
        self.names.iter().position(|known| known == name).and_then(Label::new)
    }

    /// Returns all labels with their names, in order.
    pub fn iter(&self) -> impl Iterator<Item = (Label, &str)> {
        self.names.iter().enumerate().map(|(index, name)| (Label(index as u8), name.as_str()))
    }
}

/// Returns whether the text can be a label: 1 to 16 letters, digits or underscores that are neither
/// the sign of an empty vertex nor the name of a metric, which may precede a start.
pub(crate) fn is_label(text: &str) -> bool {
    text != EMPTY
        && text.parse::<Metric>().is_err()
        && !text.is_empty()
        && text.chars().count() <= MAX_LABEL_LENGTH
        && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

fn natural_order(a: &str, b: &str) -> Ordering {
    let number = |text: &str| {
        if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse::<u64>().ok() } else { None }
    };
    match (number(a), number(b)) {
        (Some(x), Some(y)) => x.cmp(&y).then_with(|| a.cmp(b)),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => a.cmp(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_board_has_room_for_more_than_64_labels() {
        let names: Vec<String> = (0..65).map(|number| number.to_string()).collect();
        let table = |count: usize| LabelTable::new(names[..count].iter().map(String::as_str));
        assert_eq!(table(64).map(|table| table.len()), Some(64));
        assert_eq!(table(65), None);
    }

    #[test]
    fn numbers_come_before_words_and_by_value() {
        let table = LabelTable::new(["b", "10", "a", "9", "b"]).unwrap();
        let names: Vec<&str> = table.iter().map(|(_, name)| name).collect();
        assert_eq!(names, ["9", "10", "a", "b"]);
        assert_eq!(table.find("a").map(Label::index), Some(2));
        assert_eq!(table.find("c"), None);
    }

    #[test]
    fn labels_are_short_words() {
        for good in ["r", "15", "blue_1", "é"] {
            assert!(is_label(good), "{good}");
        }
        for bad in ["", "0", "*", "edge", "a b", "a=1", "seventeen_letters"] {
            assert!(!is_label(bad), "{bad}");
        }
    }
}
