//! The rule of motion, the notations and solvability against plain ways to find out the same.

use hyperslide_puzzle::{
    Arrangement, Board, BoardSpec, Effort, FileFormat, LabelPositions, LoneTokenDistances, Metric,
    Move, Puzzle, PuzzleFile, Regime, SearchEnd, Setup, Solvability, State, UnsolvableReason,
    VertexSet, classify, decide_solvability, perft,
};
use hyperslide_testkit::{PlainPuzzle, Random, random_puzzle};

fn puzzle(line: &str) -> Puzzle {
    Puzzle::from_line(line).unwrap_or_else(|error| panic!("{line}: {error}"))
}

fn for_random_puzzles(count: usize, check: impl Fn(&Puzzle)) {
    let mut random = Random::new(1907);
    for _ in 0..count {
        check(&random_puzzle(&mut random));
    }
}

#[test]
fn listed_moves_are_the_legal_ones() {
    for_random_puzzles(3000, |puzzle| {
        let board = puzzle.board();
        let plain = PlainPuzzle::new(puzzle);
        let cells = PlainPuzzle::cells(puzzle.start(), board.vertex_count());
        let listed = board.legal_moves(puzzle.start());
        let pairs: Vec<_> = listed.iter().map(|mv| (mv.from.index(), mv.to.index())).collect();
        assert_eq!(pairs, plain.moves(&cells), "{puzzle}");
        for from in board.vertices() {
            for to in board.vertices() {
                let mv = Move { from, to };
                let played = board.play(puzzle.start(), mv);
                assert_eq!(played.is_ok(), listed.contains(&mv), "{puzzle}: {mv}");
                if let Ok(next) = played {
                    assert_eq!(
                        board.play(&next, mv.reversed()),
                        Ok(*puzzle.start()),
                        "{puzzle}: {mv}"
                    );
                }
            }
        }
    });
}

#[test]
fn perft_counts_walks() {
    // Two independent counts: recursion over the rules, and paths through the plain solver's moves.
    fn count(plain: &PlainPuzzle, cells: &Vec<Option<usize>>, length: u32) -> u128 {
        if length == 0 {
            return 1;
        }
        let after = |(from, to): (usize, usize)| {
            let mut next = cells.clone();
            next[to] = next[from].take();
            count(plain, &next, length - 1)
        };
        plain.moves(cells).into_iter().map(after).sum()
    }
    for_random_puzzles(300, |puzzle| {
        let cells = PlainPuzzle::cells(puzzle.start(), puzzle.board().vertex_count());
        for length in 0..=3 {
            let found = perft(puzzle.board(), puzzle.start(), length);
            assert_eq!(
                found,
                count(&PlainPuzzle::new(puzzle), &cells, length),
                "{puzzle} {length}"
            );
        }
    });
    // The first moves of the study's levels (reference: d3 6; d4 12, 24, 28; d5 24, 58, 71, 15).
    let d5 = "r=0,p=29,g=30,b=17,y=4,o=1 -> r=0,p=30,g=17,b=29,y=4,o=1";
    for (k, moves) in [(1, 24), (2, 58), (3, 71), (4, 15)] {
        let puzzle = puzzle(&format!("cube:5:{k} {d5}"));
        assert_eq!(perft(puzzle.board(), puzzle.start(), 1), moves, "k = {k}");
    }
}

