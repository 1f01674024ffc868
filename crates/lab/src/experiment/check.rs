//! What is wrong with an experiment file that can be parsed, and where.

use std::collections::BTreeMap;

use super::file::{
    BoardPicture, ByColumn, ColumnSpec, Entry, File, RowSpec, Shown, StagesSpec, View,
};
use super::puzzles::board;
use super::solver::Solver;
use crate::compare::{Judge, Value, is_stages_column};
use crate::each_once::each_once;
use crate::measure::{Measure, Quantity, Statistic};
use crate::report::FigureKind;

/// The most runs of a solver on a row, and the most random puzzles.
const MOST_RUNS: u64 = 1_000_000;

impl File {
    /// Checks what the parser cannot: that every name is known, and that nothing contradicts
    /// itself.
    pub(super) fn check(&self) -> Result<(), String> {
        let is_empty = self.row.is_empty() && self.layers.is_none() && self.stages.is_empty();
        if is_empty && self.picture.is_empty() && self.theorems.is_none() {
            return Err("there is nothing to do: write [[row]], [layers], [[stages]], [theorems] or [[picture]]".to_owned());
        }
        check_text("name", &self.name)?;
        check_text("title", &self.title)?;
        if self.cpu_s.is_some_and(|seconds| !(0.0..f64::INFINITY).contains(&seconds)) {
            return Err("cpu_s: write a number of seconds from 0 on".to_owned());
        }
        self.limits.limits().map_err(|error| format!("limits: {error}"))?;
        check_runs("runs", self.runs)?;
        // The last run has the seed `seed + runs - 1`.
        let last = u64::MAX - MOST_RUNS;
        if self.seed > last {
            return Err(format!("seed = {}: write 0 to {last}", self.seed));
        }
        self.check_quick().map_err(|error| format!("quick: {error}"))?;
        numbered("solver", &self.solver, |number, solver| {
            check_text("key", &solver.key)?;
            if self.solver[..number - 1].iter().any(|other| other.key == solver.key) {
                return Err(format!("the key '{}' is taken: choose another", solver.key));
            }
            solver.solver.parse::<Solver>()?;
            solver.limits.unwrap_or_default().limits()?;
            Ok(())
        })?;
        let keys = self.quick.solvers.iter().flatten().chain(&self.reference);
        self.check_keys(keys)?;
        if !self.row.is_empty() && self.view.is_empty() {
            return Err("rows need a [[view]] with keys and columns".to_owned());
        }
        numbered("view", &self.view, |_, view| self.check_view(view))?;
        numbered("row", &self.row, |_, row| self.check_row(row))?;
        numbered("stages", &self.stages, |_, stages| self.check_stages(stages))?;
        self.check_drawings()?;
        numbered("finding", &self.finding, |_, finding| {
            self.check_keys(&finding.solvers)?;
            if finding.solvers.len() < 2 {
                return Err("it compares solvers: write the keys of at least two".to_owned());
            }
            let is_unknown =
                |title: &&String| self.row.iter().all(|row| row.title.as_ref() != Some(*title));
            match finding.rows.iter().find(is_unknown) {
                Some(title) => Err(format!("no row has the title '{title}'")),
                None => Ok(()),
            }
        })?;
        numbered("contrast", &self.contrast, |_, contrast| {
            self.check_keys(&contrast.solvers)?;
            let [one, other] = &contrast.solvers;
            if one == other {
                return Err(format!("'{one}' is compared with itself: write another solver"));
            }
            let rows = (1..).zip(&self.row).filter(|(_, row)| contrast.is_of(row));
            match rows.filter(|(_, row)| row.has_many_puzzles()).map(|(number, _)| number).next() {
                Some(number) => Err(format!(
                    "it compares runs on one puzzle, and row {number} has many: write a [[pairing]] \
                     instead"
                )),
                None => Ok(()),
            }
        })?;
        numbered("pairing", &self.pairing, |_, pairing| {
            self.check_keys(&pairing.solvers)?;
            if each_once(&pairing.solvers).len() < pairing.solvers.len().max(2) {
                return Err(
                    "it compares every two solvers: write at least two keys, each once".to_owned()
                );
            }
            self.check_cost(pairing.cost, &pairing.solvers)
        })?;
        if let Some(spec) = self.theorems.as_ref().filter(|spec| !(1..=6).contains(&spec.max_d)) {
            return Err(format!("theorems: max_d = {}: write 1 to 6", spec.max_d));
        }
        if self.layers.is_some() {
            let name =
                self.board.as_deref().ok_or("layers: write board = \"grid:R:C\" at the top")?;
            board(name, self.metric)?;
        }
        Ok(())
    }

