//! The log: structured, on standard error, without addresses.

use std::io::IsTerminal;

use hyperslide_puzzle::shorten;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

/// Starts the log of the process, as lines for people or as JSON. The filter is a level, or levels
/// by target, as in `info,requests=off`.
///
/// # Errors
///
/// When the filter cannot be read.
pub fn start_logging(is_json: bool, filter: &str) -> Result<(), String> {
    let shown = shorten(filter);
    let refused = |reason: &dyn std::fmt::Display| {
        format!(
            "the log filter '{shown}' cannot be read: write off, error, warn, info or debug ({reason})"
        )
    };
    // A word that is no level would be taken for a target, all of which would be logged.
    let is_word = |part: &&str| !part.contains(['=', '[']) && part.parse::<LevelFilter>().is_err();
    if let Some(word) = filter.split(',').map(str::trim).find(is_word) {
        return Err(refused(&format_args!("'{word}' is not a level")));
    }
    let filter = EnvFilter::try_new(filter).map_err(|error| refused(&error))?;
    let wants_colours = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal() && wants_colours);
    // A process that has a log already keeps it.
    let _ = if is_json { log.json().try_init() } else { log.try_init() };
    Ok(())
}
