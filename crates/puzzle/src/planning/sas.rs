//! Puzzles in the format of Fast Downward's translator, version 3, which its search reads.

use std::fmt;

use super::{Slide, slides, token_name};
use crate::goal::GoalCell;
use crate::label::Label;
use crate::puzzle::Puzzle;
use crate::vertex::Vertex;

/// A puzzle as a planning task in finite-domain variables; it prints as the text that the search
/// of Fast Downward reads from standard input (`output.sas`, version 3).
///
/// A token whose label no other has is a variable with the vertices as its values. Every vertex is
/// a variable, too: empty, or a token with a given repeated label, or none of those. The facts
/// about a vertex form a mutex group. These are the variables that the translator finds in the
/// puzzle's PDDL where all labels differ. Every operator costs 1.
///
/// Source: Helmert, The Fast Downward Planning System, Journal of Artificial Intelligence Research
/// 26, 2006; the format is described in the planner's documentation.
pub struct SasTask<'a> {
    puzzle: &'a Puzzle,
    /// The labels that one token has.
    single: Vec<Label>,
    /// The labels that several tokens have.
    repeated: Vec<Label>,
}

/// A variable and one of its values.
type Fact = (usize, usize);

/// The value of a vertex variable that is empty.
const EMPTY: usize = 0;

