use std::path::Path;

use hyperslide_lab::{Law, RandomError, RandomPuzzles};
use hyperslide_puzzle::Board;

use crate::arguments::RandomArguments;
use crate::failure::{ExitStatus, Failure};
use crate::input::read_board;
use crate::terminal::print;

pub fn run(arguments: &RandomArguments) -> Result<ExitStatus, Failure> {
    let spec = read_board(arguments.board.parse().map_err(Failure::input)?, Path::new(""))?;
    let board = Board::new(spec, arguments.metric).map_err(Failure::input)?;
    let vertices = board.vertex_count();
    let goal = match &arguments.goal {
        Some(goal) => Some(goal.parse().map_err(Failure::input)?),
        None => None,
    };
    let tokens = arguments.tokens.unwrap_or(vertices - 1);
    let law = match (arguments.walk, arguments.distance) {
        (Some((least, most)), _) => Law::Walk { least, most },
        (None, Some(distance)) => Law::Distance(distance),
        (None, None) => Law::Uniform,
    };
    let random = RandomPuzzles { board, tokens, goal, law, seed: arguments.seed };
    for puzzle in random.draw(arguments.count)? {
        print(&format!("{puzzle}\n"))?;
    }
    Ok(ExitStatus::Done)
}

impl From<RandomError> for Failure {
    fn from(error: RandomError) -> Failure {
        match error {
            RandomError::Table(error) => error.into(),
            _ => Failure::input(error),
        }
    }
}
