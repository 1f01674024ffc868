//! Plays over HTTP: kept with consent, ranked by the server's clock, and forgotten when asked.

#[path = "../../plays/tests/support/mod.rs"]
mod databases;

use std::sync::LazyLock;

use self::databases::Postgres;
use crate::support::{Running, agent, options, read};
use hyperslide_puzzle::Puzzle;
use hyperslide_testkit::PlainPuzzle;
use serde_json::{Value, json};

const PUZZLE: &str = "grid:2:2 1,2,0,3 -> 1,2,3,0";

/// A puzzle whose plays are not kept: PostgreSQL could not find it again.
static LONG: LazyLock<String> = LazyLock::new(|| {
    let pairs = (0..40).flat_map(|a| (0..a).map(move |b| format!("{a}-{b}")));
    format!("graph:40:{} a=0 -> a=1", pairs.collect::<Vec<_>>().join(","))
});

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
        let (status, answer) = me(&server, wrong);
        assert_eq!((status, &answer["code"]), (403, &json!("unknown-secret")));
    }
    for (path, status) in [
        ("/api/plays/%00", 404),
        ("/api/ranks/list?board=%00&tokens=3&kind=timed&control=keys", 400),
    ] {
        assert_eq!(server.get(path).0, status, "{path}");
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
        (json!({ "start": "\0", "moves": "", "control": "keys" }), 422, "not issued to you"),
        (
            json!({ "puzzle": LONG.as_str(), "moves": "", "control": "keys" }),
            422,
            "at most 2000 bytes",
        ),
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
    let moves = solution(&server, &puzzle).replace("@100", "@10000");
    let (status, answer) = post(&server, "/api/plays", &ada, &body(&start, &moves));
    assert_eq!(status, 422, "{answer}");
    assert!(answer["error"].as_str().unwrap().contains("was issued"), "{answer}");

    // An honest one takes its time.
    let (start, puzzle) = issue();
    let moves = solution(&server, &puzzle);
    let ms = 100 * moves.split_whitespace().count() as u64;
    std::thread::sleep(std::time::Duration::from_millis(ms));
    // It belongs to one person.
    assert_eq!(post(&server, "/api/plays", &ben, &body(&start, &moves)).0, 422);
    let (status, kept) = post(&server, "/api/plays", &ada, &body(&start, &moves));
    assert_eq!((status, &kept["kind"]), (201, &json!("timed")), "{kept}");
    // Who got no answer sends the same again, and it is kept once; nothing else comes in by that
    // start.
    let (status, again) = post(&server, "/api/plays", &ada, &body(&start, &moves));
    assert_eq!((status, &again["id"]), (201, &kept["id"]), "{again}");
    let slower = moves.replacen("@100", "@101", 1);
    assert_eq!(post(&server, "/api/plays", &ada, &body(&start, &slower)).0, 422);
    assert_eq!(me(&server, &ada).1["plays"].as_array().unwrap().len(), 1);
    // Everybody can watch it.
    let (status, shown) = server.get(&format!("/api/plays/{}", kept["id"].as_str().unwrap()));
    assert_eq!((status, &shown["moves"]), (200, &json!(moves.trim())));
    assert_eq!(server.get("/api/plays/nothing").0, 404);
}

/// What cannot be read is no play of the start; what can is its only one, whatever is wrong with
/// it.
#[test]
fn a_play_that_cannot_be_read_leaves_its_start() {
    let server = start("malformed");
    let (_, secret) = agree(&server);
    let request = json!({ "board": "grid:3:3", "kind": "fewest" });
    let (_, issued) = post(&server, "/api/starts", &secret, &request);
    let send = |moves: &str, control: &str| {
        let body = json!({ "start": issued["start"], "moves": moves, "control": control });
        post(&server, "/api/plays", &secret, &body)
    };
    let moves = solution(&server, issued["puzzle"].as_str().unwrap());
    for (moves, control) in [("8-7", "keys"), ("8-7@x", "keys"), (&*moves, "feet")] {
        assert_eq!(send(moves, control).0, 400);
    }
    assert_eq!(me(&server, &secret).1["starts"].as_array().unwrap().len(), 1);
    let (status, answer) = send("", "keys");
    assert_eq!(status, 422, "{answer}");
    assert_eq!(me(&server, &secret).1["starts"], json!([]));
    let (status, answer) = send(&moves, "keys");
    assert!(status == 422 && answer["error"].as_str().unwrap().contains("was used"), "{answer}");
}