impl<'a> SasTask<'a> {
    /// The task of a puzzle. Writing it costs time and space of one operator of some 100 bytes for
    /// each label, each pair of vertices on a face and each face that has both.
    pub fn new(puzzle: &'a Puzzle) -> SasTask<'a> {
        let labels = puzzle.labels().iter().map(|(label, _)| label);
        let (single, repeated) =
            labels.partition(|&label| puzzle.start().vertices_of(label).len() == 1);
        SasTask { puzzle, single, repeated }
    }

    fn vertex_count(&self) -> usize {
        self.puzzle.board().vertex_count()
    }

    /// The number of variables that describe the puzzle: tokens first, then vertices.
    fn variable_count(&self) -> usize {
        self.single.len() + self.vertex_count()
    }

    fn vertex_variable(&self, vertex: Vertex) -> usize {
        self.single.len() + vertex.index()
    }

    fn empty_fact(&self, vertex: Vertex) -> Fact {
        (self.vertex_variable(vertex), EMPTY)
    }

    /// What the vertex variable says while a token with this label is there.
    fn filled_fact(&self, label: Label, vertex: Vertex) -> Fact {
        let place = self.repeated.iter().position(|&other| other == label);
        (self.vertex_variable(vertex), 1 + place.unwrap_or(self.repeated.len()))
    }

    /// The variable of a token whose label no other has.
    fn token_variable(&self, label: Label) -> Option<usize> {
        self.single.iter().position(|&other| other == label)
    }

    /// The fact that a token with this label is on the vertex.
    fn at_fact(&self, label: Label, vertex: Vertex) -> Fact {
        match self.token_variable(label) {
            Some(variable) => (variable, vertex.index()),
            None => self.filled_fact(label, vertex),
        }
    }

    fn at_name(&self, label: Label, vertex: Vertex) -> String {
        format!("Atom at({}, v{vertex})", token_name(self.puzzle.labels(), label))
    }

    /// The names of a variable's values, in order.
    fn values(&self, variable: usize) -> Vec<String> {
        let mut vertices = self.puzzle.board().vertices();
        if let Some(&label) = self.single.get(variable) {
            return vertices.map(|vertex| self.at_name(label, vertex)).collect();
        }
        let Some(vertex) = vertices.nth(variable - self.single.len()) else { return Vec::new() };
        let mut values = vec![format!("Atom empty(v{vertex})")];
        values.extend(self.repeated.iter().map(|&label| self.at_name(label, vertex)));
        values.extend((!self.single.is_empty()).then(|| "<none of those>".to_owned()));
        values
    }

    /// The facts about a vertex of which one holds at a time.
    fn mutex_group(&self, vertex: Vertex) -> Vec<Fact> {
        let labels = self.puzzle.labels().iter();
        let tokens = labels.map(|(label, _)| self.at_fact(label, vertex));
        tokens.chain([self.empty_fact(vertex)]).collect()
    }

    /// The value of each variable at the start.
    fn start(&self) -> Vec<usize> {
        let mut values = vec![EMPTY; self.variable_count()];
        for (vertex, label) in self.puzzle.start().tokens() {
            for (variable, value) in [self.at_fact(label, vertex), self.filled_fact(label, vertex)]
            {
                values[variable] = value;
            }
        }
        values
    }

    fn goal(&self) -> Vec<Fact> {
        let asked = self.puzzle.goal().cells().iter().zip(self.puzzle.board().vertices());
        let facts = asked.filter_map(|(&cell, vertex)| match cell {
            GoalCell::Any => None,
            GoalCell::Empty => Some(self.empty_fact(vertex)),
            GoalCell::Label(label) => Some(self.at_fact(label, vertex)),
        });
        let mut facts: Vec<Fact> = facts.collect();
        facts.sort_unstable();
        facts
    }

    /// Writes a slide of a token: what has to hold and stays, then what changes.
    fn write_slide(&self, f: &mut fmt::Formatter<'_>, slide: &Slide, label: Label) -> fmt::Result {
        let Slide { from, to, between, .. } = *slide;
        writeln!(
            f,
            "begin_operator\n{} {}",
            slide.name(),
            token_name(self.puzzle.labels(), label)
        )?;
        writeln!(f, "{}", between.len())?;
        for vertex in between {
            let (variable, value) = self.empty_fact(vertex);
            writeln!(f, "{variable} {value}")?;
        }
        let token = self.token_variable(label).map(|token| (token, from.index(), to.index()));
        let (left, filled) = (self.filled_fact(label, from), self.filled_fact(label, to));
        let vertices = [(left.0, left.1, EMPTY), (filled.0, EMPTY, filled.1)];
        writeln!(f, "{}", token.iter().count() + vertices.len())?;
        for (variable, before, after) in token.into_iter().chain(vertices) {
            writeln!(f, "0 {variable} {before} {after}")?;
        }
        writeln!(f, "1\nend_operator")
    }
}

impl fmt::Display for SasTask<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let goal = self.goal();
        // Planners refuse a goal that asks for nothing; a fact that always holds says the same.
        let asks_nothing = goal.is_empty();
        writeln!(f, "begin_version\n3\nend_version\nbegin_metric\n0\nend_metric")?;
        writeln!(f, "{}", self.variable_count() + usize::from(asks_nothing))?;
        let constant = || vec!["Atom true()".to_owned(), "NegatedAtom true()".to_owned()];
        let described = (0..self.variable_count()).map(|variable| self.values(variable));
        for (variable, values) in described.chain(asks_nothing.then(constant)).enumerate() {
            writeln!(f, "begin_variable\nvar{variable}\n-1\n{}", values.len())?;
            values.iter().try_for_each(|value| writeln!(f, "{value}"))?;
            writeln!(f, "end_variable")?;
        }
        writeln!(f, "{}", self.vertex_count())?;
        for vertex in self.puzzle.board().vertices() {
            write_facts(f, "mutex_group", &self.mutex_group(vertex))?;
        }
        writeln!(f, "begin_state")?;
        let start = self.start().into_iter().chain(asks_nothing.then_some(0));
        start.into_iter().try_for_each(|value| writeln!(f, "{value}"))?;
        writeln!(f, "end_state")?;
        let always = [(self.variable_count(), 0)];
        write_facts(f, "goal", if asks_nothing { &always } else { &goal })?;
        let slides = slides(self.puzzle);
        let labels = self.puzzle.labels();
        writeln!(f, "{}", slides.len() * labels.len())?;
        for (label, _) in labels.iter() {
            slides.iter().try_for_each(|slide| self.write_slide(f, slide, label))?;
        }
        // No axioms.
        writeln!(f, "0")
    }
}

fn write_facts(f: &mut fmt::Formatter<'_>, what: &str, facts: &[Fact]) -> fmt::Result {
    writeln!(f, "begin_{what}\n{}", facts.len())?;
    facts.iter().try_for_each(|(variable, value)| writeln!(f, "{variable} {value}"))?;
    writeln!(f, "end_{what}")
}
