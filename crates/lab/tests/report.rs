//! The report: the committed page is what the committed records give, nothing in it is missing, and
//! what cannot be read is named.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use hyperslide_lab::report::{Content, Report};
use hyperslide_lab::{Experiment, RecordDirectory, Verdict, experiments};

fn root(path: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "../..", path].iter().collect()
}

/// The report of the committed records, which takes seconds: made once for all tests.
fn committed() -> &'static Report {
    static REPORT: LazyLock<Report> = LazyLock::new(|| {
        Report::new(experiments(), &RecordDirectory::read(&root("records")).unwrap())
    });
    &REPORT
}

/// A directory for one test.
fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

#[test]
fn the_committed_page_is_what_the_records_give() {
    let page = committed().html();
    let is_same = std::fs::read_to_string(root("docs/report.html")).unwrap_or_default() == page;
    assert!(is_same, "docs/report.html: hyperslide report --out docs/report.html");
    assert!(page.len() < 5_000_000, "{} bytes", page.len());
    let script = page.rsplit("<script>").next().unwrap();
    assert!(script.len() < 60_000, "{} bytes of script", script.len());
}

#[test]
fn nothing_of_the_papers_is_missing_or_unexplained() {
    let report = committed();
    for verdict in [Verdict::Missing, Verdict::Unexplained, Verdict::Contradiction] {
        assert_eq!(report.verdicts.of(verdict), 0, "{verdict}");
    }
    assert_eq!((report.unread.len(), report.foreign.len()), (0, 0));
    let labels: Vec<(&str, Vec<&str>)> = report
        .documents
        .iter()
        .map(|document| {
            let labels = document.exhibits.iter().map(|exhibit| exhibit.label.as_str());
            (document.paper.as_ref().map_or("", |paper| &*paper.key), labels.collect())
        })
        .collect();
    let has = |key: &str, wanted: &[&str]| {
        let (_, labels) = labels.iter().find(|(own, _)| *own == key).unwrap();
        for label in wanted {
            assert!(labels.contains(label), "{key} has no {label}: {labels:?}");
        }
    };
    let numbered = |kind: &str, to: usize| -> Vec<String> {
        (1..=to).map(|number| format!("{kind} {number}")).collect()
    };
    for (key, tables, figures) in [
        ("merleau2024", 5, 8),
        ("nayak", 3, 5),
        ("beyer2023", 6, 3),
        ("bischoff", 2, 2),
        ("l1scientific", 1, 0),
    ] {
        let all = [numbered("Table", tables), numbered("Figure", figures)].concat();
        has(key, &all.iter().map(String::as_str).collect::<Vec<_>>());
    }
    has("beyer2023", &["Theorem 1.14", "Theorems, lemmas and conjectures", "Example 1.15"]);
    has("bischoff", &["Theorem 1", "Theorems 1 and 3", "Theorems 2 and 3"]);
    has("l1scientific", &["The 18"]);
}

#[test]
fn the_records_bear_out_every_finding() {
    let report = committed();
    let findings: Vec<_> = report.documents.iter().flat_map(|own| &own.findings).collect();
    assert!(!findings.is_empty());
    for finding in findings {
        assert!(finding.holds, "{finding}");
    }
}

#[test]
fn every_published_value_has_a_verdict() {
    for exhibit in committed().exhibits() {
        let (Content::Tables(tables) | Content::Pictures { tables, .. }) = &exhibit.content else {
            continue;
        };
        for table in tables {
            for row in &table.rows {
                for (column, cell) in table.columns.iter().zip(&row.cells) {
                    let is_silent = cell.published.is_some() && cell.verdict.is_none();
                    assert!(!is_silent, "{}, {:?}, {}", exhibit.label, row.keys, column.name);
                }
            }
        }
    }
}

#[test]
fn what_cannot_be_read_is_named_with_its_line() {
    let directory = directory("unread");
    let good = std::fs::read_to_string(root("records/cubical-table-2.jsonl")).unwrap();
    let first = good.lines().next().unwrap();
    let newer = first.replacen("\"experiment\"", "\"format\":9,\"experiment\"", 1);
    let text = format!("{first}\n{newer}\n{{\"torn\n\u{1}<script>alert(1)</script>\n");
    std::fs::write(directory.join("mixed.jsonl"), text).unwrap();
    std::fs::write(directory.join("bytes.jsonl"), [0xff, 0xfe, 0x00, b'\n']).unwrap();
    std::fs::write(directory.join("notes.txt"), "not a record").unwrap();
    let read = RecordDirectory::read(&directory).unwrap();
    assert_eq!(read.records.len(), 1);
    let places: Vec<(&str, Option<usize>)> =
        read.unread.iter().map(|unread| (unread.file.as_str(), unread.line)).collect();
    assert_eq!(
        places,
        [
            ("bytes.jsonl", Some(1)),
            ("mixed.jsonl", Some(2)),
            ("mixed.jsonl", Some(3)),
            ("mixed.jsonl", Some(4))
        ]
    );
    assert!(read.unread[1].reason.contains("a newer version"), "{}", read.unread[1].reason);
    let page = Report::new(experiments(), &read).html();
    assert!(page.contains("What could not be read"));
    assert!(page.contains("<code>mixed.jsonl</code>, line 3"));
    assert!(!page.contains("<script>alert"));
}

