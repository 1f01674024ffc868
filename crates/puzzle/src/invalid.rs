//! An error that carries all reasons why something cannot be built.

use std::fmt;

/// All reasons why something cannot be built. It prints as one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid<E> {
    /// The reasons, at least one.
    pub reasons: Vec<E>,
}

impl<E: fmt::Display> fmt::Display for Invalid<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 8;
        for (number, reason) in self.reasons.iter().take(SHOWN).enumerate() {
            let before = if number > 0 { "; " } else { "" };
            write!(f, "{before}{reason}")?;
        }
        match self.reasons.len().checked_sub(SHOWN) {
            Some(more @ 1..) => write!(f, "; and {more} more"),
            _ => Ok(()),
        }
    }
}

impl<E: fmt::Display + fmt::Debug> std::error::Error for Invalid<E> {}
