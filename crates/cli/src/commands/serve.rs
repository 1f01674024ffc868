//! `hyperslide serve`: the web application on this machine.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use clap::{Args, ValueEnum};
use hyperslide_lab::{data_directory, tables_directory};
use hyperslide_plays::shown_address;
use hyperslide_server::{Options, ServeError, serve, start_logging};

use crate::failure::{ExitStatus, Failure};
use crate::options::{parse_bytes, parse_seconds};
use crate::terminal::complain;

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people
    Text,
    /// A JSON object on each line
    Json,
}

#[derive(Args)]
pub struct ServeArguments {
    /// The port; 0 takes any that is free
    #[arg(long, value_name = "PORT", default_value_t = 8080)]
    port: u16,
    /// The address to listen on; 0.0.0.0 lets other machines in
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    listen: IpAddr,
    /// A name under which browsers ask for this server; may be given several times
    #[arg(long, value_name = "NAME", value_parser = parse_host)]
    host: Vec<String>,
    /// Trusts the last address in X-Forwarded-For as the client's; use it only behind a proxy that
    /// sets this header
    #[arg(long)]
    trust_proxy: bool,
    /// The sites that may show the board in a frame, such as 'self'; separate several with spaces
    #[arg(long, value_name = "SITES", default_value = "'none'", value_parser = parse_ancestors)]
    frame_ancestors: String,
    /// The number of requests that one client may make in a second
    #[arg(long, value_name = "N", default_value_t = 200,
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    rate: u32,
    /// The kilobytes of plays that one client may store per second in the long run; a burst may be
    /// 2,000 times as large
    #[arg(long, value_name = "KILOBYTES", default_value_t = 10,
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    keep_rate: u32,
    /// Searches that run at the same time [default: one fewer than there are processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// The longest that a search may take
    #[arg(long, value_name = "SECONDS", default_value = "120", value_parser = parse_seconds)]
    limit_time: Duration,
    /// The most memory that a search may use, as in 512M or 2GiB
    #[arg(long, value_name = "BYTES", default_value = "1GiB", value_parser = parse_bytes)]
    limit_memory: u64,
    /// The most that all stored pattern databases may take; beyond it, new ones stay in memory
    #[arg(long, value_name = "BYTES", default_value = "4GiB", value_parser = parse_bytes)]
    limit_tables: u64,
    /// The database of plays: sqlite:FILE, which is created if it is missing,
    /// postgres://USER@HOST/NAME, or none [default: plays.sqlite in the user's data directory]
    #[arg(long, value_name = "URL")]
    database: Option<String>,
    /// Builds no pattern database of 1 MB or more
    #[arg(long)]
    no_build: bool,
    /// How to write the log, which goes to standard error
    #[arg(long, value_enum, default_value = "text")]
    log_format: LogFormat,
    /// What to log: off, error, warn, info or debug, or a filter such as info,requests=off
    #[arg(long, value_name = "FILTER", default_value = "warn")]
    log: String,
}

/// A name as browsers write it in a Host header, without the port: in small letters, and with no
/// dot at its end.
fn parse_host(text: &str) -> Result<String, String> {
    let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    if let Ok(address) = bare.parse::<Ipv6Addr>() {
        return Ok(address.to_string());
    }
    let name = text.strip_suffix('.').unwrap_or(text).to_ascii_lowercase();
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    let is_label = |label: &str| !label.is_empty() && label.chars().all(is_part);
    match name.len() <= 253 && name.split('.').all(is_label) {
        true => Ok(name),
        false => Err("write a name without a port, as in puzzles.example.org".to_owned()),
    }
}

/// Sources as they stand in a content security policy.
fn parse_ancestors(text: &str) -> Result<String, String> {
    let is_part = |c: char| c.is_ascii_graphic() && !";,\"".contains(c) || c == ' ';
    match !text.trim().is_empty() && text.chars().all(is_part) {
        true => Ok(text.trim().to_owned()),
        false => Err("write sites, as in https://example.org, or 'self', 'none' or *".to_owned()),
    }
}

/// The database that was named, or else a file in the user's data directory.
pub fn database(named: Option<&str>) -> Result<Option<String>, Failure> {
    if let Some(named) = named {
        return Ok((named != "none").then(|| named.to_owned()));
    }
    // Where plays are kept is not left to whether a variable is set: services often have no home.
    let folder = data_directory().ok_or_else(|| {
        let message =
            "there is no home directory to keep plays in: name --database sqlite:FILE, or none";
        Failure::Input(message.to_owned())
    })?;
    std::fs::create_dir_all(&folder).map_err(|error| {
        Failure::Input(format!(
            "cannot make {} for the plays ({error}): name a --database, or none",
            folder.display()
        ))
    })?;
    Ok(Some(format!("sqlite:{}", folder.join("plays.sqlite").display())))
}

pub fn run(arguments: &ServeArguments) -> Result<ExitStatus, Failure> {
    let is_json = arguments.log_format == LogFormat::Json;
    start_logging(is_json, &arguments.log).map_err(Failure::Input)?;
    let mut options = Options {
        listen: SocketAddr::new(arguments.listen, arguments.port),
        hosts: arguments.host.clone(),
        trusts_proxy: arguments.trust_proxy,
        frame_ancestors: arguments.frame_ancestors.clone(),
        rate: arguments.rate,
        keep_rate: arguments.keep_rate,
        job_time: arguments.limit_time,
        job_memory: arguments.limit_memory,
        tables: tables_directory(),
        tables_size: arguments.limit_tables,
        database: database(arguments.database.as_deref())?,
        builds_tables: !arguments.no_build,
        ..Options::default()
    };
    if let Some(jobs) = arguments.jobs {
        options.workers = jobs.into();
    }
    let kept = match &options.database {
        Some(database) => format!("plays are kept in {}", shown_address(database)),
        None => "no plays are kept, since --database is none".to_owned(),
    };
    serve(options, |address| {
        complain(&format_args!("serving at http://{address}/ until you press Ctrl-C"));
        complain(&kept);
    })
    .map_err(|error| match error {
        ServeError::Listen(..) | ServeError::Database(_) => Failure::input(error),
        ServeError::Start(_) => Failure::Other(error.to_string()),
    })?;
    Ok(ExitStatus::Done)
}

#[cfg(test)]
mod tests {
    use super::parse_host;

    #[test]
    fn hosts_are_what_browsers_ask_for() {
        for (text, host) in [
            ("Puzzles.Example.org.", Some("puzzles.example.org")),
            ("localhost", Some("localhost")),
            ("192.0.2.7", Some("192.0.2.7")),
            ("2001:DB8:0:0::1", Some("2001:db8::1")),
            ("[::1]", Some("::1")),
            ("puzzles.example.org:8080", None),
            ("[::1]:8080", None),
            ("https://puzzles.example.org", None),
            ("*.example.org", None),
            (".", None),
            ("", None),
            ("a..b", None),
        ] {
            assert_eq!(parse_host(text).ok().as_deref(), host, "{text}");
        }
    }
}
