//! How freely the tokens of one configuration move, as programs read it, and its group.

use hyperslide_puzzle::{
    Classification, GroupName, Label, Permutation, PermutationGroup, Puzzle, Vertex, VertexSet,
    classify_with_group, group_name,
};
use num_bigint::BigUint;
use serde_json::{Value, json};

/// The classification of a puzzle's start, with the group of its closed walks.
#[derive(Clone, Debug)]
pub struct ClassifiedPuzzle {
    /// The puzzle.
    pub puzzle: Puzzle,
    /// What was found.
    pub found: Classification,
    /// The group; `None` if the component has more occupied sets than the limit.
    pub group: Option<WalkGroup>,
}

impl ClassifiedPuzzle {
    /// Classifies the start of a puzzle, and explores at most `limit` occupied sets for it, or
    /// those that were found before `stop` returned true.
    pub fn new(puzzle: Puzzle, limit: usize, stop: &dyn Fn() -> bool) -> ClassifiedPuzzle {
        let occupied = puzzle.start().occupied();
        let (found, group) = classify_with_group(puzzle.board(), occupied, limit, &|_| stop());
        let group = group.map(|group| WalkGroup::new(&puzzle, group));
        ClassifiedPuzzle { puzzle, found, group }
    }

    /// Returns the component with tokens of the same label treated as identical. `None` if all
    /// labels are distinct, or if the component is too large to count.
    pub fn alike(&self) -> Option<AlikeComponent> {
        /// The most arrangements to enumerate, in some 100 MB.
        const LISTED: usize = 1_000_000;
        if self.puzzle.has_distinct_labels() {
            return None;
        }
        let tokens = tokens_by_vertex(&self.puzzle).into_iter();
        let labels: Vec<u8> = tokens.map(|(_, label)| label.index() as u8).collect();
        let arrangements = self.group.as_ref()?.group.colourings(&labels, LISTED)?;
        let size = &arrangements * self.found.component.as_ref()?.occupied_sets;
        Some(AlikeComponent { arrangements, size })
    }

    /// Returns the labels and the vertices of the tokens on these vertices.
    pub fn tokens(&self, set: VertexSet) -> Vec<(String, usize)> {
        let tokens = tokens_by_vertex(&self.puzzle).into_iter();
        let of_set = tokens.filter(|&(vertex, _)| set.contains(vertex));
        let name = |(vertex, label): (Vertex, Label)| {
            (self.puzzle.labels().name(label).to_owned(), vertex.index())
        };
        of_set.map(name).collect()
    }

    /// Returns what `hyperslide classify --format json` prints, without the group.
    pub fn json(&self) -> Value {
        let (puzzle, found) = (&self.puzzle, &self.found);
        json!({
            "board": puzzle.board().spec().to_string(),
            "metric": puzzle.board().metric().name(),
            "start": puzzle.write_state(puzzle.start()),
            "regime": found.regime.map(|regime| regime.to_string()),
            "stuck": self.tokens(found.stuck),
            "undecided": self.tokens(found.undecided),
            "component": found.component.as_ref().map(|component| json!({
                "occupied_sets": component.occupied_sets,
                "arrangements": component.arrangements.to_string(),
                "size": component.size.to_string(),
                "count": component.count.to_string(),
                "even_permutations_only": component.even_only,
                "alike": self.alike().map(|AlikeComponent { arrangements, size }| json!({
                    "arrangements": arrangements.to_string(),
                    "size": size.to_string(),
                })),
            })),
        })
    }

    /// Returns the same with the group, which is `null` where it is not known.
    pub fn json_with_group(&self) -> Value {
        let mut answer = self.json();
        answer["group"] = self.group.as_ref().map_or(Value::Null, WalkGroup::json);
        answer
    }

    /// Returns a text that GAP reads, or `None` where the group is not known: it defines `G`, which
    /// acts on 1, 2, ...
    pub fn gap(&self) -> Option<String> {
        let (puzzle, group) = (&self.puzzle, self.group.as_ref()?);
        let start = puzzle.write_state(puzzle.start());
        let mut text = format!("# The group of closed walks of {} {start}\n", puzzle.board());
        for (point, token) in (1..).zip(&group.tokens) {
            text.push_str(&format!("# {point}: token {token}\n"));
        }
        if let Some(GroupName { name, .. }) = &group.name {
            text.push_str(&format!("# Hyperslide recognises it as {name}.\n"));
        }
        let generator = |permutation: &Permutation| -> String {
            let cycle = |cycle: &Vec<usize>| {
                let points: Vec<String> =
                    cycle.iter().map(|point| (point + 1).to_string()).collect();
                format!("({})", points.join(","))
            };
            permutation.cycles().iter().map(cycle).collect()
        };
        let generators: Vec<String> = group.group.generators().iter().map(generator).collect();
        let all = if generators.is_empty() { "()".to_owned() } else { generators.join(",\n  ") };
        let order = group.group.order();
        let check = format!("Print(\"The order is {order}: \", Size(G) = {order}, \"\\n\");\n");
        Some(text + &format!("G := Group(\n  {all});;\n") + &check)
    }
}

/// A component with tokens of the same label treated as identical.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlikeComponent {
    /// The number of arrangements of the tokens on each occupied set.
    pub arrangements: BigUint,
    /// The number of configurations.
    pub size: BigUint,
}

/// The group of closed walks with the names of the tokens on which it acts.
#[derive(Clone, Debug)]
pub struct WalkGroup {
    /// The group.
    pub group: PermutationGroup,
    /// Its name, where it is recognised.
    pub name: Option<GroupName>,
    /// The label of each token, with its vertex where another token has the same label.
    pub tokens: Vec<String>,
}

impl WalkGroup {
    fn new(puzzle: &Puzzle, group: PermutationGroup) -> WalkGroup {
        let token = |(vertex, label): (Vertex, Label)| {
            let name = puzzle.labels().name(label);
            match puzzle.start().vertices_of(label).len() {
                1 => name.to_owned(),
                _ => format!("{name}@{vertex}"),
            }
        };
        let tokens = tokens_by_vertex(puzzle).into_iter().map(token).collect();
        WalkGroup { name: group_name(&group), group, tokens }
    }

    /// Returns a permutation of tokens, in cycles of their names.
    pub fn cycles(&self, permutation: &Permutation) -> String {
        let cycle = |cycle: &Vec<usize>| {
            let names: Vec<&str> = cycle.iter().map(|&token| self.tokens[token].as_str()).collect();
            format!("({})", names.join(" "))
        };
        permutation.cycles().iter().map(cycle).collect()
    }

    fn json(&self) -> Value {
        let orbits = self.group.nontrivial_orbits();
        let names = |orbit: &Vec<usize>| -> Vec<&str> {
            orbit.iter().map(|&token| self.tokens[token].as_str()).collect()
        };
        let generators = self.group.generators();
        json!({
            "order": self.group.order().to_string(),
            "tokens": self.tokens,
            "orbits": orbits.iter().map(names).collect::<Vec<_>>(),
            "generators": generators.iter().map(|one| self.cycles(one)).collect::<Vec<_>>(),
            "name": self.name.as_ref().map(|found| &found.name),
            "reason": self.name.as_ref().map(|found| &found.reason),
        })
    }
}

/// The tokens of a puzzle's start in the order of their vertices.
fn tokens_by_vertex(puzzle: &Puzzle) -> Vec<(Vertex, Label)> {
    let mut tokens: Vec<(Vertex, Label)> = puzzle.start().tokens().collect();
    tokens.sort_unstable_by_key(|&(vertex, _)| vertex);
    tokens
}
