//! What is asked of PostgreSQL alone: other programs' tables, restores that are planned well, and
//! roles that may not do everything.

use hyperslide_plays::{Copied, NewPerson, Players, StoreError, connect, connect_to_read};

use crate::fixtures::{file_of_its_own, forget, group, is_summarised, person, play};
use crate::support::Postgres;

/// Tables of other programs that have a name of ours.
const FOREIGN: &[(&str, &[&str])] = &[
    (
        "people",
        &[
            "CREATE TABLE people (id SERIAL, name TEXT, email TEXT)",
            "INSERT INTO people (name, email) VALUES ('ada', 'ada@example.org')",
        ],
    ),
    (
        "alike",
        &[
            "CREATE TABLE people (id BIGSERIAL PRIMARY KEY, name TEXT NOT NULL, secret TEXT NOT NULL UNIQUE,
             consent BIGINT NOT NULL, day BIGINT NOT NULL)",
            "INSERT INTO people (name, secret, consent, day) VALUES ('ada', 'x', 1, 1)",
        ],
    ),
    ("version", &["CREATE TABLE version (version BIGINT)", "INSERT INTO version VALUES (4)"]),
    ("standings", &["CREATE TABLE standings (id BIGINT)", "INSERT INTO standings VALUES (4)"]),
    ("names", &["CREATE TABLE plays_of_person (id BIGINT)"]),
    (
        "all_four",
        &[
            "CREATE TABLE version (version BIGINT)",
            "INSERT INTO version VALUES (4)",
            "CREATE TABLE people (id BIGINT, name TEXT)",
            "CREATE TABLE issued (id BIGINT, book TEXT)",
            "CREATE TABLE plays (id BIGINT, author TEXT)",
            "INSERT INTO plays VALUES (1, 'Shakespeare')",
        ],
    ),
];

/// Where another program has a table of a name of ours, everything stays as it is.
#[tokio::test(flavor = "multi_thread")]
async fn tables_of_other_programs_are_left_alone() {
    use sqlx::AssertSqlSafe;
    let server = Postgres::start();
    let pool = sqlx::PgPool::connect(&server.address).await.unwrap();
    for (name, statements) in FOREIGN {
        let create = format!("CREATE DATABASE {name}_of_others");
        sqlx::query(AssertSqlSafe(create)).execute(&pool).await.unwrap();
        let (host, _) = server.address.rsplit_once('/').unwrap();
        let address = format!("{host}/{name}_of_others");
        let foreign = sqlx::PgPool::connect(&address).await.unwrap();
        for statement in *statements {
            sqlx::query(*statement).execute(&foreign).await.unwrap();
        }
        let all = async || -> Vec<(String, String, i64)> {
            let columns = "SELECT relname::text, attname::text, (xpath('/row/c/text()', query_to_xml(
                format('SELECT COUNT(*) AS c FROM %I', relname), TRUE, TRUE, '')))[1]::text::bigint
                FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
                WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND attnum > 0 ORDER BY 1, 2";
            sqlx::query_as(columns).fetch_all(&foreign).await.unwrap()
        };
        let before = all().await;
        for refused in [connect(&address).await.err(), connect_to_read(&address).await.err()] {
            let error = refused.unwrap_or_else(|| panic!("{name} is taken over"));
            assert!(matches!(error, StoreError::NoPlays), "{name}: {error}");
        }
        assert_eq!(all().await, before, "{name}");
    }
}

