//! The interface as clients use it, against a server in the same process.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::time::{Duration, Instant};

use crate::support::{Running, agent, options, read};
use hyperslide_puzzle::Puzzle;
use hyperslide_testkit::PlainPuzzle;
use serde_json::{Value, json};

/// A puzzle whose shortest solution no search finds in the time of a test.
const ENDLESS: &str = "grid:6:6 35,34,33,32,31,30,29,28,27,26,25,24,23,22,21,20,19,18,17,16,15,14,13,12,11,10,9,\
                       8,7,6,5,4,3,1,2,0";

/// The length of a shortest solution, by a plain search.
fn plain_distance(puzzle: &Puzzle) -> Option<usize> {
    PlainPuzzle::new(puzzle).shortest()
}

#[test]
fn boards_come_with_their_faces() {
    let server = Running::start();
    let (_, families) = server.get("/api/boards");
    assert_eq!(families.as_array().unwrap().len(), 8);
    let (status, board) = server.get("/api/boards/cube:4:2");
    assert_eq!((status, &board["vertices"], &board["k"]), (200, &json!(16), &json!(2)));
    assert_eq!(board["faces"].as_array().unwrap().len(), 24);
    assert_eq!(board["edges"].as_array().unwrap().len(), 32);
    let (_, edge) = server.get("/api/boards/grid:2:3?metric=edge");
    assert_eq!(edge["metric"], "edge");
    for (path, word) in [
        ("/api/boards/cube:7:2", "7"),
        ("/api/boards/cube:3:2?metric=foot", "foot"),
        ("/api/boards/cube:3:2?meter=edge", "meter"),
        ("/api/boards/graph:file.toml", "file"),
    ] {
        let (status, answer) = server.get(path);
        assert_eq!(status, 400, "{path}");
        assert!(answer["error"].as_str().unwrap().contains(word), "{path}: {answer}");
    }
}

#[test]
fn puzzles_are_read_from_lines_names_and_files() {
    let server = Running::start();
    let puzzle = server.ask("/api/puzzles", "cubical/d3-level0:2");
    assert_eq!(puzzle["board"]["board"], "cube:3:2");
    assert_eq!(puzzle["start"][4], "r");
    let again = server.ask("/api/puzzles", puzzle["puzzle"].as_str().unwrap());
    assert_eq!(puzzle, again);
    let toml = "board = \"cube:3:1\"\nstart = { a = 0 }\ngoal = \"a=7\"\n";
    let (status, from_file) = server.post("/api/puzzles", &json!({ "file": toml }));
    assert_eq!((status, &from_file["goal"][7]), (200, &json!("a")));
    let graph = "vertices = 3\nedges = [[0, 1], [1, 2]]\n";
    let body = json!({ "board_file": graph, "puzzle": "a=0 -> a=2" });
    let (status, on_graph) = server.post("/api/puzzles", &body);
    assert_eq!((status, &on_graph["board"]["family"]), (200, &json!("graph")), "{on_graph}");
    // What a comment says does not make it a board with faces.
    let commented = format!("# a path without larger faces\n{graph}");
    let body = json!({ "board_file": commented, "puzzle": "a=0 -> a=2" });
    assert_eq!(server.post("/api/puzzles", &body), (200, on_graph));
    for (body, word) in [
        (json!({ "puzzle": "cube:3:2 a=9 -> a=0" }), "9"),
        (json!({ "puzzle": "nonsense" }), "nonsense"),
        (json!({ "puzzle": "" }), "empty"),
        (json!({}), "give one of"),
        (json!({ "file": "board = 3" }), "board"),
        (json!({ "puzzle": 3 }), "string"),
        (json!({ "puzle": "x" }), "puzle"),
    ] {
        let (status, answer) = server.post("/api/puzzles", &body);
        assert_eq!(status, 400, "{body}");
        assert!(answer["error"].as_str().unwrap().contains(word), "{body}: {answer}");
    }
}

