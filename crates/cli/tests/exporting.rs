//! Exported planning tasks, read and searched by interpreters that share no code with the program.

use std::collections::HashSet;

use crate::common::{folder, json, path, run, text};

/// Puzzles of every kind of board, with repeated and free tokens, and in both metrics.
const PUZZLES: [&str; 16] = [
    "grid:2:3 4,1,2,5,0,3 -> 1,2,3,4,5,0",
    "grid:3:3 1,2,3,0,5,6,4,7,8",
    "grid:2:3 b,a,b,a,0,b -> a,b,a,b,b,0",
    "grid:2:4 1,1,2,2,0,0,3,0 -> 1=*,2=0+1,3=*",
    "grid:1:4 1,0,0,2 -> 0,1,2,0",
    "grid:2:2 1,2,3,0 -> 1=*,2=*,3=*",
    "cube:3:1 r=4,p=1,b=5,g=6,y=0 -> g=4,p=1,r=5,b=6,y=7",
    "cube:3:2 r=4,p=1,b=5,g=6 -> g=4,p=1,r=5,b=6",
    "cube:3:3 A=0 -> A=7",
    "cube:3:2 edge r=4,p=1,b=5 -> b=4,p=1,r=5",
    "cube:3:2 a=0+1,b=2 -> a=6+7,b=1",
    "cube:4:2 a=0,b=1,c=2 -> a=2,b=0,c=1",
    "cube:4:3 Ä=0,b=1 -> Ä=1,b=14",
    "graph:5:0-1,1-2,2-3,3-0,3-4 a=0,b=1,c=2 -> a=1,b=0,c=2",
    "faces:5:0-1-2,2-3-4,0-1 a=0,b=3 -> a=1,b=2",
    "faces:5:0-1-2,2-3-4:0-1,1-2,2-3,3-4 edge a=0,b=3 -> a=2,b=4",
];

/// Variables and their values.
type Facts = Vec<(usize, usize)>;

/// What a planner sees: facts that hold at first, steps and a goal.
struct Task {
    start: Vec<usize>,
    /// Conditions and effects, each a variable and a value.
    steps: Vec<(Facts, Facts)>,
    goal: Facts,
}

impl Task {
    /// The number of steps of a shortest plan.
    fn shortest(&self) -> Option<usize> {
        let holds = |facts: &[(usize, usize)], state: &[usize]| {
            facts.iter().all(|&(variable, value)| state[variable] == value)
        };
        let mut seen = HashSet::from([self.start.clone()]);
        let mut layer = vec![self.start.clone()];
        for length in 0.. {
            if layer.iter().any(|state| holds(&self.goal, state)) {
                return Some(length);
            }
            let mut next = Vec::new();
            for state in &layer {
                for (conditions, effects) in &self.steps {
                    if holds(conditions, state) {
                        let mut after = state.clone();
                        effects.iter().for_each(|&(variable, value)| after[variable] = value);
                        if seen.insert(after.clone()) {
                            next.push(after);
                        }
                    }
                }
            }
            layer = next;
            if layer.is_empty() {
                return None;
            }
        }
        unreachable!("a finite graph has a last layer")
    }

    /// Reads the translator's format, and checks it on the way.
    fn from_sas(text: &str) -> Task {
        let mut lines = Sas { lines: text.lines() };
        lines.expect(&["begin_version", "3", "end_version", "begin_metric", "0", "end_metric"]);
        let sizes = lines.section("variable", |lines| {
            assert_eq!(lines.skip(2)[1], "-1", "no axioms");
            let size = lines.number();
            let values = lines.skip(size);
            assert_eq!(values.iter().collect::<HashSet<_>>().len(), size, "{values:?}");
            size
        });
        let groups = lines.section("mutex_group", Sas::facts);
        lines.expect(&["begin_state"]);
        let start: Vec<usize> = sizes.iter().map(|_| lines.number()).collect();
        lines.expect(&["end_state", "begin_goal"]);
        let goal = lines.facts();
        lines.expect(&["end_goal"]);
        let steps = lines.section("operator", |lines| {
            assert!(lines.skip(1)[0].starts_with("slide-"));
            let mut conditions = lines.facts();
            let mut effects = Vec::new();
            for _ in 0..lines.number() {
                let [0, variable, before, after] = lines.numbers()[..] else { panic!("effect") };
                conditions.push((variable, before));
                effects.push((variable, after));
            }
            assert_eq!(lines.number(), 1, "cost");
            (conditions, effects)
        });
        lines.expect(&["0"]);
        assert_eq!(lines.lines.next(), None);
        let task = Task { start, steps, goal };
        let facts =
            task.steps.iter().flat_map(|(conditions, effects)| conditions.iter().chain(effects));
        for &(variable, value) in facts.chain(&task.goal).chain(groups.iter().flatten()) {
            assert!(value < sizes[variable]);
        }
        for group in &groups {
            let holding = group.iter().filter(|&&(variable, value)| task.start[variable] == value);
            assert_eq!(holding.count(), 1, "one fact of a mutex group holds: {group:?}");
        }
        task
    }

