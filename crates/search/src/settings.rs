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
    /// Agents of an evolution; `None` for a number that suits the profile.
    pub population: Option<usize>,
    /// Generations after which an evolution ends.
    pub generations: u32,
    /// The share of agents that live on unchanged.
    pub elite: Share,
    /// The weight of the fitness in the selection force; the rest is that of few moves.
    pub alpha: Share,
    /// How many tokens of an agent a mutation slides.
    pub mutation: MutationLaw,
    /// Episodes of a learner; `None` for a number that suits the profile.
    pub episodes: Option<u32>,
    /// States around the goal that a learner knows before it begins; `None` for a number that suits the puzzle.
    pub seeded: Option<u32>,
    /// The learning rate.
    pub rate: Share,
    /// The discount.
    pub discount: Share,
    /// Ablations of the hybrid and of improved evolution and learning that are left out, to see what they are worth.
    pub without: Ablations,
    /// Megabytes that an evolution or a learner may use for states.
    pub state_memory: u32,
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
            population: None,
            generations: 1000,
            elite: Share(100_000),
            alpha: Share(200_000),
            mutation: MutationLaw::Zipf(Exponent(1800)),
            episodes: None,
            seeded: None,
            rate: Share(50_000),
            discount: Share(950_000),
            without: Ablations::default(),
            state_memory: 256,
            region: 1,
        }
    }
}

/// A setting by its name: `--name VALUE` on the command line, `name=VALUE` in the text of a solver.
pub struct Setting {
    /// The name.
    pub name: &'static str,
    /// What stands for its value in a help text.
    pub value: &'static str,
    /// What it is, and for which algorithms.
    pub summary: &'static str,
    /// What may be written.
    pub allowed: &'static str,
    read: fn(&mut Settings, &str) -> Option<()>,
    write: fn(&Settings) -> String,
}