/// The clock starts with the first move: the only one of a play takes no time.
#[test]
fn a_start_that_is_one_move_away_is_solved_at_once() {
    let server = start("at-once");
    let (_, secret) = agree(&server);
    let request = json!({ "board": "grid:1:2", "kind": "timed" });
    let (status, issued) = post(&server, "/api/starts", &secret, &request);
    assert_eq!(status, 201, "{issued}");
    let moves = solution(&server, issued["puzzle"].as_str().unwrap()).replace("@100", "@0");
    let body = json!({ "start": issued["start"], "moves": moves, "control": "keys" });
    let (status, kept) = post(&server, "/api/plays", &secret, &body);
    assert_eq!((status, &kept["ms"]), (201, &json!(0)), "{kept}");
    let path = "/api/ranks/list?board=grid:1:2&tokens=1&kind=timed&control=keys";
    let (_, list) = server.get(path);
    assert_eq!(list["best"][0]["most_per_second"], json!(0.0), "{list}");
}

#[test]
fn a_person_can_read_everything_that_is_kept() {
    let server = start("everything");
    let (name, secret) = agree(&server);
    let body = json!({ "puzzle": PUZZLE, "moves": "3-2@1500", "control": "touch" });
    let (_, kept) = post(&server, "/api/plays", &secret, &body);
    let request = json!({ "board": "grid:3:3", "kind": "fewest", "blind": true });
    let (_, issued) = post(&server, "/api/starts", &secret, &request);
    let (status, own) = me(&server, &secret);
    assert_eq!(status, 200, "{own}");
    assert_eq!((&own["name"], &own["consent"]), (&json!(name), &json!(1)));
    assert_eq!(own["code"].as_str().unwrap().len(), 32, "{own}");
    let day = hyperslide_server::today().to_string();
    for found in [&own["day"], &own["plays"][0]["day"], &kept["day"]] {
        let found = found.as_str().unwrap();
        // Midnight may have passed.
        assert!(found.len() == 10 && found <= &*day, "{own}");
    }
    let starts = own["starts"].as_array().unwrap();
    assert_eq!(starts.len(), 1);
    for fact in ["start", "puzzle"] {
        assert_eq!(starts[0][fact], issued[fact]);
    }
    assert_eq!((&starts[0]["kind"], &starts[0]["blind"]), (&json!("fewest"), &json!(true)));
    assert!(starts[0]["issued_ms"].as_i64().unwrap() > 1_700_000_000_000, "{own}");
}

#[test]
fn what_was_shown_to_somebody_or_took_years_is_not_among_the_best() {
    let server = start("best");
    let (_, secret) = agree(&server);
    let path = format!("/api/plays?puzzle={}", PUZZLE.replace(' ', "%20").replace('>', "%3E"));
    let send = |moves: &str, helped: bool| {
        let body = json!({ "puzzle": PUZZLE, "moves": moves, "control": "keys", "helped": helped });
        post(&server, "/api/plays", &secret, &body)
    };
    assert_eq!(send("3-2@1", true).0, 201);
    let (_, people) = server.get(&path);
    assert_eq!((&people["people"], &people["best"]), (&json!(0), &json!([])));
    assert_eq!(send("3-2@400 2-3@400 3-2@400", false).0, 201);
    let (_, people) = server.get(&path);
    assert_eq!((&people["people"], &people["lengths"]), (&json!(1), &json!([3])));
    assert_eq!(people["best"].as_array().unwrap().len(), 1);
    let (status, answer) = send(&("3-2@86400000 2-3@86400000 ".repeat(16) + "3-2@1"), false);
    assert_eq!(status, 422, "{answer}");
    assert!(answer["error"].as_str().unwrap().contains("30 days"), "{answer}");
}

/// Everything that the list shows of a group.
fn listed(server: &Running, kind: &str) -> Value {
    let path = format!("/api/ranks/list?board=grid:3:3&tokens=8&kind={kind}&control=hover");
    let (status, list) = server.get(&path);
    assert_eq!(status, 200, "{list}");
    list
}

