//! Distance tables: compared with the plain solver, written to disk, and damaged.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, SystemTime};

use hyperslide_puzzle::{Label, Puzzle, State};
use hyperslide_table::{
    Abstraction, BuildOptions, DistanceTable, Encoding, Rest, Signals, Space, StoredContent,
    StoredFile, TableError, TableStore, VerifyOptions, stored_files,
};
use hyperslide_testkit::{Random, random_puzzle};
use rustc_hash::FxHashMap;

fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("hyperslide-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&path).unwrap();
    path
}

fn build(abstraction: Abstraction, encoding: Encoding) -> Result<DistanceTable, TableError> {
    let options = BuildOptions { encoding, ..Default::default() };
    DistanceTable::build(abstraction, &options, &Signals::default(), &mut |_| {
        ControlFlow::Continue(())
    })
}

/// Computes the distances of an abstraction's states by a plain search: 0-1 breadth-first on a hash
/// map.
fn plain(abstraction: &Abstraction) -> FxHashMap<State, u32> {
    let mut distance: FxHashMap<State, u32> =
        abstraction.goals().iter().map(|&goal| (goal, 0)).collect();
    let mut layer: Vec<State> = abstraction.goals().to_vec();
    let board = abstraction.puzzle().board();
    let free = abstraction.free_label();
    let mut depth = 0;
    while !layer.is_empty() {
        let mut next = Vec::new();
        let mut at = 0;
        while at < layer.len() {
            let state = layer[at];
            at += 1;
            if distance[&state] != depth {
                continue;
            }
            for mv in board.legal_moves(&state) {
                if abstraction.walls().contains(mv.from) {
                    continue;
                }
                let is_free = free.is_some() && state.label_at(mv.from) == free;
                let mut to = state;
                to.slide(mv);
                let cost = depth + u32::from(!is_free);
                if distance.get(&to).is_none_or(|&known| known > cost) {
                    distance.insert(to, cost);
                    if is_free { layer.push(to) } else { next.push(to) }
                }
            }
        }
        layer = next;
        depth += 1;
    }
    distance
}

fn compare(table: &DistanceTable, what: &str) {
    let expected = plain(table.abstraction());
    let wanted = |state: &State| {
        expected.get(state).map(|&distance| match table.encoding() {
            Encoding::Mod3 => (distance % 3) as u8,
            Encoding::Byte => distance as u8,
        })
    };
    let numbered = (0..table.space().states()).map(|rank| table.space().unrank(rank));
    // Goal states that the start cannot reach are not numbered, nor is any state that they can
    // reach.
    let reached = expected.keys().copied().filter(|state| table.space().rank(state).is_some());
    for state in numbered.chain(reached) {
        assert_eq!(table.stored(&state), wanted(&state), "{what}: {state:?}");
        for mv in table.abstraction().puzzle().board().legal_moves(&state) {
            let mut next = state;
            next.slide(mv);
            let is_numbered = table.space().rank(&next).is_some();
            let leaves = table.abstraction().walls().contains(mv.from);
            assert!(is_numbered != leaves, "{what}: {state:?} {mv}");
        }
    }
    table
        .verify(
            &VerifyOptions { descents: 20, ..Default::default() },
            &Signals::default(),
            &mut |_| {},
        )
        .unwrap();
}

#[test]
fn tables_of_every_abstraction_are_those_of_the_plain_search() {
    let mut random = Random::new(6);
    let mut built = [0; 5];
    while built.iter().any(|&count| count < 60) {
        let puzzle = random_puzzle(&mut random);
        let names: Vec<String> = puzzle.labels().iter().map(|(_, name)| name.to_owned()).collect();
        let kept: Vec<String> = names.iter().filter(|_| random.once_in(2)).cloned().collect();
        let kind = random.below(5);
        let others: Vec<String> =
            names.iter().filter(|name| !kept.contains(name)).cloned().collect();
        let abstraction = match kind {
            0 => Abstraction::whole(&puzzle),
            1 => Abstraction::new(&puzzle, &kept, &[], Rest::Counted),
            2 => Abstraction::new(&puzzle, &kept, &[], Rest::Free),
            3 => Abstraction::new(&puzzle, &kept, &[], Rest::Absent),
            _ => Abstraction::new(&puzzle, &kept, &others[..others.len() / 2], Rest::Counted),
        };
        let Ok(abstraction) = abstraction else { continue };
        let encoding = if random.once_in(2) { Encoding::Mod3 } else { Encoding::Byte };
        match build(abstraction, encoding) {
            Ok(table) => {
                compare(&table, &format!("{puzzle} keeps {kept:?}, kind {kind}"));
                built[kind] += 1;
            }
            Err(TableError::GoalOutOfReach { .. }) => {}
            Err(error) => panic!("{puzzle}: {error}"),
        }
    }
}