/// Every setting there is. A new one is a field of [`Settings`] and a line here.
pub const SETTINGS: &[Setting] = &[
    Setting {
        name: "weight",
        value: "W",
        summary: "The weight of the estimate in weighted-astar and staged",
        allowed: "a number from 0 to 1000 with at most three decimal places",
        read: |settings, text| put(&mut settings.weight, text.parse().ok()),
        write: |settings| settings.weight.to_string(),
    },
    Setting {
        name: "schedule",
        value: "ORDER",
        summary: "In which order staged puts tokens in place: rows, border, or the tokens of each stage as in 1+2/3",
        allowed: "rows, border, or the tokens of each stage as in 1+2/3/4",
        read: |settings, text| put(&mut settings.schedule, text.parse().ok()),
        write: |settings| settings.schedule.to_string(),
    },
    Setting {
        name: "profile",
        value: "published|improved",
        summary: "Whether astar, staged, evolution and reinforcement work as published or improved",
        allowed: "published or improved",
        read: |settings, text| put(&mut settings.profile, text.parse().ok()),
        write: |settings| settings.profile.to_string(),
    },
    Setting {
        name: "width",
        value: "N",
        summary: "States that beam keeps of each layer",
        allowed: "a whole number from 1 to 1000000000",
        read: |settings, text| put(&mut settings.width, whole(text, 1, 1_000_000_000)),
        write: |settings| settings.width.to_string(),
    },
    Setting {
        name: "population",
        value: "N|auto",
        summary: "Agents of evolution and hybrid; auto is 1000 as published, 5000 improved",
        allowed: "auto or a whole number from 1 to 1000000",
        read: |settings, text| put(&mut settings.population, whole_or_auto(text, 1, 1_000_000)),
        write: |settings| or_auto(settings.population),
    },
    Setting {
        name: "generations",
        value: "N",
        summary: "Generations after which evolution and hybrid end",
        allowed: "a whole number from 1 to 1000000000",
        read: |settings, text| put(&mut settings.generations, whole(text, 1, 1_000_000_000)),
        write: |settings| settings.generations.to_string(),
    },
    Setting {
        name: "elite",
        value: "SHARE",
        summary: "The share of agents that live on unchanged in evolution",
        allowed: "a number from 0 to 1 with at most six decimal places",
        read: |settings, text| put(&mut settings.elite, text.parse().ok()),
        write: |settings| settings.elite.to_string(),
    },
    Setting {
        name: "alpha",
        value: "SHARE",
        summary: "How much the selection of published evolution looks at the fitness; the rest is for few moves",
        allowed: "a number from 0 to 1 with at most six decimal places",
        read: |settings, text| put(&mut settings.alpha, text.parse().ok()),
        write: |settings| settings.alpha.to_string(),
    },
    Setting {
        name: "mutation",
        value: "LAW",
        summary: "How many tokens evolution slides in a mutation: zipf:C or binomial:P",
        allowed: "zipf:C with 0 < C <= 100 and at most three decimal places, or binomial:P with 0 <= P <= 1",
        read: |settings, text| put(&mut settings.mutation, text.parse().ok()),
        write: |settings| settings.mutation.to_string(),
    },
    Setting {
        name: "episodes",
        value: "N|auto",
        summary: "Episodes of reinforcement; auto is 1000 as published, 10000 improved",
        allowed: "auto or a whole number from 1 to 1000000000",
        read: |settings, text| put(&mut settings.episodes, whole_or_auto(text, 1, 1_000_000_000)),
        write: |settings| or_auto(settings.episodes),
    },
    Setting {
        name: "seeded",
        value: "N|auto",
        summary: "States around the goal that reinforcement and hybrid know before they begin",
        allowed: "auto or a whole number from 0 to 1000000000",
        read: |settings, text| put(&mut settings.seeded, whole_or_auto(text, 0, 1_000_000_000)),
        write: |settings| or_auto(settings.seeded),
    },
    Setting {
        name: "rate",
        value: "SHARE",
        summary: "The learning rate of published reinforcement",
        allowed: "a number from 0 to 1 with at most six decimal places",
        read: |settings, text| put(&mut settings.rate, text.parse().ok()),
        write: |settings| settings.rate.to_string(),
    },
    Setting {
        name: "discount",
        value: "SHARE",
        summary: "The discount of published reinforcement",
        allowed: "a number from 0 to 1 with at most six decimal places",
        read: |settings, text| put(&mut settings.discount, text.parse().ok()),
        write: |settings| settings.discount.to_string(),
    },
    Setting {
        name: "without",
        value: "PARTS",
        summary: "Ablations to leave out of evolution, reinforcement and hybrid: learning, preference, shortening",
        allowed: "nothing, or of learning, preference and shortening some with + between them",
        read: |settings, text| put(&mut settings.without, text.parse().ok()),
        write: |settings| settings.without.to_string(),
    },
    Setting {
        name: "state-memory",
        value: "MB",
        summary: "Megabytes that evolution, reinforcement and hybrid may use for states",
        allowed: "a whole number from 1 to 1000000",
        read: |settings, text| put(&mut settings.state_memory, whole(text, 1, 1_000_000)),
        write: |settings| settings.state_memory.to_string(),
    },
    Setting {
        name: "region",
        value: "N",
        summary: "Tokens that local-value-iteration takes at a time, at first",
        allowed: "a whole number from 1 to 63",
        read: |settings, text| put(&mut settings.region, whole(text, 1, 63)),
        write: |settings| settings.region.to_string(),
    },
];

fn put<T>(field: &mut T, value: Option<T>) -> Option<()> {
    *field = value?;
    Some(())
}

fn whole<T: FromStr + PartialOrd + Copy>(text: &str, least: T, most: T) -> Option<T> {
    text.parse().ok().filter(|value| (&least..=&most).contains(&value))
}

fn whole_or_auto<T: FromStr + PartialOrd + Copy>(
    text: &str,
    least: T,
    most: T,
) -> Option<Option<T>> {
    if text == "auto" { Some(None) } else { whole(text, least, most).map(Some) }
}

