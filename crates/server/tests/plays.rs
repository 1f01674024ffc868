//! Plays over HTTP: kept with consent, ranked by the server's clock, and forgotten when asked.

mod support;

use hyperslide_puzzle::Puzzle;
use hyperslide_testkit::PlainPuzzle;
use serde_json::{Value, json};
use support::{Running, agent, options, read};

const PUZZLE: &str = "grid:2:2 1,2,0,3 -> 1,2,3,0";

/// A server with a database of its own.
fn start(name: &str) -> Running {
    let folder = std::env::temp_dir().join(format!("hyperslide-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let mut options = options();
    options.database = Some(format!("sqlite:{}", folder.join("plays.sqlite").display()));
    Running::with(options)
}

fn agree(server: &Running) -> (String, String) {
    let (status, person) = server.post("/api/people", &json!({ "consent": 1 }));
    assert_eq!(status, 201, "{person}");
    let text = |name: &str| person[name].as_str().unwrap().to_owned();
    (text("name"), text("secret"))
}

fn post(server: &Running, path: &str, secret: &str, body: &Value) -> (u16, Value) {
    read(agent().post(server.url(path)).header("X-Person-Secret", secret).send_json(body))
}

fn me(server: &Running, secret: &str) -> (u16, Value) {
    read(agent().get(server.url("/api/people/me")).header("X-Person-Secret", secret).call())
}

#[test]
fn a_play_is_kept_with_consent_and_forgotten_when_asked() {
    let server = start("kept");
    let (_, consent) = server.get("/api/consent");
    assert_eq!((&consent["kept"], &consent["version"]), (&json!(true), &json!(1)));
    assert_eq!(server.post("/api/people", &json!({ "consent": 0 })).0, 400);
    let (name, secret) = agree(&server);
    let body = json!({ "puzzle": PUZZLE, "moves": "3-2@1500", "control": "touch" });
    let (status, kept) = post(&server, "/api/plays", &secret, &body);
    assert_eq!(status, 201, "{kept}");
    let facts = ["name", "kind", "length", "ms", "solved"].map(|fact| kept[fact].clone());
    assert_eq!(facts, [json!(name), json!("explore"), json!(1), json!(1500), json!(true)]);
    let path = format!("/api/plays?puzzle={}", PUZZLE.replace(' ', "%20").replace('>', "%3E"));
    let (_, people) = server.get(&path);
    assert_eq!((&people["people"], &people["lengths"]), (&json!(1), &json!([1])));
    let (status, own) = me(&server, &secret);
    assert_eq!((status, &own["plays"][0]["moves"]), (200, &json!("3-2@1500")));
    // Nobody else's secret does.
    for wrong in ["", "guess", &secret[1..]] {
        assert_eq!(me(&server, wrong).0, 403);
    }
    let forget = || {
        let request = agent().delete(server.url("/api/people/me"));
        read(request.header("X-Person-Secret", &secret).call())
    };
    assert_eq!(forget(), (200, json!({ "plays": 1 })));
    assert_eq!(forget().0, 403);
    assert_eq!(server.get(&path).1["people"], 0);
}

#[test]
fn what_the_rule_or_the_clock_does_not_allow_is_refused_with_the_reason() {
    let server = start("refused");
    let (_, secret) = agree(&server);
    for (body, status, word) in [
        (json!({ "puzzle": PUZZLE, "moves": "0-1@5", "control": "keys" }), 422, "illegal"),
        (json!({ "puzzle": PUZZLE, "moves": "0-1", "control": "keys" }), 400, "0-1"),
        (json!({ "puzzle": PUZZLE, "moves": "3-2@9", "control": "feet" }), 400, "feet"),
        (json!({ "puzzle": "x", "moves": "", "control": "keys" }), 400, "x"),
        (json!({ "moves": "", "control": "keys" }), 400, "start"),
        (json!({ "start": "guess", "moves": "", "control": "keys" }), 422, "not issued to you"),
    ] {
        let (answered, answer) = post(&server, "/api/plays", &secret, &body);
        assert_eq!(answered, status, "{body}: {answer}");
        assert!(answer["error"].as_str().unwrap().contains(word), "{body}: {answer}");
    }
    let request = json!({ "board": "grid:2:2", "kind": "explore" });
    assert_eq!(post(&server, "/api/starts", &secret, &request).0, 400);
    // Without a person nothing is kept.
    let body = json!({ "puzzle": PUZZLE, "moves": "3-2@9", "control": "keys" });
    assert_eq!(server.post("/api/plays", &body).0, 403);
}

/// The moves of a shortest solution, each after 100 ms.
fn solution(server: &Running, puzzle: &str) -> String {
    let hint = server.ask("/api/hint", puzzle);
    let moves = hint["solution"].as_array().unwrap();
    moves.iter().map(|mv| format!("{}-{}@100 ", mv["from"], mv["to"])).collect()
}

#[test]
fn a_ranked_start_is_used_once_by_whom_it_was_issued_to() {
    let server = start("ranked");
    let ((_, ada), (_, ben)) = (agree(&server), agree(&server));
    let issue = || {
        let request = json!({ "board": "grid:3:3", "kind": "timed" });
        let (status, start) = post(&server, "/api/starts", &ada, &request);
        assert_eq!(status, 201, "{start}");
        let puzzle = start["puzzle"].as_str().unwrap().to_owned();
        assert!(PlainPuzzle::new(&Puzzle::from_line(&puzzle).unwrap()).shortest().is_some());
        (start["start"].as_str().unwrap().to_owned(), puzzle)
    };
    let body =
        |start: &str, moves: &str| json!({ "start": start, "moves": moves, "control": "hover" });

    // A solution that claims more time than has passed is forged.
    let (start, puzzle) = issue();
    let moves = solution(&server, &puzzle);
    let (status, answer) = post(&server, "/api/plays", &ada, &body(&start, &moves));
    assert_eq!(status, 422, "{answer}");
    assert!(answer["error"].as_str().unwrap().contains("was issued"), "{answer}");

    // An honest one takes its time.
    let (start, puzzle) = issue();
    let moves = solution(&server, &puzzle);
    let ms = 100 * moves.split_whitespace().count() as u64;
    std::thread::sleep(std::time::Duration::from_millis(ms));
    // It belongs to one person: whoever else uses it spoils it.
    let (status, kept) = post(&server, "/api/plays", &ada, &body(&start, &moves));
    assert_eq!((status, &kept["kind"]), (201, &json!("timed")), "{kept}");
    let (status, answer) = post(&server, "/api/plays", &ada, &body(&start, &moves));
    assert_eq!(status, 422, "{answer}");
    let (start, _) = issue();
    assert_eq!(post(&server, "/api/plays", &ben, &body(&start, "")).0, 422);
}

#[test]
fn a_server_without_a_database_says_so() {
    let server = Running::start();
    assert_eq!(server.get("/api/consent").1["kept"], false);
    let (status, answer) = server.post("/api/people", &json!({ "consent": 1 }));
    assert_eq!(status, 503);
    assert!(answer["error"].as_str().unwrap().contains("--database"), "{answer}");
}
