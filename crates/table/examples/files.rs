//! Searches the puzzle graph of a cube with one empty vertex in files, and prints each layer.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use hyperslide_puzzle::{Board, BoardSpec, Label, Metric, State, Vertex};
use hyperslide_table::{QuotientOptions, QuotientSearch, QuotientSpace};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let directory = PathBuf::from(arguments.next().ok_or("a directory")?);
    let cache: f64 = arguments.next().ok_or("gigabytes of cache")?.parse()?;
    let second = arguments.next().map(PathBuf::from);
    let second_size: f64 = arguments.next().map_or(Ok(0.0), |size| size.parse())?;
    let most: usize = arguments.next().map_or(Ok(1000), |size| size.parse())?;
    let board = Board::new(BoardSpec::Cube { d: 4, k: 1 }, Metric::Face)?;
    let start: State = (1..16)
        .filter_map(|vertex| Some((Vertex::new(vertex)?, Label::new(vertex - 1)?)))
        .collect();
    let began = Instant::now();
    let never = AtomicBool::new(false);
    let space = QuotientSpace::new(&board, &start, 1 << 24, &never)?;
    eprintln!(
        "{} blocks ({} of the start's colour) of {} bytes, {} states, {} symmetries, slides {:?}, {:.1} s",
        space.blocks(),
        space.blocks_of_start_colour(),
        space.block_bytes(),
        space.states(),
        space.symmetries(),
        space.slides(),
        began.elapsed().as_secs_f64()
    );
    let mut options = QuotientOptions::new(directory);
    options.cache = (cache * 1e9) as u64;
    options.second = second.map(|second| (second, (second_size * 1e9) as u64));
    let mut search = QuotientSearch::open(&space, options)?;
    let mut known = 0;
    search.run(&never, &mut |progress| {
        if progress.layers.len() != known {
            known = progress.layers.len();
            println!("{:?} {:.1}", progress.layers.last(), began.elapsed().as_secs_f64());
        }
        if known > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    for (layer, (states, cost)) in search.layers().states.iter().zip(search.costs()).enumerate() {
        println!("{layer} {states} {cost:?}");
    }
    println!("{:?} {:?}", search.layers().complete, search.farthest().map(|orbits| orbits.len()));
    Ok(())
}
