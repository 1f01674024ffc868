//! What numbering the states holds, counted by an allocator that counts.

use hyperslide_puzzle::Puzzle;
use hyperslide_table::{Space, SpaceOptions};

/// A table is refused by the number of its occupied sets before they are explored, at 200 bytes
/// each, so that exploring them and putting them in order must not hold much more. On these cubes,
/// whose sets have many slides, it is half as much again.
#[test]
fn numbering_holds_few_bytes_for_each_occupied_set() {
    let all: Vec<String> = (5..24).map(|vertex| vertex.to_string()).collect();
    let rest = all.join("+");
    for (line, free) in [
        (format!("grid:5:5 1=0,2=1,3=2,4=3,5=4,x={rest}"), true),
        ("cube:4:2 1=0,2=1,3=2,4=4,5=8,6=15".to_owned(), false),
        ("cube:4:1 1=0,2=1,3=2,4=3,5=4,6=5,7=6,8=7".to_owned(), false),
    ] {
        let (_, start) = line.split_once(' ').unwrap();
        let line = format!("{line} -> {start}");
        let puzzle = Puzzle::from_line(&line).unwrap();
        let free = puzzle.labels().find("x").filter(|_| free);
        let options = SpaceOptions { free, ..SpaceOptions::default() };
        let mut sets = 0;
        let counted = allocation_counter::measure(|| {
            sets = Space::new(puzzle.board(), puzzle.start(), &options).unwrap().occupied_sets();
        });
        let each = counted.bytes_max as f64 / sets as f64;
        assert!(sets > 5_000, "{line}: {sets}");
        let most = if free.is_some() { 200.0 } else { 320.0 };
        assert!(each <= most, "{line}: {each:.0} bytes for each of {sets} sets");
    }
}
