//! What is wrong with an experiment file that can be parsed, and where.

use super::file::{BoardPicture, ByColumn, Entry, File, RowSpec, Shown};
use super::puzzles::board;
use super::solver::Solver;
use crate::compare::Fraction;
use crate::measure::Measure;

impl File {
    /// Checks what the parser cannot: that every name is known, and that nothing contradicts itself.
    pub(super) fn check(&self) -> Result<(), String> {
        let is_empty = self.row.is_empty() && self.layers.is_none() && self.stages.is_empty();
        if is_empty && self.picture.is_empty() && self.theorems.is_none() {
            return Err("there is nothing to do: write [[row]], [layers], [[stages]], [theorems] or [[picture]]".to_owned());
        }
        self.limits.limits().map_err(|error| format!("limits: {error}"))?;
        let of_quick = self.quick.limits.unwrap_or_default();
        of_quick.limits().map_err(|error| format!("quick: limits: {error}"))?;
        if self.runs == 0 || self.quick.runs == Some(0) {
            return Err("runs is 0: write at least 1".to_owned());
        }
        for (number, solver) in (1..).zip(&self.solver) {
            let place = |error: String| format!("solver {number}: {error}");
            if self.solver[..number - 1].iter().any(|other| other.key == solver.key) {
                return Err(place(format!("the key '{}' is taken: choose another", solver.key)));
            }
            solver.solver.parse::<Solver>().map_err(place)?;
            solver.limits.unwrap_or_default().limits().map_err(place)?;
        }
        let keys = self.quick.solvers.iter().flatten().chain(&self.reference);
        let keys = keys.chain(self.figure.iter().flat_map(|figure| &figure.solvers));
        let keys = keys.chain(self.finding.iter().flat_map(|finding| &finding.solvers));
        let keys = keys.chain(self.contrast.iter().flat_map(|contrast| &contrast.solvers));
        let keys = keys.chain(self.pairing.iter().flat_map(|pairing| &pairing.solvers));
        keys.map(String::as_str).try_for_each(|key| self.check_key(key))?;
        for (number, view) in (1..).zip(&self.view) {
            let place = |error: String| format!("view {number}: {error}");
            for column in &view.columns {
                if let Some(key) = &column.solver {
                    self.check_key(key).map_err(place)?;
                }
            }
        }
        if !self.row.is_empty() && self.view.is_empty() {
            return Err("rows need a [[view]] with keys and columns".to_owned());
        }
        for (number, finding) in (1..).zip(&self.finding) {
            let is_unknown =
                |title: &&String| self.row.iter().all(|row| row.title.as_ref() != Some(*title));
            if let Some(title) = finding.rows.iter().find(is_unknown) {
                return Err(format!("finding {number}: no row has the title '{title}'"));
            }
        }
        for (number, row) in (1..).zip(&self.row) {
            self.check_row(row).map_err(|error| format!("row {number}: {error}"))?;
        }
        for (number, stages) in (1..).zip(&self.stages) {
            let place = |error: String| format!("stages {number}: {error}");
            self.random(&stages.puzzles()).law().map_err(place)?;
            let shares = stages.stage.iter().flat_map(|stage| &stage.shares);
            for share in shares.chain(stages.class.iter().filter_map(|class| class.share.as_ref()))
            {
                share.parse::<Fraction>().map_err(place)?;
            }
        }
        for (number, picture) in (1..).zip(&self.picture) {
            for shown in &picture.boards {
                let place = |error: String| format!("picture {number}: {error}");
                let puzzle = shown.puzzle(self.metric).map_err(place)?;
                if shown.shows == Shown::Graph {
                    BoardPicture::graph(&puzzle).map_err(place)?;
                }
            }
        }
        if let Some(spec) = self.theorems.as_ref().filter(|spec| !(1..=6).contains(&spec.max_d)) {
            return Err(format!("theorems: max_d = {}: write 1 to 6", spec.max_d));
        }
        if self.layers.is_some() {
            board(self.board.as_deref().unwrap_or_default(), self.metric)?;
        }
        Ok(())
    }

    fn check_row(&self, row: &RowSpec) -> Result<(), String> {
        let ways = [
            row.instance.is_some(),
            row.puzzle.is_some(),
            row.random.is_some(),
            row.census.is_some(),
            row.board.is_some(),
        ];
        if ways.into_iter().filter(|&is| is).count() != 1 {
            return Err("write one of instance, puzzle, random, census and board".to_owned());
        }
        row.named(self.metric).transpose()?;
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
        let only_describes = self.view.iter().flat_map(|view| &view.columns).all(|column| {
            matches!(column.measure, Measure::Fact(_) | Measure::Optimum | Measure::Given)
        });
        if row.census.is_none() && self.solver.is_empty() && !only_describes {
            return Err("there is no [[solver]] to solve it".to_owned());
        }
        for key in row.solvers.iter().flatten() {
            self.check_key(key)?;
        }
        let keys = row.with.keys().chain(row.limits.keys()).chain(row.portion.keys());
        keys.chain(row.other_puzzles.keys()).try_for_each(|key| self.check_key(key))?;
        for solver in self.solvers_of(row) {
            self.solver_text(row, solver).parse::<Solver>()?;
        }
        for limits in row.limits.values() {
            limits.limits()?;
        }
        self.check_columns("published", &row.published)?;
        self.check_columns("data", &row.data)?;
        self.check_columns("wrong", &row.wrong)?;
        self.check_columns("differs", &row.differs)?;
        for column in row.given.keys().chain(row.printed.keys()) {
            self.check_column(column)?;
        }
        Ok(())
    }

    fn check_columns<V>(&self, what: &str, entries: &ByColumn<V>) -> Result<(), String> {
        for (key, entry) in entries {
            let place = |error: String| format!("{what}.{key}: {error}");
            match entry {
                Entry::One(_) if self.check_key(key).is_ok() => {}
                Entry::One(_) => self.check_column(key).map_err(place)?,
                Entry::ByColumn(columns) => {
                    self.check_key(key).map_err(place)?;
                    for column in columns.keys() {
                        self.check_column(column).map_err(place)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn check_key(&self, key: &str) -> Result<(), String> {
        let known = || self.solver.iter().map(|solver| solver.key.as_str());
        if known().any(|known| known == key) {
            return Ok(());
        }
        let known = known().collect::<Vec<_>>().join(", ");
        Err(format!("no solver has the key '{key}': write one of {known}"))
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
