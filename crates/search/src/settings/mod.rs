//! Settings: each algorithm or heuristic declares its own, with name, range, default and help.
//!
//! A [`Setting`] is what everyone may know of one; its owner holds it as a [`Typed`] value in its
//! own file and reads it from the [`Settings`] of a search. Command lines, forms and keyword
//! arguments are composed from [`crate::Algorithm::settings`].

mod values;

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use hyperslide_puzzle::shorten;
use thiserror::Error;

pub use self::values::{OrAuto, Profile, Share, Unreadable, Weight};
pub(crate) use self::values::{PROFILE, decimal};

/// A setting of an algorithm or heuristic: `--name VALUE` on the command line, `name=VALUE` in the
/// text of a solver.
#[derive(Debug)]
pub struct Setting {
    /// The name.
    pub name: &'static str,
    /// A placeholder for its value in a help text.
    pub value: &'static str,
    /// What holds when it is left out.
    pub default: &'static str,
    /// What may be written.
    pub domain: Domain,
    /// What it is, in one sentence.
    pub summary: &'static str,
    reads: fn(&str) -> bool,
}

/// What may be written as the value of a setting; its text says so to people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// A whole number.
    Whole {
        /// The least.
        least: u64,
        /// The greatest.
        most: u64,
    },
    /// A whole number, or `auto` for one that suits the puzzle and the other settings.
    WholeOrAuto {
        /// The least.
        least: u64,
        /// The greatest.
        most: u64,
    },
    /// A number from 0 on.
    Decimal {
        /// The greatest.
        most: u32,
        /// The number of decimal places.
        places: u32,
    },
    /// One of these words.
    Choice(&'static [&'static str]),
    /// `nothing`, or some of these words with `+` between them.
    Subset(&'static [&'static str]),
    /// Anything that its owner can read, described here.
    Text(&'static str),
}

impl Domain {
    fn contains(self, text: &str) -> bool {
        let is_whole = |least, most| {
            let value: Option<u64> = text.parse().ok();
            value.is_some_and(|value| (least..=most).contains(&value))
        };
        match self {
            Domain::Whole { least, most } => is_whole(least, most),
            Domain::WholeOrAuto { least, most } => text == "auto" || is_whole(least, most),
            Domain::Decimal { most, places } => decimal(text, places, most).is_ok(),
            Domain::Choice(words) => words.contains(&text),
            Domain::Subset(words) => {
                text == "nothing" || text.split('+').all(|word| words.contains(&word))
            }
            Domain::Text(_) => true,
        }
    }
}

impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Domain::Whole { least, most } => write!(f, "a whole number from {least} to {most}"),
            Domain::WholeOrAuto { least, most } => {
                write!(f, "auto or a whole number from {least} to {most}")
            }
            Domain::Decimal { most, places } => {
                let places = match places {
                    3 => "three",
                    6 => "six",
                    _ => "a few",
                };
                write!(f, "a number from 0 to {most} with at most {places} decimal places")
            }
            Domain::Choice(words) => f.write_str(&words.join(" or ")),
            Domain::Subset(words) => {
                write!(f, "nothing, or some of {} with + between them", words.join(", "))
            }
            Domain::Text(what) => f.write_str(what),
        }
    }
}

impl Setting {
    /// Declares a setting whose owner reads it as a `T`.
    pub(crate) const fn typed<T: FromStr>(
        name: &'static str,
        value: &'static str,
        default: &'static str,
        domain: Domain,
        summary: &'static str,
    ) -> Typed<T> {
        let setting = Setting { name, value, default, domain, summary, reads: reads::<T> };
        Typed { setting, of: PhantomData }
    }

    /// Refuses a text that is not a value of this setting.
    ///
    /// # Errors
    ///
    /// What may be written instead.
    pub fn check(&self, value: &str) -> Result<(), SettingError> {
        if self.domain.contains(value) && (self.reads)(value) {
            return Ok(());
        }
        let value = shorten(value);
        Err(SettingError { value, name: self.name, domain: self.domain })
    }
}

fn reads<T: FromStr>(text: &str) -> bool {
    text.parse::<T>().is_ok()
}

/// A setting as its owner reads it.
pub(crate) struct Typed<T> {
    setting: Setting,
    of: PhantomData<fn() -> T>,
}

impl<T: FromStr> Typed<T> {
    /// What everyone may know of it.
    pub const fn setting(&self) -> &Setting {
        &self.setting
    }
}

/// The values of an algorithm's settings; those that nobody set have their defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    values: BTreeMap<&'static str, String>,
}

impl Settings {
    /// The value of a setting.
    pub(crate) fn get<T: FromStr>(&self, typed: &Typed<T>) -> T {
        let setting = typed.setting();
        let text = self.values.get(setting.name).map_or(setting.default, String::as_str);
        match text.parse() {
            Ok(value) => value,
            Err(_) => unreachable!("{}={text} was checked when it was set", setting.name),
        }
    }

    /// Sets a setting.
    pub(crate) fn set(
        &mut self,
        setting: &'static Setting,
        value: &str,
    ) -> Result<(), SettingError> {
        setting.check(value)?;
        self.values.insert(setting.name, value.to_owned());
        Ok(())
    }

    /// The same settings, one of them at its default.
    pub(crate) fn without<T: FromStr>(&self, typed: &Typed<T>) -> Settings {
        let mut settings = self.clone();
        settings.values.remove(typed.setting.name);
        settings
    }

    /// The settings that somebody set, by their names in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.values.iter().map(|(&name, value)| (name, value.as_str()))
    }
}

/// A value that a setting cannot have.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{value}' is not a value of {name}: write {domain}")]
pub struct SettingError {
    /// What was written.
    value: String,
    /// The setting.
    name: &'static str,
    /// What may be written.
    domain: Domain,
}