    fn check_quick(&self) -> Result<(), String> {
        let quick = &self.quick;
        quick.limits.unwrap_or_default().limits().map_err(|error| format!("limits: {error}"))?;
        quick.runs.map_or(Ok(()), |runs| check_runs("runs", runs))?;
        if quick.solvers.as_ref().is_some_and(Vec::is_empty) {
            return Err("solvers is empty: write at least one key, or leave it out".to_owned());
        }
        if quick.region == Some(0) {
            return Err("region = 0: write at least 1".to_owned());
        }
        Ok(())
    }

    fn check_view(&self, view: &View) -> Result<(), String> {
        if view.keys.is_empty() || view.columns.is_empty() {
            return Err("write at least one key and at least one column".to_owned());
        }
        numbered("column", &view.columns, |number, column| {
            check_text("name", &column.name)?;
            if view.columns[..number - 1].iter().any(|other| other.name == column.name) {
                return Err(format!("the name '{}' is taken: choose another", column.name));
            }
            column.check_judge()?;
            match &column.solver {
                Some(_) if !view.by_puzzle => Err(format!(
                    "'{}' names a solver in a table of one row for each solver: write by_puzzle = \
                     true, or leave solver out",
                    column.name
                )),
                solver => self.check_keys(solver),
            }
        })
    }

    fn check_row(&self, row: &RowSpec) -> Result<(), String> {
        let ways = [
            row.instance.is_some(),
            row.puzzle.is_some(),
            row.random.is_some(),
            row.suite.is_some(),
            !row.puzzles.is_empty(),
            row.census.is_some(),
            row.board.is_some(),
        ];
        if ways.into_iter().filter(|&is| is).count() != 1 {
            return Err("write one of instance, puzzle, random, suite, puzzles, census and board"
                .to_owned());
        }
        let is_by_name = row.instance.is_some() || row.suite.is_some() || !row.puzzles.is_empty();
        if !is_by_name && row.rule.is_some() {
            return Err("rule is for named instances: leave it out".to_owned());
        }
        row.named(self.metric).transpose()?;
        row.listed(self.metric).transpose()?;
        match (&row.random, row.census) {
            (Some(random), _) => self.random(random).law().map(|_| ())?,
            (None, Some(empty)) => {
                let name = self.board.as_deref().ok_or("census needs the experiment's board")?;
                let vertices = board(name, self.metric)?.vertex_count();
                if empty > vertices {
                    return Err(format!("census = {empty}: {name} has {vertices} vertices"));
                }
            }
            (None, None) => {}
        }
        let mut columns = self.view.iter().flat_map(|view| &view.columns);
        let of_runs = columns.find(|column| !column.measure.only_describes());
        if let (Some(board), Some(column)) = (&row.board, of_runs) {
            return Err(format!(
                "'{}' is not a fact about a board: write random = {{ board = \"{board}\", ... }} to \
                 solve puzzles of it, or census = N with board at the top for its puzzle graph",
                column.name
            ));
        }
        let only_describes = of_runs.is_none();
        if row.census.is_none() && self.solver.is_empty() && !only_describes {
            return Err("there is no [[solver]] to solve it".to_owned());
        }
        self.check_keys(row.solvers.iter().flatten())?;
        let keys = row.with.keys().chain(row.limits.keys()).chain(row.portion.keys());
        for key in keys.chain(row.other_puzzles.keys()) {
            self.check_keys([key])?;
            if self.solvers_of(row).all(|solver| solver.key != *key) {
                return Err(format!("solvers leaves out '{key}', about which the row says more"));
            }
        }
        for solver in self.solvers_of(row) {
            self.solver_text(row, solver).parse::<Solver>()?;
        }
        for (key, limits) in &row.limits {
            limits.limits().map_err(|error| format!("limits.{key}: {error}"))?;
        }
        if let Some((key, _)) = row.portion.iter().find(|(_, runs)| **runs == 0) {
            return Err(format!("portion.{key} = 0: write at least 1"));
        }
        self.check_columns("published", &row.published)?;
        self.check_columns("data", &row.data)?;
        self.check_columns("wrong", &row.wrong)?;
        self.check_columns("differs", &row.differs)?;
        for column in row.given.keys().chain(row.printed.keys()) {
            self.check_column(column)?;
        }
        self.check_shares("published", &row.published)?;
        self.check_shares("data", &row.data)
    }