#[test]
fn a_table_plays_optimally() {
    let puzzle = Puzzle::from_line("grid:3:3 8,6,7,2,5,4,3,0,1 -> 1,2,3,4,5,6,7,8,0").unwrap();
    for encoding in [Encoding::Mod3, Encoding::Byte] {
        let table = build(Abstraction::whole(&puzzle).unwrap(), encoding).unwrap();
        // Reinefeld 1993: there are 181,440 states, at distances up to 31.
        assert_eq!(table.layers().total(), 181_440);
        assert_eq!(table.layers().depth(), 31);
        let moves = table.solve(puzzle.start()).unwrap();
        assert_eq!(moves.len(), 31);
        assert!(puzzle.goal().is_met(&puzzle.replay(&moves).unwrap()));
        assert_eq!(table.distance(puzzle.start()), Some(31));
    }
    let other = Puzzle::from_line("grid:3:3 1,2,3,4,5,6,8,7,0 -> 1,2,3,4,5,6,8,7,0").unwrap();
    let table = build(Abstraction::whole(&puzzle).unwrap(), Encoding::Mod3).unwrap();
    assert_eq!(table.solve(other.start()), None, "the other parity is not in the table");
}

#[test]
fn disjoint_kept_tokens_add_up() {
    // Additive pattern databases of the 8-puzzle are admissible, and their sum exceeds each of
    // them.
    let puzzle = Puzzle::from_line("grid:3:3 8,6,7,2,5,4,3,0,1 -> 1,2,3,4,5,6,7,8,0").unwrap();
    let names = |labels: &[&str]| labels.iter().map(|&l| l.to_owned()).collect::<Vec<_>>();
    let part = |labels: &[&str]| {
        let abstraction = Abstraction::new(&puzzle, &names(labels), &[], Rest::Free).unwrap();
        build(abstraction, Encoding::Byte).unwrap()
    };
    let (first, second) = (part(&["1", "2", "3", "4"]), part(&["5", "6", "7", "8"]));
    let whole = build(Abstraction::whole(&puzzle).unwrap(), Encoding::Byte).unwrap();
    let mut better = 0;
    for rank in (0..whole.space().states()).step_by(97) {
        let state = whole.space().unrank(rank);
        let exact = whole.distance(&state).unwrap();
        let parts = [first.distance(&state).unwrap(), second.distance(&state).unwrap()];
        assert!(parts.iter().sum::<u32>() <= exact, "{state:?}");
        better += u32::from(parts.iter().all(|&part| part > 0));
    }
    assert!(better > 1000);
}

#[test]
fn a_table_can_be_cut_off() {
    let puzzle = Puzzle::from_line("grid:3:3 8,6,7,2,5,4,3,0,1 -> 1,2,3,4,5,6,7,8,0").unwrap();
    let options = BuildOptions { max_states: Some(100), ..Default::default() };
    let table = DistanceTable::build(
        Abstraction::whole(&puzzle).unwrap(),
        &options,
        &Signals::default(),
        &mut |_| ControlFlow::Continue(()),
    )
    .unwrap();
    // The layers have 1 + 2 + 4 + 8 + 16 + 20 + 39 + 62 states.
    assert_eq!(table.layers().states, [1, 2, 4, 8, 16, 20, 39, 62]);
    assert!(!table.layers().complete);
    assert_eq!(table.distance(puzzle.start()), None);
    table.verify(&VerifyOptions::default(), &Signals::default(), &mut |_| {}).unwrap();
}