    /// Grounds a domain and a problem in PDDL: a variable of two values for each atom.
    fn from_pddl(text: &str) -> Task {
        let mut words = words(text).into_iter();
        let (domain, problem) = (Tree::read(&mut words), Tree::read(&mut words));
        assert_eq!(words.next(), None);
        let [constants] = &domain.all(":constants")[..] else { panic!("constants") };
        let [objects] = &problem.all(":objects")[..] else { panic!("objects") };
        assert_eq!(domain.all(":requirements")[0][1].word(), ":strips");
        assert_eq!(domain.all("domain")[0][1].word(), problem.all(":domain")[0][1].word());
        let objects: Vec<&str> =
            constants[1..].iter().chain(&objects[1..]).map(Tree::word).collect();
        assert_eq!(objects.iter().collect::<HashSet<_>>().len(), objects.len());
        let count = objects.len();
        let place = |name: &str| objects.iter().position(|other| *other == name).unwrap();
        // Atoms at(x, y), then empty(x).
        let atom = |tree: &Tree, token: &str| {
            let named = |tree: &Tree| {
                place(match tree.word() {
                    "?token" => token,
                    name => name,
                })
            };
            match (tree[0].word(), tree.len()) {
                ("at", 3) => named(&tree[1]) * count + named(&tree[2]),
                ("empty", 2) => count * count + named(&tree[1]),
                other => panic!("{other:?}"),
            }
        };
        let fact = |tree: &Tree, token: &str| match tree[0].word() {
            "not" => (atom(&tree[1], token), 0),
            _ => (atom(tree, token), 1),
        };
        let facts = |tree: &Tree, token: &str| -> Vec<(usize, usize)> {
            assert_eq!(tree[0].word(), "and");
            tree[1..].iter().map(|tree| fact(tree, token)).collect()
        };
        let mut start = vec![0; count * count + count];
        problem.all(":init")[0][1..].iter().for_each(|tree| start[atom(tree, "")] = 1);
        let mut steps = Vec::new();
        for action in domain.all(":action") {
            let [_, _, parameters, _, precondition, _, effect] = [
                &action[0], &action[2], &action[3], &action[4], &action[5], &action[6], &action[7],
            ];
            assert_eq!((action.len(), parameters[0].word()), (8, "?token"));
            for token in &objects {
                steps.push((facts(precondition, token), facts(effect, token)));
            }
        }
        Task { start, steps, goal: facts(&problem.all(":goal")[0][1], "") }
    }
}

struct Sas<'a> {
    lines: std::str::Lines<'a>,
}

impl<'a> Sas<'a> {
    fn skip(&mut self, count: usize) -> Vec<&'a str> {
        (0..count).map(|_| self.lines.next().expect("the text ends early")).collect()
    }

    fn expect(&mut self, lines: &[&str]) {
        assert_eq!(self.skip(lines.len()), lines);
    }

    fn numbers(&mut self) -> Vec<usize> {
        self.skip(1)[0].split(' ').map(|number| number.parse().unwrap()).collect()
    }

    fn number(&mut self) -> usize {
        let [number] = self.numbers()[..] else { panic!("one number") };
        number
    }

    /// Their number, then a variable and a value on each line.
    fn facts(&mut self) -> Vec<(usize, usize)> {
        let fact = |numbers: Vec<usize>| (numbers[0], numbers[1]);
        (0..self.number()).map(|_| fact(self.numbers())).collect()
    }

    /// The number of things of a kind, then each of them between its begin and its end.
    fn section<T>(&mut self, what: &str, mut read: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let count = self.number();
        let one = |_| {
            self.expect(&[&format!("begin_{what}")]);
            let thing = read(self);
            self.expect(&[&format!("end_{what}")]);
            thing
        };
        (0..count).map(one).collect()
    }
}

#[derive(Debug)]
enum Tree {
    Word(String),
    List(Vec<Tree>),
}

impl std::ops::Deref for Tree {
    type Target = [Tree];

    fn deref(&self) -> &[Tree] {
        let Tree::List(trees) = self else { panic!("not a list: {self:?}") };
        trees
    }
}