fn or_auto<T: fmt::Display>(value: Option<T>) -> String {
    value.map_or("auto".to_owned(), |value| value.to_string())
}

impl Setting {
    /// The setting with this name.
    pub fn find(name: &str) -> Option<&'static Setting> {
        SETTINGS.iter().find(|setting| setting.name == name)
    }

    /// Sets it.
    ///
    /// # Errors
    ///
    /// What may be written, when this may not.
    pub fn set(&self, settings: &mut Settings, value: &str) -> Result<(), SettingError> {
        (self.read)(settings, value).ok_or_else(|| SettingError {
            value: value.chars().take(40).collect(),
            name: self.name,
            allowed: self.allowed,
        })
    }

    /// Its value as it is written.
    pub fn get(&self, settings: &Settings) -> String {
        (self.write)(settings)
    }
}

/// A value that a setting cannot have.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{value}' is no {name}: write {allowed}")]
pub struct SettingError {
    /// What was written.
    value: String,
    /// The setting.
    name: &'static str,
    /// What may be written.
    allowed: &'static str,
}

/// What cannot be read as the value of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreadable;

/// A number from 0 to 1, to six decimal places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Share(u32);

impl Share {
    /// The number.
    pub fn get(self) -> f64 {
        f64::from(self.0) / 1e6
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

impl FromStr for Share {
    type Err = Unreadable;

    fn from_str(text: &str) -> Result<Share, Unreadable> {
        Ok(Share(decimal(text, 6, 1.0)?))
    }
}

/// A number from 0 to `most` in units of the last of so many decimal places.
fn decimal(text: &str, places: i32, most: f64) -> Result<u32, Unreadable> {
    let scale = 10f64.powi(places);
    let value: f64 = text.parse().map_err(|_| Unreadable)?;
    let units = (value * scale).round();
    let is_one = (0.0..=most * scale).contains(&units) && (units / scale - value).abs() <= 1e-9;
    if is_one { Ok(units as u32) } else { Err(Unreadable) }
}

/// The exponent c of a Zipf law, to three decimal places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Exponent(u32);

impl Exponent {
    /// The number.
    pub fn get(self) -> f64 {
        f64::from(self.0) / 1e3
    }
}

/// Some parts of the improved methods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Ablations {
    /// That the values of states are learned (hybrid).
    pub learning: bool,
    /// That slides are drawn by the values they lead to (hybrid).
    pub preference: bool,
    /// That the neighbourhood of the best solution is searched for shorter ones (all three).
    pub shortening: bool,
}

impl Ablations {
    fn named(&mut self) -> [(&'static str, &mut bool); 3] {
        [
            ("learning", &mut self.learning),
            ("preference", &mut self.preference),
            ("shortening", &mut self.shortening),
        ]
    }
}

impl fmt::Display for Ablations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = *self;
        let named: Vec<&str> =
            parts.named().into_iter().filter(|(_, is_in)| **is_in).map(|(name, _)| name).collect();
        f.write_str(&if named.is_empty() { "nothing".to_owned() } else { named.join("+") })
    }
}

impl FromStr for Ablations {
    type Err = Unreadable;

    fn from_str(text: &str) -> Result<Ablations, Unreadable> {
        let mut parts = Ablations::default();
        for name in text.split('+').filter(|_| text != "nothing") {
            let (_, is_in) =
                parts.named().into_iter().find(|(known, _)| *known == name).ok_or(Unreadable)?;
            *is_in = true;
        }
        Ok(parts)
    }
}

/// How many tokens of an agent a mutation slides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MutationLaw {
    /// n with probability proportional to n^-c, of 1 to all tokens (Zipf's law, cut off).
    Zipf(Exponent),
    /// Each token with this probability.
    Binomial(Share),
}

impl fmt::Display for MutationLaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MutationLaw::Zipf(c) => write!(f, "zipf:{}", c.get()),
            MutationLaw::Binomial(p) => write!(f, "binomial:{p}"),
        }
    }
}

impl FromStr for MutationLaw {
    type Err = Unreadable;

