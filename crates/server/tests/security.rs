//! What a server must withstand: foreign names and pages, floods, and input of any kind.

use std::collections::HashSet;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::support::{Running, agent, options, read};
use hyperslide_server::Options;
use serde_json::{Value, json};

/// A puzzle whose shortest solution no search finds in the time of a test.
const ENDLESS: &str = "grid:6:6 35,34,33,32,31,30,29,28,27,26,25,24,23,22,21,20,19,18,17,16,15,14,13,12,11,10,9,\
                       8,7,6,5,4,3,1,2,0";

/// Sends bytes as they are, and returns what comes back within a few seconds.
fn raw(server: &Running, request: &[u8]) -> String {
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    // The server may close before all is written.
    let _ = stream.write_all(request);
    let mut answer = Vec::new();
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = stream.read(&mut buffer) {
        answer.extend_from_slice(&buffer[..count]);
    }
    String::from_utf8_lossy(&answer).into_owned()
}

fn get_as(server: &Running, host: &str) -> u16 {
    let request = format!("GET /health HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    let answer = raw(server, request.as_bytes());
    answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0)
}

/// A page elsewhere whose name leads to this machine (DNS rebinding) is refused.
#[test]
fn foreign_names_are_refused() {
    let mut options = options();
    options.hosts = vec!["puzzles.example.org".to_owned()];
    let server = Running::with(options);
    let port = server.address.port();
    for host in [
        format!("127.0.0.1:{port}"),
        format!("localhost:{port}"),
        "LOCALHOST".to_owned(),
        format!("[::1]:{port}"),
        "puzzles.example.org".to_owned(),
        "puzzles.example.org:443".to_owned(),
    ] {
        assert_eq!(get_as(&server, &host), 200, "{host}");
    }
    for host in ["evil.example.org", "127.0.0.1.evil.example.org", "localhost.evil"] {
        assert_eq!(get_as(&server, host), 421, "{host}");
    }
    assert_eq!(get_as(&server, ""), 400);
}

#[test]
fn pages_of_other_sites_change_nothing() {
    let server = Running::start();
    let body = json!({ "puzzle": "cubical/d3-level0:2" });
    let post = |name: &str, value: &str| {
        read(agent().post(server.url("/api/puzzles")).header(name, value).send_json(&body)).0
    };
    assert_eq!(post("Origin", "https://evil.example.org"), 403);
    assert_eq!(post("Origin", "null"), 403);
    assert_eq!(post("Sec-Fetch-Site", "cross-site"), 403);
    assert_eq!(post("Origin", &format!("http://{}", server.address)), 200);
    // What a form can send without being asked first is no body.
    let text = agent().post(server.url("/api/puzzles")).content_type("text/plain");
    assert_eq!(read(text.send(body.to_string())).0, 415);
}

