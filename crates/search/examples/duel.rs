use hyperslide_puzzle::Puzzle;
use hyperslide_search::*;
use std::time::Duration;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let nodes: u64 = args[2].parse().unwrap();
    let solvers = &args[3..];
    let text = std::fs::read_to_string(&args[1]).unwrap();
    let mut families: Vec<(String, Vec<String>)> = Vec::new();
    for line in text.lines() {
        let (t, l) = line.split_once('\t').unwrap();
        if families.last().is_none_or(|f| f.0 != t) {
            families.push((t.into(), vec![]));
        }
        families.last_mut().unwrap().1.push(l.into());
    }
    let mut above = 0;
    for (t, lines) in &families {
        let mut proven = vec![0; solvers.len()];
        let mut cpu = vec![0.0; solvers.len()];
        let mut each = vec![String::new(); solvers.len()];
        let mut gens = vec![0u64; solvers.len()];
        for line in lines {
            let puzzle = match Puzzle::from_line(line) { Ok(p) => p, Err(e) => { println!("{line} {e}"); continue } };
            let mut len = None;
            for (i, s) in solvers.iter().enumerate() {
                let n = if s == "idastar" || t == "4x4 grid" || t == "2x7 grid" { 20 * nodes } else { nodes };
                let limits = Limits { nodes: Some(n), memory: Some(3 << 30), time: Some(Duration::from_secs(60)) };
                let go = || solve(&puzzle, &Config::named(s).unwrap(), &Control { limits, ..Control::default() });
                let first = go().map(|r| r.stats.cpu_s).unwrap_or(0.0);
                let r = go().map(|mut r| { r.stats.cpu_s = r.stats.cpu_s.min(first); r });
                let r = match r { Ok(r) => r, Err(e) => { println!("{s} {line}: {e}"); continue } };
                cpu[i] += r.stats.cpu_s;
                gens[i] += r.stats.generated;
                let mut mark = "x".to_owned();
                if let Outcome::Solved { moves, optimal: true, .. } = &r.outcome {
                    proven[i] += 1;
                    mark = r.algorithm[..2].to_owned();
                    assert!(len.is_none_or(|l| l == moves.len()), "{s} {line}");
                    len = Some(moves.len());
                }
                each[i] += &format!(" {:.4}{mark}", r.stats.cpu_s);
            }
        }
        let most = *proven.iter().max().unwrap();
        let best = (0..solvers.len()).filter(|&i| proven[i] == most).map(|i| cpu[i]).fold(f64::MAX, f64::min);
        let bad = proven[0] < most || cpu[0] > 1.2 * best;
        above += usize::from(bad);
        println!("{t}: {} {:.2}{}", solvers[0], cpu[0] / best, if bad { " ***" } else { "" });
        for i in 0..solvers.len() {
            println!("    {:14} {}/{} {:8.4}  {:4.0} ns/gen  {}", solvers[i], proven[i], lines.len(), cpu[i], 1e9 * cpu[i] / gens[i].max(1) as f64, each[i]);
        }
    }
    println!("above {above} of {}", families.len());
}
