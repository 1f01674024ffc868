//! The front-end has the rule of motion in its own language. `web/tests/vectors.json` is what it is
//! held to: boards of every kind, legal moves, perft counts and random walks, written by this rule.

use hyperslide_lab::{BoardDescription, MoveText, cells, move_texts};
use hyperslide_plays::Play;
use hyperslide_puzzle::{Move, Puzzle, perft};
use hyperslide_testkit::Random;
use serde_json::{Value, json};

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/tests/vectors.json");

/// A puzzle of every kind of board, in both metrics, with like tokens and open goals.
const PUZZLES: &[&str] = &[
    "grid:2:2 1,2,0,3 -> 1,2,3,0",
    "grid:3:3 8,6,7,2,5,4,3,0,1 -> 1,2,3,4,5,6,7,8,0",
    "grid:4:4 15,14,8,12,10,11,9,13,2,6,5,1,3,7,4,0 -> 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,0",
    "grid:2:5 1,0,2,0,3,4,0,5,6,7 -> 1,2,3,4,5,6,7,0,0,0",
    "grid:8:8 1,2,3,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,4,5,6 -> 6,5,4,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,3,2,1",
    "cube:2:1 a=0,b=1 -> a=3,b=2",
    "cube:3:1 a=0,b=3,c=5,d=6 -> a=7,b=4,c=2,d=1",
    "cube:3:2 r=4,p=1,g=6,b=5 -> r=5,p=1,g=4,b=6",
    "cube:3:2 edge r=4,p=1,b=5 -> r=5,p=1,b=6",
    "cube:3:3 a=0 -> a=7",
    "cube:4:2 r=13,p=7,g=4,b=5,y=1 -> r=5,p=7,g=13,b=4,y=1",
    "cube:4:3 r=13,p=7,g=4,b=5,y=1 -> r=5,p=7,g=13,b=4,y=1",
    "cube:5:3 a=0,b=9,c=22,d=31 -> a=31,b=22,c=9,d=0",
    "cube:6:2 a=0,b=31,c=45 -> a=63,b=0,c=1",
    "graph:7:0-1,0-5,0-6,1-2,2-3,3-4,3-6,4-5 a=0,b=1,c=2 -> a=6,b=5,c=4",
    "faces:6:0-1-2,2-3-4,4-5-0,1-3-5 a=0,b=3 -> a=4,b=1",
    "faces:4:0-1-2-3:0-1,1-2,2-3,3-0 edge a=0 -> a=2",
    "grid:2:3 1,1,2,0,2,0 -> 2,2,1,1,0,0",
    "cube:3:1 a=0+3,b=5 -> a=6+7,b=*",
    "cube:3:2 a=0,b=3,c=5 -> 0=3+4,a=7,b=*,c=*",
];

fn vectors() -> Value {
    let vector = |(number, line): (usize, &&str)| {
        let puzzle = Puzzle::from_line(line).unwrap_or_else(|error| panic!("{line}: {error}"));
        let board = puzzle.board();
        let mut random = Random::new(number as u64);
        let (mut state, mut moves) = (*puzzle.start(), Vec::new());
        for _ in 0..40 {
            let legal = board.legal_moves(&state);
            let Some(&mv) = legal.get(random.below(legal.len().max(1))) else { break };
            state.slide(mv);
            moves.push(mv);
        }
        let end = format!(
            "{board} {} -> {}",
            puzzle.write_state(&state),
            puzzle.to_string().split_once(" -> ").unwrap().1
        );
        let pair = |mv: &Move| json!([mv.from.index(), mv.to.index()]);
        let depth = if board.vertex_count() > 16 { 3 } else { 5 };
        let walk: Vec<MoveText> = move_texts(&puzzle, &moves);
        let timed: Vec<String> =
            moves.iter().map(|mv| format!("{}-{}@0", mv.from, mv.to)).collect();
        let play: Play = timed.join(" ").parse().unwrap();
        json!({
            "puzzle": puzzle.to_string(),
            "board": BoardDescription::new(board),
            "start": cells(&puzzle, puzzle.start()),
            "legal": board.legal_moves(puzzle.start()).iter().map(pair).collect::<Vec<_>>(),
            "legal_at_the_end": board.legal_moves(&state).iter().map(pair).collect::<Vec<_>>(),
            "perft": (0..=depth).map(|n| perft(board, puzzle.start(), n) as u64).collect::<Vec<_>>(),
            "walk": walk,
            "multi": play.verify(&puzzle).unwrap().multi,
            "end": cells(&puzzle, &state),
            "end_line": end,
            "solved_at_the_end": puzzle.goal().is_met(&state),
        })
    };
    Value::Array(PUZZLES.iter().enumerate().map(vector).collect())
}

fn text() -> String {
    let lines: Vec<String> =
        vectors().as_array().into_iter().flatten().map(Value::to_string).collect();
    format!("[\n{}\n]\n", lines.join(",\n"))
}

#[test]
fn the_front_end_is_held_to_this_rule() {
    let committed = std::fs::read_to_string(PATH).unwrap_or_default();
    assert!(
        committed == text(),
        "web/tests/vectors.json is out of date: run cargo test -p hyperslide-server --test server vectors:: -- --ignored"
    );
}

/// Writes the file anew; what has changed in it is to be read.
#[test]
#[ignore = "it writes web/tests/vectors.json"]
fn write() {
    std::fs::write(PATH, text()).unwrap();
}
