//! Axes of charts: ranges, ticks, and where a value stands.

use crate::report::numbers::short;

/// How values are laid out along an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Scale {
    /// By their differences.
    #[default]
    Linear,
    /// By their ratios; all values are positive.
    Logarithmic,
}

/// An axis with its title, unit included, and how values are written on it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Axis {
    pub title: String,
    /// Whether the title stands elsewhere, once for many charts.
    pub hides_title: bool,
    /// The unit that follows each number: `s`, `%` or nothing.
    pub unit: &'static str,
    pub scale: Scale,
    /// Whether its values are whole numbers, and so are its ticks.
    pub is_whole: bool,
    /// The ends, where they do not follow from the values.
    pub range: Option<(f64, f64)>,
}

/// An axis with ends, laid out between two pixels.
pub(super) struct Placed<'a> {
    axis: &'a Axis,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Axis {
    /// A linear axis of whole numbers.
    pub fn whole(title: &str) -> Axis {
        Axis { is_whole: true, ..Axis::new(title) }
    }

    /// A linear axis with this title.
    pub fn new(title: &str) -> Axis {
        Axis { title: title.to_owned(), ..Axis::default() }
    }

    /// A logarithmic axis of seconds.
    pub fn seconds(title: &str) -> Axis {
        Axis { unit: "s", scale: Scale::Logarithmic, ..Axis::new(title) }
    }

    /// A logarithmic axis of counts.
    pub fn logarithmic(title: &str) -> Axis {
        Axis { scale: Scale::Logarithmic, ..Axis::new(title) }
    }

    /// An axis from 0 to 100 %.
    pub fn percent(title: &str) -> Axis {
        Axis { unit: "%", range: Some((0.0, 100.0)), ..Axis::new(title) }
    }

    /// Lays the axis out from one pixel to another.
    pub(super) fn place(&self, (low, high): (f64, f64), from: f64, to: f64) -> Placed<'_> {
        let (low, high) = self.range.unwrap_or((low, high));
        Placed {
            axis: self,
            low: self.scale.position(low),
            high: self.scale.position(high),
            from,
            to,
        }
    }

    /// A value with its unit, as ticks and tooltips show it.
    pub fn write(&self, value: f64) -> String {
        match (self.unit, self.scale) {
            ("s", _) => seconds(value),
            ("%", _) => format!("{} %", short(value)),
            (_, Scale::Logarithmic) if value >= 10_000.0 => power_of_ten(value),
            _ => short(value),
        }
    }
}

impl Scale {
    fn position(self, value: f64) -> f64 {
        match self {
            Scale::Linear => value,
            Scale::Logarithmic => value.max(f64::MIN_POSITIVE).log10(),
        }
    }
}

impl Placed<'_> {
    /// The pixel of a value.
    pub fn at(&self, value: f64) -> f64 {
        let share = (self.axis.scale.position(value) - self.low) / (self.high - self.low);
        self.from + share * (self.to - self.from)
    }

    /// The pixel where the axis ends.
    pub fn end(&self) -> f64 {
        self.to
    }

    /// The pixel where bars start: that of 0, or of the least value.
    pub fn base(&self) -> f64 {
        match self.axis.scale {
            Scale::Linear if self.low <= 0.0 => self.at(0.0),
            _ => self.from,
        }
    }

    /// At most about the given number of round values between the ends, both included.
    pub fn ticks(&self, most: usize) -> Vec<f64> {
        let most = most.max(2) as f64;
        match self.axis.scale {
            Scale::Linear => {
                let step = round_step((self.high - self.low) / (most - 1.0));
                let step = if self.axis.is_whole { step.max(1.0) } else { step };
                let first = (self.low / step - 1e-9).ceil() as i64;
                let last = (self.high / step + 1e-9).floor() as i64;
                (first..=last).map(|n| n as f64 * step).collect()
            }
            Scale::Logarithmic => {
                let (first, last) =
                    ((self.low - 1e-9).ceil() as i32, (self.high + 1e-9).floor() as i32);
                let step = (f64::from(last - first + 1) / most).ceil().max(1.0) as usize;
                (first..=last).step_by(step).map(|n| 10f64.powi(n)).collect()
            }
        }
    }
}

/// The next of 1, 2, 5 times a power of ten.
fn round_step(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    let factor =
        [1.0, 2.0, 5.0, 10.0].into_iter().find(|factor| factor * power >= least * (1.0 - 1e-9));
    factor.unwrap_or(10.0) * power
}

fn seconds(value: f64) -> String {
    let digits = |value: f64| {
        let places = if value >= 99.5 {
            1.0
        } else if value >= 9.95 {
            10.0
        } else {
            100.0
        };
        short((value * places).round() / places)
    };
    match value {
        0.0 => "0 s".to_owned(),
        ..0.000_999_5 => format!("{} \u{b5}s", digits(value * 1e6)),
        ..0.999_5 => format!("{} ms", digits(value * 1e3)),
        _ => format!("{} s", digits(value)),
    }
}

/// `10⁶` or `2.5 × 10⁶`.
fn power_of_ten(value: f64) -> String {
    let exponent = value.log10().floor();
    let factor = (value / 10f64.powf(exponent) * 10.0).round() / 10.0;
    let digits = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let exponent: String = (exponent as u32)
        .to_string()
        .bytes()
        .map(|digit| digits[usize::from(digit - b'0')])
        .collect();
    if factor == 1.0 { format!("10{exponent}") } else { format!("{factor} × 10{exponent}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_between_the_ends() {
        let axis = Axis::new("moves");
        assert_eq!(axis.place((0.0, 10.0), 0.0, 1.0).ticks(6), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(axis.place((3.0, 93.0), 0.0, 1.0).ticks(5), [50.0]);
        assert_eq!(axis.place((-0.6, 2.6), 0.0, 1.0).ticks(4), [0.0, 2.0]);
        let axis = Axis::seconds("time");
        assert_eq!(axis.place((0.001, 10.0), 0.0, 1.0).ticks(9).len(), 5);
    }

    #[test]
    fn values_stand_between_the_pixels() {
        let axis = Axis::logarithmic("states");
        let placed = axis.place((1.0, 100.0), 200.0, 0.0);
        assert!((placed.at(10.0) - 100.0).abs() < 1e-9);
        assert_eq!(Axis::new("").place((0.0, 4.0), 0.0, 8.0).at(1.0), 2.0);
    }

    #[test]
    fn numbers_are_short() {
        for (value, text) in [
            (0.0, "0"),
            (12_345_678.0, "12,345,678"),
            (0.1 + 0.2, "0.3"),
            (-2.5, "\u{2212}2.5"),
            (100.0, "100"),
        ] {
            assert_eq!(short(value), text);
        }
        assert_eq!(Axis::seconds("").write(0.000_25), "250 \u{b5}s");
        assert_eq!(Axis::seconds("").write(0.0123), "12.3 ms");
        assert_eq!(Axis::seconds("").write(1241.0), "1,241 s");
        assert_eq!(Axis::logarithmic("").write(1e6), "10⁶");
        assert_eq!(Axis::logarithmic("").write(2.5e7), "2.5 × 10⁷");
    }
}
