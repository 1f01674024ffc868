//! tmp
use hyperslide_puzzle::*; use hyperslide_search::*;
fn main(){ for l in std::env::args().skip(1) { let p=Puzzle::from_line(&l).unwrap();
 let r=solve(&p,&Config::default(),&Control::default()).unwrap();
 match &r.outcome { Outcome::Solved{moves,..}=>println!("{l} => {} {:?}",moves.len(),r.stats), o=>println!("{l} => {o:?}") } } }
