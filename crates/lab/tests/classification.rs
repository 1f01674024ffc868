//! Sizes of components, with and without repeated labels, against a plain search.

use hyperslide_lab::ClassifiedPuzzle;
use hyperslide_puzzle::Puzzle;
use hyperslide_testkit::{PlainPuzzle, Random, random_puzzle};

/// The size that is said of a puzzle's component, with its labels.
fn size(classified: &ClassifiedPuzzle) -> String {
    let component = classified.found.component.as_ref().expect("the boards are small");
    let alike = classified.alike().map(|alike| alike.size);
    alike.unwrap_or_else(|| component.size.clone()).to_string()
}

#[test]
fn components_are_as_large_as_a_plain_search_finds_them() {
    let mut random = Random::new(7);
    let mut alike = 0;
    for _ in 0..400 {
        let puzzle = random_puzzle(&mut random);
        let found = PlainPuzzle::new(&puzzle).depths().len();
        alike += usize::from(!puzzle.has_distinct_labels());
        let what = puzzle.to_string();
        assert_eq!(
            size(&ClassifiedPuzzle::new(puzzle, 1 << 20, &|| false)),
            found.to_string(),
            "{what}"
        );
    }
    assert!(alike > 40, "{alike} with repeated labels");
}

#[test]
fn like_tokens_are_counted_where_the_group_is_another_one() {
    for (line, expected) in [
        ("graph:theta0 1,1,2,2,3,3,0", "420"),
        ("graph:theta0 1,2,3,4,5,5,0", "840"),
        ("grid:3:3 1,1,1,1,1,1,1,1,0", "9"),
        ("grid:3:3 1,1,2,3,4,5,6,7,0", "181440"),
        ("grid:5:5 1,1,1,1,1,1,2,2,2,2,2,2,3,3,3,3,3,3,4,4,4,4,4,4,0", "57718587326400"),
    ] {
        let puzzle = Puzzle::from_line(&format!("{line} -> {}", line.split(' ').nth(1).unwrap()));
        assert_eq!(
            size(&ClassifiedPuzzle::new(puzzle.unwrap(), 1 << 20, &|| false)),
            expected,
            "{line}"
        );
    }
}
