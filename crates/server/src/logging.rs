//! The log: structured, on standard error, without addresses.

use tracing_subscriber::EnvFilter;

/// Starts the log of the process, as lines for people or as JSON. The filter is a level, or levels
/// by target, as in `info,requests=off`.
///
/// # Errors
///
/// When the filter cannot be read.
pub fn start_logging(is_json: bool, filter: &str) -> Result<(), String> {
    let shown: String = filter.chars().take(80).collect();
    let filter = EnvFilter::try_new(filter).map_err(|error| {
        format!("the log filter '{shown}' cannot be read: write off, error, warn, info or debug ({error})")
    })?;
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    // A process that has a log already keeps it.
    let _ = if is_json { log.json().try_init() } else { log.try_init() };
    Ok(())
}
