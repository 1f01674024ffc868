//! What every database of plays must do, tried on SQLite and on PostgreSQL.

use std::collections::BTreeSet;

use crate::fixtures::{file_of_its_own, forget, group, is_summarised, person, play};
use crate::support::Postgres;
use hyperslide_plays::{
    BestList, Control, Copied, Firsts, Group, GroupCount, Issued, KeptPlay, Kind, NewPerson, Part,
    Person, Players, RankedPlay, Record, Store, StoreError, connect,
};

async fn keeps_its_contract(store: &dyn Store) {
    let ada = store.add_person(&person("ada")).await.unwrap();
    let ben = store.add_person(&person("ben'; --")).await.unwrap();
    assert_ne!(ada, ben);
    // A secret belongs to one person.
    assert!(matches!(store.add_person(&person("ada")).await, Err(StoreError::Database(_))));
    let found = store.person("digest of ben'; --").await.unwrap();
    let known = Person {
        id: ben,
        name: "ben'; --".to_owned(),
        code: "code of ben'; --".to_owned(),
        simulated: None,
    };
    assert_eq!(found, Some(known.clone()));
    assert_eq!(store.person_by_code(&known.code).await.unwrap(), Some(known));
    assert_eq!(store.person("digest of nobody").await.unwrap(), None);
    assert_eq!(store.person_by_code("nobody").await.unwrap(), None);

    // Plays come back as they were, once each.
    let first = play("p1", ada, 5, 900);
    assert!(store.add_play(&first).await.unwrap());
    assert!(!store.add_play(&KeptPlay { length: 1, ..first.clone() }).await.unwrap());
    let kept = KeptPlay { number: 1, ..first.clone() };
    assert_eq!(store.plays_of(ada, "", 10).await.unwrap(), [kept]);
    for (id, person, length, ms) in
        [("p4", ada, 4, 800), ("p2", ben, 4, 700), ("p3", ada, 5, i64::MAX)]
    {
        assert!(store.add_play(&play(id, person, length, ms)).await.unwrap());
    }
    let unsolved = KeptPlay {
        solved: false,
        group: Group { kind: Kind::Explore, blind: true, ..group() },
        multi: None,
        helped: true,
        moves: String::new(),
        ..play("p5", ben, 0, 0)
    };
    assert!(store.add_play(&unsolved).await.unwrap());
    let unsolved = KeptPlay { number: 2, ..unsolved };
    assert_eq!(store.plays_of(ben, "p2", 10).await.unwrap(), [unsolved]);

    // The best come first, and only what ends in the goal is a solution.
    let names = |plays: &[(KeptPlay, Person)]| -> Vec<(String, String)> {
        plays.iter().map(|(play, person)| (play.id.clone(), person.name.clone())).collect()
    };
    let best = store.solutions(&first.puzzle, true, 3).await.unwrap();
    let expected = [("p2", "ben'; --"), ("p4", "ada"), ("p1", "ada")];
    assert_eq!(names(&best), expected.map(|(id, name)| (id.to_owned(), name.to_owned())));
    assert!(store.solutions("another", true, 3).await.unwrap().is_empty());

    // All plays can be read in parts.
    let mut all = Vec::new();
    loop {
        let after =
            all.last().map_or(String::new(), |(play, _): &(KeptPlay, Person)| play.id.clone());
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
        blind: true,
        issued_ms: 1_700_000_000_123,
    };
    store.issue(&start).await.unwrap();
    let second = Issued { id: "s2".to_owned(), issued_ms: 1, ..start.clone() };
    store.issue(&second).await.unwrap();
    let record = Record { consent: 1, day: 20_000, starts: vec![second, start.clone()] };
    assert_eq!(store.record(ada).await.unwrap(), Some(record));
    assert_eq!(store.record(ada + 1000).await.unwrap(), None);
    assert_eq!(store.issued("s1").await.unwrap().as_ref(), Some(&start));
    assert_eq!(store.take("s1").await.unwrap().as_ref(), Some(&start));
    assert_eq!(store.take("s1").await.unwrap(), None);

    // A ranked play takes its start with it, once, and only its person's.
    let third = Issued { id: "s3".to_owned(), ..start.clone() };
    store.issue(&third).await.unwrap();
    assert!(!store.keep_ranked("s3", &play("s3", ben, 3, 300)).await.unwrap());
    assert!(store.keep_ranked("s3", &play("s3", ada, 3, 300)).await.unwrap());
    assert!(!store.keep_ranked("s3", &play("s3b", ada, 2, 200)).await.unwrap());
    assert_eq!(store.issued("s3").await.unwrap(), None);
    let (found, whose) = store.play("s3").await.unwrap().unwrap();
    assert_eq!((found, whose.id), (KeptPlay { number: 4, ..play("s3", ada, 3, 300) }, ada));
    assert_eq!(store.play("s3b").await.unwrap(), None);

    // Best lists have the plays of a group, person by person, in the order in which they were made.
    let ranked = store.ranked(&group()).await.unwrap();
    let mut order: Vec<(i64, &str)> = Vec::new();
    order.extend(ranked.iter().map(|play| (play.person, play.id.as_str())));
    assert_eq!(order, [(ada, "p1"), (ada, "p4"), (ada, "p3"), (ada, "s3"), (ben, "p2")]);
    let other = Group { control: Control::Keys, ..group() };
    assert!(store.ranked(&other).await.unwrap().is_empty());
    let counted = GroupCount { group: group(), plays: 5, simulated: 0 };
    assert_eq!(store.groups().await.unwrap(), [counted]);
    is_summarised(store, &group(), 2, 0).await;
    assert_eq!(store.best(&group(), 1).await.unwrap().best[0].1.name, "ada");
    assert_eq!(store.best(&other, 9).await.unwrap(), BestList::default());

    // The first solution of each person counts, without help; simulated ones are counted apart.
    let policy = Some("a policy".to_owned());
    let robot = NewPerson { secret: None, simulated: policy.clone(), ..person("robot") };
    let robot = store.add_person(&robot).await.unwrap();
    let added = [play("r1", robot, 9, 950), play("p1", robot, 9, 950), play("r2", robot, 1, 5)];
    assert_eq!(store.add_plays(&added).await.unwrap(), 2);
    assert_eq!(store.play("r1").await.unwrap().unwrap().1.simulated, policy);
    // The shortest one is the robot's, and does not take the place of people's.
    for (with_simulated, shortest) in [(true, "robot"), (false, "ada")] {
        let best = store.solutions(&first.puzzle, with_simulated, 1).await.unwrap();
        assert_eq!(best.iter().map(|(_, person)| &person.name).collect::<Vec<_>>(), [shortest]);
    }
    let all = store.solutions(&first.puzzle, false, 100).await.unwrap();
    let costs: Vec<_> = all.iter().map(|(play, _)| (play.length, play.ms)).collect();
    let solvers: BTreeSet<i64> = all.iter().map(|(play, _)| play.person).collect();
    assert!(costs.len() > solvers.len(), "somebody solved it twice");
    for limit in [1, 100] {
        let least = costs[..costs.len().min(limit)].to_vec();
        let found = store.solution_costs(&first.puzzle, limit as u32).await.unwrap();
        assert_eq!(found, (solvers.len() as i64, least));
    }
    assert_eq!(store.solution_costs("another", 3).await.unwrap(), (0, Vec::new()));
    let helped = KeptPlay { helped: true, ..play("p6", ben, 1, 100) };
    assert!(store.add_play(&helped).await.unwrap());
    // What was shown to somebody is no solution of theirs.
    let best = store.solutions(&first.puzzle, true, 100).await.unwrap();
    assert!(best.iter().all(|(play, _)| !play.helped));
    assert!(store.solution_costs(&first.puzzle, 1).await.unwrap().1[0].0 > 1);
    let firsts = store.firsts(&first.puzzle, Players::People).await.unwrap();
    assert_eq!(firsts, Firsts { lengths: vec![(4, 1), (5, 1)], tenths: vec![(7, 1), (9, 1)] });
    let firsts = store.firsts(&first.puzzle, Players::Simulated).await.unwrap();
    assert_eq!(firsts, Firsts { lengths: vec![(9, 1)], tenths: vec![(9, 1)] });
    assert_eq!(
        store.first_moves(&first.puzzle, Players::Simulated, 9, 200).await.unwrap(),
        ["0-7@500"]
    );
    assert_eq!(store.groups().await.unwrap()[0].simulated, 2);
    is_summarised(store, &group(), 3, 1).await;
    assert_eq!(forget(store, robot, "robot").await, 2);
    assert!(store.is_forgotten("code of robot").await.unwrap());

    is_summarised(store, &group(), 2, 0).await;
    assert_eq!(store.firsts(&first.puzzle, Players::Simulated).await.unwrap(), Firsts::default());

    // Nothing is left of who is forgotten, and nothing is lost of others.
    assert_eq!(forget(store, ada, "ada").await, 4);
    is_summarised(store, &group(), 1, 0).await;
    let firsts = store.firsts(&first.puzzle, Players::People).await.unwrap();
    assert_eq!(firsts, Firsts { lengths: vec![(4, 1)], tenths: vec![(7, 1)] });
    assert!(store.is_forgotten("code of ada").await.unwrap());
    assert!(!store.is_forgotten("code of ben'; --").await.unwrap());
    assert_eq!(store.person("digest of ada").await.unwrap(), None);
    assert_eq!(store.take("s2").await.unwrap(), None);
    assert_eq!(store.plays("", 10).await.unwrap().len(), 3);
    assert_eq!(forget(store, ada, "ada").await, 0);
    // A play of nobody is refused.
    assert!(store.add_play(&play("p9", ada, 1, 1)).await.is_err());
}

