//! JSON with a checksum, so that damage is detected.

use std::io;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use thiserror::Error;

/// The version of everything saved in this way. It rises whenever the content of any file changes.
const VERSION: u32 = 3;

#[derive(Serialize, Deserialize)]
struct Sealed<C> {
    version: u32,
    /// The checksum of the bytes of the content.
    crc32: u32,
    content: C,
}

/// The only field that is read from files of other versions.
#[derive(Deserialize)]
struct Version {
    #[serde(default)]
    version: u32,
}

/// Why a saved value cannot be used.
#[derive(Debug, Error)]
pub enum UnsealError {
    /// It was saved by another version of the program.
    #[error("it has format {0}, and this version reads format {VERSION}")]
    Version(u32),
    /// Some of its bytes have changed.
    #[error("its checksum is wrong")]
    Checksum,
    /// It is not the expected JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

/// Returns a value as JSON in one line, with a checksum.
///
/// # Errors
///
/// Returns an error if the value cannot be written as JSON.
pub fn seal(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let content = serde_json::value::to_raw_value(value)?;
    let crc32 = crc32fast::hash(content.get().as_bytes());
    Ok(serde_json::to_vec(&Sealed { version: VERSION, crc32, content })?)
}

/// Returns the value that [`seal`] saved.
///
/// # Errors
///
/// Returns an error if the bytes have changed, or are not those of such a value.
pub fn unseal<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, UnsealError> {
    let Version { version } = serde_json::from_slice(bytes)?;
    if version != VERSION {
        return Err(UnsealError::Version(version));
    }
    let Sealed { crc32, content, .. } = serde_json::from_slice::<Sealed<&RawValue>>(bytes)?;
    if crc32fast::hash(content.get().as_bytes()) != crc32 {
        return Err(UnsealError::Checksum);
    }
    Ok(serde_json::from_str(content.get())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_byte_is_noticed() {
        let value = (vec![1u64, u64::MAX], 0.1 + 0.2, "a \"quoted\" word".to_owned());
        let sealed = seal(&value).unwrap();
        assert_eq!(unseal::<(Vec<u64>, f64, String)>(&sealed).unwrap(), value);
        for changed in 0..sealed.len() {
            let mut sealed = sealed.clone();
            sealed[changed] ^= 1;
            unseal::<(Vec<u64>, f64, String)>(&sealed).unwrap_err();
        }
        for kept in 0..sealed.len() {
            unseal::<(Vec<u64>, f64, String)>(&sealed[..kept]).unwrap_err();
        }
    }

    #[test]
    fn other_versions_are_distinguished_from_damage() {
        for (text, expected) in [(r#"{"layers":[1]}"#, 0), (r#"{"version":2,"layers":[1]}"#, 2)] {
            let refused = unseal::<Vec<u64>>(text.as_bytes());
            assert!(matches!(refused, Err(UnsealError::Version(found)) if found == expected));
        }
    }
}