#[test]
fn records_of_other_experiments_are_named_with_their_lines() {
    let directory = directory("foreign");
    let text = std::fs::read_to_string(root("records/cubical-table-2.jsonl")).unwrap();
    let lines: Vec<&str> = text.lines().take(3).collect();
    std::fs::write(directory.join("theirs.jsonl"), format!("\n{}\n", lines.join("\n"))).unwrap();
    let other = experiments().iter().find(|own| own.name() == "cubical-theorems").unwrap();
    let read = RecordDirectory::read(&directory).unwrap();
    let report = Report::new(std::slice::from_ref(other), &read);
    let [foreign] = report.foreign.as_slice() else { panic!("{:?}", report.foreign) };
    assert_eq!((foreign.file.as_str(), foreign.line), ("theirs.jsonl", Some(2)));
    assert!(foreign.reason.contains("cubical-table-2, the first of 3"), "{}", foreign.reason);
    for text in [report.html(), report.markdown(), report.latex(), report.json()] {
        assert!(text.contains("theirs.jsonl"), "a format is silent about them");
    }
}

#[test]
fn users_text_is_escaped_in_every_format() {
    let text = r#"
        name = "own"
        title = "<b>bold</b> & 50 % | of_it"
        notes = ["</script><script>alert(1)</script>"]
        [[solver]]
        key = "astar"
        title = "A*"
        solver = "astar"
        [[view]]
        keys = ["instance", "method"]
        columns = [{ name = "solved", measure = "solved" }]
        [[row]]
        instance = "cubical/d3-level0"
        rule = 2
    "#;
    let experiment = Experiment::parse("own.toml", text).unwrap();
    let report = Report::new(&[experiment], &RecordDirectory::default());
    let page = report.html();
    assert!(page.contains("&lt;b&gt;bold&lt;/b&gt; &amp; 50 %"));
    assert!(!page.contains("<script>alert"), "a note became a script");
    assert!(page.contains("Experiments of one's own"));
    assert!(report.markdown().contains("\\<b\\>bold\\</b\\> & 50 % \\| of\\_it"));
    assert!(report.latex().contains("50 \\% | of\\_it"));
    serde_json::from_str::<serde_json::Value>(&report.json()).unwrap();
}

/// Tables stand before figures, and commands are those of a file.
#[test]
fn a_report_of_ones_own_says_how_it_is_repeated() {
    let text = include_str!("data/repeated.toml").replace("\"profiles\"\ntitle", "\"a\"\ntitle");
    let experiment = Experiment::parse("repeated.toml", &text).unwrap();
    let report = Report::new(&[experiment], &RecordDirectory::default());
    let kinds = report.exhibits().map(|exhibit| matches!(exhibit.content, Content::Tables(_)));
    assert_eq!(kinds.collect::<Vec<_>>(), [true, false]);
    let page = report.html();
    assert!(page.contains("hyperslide experiment FILE.toml --from records --figures DIRECTORY"));
    assert!(!page.contains("hyperslide experiment repeated"));
}

#[test]
fn the_data_of_the_page_is_the_json_format() {
    let report = committed();
    let page = report.html();
    let data = page.split("<script type=\"application/json\" id=\"data\">").nth(1).unwrap();
    let data = data.split("</script>").next().unwrap();
    let shown: serde_json::Value = serde_json::from_str(data).unwrap();
    let own: serde_json::Value = serde_json::from_str(&report.json()).unwrap();
    assert_eq!(shown, own);
    assert_eq!(own["format"], "hyperslide-report");
    assert_eq!(own["comparisons"].as_array().unwrap().len(), experiments().len());
}

#[test]
fn the_csv_has_a_line_for_every_cell() {
    let report = committed();
    let lines = report.csv().lines().count();
    let cells: usize = report.comparisons.iter().map(|comparison| comparison.cells().count()).sum();
    assert!(lines > 1 && lines <= cells + 1, "{lines} lines, {cells} cells");
}