    fn check_stages(&self, stages: &StagesSpec) -> Result<(), String> {
        self.random(&stages.random).law()?;
        stages.count.map_or(Ok(()), |count| check_runs("count", count))?;
        for region in &stages.regions {
            format!("local-value-iteration region={region}").parse::<Solver>()?;
        }
        let columns = stages.published.values().flat_map(BTreeMap::keys);
        let wrong = stages.wrong.values().flat_map(BTreeMap::keys);
        match columns.chain(wrong).find(|column| !is_stages_column(column)) {
            Some(column) => Err(format!("there is no column '{column}'")),
            None => Ok(()),
        }
    }

    fn check_drawings(&self) -> Result<(), String> {
        let figures = self.figure.iter().map(|figure| &figure.name);
        let names: Vec<&String> =
            figures.chain(self.picture.iter().map(|picture| &picture.name)).collect();
        let check_name = |number: usize, name: &String| {
            let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
            if name.is_empty() || !name.chars().all(is_plain) {
                return Err(format!(
                    "the name '{}' is that of a file: write letters, digits, - and _",
                    name.escape_debug()
                ));
            }
            match names[..number].contains(&name) {
                true => Err(format!("the name '{name}' is taken: choose another")),
                false => Ok(()),
            }
        };
        numbered("figure", &self.figure, |number, figure| {
            check_name(number - 1, &figure.name)?;
            self.check_keys(&figure.solvers)?;
            match figure.draw {
                FigureKind::Runtimes | FigureKind::Profiles if figure.solvers.is_empty() => {
                    self.check_cost(figure.cost, self.solver.iter().map(|solver| &solver.key))
                }
                FigureKind::Runtimes | FigureKind::Profiles => {
                    self.check_cost(figure.cost, &figure.solvers)
                }
                _ => Ok(()),
            }
        })?;
        numbered("picture", &self.picture, |number, picture| {
            check_name(self.figure.len() + number - 1, &picture.name)?;
            picture.boards.iter().try_for_each(|shown| {
                let puzzle = shown.puzzle(self.metric)?;
                match shown.shows {
                    Shown::Graph => BoardPicture::graph(&puzzle).map(drop),
                    Shown::Start | Shown::Goal => Ok(()),
                }
            })
        })
    }

