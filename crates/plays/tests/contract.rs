//! What every database of plays must do, tried on SQLite and on PostgreSQL.

mod support;

use hyperslide_plays::{
    Control, Issued, KeptPlay, Kind, NewPerson, Person, Store, StoreError, connect,
};
use support::Postgres;

fn person(name: &str) -> NewPerson {
    NewPerson {
        name: name.to_owned(),
        secret: format!("digest of {name}"),
        consent: 1,
        day: 20_000,
    }
}

fn play(id: &str, person: i64, length: i64, ms: i64) -> KeptPlay {
    KeptPlay {
        id: id.to_owned(),
        person,
        // What people write is data, whatever it looks like.
        puzzle: "cube:3:2 a=0 -> a=7'); DROP TABLE plays; --".to_owned(),
        kind: Kind::Timed,
        control: Control::Touch,
        moves: "0-7@500".to_owned(),
        length,
        ms,
        solved: true,
        helped: false,
        day: 20_001,
    }
}

async fn keeps_its_contract(store: &dyn Store) {
    let ada = store.add_person(&person("ada")).await.unwrap();
    let ben = store.add_person(&person("ben'; --")).await.unwrap();
    assert_ne!(ada, ben);
    // A secret belongs to one person.
    assert!(matches!(store.add_person(&person("ada")).await, Err(StoreError::Database(_))));
    let found = store.person("digest of ben'; --").await.unwrap();
    assert_eq!(found, Some(Person { id: ben, name: "ben'; --".to_owned() }));
    assert_eq!(store.person("digest of nobody").await.unwrap(), None);

    // Plays come back as they were, once each.
    let first = play("p1", ada, 5, 900);
    assert!(store.add_play(&first).await.unwrap());
    assert!(!store.add_play(&KeptPlay { length: 1, ..first.clone() }).await.unwrap());
    assert_eq!(store.plays_of(ada, "", 10).await.unwrap(), std::slice::from_ref(&first));
    for (id, person, length, ms) in
        [("p4", ada, 4, 800), ("p2", ben, 4, 700), ("p3", ada, 5, i64::MAX)]
    {
        assert!(store.add_play(&play(id, person, length, ms)).await.unwrap());
    }
    let unsolved = KeptPlay {
        solved: false,
        kind: Kind::Explore,
        helped: true,
        moves: String::new(),
        ..play("p5", ben, 0, 0)
    };
    assert!(store.add_play(&unsolved).await.unwrap());
    assert_eq!(store.plays_of(ben, "p2", 10).await.unwrap(), [unsolved]);

    // The best come first, and only what ends in the goal is a solution.
    let names = |plays: &[(KeptPlay, String)]| -> Vec<(String, String)> {
        plays.iter().map(|(play, name)| (play.id.clone(), name.clone())).collect()
    };
    let best = store.solutions(&first.puzzle, 3).await.unwrap();
    let expected = [("p2", "ben'; --"), ("p4", "ada"), ("p1", "ada")];
    assert_eq!(names(&best), expected.map(|(id, name)| (id.to_owned(), name.to_owned())));
    assert!(store.solutions("another", 3).await.unwrap().is_empty());

    // All plays can be read in parts.
    let mut all = Vec::new();
    loop {
        let after =
            all.last().map_or(String::new(), |(play, _): &(KeptPlay, String)| play.id.clone());
        let part = store.plays(&after, 2).await.unwrap();
        if part.is_empty() {
            break;
        }
        all.extend(part);
    }
    let ids: Vec<&str> = all.iter().map(|(play, _)| play.id.as_str()).collect();
    assert_eq!(ids, ["p1", "p2", "p3", "p4", "p5"]);

    // A start is used once.
    let start = Issued {
        id: "s1".to_owned(),
        person: ada,
        puzzle: first.puzzle.clone(),
        kind: Kind::Fewest,
        issued_ms: 1_700_000_000_123,
    };
    store.issue(&start).await.unwrap();
    store.issue(&Issued { id: "s2".to_owned(), ..start.clone() }).await.unwrap();
    assert_eq!(store.take("s1").await.unwrap(), Some(start));
    assert_eq!(store.take("s1").await.unwrap(), None);

    // Nothing is left of who is forgotten, and nothing is lost of others.
    assert_eq!(store.forget(ada).await.unwrap(), 3);
    assert_eq!(store.person("digest of ada").await.unwrap(), None);
    assert_eq!(store.take("s2").await.unwrap(), None);
    assert_eq!(store.plays("", 10).await.unwrap().len(), 2);
    assert_eq!(store.forget(ada).await.unwrap(), 0);
    // A play of nobody is refused.
    assert!(store.add_play(&play("p9", ada, 1, 1)).await.is_err());
}

/// Many write at once, and each play is kept once.
async fn withstands_a_crowd(address: &str) {
    let stores = [connect(address).await.unwrap(), connect(address).await.unwrap()];
    let who = stores[0].add_person(&person("crowd")).await.unwrap();
    let stores = std::sync::Arc::new(stores);
    let tasks: Vec<_> = (0..40)
        .map(|number| {
            let stores = std::sync::Arc::clone(&stores);
            tokio::spawn(async move {
                // Two of them keep the same play.
                let play = play(&format!("c{:02}", number / 2), who, 3, 100);
                stores[number % 2].add_play(&play).await.unwrap()
            })
        })
        .collect();
    let mut kept = 0;
    for task in tasks {
        kept += usize::from(task.await.unwrap());
    }
    assert_eq!(kept, 20);
    assert_eq!(stores[1].plays_of(who, "", 100).await.unwrap().len(), 20);
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite() {
    let folder = std::env::temp_dir().join(format!("hyperslide-plays-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("plays.sqlite");
    let address = format!("sqlite:{}", file.display());
    keeps_its_contract(&*connect(&address).await.unwrap()).await;
    // What was kept is there for the next process.
    let again = connect(&address).await.unwrap();
    assert_eq!(again.plays("", 10).await.unwrap().len(), 2);
    withstands_a_crowd(&address).await;
    // A file of something else is refused, and stays as it is.
    let letter = folder.join("letter.txt");
    std::fs::write(&letter, "dear ".repeat(2000)).unwrap();
    assert!(connect(&format!("sqlite:{}", letter.display())).await.is_err());
    assert_eq!(std::fs::read_to_string(&letter).unwrap(), "dear ".repeat(2000));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres() {
    let server = Postgres::start();
    keeps_its_contract(&*connect(&server.address).await.unwrap()).await;
    withstands_a_crowd(&server.address).await;
}

#[tokio::test]
async fn addresses_are_refused_without_telling_the_password() {
    for (address, shown) in [
        ("mysql://ada:secret@host/plays", "mysql://...@host/plays"),
        ("plays.sqlite", "'plays.sqlite'"),
        ("", "''"),
    ] {
        let error = connect(address).await.err().unwrap().to_string();
        assert!(error.contains(shown) && !error.contains("secret"), "{error}");
    }
}