/// Ten ways to get a play into the list that was not played; none does, and each is told why.
#[test]
fn ten_cheats_get_in_none_of_their_plays() {
    let server = start("cheats");
    let ((_, ada), (name, ben)) = (agree(&server), agree(&server));
    let issue = |secret: &str| {
        let request = json!({ "board": "grid:3:3", "kind": "timed" });
        let (_, start) = post(&server, "/api/starts", secret, &request);
        let text = |name: &str| start[name].as_str().unwrap().to_owned();
        (text("start"), text("puzzle"))
    };
    // One honest play, whose start and moves a cheat may know.
    let (used, used_puzzle) = issue(&ada);
    let honest = solution(&server, &used_puzzle);
    std::thread::sleep(std::time::Duration::from_millis(3500));
    let body =
        |start: &str, moves: &str| json!({ "start": start, "moves": moves, "control": "hover" });
    assert_eq!(post(&server, "/api/plays", &ada, &body(&used, &honest)).0, 201);
    let before = listed(&server, "timed");
    assert_eq!(before["people"], 1);

    let (of_ada, ada_puzzle) = issue(&ada);
    let of_ada_moves = solution(&server, &ada_puzzle);
    let fresh: Vec<(String, String)> = (0..8).map(|_| issue(&ben)).collect();
    let moves_of = |place: usize| solution(&server, &fresh[place].1);
    let at = |place: usize, moves: &str| body(&fresh[place].0, moves);
    let mut helped = at(5, &moves_of(5));
    helped["helped"] = json!(true);
    // Enough time for all of them at 100 ms a move.
    std::thread::sleep(std::time::Duration::from_millis(3500));
    let without_last = |moves: &str| moves.trim_end().rsplit_once(' ').unwrap().0.to_owned();
    let cheats = [
        ("a start that was never issued", body("0123456789abcdef", &moves_of(0)), "was not issued"),
        ("a start that was used", body(&used, &honest.replace("@100", "@90")), "was used"),
        ("somebody else's start", body(&of_ada, &of_ada_moves), "not issued to you"),
        ("somebody else's play under a start of one's own", at(1, &honest), "illegal|goal"),
        ("an illegal move", at(2, &format!("0-8@100 {}", moves_of(2))), "illegal"),
        ("a play that does not end in the goal", at(3, &without_last(&moves_of(3))), "goal"),
        (
            "times that are longer than has passed",
            at(4, &moves_of(4).replace("@100", "@9000")),
            "ago",
        ),
        ("hints in a ranked play", helped, "hints"),
        (
            "times that hands do not reach",
            at(6, &moves_of(6).replace("@100", "@9")),
            "faster than hands",
        ),
        (
            "two moves by one input",
            at(
                7,
                &moves_of(7)
                    .replacen("@100", "@200", 1)
                    .replace("@100", "@2")
                    .replacen("@2 ", "@600 ", 2),
            ),
            "apart",
        ),
    ];
    for (what, body, reason) in &cheats {
        let (status, answer) = post(&server, "/api/plays", &ben, body);
        assert_eq!(status, 422, "{what}: {answer}");
        let error = answer["error"].as_str().unwrap();
        // Starts are drawn, and by chance another's moves may be legal until their end.
        assert!(reason.split('|').any(|reason| error.contains(reason)), "{what}: {error}");
    }
    // A start is gone after a cheat, but nobody spoils another's.
    let (status, answer) = post(&server, "/api/plays", &ben, &at(2, &moves_of(2)));
    assert_eq!(status, 422, "{answer}");
    assert_eq!(listed(&server, "timed"), before);
    assert_eq!(me(&server, &ben).1["plays"], json!([]));
    assert_eq!(post(&server, "/api/plays", &ada, &body(&of_ada, &of_ada_moves)).0, 201);
    // The cheat may yet play like everybody else.
    let (start, puzzle) = issue(&ben);
    let moves = solution(&server, &puzzle);
    std::thread::sleep(std::time::Duration::from_millis(
        100 * moves.split_whitespace().count() as u64,
    ));
    assert_eq!(post(&server, "/api/plays", &ben, &body(&start, &moves)).0, 201);
    let names: Vec<Value> = listed(&server, "timed")["best"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].clone())
        .collect();
    assert!(names.contains(&json!(name)) && names.len() == 2, "{names:?}");
}