/// The hints of a whole way lead to the goal in as many moves as the first one said, and a plain
/// search of the test kit agrees.
#[test]
fn hints_lead_to_the_goal_on_shortest_ways() {
    let server = Running::start();
    for line in [
        "grid:3:3 8,6,7,2,5,4,3,0,1",
        "cubical/d3-level2:2",
        "cubical/d4-level4:3",
        "cube:3:1 edge a=0,b=3,c=5 -> a=7,b=4,c=2",
        "grid:2:3 1,1,2,0,2,0 -> 2,2,1,1,0,0",
    ] {
        let mut puzzle = server.ask("/api/puzzles", line)["puzzle"].as_str().unwrap().to_owned();
        let parsed = Puzzle::from_line(&puzzle).unwrap();
        let mut distance = plain_distance(&parsed).unwrap();
        loop {
            let hint = server.ask("/api/hint", &puzzle);
            assert_eq!((&hint["distance"], &hint["proven"]), (&json!(distance), &json!(true)));
            let Some(mv) = hint["moves"].get(0) else { break };
            let moves = format!("{}-{}", mv["from"], mv["to"]);
            let body = json!({ "puzzle": puzzle, "moves": moves });
            let (_, played) = server.post("/api/replay", &body);
            let (board, goal) = puzzle.split_once(" -> ").unwrap();
            let places = board.rsplit_once(' ').unwrap().0;
            puzzle = format!("{places} {} -> {goal}", played["end_text"].as_str().unwrap());
            distance -= 1;
        }
        assert_eq!(distance, 0, "{line}");
    }
}

#[test]
fn no_more_moves_are_replayed_than_a_play_has() {
    let server = Running::start();
    let replay = |count: usize| {
        let puzzle = "grid:3:3 1,2,3,4,0,5,6,7,8 -> 1,2,3,4,0,5,6,7,8";
        server.post("/api/replay", &json!({ "puzzle": puzzle, "moves": "DU".repeat(count / 2) }))
    };
    let (status, played) = replay(20_000);
    assert_eq!((status, played["moves"].as_array().map(Vec::len)), (200, Some(20_000)));
    let (status, refused) = replay(20_002);
    assert_eq!(status, 400);
    assert!(refused["error"].as_str().unwrap().contains("20002 moves are too many"), "{refused}");
}

#[test]
fn hints_say_when_there_is_no_way() {
    let server = Running::start();
    let hint = server.ask("/api/hint", "grid:3:3 2,1,3,4,5,6,7,8,0");
    assert_eq!((&hint["source"], &hint["proven"]), (&json!("unsolvable"), &json!(true)));
    let answer = server.ask("/api/solvability", "examples/fifteen-fourteen");
    assert_eq!((&answer["solvable"], &answer["reason"]), (&json!(false), &json!("parity")));
    let answer = server.ask("/api/solvability", "cube:3:3 a=0,b=3 -> a=3,b=0");
    assert_eq!((&answer["solvable"], &answer["reason"]), (&json!(false), &json!("stuck-token")));
    assert_eq!(server.ask("/api/solvability", "cubical/d4-level0")["solvable"], true);
}

/// A puzzle that is too large to be proven at once gets a solution that is called what it is.
#[test]
fn what_is_not_proven_is_not_called_proven() {
    let server = Running::start();
    let hint = server.ask("/api/hint", "korf24/1");
    assert_eq!(hint["proven"], false);
    let length = hint["solution"].as_array().unwrap().len();
    assert_eq!(hint["distance"], json!(length));
    assert!(length >= 95, "the shortest solution has 95 moves");
}

#[test]
fn distributions_are_the_published_ones() {
    let server = Running::start();
    let answer = server.ask("/api/distribution", "grid:3:3 8,6,7,2,5,4,3,0,1");
    assert_eq!((&answer["states"], &answer["distance"]), (&json!(181_440), &json!(31)));
    // Reinefeld 1993, Table 1.
    let counts = answer["counts"].as_array().unwrap();
    assert_eq!((&counts[24], &counts[31], counts.len()), (&json!(24_047), &json!(2), 32));
    let (status, answer) = server.post("/api/distribution", &json!({ "puzzle": "korf15/1" }));
    assert_eq!(status, 422, "{answer}");
}

