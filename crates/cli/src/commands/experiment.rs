use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use hyperslide_lab::{
    CensusRecord, DIAMETER_EXPERIMENTS, DISTRIBUTION_EXPERIMENTS, EXPERIMENTS, Experiment,
    GRAPH_EXPERIMENTS, GraphExperiment, LOCAL_EXPERIMENTS, MEAN_EXPERIMENTS, Machine,
    PartedExperiment, Record, RecordFile, RunEvent, Verdict, compare, find_experiment,
    find_graph_experiment, run_experiment, run_graph_experiment,
};
use hyperslide_search::{Control, TableCache};
use hyperslide_table::{Signals, available_threads};

use super::experiment_text as text;
use crate::failure::{ExitStatus, Failure};
use crate::input::check_directory;
use crate::options::{Format, ListArguments, StoredArguments};
use crate::tables::store;
use crate::terminal::{
    SearchProgress, bytes, cancellable, command_line, complain, is_cancelled, print, print_json,
};

#[derive(Args)]
pub struct ExperimentArguments {
    /// The experiment's name, or all
    pub name: String,
    /// Runs only the first algorithm with the first seed, and of random puzzles only the first few
    #[arg(long)]
    pub quick: bool,
    /// Adds the runs to this file of records; runs that it holds already are not repeated
    #[arg(long, value_name = "FILE")]
    pub records: Option<PathBuf>,
    /// Runs nothing and reads this file of records instead
    #[arg(long, value_name = "FILE", conflicts_with_all = ["records", "quick"])]
    pub from: Option<PathBuf>,
    /// Draws the figures that the experiment stands for into this directory, as SVG
    #[arg(long, value_name = "DIR")]
    pub figures: Option<PathBuf>,
    #[command(flatten)]
    pub list: ListArguments,
}

/// What runs without any argument.
const DEFAULT: &str = "cubical-table-2";

/// What to try after that, and what it shows.
const NEXT: [(&str, &str); 6] = [
    ("solve cubical/d4-level4 --rule 3", "the moves of one of these rows"),
    ("solve cubical/d3-level3 --rule 2", "an impossible level, and why"),
    ("solve 'grid:4:4 3,6,4,8,2,11,7,1,5,9,12,15,10,13,14,0'", "a 15-puzzle"),
    ("classify 'cube:3:2 a=0,b=1,c=2,d=3,e=7'", "which tokens can ever move"),
    ("instances", "all named puzzles"),
    ("--help", "everything else"),
];

pub fn run_default() -> Result<ExitStatus, Failure> {
    let status = run(&ExperimentArguments {
        name: DEFAULT.to_owned(),
        quick: false,
        records: None,
        from: None,
        figures: None,
        list: ListArguments { format: Format::Text },
    })?;
    // Whoever ran this through cargo may not have the command on the path.
    let command = match std::env::var_os("CARGO") {
        Some(_) => "cargo run -q --release --",
        None => "hyperslide",
    };
    let lines = NEXT.map(|(arguments, what)| format!("  # {what}\n  {command} {arguments}\n"));
    print(&format!("\nTry next:\n{}", lines.concat()))?;
    Ok(status)
}

pub fn run(arguments: &ExperimentArguments) -> Result<ExitStatus, Failure> {
    if let Some(experiment) = find_graph_experiment(&arguments.name) {
        if arguments.records.is_some() || arguments.from.is_some() || arguments.quick {
            return Err(Failure::Input(format!(
                "{} makes no runs of solvers: leave out --records, --from and --quick. Its large \
                 searches are the records of hyperslide census",
                experiment.name
            )));
        }
        refuse_figures(arguments)?;
        return run_graph(experiment, arguments.list.format);
    }
    let name = arguments.name.as_str();
    if let Some(experiment) = parted().into_iter().find(|experiment| experiment.name() == name) {
        return experiment.run(arguments);
    }
    refuse_figures(arguments)?;
    let experiments: Vec<&Experiment> = match name {
        "all" => EXPERIMENTS.iter().collect(),
        name => vec![find_experiment(name).ok_or_else(|| unknown(name))?],
    };
    let mut file = match &arguments.records {
        Some(path) => Some(RecordFile::open(path)?),
        None => None,
    };
    let mut status = ExitStatus::Done;
    for experiment in experiments {
        let records = match &arguments.from {
            Some(path) => RecordFile::read(path)?,
            None => run_with_progress(experiment, arguments.quick, file.as_mut())?,
        };
        let comparison = compare(experiment, &records);
        let incomplete =
            |verdict: &Verdict| matches!(verdict, Verdict::Missing | Verdict::NotReached);
        if comparison.rows.iter().any(|row| incomplete(&row.verdict)) {
            status = status.worse(ExitStatus::LimitReached);
        }
        if comparison.rows.iter().any(|row| is_news(row.verdict)) {
            status = ExitStatus::Other;
        }
        match arguments.list.format {
            Format::Json => print_json(&comparison)?,
            Format::Text => print(&text::of_runs(&comparison))?,
        }
    }
    if name == "all" {
        for experiment in GRAPH_EXPERIMENTS.iter() {
            status = status.worse(run_graph(experiment, arguments.list.format)?);
        }
        for experiment in parted() {
            status = status.worse(experiment.run(arguments)?);
        }
    }
    Ok(status)
}