/// A page ends once the moves in it reach a megabyte.
async fn pages_are_bounded(store: &dyn Store) {
    let who = store.add_person(&person("long")).await.unwrap();
    for number in 0..5 {
        let (id, moves) = (format!("long {number}"), "13-5@86400000 ".repeat(20_000));
        assert!(store.add_play(&KeptPlay { moves, ..play(&id, who, 7, 900) }).await.unwrap());
    }
    for (after, expected) in [("", 4), ("long 3", 1), ("long 4", 0)] {
        assert_eq!(store.plays_of(who, after, 10).await.unwrap().len(), expected, "{after}");
    }
    assert_eq!(store.plays_of(who, "", 2).await.unwrap().len(), 2);
    // All but the last play of a page take less than a megabyte.
    let before_the_last = |sizes: &[usize]| sizes.iter().rev().skip(1).sum::<usize>();
    let (mut after, mut sizes) = (String::new(), Vec::new());
    loop {
        let page = store.plays(&after, 100).await.unwrap();
        let Some((last, _)) = page.last() else { break };
        after.clone_from(&last.id);
        let page: Vec<usize> = page.iter().map(|(play, _)| play.moves.len()).collect();
        assert!(before_the_last(&page) < 1_000_000, "{page:?}");
        sizes.extend(page);
    }
    assert_eq!(sizes.iter().filter(|&&size| size == 280_000).count(), 5, "{sizes:?}");
    let best = store.solutions(&play("", who, 7, 900).puzzle, true, 100).await.unwrap();
    let best: Vec<usize> = best.iter().map(|(play, _)| play.moves.len()).collect();
    assert!(best.len() < sizes.len() && before_the_last(&best) < 1_000_000, "{best:?}");
    let (sender, mut parts) = tokio::sync::mpsc::channel(1);
    let receives = async {
        let mut sent = 0;
        while let Some(part) = parts.recv().await {
            let Part::Plays(plays) = part else { continue };
            let part: Vec<usize> = plays.iter().map(|play| play.moves.len()).collect();
            assert!(before_the_last(&part) < 1_000_000, "{part:?}");
            sent += part.len();
        }
        sent
    };
    let (sent, received) = tokio::join!(store.send_all(sender), receives);
    sent.unwrap();
    assert_eq!(received, sizes.len());
    let begun =
        store.first_moves(&play("", who, 7, 900).puzzle, Players::People, 9, 2).await.unwrap();
    assert!(begun.contains(&"13-5@86400000 13-5@86400000".to_owned()), "{begun:?}");
    assert_eq!(forget(store, who, "long").await, 5);
}

