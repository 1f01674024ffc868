//! Load on loopback: requests at a fixed rate, whose time counts from when each was due, so that a
//! server that falls behind cannot hide it. First a mix of levels, moves and hints alone, then the
//! same at a tenth of the rate while fifty searches wait and run, and at last hints for uniformly
//! random 15-puzzles, each of which is asked for once, before the tables of pattern databases are
//! there and after.
//!
//! `cargo bench -p hyperslide-server --bench load [-- RATE SECONDS]` prints the quantiles, the
//! errors and the server's resident memory.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use hyperslide_lab::{Law, RandomPuzzles};
use hyperslide_puzzle::{Board, BoardSpec, Metric};
use hyperslide_server::{Options, serve_until};
use serde_json::json;

/// Connections, each of which sends one request at a time.
const CONNECTIONS: usize = 32;

/// A connection that is kept open.
struct Connection {
    stream: TcpStream,
    address: SocketAddr,
    buffer: Vec<u8>,
    length: usize,
}

impl Connection {
    fn open(address: SocketAddr) -> Connection {
        let stream = TcpStream::connect(address).expect("the server listens");
        stream.set_nodelay(true).expect("sockets have this option");
        Connection { stream, address, buffer: vec![0; 1 << 18], length: 0 }
    }

    /// Sends a request and reads its answer, whose status is returned.
    fn ask(&mut self, method: &str, path: &str, body: &str) -> u16 {
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            self.address,
            body.len()
        );
        self.stream.write_all((head + body).as_bytes()).expect("the server reads");
        let (mut length, mut end) = (0, None);
        loop {
            let count = self.stream.read(&mut self.buffer[length..]).expect("the server answers");
            assert!(count > 0, "the server closed the connection");
            length += count;
            if end.is_none() {
                let text = String::from_utf8_lossy(&self.buffer[..length]);
                if let Some(at) = text.find("\r\n\r\n") {
                    let of = |line: &str| {
                        let (name, value) = line.split_once(':')?;
                        let is_it = name.eq_ignore_ascii_case("content-length");
                        is_it.then(|| value.trim().parse::<usize>().ok())?
                    };
                    let body = text[..at].lines().find_map(of).expect("answers say their length");
                    end = Some(at + 4 + body);
                }
            }
            if end.is_some_and(|end| length >= end) {
                self.length = length;
                let status = std::str::from_utf8(&self.buffer[9..12]).ok();
                return status.and_then(|status| status.parse().ok()).unwrap_or(0);
            }
        }
    }

    /// Returns whether the last answer contains a text.
    fn answered(&self, text: &str) -> bool {
        String::from_utf8_lossy(&self.buffer[..self.length]).contains(text)
    }
}

/// One of the requests of the mix.
fn request(number: usize) -> (&'static str, &'static str, String) {
    const PUZZLES: [&str; 6] = [
        "cubical/d3-level0:2",
        "cubical/d3-level2:1",
        "cubical/d4-level4:3",
        "cubical/d4-level0:2",
        "grid:3:3 8,6,7,2,5,4,3,0,1",
        "cube:3:2 r=4,p=1,b=5,g=6 -> g=4,p=1,r=5,b=6",
    ];
    let puzzle = PUZZLES[number / 10 % PUZZLES.len()];
    match number % 10 {
        0..=1 => ("GET", "/api/levels", String::new()),
        2..=4 => ("GET", "/api/boards/cube:4:2", String::new()),
        5..=7 => {
            let body = json!({ "puzzle": "grid:3:3 8,6,7,2,5,4,3,0,1", "moves": "DRUL" });
            ("POST", "/api/replay", body.to_string())
        }
        _ => ("POST", "/api/hint", json!({ "puzzle": puzzle }).to_string()),
    }
}

