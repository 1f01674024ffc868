//! Quoting text in messages, and reading numbers from text.

/// How much of a text that somebody wrote is shown in a message, in characters.
const SHOWN: usize = 40;

/// Returns the beginning of a text, for a message.
pub fn shorten(text: &str) -> String {
    text.chars().take(SHOWN).collect()
}

/// Returns the text in quotes for a one-line message: shortened, and without control characters.
pub(crate) fn quote(text: &str) -> String {
    let mut quoted: String = text
        .chars()
        .take(SHOWN)
        .map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c })
        .collect();
    if text.chars().nth(SHOWN).is_some() {
        quoted.push('…');
    }
    format!("'{quoted}'")
}

/// Returns whether a text consists of digits only, without a sign or spaces.
pub(crate) fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Parses a number written in digits only.
pub(crate) fn parse_number(text: &str) -> Option<usize> {
    text.parse().ok().filter(|_| is_number(text))
}
