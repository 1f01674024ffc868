//! Censuses with repeated labels, against a plain search from every single state.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use hyperslide_census::{
    CensusJob, CensusOptions, Diameter, LabelledRecord, LabelledSurvey, Repetition, StartsToVerify,
};
use hyperslide_puzzle::{Board, BoardSource, Metric, Puzzle};
use hyperslide_table::{Signals, Watch};
use hyperslide_testkit::PlainPuzzle;

fn board(text: &str) -> Board {
    let source: BoardSource = text.parse().unwrap();
    Board::new(source.into_spec().unwrap(), Metric::Face).unwrap()
}

/// All words with these numbers of each letter.
fn words(counts: &mut [usize], word: &mut Vec<usize>, visit: &mut dyn FnMut(&[usize])) {
    if counts.iter().all(|&count| count == 0) {
        return visit(word);
    }
    for letter in 0..counts.len() {
        if counts[letter] > 0 {
            counts[letter] -= 1;
            word.push(letter);
            words(counts, word, visit);
            word.pop();
            counts[letter] += 1;
        }
    }
}

#[test]
fn every_state_has_the_eccentricity_that_a_plain_search_finds() {
    for (text, labels) in [
        ("grid:2:3", &[2, 1][..]),
        ("grid:2:3", &[2, 2, 1]),
        ("grid:2:3", &[3, 2]),
        ("grid:3:3", &[6, 2]),
        ("torus:2:3", &[3, 1, 1]),
        ("torus:3:3", &[5, 3]),
        ("cylinder:2:4", &[6, 1]),
        ("cube:3:2", &[2, 2]),
        ("cube:3:2", &[3, 1, 1]),
        ("cube:3:1", &[3, 3]),
        ("graph:theta0", &[4, 2]),
        ("graph:theta0", &[3, 3]),
        ("graph:5:0-1,1-2,3-4", &[2, 1]),
        ("faces:5:0-1-2,2-3-4:0-1,0-2,1-2,2-3,2-4,3-4", &[1, 1]),
        ("graph:petersen", &[9]),
        ("graph:path-5", &[2, 2]),
        ("graph:path-5", &[2, 1, 1]),
    ] {
        let board = board(text);
        let vertices = board.vertex_count();
        let empty = vertices - labels.iter().sum::<usize>();
        // The number of states with each size of component and eccentricity.
        let mut expected: BTreeMap<(u64, u32), u64> = BTreeMap::new();
        let mut counts: Vec<usize> = [&[empty], labels].concat();
        words(&mut counts, &mut Vec::new(), &mut |word| {
            let name =
                |&letter: &usize| if letter == 0 { "0" } else { ["a", "b", "c"][letter - 1] };
            let cells: Vec<&str> = word.iter().map(name).collect();
            let cells = cells.join(",");
            let puzzle = Puzzle::from_line(&format!("{text} {cells} -> {cells}")).unwrap();
            let depths = PlainPuzzle::new(&puzzle).depths();
            let eccentricity = *depths.values().max().unwrap() as u32;
            *expected.entry((depths.len() as u64, eccentricity)).or_default() += 1;
        });
        let never = AtomicBool::new(false);
        let survey = LabelledSurvey::new(&board, labels, u64::MAX, Watch::default()).unwrap();
        let go_on = &mut |_| ControlFlow::Continue(());
        let starts = survey.run(u64::MAX, &Signals::new(&never), go_on).unwrap();
        survey.check(&starts).unwrap();
        let report = survey.report(&starts);
        let mut found: BTreeMap<(u64, u32), u64> = BTreeMap::new();
        for component in &report.components {
            if component.size == 1 {
                *found.entry((1, 0)).or_default() += component.count;
            }
            for entry in &component.eccentricities {
                *found.entry((component.size, entry.eccentricity)).or_default() +=
                    component.count * entry.states;
            }
            let greatest = component.eccentricities.last().map_or(0, |entry| entry.eccentricity);
            assert_eq!(component.diameter, Some(Diameter::Exact(greatest)), "{text}");
        }
        assert_eq!(found, expected, "{text} {labels:?}");
        assert!(report.complete && report.configurations == expected.values().sum::<u64>());
        // Searches by symmetry must be fewer than states, or the symmetries are not used.
        assert!((report.orbits as u64) < report.configurations, "{text}");
        // Components that no symmetry relates have searches of their own, though they share a row.
        assert_eq!(report.searched, report.orbits, "{text} {labels:?}");
    }
}

