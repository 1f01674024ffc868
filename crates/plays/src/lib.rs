//! Plays of people: what one is, whether the rule and the clock allow it, and where it is kept.
//!
//! Nothing is known of a person but a random pseudonym and the digest of a secret. Plays are kept
//! with every move and its time, after they were played again by the rule of `hyperslide-puzzle`.

mod day;
mod exchange;
mod learn;
mod play;
mod ranked;
mod simulate;
mod standings;
mod store;

pub use day::{date, now_ms, today};
pub use exchange::{ExchangeError, Format, Imported, export, import};
pub use learn::{Guess, LearnError, Learned, learn};
pub use play::{
    Control, Kind, MAX_MOVES, MAX_PUZZLE, Play, PlayError, TimedMove, Verified, check_puzzle,
};
pub use ranked::{Issued, LEAST_INTERVAL, MAX_INSPECTION, Refused, check_ranked};
pub use simulate::{POLICY, POLICY_TEXT, SimulatedPerson, Simulator};
pub use standings::{AVERAGES, Single, Standing, standings};
pub use store::{
    BestList, Copied, Counts, Firsts, Group, GroupCount, KeptPlay, NewPerson, Part, Pending,
    Person, Players, PostgresStore, RankedPlay, Record, SqliteStore, Store, StoreError, connect,
    connect_to_read, copy, shown_address, sqlite_file, sqlite_files,
};
