//! The committed pictures are what the committed records give.

use std::path::PathBuf;

use hyperslide_lab::{
    DISTRIBUTION_EXPERIMENTS, Figure, LOCAL_EXPERIMENTS, PartedExperiment, RecordFile,
};

fn root(path: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "../..", path].iter().collect()
}

fn figures<E: PartedExperiment>(experiments: &[E], records: &str) -> Vec<(String, Figure)> {
    let with_figures = experiments.iter().filter(|experiment| experiment.has_figures());
    let drawn = with_figures.flat_map(|experiment| {
        let path = root(&records.replace("NAME", experiment.name()));
        let records = RecordFile::read(&path).unwrap();
        let figures = experiment.figures(&experiment.compare(&records));
        figures.into_iter().map(|figure| (experiment.name().to_owned(), figure))
    });
    drawn.collect()
}

#[test]
fn the_committed_pictures_are_what_the_records_give() {
    let mut all = figures(&DISTRIBUTION_EXPERIMENTS[..], "records/NAME.jsonl");
    all.extend(figures(&LOCAL_EXPERIMENTS[..], "records/local-value-iteration.jsonl"));
    assert_eq!(all.len(), 3 + 2 + 2 + 1);
    for (experiment, Figure { name, svg }) in all {
        let path = root("docs/figures").join(format!("{name}.svg"));
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            committed == svg,
            "docs/figures/{name}.svg: hyperslide experiment {experiment} --from RECORDS --figures docs/figures"
        );
    }
}
