//! Whole puzzle graphs: the numbering of states, breadth-first search over blocks of arrangements,
//! and distance tables with their files.
//!
//! This crate never prints and never searches for a single solution.

mod abstraction;
mod allocation;
mod arrangements;
mod cell_ranks;
mod distances;
mod durable;
mod files;
mod graph;
mod kernel;
mod layer_checkpoint;
mod layer_count;
mod layout;
mod lock;
mod memory;
mod named_file;
mod new_states;
mod pattern_cursor;
mod prefetch;
mod quotient;
mod sealed;
mod search;
mod set_ranks;
mod space;
mod store;
mod stored;
mod sweep;
mod table;
mod table_file;
mod token_positions;
mod verify;
mod vertex_order;
mod watch;

pub use abstraction::{Abstraction, AbstractionError, MAX_GOAL_STATES, Rest, UnknownRest};
pub use allocation::{is_refusable, is_short, process_memory, refusable, set_short, spawn};
pub use arrangements::{Arrangements, binomial, subset_rank, subset_unrank};
pub use cell_ranks::CellRanks;
pub use distances::{Distances, Encoding, UnknownEncoding};
pub use durable::{
    DirectoryLock, LockError, Replacement, lock_directory, remove_saved_states, replace_file,
    replace_unlocked_file, replace_unlocked_with,
};
pub use files::{StoredContent, StoredFile, TABLE_ENDING, stored_files};
pub use kernel::InstructionSet;
pub use layer_checkpoint::{LayerCheckpointError, LayerCheckpointOptions};
pub use layer_count::{Distance, LayerCount, LayerCountError, LayerCountOptions, count_layers};
pub use lock::{KeyLock, KeyLocks, lock};
pub use named_file::read_named_file;
pub use pattern_cursor::{CursorState, Lookup, PatternCursor, distance_change};
pub use prefetch::prefetch;
pub use quotient::{
    BlockLayers, FilesCount, FilesError, FilesEstimate, FilesOptions, FilesProgress, LayerCost,
    PeerGone, Peers, QuotientError, QuotientSearch, QuotientSpace, Resume, SentBlock, block_layers,
    count_layers_in_files, end_searches, inverse_state, join_searches,
};
pub use sealed::{UnsealError, seal, unseal};
pub use search::{
    BreadthFirst, Layers, NEVER, SavedSearch, SearchOptions, Signals, StartOutside,
    available_threads, limit_threads,
};
pub use space::{Space, SpaceError, SpaceOptions};
pub use store::{StoreEvent, TableStore, file_name};
pub use stored::{STORED_STATE_BYTES, count_stored_layers};
pub use table::{BuildOptions, DistanceTable, TableError};
pub use table_file::{FORMAT_VERSION, TableDescription};
pub use verify::{Verification, VerifyError, VerifyOptions, VerifyProgress, VerifyStep};
pub use vertex_order::VertexOrder;
pub use watch::{StopReason, Watch};
