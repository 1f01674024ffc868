//! The puzzles of a task: a named instance that is solved repeatedly, or random puzzles of a board.

use hyperslide_census::token_labels;
use hyperslide_puzzle::{Arrangement, Board, BoardSource, Metric, Puzzle};
use serde::{Deserialize, Serialize};

use crate::instances::{Instance, KnownLength, find_instance, find_suite};
use crate::random::{Law, RandomPuzzles};

/// Where the puzzles of a task come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Puzzles {
    /// One named puzzle, the same for every run.
    Named(NamedPuzzle),
    /// Random puzzles, a new one for every run.
    Random(RandomSet),
    /// Listed puzzles, in order: run i solves the i-th.
    Listed(PuzzleList),
}

/// Puzzles in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PuzzleList {
    /// The suite's name, or what the experiment calls them.
    pub title: String,
    /// The puzzles.
    pub puzzles: Vec<NamedPuzzle>,
}

/// A named puzzle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedPuzzle {
    /// The instance's name.
    pub instance: String,
    /// Its rule k, for cubes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<usize>,
    /// The puzzle in one line, its metric included. A record of another puzzle does not count,
    /// whatever it is called.
    pub line: String,
}

/// Random puzzles of one board, every solvable start being equally likely unless they are drawn by
/// a walk from the goal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RandomSet {
    /// The board.
    pub board: String,
    /// The number of tokens; one less than there are vertices when missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<usize>,
    /// The goal of all puzzles. When it is missing, boards with one empty vertex have their usual
    /// goal, and on other boards each puzzle has a random goal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// The number of slides of a random walk from the goal to the start. Boards on which it takes
    /// long to decide whether a start can be solved need one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub walk: Option<u32>,
    /// The labels of tokens 1, 2, ..., as in `a,a,b` or `2xa,b`, where tokens are to be alike. The
    /// puzzles are those of distinguishable tokens, and their tokens are then labelled so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<String>,
    /// What counts as one move.
    #[serde(default, skip_serializing_if = "is_face")]
    pub metric: Metric,
    /// The seed of the puzzles.
    pub seed: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_face(metric: &Metric) -> bool {
    *metric == Metric::Face
}

impl Puzzles {
    /// What gives the puzzle of the run with a number.
    ///
    /// # Errors
    ///
    /// When there are no such puzzles.
    pub(crate) fn of_runs(&self) -> Result<Box<OfRun<'_>>, String> {
        Ok(match self {
            Puzzles::Named(named) => {
                let puzzle = named.puzzle()?;
                Box::new(move |_| Ok(puzzle.clone()))
            }
            Puzzles::Random(random) => {
                let law = random.law()?;
                Box::new(move |number| law.nth(number).map_err(|error| error.to_string()))
            }
            Puzzles::Listed(list) => Box::new(|number| match list.nth(number) {
                Some(named) => named.puzzle(),
                None => Err(format!("{} has no puzzle {}", list.title, number + 1)),
            }),
        })
    }
}

impl PuzzleList {
    /// The puzzle of the run with a number.
    pub(crate) fn nth(&self, number: u64) -> Option<&NamedPuzzle> {
        self.puzzles.get(usize::try_from(number).ok()?)
    }
}

/// Gives the puzzle of a run, or says why there is none.
type OfRun<'a> = dyn Fn(u64) -> Result<Puzzle, String> + Sync + 'a;

impl NamedPuzzle {
    /// The instance of a name, such as `korf15/12` or `cubical/d4-level4:3`, under the rule in its
    /// name or else this one.
    ///
    /// # Errors
    ///
    /// When there is no such instance, or the rule is not for it or is not the one in its name.
    pub fn new(instance: &str, rule: Option<usize>, metric: Metric) -> Result<NamedPuzzle, String> {
        let (found, own) = find_instance(instance).ok_or_else(|| {
            format!("no instance is called '{instance}': hyperslide instances lists them")
        })?;
        if let (Some(own), Some(rule)) = (own, rule)
            && own != rule
        {
            return Err(format!(
                "{instance} says rule {own}, and not {rule}: leave one of them out"
            ));
        }
        let rule = own.or(rule);
        let puzzle = found.puzzle(rule, metric).map_err(|error| error.to_string())?;
        Ok(NamedPuzzle { instance: instance.to_owned(), rule, line: puzzle.to_string() })
    }

    /// The instances of a suite, such as `korf15`; none when there is no such suite. The rule is
    /// for those whose rule can be chosen, and the others do without.
    ///
    /// # Errors
    ///
    /// When the rule is out of range.
    pub fn suite(
        name: &str,
        rule: Option<usize>,
        metric: Metric,
    ) -> Result<Vec<NamedPuzzle>, String> {
        let named = |instance: &Instance| {
            let rule = rule.filter(|_| instance.default_rule().is_some());
            NamedPuzzle::new(&instance.name, rule, metric)
        };
        find_suite(name).into_iter().flat_map(|suite| &suite.instances).map(named).collect()
    }

    /// A puzzle that is written in one line and has no name.
    ///
    /// # Errors
    ///
    /// What is wrong with the line.
    pub fn written(line: &str) -> Result<NamedPuzzle, String> {
        let puzzle = Puzzle::from_line(line).map_err(|error| error.to_string())?;
        Ok(NamedPuzzle { instance: line.to_owned(), rule: None, line: puzzle.to_string() })
    }

    /// The puzzle itself.
    ///
    /// # Errors
    ///
    /// What is wrong with its line.
    pub fn puzzle(&self) -> Result<Puzzle, String> {
        Puzzle::from_line(&self.line).map_err(|error| error.to_string())
    }

