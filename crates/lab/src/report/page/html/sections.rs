//! The sections of the page that are about all documents.

use hyperslide_census::CensusReport;
use maud::{Markup, PreEscaped, html};
use pulldown_cmark::{Event, Options, Parser, Tag};

use super::tables::{unfold, with_boards_in_words};
use super::{Report, class, letter};
use crate::compare::{Cell, Column, Row, Table, Verdict};
use crate::record::known_censuses;
use crate::report::numbers::grouped;
use crate::report::page::{Content, Exhibit};
use crate::report::text::{published, shown};

const ERRATA: &str = include_str!("../../../../../../docs/errata.md");
const METHODS: &str = include_str!("../../../../../../docs/methods.md");

/// Links to the documents with their tables and figures, and to the other sections. They stay in
/// sight.
pub(super) fn contents(report: &Report, is_of_papers: bool) -> Markup {
    let is_unread = !report.unread.is_empty() || !report.foreign.is_empty();
    let sections = [
        ("errata", "Errata", is_of_papers),
        ("settled", "Newly settled", is_of_papers),
        ("unread", "Not read", is_unread),
        ("methods", "Methods", true),
    ];
    html! {
        nav class="rail" aria-label="Contents" {
            ol {
                // For the server, which has a page to go back to.
                li hidden { a data-home { "← Hyperslide" } }
                li { a href="#top" { "Overview" } }
                @for (number, document) in (1..).zip(&report.documents) {
                    li {
                        a href={ "#document-" (number) } { (document.short_title()) }
                        ol { @for exhibit in &document.exhibits {
                            li { a href={ "#" (exhibit.id) } title=(exhibit.title) { (exhibit.short_label()) } }
                        } }
                    }
                }
                @for (id, title, _) in sections.iter().filter(|(_, _, is_there)| *is_there) {
                    li { a href={ "#" (id) } { (title) } }
                }
            }
        }
    }
}

pub(super) fn errata() -> Markup {
    html! { section id="errata" class="prose" { (markdown(ERRATA)) } }
}

pub(super) fn methods() -> Markup {
    html! { section id="methods" class="prose" { (markdown(METHODS)) } }
}

/// What papers leave open and searches settle, with certificates.
pub(super) fn settled(report: &Report) -> Markup {
    let settled = report.exhibits().flat_map(settled_cells);
    html! {
        section id="settled" {
            h2 { "Newly settled" }
            p { "Values that a document prints as unknown or between bounds, and that are proven here." }
            div class="wrap" tabindex="0" role="group" aria-label="Settled values" {
                table {
                    thead { tr {
                        th scope="col" { "table" } th scope="col" { "row" } th scope="col" { "column" }
                        th scope="col" class="number" { "published" } th scope="col" class="number" { "ours" }
                    } }
                    tbody {
                        @for (exhibit, row, column, cell) in settled {
                            tr {
                                th scope="row" { a href={ "#" (exhibit.id) } { (exhibit.label) ", " (exhibit.title) } }
                                td { (row.keys.join(", ")) } td { (column.name) }
                                td class="number print" { (published(column, cell).unwrap_or_default()) }
                                td class="number" {
                                    span class={ "v " (class(cell.verdict)) } { (letter(cell.verdict)) } " "
                                    b { @if let Some(value) = &cell.ours { (shown(column, value)) } }
                                }
                            }
                        }
                    }
                }
            }
            (certificates())
        }
    }
}

/// The values of an exhibit that were open, each with its row and its column.
fn settled_cells(exhibit: &Exhibit) -> impl Iterator<Item = (&Exhibit, &Row, &Column, &Cell)> {
    let tables = match &exhibit.content {
        Content::Tables(tables) | Content::Pictures { tables, .. } => tables.as_slice(),
        Content::Figure(_) => &[],
    };
    let settled = tables.iter().flat_map(Table::places);
    let settled = settled.filter(|(.., cell)| cell.verdict == Some(Verdict::Settled));
    settled.map(move |(row, column, cell)| (exhibit, row, column, cell))
}

/// The records of finished censuses, each with the command that repeats a part of it by other
/// means.
fn certificates() -> Markup {
    const FIRST: usize = 8;
    let mut censuses: Vec<_> = known_censuses().iter().collect();
    censuses.sort_by_key(|record| (record.report.board.clone(), record.report.empty));
    let count = censuses.len();
    html! {
        h3 { "Certificates" }
        p { "Each record holds the number of states at every distance from one start of each orbit, or of as many as settle the diameter. The command repeats searches by other means and compares." }
        div class="wrap long" tabindex="0" role="group" aria-label="Certificates" {
            table {
                thead { tr {
                    th scope="col" { "graph" } th scope="col" class="number" { "empty" }
                    th scope="col" class="number" { "configurations" } th scope="col" class="number" { "diameter" }
                    th scope="col" { "verify" }
                } }
                tbody {
                    @for (number, record) in censuses.into_iter().enumerate() {
                        @let report = &record.report;
                        @let name = format!("{}-{}", report.board.replace(':', "-"), report.empty);
                        tr class=[(number >= FIRST).then_some("rest")] {
                            th scope="row" { (with_boards_in_words(&report.board)) } td class="number" { (report.empty) }
                            td class="number" { (grouped(&report.configurations)) }
                            td class="number" { (diameter(report)) }
                            td { code { "hyperslide census --verify records/census/" (name) ".json" } }
                        }
                    }
                }
            }
        }
        (unfold(count, &format!("the first {FIRST}")))
    }
}

