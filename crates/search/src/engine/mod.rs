//! What the algorithms are made of: packed states, their storage, open lists, one best-first
//! search, and the pruning of detours.

pub(crate) mod best_first;
pub(crate) mod cells;
pub(crate) mod chunked_list;
pub(crate) mod codec;
pub(crate) mod move_pruning;
pub(crate) mod nodes;
pub(crate) mod open_list;
pub(crate) mod resumable;
