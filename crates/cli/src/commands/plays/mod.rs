//! `hyperslide plays`: the plays of people as tables, their backups, and plays that are simulated.

mod simulate;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use hyperslide_plays::{
    ExchangeError, Format, LearnError, SqliteStore, Store, StoreError, connect, connect_to_read,
    copy, export, import, learn, sqlite_file, sqlite_files,
};
use hyperslide_puzzle::shorten;
use hyperslide_table::Replacement;

use super::serve::database;
use crate::failure::{ExitStatus, Failure};
use crate::input::{check_apart, check_target};
use crate::options::Format as OutputFormat;
use crate::terminal::{complain, counted, print, print_json, unwritten};

/// Plays of people: tables for other programs, backups, and simulated plays.
///
/// The database is the one of `hyperslide serve`, which may go on serving meanwhile.
#[derive(Subcommand)]
pub enum PlaysCommand {
    /// Writes all plays as a table: CSV, lines of JSON, or Parquet
    #[command(
        long_about = "Writes all plays as a table, one row for each: as comma-separated values, as lines of JSON, or as \
                      Parquet. docs/plays.md describes the columns, which are the same in all formats.",
        after_help = "Examples:\n  \
                      hyperslide plays export --format parquet --out plays.parquet\n  \
                      hyperslide plays export --format csv | head"
    )]
    Export(ExportArguments),
    /// Adds the plays of a table that the database does not hold yet
    #[command(
        long_about = "Adds the plays of a table that the database does not hold yet. Each is played again by the rule, and what its \
                      row says must follow from its moves. Importing the same table twice changes nothing. Plays of \
                      people who deleted theirs are left out.",
        after_help = "Example:\n  hyperslide plays import plays.parquet"
    )]
    Import(ImportArguments),
    /// Writes a backup of the whole database, as it is at one moment
    #[command(
        long_about = "Writes a backup of the whole database, as it is at one moment, while the server keeps serving. \
                      The backup is an SQLite database, whichever kind of database it is of.",
        after_help = "Example:\n  hyperslide plays backup plays-2026-11-24.sqlite"
    )]
    Backup(FileArguments),
    /// Puts a backup in place of the whole database
    #[command(
        long_about = "Puts a backup in place of the whole database, while the server keeps serving: it shows what was \
                      there until all of the backup is there, and refuses to keep plays in between. People who \
                      deleted their plays after the backup was made stay deleted where the database still knows of \
                      it: an empty one does not, and gets their plays back.",
        after_help = "Example:\n  hyperslide plays restore plays-2026-11-24.sqlite"
    )]
    Restore(FileArguments),
    /// Deletes the plays of a person, or all simulated plays
    #[command(
        long_about = "Deletes the plays of the person with a code, which stands in what the person's page exports and in every \
                      table, or those of all simulated people, while the server keeps serving. The codes are \
                      remembered, so that no import and no backup brings the plays back. Nothing undoes it but a \
                      backup that is restored into a new database.",
        after_help = "Example:\n  hyperslide plays forget --simulated --database sqlite:demo.sqlite"
    )]
    Forget(ForgetArguments),
    /// Adds plays of simulated people, who follow a stated policy
    #[command(
        long_about = simulate::help(),
        after_help = "Examples:\n  \
                      hyperslide plays simulate cubical/d4-level4:3 --people 60 --database sqlite:demo.sqlite\n  \
                      hyperslide plays simulate --ranked grid:3:3 --starts 9 --database sqlite:demo.sqlite"
    )]
    Simulate(simulate::SimulateArguments),
    /// Learns the model of how people move from the plays, and says how well it predicts
    #[command(
        long_about = "Learns from all plays without help how people move: a softmax regression over what each legal \
                      move does. One person in five is held out, and the model is compared on their moves with \
                      simpler guesses. The weights that it prints are those of `--algorithm humanlike --model \
                      WEIGHTS`. docs/plays.md describes the model.",
        after_help = "Example:\n  hyperslide plays learn --database sqlite:demo.sqlite"
    )]
    Learn(LearnArguments),
}

#[derive(Args)]
pub struct LearnArguments {
    /// The most plays that are read
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..))]
    plays: u32,
    /// How to print what was learned
    #[arg(long, value_enum, default_value = "text")]
    pub format: OutputFormat,
    #[command(flatten)]
    database: DatabaseArgument,
}