/// Hints for random 15-puzzles one after the other, as one person asks: how long each took, and how
/// many were proven.
fn measure_fifteen(address: SocketAddr, count: usize, what: &str, seed: u64) {
    let random = RandomPuzzles {
        board: Board::new(BoardSpec::Grid { rows: 4, columns: 4 }, Metric::Face)
            .expect("it is a board"),
        tokens: 15,
        labels: None,
        goal: None,
        law: Law::Uniform,
        seed,
        time: None,
    };
    let mut connection = Connection::open(address);
    let (mut times, mut proven) = (Vec::new(), 0);
    for puzzle in random.draw(count).expect("there are starts") {
        let body = json!({ "puzzle": puzzle.to_string() }).to_string();
        let began = Instant::now();
        assert_eq!(connection.ask("POST", "/api/hint", &body), 200);
        times.push(began.elapsed().as_secs_f64() * 1e3);
        proven += usize::from(connection.answered("\"proven\":true"));
    }
    times.sort_unstable_by(f64::total_cmp);
    let quantile = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!(
        "{what}: {count} hints, {proven} of them proven; median {:.0} ms, 90 % {:.0} ms, longest {:.0} ms",
        quantile(0.5),
        quantile(0.9),
        quantile(1.0)
    );
}

/// Sends the mix at a rate, and prints how long answers took from when each request was due.
fn measure(address: SocketAddr, rate: f64, time: Duration, what: &str) {
    let count = (rate * time.as_secs_f64()) as usize;
    let start = Instant::now() + Duration::from_millis(50);
    let (sender, receiver) = channel();
    std::thread::scope(|scope| {
        for first in 0..CONNECTIONS {
            let sender = sender.clone();
            scope.spawn(move || {
                let mut connection = Connection::open(address);
                for number in (first..count).step_by(CONNECTIONS) {
                    let due = start + Duration::from_secs_f64(number as f64 / rate);
                    std::thread::sleep(due.saturating_duration_since(Instant::now()));
                    let (method, path, body) = request(number);
                    let status = connection.ask(method, path, &body);
                    sender.send((due.elapsed(), status)).expect("the receiver waits");
                }
            });
        }
        drop(sender);
    });
    let (mut times, mut refused) = (Vec::with_capacity(count), 0);
    for (took, status) in receiver {
        times.push(took);
        refused += usize::from(status != 200);
    }
    times.sort_unstable();
    let took = start.elapsed().as_secs_f64();
    let quantile =
        |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
    println!(
        "{what}: {} requests in {took:.1} s ({:.0} a second), {refused} refused; \
         median {:.2} ms, 99 % {:.2} ms, 99.9 % {:.2} ms, longest {:.2} ms",
        times.len(),
        times.len() as f64 / took,
        quantile(0.5),
        quantile(0.99),
        quantile(0.999),
        quantile(1.0),
    );
}

/// Resident memory of this process in megabytes: the server's and the client's.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let anonymous = status.lines().find(|line| line.starts_with("RssAnon"))?;
    let kilobytes: u64 = anonymous.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes / 1000)
}

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|word| word.parse::<f64>().ok());
    let rate = numbers.next().unwrap_or(2000.0);
    let time = Duration::from_secs_f64(numbers.next().unwrap_or(10.0));
    let options = Options {
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        rate: 1_000_000,
        ..Options::default()
    };
    let (sender, receiver) = channel();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let server = std::thread::spawn(move || {
        let ended = async {
            let _ = stopped.await;
        };
        serve_until(options, |address| sender.send(address).expect("the test waits"), ended)
    });
    let address = receiver.recv().expect("the server starts");
    // The tables of the puzzles are made when they are first asked for.
    measure(address, 100.0, Duration::from_secs(1), "warming up");
    measure(address, rate, time, "alone");
    measure_fifteen(address, 20, "random 15-puzzles, from a cold start", 1);
    // What was not proven at once is proven behind the answers, and builds the tables for it.
    std::thread::sleep(Duration::from_secs(20));
    measure_fifteen(address, 200, "random 15-puzzles, once tables are there", 2);
    let mut connection = Connection::open(address);
    let search =
        json!({ "puzzle": "korf24/1", "algorithm": "idastar", "limits": { "seconds": 60 } });
    for _ in 0..50 {
        assert_eq!(connection.ask("POST", "/api/jobs", &search.to_string()), 201);
    }
    measure(address, rate / 10.0, time, "with 50 searches");
    let _ = stop.send(());
    server.join().expect("the server ends").expect("the server runs");
    if let Some(megabytes) = resident() {
        println!("anonymous memory when no search runs: {megabytes} MB, the client's included");
    }
}