/// Copies everything into another database and back, while somebody goes on writing.
async fn is_copied(store: &dyn Store) {
    let file = file_of_its_own("copy");
    let copy = connect(&format!("sqlite:{}", file.display())).await.unwrap();
    let ben = store.person("digest of ben'; --").await.unwrap().unwrap().id;
    let all = async |store: &dyn Store| -> Vec<(KeptPlay, String)> {
        let plays = store.plays("", 100).await.unwrap();
        // Numbers of people are each database's own.
        let named = plays.into_iter().map(|(play, who)| (KeptPlay { person: 0, ..play }, who.code));
        named.collect()
    };
    let before = all(store).await;
    let copied = hyperslide_plays::copy(store, &*copy).await.unwrap();
    assert_eq!(copied, Copied { people: 1, plays: before.len() as u64 });
    assert_eq!(all(&*copy).await, before);
    let puzzle = &before[0].0.puzzle;
    assert_eq!(
        copy.firsts(puzzle, Players::People).await.unwrap(),
        store.firsts(puzzle, Players::People).await.unwrap()
    );
    let ranked = async |store: &dyn Store| -> Vec<RankedPlay> {
        let plays = store.ranked(&group()).await.unwrap();
        plays.into_iter().map(|play| RankedPlay { person: 0, ..play }).collect()
    };
    assert_eq!(ranked(&*copy).await, ranked(store).await);
    is_summarised(&*copy, &group(), 1, 0).await;
    assert!(copy.is_forgotten("code of ada").await.unwrap());

    // What came after the copy goes when the copy is restored; who was forgotten stays forgotten.
    let late = store.add_person(&person("late")).await.unwrap();
    assert!(store.add_play(&play("late", late, 7, 700)).await.unwrap());
    copy.add_person(&person("gone")).await.unwrap();
    let gone = copy.person("digest of gone").await.unwrap().unwrap().id;
    assert!(copy.add_play(&play("gone", gone, 7, 700)).await.unwrap());
    let there = store.add_person(&person("gone")).await.unwrap();
    forget(store, there, "gone").await;
    hyperslide_plays::copy(&*copy, store).await.unwrap();
    assert_eq!(all(store).await, before);
    is_summarised(store, &group(), 1, 0).await;
    // Numbers of people go on after those that were copied.
    let next = store.add_person(&person("next")).await.unwrap();
    assert!(next > ben);
    assert_eq!(store.person("digest of ben'; --").await.unwrap().map(|known| known.id), Some(ben));
    assert!(store.add_play(&play("next", next, 7, 700)).await.unwrap());
    forget(store, next, "next").await;

    // A copy that breaks off leaves everything as it was.
    let (sender, receiver) = tokio::sync::mpsc::channel(4);
    drop(sender);
    assert!(store.replace_all(receiver).await.is_err());
    assert_eq!(all(store).await, before);
    copy.close().await.unwrap();
    std::fs::remove_file(&file).unwrap();
}

