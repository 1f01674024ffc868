//! What the committed records say of one puzzle, or of random puzzles of its kind, for those who
//! show it next to something else.

use std::collections::HashMap;
use std::sync::LazyLock;

use hyperslide_puzzle::Puzzle;

use crate::experiment::Puzzles;
use crate::record::TaskRecord;
use crate::task::{RunSummary, Runs, SolveTask, Task};

/// The records that have runs of many algorithms on named puzzles, or on random puzzles of many
/// boards. Tuning and ablations are left out: they are about settings that nobody else uses.
static FILES: [(&str, &str); 4] = [
    ("cubical-table-2", include_str!("../../../records/cubical-table-2.jsonl")),
    ("cubical-ea-table-4", include_str!("../../../records/cubical-ea-table-4.jsonl")),
    ("cubical-rl-table-5", include_str!("../../../records/cubical-rl-table-5.jsonl")),
    ("all-families", include_str!("../../../records/all-families.jsonl")),
];

/// The recorded runs of one solver.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedRuns {
    /// The solver, as [`Solver`](crate::Solver) writes it.
    pub solver: String,
    /// The experiment that recorded them.
    pub experiment: String,
    /// Whether they are of random puzzles of the same board and number of tokens, and not of the
    /// very puzzle.
    pub of_random_puzzles: bool,
    /// The revision of the program that made them.
    pub revision: String,
    /// The runs.
    pub runs: Vec<RunSummary>,
}

/// Puzzles that are named by their line, or random ones by their board and number of tokens.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    Line(String),
    Random { board: String, tokens: usize },
}

type Index = HashMap<Key, Vec<RecordedRuns>>;

static INDEX: LazyLock<Index> = LazyLock::new(|| {
    let mut index = Index::new();
    for (file, text) in FILES {
        for line in text.lines().filter(|line| !line.is_empty()) {
            let record = TaskRecord::read(line.as_bytes())
                .unwrap_or_else(|error| panic!("records/{file}.jsonl: {error}"));
            let Task::Solve(task) = &record.task else { continue };
            let Some(key) = key(task) else { continue };
            let mut runs = Runs::default();
            runs.extend(&record.data);
            let of_puzzle = index.entry(key).or_default();
            let same = |known: &&mut RecordedRuns| {
                known.solver == task.solver && known.experiment == record.experiment
            };
            match of_puzzle.iter_mut().find(same) {
                Some(known) => known.runs.extend(runs.summaries),
                None => of_puzzle.push(RecordedRuns {
                    solver: task.solver.clone(),
                    experiment: record.experiment.clone(),
                    of_random_puzzles: matches!(task.puzzles, Puzzles::Random(_)),
                    revision: record.provenance.revision.clone(),
                    runs: runs.summaries,
                }),
            }
        }
    }
    index
});

fn key(task: &SolveTask) -> Option<Key> {
    match &task.puzzles {
        Puzzles::Named(named) => Some(Key::Line(named.line.clone())),
        // Tokens that are alike, and goals of their own, make other puzzles.
        Puzzles::Random(random) if random.labels.is_none() && random.goal.is_none() => {
            let tokens = random.law().ok()?.tokens;
            Some(Key::Random { board: random.board.clone(), tokens })
        }
        Puzzles::Random(_) | Puzzles::Listed(_) => None,
    }
}

/// The recorded runs on a puzzle; where there are none, those on random puzzles of the same board
/// with the same number of distinguishable tokens. The first call reads three megabytes of records.
pub fn recorded_runs(puzzle: &Puzzle) -> &'static [RecordedRuns] {
    let exact = INDEX.get(&Key::Line(puzzle.to_string()));
    let of_kind = || {
        let tokens = puzzle.start().occupied().len();
        let board = puzzle.board().to_string();
        INDEX.get(&Key::Random { board, tokens }).filter(|_| puzzle.has_distinct_labels())
    };
    exact.or_else(of_kind).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> &'static [RecordedRuns] {
        recorded_runs(&Puzzle::from_line(line).unwrap())
    }

    #[test]
    fn levels_have_the_runs_of_the_papers_algorithms() {
        let runs = of("cube:4:3 b=13,g=4,p=1,r=5,y=7 -> b=4,g=13,p=7,r=5,y=1");
        let of = |solver: &str| {
            runs.iter().find(|runs| runs.solver.starts_with(solver)).unwrap_or_else(|| {
                panic!("{solver} has no runs: {:?}", runs.iter().map(|runs| &runs.solver))
            })
        };
        for solver in ["astar", "bidirectional", "evolution", "reinforcement", "hybrid"] {
            assert!(!of(solver).of_random_puzzles && !of(solver).runs.is_empty());
        }
        assert_eq!(of("astar").runs[0].length, Some(11));
        assert!(of("evolution").runs.len() >= 150);
    }

    #[test]
    fn other_puzzles_have_those_of_random_ones_of_their_kind() {
        let runs = of("grid:3:3 8,6,7,2,5,4,3,0,1 -> 1,2,3,4,5,6,7,8,0");
        let solvers: Vec<&str> = runs.iter().map(|runs| runs.solver.as_str()).collect();
        for solver in ["local-value-iteration", "anytime", "astar"] {
            assert!(solvers.iter().any(|known| known.starts_with(solver)), "{solvers:?}");
        }
        assert!(runs.iter().all(|runs| runs.of_random_puzzles && runs.runs.len() == 10));
        assert!(of("grid:2:2 a=0 -> a=3").is_empty());
        assert!(of("grid:3:3 1,1,2,3,4,5,6,0,7 -> 1,1,2,3,4,5,6,7,0").is_empty());
    }
}