#[test]
fn files_are_read_back_and_damage_is_refused() {
    let folder = folder("tables");
    let path = folder.join("t.table");
    let puzzle = Puzzle::from_line("cube:3:2 a=0,b=3,c=5,d=6 -> a=3,b=0,c=5,d=6").unwrap();
    for encoding in [Encoding::Mod3, Encoding::Byte] {
        let table = build(Abstraction::whole(&puzzle).unwrap(), encoding).unwrap();
        table.write(&path).unwrap();
        let read = DistanceTable::open(&path).unwrap();
        assert_eq!(read.layers(), table.layers());
        for rank in 0..table.space().states() {
            let state = table.space().unrank(rank);
            assert_eq!(read.stored(&state), table.stored(&state));
        }
        // Each byte is changed in turn: of the head, the description, the padding and the
        // distances.
        let whole = std::fs::read(&path).unwrap();
        let step = (whole.len() / 300).max(1);
        for at in (0..whole.len()).step_by(step).chain(0..20) {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x10;
            std::fs::write(&path, &damaged).unwrap();
            let error = DistanceTable::open(&path).err();
            let error = error.unwrap_or_else(|| panic!("byte {at} was not missed")).to_string();
            assert!(error.contains("build it again"), "byte {at}: {error}");
        }
        for length in [0, 7, 19, 100, 4096, whole.len() - 1] {
            std::fs::write(&path, &whole[..length]).unwrap();
            assert!(DistanceTable::open(&path).is_err(), "{length} bytes");
        }
        std::fs::write(&path, [whole.as_slice(), b"x"].concat()).unwrap();
        assert!(DistanceTable::open(&path).is_err(), "a byte too many");
    }
    assert!(DistanceTable::open(&folder).is_err());
    std::fs::remove_dir_all(&folder).unwrap();
}

#[cfg(unix)]
#[test]
fn a_table_never_takes_the_place_of_what_is_no_file() {
    let folder = folder("no-file");
    let path = folder.join("socket");
    let _listening = std::os::unix::net::UnixListener::bind(&path).unwrap();
    let puzzle = Puzzle::from_line("grid:2:2 1,2,3,0").unwrap();
    let table = build(Abstraction::whole(&puzzle).unwrap(), Encoding::Byte).unwrap();
    let error = table.write(&path).unwrap_err().to_string();
    assert!(error.contains("not an ordinary file"), "{error}");
    assert!(!path.metadata().unwrap().is_file());
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "nothing is left next to it");
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Files left behind by processes that were killed while writing tables are removed, but not files
/// that are being written.
#[test]
fn a_half_written_table_is_removed_when_nobody_writes_it() {
    let folder = folder("left-over");
    let path = folder.join("t.table");
    let left = ["t.table.1234.new", "t.table.1235.new", "u.table.1234.new", "t.table.mine.new"];
    for name in left {
        std::fs::write(folder.join(name), b"half").unwrap();
    }
    let old = SystemTime::now() - Duration::from_secs(25 * 60 * 60);
    for name in left.iter().filter(|name| !name.contains("1235")) {
        let file = std::fs::File::options().write(true).open(folder.join(name)).unwrap();
        file.set_modified(old).unwrap();
    }
    let puzzle = Puzzle::from_line("grid:2:2 1,2,3,0").unwrap();
    build(Abstraction::whole(&puzzle).unwrap(), Encoding::Byte).unwrap().write(&path).unwrap();
    let is_there = left.map(|name| folder.join(name).exists());
    assert_eq!(is_there, [false, true, true, true]);
    assert!(DistanceTable::open(&path).is_ok());
    // An incomplete table of another name is removed once its process is dead, so that nobody locks
    // it.
    let half = &std::fs::read(&path).unwrap()[..100];
    let other = folder.join("u.table.1234.new");
    std::fs::write(&other, half).unwrap();
    let file = std::fs::File::options().write(true).open(&other).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(5 * 60)).unwrap();
    file.lock().unwrap();
    let contents = || {
        let files = stored_files(&folder).into_iter();
        let content = |file: &StoredFile| match file.content {
            StoredContent::Table(_) => "table",
            StoredContent::Damaged(_) => "damaged",
            StoredContent::BeingWritten => "being written",
            StoredContent::LeftBehind => "left behind",
        };
        let name = |file: &StoredFile| file.path.file_name().unwrap().to_str().unwrap().to_owned();
        files.map(|file| (name(&file), content(&file))).collect::<Vec<_>>()
    };
    let listed = |other: &'static str| {
        [
            ("t.table".to_owned(), "table"),
            ("t.table.1235.new".to_owned(), "being written"),
            ("u.table.1234.new".to_owned(), other),
        ]
    };
    let again = || {
        let abstraction = Abstraction::whole(&puzzle).unwrap();
        build(abstraction, Encoding::Byte).unwrap().write(&path).unwrap();
    };
    again();
    assert_eq!(contents(), listed("being written"));
    drop(file);
    assert_eq!(contents(), listed("left behind"));
    again();
    assert_eq!(contents(), listed("")[..2]);
    std::fs::remove_dir_all(&folder).unwrap();
}