/// A proxy may ask under another name than the page has: the names that were given count, and no
/// others.
#[test]
fn pages_behind_a_proxy_are_the_servers_own() {
    let mut options = options();
    options.hosts = vec!["Puzzles.example.org".to_owned()];
    let server = Running::with(options);
    let body = json!({ "puzzle": "cubical/d3-level0:2" }).to_string();
    let local = format!("127.0.0.1:{}", server.address.port());
    let post = |host: &str, origin: &str, site: &str| {
        let request = format!(
            "POST /api/puzzles HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin}\r\nSec-Fetch-Site: {site}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
        let answer = raw(&server, request.as_bytes());
        (answer.split(' ').nth(1).unwrap_or_default().to_owned(), answer)
    };
    let own = "https://puzzles.example.org";
    for (host, origin) in [
        (local.as_str(), own),
        (&local, "http://PUZZLES.example.org:8443"),
        ("puzzles.example.org", "https://puzzles.example.org:8443"),
        (&local, &format!("http://{local}")),
    ] {
        assert_eq!(post(host, origin, "same-origin").0, "200", "{host} {origin}");
    }
    for (host, origin, site) in [
        (local.as_str(), "https://evil.example.org", "same-origin"),
        (&local, "https://puzzles.example.org.evil.org", "same-origin"),
        (&local, "https://evil.org:puzzles.example.org", "same-origin"),
        (&local, "https://puzzles.example.org@evil.org", "same-origin"),
        (&local, "app://puzzles.example.org", "same-origin"),
        (&local, "null", "same-origin"),
        (&local, own, "cross-site"),
        // Another program of this machine.
        (&local, "http://127.0.0.1:1", "same-origin"),
        (&local, "http://localhost:1", "same-site"),
    ] {
        let (status, answer) = post(host, origin, site);
        assert_eq!(status, "403", "{host} {origin} {site}: {answer}");
    }
    let (_, answer) = post(&local, "https://other.example.org", "same-origin");
    assert!(answer.contains("--host other.example.org, or let the proxy pass Host on"), "{answer}");
}

#[test]
fn every_answer_says_what_a_browser_may_do_with_it() {
    let server = Running::start();
    for path in ["/", "/health", "/report", "/nothing", "/api/boards/cube:9:9"] {
        let response = agent().get(server.url(path)).call().unwrap();
        let header = |name: &str| {
            response
                .headers()
                .get(name)
                .map(|value| value.to_str().unwrap().to_owned())
                .unwrap_or_default()
        };
        let policy = header("content-security-policy");
        assert!(policy.contains("default-src 'none'"), "{path}: {policy}");
        let scripts = policy.split(';').find(|part| part.contains("script-src")).unwrap();
        assert!(!scripts.contains("unsafe"), "{path}: {scripts}");
        assert!(policy.contains("frame-ancestors"), "{path}: {policy}");
        assert_eq!(header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(header("referrer-policy"), "no-referrer", "{path}");
    }
    let report = agent().get(server.url("/report")).call().unwrap();
    let policy = report.headers()["content-security-policy"].to_str().unwrap();
    assert!(policy.contains("script-src 'sha256-"), "{policy}");
}

#[test]
fn who_asks_too_often_is_told_to_wait() {
    let mut options = options();
    options.rate = 5;
    let server = Running::with(options);
    let statuses: Vec<u16> = (0..60).map(|_| server.get("/health").0).collect();
    assert_eq!(statuses[..20], [200; 20]);
    assert!(statuses.contains(&429));
    std::thread::sleep(Duration::from_millis(1200));
    assert_eq!(server.get("/health").0, 200);
}

#[test]
fn counters_stay_on_this_machine() {
    let mut options = options();
    options.trusts_proxy = true;
    let server = Running::with(options);
    let ask = |from: Option<&str>| {
        let request = agent().get(server.url("/metrics"));
        let request = match from {
            Some(from) => request.header("X-Forwarded-For", from),
            None => request,
        };
        request.call().unwrap().status().as_u16()
    };
    assert_eq!(ask(None), 200);
    assert_eq!(ask(Some("203.0.113.9")), 403);
    // A client cannot say that it is this machine.
    assert_eq!(ask(Some("127.0.0.1")), 403);
    // A proxy on this machine asks for others, whatever it says of them.
    let mut options = crate::support::options();
    options.hosts = vec!["puzzles.example.org".to_owned()];
    let server = Running::with(options);
    let ask = |head: &str| {
        let request = format!("GET /metrics HTTP/1.1\r\n{head}\r\nConnection: close\r\n\r\n");
        raw(&server, request.as_bytes()).split(' ').nth(1).unwrap_or_default().to_owned()
    };
    for (head, status) in [
        ("Host: localhost", "200"),
        ("Host: [::1]:9", "200"),
        ("Host: puzzles.example.org", "403"),
        ("Host: localhost\r\nX-Forwarded-For: 127.0.0.1", "403"),
        ("Host: localhost\r\nForwarded: for=127.0.0.1", "403"),
        ("Host: localhost\r\nX-Real-IP: 127.0.0.1", "403"),
    ] {
        assert_eq!(ask(head), status, "{head}");
    }
}

/// None of these gets an answer of 5xx, and the server is well afterwards.
#[test]
fn malformed_requests_are_refused_in_one_line() {
    let server = Running::start();
    let long = "9".repeat(10_000);
    let deep = "[".repeat(100_000);
    let faces: Vec<String> =
        (0..60).flat_map(|a| (0..a).map(move |b| format!("{a}-{b}"))).collect();
    let many = format!("graph:60:{} a=0 -> a=1", faces.join(","));
    let mut bodies: Vec<String> = [
        json!({ "puzzle": long }),
        json!({ "puzzle": format!("cube:4:2 a={long} -> a=0") }),
        json!({ "puzzle": "cube:4:2 a=0 -> a=-1" }),
        json!({ "puzzle": "cube:99999999999999999999:2 a=0 -> a=1" }),
        json!({ "puzzle": "grid:0:0 -> " }),
        json!({ "puzzle": "grid:8:9 1 -> 1" }),
        json!({ "puzzle": "graph:65:0-1 a=0 -> a=1" }),
        json!({ "puzzle": "a\u{0}b -> \u{202e}" }),
        json!({ "puzzle": null }),
        json!([1, 2, 3]),
        json!("text"),
        json!({ "puzzle": { "puzzle": "x" } }),
    ]
    .iter()
    .map(Value::to_string)
    .collect();
    bodies.extend([String::new(), "{".to_owned(), deep, "{\"puzzle\":\"\\ud800\"}".to_owned()]);
    let paths = [
        "/api/puzzles",
        "/api/replay",
        "/api/hint",
        "/api/solvability",
        "/api/distribution",
        "/api/jobs",
        "/api/lessons",
    ];
    for path in paths {
        for body in &bodies {
            let post = agent().post(server.url(path)).content_type("application/json");
            let (status, answer) = read(post.send(body));
            let shown: String = body.chars().take(80).collect();
            assert!((400..500).contains(&status), "{path} {shown}: {status} {answer}");
            let message =
                answer["error"].as_str().unwrap_or_else(|| panic!("{path} {shown}: {answer}"));
            assert!(!message.contains('\n') && message.chars().count() <= 1001, "{message}");
        }
    }
    assert_eq!(server.post("/api/puzzles", &json!({ "puzzle": many })).0, 200);
    let large = json!({ "puzzle": "x".repeat(1 << 20) }).to_string();
    let head = format!(
        "POST /api/puzzles HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: \
         {}\r\nConnection: close\r\n\r\n",
        large.len()
    );
    let answer = raw(&server, (head + &large).as_bytes());
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
    for (request, status) in [
        ("GET /../../etc/passwd HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", "404"),
        (
            "GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
            "404",
        ),
        ("PUT /api/jobs HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", "405"),
        (
            "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            "405",
        ),
        ("GET /api/boards/%ff HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", "400"),
        ("GET /api/jobs/%00 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", "404"),
        ("nonsense\r\n\r\n", "400"),
    ] {
        let answer = raw(&server, request.as_bytes());
        assert_eq!(answer.split(' ').nth(1), Some(status), "{request}: {answer}");
    }
    assert_eq!(server.get("/health").0, 200);
}

/// Boards of a user's own have limits.
#[test]
fn boards_with_too_many_faces_are_refused() {
    let server = Running::start();
    let faces: Vec<String> = (0..60_usize)
        .flat_map(|a| (0..a).flat_map(move |b| (0..b).map(move |c| format!("{c}-{b}-{a}"))))
        .take(5000)
        .collect();
    let puzzle = format!("faces:60:{} a=0 -> a=1", faces.join(","));
    let (status, answer) = server.post("/api/puzzles", &json!({ "puzzle": puzzle }));
    assert_eq!(status, 400, "{answer}");
    assert!(answer["error"].as_str().unwrap().contains("5000 faces"), "{answer}");
}

/// Nobody but this machine is let in by default, and other sites show the board where it was
/// allowed.
#[test]
fn who_may_come_in_is_said_by_options() {
    let default = Options::default();
    assert!(default.listen.ip().is_loopback(), "{}", default.listen);
    let policy = |server: &Running| {
        let response = agent().get(server.url("/")).call().unwrap();
        let header = |name: &str| {
            response.headers().get(name).map(|value| value.to_str().unwrap().to_owned())
        };
        (header("content-security-policy").unwrap(), header("x-frame-options"))
    };
    let (alone, frames) = policy(&Running::start());
    assert!(alone.contains("frame-ancestors 'none'"), "{alone}");
    assert_eq!(frames.as_deref(), Some("DENY"));
    let mut options = options();
    options.frame_ancestors = "https://school.example.org".to_owned();
    let (framed, frames) = policy(&Running::with(options));
    assert!(framed.contains("frame-ancestors https://school.example.org"), "{framed}");
    assert_eq!(frames, None);
}

/// Names of searches and their keys are random, so that nobody finds those of others.
#[test]
fn names_of_searches_cannot_be_guessed() {
    let server = Running::start();
    let body = json!({ "puzzle": "cubical/d3-level0:2", "algorithm": "astar" });
    let mut seen = HashSet::new();
    for _ in 0..20 {
        let (status, job) = server.post("/api/jobs", &body);
        assert_eq!(status, 201, "{job}");
        for name in ["id", "key"] {
            let text = job[name].as_str().unwrap().to_owned();
            // 128 bits take 22 characters of base64 and 32 of hexadecimal.
            assert!(text.len() >= 22, "{text}");
            assert!(seen.insert(text), "{job}");
        }
    }
    // No two have a part in common by which one would lead to another.
    for part in 0..3 {
        let parts: HashSet<&str> = seen.iter().map(|name| &name[part * 7..part * 7 + 7]).collect();
        assert_eq!(parts.len(), seen.len(), "part {part}");
    }
}

/// Streams of events are limited, and whoever has too many harms nobody else.
#[test]
fn streams_are_limited() {
    let server = Running::start();
    let body = json!({ "puzzle": ENDLESS, "algorithm": "idastar", "limits": { "seconds": 100 } });
    let (_, job) = server.post("/api/jobs", &body);
    let path = job["events"].as_str().unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let mut open = Vec::new();
    let refused = (0..1000).find_map(|_| {
        let mut stream = TcpStream::connect(server.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut start = [0; 12];
        stream.read_exact(&mut start).unwrap();
        open.push(stream);
        (&start[9..] != b"200").then(|| String::from_utf8_lossy(&start[9..]).into_owned())
    });
    assert_eq!(refused.as_deref(), Some("429"), "{} streams are open", open.len());
    assert_eq!(server.get("/health").0, 200);
    drop(open);
    // Their places are free again.
    let deadline = Instant::now() + Duration::from_secs(20);
    while agent().get(server.url(path)).call().unwrap().status() == 429 {
        assert!(Instant::now() < deadline, "no place becomes free");
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// Clients that connect and say nothing do not keep others from being answered.
#[test]
fn silent_clients_harm_nobody() {
    let server = Running::start();
    let silent: Vec<TcpStream> = (0..200)
        .map(|_| {
            let mut stream = TcpStream::connect(server.address).unwrap();
            stream.write_all(b"POST /api/hint HTTP/1.1\r\nHost: localhost\r\nContent-Le").unwrap();
            stream
        })
        .collect();
    let started = Instant::now();
    for _ in 0..20 {
        assert_eq!(server.get("/health").0, 200);
    }
    assert!(started.elapsed() < Duration::from_secs(5));
    drop(silent);
}

/// Connections beyond the limit are closed, and counted.
#[test]
fn connections_that_are_closed_are_counted() {
    let server = Running::start();
    let counted = || {
        let shown = agent().get(server.url("/metrics")).call().unwrap();
        let shown = shown.into_body().read_to_string().unwrap();
        let line =
            shown.lines().find(|line| line.starts_with("hyperslide_connections_dropped_total "));
        line.unwrap_or_else(|| panic!("{shown}"))
            .rsplit(' ')
            .next()
            .unwrap()
            .parse::<u32>()
            .unwrap()
    };
    assert_eq!(counted(), 0);
    let open: Vec<TcpStream> =
        (0..300).map(|_| TcpStream::connect(server.address).unwrap()).collect();
    std::thread::sleep(Duration::from_secs(1));
    let closed = open.iter().filter(|stream| {
        stream.set_nonblocking(true).unwrap();
        let mut stream = *stream;
        !matches!(stream.read(&mut [0]), Err(error) if error.kind() == std::io::ErrorKind::WouldBlock)
    });
    let closed = closed.count() as u32;
    assert!(closed >= 40, "{closed}");
    drop(open);
    let deadline = Instant::now() + Duration::from_secs(20);
    while agent().get(server.url("/health")).call().is_err() {
        assert!(Instant::now() < deadline, "no place becomes free");
    }
    assert!(counted() >= closed);
}