#[test]
fn random_puzzles_are_drawn_by_the_law_that_is_said() {
    let server = Running::start();
    let (status, drawn) = server.get("/api/random?board=grid:3:3&law=distance&distance=20&seed=7");
    assert_eq!((status, &drawn["distance"]), (200, &json!(20)));
    let line = drawn["puzzle"].as_str().unwrap();
    assert_eq!(plain_distance(&Puzzle::from_line(line).unwrap()), Some(20));
    // Near the goal no table is needed.
    let (status, near) = server.get("/api/random?board=grid:4:4&law=distance&distance=10&seed=7");
    assert_eq!((status, &near["distance"]), (200, &json!(10)));
    assert_eq!(server.ask("/api/hint", near["puzzle"].as_str().unwrap())["distance"], json!(10));
    let (_, again) = server.get("/api/random?board=grid:3:3&law=distance&distance=20&seed=7");
    assert_eq!(drawn, again);
    let (status, drawn) = server.get("/api/random?board=cube:4:2&tokens=5");
    assert_eq!(status, 200);
    assert_eq!(server.ask("/api/solvability", drawn["puzzle"].as_str().unwrap())["solvable"], true);
    // Hardly any start of a ring can be solved; the ends of walks can.
    let (_, drawn) = server.get("/api/random?board=graph:cycle-12&law=walk&slides=7&seed=3");
    let solution = plain_distance(&Puzzle::from_line(drawn["puzzle"].as_str().unwrap()).unwrap());
    assert_eq!(solution, Some(7), "a ring has no detours: {drawn}");
    assert!(drawn["law"].as_str().unwrap().contains("random walk of 7 slides"), "{drawn}");
    for (query, status, word) in [
        ("board=grid:3:3&law=walk", 400, "slides=200"),
        ("board=grid:3:3&law=walk&slides=100001", 400, "1 to 100000"),
        ("board=grid:3:3&law=walk&slides=3&distance=3", 400, "takes no distance"),
        ("board=grid:3:3&law=uniform&slides=3", 400, "leave them out"),
        ("board=grid:3:3&distance=32", 422, "the farthest is 31"),
        ("board=grid:5:5&distance=60", 422, "those of 60 moves are too many"),
        ("board=grid:3:3&tokens=9", 422, "9 tokens"),
        ("board=grid:3:3&law=distance", 400, "distance=12"),
        ("board=grid:4:4&law=distance&distance=60", 422, "ask for a smaller distance"),
        ("board=grid:3:3&law=normal", 400, "normal"),
        ("board=grid:3:3&seed=9007199254740992", 400, "9007199254740992"),
        ("tokens=3", 400, "board"),
    ] {
        let (answered, answer) = server.get(&format!("/api/random?{query}"));
        assert_eq!(answered, status, "{query}: {answer}");
        assert!(answer["error"].as_str().unwrap().contains(word), "{query}: {answer}");
    }
}

#[test]
fn the_puzzle_of_a_day_is_the_same_for_everybody() {
    let server = Running::start();
    let (status, day) = server.get("/api/daily?date=2026-01-01");
    assert_eq!((status, &day["number"]), (200, &json!(1)));
    assert_eq!(Running::start().get("/api/daily?date=2026-01-01").1["puzzle"], day["puzzle"]);
    let hint = server.ask("/api/hint", day["puzzle"].as_str().unwrap());
    assert_eq!(hint["distance"], day["minimum"]);
    let (status, today) = server.get("/api/daily");
    assert_eq!(status, 200, "{today}");
    for date in ["2025-12-31", "2999-01-01", "yesterday", "2026-02-30"] {
        let (status, answer) = server.get(&format!("/api/daily?date={date}"));
        assert_eq!(status, 400);
        assert!(answer["error"].as_str().unwrap().contains(date), "{answer}");
    }
}

/// The minimum of every level is proven again by a search; the 18 hardest states of 3x4 are known
/// from the whole graph (the experiment dynamic-programming-3x4).
#[test]
fn the_minima_of_the_levels_are_true() {
    let server = Running::start();
    let (_, ladder) = server.get("/api/levels");
    let groups = ladder["groups"].as_array().unwrap();
    let levels = groups.iter().flat_map(|group| group["levels"].as_array().unwrap());
    let mut checked = 0;
    for level in levels.filter(|level| level["board"] != "grid:3:4" && level["board"] != "grid:4:4")
    {
        let body = json!({ "puzzle": level["puzzle"], "algorithm": "auto" });
        let (status, job) = server.post("/api/jobs", &body);
        assert_eq!(status, 201, "{job}");
        let result = server.result(job["id"].as_str().unwrap());
        match &level["minimum"] {
            Value::Null => assert_eq!(result["status"], "unsolvable", "{level}"),
            minimum => {
                let found = (&result["length"], &result["optimal"]);
                assert_eq!(found, (minimum, &json!(true)), "{level}");
            }
        }
        checked += 1;
    }
    assert!(checked > 80);
}