/// Those that have no figures are not run only to say so.
fn refuse_figures(arguments: &ExperimentArguments) -> Result<(), Failure> {
    if arguments.figures.is_none() {
        return Ok(());
    }
    let known = parted().into_iter().filter(|experiment| experiment.has_figures());
    let known: Vec<&str> = known.map(|experiment| experiment.name()).collect();
    let (name, known) = (&arguments.name, known.join(", "));
    Err(Failure::Input(format!(
        "{name} stands for no figures: leave out --figures, or name {known}"
    )))
}

fn run_graph(experiment: &GraphExperiment, format: Format) -> Result<ExitStatus, Failure> {
    let line = SearchProgress::new(&experiment.name);
    let comparison = cancellable(|cancel| {
        run_graph_experiment(experiment, CensusRecord::known(), &Signals::new(cancel))
    })?;
    drop(line);
    match format {
        Format::Json => print_json(&comparison)?,
        Format::Text => print(&text::of_graphs(&comparison))?,
    }
    let has_news =
        comparison.rows.iter().flat_map(|row| &row.cells).any(|cell| is_news(cell.verdict));
    Ok(if is_cancelled() {
        ExitStatus::LimitReached
    } else if has_news {
        ExitStatus::Other
    } else {
        ExitStatus::Done
    })
}

/// An experiment that is made part by part, of whatever kind.
trait Parted {
    fn name(&self) -> &'static str;

    fn has_figures(&self) -> bool;

    /// Runs the parts that there are no records of, each appended to the file when it is ready, and shows the
    /// comparison.
    fn run(&self, arguments: &ExperimentArguments) -> Result<ExitStatus, Failure>;
}

/// All of them, with how each is shown to people.
fn parted() -> Vec<Box<dyn Parted>> {
    fn of<E: PartedExperiment>(
        experiments: &'static [E],
        describe: fn(&E::Comparison) -> String,
    ) -> impl Iterator<Item = Box<dyn Parted>> {
        experiments.iter().map(move |experiment| Box::new(Shown { experiment, describe }) as _)
    }
    of(&MEAN_EXPERIMENTS, text::of_means)
        .chain(of(&DISTRIBUTION_EXPERIMENTS, text::of_distributions))
        .chain(of(&LOCAL_EXPERIMENTS, text::of_local))
        .chain(of(&DIAMETER_EXPERIMENTS, text::of_diameters))
        .collect()
}

struct Shown<E: PartedExperiment + 'static> {
    experiment: &'static E,
    describe: fn(&E::Comparison) -> String,
}

impl<E: PartedExperiment> Parted for Shown<E> {
    fn name(&self) -> &'static str {
        self.experiment.name()
    }

    fn has_figures(&self) -> bool {
        self.experiment.has_figures()
    }

    fn run(&self, arguments: &ExperimentArguments) -> Result<ExitStatus, Failure> {
        if !self.has_figures() {
            refuse_figures(arguments)?;
        }
        if let Some(directory) = &arguments.figures {
            check_directory(directory, "--figures")?;
        }
        let shortened;
        let experiment = if arguments.quick {
            shortened = self.experiment.quick();
            &shortened
        } else {
            self.experiment
        };
        let records = records_of(experiment, arguments)?;
        let comparison = experiment.compare(&records);
        if let Some(directory) = &arguments.figures {
            for figure in experiment.figures(&comparison) {
                let path = directory.join(format!("{}.svg", figure.name));
                std::fs::write(&path, figure.svg).map_err(|error| {
                    Failure::Other(format!("cannot write {}: {error}", path.display()))
                })?;
            }
        }
        match arguments.list.format {
            Format::Json => print_json(&comparison)?,
            Format::Text => print(&(self.describe)(&comparison))?,
        }
        let has_news = || E::verdicts(&comparison).into_iter().any(is_news);
        Ok(if is_cancelled() || !experiment.is_whole(&records) {
            ExitStatus::LimitReached
        } else if !arguments.quick && has_news() {
            ExitStatus::Other
        } else {
            ExitStatus::Done
        })
    }
}

