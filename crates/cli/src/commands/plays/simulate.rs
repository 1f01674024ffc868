//! `hyperslide plays simulate`: plays of people who do not exist.

use std::time::{Duration, Instant};

use clap::Args;
use hyperslide_lab::{Law, RandomError, RandomPuzzles, WorkProgress};
use hyperslide_plays::{
    KeptPlay, Kind, POLICY, POLICY_TEXT, SimulatedPerson, Simulator, Store, today,
};
use hyperslide_puzzle::{Board, Effort, Metric, Puzzle, Solvability, decide_solvability};

use super::{DatabaseArgument, of_store};
use crate::failure::{ExitStatus, Failure};
use crate::input::{Source, named_board};
use crate::options::{PuzzleArguments, parse_seconds, parse_whole};
use crate::terminal::{SearchProgress, counted, print, work_text};

pub fn help() -> String {
    format!(
        "Adds plays of people who do not exist. Everything that is made from them is labelled as simulated. Simulating \
         the same again changes nothing.\n\nThe policy, {POLICY}: {POLICY_TEXT}"
    )
}

#[derive(Args)]
pub struct SimulateArguments {
    /// Puzzles that everybody plays once: names of instances, lines or files
    #[arg(value_name = "PUZZLE")]
    puzzles: Vec<String>,
    /// A board on which everybody plays ranked starts, as in grid:3:3; may be given several times
    #[arg(long, value_name = "BOARD")]
    ranked: Vec<String>,
    /// The number of tokens of ranked starts [default: one fewer than the board has vertices]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=64), requires = "ranked")]
    tokens: Option<u8>,
    /// The number of ranked starts that each person plays on each board
    #[arg(long, value_name = "N", default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..=100_000),
          requires = "ranked")]
    starts: u32,
    /// How ranked starts are ranked: timed or fewest
    #[arg(long, value_name = "KIND", default_value = "timed", value_parser = parse_ranked, requires = "ranked")]
    kind: Kind,
    /// The number of people
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    people: u32,
    /// The seed of the people and the starts
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = parse_whole)]
    seed: u64,
    /// Stops after this many seconds, and keeps the plays that are finished by then. Where no table
    /// of all distances fits in 64 MB, each path to the goal has to be searched for, and a play may
    /// take seconds
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    limit_time: Option<Duration>,
    #[command(flatten)]
    database: DatabaseArgument,
}

fn parse_ranked(text: &str) -> Result<Kind, String> {
    match text.parse() {
        Ok(kind) if kind != Kind::Explore => Ok(kind),
        _ => Err("write timed or fewest".to_owned()),
    }
}

pub async fn run(arguments: &SimulateArguments) -> Result<ExitStatus, Failure> {
    if arguments.puzzles.is_empty() && arguments.ranked.is_empty() {
        let message = "there is nothing to play: name puzzles, or boards with --ranked";
        return Err(Failure::Input(message.to_owned()));
    }
    let puzzles = puzzles(&arguments.puzzles)?;
    let boards = arguments.ranked.iter().map(|name| named_board(name, Metric::Face));
    let boards: Vec<Board> = boards.collect::<Result<_, _>>()?;
    let store = arguments.database.connect().await?;
    let plays_each = puzzles.len() + boards.len() * arguments.starts as usize;
    let mut simulation = Simulation::new(&*store, arguments, plays_each);
    let mut people = simulation.people(arguments).await?;
    for puzzle in &puzzles {
        simulation.play_puzzle(puzzle, &mut people).await?;
    }
    for board in &boards {
        simulation.play_ranked(board, arguments, &mut people).await?;
    }
    simulation.keep().await?;
    let (added, tried, is_cut) = (simulation.added, simulation.tried, simulation.is_cut);
    drop(simulation);
    store.close().await.map_err(of_store)?;
    let stopped = if is_cut { "; the time is over, and the rest were not played" } else { "" };
    print(&format!(
        "{} of {} simulated people added, of {tried} that were tried{stopped}\n",
        counted(added, "play"),
        people.len(),
    ))?;
    Ok(if is_cut { ExitStatus::LimitReached } else { ExitStatus::Done })
}

/// The puzzles that everybody plays, which have a solution.
fn puzzles(names: &[String]) -> Result<Vec<Puzzle>, Failure> {
    let mut puzzles = Vec::new();
    for name in names {
        let (puzzle, rule, metric, goal) = (name.clone(), None, None, None);
        let options = PuzzleArguments { puzzle, rule, metric, goal };
        match Source::open(name)? {
            Source::One(text) => puzzles.push(text.puzzle(&options)?),
            Source::Many(lines) => {
                for (_, text) in lines {
                    puzzles.push(text?.puzzle(&options)?);
                }
            }
        }
    }
    for puzzle in &puzzles {
        if let Solvability::Unsolvable(reason) =
            decide_solvability(puzzle, Effort::QUICK, &|_| false)
        {
            return Err(Failure::Input(format!("nobody can solve {puzzle}: {reason}")));
        }
    }
    Ok(puzzles)
}

/// A simulated person, with the person's number in the database.
type Player = (SimulatedPerson, i64);