#[test]
fn searches_are_followed_to_their_end() {
    let server = Running::start();
    let body = json!({ "puzzle": "korf15/12", "algorithm": "astar", "heuristic": "lone-token", "observe": true });
    let (status, job) = server.post("/api/jobs", &body);
    assert_eq!(status, 201, "{job}");
    let events = job["events"].as_str().unwrap();
    let response = agent().get(server.url(events)).call().unwrap();
    let lines = BufReader::new(response.into_body().into_reader()).lines().map(Result::unwrap);
    let (mut names, mut last) = (Vec::new(), String::new());
    for line in lines {
        if let Some(name) = line.strip_prefix("event: ") {
            names.push(name.to_owned());
        } else if let Some(data) = line.strip_prefix("data: ") {
            last = data.to_owned();
        }
    }
    assert_eq!(names.last().unwrap(), "done");
    let result: Value = serde_json::from_str(&last).unwrap();
    assert_eq!((&result["status"], &result["length"]), (&json!("solved"), &json!(45)));
    let id = job["id"].as_str().unwrap();
    let (mut expansions, mut mark) = (Vec::new(), json!(0));
    loop {
        let (status, seen) = server.get(&format!("/api/jobs/{id}/expansions?since={mark}"));
        assert_eq!((status, &seen["seen"]), (200, &result["stats"]["expanded"]));
        let part = seen["expansions"].as_array().unwrap();
        assert!(part.len() <= 2_000, "{} in one answer", part.len());
        let stride = seen["stride"].as_u64().unwrap();
        assert!(part.iter().all(|one| one["order"].as_u64().unwrap() % stride == 0));
        if part.is_empty() {
            break;
        }
        expansions.extend(part.clone());
        mark = seen["mark"].clone();
    }
    assert_eq!((&expansions[0]["parent"], &expansions[0]["g"]), (&Value::Null, &json!(0)));
    assert!((2_001..=20_000).contains(&expansions.len()), "{}", expansions.len());
    let orders = expansions.iter().map(|one| one["order"].as_u64().unwrap());
    assert!(orders.is_sorted_by(|one, next| one < next));
}

#[test]
fn only_the_owner_cancels() {
    let server = Running::start();
    let body = json!({ "puzzle": ENDLESS, "algorithm": "idastar" });
    let (_, job) = server.post("/api/jobs", &body);
    let path = format!("/api/jobs/{}", job["id"].as_str().unwrap());
    let cancel =
        |key: &str| read(agent().delete(server.url(&path)).header("X-Job-Key", key).call()).0;
    assert_eq!(cancel("guess"), 403);
    assert_eq!(read(agent().delete(server.url(&path)).call()).0, 403);
    assert_eq!(cancel(job["key"].as_str().unwrap()), 204);
    let result = server.result(job["id"].as_str().unwrap());
    assert_eq!(
        (&result["status"], &result["limit"]),
        (&json!("limit-reached"), &json!("cancelled"))
    );
    assert_eq!(server.get("/api/jobs/0000").0, 404);
}

/// Whoever closes the page leaves no search behind.
#[test]
fn a_search_ends_when_nobody_follows_it_any_more() {
    let server = Running::start();
    let body = json!({ "puzzle": ENDLESS, "algorithm": "idastar", "limits": { "seconds": 100 } });
    let (_, job) = server.post("/api/jobs", &body);
    let events = server.url(job["events"].as_str().unwrap());
    let response = agent().get(&events).call().unwrap();
    // nginx would keep the events until there are many.
    assert_eq!(response.headers()["x-accel-buffering"], "no");
    let mut lines = BufReader::new(response.into_body().into_reader()).lines();
    lines.next().unwrap().unwrap();
    drop(lines);
    let started = Instant::now();
    let result = server.result(job["id"].as_str().unwrap());
    assert_eq!(result["limit"], "cancelled");
    assert!(started.elapsed() < Duration::from_secs(30));
}

/// Asking for the head of its events is not to follow a search, which goes on afterwards.
#[test]
fn a_head_request_ends_no_search() {
    let mut options = options();
    options.workers = 0;
    let server = Running::with(options);
    let (_, job) = server.post("/api/jobs", &json!({ "puzzle": ENDLESS, "algorithm": "idastar" }));
    let head = agent().head(server.url(job["events"].as_str().unwrap())).call().unwrap();
    assert_eq!(head.headers()["content-type"], "text/event-stream");
    std::thread::sleep(Duration::from_millis(6500));
    let (_, job) = server.get(&format!("/api/jobs/{}", job["id"].as_str().unwrap()));
    assert_eq!(job["state"], "queued", "{job}");
}

