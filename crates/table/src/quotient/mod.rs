//! Whole graphs beyond memory: blocks in files, one for each orbit of the start's symmetries.
//!
//! `space` numbers the states up to symmetry, `explorer` finds its blocks and the slides between
//! them, `division` chooses which tokens a block fixes, `relabel` and `network` apply symmetries to
//! blocks, `blocks` keeps them in files, as `packing` makes them, and `cache` in memory, and
//! `sweep` computes one side from the other, in the order of `sweep_order`. `search` makes layers
//! of that: `options` says what it may use, `estimate` what it will, `plan` which blocks a
//! half-sweep computes, `peers` and `sweep_result` what several processes exchange, `check` draws
//! states to compute again from the rule, and `manifest` is how it survives being killed.
//! `block_layers` reads what a finished search leaves of its blocks.

mod block_layers;
mod blocks;
mod cache;
mod check;
mod count;
mod division;
mod error;
mod estimate;
mod explorer;
mod manifest;
mod network;
mod options;
mod packing;
mod peers;
mod plan;
mod relabel;
mod search;
mod second;
mod space;
mod sweep;
mod sweep_order;
mod sweep_result;

pub use block_layers::{BlockLayers, block_layers};
pub use check::inverse_state;
pub use count::{FilesCount, count_layers_in_files, end_searches, join_searches};
pub use error::FilesError;
pub use estimate::FilesEstimate;
pub use manifest::LayerCost;
pub use options::{FilesOptions, Resume};
pub use peers::{PeerGone, Peers, SentBlock};
pub use search::{FilesProgress, QuotientSearch};
pub use space::{QuotientError, QuotientSpace};