    fn from_str(text: &str) -> Result<MutationLaw, Unreadable> {
        match text.split_once(':') {
            Some(("zipf", c)) => match decimal(c, 3, 100.0)? {
                0 => Err(Unreadable),
                c => Ok(MutationLaw::Zipf(Exponent(c))),
            },
            Some(("binomial", p)) => p.parse().map(MutationLaw::Binomial),
            _ => Err(Unreadable),
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
    type Err = Unreadable;

    fn from_str(text: &str) -> Result<Profile, Unreadable> {
        Profile::ALL.into_iter().find(|profile| profile.name() == text).ok_or(Unreadable)
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
    type Err = Unreadable;

    fn from_str(text: &str) -> Result<Weight, Unreadable> {
        let numerator = decimal(text, 3, 1000.0)?;
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
    type Err = Unreadable;

    fn from_str(text: &str) -> Result<Schedule, Unreadable> {
        match text {
            "rows" => return Ok(Schedule::Rows),
            "border" => return Ok(Schedule::Border),
            _ => {}
        }
        let stages = text.split('/').map(|stage| stage.split('+').map(str::to_owned).collect());
        let stages: Vec<Vec<String>> = stages.collect();
        if stages.iter().flatten().any(String::is_empty) {
            return Err(Unreadable);
        }
        Ok(Schedule::Stages(stages))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_back_as_written() {
        let good: &[(&str, &[&str])] = &[
            ("weight", &["0", "1", "1.5", "3", "0.125", "1000"]),
            ("schedule", &["rows", "border", "1+2/3/4"]),
            ("profile", &["published", "improved"]),
            ("width", &["1", "1000000000"]),
            ("population", &["auto", "1", "1000000"]),
            ("generations", &["1", "1000"]),
            ("elite", &["0", "0.1", "1"]),
            ("alpha", &["0", "0.2", "0.000001", "1"]),
            ("mutation", &["zipf:1.8", "zipf:0.001", "zipf:100", "binomial:0.5", "binomial:0"]),
            ("episodes", &["auto", "1"]),
            ("seeded", &["auto", "0", "100000"]),
            ("rate", &["0.05"]),
            ("discount", &["0.95"]),
            ("without", &["nothing", "learning", "learning+preference+shortening"]),
            ("state-memory", &["256"]),
            ("region", &["1", "63"]),
        ];
        let bad: &[(&str, &[&str])] = &[
            ("weight", &["", "-1", "x", "1e9", "nan", "inf", "1.0001"]),
            ("schedule", &["", "1//2", "1+/2"]),
            ("profile", &["Published"]),
            ("width", &["0", "-1", "1.5", ""]),
            ("population", &["0", "1000001", "many"]),
            ("generations", &["0"]),
            ("elite", &["-0.1", "1.1", "nan", "0.0000001"]),
            ("alpha", &["2"]),
            ("mutation", &["zipf:0", "zipf:-1", "zipf:101", "zipf", "binomial:2", "1.8"]),
            ("episodes", &["0"]),
            ("seeded", &["-1", "all"]),
            ("rate", &["1.5"]),
            ("discount", &["2", "x"]),
            ("without", &["", "all", "learning+", "learning shortening"]),
            ("state-memory", &["0"]),
            ("region", &["0", "64"]),
        ];
        for (entry, ((name, values), (_, wrong))) in SETTINGS.iter().zip(good.iter().zip(bad)) {
            assert_eq!(entry.name, *name, "every setting is tried");
            let mut settings = Settings::default();
            for value in *values {
                entry.set(&mut settings, value).unwrap();
                assert_eq!(entry.get(&settings), *value);
            }
            let before = settings.clone();
            for value in *wrong {
                let error = entry.set(&mut settings, value).unwrap_err().to_string();
                assert!(error.contains(entry.allowed) && error.contains(name), "{error}");
                assert_eq!(settings, before);
            }
        }
        assert_eq!(SETTINGS.len(), good.len());
    }
}
