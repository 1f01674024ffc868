use std::fmt;
use std::str::FromStr;

/// A share, exactly: a fraction in lowest terms that is not negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fraction {
    numerator: u128,
    denominator: u128,
}

impl Fraction {
    /// None of it.
    pub const ZERO: Fraction = Fraction { numerator: 0, denominator: 1 };
    /// All of it.
    pub const ONE: Fraction = Fraction { numerator: 1, denominator: 1 };

    /// The fraction in lowest terms; `None` with denominator 0.
    pub fn new(numerator: u128, denominator: u128) -> Option<Fraction> {
        let divisor = gcd(numerator, denominator);
        (denominator > 0).then(|| Fraction {
            numerator: numerator / divisor,
            denominator: denominator / divisor,
        })
    }

    /// The product; `None` when it does not fit.
    pub fn times(self, other: Fraction) -> Option<Fraction> {
        // What can be cancelled is, so that only what stays has to fit.
        let left = Fraction::new(self.numerator, other.denominator)?;
        let right = Fraction::new(other.numerator, self.denominator)?;
        Some(Fraction {
            numerator: left.numerator.checked_mul(right.numerator)?,
            denominator: left.denominator.checked_mul(right.denominator)?,
        })
    }

    /// The difference; `None` when it is negative or does not fit.
    pub fn minus(self, other: Fraction) -> Option<Fraction> {
        let left = self.numerator.checked_mul(other.denominator)?;
        let right = other.numerator.checked_mul(self.denominator)?;
        let denominator = self.denominator.checked_mul(other.denominator)?;
        Fraction::new(left.checked_sub(right)?, denominator)
    }

    /// As a number, rounded.
    pub fn value(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

impl fmt::Display for Fraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.denominator {
            1 => self.numerator.fmt(f),
            denominator => write!(f, "{}/{denominator}", self.numerator),
        }
    }
}

impl FromStr for Fraction {
    type Err = String;

    fn from_str(text: &str) -> Result<Fraction, String> {
        let (numerator, denominator) = text.split_once('/').unwrap_or((text, "1"));
        let fraction = numerator.parse().ok().zip(denominator.parse().ok());
        let fraction = fraction.and_then(|(n, d)| Fraction::new(n, d));
        fraction.ok_or_else(|| format!("'{text}' is not a fraction"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_in_lowest_terms() {
        let read = |text: &str| text.parse::<Fraction>().unwrap();
        assert_eq!(read("2100/2520").to_string(), "5/6");
        assert_eq!(read("1/12").times(read("6/5")), Some(read("1/10")));
        assert_eq!(Fraction::ONE.minus(read("11/12")), Some(read("1/12")));
        assert_eq!(Fraction::ZERO.minus(read("1/2")), None);
        assert_eq!(read("6/3").to_string(), "2");
        assert!("1/0".parse::<Fraction>().is_err() && "x".parse::<Fraction>().is_err());
    }
}