    /// Refuses to compare states with those of other programs, which are not known.
    fn check_cost<'a>(
        &self,
        cost: Quantity,
        solvers: impl IntoIterator<Item = &'a String>,
    ) -> Result<(), String> {
        if matches!(cost, Quantity::Bound | Quantity::Excess) {
            return Err(
                "cost: write what a run takes: \"expanded\", \"generated\", \"stored\", \"cpu\", \
                        \"memory\" or \"length\""
                    .to_owned(),
            );
        }
        let is_program = |key: &&String| self.solver_of(key).is_program();
        match solvers.into_iter().find(is_program) {
            Some(key) if cost.counts_states() => Err(format!(
                "the states of '{key}' are not known, since it is another program: write cost = \
                 \"cpu\", \"memory\" or \"length\""
            )),
            _ => Ok(()),
        }
    }

    fn check_columns<V>(&self, what: &str, entries: &ByColumn<V>) -> Result<(), String> {
        for (key, entry) in entries {
            let place = |error: String| format!("{what}.{key}: {error}");
            match entry {
                Entry::One(_) if self.check_keys([key]).is_ok() => {}
                Entry::One(_) => self.check_column(key).map_err(place)?,
                Entry::ByColumn(columns) => {
                    self.check_keys([key]).map_err(place)?;
                    for column in columns.keys() {
                        self.check_column(column).map_err(place)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Refuses what is published of a share but is none.
    fn check_shares(&self, what: &str, entries: &ByColumn<Value>) -> Result<(), String> {
        let columns = self.view.iter().flat_map(|view| &view.columns);
        for column in columns.filter(|column| column.judge == Some(Judge::Fisher)) {
            let values = entries.iter().filter_map(|(key, entry)| match entry {
                Entry::One(value) if *key == column.name => Some(value),
                Entry::One(_) => None,
                Entry::ByColumn(columns) => columns.get(&column.name),
            });
            for value in values {
                if !matches!(value, Value::OutOf(part, all) if part <= all) {
                    let name = &column.name;
                    return Err(format!("{what}: {name} = {value}: write [PART, ALL]"));
                }
            }
        }
        Ok(())
    }

    fn check_keys<'a>(&self, keys: impl IntoIterator<Item = &'a String>) -> Result<(), String> {
        let known = || self.solver.iter().map(|solver| solver.key.as_str());
        match keys.into_iter().find(|&key| known().all(|known| known != key)) {
            None => Ok(()),
            Some(key) => {
                let known = known().collect::<Vec<_>>().join(", ");
                Err(format!("no solver has the key '{key}': write one of {known}"))
            }
        }
    }

    fn check_column(&self, name: &str) -> Result<(), String> {
        let known = || self.view.iter().flat_map(|view| &view.columns).map(|column| &column.name);
        if known().any(|known| known == name) {
            return Ok(());
        }
        let known = known().cloned().collect::<Vec<_>>().join(", ");
        Err(format!("there is no column '{name}': write one of {known}"))
    }
}

impl ColumnSpec {
    /// Refuses a judge of values that the measure does not have.
    fn check_judge(&self) -> Result<(), String> {
        let Some(judge) = self.judge else { return Ok(()) };
        let (fits, needs) = match (judge, self.measure) {
            (Judge::Fisher, measure) => (
                matches!(measure, Measure::Solved | Measure::Proven | Measure::Known),
                "a share: solved, proven or known",
            ),
            (Judge::SignTest | Judge::Least | Judge::Greatest, measure) => (
                matches!(measure, Measure::Of(..) | Measure::Gap),
                "a sample: gap, or QUANTITY.STATISTIC such as length.median",
            ),
            (Judge::Means, measure) => (
                matches!(measure, Measure::Of(_, Statistic::Mean)),
                "a mean: QUANTITY.mean, such as length.mean",
            ),
            _ => (true, ""),
        };
        match fits {
            true => Ok(()),
            false => Err(format!("the judge of '{}' needs the measure of {needs}", self.name)),
        }
    }
}

/// Checks each of several things, and says which of them is wrong.
fn numbered<T>(
    what: &str,
    of: &[T],
    mut check: impl FnMut(usize, &T) -> Result<(), String>,
) -> Result<(), String> {
    (1..).zip(of).try_for_each(|(number, one)| {
        check(number, one).map_err(|error| format!("{what} {number}: {error}"))
    })
}

/// Refuses a name that cannot be seen, or that would break a line.
fn check_text(what: &str, text: &str) -> Result<(), String> {
    if text.trim().is_empty() {
        return Err(format!("{what} is empty: write one"));
    }
    match text.contains(char::is_control) {
        true => Err(format!("{what} = '{}': write one line", text.escape_debug())),
        false => Ok(()),
    }
}

fn check_runs(what: &str, runs: u64) -> Result<(), String> {
    match (1..=MOST_RUNS).contains(&runs) {
        true => Ok(()),
        false => Err(format!("{what} = {runs}: write 1 to {MOST_RUNS}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A right file, and what makes it wrong: the words that are replaced, with what, and what is
    /// said of it.
    const WRONG: &[(&str, &str, &str)] = &[
        ("\"imaginary-table-1\"", "\" \"", "name is empty: write one"),
        ("\"imaginary-table-1\"", "\"a\\nb\"", "name = 'a\\nb': write one line"),
        ("\"nobody2027\"", "\"nayak\"", "the key 'nayak' is that of \"Comparing search"),
        ("\"nobody2027\"", "\"\"", "paper: key is empty: write one"),
        (
            "time_s = 10.0",
            "time_s = -1",
            "limits: time_s = -1: write a number of seconds that is not negative",
        ),
        ("time_s = 10.0", "time_s = nan", "limits: time_s = NaN: write a number of seconds"),
        ("time_s = 10.0", "time_s = 1e19", "that is longer than any run"),
        (
            "time_s = 10.0",
            "nodes = -5",
            "line 11, column 20: invalid value: integer `-5`, expected a whole number from 0 on",
        ),
        ("runs = 20", "runs = 0", "runs = 0: write 1 to 1000000"),
        ("runs = 20", "runs = 2.5", "expected a whole number from 0 on"),
        ("runs = 20", "runs = 9000000000", "runs = 9000000000: write 1 to 1000000"),
        ("runs = 5", "runs = 0", "quick: runs = 0: write 1 to"),
        ("runs = 5", "solvers = []", "quick: solvers is empty: write at least one key"),
        ("runs = 5", "region = 0", "quick: region = 0: write at least 1"),
        ("runs = 5", "limits = { time_s = -2 }", "quick: limits: time_s = -2: write"),
        ("runs = 5", "solvers = [\"three\"]", "no solver has the key 'three': write one of two, e"),
        ("seed = 7", "seed = -7", "expected a whole number from 0 on"),
        ("seed = 7", "sead = 7", "unknown field `sead`, expected one of `name`"),
        ("seed = 7", "cpu_s = -1.0", "cpu_s: write a number of seconds from 0 on"),
        ("seed = 7", "metric = \"diagonal\"", "line 10, column 10: "),
        ("seed = 7", "reference = \"nobody\"", "no solver has the key 'nobody': write one of two"),
        ("key = \"two\"", "key = \"\"", "solver 1: key is empty: write one"),
        (
            "key = \"evolution\"",
            "key = \"two\"",
            "solver 2: the key 'two' is taken: choose another",
        ),
        (
            "weight=2",
            "wait=2",
            "solver 1: weighted-astar takes no 'wait': it takes heuristic and weight",
        ),
        ("weight=2", "weight=-2", "'-2' is not a value of weight: write a number from 0 to 1000"),
        ("weight=2", "heuristic=patterns:", "solver 1: the heuristic patterns: '' is not a value"),
        ("weight=2", "heuristic=blind:2", "solver 1: the heuristic blind takes no parameter"),
        (
            "\"evolution\"\n\n[[view]]",
            "\"revolution\"\n\n[[view]]",
            "no algorithm is called 'revolution'",
        ),
        ("[\"instance\", \"k\", \"method\"]", "[]", "view 1: write at least one key"),
        (
            "[\"instance\", \"k\", \"method\"]",
            "[\"rule\"]",
            "unknown variant `rule`, expected one of `row`",
        ),
        ("\"median\", m", "\"solved\", m", "view 1: column 2: the name 'solved' is taken"),
        ("\"median\", m", "\"\", m", "view 1: column 2: name is empty: write one"),
        (
            "judge = \"sign-test\"",
            "judge = \"fisher\"",
            "the judge of 'median' needs the measure of a share: solved, proven or known",
        ),
        ("judge = \"fisher\"", "judge = \"means\"", "needs the measure of a mean: QUANTITY.mean"),
        (
            "judge = \"fisher\"",
            "judge = \"least\"",
            "needs the measure of a sample: gap, or QUANTITY",
        ),
        ("judge = \"fisher\"", "solver = \"two\"", "write by_puzzle = true, or leave solver out"),
        (
            "d3-level0",
            "d3-level99",
            "row 1: no instance is called 'cubical/d3-level99': hyperslide instances",
        ),
        ("rule = 2", "rule = 9", "row 1: "),
        (
            "rule = 2",
            "puzzle = \"grid:2:2 1,2,3,0\"",
            "row 1: write one of instance, puzzle, random",
        ),
        (
            "solved = [20, 20]",
            "solved = [30, 20]",
            "row 1: published: solved = 30 of 20: write [PART, ALL]",
        ),
        ("solved = [20, 20]", "solved = 20", "row 1: published: solved = 20: write [PART, ALL]"),
        (
            "solved = [20, 20]",
            "salved = [20, 20]",
            "there is no column 'salved': write one of solved,",
        ),
        ("published = { two", "published = { too", "no solver has the key 'too': write one of two"),
        ("rule = 2", "rule = 2\nportion = { two = 0 }", "row 1: portion.two = 0: write at least 1"),
        (
            "rule = 2",
            "rule = 2\nlimits = { two = { time_s = -3 } }",
            "row 1: limits.two: time_s = -3",
        ),
        (
            "rule = 2",
            "rule = 2\nwith = { two = \"width=3\" }",
            "row 1: weighted-astar takes no 'width'",
        ),
        (
            "rule = 2",
            "rule = 2\nsolvers = [\"evolution\"]\nwith = { two = \"\" }",
            "row 1: solvers leaves out 'two'",
        ),
        (
            "board = \"grid:2:3\"",
            "board = \"grid:2:3\", tokens = 6",
            "row 2: 6 tokens on 6 vertices: use 1 to 5, so that one is left empty",
        ),
        ("board = \"grid:2:3\"", "board = \"grid:2\"", "row 2: the board 'grid:2': "),
        (
            "board = \"grid:2:3\"",
            "board = \"grid:2:3\", goal = \"1,2,3\"",
            "row 2: the goal has 3 entries, and the board 6 vertices",
        ),
        (
            "board = \"grid:2:3\"",
            "board = \"grid:2:3\", labels = \"a,,b,c,d\"",
            "row 2: the labels: '' is not a label",
        ),
        ("random = {", "rule = 2\nrandom = {", "row 2: rule is for named instances: leave it out"),
        (
            "[[row]]\nrandom",
            "[[figure]]\nname = \"../x\"\ntitle = \"\"\ndraw = \"times\"\n[[row]]\nrandom",
            "figure 1: the name '../x' is that of a file: write letters",
        ),
        (
            "[[row]]\nrandom",
            "[[figure]]\nname = \"x\"\ntitle = \"\"\ndraw = \"pie\"\n[[row]]\nrandom",
            "unknown variant `pie`, expected one of `histograms`",
        ),
        (
            "[[row]]\nrandom",
            "[[finding]]\nsays = \"\"\nsolvers = [\"two\"]\n[[row]]\nrandom",
            "finding 1: it compares solvers",
        ),
        (
            "[[row]]\nrandom",
            "[[contrast]]\ntitle = \"\"\nsolvers = [\"two\", \"two\"]\n[[row]]\nrandom",
            "contrast 1: 'two' is compared with itself",
        ),
        (
            "[[row]]\nrandom",
            "[[contrast]]\ntitle = \"\"\nsolvers = [\"two\", \"evolution\"]\n[[row]]\nrandom",
            "contrast 1: it compares runs on one puzzle, and row 2 has many: write a [[pairing]]",
        ),
        ("seed = 7", "seed = 18446744073709551615", "seed = 18446744073709551615: write 0 to "),
        (
            "[[row]]\nrandom",
            "[[pairing]]\ntitle = \"\"\nsolvers = [\"two\", \"two\"]\n[[row]]\nrandom",
            "pairing 1: it compares every two solvers: write at least two keys, each once",
        ),
        (
            "[[row]]\nrandom",
            "[[pairing]]\ntitle = \"\"\nsolvers = [\"two\", \"evolution\"]\ncost = \"excess\"\n[[row]]\nrandom",
            "pairing 1: cost: write what a run takes",
        ),
        (
            "[[row]]\nrandom",
            "[layers]\nlayers = [1]\nmean = 0\nstates = 1\n[[row]]\nrandom",
            "layers: write board = \"grid:R:C\"",
        ),
        (
            "[[row]]\nrandom",
            "[theorems]\nmax_d = 7\n[[row]]\nrandom",
            "theorems: max_d = 7: write 1 to 6",
        ),
        (
            "[[row]]\nrandom",
            "[[stages]]\nrandom = { board = \"grid:3:3\" }\nregions = [0]\n[[row]]\nrandom",
            "stages 1: '0' is not a value of region: write a whole number from 1",
        ),
        (
            "[[row]]\nrandom",
            "[[stages]]\nrandom = { board = \"grid:3:3\" }\ncount = 0\n[[row]]\nrandom",
            "stages 1: count = 0: write 1 to",
        ),
        (
            "[[row]]\nrandom",
            "[[stages]]\nrandom = { board = \"grid:3:3\" }\npublished = { \"tile=1\" = { off = 1 } }\n[[row]]\nrandom",
            "stages 1: there is no column 'off'",
        ),
    ];

    #[test]
    fn a_wrong_file_is_refused_in_one_line() {
        let text = include_str!("../../tests/data/own-paper.toml");
        File::read(text).unwrap();
        for (right, wrong, words) in WRONG {
            assert!(text.contains(right), "{right}");
            let error = File::read(&text.replacen(right, wrong, 1)).err();
            let error = error.unwrap_or_else(|| panic!("{wrong} is taken"));
            assert!(error.contains(words) && error.lines().count() == 1, "{wrong}: {error}");
        }
    }
}
