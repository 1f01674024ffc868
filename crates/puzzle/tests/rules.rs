//! The rule of motion and the components of states against plain ways to find out the same.

use hyperslide_puzzle::{
    Board, BoardSpec, LoneTokenDistances, Metric, Move, Puzzle, Regime, State, Vertex, VertexSet,
    classify,
};
use hyperslide_testkit::{PlainPuzzle, Random, random_puzzle};

fn puzzle(line: &str) -> Puzzle {
    Puzzle::from_line(line).unwrap_or_else(|error| panic!("{line}: {error}"))
}

/// Random puzzles, the same in each run of the test.
fn random_puzzles(seed: u64) -> impl Iterator<Item = Puzzle> {
    let mut random = Random::new(seed);
    std::iter::repeat_with(move || random_puzzle(&mut random))
}

#[test]
fn listed_moves_are_the_legal_ones() {
    for puzzle in random_puzzles(1907).take(3000) {
        let board = puzzle.board();
        let plain = PlainPuzzle::new(&puzzle);
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
    }
}

#[test]
fn an_illegal_move_has_its_own_reason() {
    for (line, from, to, reason) in [
        ("cube:3:2 a=0,b=2 -> a=7,b=2", 0, 3, "every face with both vertices holds another token"),
        ("cube:3:2 a=0 -> a=7", 0, 7, "no face has both vertices"),
        ("cube:3:2 edge a=0 -> a=3", 0, 3, "the vertices are not neighbours"),
        ("graph:path-4 1,0,0,0 -> 0,0,1,0", 0, 2, "the vertices are not neighbours"),
        ("grid:2:2 1,0,0,0 -> 0,0,0,1", 0, 3, "the vertices are not neighbours"),
        ("grid:2:2 1,0,0,0 -> 0,0,0,1", 1, 0, "no token is on vertex 1"),
        ("grid:2:2 1,2,0,0 -> 0,0,1,2", 0, 1, "vertex 1 is occupied"),
        ("grid:2:2 1,2,0,0 -> 0,0,1,2", 0, 9, "its vertices are 0 to 3"),
    ] {
        let puzzle = puzzle(line);
        let [from, to] = [from, to].map(|vertex| Vertex::new(vertex).unwrap());
        let illegal = puzzle.board().play(puzzle.start(), Move { from, to }).unwrap_err();
        assert!(illegal.to_string().ends_with(reason), "{line}: {illegal}");
    }
}

#[test]
fn lone_token_distance_is_the_optimum_of_a_lone_token() {
    for puzzle in random_puzzles(1907).take(300) {
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
    }
}

#[test]
fn components_are_as_large_as_a_plain_search_finds() {
    for puzzle in random_puzzles(1907).take(1500).filter(Puzzle::has_distinct_labels) {
        let found = classify(puzzle.board(), puzzle.start().occupied(), 1 << 14);
        let plain = PlainPuzzle::new(&puzzle);
        let depths = plain.depths();
        let component = found.component.expect("small boards are explored whole");
        assert_eq!(component.size, depths.len().into(), "{puzzle}");
        // A token is stuck when no state of the component has it elsewhere or able to move.
        let stuck = |vertex: &Vertex| {
            let home = puzzle.start().label_at(*vertex).map(hyperslide_puzzle::Label::index);
            depths.keys().all(|cells| {
                cells[vertex.index()] == home
                    && plain.moves(cells).iter().all(|&(from, _)| from != vertex.index())
            })
        };
        let plain_stuck: VertexSet = puzzle.start().occupied().into_iter().filter(stuck).collect();
        assert_eq!(found.stuck, plain_stuck, "{puzzle}");
        let regime = match (depths.len(), plain_stuck) {
            (1, _) => Regime::Isolated,
            (_, VertexSet::EMPTY) => Regime::Mobile,
            _ => Regime::SemiIsolated,
        };
        assert_eq!(found.regime, Some(regime), "{puzzle}");
    }
}

