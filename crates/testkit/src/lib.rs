//! Random small puzzles and a plain solver to check the others by.
//!
//! The plain solver shares no code with the crates it checks beyond reading a puzzle: it knows the
//! rule by its words, compares vectors and keeps everything in a hash map. Only tests
//! depend on this crate.

mod byte_array;
mod plain;
mod random;
mod textbook;

pub use byte_array::byte_array_layers;
pub use plain::PlainPuzzle;
pub use random::{Random, random_puzzle};
pub use textbook::{TextbookResult, textbook_astar, textbook_idastar_15};