/// A number of a person is nobody else's, whatever is restored: what waits while a backup is
/// restored carries one.
async fn keeps_numbers_apart(store: &dyn Store, again: &dyn Store) {
    for round in 0..2 {
        let file = file_of_its_own("numbers");
        let copy = connect(&format!("sqlite:{}", file.display())).await.unwrap();
        // People of the backup have other numbers than here; one of them is known here.
        for number in 0..50 {
            let name = format!("backed up {round} {number}");
            let who = copy.add_person(&person(&name)).await.unwrap();
            assert!(copy.add_play(&play(&name, who, 3, 300)).await.unwrap());
        }
        let known = format!("known {round}");
        let there = copy.add_person(&person(&known)).await.unwrap();
        assert!(copy.add_play(&play(&known, there, 3, 300)).await.unwrap());
        let here = store.add_person(&person(&known)).await.unwrap();
        assert_ne!(here, there);
        let mut others = Vec::new();
        for number in 0..60 {
            let name = format!("only here {round} {number}");
            others.push(store.add_person(&person(&name)).await.unwrap());
        }
        // Their plays and starts arrive while the backup is restored, and when it is.
        let (sender, receiver) = tokio::sync::mpsc::channel(4);
        let restored = store.replace_all(receiver);
        let waits = async {
            tokio::time::sleep(std::time::Duration::from_millis(300)).await;
            let who = *others.last().unwrap();
            again.add_play(&play("waited", who, 3, 300)).await
        };
        let sends = async {
            tokio::time::sleep(std::time::Duration::from_millis(900)).await;
            copy.send_all(sender).await
        };
        let (restored, waited, sent) = tokio::join!(restored, waits, sends);
        sent.unwrap();
        assert_eq!(restored.unwrap().people, 51);
        assert!(waited.is_err(), "the play of somebody who is not there any more is kept");
        for (place, &who) in others.iter().enumerate() {
            let lost = store.add_play(&play("lost", who, 3, 300)).await;
            assert!(matches!(lost, Err(StoreError::UnknownPerson)), "{lost:?}");
            assert_eq!(forget(store, who, &format!("only here {round} {place}")).await, 0);
            let start = Issued {
                id: "lost".to_owned(),
                person: who,
                puzzle: "cube:3:2 a=0 -> a=7".to_owned(),
                kind: Kind::Timed,
                blind: false,
                issued_ms: 1_700_000_000_000,
            };
            assert!(matches!(store.issue(&start).await, Err(StoreError::UnknownPerson)));
            assert!(store.plays_of(who, "", 9).await.unwrap().is_empty());
        }
        // Who wanted to be forgotten is, whatever is restored later.
        assert!(store.is_forgotten(&format!("code of only here {round} 7")).await.unwrap());
        // Who is known in both has the same number as before.
        assert_eq!(
            store.person_by_code(&format!("code of {known}")).await.unwrap().unwrap().id,
            here
        );
        assert!(store.add_play(&play(&format!("late {round}"), here, 3, 300)).await.unwrap());
        assert_eq!(store.plays_of(here, "", 9).await.unwrap().len(), 2);
        let plays = store.plays("", 1000).await.unwrap();
        assert_eq!(plays.len(), 52);
        for (play, person) in plays.iter().filter(|(play, _)| !play.id.starts_with("late")) {
            assert_eq!(play.id, person.name);
        }
        copy.close().await.unwrap();
        std::fs::remove_file(&file).unwrap();
    }
}

