//! Tables of plays: what is written is read again as it was, and what cannot be is refused by its
//! row.

use std::fs::File;
use std::path::{Path, PathBuf};

use hyperslide_plays::{
    BestList, Control, ExchangeError, Firsts, Format, Group, Imported, KeptPlay, Kind, NewPerson,
    Play, Players, Store, connect, export, import,
};
use hyperslide_puzzle::Puzzle;

const PUZZLE: &str = "grid:2:2 1,2,0,3 -> 1,2,3,0";
/// A solution of `PUZZLE`, and one that goes to and fro once before.
const SHORT: &str = "3-2@500";
const LONG: &str = "3-2@500 2-3@100 3-2@100";

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("hyperslide-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

async fn open(file: &Path) -> Box<dyn Store> {
    connect(&format!("sqlite:{}", file.display())).await.unwrap()
}

fn group(kind: Kind) -> Group {
    Group::of(&Puzzle::from_line(PUZZLE).unwrap(), kind, Control::Keys, false)
}

fn play(id: &str, person: i64, kind: Kind, moves: &str) -> KeptPlay {
    let puzzle = Puzzle::from_line(PUZZLE).unwrap();
    let play: Play = moves.parse().unwrap();
    let verified = play.verify(&puzzle).unwrap();
    KeptPlay::new(id.to_owned(), person, &puzzle, group(kind), (&play, &verified), false, 20_000)
}

/// Everything that the pages show of these plays.
async fn shown(store: &dyn Store) -> (Firsts, Vec<String>, BestList, Vec<KeptPlay>) {
    let mut list = store.best(&group(Kind::Timed), 9).await.unwrap();
    let mut plays: Vec<KeptPlay> =
        store.plays("", 100).await.unwrap().into_iter().map(|(play, _)| play).collect();
    // Numbers of people are the database's own.
    for (standing, person) in &mut list.best {
        (standing.person, person.id) = (0, 0);
    }
    for play in &mut plays {
        play.person = 0;
    }
    let firsts = store.firsts(PUZZLE, Players::People).await.unwrap();
    (firsts, store.first_moves(PUZZLE, Players::People, 9, 200).await.unwrap(), list, plays)
}

/// A database of two people. The names of their plays, by which tables are ordered, go backwards.
async fn of_two(file: &Path) -> Box<dyn Store> {
    let store = open(file).await;
    for name in ["ada", "ben"] {
        let person = NewPerson {
            name: name.to_owned(),
            code: format!("code of {name}"),
            secret: None,
            consent: 1,
            day: 20_000,
            simulated: None,
        };
        let who = store.add_person(&person).await.unwrap();
        let helped =
            KeptPlay { helped: true, ..play(&format!("{name}9"), who, Kind::Explore, SHORT) };
        assert!(store.add_play(&helped).await.unwrap());
        for (id, kind, moves) in [
            ("8", Kind::Explore, LONG),
            ("7", Kind::Explore, SHORT),
            ("6", Kind::Timed, LONG),
            ("5", Kind::Timed, SHORT),
        ] {
            assert!(store.add_play(&play(&format!("{name}{id}"), who, kind, moves)).await.unwrap());
        }
    }
    store
}

#[tokio::test(flavor = "multi_thread")]
async fn an_imported_table_shows_the_same_comparison() {
    let folder = folder("round-trip");
    let store = of_two(&folder.join("a.sqlite")).await;
    let before = shown(&*store).await;
    assert_eq!(before.0, Firsts { lengths: vec![(3, 2)], tenths: vec![(7, 2)] });
    for (name, format) in
        [("csv", Format::Csv), ("jsonl", Format::Jsonl), ("parquet", Format::Parquet)]
    {
        let table = folder.join(format!("plays.{name}"));
        export(&*store, format, File::create(&table).unwrap()).await.unwrap();
        let other = open(&folder.join(format!("{name}.sqlite"))).await;
        import(&*other, format, File::open(&table).unwrap()).await.unwrap();
        assert_eq!(shown(&*other).await, before, "{name}");
    }
    // In whatever order the rows are, and in whatever parts they come.
    let table = std::fs::read_to_string(folder.join("plays.jsonl")).unwrap();
    let mut lines: Vec<&str> = table.lines().collect();
    for turn in 0..lines.len() {
        lines.rotate_left(1);
        let other = open(&folder.join(format!("turn-{turn}.sqlite"))).await;
        for (number, part) in lines.chunks(3).enumerate() {
            let table = folder.join(format!("part-{turn}-{number}.jsonl"));
            std::fs::write(&table, part.join("\n")).unwrap();
            import(&*other, Format::Jsonl, File::open(&table).unwrap()).await.unwrap();
        }
        assert_eq!(shown(&*other).await, before, "turn {turn}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// A row of a table as it would be exported, with some values put in place of others.
fn row(id: &str, changes: &[(&str, serde_json::Value)]) -> String {
    let mut row = serde_json::json!({
        "id": id, "person": format!("code {id}"), "name": "calm-owl-123", "simulated": null,
        "number": 1, "puzzle": PUZZLE, "board": "grid:2:2", "tokens": 3, "kind": "explore",
        "control": "keys", "blind": false, "helped": false, "solved": true, "length": 1,
        "multi": 1, "ms": 500, "day": "2024-10-04", "moves": SHORT,
    });
    for (name, value) in changes {
        row[*name] = value.clone();
    }
    row.to_string()
}

async fn import_lines(
    folder: &Path,
    store: &dyn Store,
    lines: &[String],
) -> Result<Imported, ExchangeError> {
    let table = folder.join("plays.jsonl");
    std::fs::write(&table, lines.join("\n")).unwrap();
    import(store, Format::Jsonl, File::open(&table).unwrap()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_that_no_server_would_have_kept_are_refused_by_their_number() {
    use serde_json::json;
    let folder = folder("wrong-rows");
    let store = open(&folder.join("a.sqlite")).await;
    let timed = ("kind", json!("timed"));
    let solved = "grid:2:2 1,2,3,0";
    let cube = "cube:3:2 a=0 -> a=7";
    let pairs = (0..40).flat_map(|a| (0..a).map(move |b| format!("{a}-{b}")));
    let long = format!("graph:40:{} a=0 -> a=1", pairs.collect::<Vec<_>>().join(","));
    for (what, changes, word) in [
        ("a number without an end", vec![("number", json!(i64::MAX))], "number"),
        ("a number before the first", vec![("number", json!(0))], "number"),
        (
            "a ranked play that does not end in the goal",
            vec![timed.clone(), ("solved", json!(false)), ("moves", json!("0-2@500"))],
            "goal",
        ),
        ("a name that is no text", vec![("name", json!("a\0b"))], "control characters"),
        ("a policy that is no text", vec![("simulated", json!("a\0b"))], "control characters"),
        ("a policy that is a formula", vec![("simulated", json!("=1+1"))], "simulated is '=1+1'"),
        ("a person that is a formula", vec![("person", json!("@sum"))], "person is '@sum'"),
        ("another number of multi-tile moves", vec![("multi", json!(2))], "multi is 2"),
        ("a long puzzle", vec![("puzzle", json!(long))], "at most 2000 bytes"),
        ("a ranked play with help", vec![timed.clone(), ("helped", json!(true))], "hints"),
        (
            "a ranked play without moves",
            vec![
                timed.clone(),
                ("puzzle", json!(format!("{solved} -> 1,2,3,0"))),
                ("moves", json!("")),
                ("length", json!(0)),
                ("multi", json!(0)),
                ("ms", json!(0)),
            ],
            "solved already",
        ),
        (
            "a ranked play that is faster than hands",
            vec![
                timed.clone(),
                ("moves", json!("3-2@0 2-3@4 3-2@4")),
                ("length", json!(3)),
                ("multi", json!(3)),
                ("ms", json!(8)),
            ],
            "faster",
        ),
        (
            "a timed play of a day",
            vec![timed.clone(), ("moves", json!("3-2@86400000")), ("ms", json!(86_400_000))],
            "six hours",
        ),
        (
            "a blind play on a cube",
            vec![
                ("kind", json!("fewest")),
                ("blind", json!(true)),
                ("puzzle", json!(cube)),
                ("board", json!("cube:3:2")),
                ("tokens", json!(1)),
                ("multi", json!(null)),
                ("moves", json!("0-3@0 3-7@500")),
                ("length", json!(2)),
            ],
            "blind",
        ),
        ("an explored play that is blind", vec![("blind", json!(true))], "blind"),
        (
            "a play of years",
            vec![
                ("moves", json!("3-2@86400000 2-3@86400000 ".repeat(20) + "3-2@1")),
                ("length", json!(41)),
                ("multi", json!(41)),
                ("ms", json!(40 * 86_400_000i64 + 1)),
            ],
            "days",
        ),
    ] {
        let lines = [row("good", &[]), row("wrong", &changes)];
        let error = import_lines(&folder, &*store, &lines).await;
        let error = error.map(|_| ()).expect_err(what).to_string();
        assert!(error.contains("row 2") && error.contains(word), "{what}: {error}");
    }
    // The database still takes plays of that person.
    let good = [row(
        "next",
        &[("person", json!("code good")), ("number", json!(2)), ("multi", json!(null))],
    )];
    assert_eq!(import_lines(&folder, &*store, &good).await.unwrap().added, 1);
    assert_eq!(store.plays("", 10).await.unwrap().len(), 2);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_before_a_wrong_one_stay() {
    let folder = folder("rows-before");
    let store = open(&folder.join("a.sqlite")).await;
    let lines = [row("1", &[]), row("2", &[]), "nonsense".to_owned(), row("4", &[])];
    let error = import_lines(&folder, &*store, &lines).await.unwrap_err().to_string();
    assert!(error.contains("row 3") && error.contains("before it are kept"), "{error}");
    let ids = async || -> Vec<String> {
        let plays = store.plays("", 10).await.unwrap();
        plays.into_iter().map(|(play, _)| play.id).collect()
    };
    assert_eq!(ids().await, ["1", "2"]);
    assert!(store.person_by_code("code 4").await.unwrap().is_none());
    // Once it is repaired the same table adds the others.
    let lines = [row("1", &[]), row("2", &[]), row("3", &[]), row("4", &[])];
    let imported = import_lines(&folder, &*store, &lines).await.unwrap();
    assert_eq!((imported.added, imported.known), (2, 2));
    assert_eq!(ids().await, ["1", "2", "3", "4"]);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_is_simulated_in_all_rows_or_in_none() {
    use serde_json::json;
    let folder = folder("simulated-rows");
    let store = open(&folder.join("a.sqlite")).await;
    let row_of = |id: &str, simulated: serde_json::Value| {
        let number = json!(id.parse::<i64>().unwrap());
        row(id, &[("person", json!("code")), ("number", number), ("simulated", simulated)])
    };
    for lines in [
        [row_of("1", json!("slips-1")), row_of("2", json!(null))],
        // The person is known from the first row of the earlier table.
        [row_of("1", json!("slips-1")), row_of("2", json!("slips-2"))],
        [row_of("2", json!("slips-1")), row_of("1", json!(null))],
    ] {
        let error = import_lines(&folder, &*store, &lines).await.unwrap_err().to_string();
        assert!(error.contains("row 2") && error.contains("is simulated by slips-1"), "{error}");
    }
    let lines = [row_of("3", json!(null))];
    let error = import_lines(&folder, &*store, &lines).await.unwrap_err().to_string();
    assert!(error.contains("row 1") && error.contains("its play is not simulated"), "{error}");
    assert_eq!(store.plays("", 10).await.unwrap().len(), 2);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_without_its_head_is_refused_and_one_without_plays_is_not() {
    let folder = folder("heads");
    let store = open(&folder.join("a.sqlite")).await;
    let table = folder.join("plays.csv");
    export(&*store, Format::Csv, File::create(&table).unwrap()).await.unwrap();
    let imported = import(&*store, Format::Csv, File::open(&table).unwrap()).await.unwrap();
    assert_eq!(imported, Imported::default());
    let head = std::fs::read_to_string(&table).unwrap();
    assert!(head.starts_with("id,person,name,") && head.lines().count() == 1, "{head}");
    for (text, column) in [("", "id"), ("\n", "id"), (&*head.replace("moves", "muves"), "moves")] {
        std::fs::write(&table, text).unwrap();
        let error = import(&*store, Format::Csv, File::open(&table).unwrap()).await.unwrap_err();
        assert!(error.to_string().contains(&format!("no column {column}")), "{error}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
