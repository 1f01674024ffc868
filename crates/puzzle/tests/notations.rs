//! Every notation of a puzzle: round trips, other programs' notations, what is refused.

use hyperslide_puzzle::{
    Arrangement, BoardFile, Effort, FileFormat, LabelPositions, Puzzle, PuzzleFile, Setup,
    Solvability, VertexSet, decide_solvability,
};
use hyperslide_testkit::{Random, random_puzzle};

fn puzzle(line: &str) -> Puzzle {
    Puzzle::from_line(line).unwrap_or_else(|error| panic!("{line}: {error}"))
}

/// Random puzzles, the same in each run of the test.
fn random_puzzles(seed: u64) -> impl Iterator<Item = Puzzle> {
    let mut random = Random::new(seed);
    std::iter::repeat_with(move || random_puzzle(&mut random))
}

#[test]
fn every_notation_round_trips() {
    for puzzle in random_puzzles(1907).take(2000) {
        let line = puzzle.to_string();
        assert_eq!(Puzzle::from_line(&line).as_ref(), Ok(&puzzle), "{line}");
        for format in [FileFormat::Json, FileFormat::Toml] {
            let text = PuzzleFile::from(&puzzle).to_text(format);
            let read = PuzzleFile::parse(&text, format).unwrap().build();
            assert_eq!(read.as_ref(), Ok(&puzzle), "{format}:\n{text}");
        }
    }
}

#[test]
fn other_programs_notations_are_understood() {
    let eight = "grid:3:3 1,2,3,4,5,6,7,0,8 -> 1,2,3,4,5,6,7,8,0";
    for (line, expected) in [
        ("1 2 3/4 5 6/7 0 8", eight),
        ("1 2 3 4 5 6 7 0 8", eight),
        ("123456708", eight),
        ("1 2 3/4 5 6/7 0 8 -> 1 2 3/4 5 6/7 8 0", eight),
        ("123456708 -> 1,2,3,4,5,6,7,8,0", eight),
        ("grid:3x3 1,2,3,4,5,6,7,0,8", eight),
        ("grid:3:3 1 2 3/4 5 6/7 0 8", eight),
        ("grid:3:3 1,2,3,4,5,6,7,_,8", eight),
        ("grid:3:3 1,2,3,4,5,6,7,x,8 -> 1,2,3,4,5,6,7,8,x", eight),
        ("grid:3:3 1,2,3,4,5,6,7,.,8", eight),
        ("grid:3:3 1,2,3,4,5,6,7,0,8 -> 1,2,3,4,5,6,7,8,x", eight),
        // Labels, as ever: the empty vertex is marked by 0, or the others are no numbers.
        ("grid:1:3 x,1,0 -> 1,x,0", "grid:1:3 x,1,0 -> 1,x,0"),
        ("grid:1:3 x,1,0 -> *,1,x", "grid:1:3 x,1,0 -> 0,1,x"),
        ("grid:1:3 a,x,b -> a,x,b", "grid:1:3 a,x,b -> a,x,b"),
    ] {
        assert_eq!(puzzle(line).to_string(), expected, "{line}");
    }
    for (line, message) in [
        ("1 2 3 4 5 6 7 8 9", "no cell is empty: write grid:ROWS:COLUMNS before the cells"),
        ("1 2 3 4 5 6 7 8 9 10 11 0", "12 cells do not make a square"),
        ("1 2/3 0 -> 1 2 3/4 5 0", "make grid:2:2, and those of the goal grid:2:3"),
        ("grid:3x4 1,2", "write grid:3:4 for 3 rows of 4 vertices, or grid:4:3 for 4 rows of 3"),
        ("grid:2:3 1 2/3 4/5 0", "the slashes do not make 2 rows of 3 cells"),
        ("cube:2:1 1 2/3 0", "'1 2/3 0' has slashes between rows, as only"),
    ] {
        let error = Puzzle::from_line(line).unwrap_err().to_string();
        assert!(error.contains(message), "{line}: {error}");
    }
}

#[test]
fn a_usual_goal_needs_an_empty_vertex() {
    let full = "grid:2:2 1,2,3,4";
    let error = Puzzle::from_line(full).unwrap_err().to_string();
    assert_eq!(
        error,
        "the start has a token on each of the 4 vertices, so that nothing can move: write 0 for an \
         empty vertex"
    );
    // Whoever writes the goal means it.
    assert!(
        puzzle(&format!("{full} -> 1,2,3,4"))
            .board()
            .legal_moves(puzzle(&format!("{full} -> 1,2,3,4")).start())
            .is_empty()
    );
}