/// While a backup is being restored plays that arrive are refused, and they are not kept later.
async fn refuses_while_it_is_restored(store: &dyn Store, again: &dyn Store) {
    let who = store.add_person(&person("patient")).await.unwrap();
    let (sender, receiver) = tokio::sync::mpsc::channel(4);
    let restored = store.replace_all(receiver);
    let arrives = async {
        tokio::time::sleep(std::time::Duration::from_millis(300)).await;
        let play = play("refused", who, 3, 300);
        let limit = std::time::Duration::from_secs(15);
        let refused = tokio::time::timeout(limit, again.add_play(&play)).await;
        // Readers see what was there before.
        let known = again.person("digest of patient").await.unwrap();
        drop(sender);
        (refused, known)
    };
    let (restored, (refused, known)) = tokio::join!(restored, arrives);
    assert!(restored.is_err(), "it broke off");
    assert!(matches!(refused, Ok(Err(StoreError::Busy))), "{refused:?}");
    assert_eq!(known.map(|known| known.id), Some(who));
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    assert!(store.play("refused").await.unwrap().is_none());
}

/// The first solution of each person is the one with the least number, in whatever order plays
/// come.
async fn counts_first_solutions_by_number(store: &dyn Store) {
    let (ada, ben) = (person("first ada"), person("first ben"));
    let (ada, ben) = (store.add_person(&ada).await.unwrap(), store.add_person(&ben).await.unwrap());
    let puzzle = "grid:2:2 1,2,0,3 -> 1,2,3,0";
    let of = |id: &str, person: i64, number: i64, length: i64| KeptPlay {
        number,
        puzzle: puzzle.to_owned(),
        ..play(id, person, length, 100 * length)
    };
    let helped = KeptPlay { helped: true, ..of("f0", ada, 1, 1) };
    let counts = async || store.firsts(puzzle, Players::People).await.unwrap().lengths;
    assert_eq!(store.add_plays(&[of("f1", ada, 4, 4), of("f2", ben, 9, 9)]).await.unwrap(), 2);
    assert_eq!(counts().await, [(4, 1), (9, 1)]);
    assert_eq!(store.add_plays(&[of("f3", ada, 3, 9), helped]).await.unwrap(), 2);
    assert_eq!(counts().await, [(9, 2)]);
    assert_eq!(store.add_plays(&[of("f4", ada, 7, 5), of("f5", ada, 2, 6)]).await.unwrap(), 2);
    // Of two with the same number the name decides, as it does wherever plays are in order.
    assert_eq!(store.add_plays(&[of("f6", ben, 9, 8), of("f1b", ben, 9, 7)]).await.unwrap(), 2);
    assert_eq!(counts().await, [(6, 1), (7, 1)]);
    assert!(store.add_play(&of("f7", ada, 0, 1)).await.unwrap());
    assert_eq!(counts().await, [(6, 1), (7, 1)]);
    assert_eq!(store.first_moves(puzzle, Players::People, 9, 200).await.unwrap().len(), 2);
    is_summarised(store, &group(), 2, 0).await;
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
    is_summarised(&*stores[0], &group(), 2, 0).await;
    assert_eq!(stores[1].plays_of(who, "", 100).await.unwrap().len(), 20);
    may_leave_while_playing(&stores).await;
}

