//! The connections between the processes of a search.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use thiserror::Error;

use crate::hosts::Hosts;

/// What a connection begins with, followed by the number of the process that calls and that of all.
const GREETING: [u8; 8] = *b"hyslide1";
/// How long a process waits for the others to be started.
const PATIENCE: Duration = Duration::from_secs(600);
/// How long a caller may take to say who it is.
const GREETING_TIME: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(50);

/// Why the processes of a search are not connected.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "each message says what its fields are")]
pub enum ConnectError {
    #[error(
        "cannot wait for other processes at {address}: {source}: write an address of this machine"
    )]
    Listen { address: String, source: io::Error },
    #[error(
        "process {process} has not been started at {address} within {} minutes: start all processes \
         with the same hosts",
        PATIENCE.as_secs() / 60
    )]
    Absent { process: usize, address: String },
    #[error("cancelled while waiting for the other processes")]
    Cancelled,
    #[error("a connection to process {process} cannot be used: {source}")]
    Broken { process: usize, source: io::Error },
    #[error("timely dataflow cannot be started: {0}")]
    Dataflow(String),
}

/// Connects this process to all others: it calls those with smaller numbers, and the others call
/// it. The connection to each, by number; `None` for this process.
pub(crate) fn connect(
    hosts: &Hosts,
    process: usize,
    cancel: &AtomicBool,
) -> Result<Vec<Option<TcpStream>>, ConnectError> {
    let addresses = hosts.addresses();
    let own = &addresses[process];
    let listen = |source| ConnectError::Listen { address: own.clone(), source };
    let listener = TcpListener::bind(own).map_err(listen)?;
    listener.set_nonblocking(true).map_err(listen)?;
    let mut streams: Vec<Option<TcpStream>> = addresses.iter().map(|_| None).collect();
    let began = Instant::now();
    loop {
        let is_missing = |other: &usize| *other != process && streams[*other].is_none();
        let Some(missing) = (0..addresses.len()).find(is_missing) else { break };
        if cancel.load(Ordering::Relaxed) {
            return Err(ConnectError::Cancelled);
        }
        if began.elapsed() > PATIENCE {
            let address = addresses[missing].clone();
            return Err(ConnectError::Absent { process: missing, address });
        }
        for other in 0..process {
            if streams[other].is_none() {
                streams[other] = call(&addresses[other], process, addresses.len()).ok();
            }
        }
        // One at a time, since a caller that says nothing is waited for.
        match listener.accept() {
            // Callers that are not processes of the search are ignored.
            Ok((stream, _)) => {
                if let Ok((caller, stream)) = greeted(stream, addresses.len())
                    && caller > process
                {
                    streams[caller] = Some(stream);
                }
            }
            Err(_) => std::thread::sleep(PAUSE),
        }
    }
    Ok(streams)
}

fn call(address: &str, process: usize, processes: usize) -> io::Result<TcpStream> {
    let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
    for address in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, GREETING_TIME) {
            Ok(mut stream) => {
                stream.set_nodelay(true)?;
                stream.write_all(&GREETING)?;
                stream.write_all(&(process as u32).to_le_bytes())?;
                stream.write_all(&(processes as u32).to_le_bytes())?;
                return Ok(stream);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// The number of the process that calls.
fn greeted(mut stream: TcpStream, processes: usize) -> io::Result<(usize, TcpStream)> {
    stream.set_nonblocking(false)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(GREETING_TIME))?;
    let mut greeting = [0; 16];
    stream.read_exact(&mut greeting)?;
    stream.set_read_timeout(None)?;
    let number = |from: usize| {
        let bytes = greeting[from..from + 4].try_into().unwrap_or_default();
        u32::from_le_bytes(bytes) as usize
    };
    let (caller, count) = (number(8), number(12));
    if greeting[..8] != GREETING || count != processes || caller >= processes {
        return Err(io::ErrorKind::InvalidData.into());
    }
    Ok((caller, stream))
}
