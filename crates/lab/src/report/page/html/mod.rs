//! The report as one HTML page.

mod sections;
mod tables;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{Content, Document, Exhibit, Report, as_argument, repeat_command};
use crate::compare::{Cell, Column, Comparison, Row, Table, Verdict, VerdictCounts};
use crate::record::Provenance;
use crate::report::Figure;
use crate::report::figure::{Drawing, swatch};
use crate::report::numbers::short;
use crate::report::svg;

const STYLE: &str = include_str!("../style.css");
const SCRIPT: &str = include_str!("../script.js");
/// Takes over the theme that was chosen in the web application, which has the same site.
const THEME: &str = "try{const theme=JSON.parse(localStorage.getItem(\"hyperslide.theme\"));\
                     if(theme)document.documentElement.dataset.theme=theme}catch{}";

pub(super) fn page(report: &Report) -> String {
    let (title, is_of_papers) = (report.title(), report.is_of_papers());
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width,initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="description" content=(lead_text(report));
                title { (title) }
                // An empty icon spares a request that a file cannot answer.
                link rel="icon" href="data:,";
                style {
                    (PreEscaped(svg::STYLE)) (PreEscaped(STYLE))
                    (PreEscaped(chosen_theme(svg::STYLE))) (PreEscaped(chosen_theme(STYLE)))
                }
                // Before the page is drawn.
                script { (PreEscaped(THEME)) }
            }
            body id="top" {
                a class="skip" href="#documents" { "Skip to the tables" }
                (sections::contents(report, is_of_papers))
                header {
                    h1 { (title) }
                    p class="lead" { (lead(report)) }
                    (matrix(report))
                    (legend(report))
                }
                main id="documents" {
                    @for (number, document) in (1..).zip(&report.documents) {
                        (section(document, number))
                    }
                    @if is_of_papers { (sections::errata()) (sections::settled(report)) }
                    (sections::unread(report))
                    (sections::methods())
                }
                footer {
                    p { "Made by " code { "hyperslide report" } " from records alone: no search was run for this page." }
                }
                script type="application/json" id="data" { (PreEscaped(in_script(&report.json()))) }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string()
}

/// The number of values with each verdict, in a sentence.
fn lead(report: &Report) -> Markup {
    let counts = clauses(report);
    if counts.is_empty() {
        return html! { "The tables and figures of these experiments, from their records. Nothing published is compared." };
    }
    html! {
        "Every table and figure of the documents below, next to what Hyperslide computes: of "
        strong { (short(report.verdicts.total() as f64)) " published values" }
        @for (number, (count, clause)) in counts.iter().enumerate() {
            @if number + 1 == counts.len() && number > 0 { " and " } @else if number > 0 { ", " } @else { ", " }
            strong { (short(*count as f64)) } " " (clause)
            @if *clause == CLAUSES[0].1 { (exactly(report)) }
            @if *clause == CLAUSES[2].1 { (of_them_times(report)) }
        }
        "."
    }
}

/// How many of the values that hold are the same, and how many a test takes for the same.
fn exactly(report: &Report) -> String {
    match (report.verdicts.of(Verdict::Equal), close(report)) {
        (0, _) | (_, 0) => String::new(),
        (equal, close) => {
            format!(
                " ({} exactly, {} as far as a test can tell)",
                equal - close,
                short(close as f64)
            )
        }
    }
}

/// How many of the values that are better are times, which were measured on another machine.
fn of_them_times(report: &Report) -> String {
    let tables = report.comparisons.iter().flat_map(|comparison| &comparison.tables);
    let is_time = |(_, column, cell): &(&Row, &Column, &Cell)| {
        column.unit == "s" && cell.verdict == Some(Verdict::Better)
    };
    match tables.flat_map(Table::places).filter(is_time).count() {
        0 => String::new(),
        times => format!(" ({times} of them times, measured on another machine)"),
    }
}

/// The number of values that differ from the published ones by no more than a test allows for.
fn close(report: &Report) -> usize {
    let cells = report.comparisons.iter().flat_map(Comparison::cells);
    cells.filter(|cell| cell.is_close()).count()
}

fn lead_text(report: &Report) -> String {
    if report.verdicts.total() == 0 {
        return report.title().to_owned();
    }
    let counts = clauses(report);
    let clauses: Vec<String> =
        counts.iter().map(|(count, clause)| format!("{count} {clause}")).collect();
    format!("{} published values: {}.", report.verdicts.total(), clauses.join(", "))
}

fn clauses(report: &Report) -> Vec<(usize, &'static str)> {
    let counted = CLAUSES.iter().map(|(verdict, clause)| (report.verdicts.of(*verdict), *clause));
    counted.filter(|(count, _)| *count > 0).collect()
}

