//! Quoting text in messages, and reading numbers from text.

/// How much of a text that somebody wrote is shown in a message, in characters.
const SHOWN: usize = 40;

/// Returns the beginning of a text, as a part of a message: one line of forty characters, and an
/// ellipsis if there is more.
pub fn shorten(text: &str) -> String {
    one_line(text, SHOWN)
}

/// Returns a text as one line: its first `most` characters with a space for each control character,
/// and an ellipsis if there are more.
pub fn one_line(text: &str, most: usize) -> String {
    let shown = text.chars().take(most).map(|c| if c.is_control() { ' ' } else { c });
    let rest = text.chars().nth(most).map(|_| '…');
    shown.chain(rest).collect()
}

/// Returns the beginning of a text in quotes.
pub(crate) fn quote(text: &str) -> String {
    format!("'{}'", shorten(text))
}

/// Returns whether a text consists of digits only, without a sign or spaces.
pub(crate) fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Parses a number written in digits only.
pub(crate) fn parse_number(text: &str) -> Option<usize> {
    text.parse().ok().filter(|_| is_number(text))
}
