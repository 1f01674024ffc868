//! Tokens that may end up anywhere are interchangeable, whatever their labels.

use hyperslide_puzzle::{Arrangement, LabelPositions, Puzzle, Setup};

/// If the goal places no token of several labels, returns the puzzle in which these labels are
/// merged into one, and the number of the remaining tokens. Both puzzles have the same solutions,
/// but tokens with the same label can be exchanged without a new state, so the merged one has fewer
/// states.
pub(crate) fn with_free_labels_merged(puzzle: &Puzzle) -> Option<(Puzzle, usize)> {
    let goal = puzzle.goal().labelled();
    let is_free = |&(label, _): &(_, &str)| goal.vertices_of(label).is_empty();
    let free: Vec<(_, &str)> = puzzle.labels().iter().filter(is_free).collect();
    let (&(_, kept), [_, ..]) = free.split_first()? else { return None };
    let is_free = |name: &str| free.iter().any(|&(_, free)| free == name);
    let merged = |arrangement: Arrangement| match arrangement {
        Arrangement::ByVertex(mut entries) => {
            entries.iter_mut().filter(|name| is_free(name)).for_each(|name| kept.clone_into(name));
            Arrangement::ByVertex(entries)
        }
        Arrangement::ByLabel(entries) => {
            let (of_free, mut others): (Vec<_>, Vec<_>) =
                entries.into_iter().partition(|entry| is_free(&entry.label));
            others.push(LabelPositions {
                label: kept.to_owned(),
                others_anywhere: of_free.iter().any(|entry| entry.others_anywhere),
                vertices: of_free.into_iter().flat_map(|entry| entry.vertices).collect(),
            });
            Arrangement::ByLabel(others)
        }
    };
    let Setup { start, goal } = puzzle.setup();
    let setup = Setup { start: merged(start), goal: goal.map(merged) };
    let tokens = |&(label, _): &(_, &str)| puzzle.start().vertices_of(label).len();
    let others = puzzle.start().occupied().len() - free.iter().map(tokens).sum::<usize>();
    let puzzle = Puzzle::new(puzzle.board().clone(), &setup);
    Some((
        puzzle.expect("merging labels that the goal does not place keeps a puzzle valid"),
        others,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_that_the_goal_does_not_place_become_one() {
        for (line, merged) in [
            (
                "cube:3:1 a=0,b=1,c=2,d=3+4 -> a=7,b=*,c=*,d=5+*",
                Some(("cube:3:1 a=0,b=1+2,d=3+4 -> a=7,b=*,d=5+*", 3)),
            ),
            (
                "cube:3:1 a=0,b=1,c=2 -> a=7,b=*,c=*,0=0+1",
                Some(("cube:3:1 a=0,b=1+2 -> a=7,b=*,0=0+1", 1)),
            ),
            (
                "grid:2:3 1,2,3,4,0,0 -> *,*,0,1,*,*",
                Some(("grid:2:3 1,2,2,2,0,0 -> *,*,0,1,*,*", 1)),
            ),
            ("grid:2:3 1,2,2,3,0,0 -> *,*,0,1,2,*", None),
            ("cube:3:1 a=0,b=1 -> a=7,b=*", None),
            ("cube:3:1 a=0,b=1 -> a=7,b=6", None),
        ] {
            let found = with_free_labels_merged(&Puzzle::from_line(line).unwrap());
            let found = found.map(|(puzzle, others)| (puzzle.to_string(), others));
            let merged = merged.map(|(line, others)| (line.to_owned(), others));
            assert_eq!(found, merged, "{line}");
        }
    }
}
