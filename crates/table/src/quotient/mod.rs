//! Whole graphs beyond memory: blocks in files, one for each orbit of the start's symmetries.
//!
//! `space` numbers the states up to symmetry and finds the slides between blocks, `division` chooses
//! which tokens a block fixes, `relabel` and `network` apply symmetries to blocks, `blocks` keeps
//! them in files and `cache` in memory, `sweep` computes one side from the other, `check` draws states
//! to compute again from the rule, and `search` makes layers of that and survives being killed.

mod blocks;
mod cache;
mod check;
mod count;
mod division;
mod network;
mod peers;
mod relabel;
mod search;
mod space;
mod sweep;

pub use check::inverse_state;
pub use count::{FilesCount, count_layers_in_files, end_searches, join_searches};
pub use peers::{Packet, PeerGone, Peers};
pub use search::{
    FilesError, FilesEstimate, FilesOptions, FilesProgress, LayerCost, QuotientSearch, Resume,
};
pub use space::{QuotientError, QuotientSpace};
