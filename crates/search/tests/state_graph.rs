//! Evolution, reinforcement learning and their hybrid.

use hyperslide_puzzle::Puzzle;
use hyperslide_search::{Config, Control, Limit, Outcome, Report, solve};

const LEVEL_0: &str = "cube:4:3 g=4,y=1,b=5,p=7,r=13 -> b=4,g=13,y=1,r=5,p=7";
const IMPOSSIBLE: &str = "cube:3:2 r=4,p=1,g=5,b=6 -> g=4,p=1,r=5,b=6";
const SMALL: &str = "cube:3:2 r=4,b=1,g=5,p=6 -> g=4,p=1,r=5,b=6";
const LARGE: &str = "cube:5:4 g=30,p=29,r=0,b=17,y=4,o=1 -> g=17,p=30,r=0,b=29,y=4,o=1";
const METHODS: [&str; 3] = ["evolution", "reinforcement", "hybrid"];

fn run(line: &str, algorithm: &str, seed: u64, settings: &[(&str, &str)]) -> Report {
    // Of settings for all three methods each is given those that it takes.
    let takes = |name: &str| Config::named(algorithm).unwrap().algorithm.setting(name).is_some();
    let settings = settings.iter().copied().filter(|(name, _)| takes(name));
    let config = Config::new(algorithm, None, settings, seed).unwrap();
    solve(&Puzzle::from_line(line).unwrap(), &config, &Control::default()).unwrap()
}

fn length(report: &Report) -> Option<usize> {
    match &report.outcome {
        Outcome::Solved { moves, .. } => Some(moves.len()),
        _ => None,
    }
}

/// What must not differ between two runs.
fn trace(report: &Report) -> (Outcome, u64, u64) {
    (report.outcome.clone(), report.stats.expanded, report.stats.generated)
}

#[test]
fn one_seed_gives_one_result_and_another_another() {
    for algorithm in METHODS {
        for profile in ["published", "improved"] {
            let settings = [("profile", profile)];
            let traces: Vec<_> =
                (0..4).map(|seed| trace(&run(SMALL, algorithm, seed, &settings))).collect();
            for (seed, expected) in (0..).zip(&traces) {
                assert_eq!(trace(&run(SMALL, algorithm, seed, &settings)), *expected);
            }
            assert!(traces[1..].iter().any(|other| *other != traces[0]), "{algorithm} {profile}");
        }
    }
}

#[test]
fn learning_ends_where_the_study_s_code_does_not() {
    for algorithm in METHODS {
        for profile in ["published", "improved"] {
            let report = run(IMPOSSIBLE, algorithm, 1, &[("profile", profile)]);
            assert!(matches!(report.outcome, Outcome::Unsolvable(_)), "{algorithm} {profile}");
            // The component has 672 states.
            let report =
                run(SMALL, algorithm, 1, &[("profile", profile), ("seeded", "1000000000")]);
            assert!(length(&report) >= Some(9), "{algorithm} {profile}");
        }
    }
    let report = run(SMALL, "reinforcement", 1, &[("seeded", "1000000000")]);
    assert!(matches!(report.outcome, Outcome::Solved { optimal: true, .. }));
}

#[test]
fn memory_is_bounded_by_the_setting() {
    for algorithm in METHODS {
        for profile in ["published", "improved"] {
            let report = run(LARGE, algorithm, 1, &[("profile", profile), ("state-memory", "4")]);
            let is_over = matches!(
                report.outcome,
                Outcome::LimitReached { limit: Limit::Memory | Limit::Generations, .. }
                    | Outcome::Solved { .. }
            );
            assert!(is_over, "{algorithm} {profile}: {:?}", report.outcome);
            // Arrays double.
            assert!(report.stats.peak_bytes < 12 << 20, "{algorithm}: {}", report.stats.peak_bytes);
        }
    }
}

#[test]
fn published_evolution_takes_longer_ways_than_improved() {
    let lengths = |profile: &str| -> Vec<usize> {
        let level = |seed| length(&run(SMALL, "evolution", seed, &[("profile", profile)])).unwrap();
        (0..10).map(level).collect()
    };
    assert!(lengths("improved").iter().all(|&length| length == 9));
    let published = lengths("published");
    assert!(published.iter().all(|&length| length >= 9));
    // The study's median is 14.
    assert!(published.iter().sum::<usize>() > 105, "{published:?}");
}

#[test]
fn a_generation_without_agents_that_live_on_is_none() {
    // Nothing else than what is asked for: one agent, one generation.
    let few = [("profile", "published"), ("population", "1"), ("generations", "1")];
    let report = run(LEVEL_0, "evolution", 1, &few);
    assert_eq!(report.stats.expanded, 1);
    assert!(matches!(report.outcome, Outcome::LimitReached { limit: Limit::Generations, .. }));
    let episode = [("profile", "published"), ("episodes", "1")];
    assert!(length(&run(LEVEL_0, "reinforcement", 1, &episode)).is_some(), "the first has no end");
}

#[test]
fn parts_left_out_are_left_out() {
    let whole = trace(&run(LEVEL_0, "hybrid", 3, &[]));
    for part in ["learning", "preference"] {
        assert_ne!(trace(&run(LEVEL_0, "hybrid", 3, &[("without", part)])), whole, "{part}");
    }
    for algorithm in METHODS {
        let whole = run(LEVEL_0, algorithm, 3, &[]).stats.expanded;
        let bare = run(LEVEL_0, algorithm, 3, &[("without", "shortening")]).stats.expanded;
        assert_ne!(whole, bare, "{algorithm}");
    }
}