/// Somebody who is forgotten while a ranked play of theirs arrives: one of both comes first, and
/// neither fails.
async fn may_leave_while_playing(stores: &[Box<dyn Store>; 2]) {
    for round in 0..30 {
        let name = format!("leaver {round}");
        let who = stores[0].add_person(&person(&name)).await.unwrap();
        let start = Issued {
            id: name.clone(),
            person: who,
            puzzle: "cube:3:2 a=0 -> a=7".to_owned(),
            kind: Kind::Timed,
            blind: false,
            issued_ms: 1_700_000_000_000,
        };
        stores[0].issue(&start).await.unwrap();
        let ranked = play(&name, who, 3, 300);
        let keep = stores[0].keep_ranked(&name, &ranked);
        let (kept, forgotten) = tokio::join!(keep, forget(&*stores[1], who, &name));
        assert_eq!(u64::from(kept.unwrap()), forgotten, "round {round}");
        assert!(stores[0].play(&name).await.unwrap().is_none());
    }
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
    assert_eq!(again.plays("", 10).await.unwrap().len(), 3);
    pages_are_bounded(&*again).await;
    is_copied(&*again).await;
    withstands_a_crowd(&address).await;
    let store = connect(&address).await.unwrap();
    keeps_numbers_apart(&*store, &*again).await;
    refuses_while_it_is_restored(&*store, &*again).await;
    let other =
        connect(&format!("sqlite:{}", folder.join("firsts.sqlite").display())).await.unwrap();
    counts_first_solutions_by_number(&*other).await;
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
    let store = connect(&server.address).await.unwrap();
    keeps_its_contract(&*store).await;
    pages_are_bounded(&*store).await;
    is_copied(&*store).await;
    withstands_a_crowd(&server.address).await;
    let again = connect(&server.address).await.unwrap();
    keeps_numbers_apart(&*store, &*again).await;
    refuses_while_it_is_restored(&*store, &*again).await;
    let other = Postgres::start();
    counts_first_solutions_by_number(&*connect(&other.address).await.unwrap()).await;
}
