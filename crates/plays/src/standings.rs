//! Best lists: the best single solve and the best averages of each person.

use crate::play::Kind;
use crate::store::RankedPlay;

/// The numbers of solves of the averages. An average is the mean of solves in a row without the
/// best and the worst twentieth of them, rounded up: without one of each for 5 and 12, three for
/// 50, five for 100. (Speed-solvers count so; the World Cube Association's regulation 9f8 has the
/// first.)
pub const AVERAGES: [usize; 4] = [5, 12, 50, 100];

/// A play and what it is ranked by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Single {
    /// The play's name.
    pub play: String,
    /// The number of moves.
    pub length: i64,
    /// The number of moves where tiles that slide together count once, on grids.
    pub multi: Option<i64>,
    /// Milliseconds.
    pub ms: i64,
}

impl Single {
    /// What it is ranked by, the least first, and what decides between equals.
    pub fn key(&self, kind: Kind) -> (i64, i64) {
        if kind == Kind::Timed { (self.ms, self.length) } else { (self.length, self.ms) }
    }
}

/// The best of a person in a group.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// The person's number.
    pub person: i64,
    /// The number of ranked plays.
    pub solves: usize,
    /// The best play: by time where the group is timed, and otherwise by the number of moves.
    pub best: Single,
    /// The best averages of [`AVERAGES`], in milliseconds where the group is timed and otherwise in
    /// moves; none for those with fewer plays.
    pub averages: [Option<f64>; 4],
    /// The most moves per second of a play, the first left out, with which the clock starts.
    pub most_per_second: f64,
}

/// The standings of the people in a group, the best single first. The plays are person by person,
/// each in the order in which they were made. Time O(n w) for n plays and the longest average's w.
pub fn standings(plays: &[RankedPlay], kind: Kind) -> Vec<Standing> {
    let mut standings: Vec<Standing> =
        plays.chunk_by(|a, b| a.person == b.person).filter_map(|own| standing(own, kind)).collect();
    let key = |standing: &Standing| standing.best.key(kind);
    standings.sort_by(|a, b| key(a).cmp(&key(b)).then_with(|| a.best.play.cmp(&b.best.play)));
    standings
}

fn standing(own: &[RankedPlay], kind: Kind) -> Option<Standing> {
    let value = |play: &RankedPlay| if kind == Kind::Timed { play.ms } else { play.length };
    let best = own.iter().min_by_key(|play| (value(play), play.length, play.ms))?;
    let values: Vec<i64> = own.iter().map(value).collect();
    // The clock starts with the first move: one of its own has no speed.
    let per_second =
        |play: &RankedPlay| (play.length - 1).max(0) as f64 * 1000.0 / play.ms.max(1) as f64;
    Some(Standing {
        person: best.person,
        solves: own.len(),
        best: Single { play: best.id.clone(), length: best.length, multi: best.multi, ms: best.ms },
        averages: AVERAGES.map(|of| best_average(&values, of)),
        most_per_second: own.iter().map(per_second).fold(0.0, f64::max),
    })
}

/// The least average of the given number of consecutive values.
fn best_average(values: &[i64], of: usize) -> Option<f64> {
    let left_out = of.div_ceil(20);
    let mut window: Vec<i64> = Vec::with_capacity(of);
    let mut best: Option<i64> = None;
    for (place, &value) in values.iter().enumerate() {
        if place >= of
            && let Ok(old) = window.binary_search(&values[place - of])
        {
            window.remove(old);
        }
        window.insert(window.partition_point(|&other| other < value), value);
        if window.len() == of {
            let sum = window[left_out..of - left_out].iter().sum();
            best = Some(best.map_or(sum, |least| least.min(sum)));
        }
    }
    best.map(|sum| sum as f64 / (of - 2 * left_out) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn play(person: i64, id: usize, length: i64, ms: i64) -> RankedPlay {
        RankedPlay { person, id: format!("p{id}"), length, multi: None, ms }
    }

    /// By the definition, without a window.
    fn plain(values: &[i64], of: usize, left_out: usize) -> Option<f64> {
        let average = |row: &[i64]| {
            let mut row = row.to_vec();
            row.sort_unstable();
            let inner = &row[left_out..of - left_out];
            inner.iter().sum::<i64>() as f64 / inner.len() as f64
        };
        values.windows(of).map(average).min_by(f64::total_cmp)
    }

    #[test]
    fn averages_leave_out_the_best_and_the_worst() {
        assert_eq!(best_average(&[10, 20, 30, 40], 5), None);
        assert_eq!(best_average(&[10, 99, 30, 20, 40], 5), Some(30.0));
        let values: Vec<i64> = (0..400).map(|n: i64| 1000 + (n * n * 7919) % 977).collect();
        for (of, left_out) in [(5, 1), (12, 1), (50, 3), (100, 5)] {
            assert_eq!(best_average(&values, of), plain(&values, of, left_out), "{of}");
        }
    }

    #[test]
    fn the_best_come_first_by_what_the_group_is_about() {
        let plays = [play(1, 1, 30, 9_000), play(1, 2, 20, 12_000), play(2, 3, 25, 8_000)];
        let timed = standings(&plays, Kind::Timed);
        let best = |standings: &[Standing]| -> Vec<(i64, String)> {
            standings.iter().map(|one| (one.person, one.best.play.clone())).collect()
        };
        assert_eq!(best(&timed), [(2, "p3".to_owned()), (1, "p1".to_owned())]);
        let fewest = standings(&plays, Kind::Fewest);
        assert_eq!(best(&fewest), [(1, "p2".to_owned()), (2, "p3".to_owned())]);
        assert_eq!(timed[1].solves, 2);
        assert!((timed[1].most_per_second - 29.0 / 9.0).abs() < 1e-9);
        let at_once = standings(&[play(1, 1, 1, 0)], Kind::Timed);
        assert!(at_once[0].most_per_second.abs() < 1e-9);
        assert_eq!(standings(&[], Kind::Timed), []);
    }
}
