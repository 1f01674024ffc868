//! Puzzles in PDDL, the planning domain definition language.

use std::fmt;

use super::{Slide, slides, token_name};
use crate::goal::GoalCell;
use crate::puzzle::Puzzle;

/// The name that the problem calls its domain by.
const DOMAIN: &str = "sliding-puzzle";

/// The board and its rule as a PDDL domain (STRIPS, without types): an action for each slide, with
/// the token as its parameter. Puzzles on one board with the same number of tokens share it.
pub struct PddlDomain<'a>(pub &'a Puzzle);

/// The start and the goal as a PDDL problem. Without a metric every action costs 1.
pub struct PddlProblem<'a>(pub &'a Puzzle);

impl fmt::Display for PddlDomain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PddlDomain(puzzle) = self;
        let board = puzzle.board();
        let tokens = puzzle.start().occupied().len();
        let empty = board.vertex_count() - tokens;
        writeln!(f, "; {board}, number of empty vertices: {empty}")?;
        writeln!(f, "(define (domain {DOMAIN})\n  (:requirements :strips)\n  (:constants")?;
        board.vertices().try_for_each(|vertex| writeln!(f, "    v{vertex}"))?;
        writeln!(f, "  )\n  (:predicates (at ?token ?vertex) (empty ?vertex))")?;
        slides(puzzle).iter().try_for_each(|slide| write_action(f, slide))?;
        writeln!(f, ")")
    }
}

fn write_action(f: &mut fmt::Formatter<'_>, slide: &Slide) -> fmt::Result {
    let Slide { from, to, between, .. } = *slide;
    writeln!(f, "  (:action {}\n    :parameters (?token)", slide.name())?;
    write!(f, "    :precondition (and (at ?token v{from}) (empty v{to})")?;
    between.into_iter().try_for_each(|vertex| write!(f, " (empty v{vertex})"))?;
    writeln!(f, ")")?;
    write!(f, "    :effect (and (not (at ?token v{from})) (empty v{from})")?;
    writeln!(f, " (not (empty v{to})) (at ?token v{to})))")
}

impl fmt::Display for PddlProblem<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PddlProblem(puzzle) = self;
        let (board, labels) = (puzzle.board(), puzzle.labels());
        writeln!(f, "; {puzzle}\n(define (problem puzzle)\n  (:domain {DOMAIN})\n  (:objects")?;
        for (label, name) in labels.iter() {
            writeln!(f, "    {} ; {name}", token_name(labels, label))?;
        }
        writeln!(f, "  )\n  (:init")?;
        for vertex in board.vertices() {
            match puzzle.start().label_at(vertex) {
                Some(label) => writeln!(f, "    (at {} v{vertex})", token_name(labels, label))?,
                None => writeln!(f, "    (empty v{vertex})")?,
            }
        }
        writeln!(f, "  )\n  (:goal (and")?;
        for (vertex, &cell) in board.vertices().zip(puzzle.goal().cells()) {
            match cell {
                GoalCell::Any => {}
                GoalCell::Empty => writeln!(f, "    (empty v{vertex})")?,
                GoalCell::Label(label) => {
                    writeln!(f, "    (at {} v{vertex})", token_name(labels, label))?;
                }
            }
        }
        writeln!(f, "  )))")
    }
}