#[derive(Args)]
pub struct DatabaseArgument {
    /// The database of plays, as of `hyperslide serve`: sqlite:FILE or postgres://USER@HOST/NAME
    /// [default: plays.sqlite in the user's data directory]
    #[arg(long, value_name = "URL")]
    database: Option<String>,
}

#[derive(Args)]
pub struct ExportArguments {
    /// csv, jsonl or parquet
    #[arg(long, value_name = "FORMAT", default_value = "csv", value_parser = |text: &str| text.parse::<Format>())]
    format: Format,
    /// The file to write [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    database: DatabaseArgument,
}

#[derive(Args)]
pub struct ImportArguments {
    /// The table
    file: PathBuf,
    /// csv, jsonl or parquet [default: as the file's name ends]
    #[arg(long, value_name = "FORMAT", value_parser = |text: &str| text.parse::<Format>())]
    format: Option<Format>,
    #[command(flatten)]
    database: DatabaseArgument,
}

#[derive(Args)]
pub struct FileArguments {
    /// The file of the backup
    file: PathBuf,
    #[command(flatten)]
    database: DatabaseArgument,
}

#[derive(Args)]
pub struct ForgetArguments {
    #[command(flatten)]
    whose: Whose,
    #[command(flatten)]
    database: DatabaseArgument,
}

#[derive(Args)]
#[group(required = true, multiple = false)]
struct Whose {
    /// The code of the person
    #[arg(long, value_name = "CODE")]
    code: Option<String>,
    /// All simulated people
    #[arg(long)]
    simulated: bool,
}

impl DatabaseArgument {
    /// Connects to a database from which something is read: one whose name is mistyped is not made.
    /// The usual one is, and has no plays then.
    async fn connect_known(&self) -> Result<Box<dyn Store>, Failure> {
        let address = self.address()?;
        let file = sqlite_file(&address).map_err(not_connected)?;
        if let Some(file) = file.filter(|file| !file.exists()) {
            if self.database.is_none() {
                return self.connect().await;
            }
            return Err(Failure::Input(format!(
                "there is no database {}: name one that exists",
                file.display()
            )));
        }
        connect_to_read(&address).await.map_err(not_connected)
    }

    /// Connects to a database from which something is deleted, and which is not made either.
    async fn connect_to_delete(&self) -> Result<Box<dyn Store>, Failure> {
        let reading = self.connect_known().await?;
        reading.close().await.map_err(of_store)?;
        self.connect().await
    }

    async fn connect(&self) -> Result<Box<dyn Store>, Failure> {
        connect(&self.address()?).await.map_err(not_connected)
    }

    fn address(&self) -> Result<String, Failure> {
        database(self.database.as_deref())?.ok_or_else(|| {
            let message = "there is no database: name one with --database sqlite:FILE";
            Failure::Input(message.to_owned())
        })
    }
}

#[allow(clippy::needless_pass_by_value, reason = "it is what map_err calls")]
fn not_connected(error: StoreError) -> Failure {
    Failure::Input(format!("{error}: name another --database"))
}

fn of_store(error: StoreError) -> Failure {
    match error {
        StoreError::Address(_)
        | StoreError::NoFile(_)
        | StoreError::Version(_)
        | StoreError::Earlier(_)
        | StoreError::NoPlays
        | StoreError::File { .. } => Failure::input(error),
        _ => Failure::Other(error.to_string()),
    }
}

fn of_exchange(error: ExchangeError) -> Failure {
    match error {
        ExchangeError::Store(error) => of_store(error),
        ExchangeError::Row { .. } | ExchangeError::Malformed(_) => Failure::input(error),
        ExchangeError::Write(error) => Failure::Output(error),
    }
}

pub fn run(command: &PlaysCommand) -> Result<ExitStatus, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::Other(format!("cannot start: {error}")))?;
    runtime.block_on(async {
        match command {
            PlaysCommand::Export(arguments) => run_export(arguments).await?,
            PlaysCommand::Import(arguments) => run_import(arguments).await?,
            PlaysCommand::Backup(arguments) => run_backup(arguments).await?,
            PlaysCommand::Restore(arguments) => run_restore(arguments).await?,
            PlaysCommand::Forget(arguments) => run_forget(arguments).await?,
            PlaysCommand::Simulate(arguments) => return simulate::run(arguments).await,
            PlaysCommand::Learn(arguments) => run_learn(arguments).await?,
        }
        Ok(ExitStatus::Done)
    })
}

