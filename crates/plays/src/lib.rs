//! Plays of people: what one is, whether the rule and the clock allow it, and where it is kept.
//!
//! Nothing is known of a person but a random pseudonym and the digest of a secret. Plays are kept with
//! every move and its time, after they were played again by the rule of `hyperslide-puzzle`.

mod play;
mod ranked;
mod store;

pub use play::{Control, Kind, Play, PlayError, TimedMove, Verified};
pub use ranked::{Issued, MAX_INSPECTION, Refused, check_ranked};
pub use store::{
    KeptPlay, NewPerson, Pending, Person, PostgresStore, SqliteStore, Store, StoreError, connect,
};