/// Plays that are being simulated. They are kept once a second, so that few are lost by Ctrl-C.
struct Simulation<'a> {
    store: &'a dyn Store,
    line: SearchProgress,
    began: Instant,
    deadline: Option<Instant>,
    total: usize,
    tried: usize,
    added: u64,
    waiting: Vec<KeptPlay>,
    kept: Instant,
    /// The day of all plays.
    day: i64,
    /// Whether something is left out because the time is over.
    is_cut: bool,
}

impl<'a> Simulation<'a> {
    fn new(
        store: &'a dyn Store,
        arguments: &SimulateArguments,
        plays_each: usize,
    ) -> Simulation<'a> {
        let began = Instant::now();
        Simulation {
            store,
            line: SearchProgress::new(""),
            began,
            deadline: arguments.limit_time.and_then(|limit| began.checked_add(limit)),
            total: arguments.people as usize * plays_each,
            tried: 0,
            added: 0,
            waiting: Vec::new(),
            kept: began,
            day: today(),
            is_cut: false,
        }
    }

    /// The people, who are added to the database if it does not know them; fewer when the time is
    /// over.
    async fn people(&mut self, arguments: &SimulateArguments) -> Result<Vec<Player>, Failure> {
        let mut people = Vec::new();
        for number in 0..u64::from(arguments.people) {
            if self.is_cut() {
                break;
            }
            let simulated = SimulatedPerson::new(arguments.seed, number);
            let known =
                self.store.person_by_code(&simulated.person.code).await.map_err(of_store)?;
            let id = match known {
                Some(person) => person.id,
                None => {
                    let code = &simulated.person.code;
                    // No backup would bring back what they play.
                    if self.store.is_forgotten(code).await.map_err(of_store)? {
                        return Err(Failure::Input(format!(
                            "simulated people of seed {} were deleted from this database: choose another --seed",
                            arguments.seed
                        )));
                    }
                    self.store.add_person(&simulated.person).await.map_err(of_store)?
                }
            };
            people.push((simulated, id));
            self.say(people.len(), arguments.people as usize, "people");
        }
        Ok(people)
    }

    /// Everybody plays a puzzle, while there is time.
    async fn play_puzzle(&mut self, puzzle: &Puzzle, people: &mut [Player]) -> Result<(), Failure> {
        if self.is_cut() {
            return Ok(());
        }
        let simulator = Simulator::new(puzzle, self.deadline);
        for (person, id) in people {
            if self.is_cut() {
                break;
            }
            let play = person.kept(&simulator, puzzle, Kind::Explore, *id, self.day);
            self.tried(play).await?;
        }
        Ok(())
    }

    /// Everybody plays ranked starts on a board, while there is time.
    async fn play_ranked(
        &mut self,
        board: &Board,
        arguments: &SimulateArguments,
        people: &mut [Player],
    ) -> Result<(), Failure> {
        let tokens = arguments.tokens.map_or(board.vertex_count() - 1, usize::from);
        let mut simulator: Option<Simulator> = None;
        for (number, (person, id)) in people.iter_mut().enumerate() {
            let random = RandomPuzzles {
                board: board.clone(),
                tokens,
                labels: None,
                goal: None,
                law: Law::Uniform,
                seed: arguments.seed.wrapping_mul(1_000_003).wrapping_add(number as u64),
                time: self.deadline.map(|end| end.saturating_duration_since(Instant::now())),
            };
            let starts = random.each(arguments.starts as usize, |_| ());
            for puzzle in starts.map_err(Failure::input)? {
                if self.is_cut() {
                    return Ok(());
                }
                let puzzle = match puzzle {
                    Err(RandomError::Time(_)) => {
                        self.is_cut = true;
                        return Ok(());
                    }
                    puzzle => &puzzle.map_err(Failure::input)?,
                };
                if puzzle.goal().is_met(puzzle.start()) {
                    continue;
                }
                if !simulator.as_ref().is_some_and(|known| known.is_for(puzzle)) {
                    simulator = Some(Simulator::new(puzzle, self.deadline));
                }
                let Some(simulator) = &simulator else { continue };
                self.tried(person.kept(simulator, puzzle, arguments.kind, *id, self.day)).await?;
            }
        }
        Ok(())
    }

    /// Returns whether no time is left for something that is still to be done.
    fn is_cut(&mut self) -> bool {
        self.is_cut |= self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        self.is_cut
    }

    /// Takes a play; none when the person gave up.
    async fn tried(&mut self, play: Option<KeptPlay>) -> Result<(), Failure> {
        if play.is_none() {
            // Whoever is out of time has not given up.
            self.is_cut();
        }
        self.waiting.extend(play);
        self.tried += 1;
        if self.kept.elapsed() >= Duration::from_secs(1) {
            self.keep().await?;
        }
        self.say(self.tried, self.total, "plays");
        Ok(())
    }

    fn say(&self, done: usize, total: usize, things: &str) {
        let elapsed = self.began.elapsed();
        let progress = WorkProgress { done, total: Some(total), fresh: done, elapsed };
        self.line.say(&work_text(&progress, things));
    }

    /// Keeps the plays that wait.
    async fn keep(&mut self) -> Result<(), Failure> {
        self.added += self.store.add_plays(&self.waiting).await.map_err(of_store)?;
        self.waiting.clear();
        self.kept = Instant::now();
        Ok(())
    }
}