/// What is said of the values with a verdict.
const CLAUSES: [(Verdict, &str); 9] = [
    (Verdict::Equal, "hold"),
    (Verdict::PublishedWrong, "are wrong and corrected"),
    (Verdict::Better, "are bettered"),
    (Verdict::Settled, "were open and are settled"),
    (Verdict::Explained, "differ for a stated reason"),
    (Verdict::NotReached, "are out of our reach too"),
    (Verdict::Missing, "have no record"),
    (Verdict::Unexplained, "differ, and nobody has explained why"),
    (Verdict::Contradiction, "contradict our own runs"),
];

/// The letter, the CSS class and the meaning of a verdict.
fn sign(verdict: Verdict) -> (&'static str, &'static str, &'static str) {
    match verdict {
        Verdict::Equal => ("E", "v-equal", "equal"),
        Verdict::Better => ("B", "v-better", "better than published"),
        Verdict::Settled => ("S", "v-settled", "settled, was open"),
        Verdict::PublishedWrong => ("C", "v-corrected", "corrected: the published value is wrong"),
        Verdict::Explained => ("D", "v-explained", "different for a stated reason"),
        Verdict::NotReached => ("N", "v-open", "not reached here either"),
        Verdict::Missing => ("M", "v-open", "no record"),
        Verdict::Unexplained => ("?", "v-alarm", "different, unexplained"),
        Verdict::Contradiction => ("!", "v-alarm", "contradicts our own runs"),
    }
}

/// The letter of a verdict, where there is one.
fn letter(verdict: Option<Verdict>) -> &'static str {
    verdict.map_or("\u{2013}", |verdict| sign(verdict).0)
}

/// The CSS class of a verdict, where there is one.
fn class(verdict: Option<Verdict>) -> &'static str {
    verdict.map_or("v-none", |verdict| sign(verdict).1)
}

/// What a verdict means.
fn meaning(verdict: Verdict) -> &'static str {
    sign(verdict).2
}

/// The sign of a value that is not the same as the published one and yet called equal, and what it
/// means.
pub(super) const CLOSE: (&str, &str) =
    ("\u{2248}", "equal as far as a test can tell: the difference may well be chance");

/// How often each verdict was given, in the words of the legend.
fn counted(verdicts: &VerdictCounts) -> String {
    let word = |verdict: Verdict| match verdict {
        Verdict::PublishedWrong => "corrected".to_owned(),
        Verdict::Explained => "different for a stated reason".to_owned(),
        verdict => verdict.to_string(),
    };
    let counts = verdicts.0.iter().map(|(&verdict, count)| format!("{count} {}", word(verdict)));
    counts.collect::<Vec<_>>().join(", ")
}

/// Documents and their tables, coloured by verdict, with a letter and the number of values.
fn matrix(report: &Report) -> Markup {
    html! {
        nav class="matrix" aria-label="Tables and figures by document" {
            @for (number, document) in (1..).zip(&report.documents) {
                @let heading = format!("matrix-{number}");
                div class="matrix-row" {
                    p id=(heading) { a href={ "#document-" (number) } { (document.short_title()) } }
                    ul aria-labelledby=(heading) {
                        @for exhibit in &document.exhibits { li { (tile(exhibit)) } }
                    }
                }
            }
        }
    }
}

fn tile(exhibit: &Exhibit) -> Markup {
    let verdict = exhibit.leading_verdict();
    let total = exhibit.verdicts.total();
    let counts = exhibit.verdicts.0.iter();
    let counts: Vec<String> = counts.map(|(v, n)| format!("{n} {}", meaning(*v))).collect();
    let tip = match total {
        0 => format!("{}: nothing to compare", exhibit.title),
        _ => format!("{}: {}", exhibit.title, counts.join("; ")),
    };
    html! {
        a class={ "tile " (class(verdict)) } href={ "#" (exhibit.id) } title=(tip) {
            b { (exhibit.short_label()) }
            span { (letter(verdict)) @if total > 0 { " \u{b7} " (total) } }
            (strip(&exhibit.verdicts))
        }
    }
}

/// The shares of the verdicts as a strip of colours.
fn strip(verdicts: &VerdictCounts) -> Markup {
    html! {
        i class="strip" aria-hidden="true" {
            @for (verdict, count) in &verdicts.0 {
                i class=(class(Some(*verdict))) style={ "flex:" (count) } {}
            }
        }
    }
}

