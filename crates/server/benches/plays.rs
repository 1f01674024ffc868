//! Plays under load, on loopback: submissions at a fixed rate, whose time counts from when each was
//! due, and the comparison page of a level in a database of a million plays.
//!
//! `cargo bench -p hyperslide-server --bench plays [-- RATE SECONDS PLAYS]` prints the quantiles.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use hyperslide_plays::{Control, Group, KeptPlay, Kind, NewPerson, connect};
use hyperslide_server::{Options, serve_until};
use serde_json::{Value, json};

/// Connections, each of which sends one play at a time.
const CONNECTIONS: usize = 32;
const PUZZLE: &str = "cube:4:3 b=13,g=4,p=1,r=5,y=7 -> b=4,g=13,p=7,r=5,y=1";
/// A shortest solution.
const LENGTH: i64 = 11;

fn agent() -> ureq::Agent {
    ureq::Agent::config_builder().timeout_global(Some(Duration::from_secs(30))).build().into()
}

fn quantiles(mut times: Vec<Duration>, what: &str) {
    times.sort_unstable();
    let quantile =
        |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
    println!(
        "{what}: {} requests; median {:.2} ms, 99 % {:.2} ms, 99.9 % {:.2} ms, longest {:.2} ms",
        times.len(),
        quantile(0.5),
        quantile(0.99),
        quantile(0.999),
        quantile(1.0)
    );
}

/// Sends plays at a rate.
fn submit(address: SocketAddr, rate: f64, seconds: f64) {
    let person: Value = agent()
        .post(format!("http://{address}/api/people"))
        .send_json(json!({ "consent": 1 }))
        .and_then(|mut response| response.body_mut().read_json())
        .expect("the server keeps plays");
    let secret = person["secret"].as_str().unwrap_or_default().to_owned();
    let url = format!("http://{address}/api/plays");
    let hint: Value = agent()
        .post(format!("http://{address}/api/hint"))
        .send_json(json!({ "puzzle": PUZZLE }))
        .and_then(|mut response| response.body_mut().read_json())
        .expect("the server gives hints");
    let moves = hint["solution"].as_array().expect("it has a solution");
    let moves: String =
        moves.iter().map(|mv| format!("{}-{}@240 ", mv["from"], mv["to"])).collect();
    let body = json!({ "puzzle": PUZZLE, "moves": moves, "control": "keys" });
    let count = (rate * seconds) as usize;
    let start = Instant::now() + Duration::from_millis(100);
    let (sender, receiver) = channel();
    std::thread::scope(|scope| {
        for first in 0..CONNECTIONS {
            let (sender, url, secret, body) = (sender.clone(), &url, &secret, &body);
            scope.spawn(move || {
                let agent = agent();
                for number in (first..count).step_by(CONNECTIONS) {
                    let due = start + Duration::from_secs_f64(number as f64 / rate);
                    std::thread::sleep(due.saturating_duration_since(Instant::now()));
                    let sent = agent.post(url).header("X-Person-Secret", secret).send_json(body);
                    let kept = sent.is_ok_and(|mut answer| {
                        answer.body_mut().read_to_string().is_ok() && answer.status() == 201
                    });
                    sender.send((due.elapsed(), kept)).expect("the receiver waits");
                }
            });
        }
        drop(sender);
    });
    let answers: Vec<(Duration, bool)> = receiver.into_iter().collect();
    let took = start.elapsed().as_secs_f64();
    let kept = answers.iter().filter(|(_, kept)| *kept).count();
    println!(
        "{kept} of {count} plays kept durably in {took:.1} s, {:.0} a second",
        kept as f64 / took
    );
    quantiles(answers.into_iter().map(|(time, _)| time).collect(), "submissions");
}

/// Fills a database with plays of people who do not exist: a tenth of a million of the one level,
/// the rest of others.
async fn fill(address: &str, plays: usize) {
    let store = connect(address).await.expect("the database opens");
    let began = Instant::now();
    let people = plays / 10;
    let mut random = 1u64;
    let mut next = move |most: u64| {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % most
    };
    let moves: String = "13-12@240 12-13@300 ".repeat(8);
    let mut part = Vec::new();
    for number in 0..people {
        let person = NewPerson {
            name: format!("nobody-{number}"),
            code: format!("{number:016x}"),
            secret: None,
            consent: 0,
            day: 0,
            simulated: (number % 2 == 0).then(|| "load".to_owned()),
        };
        let person = store.add_person(&person).await.expect("people are kept");
        for place in 0..10 {
            let length = LENGTH + next(20) as i64;
            let puzzle = if place == 0 {
                PUZZLE.to_owned()
            } else {
                format!("level {place} {}", number % 100)
            };
            part.push(KeptPlay {
                id: format!("{number:016x}{place:x}"),
                person,
                number: place + 1,
                puzzle,
                group: Group {
                    board: "cube:4:3".to_owned(),
                    tokens: 5,
                    kind: if place == 9 { Kind::Timed } else { Kind::Explore },
                    control: Control::Keys,
                    blind: false,
                },
                moves: moves.clone(),
                length,
                multi: None,
                ms: 3000 + next(60_000) as i64,
                solved: true,
                helped: false,
                day: 20_000,
            });
        }
        if part.len() >= 5000 {
            store.add_plays(&part).await.expect("plays are kept");
            part.clear();
        }
    }
    store.add_plays(&part).await.expect("plays are kept");
    store.close().await.expect("it closes");
    println!("{plays} plays of {people} people written in {:.0} s", began.elapsed().as_secs_f64());
}

fn look_at(address: SocketAddr) {
    let puzzle = PUZZLE.replace(' ', "%20").replace('>', "%3E");
    for (what, path) in [
        ("comparison", format!("/api/comparison?puzzle={puzzle}")),
        ("best list", "/api/ranks/list?board=cube:4:3&tokens=5&kind=timed&control=keys".to_owned()),
        ("groups", "/api/ranks".to_owned()),
    ] {
        let url = format!("http://{address}{path}");
        let time = || {
            let began = Instant::now();
            let text =
                agent().get(&url).call().and_then(|mut answer| answer.body_mut().read_to_string());
            text.expect("the server answers");
            began.elapsed()
        };
        println!("{what}, the first time: {:.1} ms", time().as_secs_f64() * 1e3);
        quantiles((0..50).map(|_| time()).collect(), what);
    }
}

fn main() {
    let numbers: Vec<f64> =
        std::env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    let of = |place: usize, usual: f64| numbers.get(place).copied().unwrap_or(usual);
    let (rate, seconds, plays) = (of(0, 500.0), of(1, 20.0), of(2, 1e6) as usize);
    let folder =
        std::env::temp_dir().join(format!("hyperslide-bench-plays-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("there is a folder for temporary files");
    let database = format!("sqlite:{}", folder.join("plays.sqlite").display());
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = Arc::new(runtime.expect("there are threads"));
    runtime.block_on(fill(&database, plays));
    let listen = SocketAddr::from(([127, 0, 0, 1], 0));
    let options = Options {
        listen,
        rate: 1_000_000,
        keep_rate: 1_000_000,
        database: Some(database),
        ..Options::default()
    };
    let (sender, receiver) = channel();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let server = std::thread::spawn(move || {
        let ended = async {
            let _ = stopped.await;
        };
        serve_until(options, |address| sender.send(address).expect("somebody waits"), ended)
    });
    let address = receiver.recv().expect("the server starts");
    look_at(address);
    submit(address, rate, seconds);
    let _ = stop.send(());
    let _ = server.join();
    let _ = std::fs::remove_dir_all(&folder);
}