#[test]
fn every_notation_round_trips() {
    for_random_puzzles(2000, |puzzle| {
        let line = puzzle.to_string();
        assert_eq!(Puzzle::from_line(&line).as_ref(), Ok(puzzle), "{line}");
        for format in [FileFormat::Json, FileFormat::Toml] {
            let text = PuzzleFile::from(puzzle).to_text(format);
            let read = PuzzleFile::parse(&text, format).unwrap().build();
            assert_eq!(read.as_ref(), Ok(puzzle), "{format}:\n{text}");
        }
    });
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
        ("1 2 3 4 5 6 7 8 9 10 11 0", "12 cells are no square"),
        ("1 2/3 0 -> 1 2 3/4 5 0", "make grid:2:2 and those of the goal grid:2:3"),
        ("grid:3x4 1,2", "write grid:3:4 for 3 rows of 4 vertices, or grid:4:3 for 4 rows of 3"),
        ("grid:2:3 1 2/3 4/5 0", "the cells between slashes are not 2 rows of 3"),
        ("cube:2:1 1 2/3 0", "'1 2/3 0' has rows, which only"),
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
fn lone_token_distance_is_the_optimum_of_a_lone_token() {
    for_random_puzzles(300, |puzzle| {
        let board = puzzle.board();
        let distances = LoneTokenDistances::new(board);
        for from in board.vertices() {
            let label = hyperslide_puzzle::Label::new(0).unwrap();
            let alone = State::from_iter([(from, label)]);
            for mv in board.legal_moves(&alone) {
                assert_eq!(distances.get(from, mv.to), 1, "{board} {mv}");
            }
            for to in board.vertices() {
                assert_eq!(distances.get(from, to), distances.get(to, from), "{board} {from} {to}");
            }
        }
    });
}

#[test]
fn solvability_is_what_a_plain_search_finds() {
    let mut answers = [0; 2];
    let mut reasons = std::collections::BTreeMap::new();
    let mut random = Random::new(15);
    for _ in 0..4000 {
        let puzzle = random_puzzle(&mut random);
        let reachable = PlainPuzzle::new(&puzzle).shortest().is_some();
        match decide_solvability(&puzzle, Effort::QUICK, &|_| false) {
            Solvability::Solvable => assert!(reachable, "{puzzle}: not solvable"),
            Solvability::Unsolvable(reason) => {
                assert!(!reachable, "{puzzle}: solvable, but {reason}");
                if let UnsolvableReason::Parity(_) = reason {
                    assert!(puzzle.has_distinct_labels() && puzzle.free_tokens() == 0, "{puzzle}");
                }
                *reasons.entry(reason.code()).or_insert(0) += 1;
            }
            Solvability::Undecided => panic!("{puzzle}: undecided"),
        }
        answers[usize::from(reachable)] += 1;
    }
    assert!(answers.iter().all(|&count| count > 500), "{answers:?}");
    assert!(reasons.len() == 4 && reasons.values().all(|&count| count > 10), "{reasons:?}");
}

#[test]
fn components_are_as_large_as_a_plain_search_finds() {
    for_random_puzzles(1500, |puzzle| {
        if !puzzle.has_distinct_labels() {
            return;
        }
        let found = classify(puzzle.board(), puzzle.start().occupied(), 1 << 14);
        let plain = PlainPuzzle::new(puzzle);
        let depths = plain.depths();
        let component = found.component.expect("small boards are explored whole");
        assert_eq!(component.size, depths.len().into(), "{puzzle}");
        // A token is stuck when no state of the component has it elsewhere or able to move.
        let stuck = |vertex: &hyperslide_puzzle::Vertex| {
            let home = puzzle.start().label_at(*vertex).map(hyperslide_puzzle::Label::index);
            depths.keys().all(|cells| {
                cells[vertex.index()] == home
                    && plain.moves(cells).iter().all(|&(from, _)| from != vertex.index())
            })
        };
        let plain_stuck: VertexSet = puzzle.start().occupied().into_iter().filter(stuck).collect();
        assert_eq!(found.stuck, plain_stuck, "{puzzle}");
        let regime = match plain_stuck {
            _ if depths.len() == 1 => Regime::Isolated,
            VertexSet::EMPTY => Regime::Mobile,
            _ => Regime::SemiIsolated,
        };
        assert_eq!(found.regime, Some(regime), "{puzzle}");
    });
}

/// Component structure of the study's boards (reference notes) and of classical puzzles.
#[test]
fn known_components() {
    fn check(board: &str, occupied: u64, size: &str, count: &str, regime: Regime) {
        let line = format!("{board} a=0 -> a=0");
        let board = puzzle(&line).board().clone();
        let found = classify(&board, VertexSet::from_bits(occupied), 1 << 20);
        let component = found.component.unwrap();
        let sizes = (component.size.to_string(), component.count.to_string());
        assert_eq!(sizes, (size.to_owned(), count.to_owned()), "{board}");
        assert_eq!(found.regime, Some(regime), "{board}");
    }
    check("cube:3:1", 0b0111_0010, "1680", "1", Regime::Mobile);
    check("cube:3:2", 0b0111_0010, "672", "2", Regime::Mobile);
    check("cube:4:3", 1 << 13 | 1 << 7 | 0b11_0010, "137280", "2", Regime::Mobile);
    check("cube:4:2", 1 << 13 | 1 << 7 | 0b11_0010, "524160", "1", Regime::Mobile);
    check("cube:5:4", 1 | 1 << 29 | 1 << 30 | 1 << 17 | 0b1_0010, "87102720", "2", Regime::Mobile);
    check("grid:3:4", 0x7ff, "239500800", "2", Regime::Mobile);
    check("grid:4:4", 0x7fff, "10461394944000", "2", Regime::Mobile);
    // Wilson's exceptional graph: a hexagon and a seventh vertex between two opposite corners.
    check("graph:7:0-1,1-2,2-3,3-4,4-5,5-0,0-6,6-3", 0b011_1111, "840", "6", Regime::Mobile);
    check("cube:3:2", 0b1000_1111, "4", "120", Regime::SemiIsolated);
    check("cube:3:2", 0b0000_1111, "1", "24", Regime::Isolated);
}

#[test]
fn reasons_name_what_is_wrong() {
    fn check(line: &str, code: &str, words: &str) {
        let Solvability::Unsolvable(reason) =
            decide_solvability(&puzzle(line), Effort::QUICK, &|_| false)
        else {
            panic!("{line} is solvable");
        };
        assert_eq!(reason.code(), code, "{line}: {reason}");
        assert!(reason.to_string().contains(words), "{line}: {reason}");
    }
    check("cube:3:2 r=4,p=1,g=5,b=6 -> r=5,p=1,g=4,b=6", "parity", "odd permutation (r g)");
    check("grid:4:4 1,2,3,4,5,6,7,8,9,10,11,12,13,15,14,0", "parity", "(15 14)");
    check(
        "grid:8:8 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,63,62,0",
        "parity",
        "even",
    );
    check("cube:3:3 a=0,b=1 -> a=0,b=2", "stuck-token", "token b on vertex 1 can never move");
    check("graph:4:0-1,2-3 a=0 -> a=2", "component", "no slides lead");
    check("cube:3:2 r=4,p=1,g=5,b=6 -> r=0,p=1,g=2,b=3", "component", "none of them fits");
    check(
        "graph:7:0-1,1-2,2-3,3-4,4-5,5-0,0-6,6-3 1,2,3,4,5,6,0 -> 2,1,4,3,5,6,0",
        "permutation-group",
        "120 of 6!",
    );
    // Two like tokens, or two free ones, undo parity.
    for line in [
        "grid:2:3 1,1,2,3,4,0 -> 1,1,2,4,3,0",
        "grid:2:3 1,2,3,4,5,0 -> 2,1,3,*,*,0",
        "cube:3:2 r=4,p=1,g=5,b=6 -> r=5,p=1,g=*,b=*",
    ] {
        assert_eq!(
            decide_solvability(&puzzle(line), Effort::QUICK, &|_| false),
            Solvability::Solvable,
            "{line}"
        );
    }
}

#[test]
fn the_face_metric_of_a_faces_board_needs_no_edges() {
    let spec = BoardSpec::Faces { vertices: 3, faces: vec![vec![0, 1, 2]], edges: None };
    assert!(Board::new(spec.clone(), Metric::Face).is_ok());
    let error = Board::new(spec, Metric::Edge).unwrap_err().to_string();
    assert!(error.contains("the edge metric needs edges"), "{error}");
}

#[test]
fn every_label_has_a_vertex() {
    // Without this a label without tokens would make two equal tokens look told apart.
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
fn repeated_labels_in_separate_orbits_are_decided() {
    // Two 4 x 4 grids joined through one more vertex, one empty; tokens a and b alternate. Tokens of
    // one grid can never change places with those of the other (the joint lets one through, and it
    // has to go back), so exchanging an a here with a b there is impossible.
    let mut edges = Vec::new();
    for grid in 0..2 {
        for cell in 0..16 {
            if cell % 4 < 3 {
                edges.push([16 * grid + cell, 16 * grid + cell + 1]);
            }
            if cell < 12 {
                edges.push([16 * grid + cell, 16 * grid + cell + 4]);
            }
        }
    }
    edges.extend([[15, 32], [32, 16]]);
    let board = Board::new(BoardSpec::Graph { vertices: 33, edges }, Metric::Face).unwrap();
    let mut cells: Vec<String> =
        (0..33).map(|v| if v % 2 == 0 { "a" } else { "b" }.to_owned()).collect();
    cells[32] = "0".to_owned();
    let start = Arrangement::ByVertex(cells.clone());
    cells.swap(0, 17);
    let goal = Some(Arrangement::ByVertex(cells));
    let puzzle = Puzzle::new(board, &Setup { start, goal }).unwrap();
    let Solvability::Unsolvable(reason) = decide_solvability(&puzzle, Effort::QUICK, &|_| false)
    else {
        panic!("not decided");
    };
    assert_eq!(reason.code(), "permutation-group");
}

/// Whatever little may be explored, an answer is right; and the goal's end alone gives some.
#[test]
fn little_effort_gives_no_wrong_answer() {
    let mut random = Random::new(1988);
    let (mut undecided, mut solvable, mut from_goal) = (0, 0, 0);
    for _ in 0..800 {
        let puzzle = random_puzzle(&mut random);
        let expected = PlainPuzzle::new(&puzzle).shortest().is_some();
        for occupied_sets in [0, 1, 3, 10, 30] {
            let effort = Effort { occupied_sets, ..Effort::QUICK };
            match decide_solvability(&puzzle, effort, &|_| false) {
                Solvability::Undecided => undecided += 1,
                Solvability::Solvable => {
                    assert!(expected, "{puzzle}");
                    solvable += 1;
                }
                Solvability::Unsolvable(reason) => {
                    assert!(!expected, "{puzzle}: {reason}");
                    from_goal += usize::from(matches!(
                        reason,
                        UnsolvableReason::OccupiedSets { end: SearchEnd::Goal, .. }
                    ));
                }
            }
        }
    }
    assert!(
        undecided > 200 && solvable > 200 && from_goal > 10,
        "{undecided} {solvable} {from_goal}"
    );
}

/// Of the 4,060 occupied sets the goal's is the farthest from the start, so that half of them from each end have to meet.
#[test]
fn explorations_that_meet_decide() {
    let effort = Effort { occupied_sets: 2_100, ..Effort::QUICK };
    let decide = |goal: &str| {
        let puzzle = puzzle(&format!("grid:1:30 a=0,b=1,c=2 -> {goal}"));
        decide_solvability(&puzzle, effort, &|_| false)
    };
    assert_eq!(decide("a=27,b=28,c=29"), Solvability::Solvable);
    // That there are no closed walks is not known from a part.
    assert_eq!(decide("a=28,b=27,c=29"), Solvability::Undecided);
}

/// The start's component has 52 million occupied sets, the goal's one.
#[test]
fn an_isolated_goal_is_out_of_reach() {
    let puzzle = puzzle(
        "cube:5:3 1=22,2=9,3=14,4=6,5=29,6=3,7=30,8=19,9=16,10=26,11=18,12=27,13=0,14=15,15=10,16=17 -> \
         1=19,2=28,3=12,4=11,5=8,6=17,7=3,8=25,9=0,10=6,11=24,12=22,13=13,14=23,15=4,16=30",
    );
    let end = SearchEnd::Goal;
    let reason = UnsolvableReason::OccupiedSets { end, occupied_sets: 1 };
    let effort = Effort::QUICK;
    let answer = decide_solvability(&puzzle, effort, &|_| false);
    assert_eq!(answer, Solvability::Unsolvable(reason));
}

#[test]
fn deciding_stops_when_told() {
    let puzzle = puzzle("cube:5:4 r=0,p=29,g=30,b=17,y=4,o=1 -> r=0,p=30,g=17,b=29,y=1,o=4");
    let asked = std::cell::Cell::new(0);
    let stop = |bytes: u64| {
        assert!(bytes > 0);
        asked.set(asked.get() + 1);
        asked.get() == 3
    };
    assert_eq!(decide_solvability(&puzzle, Effort::THOROUGH, &stop), Solvability::Undecided);
    assert_eq!(asked.get(), 3);
}

/// Every cube up to d = 4 under every rule, with any number of tokens, and every grid with one empty
/// vertex is decided with little effort; where the goal is reached by a walk, as solvable.
#[test]
fn small_cubes_and_grids_are_always_decided() {
    let mut random = Random::new(1874);
    let mut boards = Vec::new();
    for d in 1..=4usize {
        boards.extend((1..=d).map(|k| (BoardSpec::Cube { d, k }, 1 << d, 1..=1 << d)));
    }
    for (rows, columns) in [(1, 9), (2, 2), (3, 5), (5, 5), (8, 8)] {
        let vertices: usize = rows * columns;
        boards.push((BoardSpec::Grid { rows, columns }, vertices, vertices - 1..=vertices - 1));
    }
    for (spec, vertices, tokens) in boards {
        for tokens in tokens {
            let board = Board::new(spec.clone(), Metric::Face).unwrap();
            let mut places: Vec<usize> = (0..vertices).collect();
            random.shuffle(&mut places);
            let place = |(token, &vertex): (usize, &usize)| LabelPositions {
                label: (token + 1).to_string(),
                vertices: vec![vertex],
                others_anywhere: false,
            };
            let arrange = |places: &[usize]| {
                Arrangement::ByLabel(places[..tokens].iter().enumerate().map(place).collect())
            };
            let start = arrange(&places);
            // A walk of some slides.
            for _ in 0..random.below(200) {
                let occupied = |places: &[usize]| -> VertexSet {
                    places[..tokens]
                        .iter()
                        .filter_map(|&v| hyperslide_puzzle::Vertex::new(v))
                        .collect()
                };
                let set = occupied(&places);
                let token = random.below(tokens);
                let from = hyperslide_puzzle::Vertex::new(places[token]).unwrap();
                let to: Vec<_> = board.destinations(from, set).into_iter().collect();
                if !to.is_empty() {
                    let to = to[random.below(to.len())].index();
                    let other = places.iter().position(|&v| v == to).unwrap();
                    places.swap(token, other);
                }
            }
            let decide = |places: &[usize]| {
                let setup = Setup { start: start.clone(), goal: Some(arrange(places)) };
                let puzzle = Puzzle::new(board.clone(), &setup).unwrap();
                (decide_solvability(&puzzle, Effort::QUICK, &|_| false), puzzle)
            };
            let (walked, puzzle) = decide(&places);
            assert_eq!(walked, Solvability::Solvable, "{puzzle}");
            random.shuffle(&mut places);
            let (shuffled, puzzle) = decide(&places);
            assert_ne!(shuffled, Solvability::Undecided, "{puzzle}");
        }
    }
}