impl Tree {
    fn read(words: &mut impl Iterator<Item = String>) -> Tree {
        let mut open = Vec::new();
        loop {
            let closed = match words.next().expect("a parenthesis is not closed").as_str() {
                "(" => {
                    open.push(Vec::new());
                    continue;
                }
                ")" => Tree::List(open.pop().expect("a parenthesis is not opened")),
                word => Tree::Word(word.to_lowercase()),
            };
            match open.last_mut() {
                Some(list) => list.push(closed),
                None => return closed,
            }
        }
    }

    fn word(&self) -> &str {
        let Tree::Word(word) = self else { panic!("not a word: {self:?}") };
        word
    }

    /// The lists in this one that begin with a word.
    fn all(&self, first: &str) -> Vec<&Tree> {
        let begins = |tree: &&Tree| matches!(tree, Tree::List(list) if list[0].word() == first);
        self.iter().filter(|tree| matches!(tree, Tree::List(_))).filter(begins).collect()
    }
}

fn words(text: &str) -> Vec<String> {
    let code = text.lines().map(|line| line.split(';').next().unwrap()).collect::<Vec<_>>();
    let spaced = code.join(" ").replace('(', " ( ").replace(')', " ) ");
    spaced.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn plans_are_as_long_as_solutions() {
    for puzzle in PUZZLES {
        let solved = json(&["solve", puzzle, "--algorithm", "astar"]);
        let length = solved["length"].as_u64().unwrap() as usize;
        let sas = Task::from_sas(&text(&["export", puzzle]));
        assert_eq!(sas.shortest(), Some(length), "{puzzle}");
        let pddl = Task::from_pddl(&text(&["export", puzzle, "--format", "pddl"]));
        assert_eq!(pddl.shortest(), Some(length), "{puzzle}");
    }
}

#[test]
fn a_puzzle_without_a_solution_has_no_plan() {
    let swapped = "grid:2:3 2,1,3,4,5,0";
    assert_eq!(Task::from_sas(&text(&["export", swapped])).shortest(), None);
    assert_eq!(Task::from_pddl(&text(&["export", swapped, "--format", "pddl"])).shortest(), None);
}

#[test]
fn the_text_of_a_small_task() {
    let sas = text(&["export", "grid:1:3 a,b,0 -> a,0,b"]);
    assert_eq!(
        sas.lines().filter(|line| line.starts_with("slide-")).collect::<Vec<_>>(),
        [
            "slide-0-1 token-a",
            "slide-1-0 token-a",
            "slide-1-2 token-a",
            "slide-2-1 token-a",
            "slide-0-1 token-b",
            "slide-1-0 token-b",
            "slide-1-2 token-b",
            "slide-2-1 token-b",
        ]
    );
    let slide =
        "begin_operator\nslide-1-2 token-b\n0\n3\n0 1 1 2\n0 3 1 0\n0 4 0 1\n1\nend_operator\n";
    assert!(sas.contains(slide), "{sas}");
    assert!(sas.contains("begin_mutex_group\n3\n0 1\n1 1\n3 0\nend_mutex_group\n"), "{sas}");
    assert!(sas.contains("begin_state\n0\n1\n1\n1\n0\nend_state\nbegin_goal\n3\n"), "{sas}");
}

#[test]
fn exports_go_to_files_and_plans_come_back() {
    let folder = folder("export");
    let puzzle = "cube:3:2 r=4,p=1,b=5,g=6 -> g=4,p=1,r=5,b=6";
    for (format, out, names) in [
        ("sas", folder.join("output.sas"), &["output.sas"][..]),
        ("pddl", folder.join("new/task"), &["new/task/domain.pddl", "new/task/problem.pddl"]),
    ] {
        assert_eq!(text(&["export", puzzle, "--format", format, "--out", path(&out)]), "");
        let read = |name: &&str| std::fs::read_to_string(folder.join(name)).unwrap();
        let written: String = names.iter().map(read).collect();
        assert_eq!(written, text(&["export", puzzle, "--format", format]));
    }
    let nowhere = folder.join("output.sas/under");
    let refused = run(&["export", puzzle, "--out", path(&nowhere)]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8(refused.stderr).unwrap().contains("cannot write"));
    // The moves of a solution, written as a planner writes them.
    let solved = json(&["solve", puzzle]);
    let moves = solved["moves"].as_array().unwrap().iter();
    let step = |mv: &serde_json::Value| {
        format!("(slide-{}-{} token-{})\n", mv["from"], mv["to"], mv["token"].as_str().unwrap())
    };
    let plan = moves.map(step).collect::<String>() + "; cost = 9 (unit cost)\n";
    assert!(json(&["replay", puzzle, &plan])["reaches_goal"].as_bool().unwrap());
    std::fs::remove_dir_all(&folder).unwrap();
}