/// Searches run side by side, and what they found is kept when the census is to stop.
#[test]
fn all_searches_of_a_batch_are_kept() {
    let board = board("grid:3:4");
    let never = AtomicBool::new(false);
    let survey = LabelledSurvey::new(&board, &[2, 2], u64::MAX, Watch::default()).unwrap();
    let stop = &mut |_| ControlFlow::Break(());
    let starts = survey.run(u64::MAX, &Signals::new(&never), stop).unwrap();
    assert!((2..survey.orbits()).contains(&starts.len()), "{} starts", starts.len());
}

#[test]
fn one_label_each_is_the_census_of_distinguishable_tokens() {
    let board = board("grid:2:3");
    let never = AtomicBool::new(false);
    let survey = LabelledSurvey::new(&board, &[1; 5], u64::MAX, Watch::default()).unwrap();
    let go_on = &mut |_| ControlFlow::Continue(());
    let starts = survey.run(u64::MAX, &Signals::new(&never), go_on).unwrap();
    let labelled = survey.report(&starts);
    let job = CensusJob::new(board, 1, CensusOptions::default()).unwrap();
    let plain = job.run(&never, &mut |_| ControlFlow::Continue(())).unwrap().report;
    let (ours, theirs) = (&labelled.components[0], plain.largest().unwrap());
    assert_eq!(
        (ours.size.to_string(), ours.count.to_string()),
        (theirs.size.clone(), theirs.count.clone())
    );
    assert_eq!((ours.diameter, ours.radius), (theirs.diameter, theirs.radius));
}

#[test]
fn records_are_verified_and_changed_ones_refused() {
    let never = AtomicBool::new(false);
    let survey =
        LabelledSurvey::new(&board("torus:3:3"), &[5, 3], u64::MAX, Watch::default()).unwrap();
    let signals = Signals::new(&never);
    let go_on = &mut |_| ControlFlow::Continue(());
    let starts = survey.run(u64::MAX, &signals, go_on).unwrap();
    let again = |starts, seed| Repetition { starts, seed, memory: u64::MAX };
    let all = survey.verify(&starts, again(StartsToVerify::All, 1), &signals).unwrap();
    assert_eq!(all, (starts.len(), None));
    let two = survey.verify(&starts, again(StartsToVerify::Drawn(2), 7), &signals).unwrap();
    assert_eq!(two, (2, None));
    // Exchanging two states between layers keeps the sum: only a search finds it.
    let mut wrong = starts.clone();
    let last = wrong[0].layers.len() - 1;
    wrong[0].layers[last] += 1;
    wrong[0].layers[last - 1] -= 1;
    survey.check(&wrong).unwrap();
    let found = survey.verify(&wrong, again(StartsToVerify::All, 1), &signals).unwrap();
    assert_eq!(found.1.as_ref(), Some(&wrong[0]));
    wrong[0].layers[last] += 1;
    assert!(survey.check(&wrong).is_err());
    assert!(survey.check(&starts[1..]).is_err());

    let path = std::env::temp_dir().join(format!("hyperslide-labelled-{}", std::process::id()));
    let none = serde_json::Map::new();
    let record = LabelledRecord::new(&survey, starts, Duration::ZERO, none).unwrap();
    record.write(&path).unwrap();
    let read = LabelledRecord::<serde_json::Map<String, serde_json::Value>>::read(
        &path,
        u64::MAX,
        Watch::default(),
    );
    assert_eq!(read.unwrap().unwrap().0.digest, record.digest);
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replacen("\"orbit\":", "\"orbit\":1", 1)).unwrap();
    let read = LabelledRecord::<serde_json::Map<String, serde_json::Value>>::read(
        &path,
        u64::MAX,
        Watch::default(),
    );
    assert!(read.unwrap().unwrap_err().to_string().contains("digest"));
    std::fs::remove_file(&path).unwrap();
}