/// Below whatever path a proxy serves all of it, the page that says so leads to the front page.
#[test]
fn ways_from_where_nothing_is_are_relative() {
    let server = Running::start();
    for (path, up) in [("/nothing", "./"), ("/a/b", "./../"), ("/a/b/", "./../../")] {
        let request = agent().get(server.url(path)).header("Accept", "text/html,*/*");
        let mut page = request.call().unwrap();
        assert_eq!(page.status(), 404, "{path}");
        let page = page.body_mut().read_to_string().unwrap();
        for link in [format!("href=\"{up}\""), format!("href=\"{up}app.css\"")] {
            assert!(page.contains(&link), "{path}: {page}");
        }
        assert!(!page.contains("href=\"/"), "{page}");
    }
}

#[test]
fn large_files_are_sent_compressed_and_known_ones_not_at_all() {
    let server = Running::start();
    let report = |name: &str, value: &str| {
        agent().get(server.url("/report")).header(name, value).call().unwrap()
    };
    let plain = report("accept-encoding", "gzip;q=0, br;q=0, identity");
    assert!(plain.headers().get("content-encoding").is_none());
    let packed = report("accept-encoding", "br;q=0.5, gzip");
    assert_eq!(packed.headers()["content-encoding"], "gzip");
    let tag = packed.headers()["etag"].to_str().unwrap().to_owned();
    for known in [tag.as_str(), tag.trim_start_matches("W/"), "*", "\"other\", *"] {
        assert_eq!(report("if-none-match", known).status(), 304, "{known}");
    }
    assert_eq!(report("if-none-match", "\"other\"").status(), 200);
}

/// A play of a puzzle that cannot be solved has no losses, and the reason is said.
#[test]
fn losses_of_unsolvable_puzzles_are_refused_for_what_they_are() {
    let server = Running::start();
    let fifteen = "grid:4:4 2,1,3,4,5,6,7,8,9,10,11,12,13,14,15,0";
    for (puzzle, moves) in [("grid:2:2 2,1,3,0", "2-3@0"), (fifteen, "14-15@0")] {
        let (status, answer) =
            server.post("/api/losses", &json!({ "puzzle": puzzle, "moves": moves }));
        assert_eq!(status, 422);
        let error = answer["error"].as_str().unwrap();
        assert!(error.contains("the goal cannot be reached"), "{error}");
    }
}

#[test]
fn limits_of_the_server_hold_for_every_search() {
    const MEMORY: u64 = 64 << 20;
    let mut options = options();
    options.job_time = Duration::from_millis(700);
    options.job_memory = MEMORY;
    let server = Running::with(options);
    let run = |body: &Value| {
        let (status, job) = server.post("/api/jobs", body);
        assert_eq!(status, 201, "{job}");
        server.result(job["id"].as_str().unwrap())
    };
    let asked = json!({ "seconds": 100 });
    let slow = run(&json!({ "puzzle": ENDLESS, "algorithm": "idastar", "limits": asked }));
    assert_eq!(slow["limit"], "time");
    assert!(slow["stats"]["wall_s"].as_f64().unwrap() < 10.0);
    let asked = json!({ "memory_bytes": 8_u64 << 30 });
    let large =
        run(&json!({ "puzzle": "korf15/3", "algorithm": "breadth-first", "limits": asked }));
    assert!(["memory", "time"].contains(&large["limit"].as_str().unwrap()), "{large}");
    // What is checked every few thousand states may be a little more.
    assert!(large["stats"]["peak_bytes"].as_u64().unwrap() < MEMORY + MEMORY / 4, "{large}");
    let asked = json!({ "nodes": 1000 });
    let few = run(&json!({ "puzzle": "korf15/1", "algorithm": "idastar", "limits": asked }));
    assert_eq!(few["limit"], "nodes");
    for (limits, word) in [
        (json!({ "seconds": 0 }), "0 seconds"),
        (json!({ "seconds": -1 }), "-1"),
        (json!({ "nodes": 0 }), "nodes is 0"),
        (json!({ "second": 1 }), "second"),
    ] {
        let body = json!({ "puzzle": "korf15/1", "algorithm": "auto", "limits": limits });
        let (status, answer) = server.post("/api/jobs", &body);
        assert_eq!(status, 400, "{limits}: {answer}");
        assert!(answer["error"].as_str().unwrap().contains(word), "{answer}");
    }
    let body = json!({ "puzzle": "korf15/1", "algorithm": "astar", "settings": { "width": "5" } });
    let (status, answer) = server.post("/api/jobs", &body);
    assert_eq!(status, 400);
    assert!(
        answer["error"].as_str().unwrap().contains("it takes heuristic and profile"),
        "{answer}"
    );
}