fn legend(report: &Report) -> Markup {
    let close = close(report);
    html! {
        ul class="legend" {
            @for (&verdict, &count) in &report.verdicts.0 {
                @let is_split = verdict == Verdict::Equal && close > 0;
                @let count = if is_split { count - close } else { count };
                li { i class=(class(Some(verdict))) { (letter(Some(verdict))) } " " (meaning(verdict)) " \u{b7} " (short(count as f64)) }
                @if is_split {
                    li { i class=(class(Some(verdict))) { (CLOSE.0) } " " (CLOSE.1) " \u{b7} " (short(close as f64)) }
                }
            }
            li { i class="v-none" { (letter(None)) } " nothing to compare: ours alone, or a picture without values" }
        }
        @if !report.verdicts.0.is_empty() { p class="legend-note" {
            b { "T" } " table, " b { "F" } " figure, " b { "Th" } " theorem; the number says how many values are
            compared, the colour and the letter what matters most among them, and the strip below shows their shares.
            A figure repeats values of its table: the sentence above counts each of them once. "
            a href="#methods" { "Methods" } " says how verdicts are given and what the names in the tables mean."
        } }
    }
}

/// A document with all its exhibits.
fn section(document: &Document, number: usize) -> Markup {
    html! {
        section id={ "document-" (number) } aria-labelledby={ "document-" (number) "-title" } {
            h2 id={ "document-" (number) "-title" } { (document.title()) }
            @if let Some(paper) = &document.paper {
                p class="soft" { (paper.authors) ". " (paper.published) "." }
            }
            @if !document.findings.is_empty() {
                ul class="findings" {
                    @for finding in &document.findings {
                        li class=[(!finding.holds).then_some("v-alarm")] { (finding.says) ": " b { (finding.evidence()) } "." }
                    }
                }
            }
            @for exhibit in &document.exhibits { (article(exhibit)) }
        }
    }
}

fn article(exhibit: &Exhibit) -> Markup {
    let heading = &exhibit.heading;
    html! {
        article id=(exhibit.id) {
            h3 {
                @if !exhibit.label.is_empty() { (exhibit.label) ". " }
                (exhibit.title)
            }
            p class="soft" {
                (place(exhibit))
                @if let Some(page) = heading.page { ", page " (page) }
                @if exhibit.verdicts.total() > 0 { " \u{b7} " (counted(&exhibit.verdicts)) }
                @if !exhibit.complete { " \u{b7} some records are missing" }
            }
            @match &exhibit.content {
                Content::Tables(tables) => @for table in tables { (tables::table(table)) },
                Content::Figure(figure) => (self::figure(figure, exhibit)),
                Content::Pictures { pictures, reading, tables } => {
                    figure class="pictures" {
                    div { @for picture in pictures {
                        @let (width, _) = picture.picture.size;
                        div style={ "--width:" (svg::Number(width)) "px" } {
                            (picture.picture.element()) p { (picture.caption) }
                        }
                    } }
                    figcaption { (reading) }
                    }
                    @for table in tables { (tables::table(table)) }
                },
            }
            (notes(&exhibit.notes))
            (provenance(exhibit))
        }
    }
}

/// Where the document shows it.
fn place(exhibit: &Exhibit) -> String {
    let section = section_of(exhibit);
    match (exhibit.label.as_str(), exhibit.heading.document.as_str()) {
        (_, "") => "Not from a paper".to_owned(),
        ("", _) => "Not in the document".to_owned(),
        _ => match section.strip_prefix("section") {
            Some(rest) => format!("Section{rest}"),
            None => section,
        },
    }
}

/// The section in which the document shows it: `section 4.3`, `sections 4.1 and 4.2`, `Appendix A`
/// or a quoted name.
fn section_of(exhibit: &Exhibit) -> String {
    let section = exhibit.heading.section.as_str();
    let is_number = section.chars().take(1).all(|c| c.is_ascii_digit() || matches!(c, 'I' | 'V'));
    let are_several = [" and ", " to "].iter().any(|word| section.contains(word));
    match is_number {
        true if are_several && !section.contains("Appendix") => format!("sections {section}"),
        true => format!("section {section}"),
        false if section.starts_with("Appendix") => section.to_owned(),
        false => format!("\u{201c}{section}\u{201d}"),
    }
}