async fn run_export(arguments: &ExportArguments) -> Result<(), Failure> {
    let store = arguments.database.connect_known().await?;
    match &arguments.out {
        None => {
            let out = BufWriter::new(std::io::stdout());
            let exported = export(&*store, arguments.format, out).await;
            store.close().await.map_err(of_store)?;
            exported.map(|_| ()).map_err(of_exchange)
        }
        Some(path) => {
            check_target(path)?;
            // SQLite has what was kept last in files next to that of the database.
            let address = arguments.database.address()?;
            let of_database = sqlite_file(&address).map_err(not_connected)?.map(sqlite_files);
            check_apart(path, of_database.iter().flatten())?;
            let failed = |error: std::io::Error| unwritten(path, &error);
            let mut new = Replacement::unlocked(path).map_err(failed)?;
            let mut out = BufWriter::new(new.file());
            let written = export(&*store, arguments.format, &mut out).await;
            store.close().await.map_err(of_store)?;
            let count = written.map_err(|error| match error {
                ExchangeError::Write(error) => failed(error),
                error => of_exchange(error),
            })?;
            out.flush().map_err(failed)?;
            drop(out);
            new.commit().map_err(failed)?;
            print(&format!("{} in {}\n", counted(count, "play"), path.display()))
        }
    }
}

async fn run_import(arguments: &ImportArguments) -> Result<(), Failure> {
    let path = &arguments.file;
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let format = match arguments.format {
        Some(format) => format,
        None => ending.parse().map_err(|_| {
            let name = path.display();
            Failure::Input(format!(
                "the name of {name} says no format: add --format csv, jsonl or parquet"
            ))
        })?,
    };
    let file = File::open(path)
        .map_err(|error| Failure::Input(format!("cannot read {}: {error}", path.display())))?;
    let store = arguments.database.connect().await?;
    let imported = import(&*store, format, file).await;
    store.close().await.map_err(of_store)?;
    let imported = imported.map_err(|error| match of_exchange(error) {
        Failure::Input(message) => Failure::Input(format!("{}: {message}", path.display())),
        failure => failure,
    })?;
    let mut text =
        format!("{} added, {} known already", counted(imported.added, "play"), imported.known);
    if imported.forgotten > 0 {
        text += &format!(", {} of people who deleted theirs left out", imported.forgotten);
    }
    print(&format!("{text}\n"))
}

/// The name of a file while it is written, which no other process writes.
fn unfinished(path: &Path) -> PathBuf {
    path.with_added_extension(format!("{}.new", std::process::id()))
}

async fn run_backup(arguments: &FileArguments) -> Result<(), Failure> {
    let path = &arguments.file;
    if path.exists() {
        let message = format!("{} is there already: name a new file", path.display());
        return Err(Failure::Input(message));
    }
    check_target(path)?;
    let store = arguments.database.connect_known().await?;
    let new = unfinished(path);
    let _ = std::fs::remove_file(&new);
    let written = async {
        let backup = SqliteStore::open(&new).await?;
        let copied = copy(&*store, &backup).await;
        store.close().await?;
        backup.close().await?;
        copied
    };
    let failed = |error: std::io::Error| unwritten(path, &error);
    match written.await.map_err(of_store) {
        Ok(copied) => {
            let file = File::open(&new).map_err(failed)?;
            Replacement::begun(file, new, path).commit().map_err(failed)?;
            let (plays, people) = (counted(copied.plays, "play"), copied.people);
            print(&format!("{plays} of {people} people in {}\n", path.display()))
        }
        Err(failure) => {
            for file in sqlite_files(&new) {
                let _ = std::fs::remove_file(file);
            }
            Err(failure)
        }
    }
}

