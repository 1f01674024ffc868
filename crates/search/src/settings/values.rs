//! The types of settings that several algorithms have.

use std::str::FromStr;

use super::{Domain, Setting, Typed};

/// Whether to search as the paper describes it where we know better: [`Profile::Published`].
pub(crate) static PROFILE: Typed<Profile> = Setting::typed(
    "profile",
    "published|improved",
    "improved",
    Domain::Choice(&["published", "improved"]),
    "published: methods work as their papers describe them; improved: with our improvements",
);

/// The error for a text that is not a value of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreadable;

/// Whether a method is run as published or with our improvements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Profile {
    /// As its paper describes the method.
    Published,
    /// With our improvements.
    Improved,
}

impl FromStr for Profile {
    type Err = Unreadable;

    fn from_str(text: &str) -> Result<Profile, Unreadable> {
        match text {
            "published" => Ok(Profile::Published),
            "improved" => Ok(Profile::Improved),
            _ => Err(Unreadable),
        }
    }
}

/// A value, or `auto` (`None`) for one that suits the puzzle and the other settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OrAuto<T>(pub Option<T>);

impl<T: FromStr> FromStr for OrAuto<T> {
    type Err = T::Err;

    fn from_str(text: &str) -> Result<OrAuto<T>, T::Err> {
        let value = if text == "auto" { None } else { Some(text.parse()?) };
        Ok(OrAuto(value))
    }
}

/// A number from 0 to 1, to six decimal places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Share(u32);

impl Share {
    /// What may be written.
    pub(crate) const DOMAIN: Domain = Domain::Decimal { most: 1, places: 6 };

    /// The number.
    pub fn get(self) -> f64 {
        f64::from(self.0) / 1e6
    }
}

impl FromStr for Share {
    type Err = Unreadable;

    fn from_str(text: &str) -> Result<Share, Unreadable> {
        Ok(Share(decimal(text, 6, 1)?))
    }
}

/// The weight of an estimate: 0 to 1000, to three decimal places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Weight {
    pub(crate) numerator: u32,
    pub(crate) denominator: u32,
}

impl Weight {
    /// What may be written.
    pub(crate) const DOMAIN: Domain = Domain::Decimal { most: 1000, places: 3 };

    /// The priority g + w h of a state, times the denominator of w. Learned weights may estimate
    /// thousands of moves: priorities beyond 32 bits are the greatest there is. No goal has one.
    pub(crate) fn priority(self, g: u32, h: u32) -> u32 {
        let of_path = g.saturating_mul(self.denominator);
        of_path.saturating_add(h.saturating_mul(self.numerator))
    }
}

impl FromStr for Weight {
    type Err = Unreadable;

    fn from_str(text: &str) -> Result<Weight, Unreadable> {
        let numerator = decimal(text, 3, 1000)?;
        let divisor = gcd(numerator, 1000);
        Ok(Weight { numerator: numerator / divisor, denominator: 1000 / divisor })
    }
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// A number from 0 to `most` in units of the last of its decimal places.
pub(crate) fn decimal(text: &str, places: u32, most: u32) -> Result<u32, Unreadable> {
    let scale = 10f64.powi(places as i32);
    let value: f64 = text.parse().map_err(|_| Unreadable)?;
    let units = (value * scale).round();
    let is_in_range = (0.0..=f64::from(most) * scale).contains(&units);
    let is_exact = (units / scale - value).abs() <= 1e-9;
    if is_in_range && is_exact { Ok(units as u32) } else { Err(Unreadable) }
}
