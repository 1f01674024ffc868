//! The tables of an experiment's rows.

use hyperslide_puzzle::Puzzle;

use super::judge::Claim;
use super::{Cell, Column, Row, Table, Value, provenances};
use crate::each_once::each_once;
use crate::experiment::file::{ColumnSpec, Key, RowSpec, SolverSpec, View, find_entry};
use crate::experiment::{Experiment, NamedPuzzle};
use crate::instances::KnownLength;
use crate::measure::{Group, Measure, Quantity, of_census};
use crate::record::{Provenance, TaskRecord};
use crate::statistics::{median, sorted};
use crate::task::{CensusData, RunSummary, Runs, Task, TaskData};

/// The tables that the experiment declares.
pub(super) fn tables(experiment: &Experiment, records: &[TaskRecord]) -> Vec<Table> {
    let labels = each_once(experiment.file.row.iter().map(|row| row.label.as_deref()));
    let of_view = |view| labels.iter().map(move |label| table(experiment, view, *label, records));
    experiment.file.view.iter().flat_map(of_view).collect()
}

/// How many rows some algorithm proved, and which algorithms tried: `25 of 25 rows proven by astar
/// and bidirectional`. None where no table asks for it, or there are no records.
pub(super) fn proven(experiment: &Experiment, records: &[TaskRecord]) -> Option<String> {
    let is_asked =
        |view: &View| view.columns.iter().any(|column| column.measure == Measure::IsProven);
    if !experiment.file.view.iter().any(is_asked) {
        return None;
    }
    let (mut proven, mut algorithms) = (0, Vec::new());
    for found in Found::of_rows(experiment, records) {
        let measured = found.group(None).measure(Measure::ProvenLength, "");
        proven += usize::from(measured.value.is_some() && !measured.is_contradiction);
        let solvers = found.records.into_iter().filter_map(|(solver, _)| solver);
        algorithms.extend(solvers.filter_map(|solver| solver.solver.split_whitespace().next()));
    }
    let (rows, by) =
        (experiment.file.row.len(), each_once(algorithms.iter().copied()).join(" and "));
    (!algorithms.is_empty()).then(|| format!("{proven} of {rows} rows proven by {by}"))
}

/// The table of the rows with a label.
fn table(
    experiment: &Experiment,
    view: &View,
    label: Option<&str>,
    records: &[TaskRecord],
) -> Table {
    let columns = view.columns.iter().map(|column| Column {
        name: column.name.clone(),
        unit: column.measure.unit(),
        is_numeric: column.measure.is_numeric(),
    });
    let mut rows = Vec::new();
    let numbered = (1..).zip(&experiment.file.row);
    for (number, spec) in numbered.filter(|(_, spec)| spec.label.as_deref() == label) {
        let found = Found::new(experiment, spec, records);
        if view.by_puzzle || spec.census.is_some() {
            rows.push(found.row(view, number, None));
        } else {
            for solver in experiment.file.solvers_of(spec) {
                rows.push(found.row(view, number, Some(solver)));
            }
        }
    }
    Table {
        label: label.map(str::to_owned),
        title: view.title.clone(),
        keys: view.keys.iter().map(Key::to_string).collect(),
        columns: columns.collect(),
        rows,
    }
}

/// The records of a row.
pub(crate) struct Found<'a> {
    experiment: &'a Experiment,
    pub spec: &'a RowSpec,
    /// Each with the solver of its task, in the order of the tasks.
    records: Vec<(Option<&'a SolverSpec>, &'a TaskRecord)>,
    pub optimum: Option<u32>,
    /// The same of the puzzles that it lists.
    optima: Vec<Option<u32>>,
    /// The puzzle that the row names.
    puzzle: Option<Puzzle>,
}

