//! Numbers as people read them.

/// A number with its digits in groups of three.
pub fn grouped(number: impl std::fmt::Display) -> String {
    let number = number.to_string();
    let (whole, rest) = number.split_at(number.find('.').unwrap_or(number.len()));
    let mut text = String::new();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) && !text.ends_with('-') {
            text.push(',');
        }
        text.push(digit);
    }
    text + rest
}

/// A number with thousands separators and without needless decimal places.
pub(super) fn short(value: f64) -> String {
    let rounded = (value * 1000.0).round() / 1000.0;
    let sign = if rounded < 0.0 { "\u{2212}" } else { "" };
    format!("{sign}{}", grouped(rounded.abs()))
}

/// A share in percent with a decimal place.
pub(super) fn percent(share: f64) -> String {
    short((share * 1000.0).round() / 10.0)
}

/// Seconds in a fitting unit.
pub fn seconds(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.0} \u{b5}s", s * 1e6),
        s if s < 1.0 => format!("{:.1} ms", s * 1e3),
        s => format!("{s:.1} s"),
    }
}

/// Bytes in a fitting unit.
pub fn bytes(bytes: u64) -> String {
    match bytes as f64 {
        1.0 => "1 byte".to_owned(),
        b if b < 1e3 => format!("{b} bytes"),
        b if b < 1e6 => format!("{:.0} kB", b / 1e3),
        b if b < 1e9 => format!("{:.1} MB", b / 1e6),
        b => format!("{:.1} GB", b / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(grouped("-1234.5678"), "-1,234.5678");
        assert_eq!(seconds(0.0000012), "1 µs");
        assert_eq!(seconds(0.0123), "12.3 ms");
        assert_eq!(seconds(75.0), "75.0 s");
    }
}
