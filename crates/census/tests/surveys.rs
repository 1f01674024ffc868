//! Surveys of occupied sets: what they find in large components, and their limits.

use std::sync::atomic::AtomicBool;

use hyperslide_census::{
    LabelledError, LabelledSurvey, ParityError, ParitySurvey, Survey, SurveyError,
};
use hyperslide_puzzle::{Board, BoardSource, Metric, classify};
use hyperslide_table::Watch;

fn board(name: &str) -> Board {
    Board::new(name.parse::<BoardSource>().unwrap().into_spec().unwrap(), Metric::Face).unwrap()
}

/// In components of more than 20,000 sets, random closed walks are followed until they generate all
/// permutations or all even ones, and all closed walks where they never do.
#[test]
fn large_components_are_classified_like_small_ones() {
    /// A grid of three rows of six vertices, and a vertex of its own, on which a token is stuck.
    const APART: &str = "graph:19:0-1,0-6,1-2,1-7,2-3,2-8,3-4,3-9,4-5,4-10,5-11,6-7,6-12,7-8,7-13,8-9,8-14,9-10,9-15,10-11,10-16,11-17,12-13,13-14,14-15,15-16,16-17";
    for (name, empty, largest) in [
        ("cube:5:2", 27, 201_376),
        ("grid:3:6", 9, 48_620),
        (APART, 9, 48_620),
        // Tokens on a ring keep their cyclic order.
        ("graph:cycle-17", 8, 24_310),
    ] {
        let board = board(name);
        let survey = Survey::new(&board, empty).unwrap();
        let sets = survey.classes.iter().map(|kind| kind.occupied_sets);
        assert_eq!(sets.max(), Some(largest), "{name}");
        for kind in &survey.classes {
            let found = classify(&board, kind.representative, kind.occupied_sets as usize);
            let component = found.component.unwrap();
            assert_eq!(kind.occupied_sets, component.occupied_sets as u64, "{name}");
            assert_eq!(kind.arrangements, component.arrangements, "{name}");
            assert_eq!(kind.even_only, component.even_only, "{name}");
            assert_eq!((Some(kind.regime), kind.stuck), (found.regime, found.stuck), "{name}");
            let orbits: u64 = kind.orbits.iter().map(|orbit| orbit.sets).sum();
            assert_eq!(orbits, kind.occupied_sets, "{name}");
        }
    }
}

/// What may not be used is not used, and is named.
#[test]
fn surveys_keep_their_limits() {
    let board = board("cube:5:2");
    let stopped = AtomicBool::new(true);
    let (never, now) = (Watch::default(), Watch::flag(&stopped));
    let sets = 201_376;
    let most = 12 * sets;
    let refused = Survey::within(&board, 27, most, never).unwrap_err();
    let least = 25 * sets / 2;
    assert_eq!(refused, SurveyError::Memory { sets, needed: least, limit: most });
    // The sets fit, and what else is needed does not.
    let refused = Survey::within(&board, 27, least + 100, never).unwrap_err();
    assert!(matches!(refused, SurveyError::Memory { needed, .. } if needed > least), "{refused}");
    assert!(Survey::within(&board, 27, 2 * least, never).is_ok());
    assert_eq!(Survey::within(&board, 27, u64::MAX, now).unwrap_err(), SurveyError::Stopped);

    let parity = |memory, watch| ParitySurvey::new(&board, 27, memory, 2, watch, &mut |_| {});
    let error = parity(sets / 2 + 100, never).unwrap_err();
    assert!(matches!(error, ParityError::Survey(SurveyError::Memory { .. })), "{error}");
    assert!(parity(16 * sets, never).is_ok());
    let error = parity(u64::MAX, now).unwrap_err();
    assert_eq!(error, ParityError::Survey(SurveyError::Stopped));

    let labelled = |memory, watch| LabelledSurvey::new(&board, &[3, 2], memory, watch);
    let refused = labelled(1 << 20, never).unwrap_err();
    assert!(matches!(refused, LabelledError::Memory { needed: 32_220_160, .. }), "{refused}");
    let refused = labelled(u64::MAX, now).unwrap_err();
    assert!(matches!(refused, LabelledError::Stopped), "{refused}");
}