#[test]
fn an_explored_play_that_is_sent_twice_is_kept_once() {
    let server = start("twice");
    let ((_, ada), (_, ben)) = (agree(&server), agree(&server));
    let body =
        |moves: &str| json!({ "puzzle": PUZZLE, "moves": moves, "control": "keys", "key": "k" });
    let (status, first) = post(&server, "/api/plays", &ada, &body("3-2@5"));
    assert_eq!(status, 201, "{first}");
    let (status, second) = post(&server, "/api/plays", &ada, &body("3-2@5"));
    assert_eq!((status, &second["id"]), (201, &first["id"]));
    assert_eq!(post(&server, "/api/plays", &ada, &body("3-2@6")).0, 422);
    // The same word of somebody else is another.
    let (status, other) = post(&server, "/api/plays", &ben, &body("3-2@5"));
    assert!(status == 201 && other["id"] != first["id"], "{other}");
    assert_eq!(me(&server, &ada).1["plays"].as_array().unwrap().len(), 1);
}

#[test]
fn people_are_compared_with_the_minimum_and_with_recorded_runs() {
    let server = start("compared");
    const LEVEL: &str = "cube:3:1 b=5,g=6,p=1,r=4 -> b=6,g=4,p=1,r=5";
    let path = format!("/api/comparison?puzzle={}", LEVEL.replace(' ', "%20").replace('>', "%3E"));
    let shortest = solution(&server, LEVEL);
    let first = shortest.split_whitespace().next().unwrap();
    let (from, to) = first.split_once('@').unwrap().0.split_once('-').unwrap();
    // There and back again costs two moves: one that leads nowhere, and the way back.
    let detour = format!("{from}-{to}@100 {to}-{from}@100 {shortest}");
    for (moves, helped) in [(&shortest, false), (&detour, false), (&shortest, true)] {
        let (_, secret) = agree(&server);
        let body = json!({ "puzzle": LEVEL, "moves": moves, "control": "keys", "helped": helped });
        assert_eq!(post(&server, "/api/plays", &secret, &body).0, 201);
        // A second solution of the same person is not a first one.
        let body = json!({ "puzzle": LEVEL, "moves": detour, "control": "keys" });
        assert_eq!(post(&server, "/api/plays", &secret, &body).0, 201);
    }
    let (status, found) = server.get(&path);
    assert_eq!(status, 200, "{found}");
    assert_eq!((&found["minimum"], &found["proven"]), (&json!(4), &json!(true)));
    // The third person's first solution without help is the detour.
    let counts = json!([{ "value": 4, "count": 1 }, { "value": 6, "count": 2 }]);
    assert_eq!(found["people"]["lengths"]["counts"], counts);
    assert_eq!((&found["people"]["people"], &found["simulated"]["people"]), (&json!(3), &json!(0)));
    let losses = found["people"]["losses"].as_array().unwrap();
    let means: Vec<f64> = losses.iter().map(|loss| loss["mean"].as_f64().unwrap()).collect();
    assert_eq!(losses[1]["plays"], 3);
    assert!((means[0]).abs() < 1e-9 && (means[1] - 4.0 / 3.0).abs() < 1e-9, "{means:?}");
    assert!(means[2..].iter().all(|mean| mean.abs() < 1e-9), "{means:?}");
    let algorithms = found["algorithms"].as_array().unwrap();
    let of = |name: &str| algorithms.iter().find(|one| one["algorithm"] == name).unwrap();
    assert_eq!(of("astar")["lengths"]["median"], json!(4.0));
    assert!(of("evolution")["runs"].as_u64().unwrap() >= 150);
    assert_eq!(of("hybrid")["of_random_puzzles"], false);
}

/// On 4x4 no table tells: every position is solved, by pattern databases.
#[test]
fn a_play_of_the_fifteen_puzzle_is_judged_move_by_move() {
    let server = start("judged");
    let puzzle = Puzzle::from_line("grid:4:4 1,2,3,4,5,6,7,8,9,10,11,12,0,13,14,15").unwrap();
    let body = json!({ "puzzle": puzzle.to_string(),
                       "moves": "8-12@100 12-8@100 13-12@100 14-13@100 15-14@100" });
    let (status, found) = server.post("/api/losses", &body);
    assert_eq!(status, 200, "{found}");
    assert_eq!(found["distances"], json!([3, 4, 3, 2, 1, 0]));
    assert_eq!((&found["losses"], &found["source"]), (&json!([2, 0, 0, 0, 0]), &json!("search")));
    let illegal = json!({ "puzzle": puzzle.to_string(), "moves": "0-1@5" });
    assert_eq!(server.post("/api/losses", &illegal).0, 422);
    let large = json!({ "puzzle": "grid:5:5 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,0,24",
                        "moves": "24-23@5" });
    let (status, answer) = server.post("/api/losses", &large);
    assert_eq!(status, 422, "{answer}");
}