#[test]
fn files_may_hold_lists_and_maps() {
    let expected = puzzle("cube:3:2 edge a=0+1,b=2 -> a=3+*,b=4,0=1");
    let json = r#"{"board": "cube:3:2", "metric": "edge", "start": {"a": [0, 1], "b": 2},
        "goal": {"a": [3, "*"], "b": [4], "0": 1}}"#;
    assert_eq!(PuzzleFile::parse(json, FileFormat::Json).unwrap().build(), Ok(expected));
    let expected = puzzle("graph:3:0-1,1-2 1,0,2 -> 0,1,*");
    let toml = r#"
        board = { graph = { vertices = 3, edges = [[0, 1], [2, 1]] } }
        start = [1, 0, 2]
        goal = ["0", 1, "*"]
    "#;
    assert_eq!(PuzzleFile::parse(toml, FileFormat::Toml).unwrap().build(), Ok(expected));
}

#[test]
fn an_edge_of_a_file_has_two_vertices() {
    for (edges, expected) in [
        ("[[0,1],[0,1,2]]", "edge 1 has 3 vertices: write two, as in [0, 1]"),
        ("[[2]]", "edge 0 has 1 vertices: write two, as in [0, 1]"),
    ] {
        for (text, format) in [
            (format!("{{\"vertices\":3,\"edges\":{edges}}}"), FileFormat::Json),
            (format!("vertices = 3\nedges = {edges}\n"), FileFormat::Toml),
        ] {
            let error = BoardFile::parse(&text, format, Some("graph")).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}

#[test]
fn must_be_empty_and_any_are_different_goals() {
    let any = puzzle("grid:1:3 1,0,2 -> 0,1,*");
    assert_eq!(decide_solvability(&any, Effort::QUICK, &|_| false), Solvability::Solvable);
    assert_eq!(any.free_tokens(), 1);
    // Here token 2 has nowhere to be.
    let error = Puzzle::from_line("grid:1:3 1,0,2 -> 0,1,0").unwrap_err().to_string();
    assert_eq!(error, "the goal leaves 1 tokens free (2) and 0 vertices for them");
    let by_label = puzzle("cube:2:1 a=0,b=3 -> a=1,b=*,0=0");
    assert_eq!(by_label.to_string(), "cube:2:1 a=0,b=3 -> a=1,b=*,0=0");
    assert_eq!(by_label.goal().empty(), VertexSet::from_bits(1));
    assert_eq!(by_label.goal().free_vertices(), VertexSet::from_bits(0b1100));
}

#[test]
fn every_label_has_a_vertex() {
    // Without this a label without tokens would make two equal tokens look distinct.
    for text in [
        r#"{"board":"graph:4:0-1,1-2,2-3","start":{"a":[0,1],"q":[]},"goal":{"a":[2,3],"q":[]}}"#,
        r#"{"board":"grid:2:2","start":{"1":[0,1],"2":[]}}"#,
    ] {
        let error = PuzzleFile::parse(text, FileFormat::Json).unwrap_err().to_string();
        assert!(error.contains("has no vertex"), "{error}");
    }
    let place = |label: &str, vertices: Vec<usize>| LabelPositions {
        label: label.to_owned(),
        vertices,
        others_anywhere: false,
    };
    let board = puzzle("graph:4:0-1,1-2,2-3 1,0,0,0 -> 1,0,0,0").board().clone();
    let start = Arrangement::ByLabel(vec![place("a", vec![0, 1]), place("q", vec![])]);
    let goal = Some(Arrangement::ByLabel(vec![place("a", vec![2, 3]), place("q", vec![])]));
    let error = Puzzle::new(board, &Setup { start, goal }).unwrap_err().to_string();
    assert!(error.contains("label q has no vertex in the start"), "{error}");
}

#[test]
fn a_board_has_one_meaning_in_every_notation() {
    let board = |text: &str| puzzle(&format!("{text} 1=0 -> 1=0")).board().clone();
    let named = board("graph:diamond");
    assert_eq!(named, board("graph:4:0-1,0-2,1-2,1-3,2-3"));
    assert_eq!(named, board("graph6:Cz"));
    assert_eq!(named, board("sparse6::CcLV"));
    let file = r#"{"board":"graph:diamond","start":{"1":0},"goal":{"1":0}}"#;
    let file = PuzzleFile::parse(file, FileFormat::Json);
    assert_eq!(*file.unwrap().build().unwrap().board(), named);
    assert_eq!(board("torus:3x3"), board("torus:3:3"));
    let rows = puzzle("torus:2:3 1 2 3/4 5 0 -> 1 2 3/4 0 5");
    assert_eq!(rows.to_string(), "torus:2:3 1,2,3,4,5,0 -> 1,2,3,4,0,5");
    for (text, message) in [
        ("torus:3x4", "write torus:3:4"),
        ("torus:9:9", "81 vertices"),
        ("torus:0:3", "has none"),
        ("torus:3", "torus:R:C"),
        ("graph6:", "is empty"),
        ("graph6:D Qc", "ends too soon"),
        ("graph6:C~~", "column 3"),
        ("sparse6:Cz", "begins with a colon"),
        ("graph6::CcLV", "malformed"),
        ("graph:petersen:3", "petersen:3"),
    ] {
        let error = Puzzle::from_line(&format!("{text} 1=0 -> 1=0")).unwrap_err().to_string();
        assert!(error.contains(message), "{text}: {error}");
    }
}