async fn run_restore(arguments: &FileArguments) -> Result<(), Failure> {
    let path = &arguments.file;
    let file = File::open(path);
    drop(file.map_err(|error| Failure::Input(format!("cannot read {}: {error}", path.display())))?);
    let address = arguments.database.address()?;
    let file = sqlite_file(&address).map_err(not_connected)?;
    let file = file.and_then(|file| file.canonicalize().ok());
    if file.is_some() && file == path.canonicalize().ok() {
        let message = format!("{} is the database itself: name a backup of it", path.display());
        return Err(Failure::Input(message));
    }
    // Before anything is made or changed where it is to go.
    let backup = SqliteStore::open_to_read(path).await.map_err(|error| {
        let path = path.display();
        Failure::Input(format!("{path} is not a backup ({error}): name one of plays backup"))
    })?;
    let store = arguments.database.connect().await?;
    let was_empty = store.is_empty().await.map_err(of_store)?;
    let copied = copy(&backup, &*store).await;
    backup.close().await.map_err(of_store)?;
    store.close().await.map_err(of_store)?;
    let copied = copied.map_err(of_store)?;
    let (plays, people) = (counted(copied.plays, "play"), copied.people);
    print(&format!("{plays} of {people} people restored\n"))?;
    if was_empty && people > 0 {
        complain(&format_args!(
            "the database was empty: the plays of people who deleted them after {} was made are there again; \
             delete them by plays forget --code CODE",
            path.display()
        ));
    }
    Ok(())
}

/// The simulated people that are looked up at a time.
const SIMULATED_AT_ONCE: u32 = 1000;

async fn run_forget(arguments: &ForgetArguments) -> Result<(), Failure> {
    let store = arguments.database.connect_to_delete().await?;
    let done = match &arguments.whose.code {
        Some(code) => forget_person(&*store, code).await,
        None => forget_simulated(&*store).await.map_err(of_store),
    };
    store.close().await.map_err(of_store)?;
    print(&format!("{}\n", done?))
}

async fn forget_person(store: &dyn Store, code: &str) -> Result<String, Failure> {
    let Some(person) = store.person_by_code(code).await.map_err(of_store)? else {
        return match store.is_forgotten(code).await.map_err(of_store)? {
            true => Ok(format!("0 plays deleted: those of {code} were deleted before")),
            false => Err(Failure::Input(format!(
                "nobody has the code '{}': write one of the column person of plays export",
                shorten(code)
            ))),
        };
    };
    let plays = store.forget(&person).await.map_err(of_store)?;
    Ok(format!("{} of {} deleted", counted(plays, "play"), person.name))
}

async fn forget_simulated(store: &dyn Store) -> Result<String, StoreError> {
    let (mut people, mut plays) = (0, 0);
    loop {
        let some = store.simulated(SIMULATED_AT_ONCE).await?;
        if some.is_empty() {
            return Ok(format!("{} of {people} simulated people deleted", counted(plays, "play")));
        }
        for person in &some {
            plays += store.forget(person).await?;
            people += 1;
        }
    }
}

async fn run_learn(arguments: &LearnArguments) -> Result<(), Failure> {
    let store = arguments.database.connect_known().await?;
    let learned = learn(&*store, arguments.plays as usize).await;
    store.close().await.map_err(of_store)?;
    let learned = learned.map_err(|error| match error {
        LearnError::Store(error) => of_store(error),
        LearnError::TooFew(_) | LearnError::OneSided { .. } => Failure::input(error),
    })?;
    if arguments.format == OutputFormat::Json {
        return print_json(&learned);
    }
    let whose = match learned.simulated.as_slice() {
        [] => String::new(),
        policies => format!(" (simulated, by the policy {})", policies.join(", ")),
    };
    let mut text = format!(
        "Learned from {} of {} people{whose}; tried on {} of {} others, and on {} whose exact distances are known.\n\n\
         {:<26}{:>10}{:>10}{:>10}{:>10}\n",
        counted(learned.plays.0 as u64, "play"),
        learned.people.0,
        counted(learned.plays.1 as u64, "play"),
        learned.people.1,
        counted(learned.compared_moves as u64, "move"),
        "guess",
        "log-loss",
        "+-",
        "top-1",
        "+-",
    );
    for guess in &learned.guesses {
        text += &format!(
            "{:<26}{:>10.4}{:>10.4}{:>10.4}{:>10.4}\n",
            guess.name, guess.log_loss, guess.log_loss_error, guess.top_1, guess.top_1_error
        );
    }
    text += &format!(
        "\nTimes of moves are predicted within a factor of {:.2} for half of them, and within {:.2} by their median.\n\n\
         {}\n",
        learned.time_factor.0, learned.time_factor.1, learned.model
    );
    print(&text)
}