/// In a batch with many goals, the tables of goals that are done must not fill the memory.
#[test]
fn a_store_keeps_what_somebody_has() {
    let store = TableStore::default();
    let puzzle = Puzzle::from_line("cube:3:2 a=0,b=3,c=5,d=6 -> a=3,b=0,c=5,d=6").unwrap();
    let get = || {
        let abstraction = Abstraction::whole(&puzzle).unwrap();
        store.get(abstraction, &BuildOptions::default(), &Signals::default())
    };
    let has = || store.has(&Abstraction::whole(&puzzle).unwrap(), BuildOptions::default().encoding);
    assert!(!has());
    let first = get().unwrap();
    assert!(Arc::ptr_eq(&first, &get().unwrap()));
    assert!(has());
    let seen = Arc::downgrade(&first);
    drop(first);
    assert!(seen.upgrade().is_none() && !has());
    assert!(get().is_ok());
}

/// Large tables are there for the next process.
#[test]
fn a_store_has_what_is_in_its_directory() {
    let folder = folder("store");
    let puzzle = Puzzle::from_line("grid:3:4 1,2,3,4,5,6,7,8,9,10,11,0").unwrap();
    let kept: Vec<String> = (1..=7).map(|token| token.to_string()).collect();
    let abstraction = || Abstraction::new(&puzzle, &kept, &[], Rest::Free).unwrap();
    let options = BuildOptions::default();
    let other = if options.encoding == Encoding::Byte { Encoding::Mod3 } else { Encoding::Byte };
    let store = || TableStore::new(Some(folder.clone()), |_| {});
    assert!(!store().has(&abstraction(), options.encoding));
    // A table that exceeds the limit is not kept. Files left by killed processes do not count.
    let table = store().keeping_up_to(1 << 20).get(abstraction(), &options, &Signals::default());
    assert!(!store().has(&abstraction(), options.encoding));
    let left = folder.join("t.table.1234.new");
    table.unwrap().write(&left).unwrap();
    let file = std::fs::File::options().write(true).open(&left).unwrap();
    file.set_len(1 << 40).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(5 * 60)).unwrap();
    drop(file);
    let roomy = store().keeping_up_to(1 << 30);
    roomy.get(abstraction(), &options, &Signals::default()).unwrap();
    assert!(store().has(&abstraction(), options.encoding) && !left.exists());
    assert!(!store().has(&abstraction(), other), "another encoding has another file");
    // To open it takes time, too: its states are numbered.
    let cancel = AtomicBool::new(true);
    let opened = store().get(abstraction(), &options, &Signals::new(&cancel));
    assert!(matches!(opened, Err(TableError::Cancelled)));
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Tables of as many tokens on one board share what numbers their states, wherever the tokens go.
#[test]
fn tables_that_share_a_numbering_are_those_of_the_plain_search() {
    let store = TableStore::default();
    let mut tables = Vec::new();
    for line in [
        "grid:3:3 1,2,3,4,5,6,7,8,0 -> 8,2,3,4,1,6,0,5,7",
        "grid:3:3 1,2,3,4,5,6,7,8,0 -> 1,0,3,7,5,6,2,8,4",
        "grid:2:4 1,2,3,4,5,6,7,0 -> 2,1,3,4,5,0,7,6",
        "graph:8:0-1,1-2,2-3,3-4,4-5,5-6,6-7,0-7 1,2,3,4,5,6,7,0 -> 7,1,2,3,0,4,5,6",
        // Its vertices are in the same order.
        "graph:8:0-1,1-2,2-3,3-4,4-5,5-6,6-7,0-7,0-4 1,2,3,4,5,6,7,0 -> 7,1,2,3,0,4,5,6",
    ] {
        let puzzle = Puzzle::from_line(line).unwrap();
        for kept in [["1", "2"], ["3", "5"], ["4", "7"]] {
            let kept = kept.map(str::to_owned);
            let abstraction = Abstraction::new(&puzzle, &kept, &[], Rest::Free).unwrap();
            let table =
                store.get(abstraction, &BuildOptions::default(), &Signals::default()).unwrap();
            compare(&table, line);
            tables.push(table);
        }
    }
    let bytes = |tables: &[Arc<DistanceTable>]| Space::bytes_of(tables.iter().map(|t| t.space()));
    assert_eq!(bytes(&tables[..6]), bytes(&tables[..1]), "3x3");
    assert_eq!(bytes(&tables[6..9]), bytes(&tables[6..7]), "2x4");
}

