//! How a server is set up.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use hyperslide_table::available_threads;

/// How a server is set up.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where it listens.
    pub listen: SocketAddr,
    /// Names under which it may be asked for, in addition to the address it listens on and
    /// `localhost`: with any other name in a request's Host header, the request is refused.
    pub hosts: Vec<String>,
    /// Whether a proxy stands in front of it that says in X-Forwarded-For whom it asks for.
    pub trusts_proxy: bool,
    /// Which pages may show the board in a frame, as in the `frame-ancestors` of a content security
    /// policy.
    pub frame_ancestors: String,
    /// Requests per second of one client.
    pub rate: u32,
    /// The storage quota of one client, in kilobytes per second in the long run; a burst may be
    /// 2,000 times as large.
    pub keep_rate: u32,
    /// Searches that run at the same time, each on a thread of its own.
    pub workers: usize,
    /// The longest that a search may take.
    pub job_time: Duration,
    /// The most bytes that a search may hold.
    pub job_memory: u64,
    /// Where tables are kept, if anywhere.
    pub tables: Option<PathBuf>,
    /// The limit on their total size in bytes; beyond it, new ones stay in memory.
    pub tables_size: u64,
    /// The database of plays, as [`hyperslide_plays::connect`] reads it; `None` keeps no plays.
    pub database: Option<String>,
    /// Whether tables that are worth a file may be built.
    pub builds_tables: bool,
}

impl Default for Options {
    fn default() -> Options {
        let cores = available_threads();
        Options {
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            hosts: Vec::new(),
            trusts_proxy: false,
            frame_ancestors: "'none'".to_owned(),
            rate: 200,
            keep_rate: 10,
            workers: cores.saturating_sub(1).max(1),
            job_time: Duration::from_secs(120),
            job_memory: 1 << 30,
            tables: None,
            tables_size: 4 << 30,
            database: None,
            builds_tables: true,
        }
    }
}
