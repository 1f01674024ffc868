//! Labels that the goal does not place are merged, and the first solution of the anytime search on
//! trees.

use hyperslide_puzzle::UnsolvableReason;
use hyperslide_search::{Config, Limits, Outcome};
use hyperslide_testkit::{PlainPuzzle, Random, random_puzzle};

use crate::common::{puzzle, run};

fn nodes(most: u64) -> Limits {
    Limits { nodes: Some(most), ..Limits::default() }
}

/// The puzzle with a goal that places a random third of its tokens, if at least two labels remain
/// free.
fn opened(line: &str, random: &mut Random) -> Option<String> {
    let (start, goal) = line.split_once(" -> ")?;
    let entries: Vec<&str> = goal.split(',').collect();
    let places = goal.contains('=') && !goal.contains(['+', '*']) && !goal.contains("0=");
    let free = |entry: &str| format!("{}=*", entry.split('=').next().unwrap_or(""));
    let opened = entries.iter().map(|&entry| match random.once_in(3) {
        true => entry.to_owned(),
        false => free(entry),
    });
    let opened: Vec<String> = opened.collect();
    let frees = opened.iter().filter(|entry| entry.ends_with('*')).count();
    (places && frees > 1).then(|| format!("{start} -> {}", opened.join(",")))
}

/// The oracle is a plain search in which all tokens are distinguishable.
#[test]
fn merging_free_labels_changes_no_answer() {
    let mut random = Random::new(8);
    let (mut solved, mut unsolvable) = (0, 0);
    while solved + unsolvable < 120 {
        let line = random_puzzle(&mut random).to_string();
        let Some(line) = opened(&line, &mut random) else { continue };
        let puzzle = puzzle(&line);
        let expected = PlainPuzzle::new(&puzzle).shortest();
        for name in ["astar", "auto", "bidirectional", "staged", "anytime", "table"] {
            let config = Config::named(name).unwrap();
            let report = run(&puzzle, &config, nodes(10_000_000));
            match (report.outcome, expected) {
                (Outcome::Solved { moves, optimal, .. }, Some(expected)) => {
                    assert!(moves.len() >= expected, "{name} {line}");
                    let is_shortest = optimal || config.algorithm.is_optimal();
                    assert!(!is_shortest || moves.len() == expected, "{name} {line}: {moves:?}");
                }
                (Outcome::Unsolvable(_), None) => {}
                (outcome, _) => panic!("{name} {line}: {outcome:?} instead of {expected:?}"),
            }
        }
        solved += u32::from(expected.is_some());
        unsolvable += u32::from(expected.is_none());
    }
    assert!(solved > 20 && unsolvable > 20, "{solved} {unsolvable}");
}

/// With distinguishable tokens, A* generates half a million states on the wheel, and staged search
/// finds no solution on the ladder within its limit.
#[test]
fn merging_free_labels_saves_states() {
    let wheel = "graph:wheel-30 1=18,2=1,3=5,4=3,5=17,6=19,7=9,8=7,9=23,10=10,11=28,12=4,13=20,14=14,15=0,16=22,\
        17=30,18=26,19=2,20=13,21=12,22=29,23=21,24=15,25=27,26=8,27=16,28=25,29=24 \
        -> 1=12,2=*,3=1,4=*,5=*,6=*,7=*,8=*,9=*,10=*,11=*,12=*,13=*,14=*,15=*,16=*,17=*,18=*,19=*,20=24,21=*,22=*,\
        23=*,24=*,25=*,26=*,27=6,28=*,29=*";
    let report = run(&puzzle(wheel), &Config::named("astar").unwrap(), nodes(1_000_000));
    let Outcome::Solved { moves, optimal: true, .. } = report.outcome else {
        panic!("{:?}", report.outcome);
    };
    // Nothing is merged for a heuristic that was chosen.
    let chosen = Config::new("astar", Some("lone-token"), [], 0).unwrap();
    let given = run(&puzzle(wheel), &chosen, nodes(10_000_000));
    let Outcome::Solved { moves: same, .. } = given.outcome else { panic!("{:?}", given.outcome) };
    assert_eq!(moves.len(), same.len());
    assert!(report.stats.generated * 4 < given.stats.generated, "{}", report.stats.generated);

    let ladder = "grid:2:16 8,15,7,5,23,3,10,21,20,11,1,4,9,2,18,24,0,12,13,28,0,26,27,0,6,14,16,17,0,19,22,25 -> \
        *,*,*,*,*,*,*,26,27,*,*,*,*,*,*,*,18,*,*,4,*,*,*,*,*,*,*,*,*,*,*,*";
    let report = run(&puzzle(ladder), &Config::named("staged").unwrap(), nodes(1_000_000));
    assert!(matches!(report.outcome, Outcome::Solved { .. }), "{:?}", report.outcome);
}

/// Tokens on a ring never pass each other. Too many sets of vertices can be occupied for a decision
/// without a search.
#[test]
fn an_exhausted_search_reports_the_number_of_labelled_tokens() {
    let line = "graph:cycle-40 1=0,3=10,2=20,4=30 -> 1=0,2=1,3=*,4=*";
    let report = run(&puzzle(line), &Config::named("breadth-first").unwrap(), nodes(10_000_000));
    let Outcome::Unsolvable(UnsolvableReason::Exhausted { labelled, .. }) = report.outcome else {
        panic!("{:?}", report.outcome);
    };
    assert_eq!(labelled, Some(2));
}

/// On this tree neither staged search, a narrow beam nor closed walks find a solution; greedy
/// search does.
#[test]
fn anytime_solves_a_tree() {
    let line = "graph:36:0-6,1-2,2-3,2-8,3-4,3-9,4-5,4-10,6-12,7-8,7-13,9-15,11-17,12-13,12-18,14-15,15-16,16-22,\
        17-23,18-19,18-24,19-20,21-22,21-27,22-23,23-29,24-25,24-30,25-26,25-31,27-28,29-35,31-32,33-34,34-35 \
        1=21,2=15,3=8,4=18,5=7,6=1,7=16,8=13,9=6,10=26,11=11,12=2 \
        -> 1=19,2=15,3=34,4=26,5=9,6=33,7=7,8=3,9=29,10=12,11=27,12=14";
    let report = run(&puzzle(line), &Config::named("anytime").unwrap(), nodes(6_000_000));
    let Outcome::Solved { moves, .. } = report.outcome else { panic!("{:?}", report.outcome) };
    assert!(moves.len() < 300, "{}", moves.len());
}