    /// What is known about its shortest solution. Lengths are known in the face metric only.
    pub fn known_length(&self) -> Option<KnownLength> {
        let (instance, _) = find_instance(&self.instance)?;
        let counts_faces = || self.puzzle().is_ok_and(|own| own.board().metric() == Metric::Face);
        let known = instance.known_length(self.rule)?;
        (known == KnownLength::Unsolvable || counts_faces()).then_some(known)
    }
}

impl RandomSet {
    /// The law that draws them.
    ///
    /// # Errors
    ///
    /// What is wrong with the board, the number of tokens or the goal.
    pub fn law(&self) -> Result<RandomPuzzles, String> {
        let board = board(&self.board, self.metric)?;
        let tokens = self.tokens.unwrap_or(board.vertex_count() - 1);
        let goal = self.goal.as_ref().map(|goal| {
            goal.parse::<Arrangement>().map_err(|error| format!("the goal '{goal}': {error}"))
        });
        let labels = match &self.labels {
            Some(labels) => {
                let listed =
                    token_labels(labels).map_err(|error| format!("the labels: {error}"))?;
                Some(listed.into_iter().map(str::to_owned).collect())
            }
            None => None,
        };
        let law =
            self.walk.map_or(Law::Uniform, |slides| Law::Walk { least: slides, most: slides });
        let goal = goal.transpose()?;
        let puzzles =
            RandomPuzzles { board, tokens, labels, goal, law, seed: self.seed, time: None };
        puzzles.usual_goal().map_err(|error| error.to_string())?;
        Ok(puzzles)
    }

    /// The board with its number of tokens where that is not one less than there are vertices, and
    /// with the labels of tokens that are alike.
    pub fn title(&self) -> String {
        let tokens = self.tokens.map(|tokens| format!(", {tokens} tokens")).unwrap_or_default();
        let labels = self.labels.as_ref().map(|labels| format!(", labels {labels}"));
        format!("{}{tokens}{}", self.board, labels.unwrap_or_default())
    }
}

/// The board that a text names.
///
/// # Errors
///
/// What is wrong with it; boards from files are refused, since experiments do not depend on them.
pub fn board(text: &str, metric: Metric) -> Result<Board, String> {
    let source: BoardSource =
        text.parse().map_err(|error| format!("the board '{text}': {error}"))?;
    let spec = source.into_spec().map_err(|_| {
        format!("the board '{text}' is a file: write grid:R:C, cube:D:K or graph:NAME")
    })?;
    Board::new(spec, metric).map_err(|error| format!("the board '{text}': {error}"))
}

#[cfg(test)]
mod tests {
    use hyperslide_puzzle::State;

    use super::*;

    fn set(tokens: usize, labels: Option<&str>) -> RandomSet {
        RandomSet {
            board: "cube:4:2".to_owned(),
            tokens: Some(tokens),
            goal: None,
            walk: Some(50),
            labels: labels.map(str::to_owned),
            metric: Metric::Face,
            seed: 3,
        }
    }

    #[test]
    fn instances_may_name_their_rule() {
        let named = |name, rule| NamedPuzzle::new(name, rule, Metric::Face);
        let own = named("cubical/d4-level4:2", None).unwrap();
        assert_eq!(
            (own.rule, own.puzzle().unwrap().board().to_string()),
            (Some(2), "cube:4:2".to_owned())
        );
        assert_eq!(own.known_length(), named("cubical/d4-level4", Some(2)).unwrap().known_length());
        assert!(named("cubical/d4-level4:2", Some(2)).is_ok());
        let error = named("cubical/d4-level4:2", Some(3)).unwrap_err();
        assert_eq!(error, "cubical/d4-level4:2 says rule 2, and not 3: leave one of them out");
    }

    #[test]
    fn labels_rename_the_tokens_of_the_same_puzzles() {
        let (plain, named) = (set(4, None), set(4, Some("a,a,b,c")));
        let (plain, named) = (plain.law().unwrap(), named.law().unwrap());
        for number in 0..5 {
            let (plain, named) = (plain.nth(number).unwrap(), named.nth(number).unwrap());
            let line = |puzzle: &Puzzle, names: [&str; 4]| {
                let places = |state: &State| {
                    let tokens = state.tokens();
                    let named = tokens.map(|(vertex, label)| (vertex, names[label.index()]));
                    named.map(|(vertex, name)| format!("{name} on {vertex}")).collect::<Vec<_>>()
                };
                (places(puzzle.start()), places(puzzle.goal().labelled()))
            };
            assert_eq!(line(&plain, ["a", "a", "b", "c"]), line(&named, ["a", "b", "c", ""]));
        }
    }

    #[test]
    fn the_metric_is_that_of_the_set() {
        let edge = RandomSet { metric: Metric::Edge, ..set(5, None) };
        assert_eq!(edge.law().unwrap().nth(0).unwrap().board().metric(), Metric::Edge);
        // Records of sets in the face metric do not say it.
        let text = serde_json::to_string(&set(5, None)).unwrap();
        assert!(!text.contains("metric"), "{text}");
        assert_eq!(serde_json::from_str::<RandomSet>(&text).unwrap(), set(5, None));
    }

    #[test]
    fn walks_start_at_the_goal_and_labels_are_counted() {
        let puzzle = |walk| {
            let set = RandomSet { walk: Some(walk), ..set(5, None) };
            set.law().unwrap().nth(0).unwrap()
        };
        assert!(puzzle(0).goal().is_met(puzzle(0).start()));
        assert_ne!(puzzle(1).start(), puzzle(0).start());
        let error = set(4, Some("a,b")).law().unwrap_err();
        assert_eq!(error, "2 labels for 4 tokens: write one for each");
    }
}
