//! Solvability against a plain search, known cases, and its promises where there is little effort.

use hyperslide_puzzle::{
    Arrangement, Board, BoardSpec, Effort, LabelPositions, Metric, Puzzle, SearchEnd, Setup,
    Solvability, SolvabilityMemo, State, UnsolvableReason, Vertex, VertexSet, decide_solvability,
};
use hyperslide_testkit::{PlainPuzzle, Random, random_puzzle};

fn puzzle(line: &str) -> Puzzle {
    Puzzle::from_line(line).unwrap_or_else(|error| panic!("{line}: {error}"))
}

#[test]
fn solvability_is_what_a_plain_search_finds() {
    let mut answers = [0; 2];
    let mut reasons = std::collections::BTreeMap::new();
    let mut random = Random::new(15);
    let mut memo = SolvabilityMemo::default();
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
        let known = memo.is_solvable(&puzzle, Effort::QUICK, &|_| false);
        assert_eq!(known, Some(reachable), "{puzzle}");
        answers[usize::from(reachable)] += 1;
    }
    assert!(answers.iter().all(|&count| count > 500), "{answers:?}");
    assert!(reasons.len() == 4 && reasons.values().all(|&count| count > 10), "{reasons:?}");
}

/// Wilson's theorem needs no exploration: on 2-connected graphs the least effort recognises what is
/// solvable, except on cycles and on graphs with as many vertices and edges as theta0.
#[test]
fn solvable_puzzles_on_2_connected_graphs_need_no_exploration() {
    let mut random = Random::new(1974);
    for (board, cells, is_decided) in [
        ("grid:2:3", 6, true),
        ("graph:complete-4", 4, true),
        ("graph:theta-1-1-3", 7, false),
        ("graph:theta-1-1-2", 6, true),
        ("graph:theta0", 7, false),
        ("graph:7:0-1,1-2,2-3,3-4,4-5,5-6,6-0,0-2", 7, false),
        ("graph:7:0-1,1-2,2-3,3-4,4-5,5-6,6-0,0-2,3-6", 7, true),
        ("graph:6:0-1,1-2,2-3,3-4,4-5,5-0", 6, false),
        ("graph:6:0-1,1-2,2-0,2-3,3-4,4-5,5-3", 6, false),
        ("graph:5:0-1,1-2,2-0,2-3,3-4,4-2", 5, false),
        ("graph:5:0-1,1-2,2-0,0-3,3-4,4-0", 5, false),
        ("graph:6:1-2,2-3,3-4,4-5,5-1,1-3", 6, false),
        ("faces:6:0-1,1-2,3-4,4-5,0-3,1-4,2-5:0-1,1-2,3-4", 6, true),
    ] {
        let (mut solvable, mut decided) = (0, 0);
        for _ in 0..300 {
            let empty = 1 + random.below(3.min(cells - 2));
            let labels = [cells, 3][random.below(2)];
            let mut start: Vec<String> =
                (empty..cells).map(|token| (token % labels + 1).to_string()).collect();
            start.extend(std::iter::repeat_n("0".to_owned(), empty));
            let mut goal = start.clone();
            random.shuffle(&mut start);
            random.shuffle(&mut goal);
            if random.below(3) == 0 {
                for _ in 0..3 {
                    goal[random.below(cells)] = "*".to_owned();
                }
            }
            let line = format!("{board} {} -> {}", start.join(","), goal.join(","));
            let puzzle = puzzle(&line);
            let expected = PlainPuzzle::new(&puzzle).shortest().is_some();
            let answer = decide_solvability(&puzzle, Effort::LEAST, &|_| false);
            let is_solvable = answer == Solvability::Solvable;
            if let Some(known) =
                SolvabilityMemo::default().is_solvable(&puzzle, Effort::LEAST, &|_| false)
            {
                assert_eq!(known, expected, "{line}");
            }
            assert!(expected || !is_solvable, "{line} is not solvable");
            assert!(
                !expected || !matches!(answer, Solvability::Unsolvable(_)),
                "{line} is solvable"
            );
            solvable += usize::from(expected);
            decided += usize::from(is_solvable);
        }
        assert!(solvable > 30, "{board}: {solvable}");
        assert_eq!(decided * 10 >= solvable * 9, is_decided, "{board}: {decided} of {solvable}");
    }
}