/// The diameter of the largest component.
fn diameter(report: &CensusReport) -> String {
    let diameter = report.largest().and_then(|component| component.diameter);
    diameter.map_or_else(|| "not searched".to_owned(), |diameter| diameter.to_string())
}

/// What could not be read: nothing is left out in silence.
pub(super) fn unread(report: &Report) -> Markup {
    html! {
        @if !report.unread.is_empty() || !report.foreign.is_empty() {
            section id="unread" {
                h2 { "What could not be read" }
                p { "Nothing is left out in silence: these lines are not in the tables above." }
                ul { @for unread in report.unread.iter().chain(&report.foreign) {
                    li { code { (unread.file) } @if let Some(line) = unread.line { ", line " (line) } ": " (unread.reason) }
                } }
            }
        }
    }
}

/// A page of the documentation as part of this one: its title becomes a section's, and links that
/// lead to other files are shown as text.
fn markdown(text: &str) -> Markup {
    let mut options = Options::empty();
    options.insert(Options::ENABLE_TABLES);
    let mut is_dropped = Vec::new();
    let events = Parser::new_ext(text, options).filter_map(|event| match event {
        Event::Start(Tag::Heading { level, id, classes, attrs }) => {
            Some(Event::Start(Tag::Heading { level: lowered(level), id, classes, attrs }))
        }
        Event::End(pulldown_cmark::TagEnd::Heading(level)) => {
            Some(Event::End(pulldown_cmark::TagEnd::Heading(lowered(level))))
        }
        Event::Start(Tag::Link { ref dest_url, .. }) => {
            let is_local = !dest_url.starts_with("http");
            is_dropped.push(is_local);
            (!is_local).then_some(event)
        }
        Event::End(pulldown_cmark::TagEnd::Link) => {
            let is_local = is_dropped.pop().unwrap_or(false);
            (!is_local).then_some(event)
        }
        event => Some(event),
    });
    let mut html = String::new();
    pulldown_cmark::html::push_html(&mut html, Labelled::new(events));
    // Wide tables scroll within themselves.
    let html = html
        .replace(
            "<table>",
            "<div class=\"wrap long\" tabindex=\"0\" role=\"group\" aria-label=\"table\"><table>",
        )
        .replace("</table>", "</table></div>");
    PreEscaped(html)
}

/// Events in which every cell of a table says what its column is called: on phones, where rows are
/// not wide enough, cells stand below one another with these names.
struct Labelled<I> {
    events: I,
    heads: Vec<String>,
    is_head: bool,
    column: usize,
}

impl<'a, I: Iterator<Item = Event<'a>>> Labelled<I> {
    fn new(events: I) -> Labelled<I> {
        Labelled { events, heads: Vec::new(), is_head: false, column: 0 }
    }
}

impl<'a, I: Iterator<Item = Event<'a>>> Iterator for Labelled<I> {
    type Item = Event<'a>;

    fn next(&mut self) -> Option<Event<'a>> {
        use pulldown_cmark::TagEnd;
        let event = self.events.next()?;
        match &event {
            Event::Start(Tag::TableHead) => (self.is_head, self.heads) = (true, Vec::new()),
            Event::End(TagEnd::TableHead) => self.is_head = false,
            Event::Start(Tag::TableRow) => self.column = 0,
            Event::Start(Tag::TableCell) if self.is_head => self.heads.push(String::new()),
            Event::Text(text) if self.is_head => {
                self.heads.last_mut().into_iter().for_each(|head| head.push_str(text));
            }
            Event::Start(Tag::TableCell) => {
                let label = self.heads.get(self.column).map(String::as_str).unwrap_or_default();
                self.column += 1;
                let cell = html! { td data-label=(label) {} }.into_string();
                return Some(Event::Html(cell.trim_end_matches("</td>").to_owned().into()));
            }
            Event::End(TagEnd::TableCell) if !self.is_head => {
                return Some(Event::Html("</td>".into()));
            }
            _ => {}
        }
        Some(event)
    }
}

fn lowered(level: pulldown_cmark::HeadingLevel) -> pulldown_cmark::HeadingLevel {
    use pulldown_cmark::HeadingLevel::{H1, H2, H3, H4, H5, H6};
    match level {
        H1 => H2,
        H2 => H3,
        H3 => H4,
        H4 => H5,
        H5 | H6 => H6,
    }
}