/// A play, a start and a deletion that wait until a backup is restored, in which others have the
/// numbers of their people.
#[test]
fn what_arrives_during_a_restore_is_not_somebody_elses() {
    use hyperslide_plays::{NewPerson, Part, connect};
    let server = start("restored");
    let folder = std::env::temp_dir().join(format!("hyperslide-restored-{}", std::process::id()));
    let database = format!("sqlite:{}", folder.join("plays.sqlite").display());
    let (_, secrets): (Vec<_>, Vec<_>) = (0..4).map(|_| agree(&server)).unzip();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (parts, receiver) = tokio::sync::mpsc::channel(4);
    let address = database.clone();
    let restore = runtime.spawn(async move {
        let store = connect(&address).await.unwrap();
        let copied = store.replace_all(receiver).await;
        store.close().await.unwrap();
        copied
    });
    let other = |number: i64| {
        let name = format!("other {number}");
        let secret = Some(name.clone());
        NewPerson { code: name.clone(), name, secret, consent: 1, day: 0, simulated: None }
    };
    let people = (1..=9).map(|number| (number, other(number))).collect();
    parts.blocking_send(Part::People(people)).unwrap();
    let answers = std::thread::scope(|scope| {
        let play = json!({ "puzzle": PUZZLE, "moves": "3-2@1500", "control": "touch" });
        let start = json!({ "board": "grid:3:3", "kind": "timed" });
        let (server, secrets) = (&server, &secrets);
        std::thread::sleep(std::time::Duration::from_millis(300));
        let kept = scope.spawn(move || post(server, "/api/plays", &secrets[0], &play));
        let issued = scope.spawn(move || post(server, "/api/starts", &secrets[1], &start));
        let deleted = scope.spawn(move || {
            let request = agent().delete(server.url("/api/people/me"));
            read(request.header("X-Person-Secret", &secrets[2]).call())
        });
        std::thread::sleep(std::time::Duration::from_millis(1500));
        parts.blocking_send(Part::End).unwrap();
        [kept, issued, deleted].map(|answer| answer.join().unwrap())
    });
    assert_eq!(runtime.block_on(restore).unwrap().unwrap().people, 9);
    let [kept, issued, deleted] = answers;
    for (status, answer) in [kept, issued] {
        assert_eq!(status, 403, "{answer}");
        assert!(answer["error"].as_str().unwrap().contains("nothing was kept"), "{answer}");
    }
    assert_eq!(deleted, (200, json!({ "plays": 0 })));
    assert_eq!(me(&server, &secrets[3]).0, 403);
    // All others are there, and nobody has a play.
    let path = format!("/api/plays?puzzle={}", PUZZLE.replace(' ', "%20").replace('>', "%3E"));
    assert_eq!(server.get(&path).1["people"], 0);
    let left = runtime.block_on(async {
        let store = connect(&database).await.unwrap();
        (store.plays("", 9).await.unwrap().len(), store.person("other 9").await.unwrap().is_some())
    });
    assert_eq!(left, (0, true));
}

/// A server whose database is away is alive, and not ready.
#[test]
fn a_server_is_ready_when_its_database_answers() {
    let postgres = Postgres::start();
    let mut options = options();
    options.database = Some(postgres.address.clone());
    let server = Running::with(options);
    let (status, answer) = server.get("/health?ready");
    assert_eq!((status, &answer["database"]), (200, &json!("ok")), "{answer}");
    drop(postgres);
    let (status, answer) = server.get("/health?ready=1");
    assert_eq!(status, 503, "{answer}");
    assert!(answer["error"].as_str().unwrap().contains("does not answer"), "{answer}");
    assert_eq!(server.get("/health").0, 200);
    assert_eq!(start("ready").get("/health?ready").1["database"], "ok");
}

#[test]
fn a_server_without_a_database_says_so() {
    let server = Running::start();
    assert_eq!(server.get("/health?ready").1["database"], "none");
    assert_eq!(server.get("/health").1["database"], Value::Null);
    assert_eq!(server.get("/api/consent").1["kept"], false);
    let (status, answer) = server.post("/api/people", &json!({ "consent": 1 }));
    assert_eq!(status, 503);
    assert!(answer["error"].as_str().unwrap().contains("--database"), "{answer}");
}