#[test]
fn reasons_name_what_is_wrong() {
    for (line, code, words) in [
        ("cube:3:2 r=4,p=1,g=5,b=6 -> r=5,p=1,g=4,b=6", "parity", "odd permutation (r g)"),
        ("grid:4:4 1,2,3,4,5,6,7,8,9,10,11,12,13,15,14,0", "parity", "(15 14)"),
        (
            "grid:8:8 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,63,62,0",
            "parity",
            "even",
        ),
        (
            "cube:3:3 a=0,b=1 -> a=0,b=2",
            "stuck-token",
            "token b on vertex 1 can never move: the tokens on vertices 0 and 1 block each other",
        ),
        ("graph:4:0-1,2-3 a=0 -> a=2", "component", "the tokens a cannot reach"),
        ("cube:3:2 r=4,p=1,g=5,b=6 -> r=0,p=1,g=2,b=3", "component", "none of them fits"),
        (
            "graph:7:0-1,1-2,2-3,3-4,4-5,5-0,0-6,6-3 1,2,3,4,5,6,0 -> 2,1,4,3,5,6,0",
            "permutation-group",
            "120 of 6!",
        ),
    ] {
        let Solvability::Unsolvable(reason) =
            decide_solvability(&puzzle(line), Effort::QUICK, &|_| false)
        else {
            panic!("{line} is solvable");
        };
        assert_eq!(reason.code(), code, "{line}: {reason}");
        assert!(reason.to_string().contains(words), "{line}: {reason}");
    }
}

