//! Databases of earlier versions, which are brought to the present one with all that they hold.

use crate::fixtures::{group, is_summarised, person, play};
use crate::support::Postgres;
use hyperslide_plays::{Firsts, Group, Kind, Players, connect};

/// The tables of the first version, with data. This text is never changed.
const FIRST_SCHEMA: &[&str] = &[
    "CREATE TABLE version (version BIGINT NOT NULL)",
    "INSERT INTO version (version) VALUES (1)",
    "CREATE TABLE people (id {number}, name TEXT NOT NULL, secret TEXT NOT NULL UNIQUE,
        consent BIGINT NOT NULL, day BIGINT NOT NULL)",
    "CREATE TABLE issued (id TEXT PRIMARY KEY, person BIGINT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
        puzzle TEXT NOT NULL, kind TEXT NOT NULL, issued_ms BIGINT NOT NULL)",
    "CREATE TABLE plays (id TEXT PRIMARY KEY, person BIGINT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
        puzzle TEXT NOT NULL, kind TEXT NOT NULL, control TEXT NOT NULL, moves TEXT NOT NULL,
        length BIGINT NOT NULL, ms BIGINT NOT NULL, solved BOOLEAN NOT NULL, helped BOOLEAN NOT NULL,
        day BIGINT NOT NULL)",
    "CREATE INDEX plays_of_person ON plays (person, id)",
    "CREATE INDEX plays_of_puzzle ON plays (puzzle, length, ms, id)",
    "INSERT INTO people (name, secret, consent, day) VALUES ('calm-owl-123', 'd1', 1, 20000)",
    "INSERT INTO people (name, secret, consent, day) VALUES ('keen-yak-456', 'd2', 1, 20001)",
    "INSERT INTO issued VALUES ('s', 2, 'grid:2:2 1,2,0,3 -> 1,2,3,0', 'timed', 5)",
    "INSERT INTO plays VALUES ('b', 1, 'grid:2:2 1,2,0,3 -> 1,2,3,0', 'timed', 'keys', '3-2@500', 1, 500,
        TRUE, FALSE, 20000)",
    "INSERT INTO plays VALUES ('a', 1, 'grid:2:2 1,2,0,3 -> 1,2,3,0', 'timed', 'keys',
        '3-2@500 2-3@1 3-2@1', 3, 502, TRUE, FALSE, 20001)",
    "INSERT INTO plays VALUES ('c', 2, 'cube:3:2 edge a=0 -> a=7', 'explore', 'touch', '0-1@9', 1, 9,
        FALSE, TRUE, 20002)",
];

/// Everything of the first version is there in the present one, and in its place.
async fn is_migrated(address: &str) {
    let store = connect(address).await.unwrap();
    let plays = store.plays("", 10).await.unwrap();
    let facts: Vec<_> = plays
        .iter()
        .map(|(play, person)| {
            let Group { board, tokens, kind, .. } = &play.group;
            (play.id.as_str(), person.name.as_str(), board.as_str(), *tokens, *kind, play.multi)
        })
        .collect();
    assert_eq!(
        facts,
        [
            ("a", "calm-owl-123", "grid:2:2", 3, Kind::Timed, Some(3)),
            ("b", "calm-owl-123", "grid:2:2", 3, Kind::Timed, Some(1)),
            ("c", "keen-yak-456", "cube:3:2 edge", 1, Kind::Explore, None),
        ]
    );
    let codes: Vec<&str> = plays.iter().map(|(_, person)| person.code.as_str()).collect();
    assert!(codes[0] == codes[1] && codes[1] != codes[2] && codes[0].len() == 16, "{codes:?}");
    // The day orders plays whose names do not.
    let ranked = store.ranked(&plays[0].0.group).await.unwrap();
    assert_eq!(ranked.iter().map(|play| play.id.as_str()).collect::<Vec<_>>(), ["b", "a"]);
    let firsts = store.firsts(&plays[0].0.puzzle, Players::People).await.unwrap();
    assert_eq!(firsts, Firsts { lengths: vec![(1, 1)], tenths: vec![(5, 1)] });
    is_summarised(&*store, &plays[0].0.group, 1, 0).await;
    assert_eq!(store.issued("s").await.unwrap().unwrap().person, 2);
    let known = store.person("d1").await.unwrap().unwrap();
    assert!(store.add_play(&play("d", known.id, 2, 900)).await.unwrap());
    store.close().await.unwrap();
    // A second start of the program changes nothing.
    let again = connect(address).await.unwrap();
    assert_eq!(again.plays("", 10).await.unwrap().len(), 4);
    assert_eq!(again.person("d1").await.unwrap(), Some(known));
}

