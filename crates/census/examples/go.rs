use hyperslide_puzzle::*; use hyperslide_census::*; use hyperslide_table::*;
use std::ops::ControlFlow;
fn main(){ let a:Vec<String>=std::env::args().collect();
 let board=Board::new({let BoardSource::Spec(s)=a[1].parse().unwrap() else {panic!()}; s}, a[3].parse().unwrap()).unwrap();
 let empty:usize=a[2].parse().unwrap();
 let t=std::time::Instant::now();
 let survey=Survey::new(&board,empty).unwrap();
 println!("survey {:?} types {} starts {}", t.elapsed(), survey.types.len(), starts(&survey).count());
 for k in &survey.types { println!("{} x{} {} stuck {} K {} H {} even {} comps {} orbits {}", k.size(), k.count(survey.tokens), k.regime, k.stuck.len(), k.occupied_sets, k.arrangements, k.even_only, k.occupancy_components, k.orbits.len()); }
 let key=CensusKey{board:a[1].clone(),metric:a[3].clone(),empty};
 let (mut c, mut done)=Checkpoint::open(std::path::Path::new(&a[4]),&key,true,std::time::Duration::from_secs(600)).unwrap();
 let r=run(&board,&survey,&RunOptions::default(),&mut done,Some(&mut c),&Signals::default(),&mut |_|ControlFlow::Continue(()));
 println!("{r:?} {:?}", t.elapsed());
 for kind in &survey.types { let e:Vec<_>=kind.orbits.iter().filter_map(|o| done.iter().find(|d|d.set()==o.representative)).map(|d|d.eccentricity()).collect(); println!("{} {}: diameter {:?} radius {:?} n {}", kind.size(), kind.regime, e.iter().max(), e.iter().min(), e.len()); }
}
