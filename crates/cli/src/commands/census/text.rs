//! Censuses and their progress, for people.

use hyperslide_census::{CensusProgress, CensusReport, ComponentReport, Diameter};
use hyperslide_lab::report::TextTable;
use hyperslide_table::Layers;

use crate::terminal::{counted, duration, fact, grouped, prose, render, seconds, table, with_noun};

/// How far a census has got.
pub fn describe_progress(progress: &CensusProgress<'_>) -> String {
    let CensusProgress {
        starts: (done, all),
        layers,
        states,
        searched: (searched, since),
        left,
        blocks,
        ..
    } = progress;
    let found: u128 = layers.iter().map(|layers| u128::from(layers.total())).sum();
    let depth = layers.iter().map(Layers::depth).max().unwrap_or(0);
    let elapsed = since.elapsed().as_secs_f64();
    let rate = (searched + found) as f64 / elapsed;
    let left = left.saturating_sub(found) as f64 / rate;
    let which = match layers.len() {
        1 => format!("search {}", done + 1),
        searches => format!("searches {} to {}", done + 1, done + searches),
    };
    let blocks = blocks.map_or_else(String::new, |(done, all)| format!(", {done} of {all} blocks"));
    format!(
        "{which} of {all}, layer {depth}{blocks}: {:.1} % of {states} states; {:.0} million states/s, about {} left",
        100.0 * found as f64 / (layers.len() as f64 * *states as f64),
        rate / 1e6,
        duration(left),
    )
}

/// The census for people.
pub fn describe(report: &CensusReport, wall_s: f64) -> String {
    let mut text = format!(
        "{} {}, {}, {}\n\n",
        report.board,
        report.metric,
        counted(report.tokens as u64, "token"),
        counted(report.empty as u64, "empty vertex"),
    );
    let parity = match (report.strong_parity, report.weak_parity) {
        (true, _) => "strong: two mobile components, which differ by parity",
        (false, true) => "weak: every closed walk induces an even permutation",
        (false, false) => "none: some closed walk induces an odd permutation",
    };
    let sets = format!(
        "{}, of which {} can move, in {} under {}",
        grouped(report.occupied_sets),
        grouped(report.moving_sets),
        counted(report.orbits as u64, "orbit"),
        with_noun(&report.symmetries.to_string(), "symmetry"),
    );
    for (name, value) in [
        ("configurations", grouped(&report.configurations).as_str()),
        ("regime", report.regime.name()),
        ("parity", parity),
        ("occupied sets", &sets),
    ] {
        text.push_str(&fact(name, value));
    }
    text.push('\n');
    let mut rows = component_table();
    for component in &report.components {
        let eccentricities: Vec<String> = component
            .eccentricities
            .iter()
            .map(|entry| format!("{}: {}", entry.eccentricity, grouped(entry.occupied_sets)))
            .collect();
        let ComponentReport { diameter, radius, searched, orbits, .. } = *component;
        let [diameter, radius, searches] = depths(diameter, radius, (searched, orbits));
        rows.add_row([
            grouped(&component.size),
            grouped(&component.count),
            component.regime.to_string(),
            grouped(component.occupied_sets),
            component.stuck_tokens.to_string(),
            diameter,
            radius,
            searches,
            eccentricities.join(", "),
        ]);
    }
    text.push_str(&render(&rows));
    let mut notes = component_legend("occupied sets", report.searched < report.orbits);
    for check in &report.checks {
        let holds = if check.holds { "holds" } else { "FAILS" };
        notes.push_str(&format!("{holds}: {} ({})\n", check.statement, check.found));
    }
    let searches = counted(report.searched as u64, "search");
    notes.push_str(&format!("\n{searches}, {}\n", seconds(wall_s)));
    text + &prose(&notes)
}

/// What the columns of a table of components mean. Eccentricities are those of these `things`.
pub fn component_legend(things: &str, is_partial: bool) -> String {
    let eccentricities = match is_partial {
        true => format!("of the {things} that were searched, each with the number that have it"),
        false => format!("each with the number of {things} that have it"),
    };
    format!(
        "\nsize: configurations in each component; count: such components; sets: occupied sets of a \
         component;\nsearches: those made, of those that suffice for one component;\neccentricities: \
         {eccentricities}\n"
    )
}

/// A table of components, with no rows yet.
pub fn component_table() -> TextTable {
    table(&[
        "#size",
        "#count",
        "=regime",
        "#sets",
        "#stuck",
        "#diameter",
        "#radius",
        "#searches",
        "=eccentricities",
    ])
}

/// The diameter, the radius and the number of searches of a component, as its row has them.
pub fn depths(
    diameter: Option<Diameter>,
    radius: Option<u32>,
    (searched, orbits): (usize, usize),
) -> [String; 3] {
    let unknown = || "?".to_owned();
    [
        diameter.as_ref().map_or_else(unknown, Diameter::to_string),
        radius.map_or_else(unknown, |radius| radius.to_string()),
        format!("{searched} of {orbits}"),
    ]
}