#[test]
fn wrong_abstractions_are_refused() {
    let puzzle = Puzzle::from_line("grid:2:2 1,2,3,0").unwrap();
    let names = |labels: &[&str]| labels.iter().map(|&l| l.to_owned()).collect::<Vec<_>>();
    let refused = |kept: &[&str], settled: &[&str]| {
        Abstraction::new(&puzzle, &names(kept), &names(settled), Rest::Counted)
            .unwrap_err()
            .to_string()
    };
    assert!(refused(&["9"], &[]).contains("no token 9"));
    assert!(refused(&["1", "1"], &[]).contains("named twice"));
    assert!(refused(&["1"], &["1"]).contains("both kept and settled"));
    let open = Puzzle::from_line("grid:2:2 1,2,3,0 -> 1,*,*,*").unwrap();
    let error = Abstraction::new(&open, &[], &names(&["2"]), Rest::Counted).unwrap_err();
    assert!(error.to_string().contains("cannot be settled"));
}

/// Where every vertex has a label of its own, none is left for the tokens that are merged.
#[test]
fn tokens_are_merged_on_a_full_board_of_64_labels() {
    let names: Vec<String> = (1..=64).map(|number| number.to_string()).collect();
    let state = names.join(",");
    let puzzle = Puzzle::from_line(&format!("grid:8:8 {state} -> {state}")).unwrap();
    for rest in [Rest::Counted, Rest::Free] {
        let abstraction = Abstraction::new(&puzzle, &names[..1], &[], rest).unwrap();
        let [goal] = abstraction.goals() else { panic!("one goal") };
        let labels: BTreeSet<Label> = goal.tokens().map(|(_, label)| label).collect();
        assert_eq!((goal.occupied().len(), labels.len()), (64, 2));
    }
}

/// Two components of the occupancy graph with a goal state each: a table has one of them, and does
/// not take the puzzles of the other for unsolvable.
#[test]
fn a_table_answers_only_in_its_component() {
    let board = "graph:6:0-1,1-4,2-3,3-5";
    let line = |start: &str| format!("{board} {start} -> a=1,b=*,c=*");
    let [one, other] =
        ["a=0,b=2,c=3", "a=0,b=4,c=2"].map(|start| Puzzle::from_line(&line(start)).unwrap());
    let table = build(Abstraction::whole(&one).unwrap(), Encoding::Byte).unwrap();
    assert!(table.answers(&one) && table.distance(one.start()) == Some(1));
    assert!(!table.answers(&other) && table.distance(other.start()).is_none());
    // With one goal state, what the table does not have is unsolvable.
    let [one, other] = ["a=0,b=2,c=3", "a=0,b=4,c=2"]
        .map(|start| Puzzle::from_line(&format!("{board} {start} -> a=1,b=2,c=3")).unwrap());
    let table = build(Abstraction::whole(&one).unwrap(), Encoding::Byte).unwrap();
    assert!(table.answers(&other) && table.distance(other.start()).is_none());
}

/// The 92,378 places of the free tokens from which the kept token comes to a leaf are the sources
/// of one shift.
#[test]
fn a_region_may_be_entered_from_very_many_nodes() {
    for free in [1..11, 11..21] {
        let mut labels = vec!["0"; 21];
        labels[0] = "a";
        labels[free].fill("x");
        let state = labels.join(",");
        let puzzle = Puzzle::from_line(&format!("graph:star-20 {state} -> {state}")).unwrap();
        let abstraction = Abstraction::new(&puzzle, &["a".to_owned()], &[], Rest::Free).unwrap();
        let table = build(abstraction, Encoding::Byte).unwrap();
        // The goal; the leaves that are empty there; the middle, while one of these is empty; the
        // other leaves; and the middle while none is.
        assert_eq!(table.layers().states, [1, 10, 184_754, 10, 1]);
    }
}
