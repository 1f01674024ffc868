//! Text in messages, and numbers in text.

/// The text in quotes, shortened and without control characters, fit for a one-line message.
pub(crate) fn quote(text: &str) -> String {
    const SHOWN: usize = 40;
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

/// Returns whether a text has digits only: no sign, no spaces.
pub(crate) fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A number written in digits only.
pub(crate) fn parse_number(text: &str) -> Option<usize> {
    text.parse().ok().filter(|_| is_number(text))
}