#[test]
fn like_and_free_tokens_undo_parity() {
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
fn repeated_labels_in_separate_orbits_are_decided() {
    // Two 4 x 4 grids joined through one more vertex, one empty; tokens a and b alternate. Tokens
    // of one grid can never change places with those of the other (the joint lets one through, and
    // it has to go back), so exchanging an a here with a b there is impossible.
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
    for _ in 0..2_000 {
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

/// Of the 4,060 occupied sets the goal's is the farthest from the start, so that half of them from
/// each end have to meet.
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

/// These puzzles have 601 million occupied sets, and the closed walks near the start leave most
/// tokens in place. Exploring 4 million sets from each end took eight seconds and decided nothing.
#[test]
fn walks_far_from_the_start_decide() {
    let lines = [
        "cube:5:3 1=23,2=2,3=3,4=7,5=8,6=27,7=20,8=21,9=11,10=1,11=16,12=0,13=5,14=14,15=10,16=19 -> \
         1=23,2=17,3=12,4=9,5=15,6=5,7=25,8=6,9=8,10=27,11=30,12=10,13=14,14=4,15=29,16=11",
        "cube:5:3 1=31,2=30,3=0,4=7,5=14,6=6,7=18,8=16,9=4,10=2,11=15,12=23,13=29,14=10,15=17,16=12 -> \
         1=9,2=19,3=23,4=17,5=24,6=13,7=31,8=7,9=27,10=10,11=8,12=18,13=4,14=21,15=11,16=29",
        // No path is found from the start to the goal itself.
        "cube:5:3 1=8,2=21,3=31,4=0,5=12,6=20,7=11,8=3,9=6,10=5,11=29,12=9,13=16,14=13,15=15,16=28 -> \
         1=1,2=2,3=9,4=25,5=3,6=11,7=17,8=29,9=28,10=10,11=18,12=19,13=30,14=0,15=4,16=23",
        "cube:5:3 1=7,2=1,3=10,4=18,5=27,6=11,7=2,8=12,9=13,10=17,11=26,12=31,13=19,14=30,15=9,16=5 -> \
         1=24,2=8,3=25,4=12,5=5,6=28,7=22,8=21,9=11,10=27,11=3,12=13,13=10,14=16,15=20,16=4",
    ];
    let asked = std::cell::Cell::new(0);
    // Every 1,024 discoveries.
    let stop = |_| {
        asked.set(asked.get() + 1);
        asked.get() > 1_000
    };
    let decide = |line| decide_solvability(&puzzle(line), Effort::THOROUGH, &stop);
    for line in [lines[0], lines[2], lines[3]] {
        assert_eq!(decide(line), Solvability::Solvable);
    }
    // All closed walks that were found are even, and the goal needs an odd one. That there is none
    // could be proven only by exploring hundreds of millions of sets, so it stops early.
    assert_eq!(decide(lines[1]), Solvability::Undecided);
    assert!(asked.get() < 1_000, "{asked:?}");
}

/// A memo says what deciding each puzzle alone says, whatever it was asked before.
#[test]
fn a_memo_decides_alike() {
    let mut random = Random::new(25);
    let mut memo = SolvabilityMemo::default();
    let mut decided = [0, 0];
    for line in [
        "graph:petersen 1=0,2=1,3=2,4=3,5=4,6=5,7=6,8=7,9=8",
        "graph:theta0 1=0,2=1,3=2,4=3,5=4,6=5",
        "grid:3:3 1=0,2=1,3=2,4=3,5=4,6=5,7=6",
        "cube:3:2 1=0,2=1,3=2,4=3",
        "cube:4:3 1=0,2=1,3=2,4=3,5=4,6=5,7=6,8=7,9=8",
        "grid:1:5 1=0,2=1,3=2",
        "cube:5:3 1=0,2=1,3=2,4=3,5=4",
        "grid:3:3 a=0+1,b=2+3,c=4",
    ] {
        let first = puzzle(&format!("{line} -> {}", line.split_once(' ').unwrap().1));
        let vertices = first.board().vertex_count();
        for _ in 0..60 {
            let mut cells = first.start().cells()[..vertices].to_vec();
            random.shuffle(&mut cells);
            let puzzle = first.with_start(State::from_cells(&cells).unwrap()).unwrap();
            let expected = match decide_solvability(&puzzle, Effort::QUICK, &|_| false) {
                Solvability::Solvable => Some(true),
                Solvability::Unsolvable(_) => Some(false),
                Solvability::Undecided => None,
            };
            assert_eq!(memo.is_solvable(&puzzle, Effort::QUICK, &|_| false), expected, "{puzzle}");
            decided[usize::from(expected == Some(true))] += 1;
        }
    }
    assert!(decided[0] > 50 && decided[1] > 50, "{decided:?}");
}

/// Decides a puzzle from some vertices of its tokens to others.
fn decide_between(board: &Board, start: &[usize], goal: &[usize]) -> (Solvability, Puzzle) {
    let place = |(token, &vertex): (usize, &usize)| LabelPositions {
        label: (token + 1).to_string(),
        vertices: vec![vertex],
        others_anywhere: false,
    };
    let arrange =
        |vertices: &[usize]| Arrangement::ByLabel(vertices.iter().enumerate().map(place).collect());
    let setup = Setup { start: arrange(start), goal: Some(arrange(goal)) };
    let puzzle = Puzzle::new(board.clone(), &setup).unwrap();
    (decide_solvability(&puzzle, Effort::QUICK, &|_| false), puzzle)
}

/// Slides tokens at random; the first `tokens` of the vertices are theirs, the others are empty.
fn walk(board: &Board, vertices: &mut [usize], tokens: usize, random: &mut Random) {
    for _ in 0..random.below(200) {
        let occupied: VertexSet =
            vertices[..tokens].iter().filter_map(|&v| Vertex::new(v)).collect();
        let token = random.below(tokens);
        let from = Vertex::new(vertices[token]).unwrap();
        let to: Vec<_> = board.destinations(from, occupied).into_iter().collect();
        if !to.is_empty() {
            let to = to[random.below(to.len())].index();
            let other = vertices.iter().position(|&v| v == to).unwrap();
            vertices.swap(token, other);
        }
    }
}

/// Every cube up to d = 4 under every rule, with any number of tokens, and every grid with one
/// empty vertex is decided with little effort; where the goal is reached by a walk, as solvable.
#[test]
fn small_cubes_and_grids_are_always_decided() {
    let mut random = Random::new(1874);
    let cubes = (1..=4usize).flat_map(|d| {
        (1..=d)
            .flat_map(move |k| (1..=1 << d).map(move |tokens| (BoardSpec::Cube { d, k }, tokens)))
    });
    let grids = [(1, 9), (2, 2), (3, 5), (5, 5), (8, 8)]
        .map(|(rows, columns)| (BoardSpec::Grid { rows, columns }, rows * columns - 1));
    for (spec, tokens) in cubes.chain(grids) {
        let board = Board::new(spec, Metric::Face).unwrap();
        let mut start: Vec<usize> = (0..board.vertex_count()).collect();
        random.shuffle(&mut start);
        let mut vertices = start.clone();
        walk(&board, &mut vertices, tokens, &mut random);
        let (walked, puzzle) = decide_between(&board, &start[..tokens], &vertices[..tokens]);
        assert_eq!(walked, Solvability::Solvable, "{puzzle}");
        random.shuffle(&mut vertices);
        let (shuffled, puzzle) = decide_between(&board, &start[..tokens], &vertices[..tokens]);
        assert_ne!(shuffled, Solvability::Undecided, "{puzzle}");
    }
}