#[tokio::test(flavor = "multi_thread")]
async fn databases_of_the_first_version_are_migrated() {
    use sqlx::AssertSqlSafe;
    let file = std::env::temp_dir().join(format!("hyperslide-first-{}.sqlite", std::process::id()));
    let _ = std::fs::remove_file(&file);
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&file).create_if_missing(true);
    let pool = sqlx::SqlitePool::connect_with(options).await.unwrap();
    for statement in FIRST_SCHEMA {
        let statement = statement.replace("{number}", "INTEGER PRIMARY KEY AUTOINCREMENT");
        sqlx::query(AssertSqlSafe(statement)).execute(&pool).await.unwrap();
    }
    pool.close().await;
    is_migrated(&format!("sqlite:{}", file.display())).await;
    std::fs::remove_file(&file).unwrap();

    let server = Postgres::start();
    let pool = sqlx::PgPool::connect(&server.address).await.unwrap();
    for statement in FIRST_SCHEMA {
        let statement = statement.replace("{number}", "BIGSERIAL PRIMARY KEY");
        sqlx::query(AssertSqlSafe(statement)).execute(&pool).await.unwrap();
    }
    pool.close().await;
    is_migrated(&server.address).await;
}

/// What the second version did not have.
const BACK_TO_THE_SECOND: &[&str] = &[
    "DROP TABLE standings",
    "DROP TABLE first_counts",
    "CREATE INDEX first_lengths ON plays (puzzle, simulated, length) WHERE first",
    "UPDATE version SET version = 2",
];

/// The summaries of a database that had none are those of one that always had them.
async fn is_summarised_anew(address: &str, go_back: impl AsyncFnOnce(&str)) {
    let store = connect(address).await.unwrap();
    for name in ["ada", "ben"] {
        let who = store.add_person(&person(name)).await.unwrap();
        for number in 0..7i64 {
            let play = play(&format!("{name}{number}"), who, 9 - number, 100 * (9 + number % 3));
            assert!(store.add_play(&play).await.unwrap());
        }
    }
    let puzzle = &play("", 0, 0, 0).puzzle;
    let before = (
        store.firsts(puzzle, Players::People).await.unwrap(),
        store.best(&group(), 9).await.unwrap(),
    );
    assert_eq!((before.0.lengths.as_slice(), before.1.people), ([(9, 2)].as_slice(), 2));
    store.close().await.unwrap();
    go_back(address).await;
    let store = connect(address).await.unwrap();
    let after = (
        store.firsts(puzzle, Players::People).await.unwrap(),
        store.best(&group(), 9).await.unwrap(),
    );
    assert_eq!(after, before);
    is_summarised(&*store, &group(), 2, 0).await;
}

/// Both databases are migrated after they went back to a version by these statements.
async fn are_migrated(version: &str, back: &[&'static str]) {
    let name = format!("hyperslide-{version}-{}.sqlite", std::process::id());
    let file = std::env::temp_dir().join(name);
    let _ = std::fs::remove_file(&file);
    is_summarised_anew(&format!("sqlite:{}", file.display()), async |address| {
        let pool = sqlx::SqlitePool::connect(address).await.unwrap();
        for statement in back {
            sqlx::query(*statement).execute(&pool).await.unwrap();
        }
        pool.close().await;
    })
    .await;
    std::fs::remove_file(&file).unwrap();
    let server = Postgres::start();
    is_summarised_anew(&server.address, async |address| {
        let pool = sqlx::PgPool::connect(address).await.unwrap();
        for statement in back {
            sqlx::query(*statement).execute(&pool).await.unwrap();
        }
        pool.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn databases_of_the_second_version_are_migrated() {
    are_migrated("second", BACK_TO_THE_SECOND).await;
}

/// What an import left behind in the third version: first solutions in the order in which they
/// came, and speeds that count the first move, with which the clock starts.
const BACK_TO_THE_THIRD: &[&str] = &[
    "UPDATE plays SET first = (number = 3)",
    "DELETE FROM first_counts",
    "INSERT INTO first_counts SELECT puzzle, simulated, 'length', length, COUNT(*)
        FROM plays WHERE first GROUP BY puzzle, simulated, length",
    "INSERT INTO first_counts SELECT puzzle, simulated, 'tenth', ms / 100, COUNT(*)
        FROM plays WHERE first GROUP BY puzzle, simulated, ms / 100",
    "UPDATE standings SET most_per_second = 1000",
    "UPDATE version SET version = 3",
];

#[tokio::test(flavor = "multi_thread")]
async fn databases_of_the_third_version_are_migrated() {
    are_migrated("third", BACK_TO_THE_THIRD).await;
}