/// Searches of others do not keep anybody from playing.
#[test]
fn play_goes_on_while_many_searches_wait() {
    let server = Running::start();
    let body = json!({ "puzzle": ENDLESS, "algorithm": "idastar", "limits": { "seconds": 60 } });
    let jobs: Vec<Value> = (0..50).map(|_| server.post("/api/jobs", &body).1).collect();
    let started = Instant::now();
    for _ in 0..20 {
        assert_eq!(server.ask("/api/hint", "cubical/d4-level4:3")["distance"], 11);
    }
    assert!(started.elapsed() < Duration::from_secs(20), "play is starved");
    let (_, last) = server.get(&format!("/api/jobs/{}", jobs[49]["id"].as_str().unwrap()));
    assert_eq!(last["state"], "queued");
    assert!(last["position"].as_u64().unwrap() > 40);
}

/// A client that reads its events, or does not, does not keep the server from ending.
#[test]
fn the_server_ends_while_a_client_listens() {
    let mut server = Running::start();
    let body = json!({ "puzzle": ENDLESS, "algorithm": "idastar" });
    let (_, job) = server.post("/api/jobs", &body);
    let events = server.url(job["events"].as_str().unwrap());
    let response = agent().get(&events).call().unwrap();
    let started = Instant::now();
    server.stop();
    assert!(started.elapsed() < Duration::from_secs(10));
    let rest: Vec<String> =
        BufReader::new(response.into_body().into_reader()).lines().map_while(Result::ok).collect();
    let ends = ["event: shutdown", "event: done"].map(|end| rest.iter().any(|line| line == end));
    assert!(ends.contains(&true), "{rest:?}");
}

#[test]
fn every_route_is_in_the_document() {
    let server = Running::start();
    let (status, document) = server.get("/api/openapi.json");
    assert_eq!(status, 200);
    let paths = document["paths"].as_object().unwrap();
    let methods = paths.values().map(|path| path.as_object().unwrap().len()).sum::<usize>();
    assert_eq!((paths.len(), methods), (29, 32), "{:?}", paths.keys());
    let text = document.to_string();
    for reference in text.split("\"$ref\":\"#/components/schemas/").skip(1) {
        let name = reference.split('"').next().unwrap();
        assert!(document["components"]["schemas"][name].is_object(), "{name} is not described");
    }
}

/// A row of the report that names an instance and k leads to that puzzle.
#[test]
fn the_report_leads_to_the_player() {
    let server = Running::start();
    let mut report = agent().get(server.url("/report")).call().unwrap();
    let report = report.body_mut().read_to_string().unwrap();
    let name = ">cubical/d4-level4</a></";
    let rules: BTreeSet<&str> = report
        .match_indices(name)
        .map(|(at, _)| {
            let link = report[..at].rsplit_once("href=\"./?page=play#p=cube:4:").unwrap().1;
            let row = report[at + name.len()..].split_once("<td class=\"number\">").unwrap().1;
            assert_eq!(link[..4], format!("{}%20", &row[..1]));
            &row[..1]
        })
        .collect();
    assert_eq!(rules, BTreeSet::from(["1", "2", "3"]));
}

#[test]
fn lessons_and_algorithms_are_told() {
    let server = Running::start();
    let (_, registry) = server.get("/api/algorithms");
    assert!(registry["algorithms"].as_array().unwrap().iter().any(|one| one["name"] == "astar"));
    let lesson = server.ask("/api/lessons", "cubical/d3-level0:1");
    assert_eq!(lesson["optimal_length"], 4);
    let (status, answer) = server.post("/api/lessons", &json!({ "puzzle": "korf15/1" }));
    assert_eq!(status, 422);
    assert!(answer["error"].as_str().unwrap().contains("200"), "{answer}");
    let body = json!({ "puzzle": "cubical/d3-level0:1", "heuristic": "magic" });
    assert_eq!(server.post("/api/lessons", &body).0, 400);
}