/// A figure as chart, table and source, one of which is shown.
fn figure(figure: &Figure, exhibit: &Exhibit) -> Markup {
    let id = &figure.name;
    let group = format!("{id}-view");
    let tab = |view: &str, name: &str, is_first: bool| {
        html! {
            input type="radio" name=(group) id={ (id) "-" (view) } class={ "pick-" (view) } checked[is_first];
            label for={ (id) "-" (view) } { (name) }
        }
    };
    html! {
        figure class="tabs" {
            (tab("chart", "Chart", true)) (tab("table", "Table", false)) (tab("source", "Source", false))
            div class="view chart" {
                @match &figure.drawing {
                    Drawing::Charts(rows) => {
                        (figure_legend(figure))
                        @for row in rows {
                            @let wide = row.charts.first().filter(|chart| chart.names_lines);
                            div class={ "charts" @if wide.is_some() { " wrap wide" } @if row.size.0 < SMALL { " small" } }
                                tabindex=[wide.map(|_| "0")] role=[wide.map(|_| "group")]
                                aria-label=[wide.map(|chart| &chart.title)]
                                style={ "--width:" (row.size.0) "px" } {
                                @for chart in &row.charts { div { (chart.draw(row.size).element()) } }
                            }
                        }
                    },
                    Drawing::Matrix(matrix) => (tables::heat(matrix)),
                }
            }
            div class="view table" { (tables::points(figure)) }
            div class="view source" {
                p { b { @if !figure.label.is_empty() { (figure.label) ". " } (figure.title) } }
                p { (figure.run) }
                @if !exhibit.heading.paper.is_empty() {
                    p { "Published in " (section_of(exhibit)) " of " cite { (exhibit.heading.paper) } "." }
                }
                @if !exhibit.records.is_empty() {
                    p { "Made by:" }
                    ul { @for record in &exhibit.records { li { (made_by(record)) } } }
                }
                @let command = format!("hyperslide experiment {}", as_argument(&exhibit.heading.experiment));
                p { "Draw it: " code { (command) " --from records --figures DIRECTORY" } }
                p { "All its values: " code { (command) " --from records --format csv" } }
            }
            figcaption {
                p { (figure.reading) }
                p class="origin" { b { "Source: " } (figure.run) (published_in(exhibit)) }
            }
        }
    }
}

/// Where the published values of a figure stand.
fn published_in(exhibit: &Exhibit) -> Markup {
    html! {
        @if !exhibit.heading.document.is_empty() && !exhibit.label.is_empty() {
            " Published values: " (section_of(exhibit))
            @if let Some(page) = exhibit.heading.page { ", page " (page) } "."
        }
    }
}

/// Charts that are less wide stand in pairs on phones.
const SMALL: f64 = 300.0;

fn figure_legend(figure: &Figure) -> Markup {
    html! {
        @if let Some(axes) = figure.axes() { p class="soft" { (axes) } }
        ul class="series" {
            @for (name, colour, mark) in figure.legend() {
                li { svg viewBox="0 0 14 14" aria-hidden="true" { (swatch(mark, colour, (0.0, 7.0))) } (name) }
            }
        }
    }
}

fn notes(notes: &[String]) -> Markup {
    html! {
        @if !notes.is_empty() {
            ul class="notes" { @for note in notes { li { (note) } } }
        }
    }
}

/// The command, and what made the records.
fn provenance(exhibit: &Exhibit) -> Markup {
    let command = repeat_command(&exhibit.heading.experiment);
    html! {
        details {
            summary { "How to repeat it, and what made our values" }
            p { "Repeat it: " code { (command) }
                @if let Some(cpu_s) = exhibit.cpu_s { ", " (svg::Axis::seconds("").write(cpu_s)) " of CPU time" } "." }
            @if !exhibit.records.is_empty() { ul { @for record in &exhibit.records { li { (made_by(record)) } } } }
        }
    }
}

fn made_by(record: &Provenance) -> Markup {
    let machine = &record.machine;
    html! {
        "version " (record.version) ", revision " code { (record.revision) } @if record.debug_build { " (debug build)" }
        ", " (machine.cpu) ", " (machine.cores) " cores"
        @if let Some(bytes) = machine.memory_bytes { ", " (short((bytes as f64 / 1e9).round())) " GB" }
        ", " (date(record.finished_unix)) ": " code { (record.command) }
    }
}

/// The colours of a style in the theme that a reader has chosen in the web application, whatever
/// the system's is. The first two lines of a style have those of both.
fn chosen_theme(style: &str) -> String {
    const DARK: &str = "@media (prefers-color-scheme:dark){:root{";
    let mut lines = style.lines();
    let light = lines.next().and_then(|line| line.strip_prefix(":root{")).unwrap_or_default();
    let light = light.trim_start_matches("color-scheme:light dark;");
    let dark = lines.next().and_then(|line| line.strip_prefix(DARK)).unwrap_or_default();
    let dark = dark.strip_suffix('}').unwrap_or_default();
    format!(
        "@media screen{{:root[data-theme=light]{{color-scheme:light;{light}\n\
         :root[data-theme=dark]{{color-scheme:dark;{dark}}}\n"
    )
}

/// JSON that can stand in a script element: within one, `<` may begin or end an element.
fn in_script(json: &str) -> String {
    json.replace('<', "\\u003c")
}

/// The day of a time in seconds since 1970, as in `2026-11-23` (days from civil, Howard Hinnant).
fn date(seconds: u64) -> String {
    let days = (seconds / 86_400) as i64 + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    format!("{year}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn days_are_those_of_the_calendar() {
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(date(951_782_400), "2000-02-29");
        assert_eq!(date(1_795_435_200), "2026-11-23");
    }
}