/// Component structure of the study's boards (reference notes) and of classical puzzles.
#[test]
fn known_components() {
    for (board, occupied, size, count, regime) in [
        ("cube:3:1", 0b0111_0010, "1680", "1", Regime::Mobile),
        ("cube:3:2", 0b0111_0010, "672", "2", Regime::Mobile),
        ("cube:4:3", 1 << 13 | 1 << 7 | 0b11_0010, "137280", "2", Regime::Mobile),
        ("cube:4:2", 1 << 13 | 1 << 7 | 0b11_0010, "524160", "1", Regime::Mobile),
        ("cube:5:4", 1 | 1 << 29 | 1 << 30 | 1 << 17 | 0b1_0010, "87102720", "2", Regime::Mobile),
        ("grid:3:4", 0x7ff, "239500800", "2", Regime::Mobile),
        ("grid:4:4", 0x7fff, "10461394944000", "2", Regime::Mobile),
        // Wilson's exceptional graph: a hexagon and a seventh vertex between two opposite corners.
        ("graph:7:0-1,1-2,2-3,3-4,4-5,5-0,0-6,6-3", 0b011_1111, "840", "6", Regime::Mobile),
        ("cube:3:2", 0b1000_1111, "4", "120", Regime::SemiIsolated),
        ("cube:3:2", 0b0000_1111, "1", "24", Regime::Isolated),
    ] {
        let board = puzzle(&format!("{board} a=0 -> a=0")).board().clone();
        let found = classify(&board, VertexSet::from_bits(occupied), 1 << 20);
        let component = found.component.unwrap();
        let sizes = (component.size.to_string(), component.count.to_string());
        assert_eq!(sizes, (size.to_owned(), count.to_owned()), "{board}");
        assert_eq!(found.regime, Some(regime), "{board}");
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
fn the_torus_of_4_by_4_is_the_tesseract() {
    // In Gray order, one step along a row or a column of the torus changes one of two coordinates.
    const GRAY: [usize; 4] = [0, 1, 3, 2];
    let board = |text: &str| puzzle(&format!("{text} 1=0 -> 1=0")).board().clone();
    let (torus, cube) = (board("torus:4:4"), board("cube:4:1"));
    let corner = |v: Vertex| Vertex::new(GRAY[v.index() / 4] << 2 | GRAY[v.index() % 4]).unwrap();
    let mut images: Vec<VertexSet> =
        torus.faces().iter().map(|face| face.into_iter().map(corner).collect()).collect();
    images.sort_unstable();
    assert_eq!(images, cube.faces());
}

#[test]
fn boards_that_wrap_have_the_symmetries_of_their_factors() {
    // Cycles of different lengths: the product of two dihedral groups; equal ones may be exchanged.
    // Cycles of length 3 are complete; one of length 4 is a square of paths of length 2.
    for (board, expected) in [
        ("torus:3:3", 72u32),
        ("torus:3:4", 6 * 8),
        ("torus:3:5", 6 * 10),
        ("torus:5:5", 2 * 10 * 10),
        ("torus:4:4", 384),
        ("torus:5:7", 10 * 14),
        ("torus:2:5", 2 * 10),
        ("torus:1:6", 12),
        ("torus:2:2", 8),
        ("cylinder:2:4", 48),
        ("cylinder:3:4", 2 * 8),
        ("cylinder:2:5", 2 * 10),
        ("cylinder:5:3", 2 * 6),
        ("cylinder:1:7", 14),
        ("cylinder:7:1", 2),
        ("cylinder:3:2", 4),
    ] {
        let board = puzzle(&format!("{board} 1=0 -> 1=0")).board().clone();
        assert_eq!(hyperslide_puzzle::symmetry_group(&board).order, expected.into(), "{board}");
    }
}

#[test]
fn an_odd_cycle_makes_every_arrangement_reachable() {
    // Wilson 1974: 2-connected graphs with one empty vertex reach all n! arrangements, or the even
    // half when every cycle is even; a cycle itself only turns.
    for (board, halves) in [
        ("torus:3:3", 1u32),
        ("torus:3:4", 1),
        ("torus:4:4", 2),
        ("torus:2:4", 2),
        ("torus:2:3", 1),
        ("cylinder:3:3", 1),
        ("cylinder:3:4", 2),
        ("cylinder:2:5", 1),
    ] {
        let board = puzzle(&format!("{board} 1=0 -> 1=0")).board().clone();
        let occupied = VertexSet::first(board.vertex_count() - 1);
        let component = classify(&board, occupied, 1 << 10).component.unwrap();
        assert_eq!(component.count, halves.into(), "{board}");
        assert_eq!(component.even_only, halves == 2, "{board}");
    }
    // The exchange of two tokens of torus:3:3, which no grid allows.
    let line = "torus:3:3 2,1,3,4,5,6,7,8,0";
    let effort = hyperslide_puzzle::Effort::THOROUGH;
    let found = hyperslide_puzzle::decide_solvability(&puzzle(line), effort, &|_| false);
    assert!(matches!(found, hyperslide_puzzle::Solvability::Solvable), "{line}");
}
