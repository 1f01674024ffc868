//! What an algorithm can be told beside its heuristic.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// The settings of all algorithms; each takes what it knows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Settings {
    /// The weight w of weighted A* and of a staged search.
    pub weight: Weight,
    /// In which order a staged search puts tokens in place.
    pub schedule: Schedule,
    /// Whether to search as the paper describes it where we know better: [`Profile::Published`].
    pub profile: Profile,
    /// States that beam search keeps of each layer.
    pub width: usize,
    /// How many tokens local value iteration takes at a time.
    pub region: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            weight: Weight { numerator: 3, denominator: 1 },
            schedule: Schedule::Border,
            profile: Profile::Improved,
            width: 10_000,
            region: 1,
        }
    }
}

/// As published, or as we would do it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Profile {
    /// As its paper describes the method.
    Published,
    /// With what is better.
    Improved,
}

impl Profile {
    /// Both.
    pub const ALL: [Profile; 2] = [Profile::Published, Profile::Improved];

    /// `published` or `improved`.
    pub fn name(self) -> &'static str {
        match self {
            Profile::Published => "published",
            Profile::Improved => "improved",
        }
    }
}

impl FromStr for Profile {
    type Err = SettingError;

    fn from_str(text: &str) -> Result<Profile, SettingError> {
        let known = Profile::ALL.into_iter().find(|profile| profile.name() == text);
        known.ok_or_else(|| SettingError::Profile(short(text)))
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The weight of an estimate: 0 to 1000, to three decimal places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Weight {
    pub(crate) numerator: u32,
    pub(crate) denominator: u32,
}

impl fmt::Display for Weight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (f64::from(self.numerator) / f64::from(self.denominator)).fmt(f)
    }
}

impl FromStr for Weight {
    type Err = SettingError;

    fn from_str(text: &str) -> Result<Weight, SettingError> {
        let wrong = || SettingError::Weight(short(text));
        let weight: f64 = text.parse().map_err(|_| wrong())?;
        let thousandths = (weight * 1000.0).round();
        if !(0.0..=1_000_000.0).contains(&thousandths) {
            return Err(wrong());
        }
        if (thousandths / 1000.0 - weight).abs() > 1e-9 {
            return Err(wrong());
        }
        let numerator = thousandths as u32;
        let divisor = gcd(numerator, 1000);
        Ok(Weight { numerator: numerator / divisor, denominator: 1000 / divisor })
    }
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// In which order a staged search puts tokens in place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Schedule {
    /// Row by row, one token at a time.
    Rows,
    /// The first row and the first column of what is left, one token at a time, down to 3 x 3; on boards that are no
    /// grids the tokens one by one.
    Border,
    /// These tokens at a time, by their labels, then all others.
    Stages(Vec<Vec<String>>),
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Schedule::Rows => f.write_str("rows"),
            Schedule::Border => f.write_str("border"),
            Schedule::Stages(stages) => {
                let stages: Vec<String> = stages.iter().map(|stage| stage.join("+")).collect();
                f.write_str(&stages.join("/"))
            }
        }
    }
}

impl FromStr for Schedule {
    type Err = SettingError;

    fn from_str(text: &str) -> Result<Schedule, SettingError> {
        match text {
            "rows" => return Ok(Schedule::Rows),
            "border" => return Ok(Schedule::Border),
            _ => {}
        }
        let stages = text.split('/').map(|stage| stage.split('+').map(str::to_owned).collect());
        let stages: Vec<Vec<String>> = stages.collect();
        if stages.iter().flatten().any(String::is_empty) {
            return Err(SettingError::Schedule(short(text)));
        }
        Ok(Schedule::Stages(stages))
    }
}

/// A setting that is no such thing.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SettingError {
    /// No weight.
    #[error("'{0}' is no weight: write a number from 0 to 1000 with at most three decimal places")]
    Weight(String),
    /// No schedule.
    #[error("'{0}' is no schedule: write rows, border, or the tokens of each stage as in 1+2/3/4")]
    Schedule(String),
    /// No profile.
    #[error("'{0}' is no profile: write published or improved")]
    Profile(String),
}

fn short(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_back_as_written() {
        for text in ["0", "1", "1.5", "3", "0.125", "1000"] {
            assert_eq!(text.parse::<Weight>().unwrap().to_string(), text);
        }
        for text in ["", "-1", "x", "1e9", "nan", "inf", "1.0001"] {
            assert!(text.parse::<Weight>().is_err(), "{text}");
        }
        for text in ["rows", "border", "1+2/3/4"] {
            assert_eq!(text.parse::<Schedule>().unwrap().to_string(), text);
        }
        for text in ["", "1//2", "1+/2"] {
            assert!(text.parse::<Schedule>().is_err(), "{text}");
        }
        for profile in Profile::ALL {
            assert_eq!(profile.to_string().parse(), Ok(profile));
        }
    }
}