impl<'a> Found<'a> {
    pub fn new(
        experiment: &'a Experiment,
        spec: &'a RowSpec,
        records: &'a [TaskRecord],
    ) -> Found<'a> {
        let found = experiment.row_tasks(spec).into_iter().flat_map(|(solver, task)| {
            let answers = TaskRecord::answers(experiment.name(), &task, records);
            answers.into_iter().map(move |record| (solver, record))
        });
        let named = spec.named(experiment.file.metric).and_then(Result::ok);
        let known = named.as_ref().and_then(NamedPuzzle::known_length);
        let listed = spec.listed(experiment.file.metric).and_then(Result::ok);
        let listed = listed.map(|list| list.puzzles).unwrap_or_default();
        let optimum = |named: &NamedPuzzle| named.known_length().and_then(KnownLength::moves);
        Found {
            experiment,
            spec,
            records: found.collect(),
            optimum: known.and_then(KnownLength::moves),
            optima: listed.iter().map(optimum).collect(),
            puzzle: named.and_then(|named| named.puzzle().ok()),
        }
    }

    /// Those of all rows.
    pub fn of_rows(
        experiment: &'a Experiment,
        records: &'a [TaskRecord],
    ) -> impl Iterator<Item = Found<'a>> {
        experiment.file.row.iter().map(|row| Found::new(experiment, row, records))
    }

    /// What made the records.
    pub fn programs(&self) -> Vec<Provenance> {
        provenances(self.records.iter().map(|(_, record)| *record))
    }

    /// The runs of a solver.
    pub fn runs(&self, key: &str) -> Runs {
        let solver = self.experiment.file.solver_of(key);
        let mut runs = Runs { is_of_program: solver.is_program(), ..Runs::default() };
        for (solver, record) in &self.records {
            if solver.is_some_and(|solver| solver.key == key) {
                runs.extend(&record.data);
            }
        }
        runs
    }

    /// What each run cost a solver; infinite where it did not solve its puzzle.
    pub fn costs(&self, key: &str, cost: Quantity) -> Vec<f64> {
        let of = |run: &RunSummary| run.length.and_then(|_| cost.of(run, None));
        let runs = self.runs(key).summaries;
        runs.iter().map(|run| of(run).unwrap_or(f64::INFINITY)).collect()
    }

    /// What each puzzle cost several solvers: where the row names one, the median of the runs of
    /// each, since a puzzle that is tried often is still one. `None` where some of them has not
    /// made all its runs, which says nothing about who is cheaper.
    pub fn costs_of_puzzles(
        &self,
        solvers: &[&SolverSpec],
        cost: Quantity,
    ) -> Option<Vec<Vec<f64>>> {
        let costs: Vec<Vec<f64>> =
            solvers.iter().map(|solver| self.costs(&solver.key, cost)).collect();
        let is_whole = costs.iter().all(|own| own.len() == costs[0].len());
        let is_one = !self.spec.has_many_puzzles();
        let of_puzzles = |own: Vec<f64>| match is_one && !own.is_empty() {
            true => vec![median(&sorted(own))],
            false => own,
        };
        is_whole.then(|| costs.into_iter().map(of_puzzles).collect())
    }

    /// How many of how many runs of a solver count.
    pub fn share(&self, solver: &SolverSpec, measure: Measure) -> Option<(u64, u64)> {
        match self.group(Some(solver)).measure(measure, "").value? {
            Value::OutOf(count, all) => Some((count, all)),
            _ => None,
        }
    }

    fn row(&self, view: &View, number: usize, solver: Option<&SolverSpec>) -> Row {
        let file = &self.experiment.file;
        let key = |key: &Key| match key {
            Key::Row => number.to_string(),
            Key::Instance => {
                let RowSpec { instance, puzzle, suite, .. } = self.spec;
                [instance, puzzle, suite].into_iter().flatten().next().cloned().unwrap_or_default()
            }
            Key::K => self.spec.rule.map(|rule| rule.to_string()).unwrap_or_default(),
            Key::Board => {
                let of_graphs = || self.spec.board.as_ref().or(file.board.as_ref()).cloned();
                match (&self.spec.random, &self.puzzle) {
                    (Some(random), _) => file.random(random).title(),
                    (None, Some(puzzle)) => puzzle.board().to_string(),
                    (None, None) => of_graphs().unwrap_or_default(),
                }
            }
            Key::Graph => self.spec.name().cloned().unwrap_or_default(),
            Key::Method => solver.map(|solver| solver.title.clone()).unwrap_or_default(),
            Key::Solver => {
                solver.map(|solver| file.solver_text(self.spec, solver)).unwrap_or_default()
            }
            Key::Empty => self.spec.census.map(|empty| empty.to_string()).unwrap_or_default(),
        };
        // In a table by puzzle, columns without a solver are of all of them.
        let is_in_column = |column: &ColumnSpec, of: &SolverSpec| {
            column.solver.as_ref().is_none_or(|key| *key == of.key)
        };
        let is_shown = |of: Option<&SolverSpec>| match (solver, of) {
            (Some(own), Some(of)) => own.key == of.key,
            (None, Some(of)) => view.columns.iter().any(|column| is_in_column(column, of)),
            _ => true,
        };
        let shown = self.records.iter().filter(|(of, _)| is_shown(*of));
        Row {
            keys: view.keys.iter().map(key).collect(),
            cells: view.columns.iter().map(|column| self.cell(view, column, solver)).collect(),
            note: self.spec.note.clone(),
            records: provenances(shown.map(|(_, record)| *record)),
        }
    }

    fn cell(&self, view: &View, column: &ColumnSpec, solver: Option<&SolverSpec>) -> Cell {
        let (file, spec) = (&self.experiment.file, self.spec);
        let solver = solver.or_else(|| column.solver.as_ref().map(|key| file.solver_of(key)));
        let measured = self.group(solver).measure(column.measure, &column.name);
        let printed = spec.printed.get(&column.name).cloned();
        let own_reason = find_entry(&spec.differs, solver, &column.name);
        let other_puzzles = solver.and_then(|solver| spec.other_puzzles.get(&solver.key));
        let claim = Claim {
            published: find_entry(&spec.published, solver, &column.name).cloned(),
            data: find_entry(&spec.data, solver, &column.name).cloned(),
            wrong: find_entry(&spec.wrong, solver, &column.name).cloned(),
            differs: own_reason.or_else(|| file.differs.get(&column.name)).cloned(),
            other_puzzles: other_puzzles.cloned(),
            solved: self.published_solved(view, solver),
            exact: spec.given.get("exact").cloned(),
            of: None,
        };
        let is_of_solver = |of: Option<&SolverSpec>| {
            solver.is_none_or(|solver| of.is_some_and(|of| of.key == solver.key))
        };
        // Facts need no record.
        let is_found = matches!(column.measure, Measure::Fact(_))
            || self.records.iter().any(|(of, _)| is_of_solver(*of));
        let mut cell = Cell::judged(column.judge, is_found, measured, claim);
        let reason = cell.reason.take().map(|reason| self.with_edge_metric(column, reason));
        Cell { printed, reason, ..cell }
    }

    /// How many runs are published as solved, in the column of success rates: that says how much
    /// the lengths published next to it mean.
    fn published_solved(&self, view: &View, solver: Option<&SolverSpec>) -> Option<u64> {
        let rate = view.columns.iter().find(|column| column.measure == Measure::Solved)?;
        let is_wrong = find_entry(&self.spec.wrong, solver, &rate.name).is_some();
        let print = find_entry(&self.spec.published, solver, &rate.name).filter(|_| !is_wrong);
        match find_entry(&self.spec.data, solver, &rate.name).or(print)? {
            Value::OutOf(solved, _) => Some(*solved),
            _ => None,
        }
    }

    /// A reason why a printed diameter is wrong, with the diameter in the edge metric, which
    /// explains some.
    fn with_edge_metric(&self, column: &ColumnSpec, reason: String) -> String {
        if column.measure != Measure::Diameter {
            return reason;
        }
        match self.census(false).and_then(|census| of_census(Measure::Diameter, &census)) {
            Some(diameter) => format!("{reason}: {diameter} there"),
            None => reason,
        }
    }

    /// What is known about the row's puzzle graph, in the experiment's metric or in the other one.
    fn census(&self, in_own_metric: bool) -> Option<CensusData> {
        let metric = self.experiment.file.metric;
        self.records.iter().find_map(|(_, record)| match (&record.task, &record.data) {
            (Task::Census(task), TaskData::Census(census))
                if (task.metric == metric) == in_own_metric =>
            {
                Some((**census).clone())
            }
            _ => None,
        })
    }

    pub fn group(&self, solver: Option<&SolverSpec>) -> Group<'a> {
        let file = &self.experiment.file;
        let solvers: Vec<&SolverSpec> = file.solvers_of(self.spec).collect();
        let own = solver.or(solvers.first().copied());
        let reference = file.reference.as_deref().map(|key| self.runs(key)).unwrap_or_default();
        Group {
            row: self.spec,
            runs: own.map(|solver| self.runs(&solver.key)).unwrap_or_default(),
            all: solvers.iter().map(|solver| self.runs(&solver.key)).collect(),
            time_limit: own.and_then(|solver| file.limits_of(self.spec, solver).time_s),
            reference: reference.summaries,
            optimum: self.optimum,
            optima: self.optima.clone(),
            puzzle: self.puzzle.clone(),
            census: self.census(true),
        }
    }
}
