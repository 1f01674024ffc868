use std::{time::Instant, ops::ControlFlow};
use hyperslide_puzzle::*; use hyperslide_table::*;
fn main(){
    let a:Vec<String>=std::env::args().collect();
    let line=&a[1];
    let puzzle=Puzzle::from_line(line).unwrap();
    let path = a.get(2).map_or(Path::best(), |p| Path::available().find(|q| q.name()==p).unwrap());
    let t=Instant::now();
    let space=Space::new(puzzle.board(),puzzle.start(),&SpaceOptions::default()).unwrap();
    println!("{} sets {} states {} halved {} slides {} bytes {} search {} in {:?}", path, space.occupied_sets(), space.states(), space.is_halved(), space.slides(), space.bytes(), BreadthFirst::bytes(&space,true), t.elapsed());
    let t=Instant::now();
    let mut s=BreadthFirst::new(&space,SearchOptions{path,farthest:100,..Default::default()}).unwrap();
    s.start(&[*puzzle.start()]).unwrap();
    println!("alloc {:?}",t.elapsed());
    let mut last=Instant::now();
    s.run(&Signals::default(),|s|{let l=s.layers(); println!("{} {} {:?}",l.depth(),l.states.last().unwrap(),last.elapsed()); last=Instant::now(); ControlFlow::Continue(())});
    println!("{} states depth {} mean {} in {:?}: {:.1} M/s; farthest {:?}", s.layers().total(), s.layers().depth(), s.layers().mean(), t.elapsed(), s.layers().total() as f64/t.elapsed().as_secs_f64()/1e6, s.farthest().map(|f|f.len()));
}
