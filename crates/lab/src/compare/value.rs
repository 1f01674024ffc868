//! A value of a table: ours, or what a paper prints.

use std::collections::BTreeMap;
use std::fmt;

use num_rational::Ratio;
use serde::{Deserialize, Serialize, Serializer};

/// A share, exactly.
pub type Fraction = Ratio<u128>;

/// A value of a table. In experiment files, a number, a text, `[3, 150]` for 3 of 150, or
/// `{ lower = 30, upper = 36 }` for bounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Written", untagged)]
pub enum Value {
    /// A whole number.
    Count(u64),
    /// A number that is shown with the given number of decimal places.
    #[serde(serialize_with = "rounded")]
    Number(f64, u8),
    /// A duration in seconds.
    Seconds(f64),
    /// Some of a total, such as solved puzzles.
    #[serde(serialize_with = "out_of")]
    OutOf(u64, u64),
    /// A number between bounds.
    Bounds {
        /// The least that it can be.
        lower: u32,
        /// The greatest that it can be, where that is known.
        upper: Option<u32>,
    },
    /// How often each number came.
    Histogram(BTreeMap<u32, u64>),
    /// Anything else, an exact fraction or an integer of any size included.
    Text(String),
}

impl Value {
    /// The value as a number, where it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Value::Count(count) => Some(*count as f64),
            Value::Number(value, _) | Value::Seconds(value) => Some(*value),
            Value::OutOf(part, all) if *all > 0 => Some(*part as f64 / *all as f64),
            Value::Text(text) => {
                let share = text.parse::<Fraction>().ok()?;
                Some(*share.numer() as f64 / *share.denom() as f64)
            }
            Value::OutOf(..) | Value::Bounds { .. } | Value::Histogram(_) => None,
        }
    }

    /// Returns whether two exact values are the same, however they are written: `2/4` is `1/2`.
    pub fn is_same(&self, other: &Value) -> bool {
        let fraction = |value: &Value| value.to_string().parse::<Fraction>().ok();
        match (fraction(self), fraction(other)) {
            (Some(one), Some(two)) => one == two,
            _ => self.to_string() == other.to_string(),
        }
    }
}

/// Plain text without thousands separators or units.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Count(count) => count.fmt(f),
            Value::Number(value, decimals) => write!(f, "{value:.*}", usize::from(*decimals)),
            Value::Seconds(seconds) => seconds.fmt(f),
            Value::OutOf(part, all) => write!(f, "{part} of {all}"),
            Value::Bounds { lower, upper: Some(upper) } => write!(f, "{lower}..{upper}"),
            Value::Bounds { lower, upper: None } => write!(f, "{lower}.."),
            Value::Histogram(counts) => {
                let mut separator = "";
                counts.iter().try_for_each(|(number, count)| {
                    let before = std::mem::replace(&mut separator, " ");
                    write!(f, "{before}{number}:{count}")
                })
            }
            Value::Text(text) => f.write_str(text),
        }
    }
}

/// A number with its decimal places.
fn rounded<S: Serializer>(value: &f64, decimals: &u8, serializer: S) -> Result<S::Ok, S::Error> {
    let scale = 10f64.powi(i32::from(*decimals));
    serializer.serialize_f64((value * scale).round() / scale)
}

/// `{ "count": 3, "of": 150 }`.
fn out_of<S: Serializer>(count: &u64, of: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    BTreeMap::from([("count", count), ("of", of)]).serialize(serializer)
}

/// A value as it is written in experiment files.
#[derive(Deserialize)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "not a value: write a number from 0 on, a text, [PART, ALL] or { lower = L, upper = U }"
)]
enum Written {
    Count(u64),
    Number(f64),
    Text(String),
    OutOf(u64, u64),
    Bounds { lower: u32, upper: Option<u32> },
}

impl TryFrom<Written> for Value {
    type Error = String;

    fn try_from(written: Written) -> Result<Value, String> {
        Ok(match written {
            Written::Number(number) if number < 0.0 => {
                return Err(format!("the value {number} is below 0"));
            }
            Written::Count(count) => Value::Count(count),
            Written::Number(number) => {
                // As many decimal places as are written.
                let text = number.to_string();
                let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
                Value::Number(number, decimals.min(12) as u8)
            }
            Written::Text(text) => Value::Text(text),
            Written::OutOf(part, all) => Value::OutOf(part, all),
            Written::Bounds { lower, upper } => Value::Bounds { lower, upper },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_and_written() {
        let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        for (text, shown) in [
            ("4", "4"),
            ("4.5", "4.5"),
            ("\"failed\"", "failed"),
            ("[3, 150]", "3 of 150"),
            ("{\"lower\":3,\"upper\":null}", "3.."),
            ("{\"lower\":3,\"upper\":5}", "3..5"),
        ] {
            assert_eq!(read(text).to_string(), shown);
        }
        for wrong in ["-1", "[1]", "[1,2,3]", "{\"lowr\":1}", "true"] {
            assert!(serde_json::from_str::<Value>(wrong).is_err(), "{wrong}");
        }
        assert!(read("\"2100/2520\"").is_same(&read("\"5/6\"")));
        assert!(read("4").is_same(&read("\"4\"")) && !read("4").is_same(&read("5")));
        assert!(read("9.0").is_same(&read("9")));
    }
}
