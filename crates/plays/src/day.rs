//! The clock and the calendar of plays: days in UTC, counted from 1970.

use jiff::civil::Date;
use jiff::{Span, Timestamp};

/// The first day.
pub(crate) const EPOCH: Date = jiff::civil::date(1970, 1, 1);
/// The last day that a [`Date`] can name, 9999-12-31.
const LAST: i64 = 2_932_896;

/// Returns the time by the system's clock, in milliseconds since 1970.
pub fn now_ms() -> i64 {
    Timestamp::now().as_millisecond()
}

/// Returns the present day, in days since 1970.
pub fn today() -> i64 {
    now_ms().div_euclid(86_400_000)
}

/// Returns the date of a day, which is given in days since 1970. Days before 1970 and after 9999
/// are given as the first and the last one.
pub fn date(day: i64) -> Date {
    EPOCH.saturating_add(Span::new().days(day.clamp(0, LAST)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_dates_agree_to_the_last_one() {
        for (day, expected) in [
            (i64::MIN, "1970-01-01"),
            (0, "1970-01-01"),
            (20_783, "2026-11-26"),
            (LAST, "9999-12-31"),
            (i64::MAX, "9999-12-31"),
        ] {
            assert_eq!(date(day).to_string(), expected);
        }
        assert!(today() > 20_783);
    }
}