fn records_of<E: PartedExperiment>(
    experiment: &E,
    arguments: &ExperimentArguments,
) -> Result<Vec<E::Record>, Failure> {
    let mut file: Option<RecordFile<E::Record>> =
        arguments.records.as_ref().map(|path| RecordFile::open(path)).transpose()?;
    if let Some(path) = &arguments.from {
        return Ok(RecordFile::read(path)?);
    }
    let mut records = file.as_ref().map_or_else(Vec::new, |file| file.records().to_vec());
    let line = SearchProgress::new(experiment.name());
    let cache = Arc::new(TableCache::new(store(&StoredArguments::default())));
    for part in 0..experiment.parts() {
        if experiment.find(part, &records).is_some() {
            continue;
        }
        let (memory, free) = (experiment.memory_of(part), Machine::memory_to_use());
        if memory > free {
            let title = experiment.title_of(part);
            let (memory, free) = (bytes(memory), bytes(free));
            complain(&format_args!("{title}: left out, it may take {memory} and has {free}"));
            continue;
        }
        line.say(format!(": {}", experiment.title_of(part)));
        let record = cancellable(|cancel| {
            let control = Control { cancel: Some(cancel), ..Control::default() };
            experiment.run_part(part, available_threads(), &cache, &control, &command_line())
        });
        let Some(record) = record else {
            if is_cancelled() {
                break;
            }
            let title = experiment.title_of(part);
            complain(&format_args!("{title}: no result, a limit was reached"));
            continue;
        };
        if let Some(file) = &mut file {
            file.append(&record)?;
        }
        records.push(record);
    }
    Ok(records)
}

/// Whether somebody has to look into it.
fn is_news(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Contradiction | Verdict::Unexplained)
}

fn unknown(name: &str) -> Failure {
    let solved = EXPERIMENTS.iter().map(|experiment| experiment.name.as_str());
    let graphs = GRAPH_EXPERIMENTS.iter().map(|experiment| experiment.name.as_str());
    let parted = parted();
    let parted = parted.iter().map(|experiment| experiment.name());
    let names: Vec<&str> = solved.chain(graphs).chain(parted).collect();
    let shown: String = name.chars().take(60).collect();
    Failure::Input(format!("no experiment is called '{shown}': write {} or all", names.join(", ")))
}

fn run_with_progress(
    experiment: &Experiment,
    quick: bool,
    file: Option<&mut RecordFile>,
) -> Result<Vec<Record>, Failure> {
    let line = SearchProgress::new(&experiment.name);
    let show = |progress: &hyperslide_search::Progress| line.show(progress);
    let shortened;
    let experiment = if quick {
        shortened = experiment.quick();
        &shortened
    } else {
        experiment
    };
    let mut known = 0;
    let mut tell = |event: RunEvent<'_>| match event {
        RunEvent::Begin(number, all, key) => {
            let rule = key.rule.map(|rule| format!(" k={rule}")).unwrap_or_default();
            let algorithm = &key.solver.algorithm;
            line.set_prefix(&format!("{}/{all} {}{rule} {algorithm}: ", number + 1, key.instance));
        }
        RunEvent::Known(_) => known += 1,
    };
    let records = cancellable(|cancel| {
        let control = Control { cancel: Some(cancel), progress: Some(&show), ..Control::default() };
        run_experiment(experiment, file, &control, &command_line(), &mut tell)
    })?;
    if known > 0 {
        complain(&format_args!("{known} runs were in the records already and were not repeated"));
    }
    if is_cancelled() {
        complain(&"cancelled; the rows below are those that were finished");
    }
    Ok(records)
}