/// PostgreSQL knows how many plays were restored when it looks for first solutions among them, even
/// though somebody let it count the table while it saw none.
#[tokio::test(flavor = "multi_thread")]
async fn restored_plays_are_counted_for_the_planner() {
    let server = Postgres::start();
    let store = connect(&server.address).await.unwrap();
    let file = file_of_its_own("counted");
    let backup = connect(&format!("sqlite:{}", file.display())).await.unwrap();
    let mut plays = Vec::new();
    for name in ["ada", "ben", "robot"] {
        let policy = (name == "robot").then(|| "a policy".to_owned());
        let who = NewPerson { simulated: policy, ..person(name) };
        let who = backup.add_person(&who).await.unwrap();
        plays.extend((0..201).map(|number| play(&format!("{name}{number}"), who, 9, 900 + number)));
    }
    assert_eq!(backup.add_plays(&plays).await.unwrap(), 603);
    let pool = sqlx::PgPool::connect(&server.address).await.unwrap();
    let (sender, receiver) = tokio::sync::mpsc::channel(4);
    let sends = async {
        tokio::time::sleep(std::time::Duration::from_millis(300)).await;
        sqlx::query("ANALYZE plays").execute(&pool).await.unwrap();
        backup.send_all(sender).await.unwrap();
    };
    let (restored, ()) = tokio::join!(store.replace_all(receiver), sends);
    assert_eq!(restored.unwrap(), Copied { people: 3, plays: 603 });
    let counted = "SELECT reltuples::bigint FROM pg_class WHERE oid = 'plays'::regclass";
    let counted: i64 = sqlx::query_scalar(counted).fetch_one(&pool).await.unwrap();
    assert_eq!(counted, 603);
    is_summarised(&*store, &group(), 3, 1).await;
    for players in [Players::People, Players::Simulated] {
        let puzzle = &plays[0].puzzle;
        let expected = backup.firsts(puzzle, players).await.unwrap();
        assert_eq!(store.firsts(puzzle, players).await.unwrap(), expected);
    }
    backup.close().await.unwrap();
    std::fs::remove_file(&file).unwrap();
}

/// A role that owns nothing serves what is up to date.
#[tokio::test(flavor = "multi_thread")]
async fn who_may_change_rows_only_serves_what_is_up_to_date() {
    let server = Postgres::start();
    let owner = connect(&server.address).await.unwrap();
    let pool = sqlx::PgPool::connect(&server.address).await.unwrap();
    for statement in [
        "CREATE ROLE clerk LOGIN",
        "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO clerk",
        "GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO clerk",
    ] {
        sqlx::query(statement).execute(&pool).await.unwrap();
    }
    let address = server.address.replace("postgres@", "clerk@");
    let clerk = connect(&address).await.unwrap();
    let who = clerk.add_person(&person("ada")).await.unwrap();
    assert!(clerk.add_play(&play("p1", who, 3, 300)).await.unwrap());
    is_summarised(&*owner, &group(), 1, 0).await;
    assert_eq!(forget(&*clerk, who, "ada").await, 1);
    // What is not, it cannot bring up to date.
    sqlx::query("DROP TABLE standings").execute(&pool).await.unwrap();
    sqlx::query("UPDATE version SET version = 2").execute(&pool).await.unwrap();
    assert!(connect(&address).await.is_err());
    pool.close().await;
}

/// What only reads changes nothing in a database of PostgreSQL: neither an empty one, nor one of
/// an earlier version.
#[tokio::test(flavor = "multi_thread")]
async fn what_only_reads_changes_nothing() {
    let server = Postgres::start();
    let address = server.address.as_str();
    let pool = sqlx::PgPool::connect(address).await.unwrap();
    let tables = async || -> i64 {
        let count = "SELECT COUNT(*) FROM pg_tables WHERE schemaname = 'public'";
        sqlx::query_scalar(count).fetch_one(&pool).await.unwrap()
    };
    let error = connect_to_read(address).await.err().unwrap();
    assert!(matches!(error, StoreError::NoPlays), "{error}");
    assert_eq!(tables().await, 0);

    let store = connect(address).await.unwrap();
    let who = store.add_person(&person("eve")).await.unwrap();
    let reading = connect_to_read(address).await.unwrap();
    assert_eq!(reading.person("digest of eve").await.unwrap().unwrap().id, who);
    assert!(reading.add_person(&person("fay")).await.is_err());
    assert_eq!(forget(&*store, who, "eve").await, 0);

    for (version, is_refused) in [(3, StoreError::Earlier(3)), (99, StoreError::Version(99))] {
        sqlx::query("UPDATE version SET version = $1").bind(version).execute(&pool).await.unwrap();
        let error = connect_to_read(address).await.err().unwrap();
        assert_eq!(error.to_string(), is_refused.to_string());
    }
    let tables_before = tables().await;
    sqlx::query("UPDATE version SET version = 4").execute(&pool).await.unwrap();
    connect_to_read(address).await.unwrap();
    assert_eq!(tables().await, tables_before);
    pool.close().await;
}
