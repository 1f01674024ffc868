//! Ranked plays: the server issued the start, and its clock must allow the times.

use thiserror::Error;

use crate::play::{Kind, Verified};

/// The longest that a start may be looked at before the first move, in milliseconds.
pub const MAX_INSPECTION: u64 = 60_000;
/// What the way of a play to the server may take, in milliseconds.
const MAX_TRANSFER: u64 = 30_000;
/// How much faster than the server's a client's clock may run, in milliseconds.
const SLACK: u64 = 1_000;
/// The fastest that hands have been, in milliseconds a move, with some room.
const LEAST_PER_MOVE: u64 = 15;
/// The least number of milliseconds between two moves: each is an input of its own, and two keys
/// that are struck together are a few milliseconds apart.
pub const LEAST_INTERVAL: u32 = 4;
/// The longest that a timed play may take after its start was issued, in milliseconds.
const MAX_TIMED: u64 = 6 * 3_600_000;

/// A start that the server issued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issued {
    /// Its name, which is used once.
    pub id: String,
    /// The person it was issued to.
    pub person: i64,
    /// The puzzle in one line.
    pub puzzle: String,
    /// How the play is ranked.
    pub kind: Kind,
    /// Whether the numbers of the tiles vanish after the first move.
    pub blind: bool,
    /// When it was issued, in milliseconds since 1970.
    pub issued_ms: i64,
}

/// Why a ranked play is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "each message says what its fields are")]
pub enum Refused {
    #[error("a ranked play ends in the goal, and this one does not")]
    Unsolved,
    #[error("hints and distances were used: such a play is kept as explored, not ranked")]
    Helped,
    #[error("the play says that it took {claimed} ms, but its start was issued {passed} ms ago")]
    TooLong { claimed: u64, passed: u64 },
    #[error(
        "the play says that it took {claimed} ms, but {passed} ms have passed since its start was \
         issued, and inspecting it may take at most {MAX_INSPECTION} ms"
    )]
    TooShort { claimed: u64, passed: u64 },
    #[error("{moves} moves in {ms} ms are faster than hands are")]
    TooFast { moves: u32, ms: u64 },
    #[error("a timed play of {ms} ms is longer than six hours")]
    TooPatient { ms: u64 },
    #[error(
        "two moves are {ms} ms apart, and every move of a ranked play is an input of its own: at least \
         {LEAST_INTERVAL} ms"
    )]
    TooClose { ms: u32 },
    #[error("the start was issued more than six hours ago: ask for a new one")]
    Expired,
}

/// Checks a play that was verified by the rule against the clock of the server that issued its
/// start. `now_ms` is the time at which it arrived, in milliseconds since 1970.
///
/// # Errors
///
/// Why it is refused.
pub fn check_ranked(
    issued: &Issued,
    now_ms: i64,
    play: &Verified,
    helped: bool,
) -> Result<(), Refused> {
    let passed = u64::try_from(now_ms - issued.issued_ms).unwrap_or(0);
    let ms = play.ms;
    check_without_clock(issued.kind, play, helped)?;
    if ms > passed + SLACK {
        return Err(Refused::TooLong { claimed: ms, passed });
    }
    if issued.kind == Kind::Timed {
        if passed > MAX_TIMED {
            return Err(Refused::Expired);
        }
        if ms + MAX_INSPECTION + MAX_TRANSFER < passed {
            return Err(Refused::TooShort { claimed: ms, passed });
        }
    }
    Ok(())
}

/// Checks what is true of every ranked play, whenever its start was issued.
pub(crate) fn check_without_clock(
    kind: Kind,
    play: &Verified,
    helped: bool,
) -> Result<(), Refused> {
    let Verified { moves, ms, least_ms, solved, .. } = *play;
    if !solved {
        return Err(Refused::Unsolved);
    }
    if helped {
        return Err(Refused::Helped);
    }
    // The clock starts with the first move.
    if ms < u64::from(moves.saturating_sub(1)) * LEAST_PER_MOVE {
        return Err(Refused::TooFast { moves, ms });
    }
    if let Some(least) = least_ms.filter(|&least| least < LEAST_INTERVAL) {
        return Err(Refused::TooClose { ms: least });
    }
    if kind == Kind::Timed && ms > MAX_TIMED + SLACK {
        return Err(Refused::TooPatient { ms });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(
        kind: Kind,
        passed: i64,
        moves: u32,
        ms: u64,
        solved: bool,
        helped: bool,
    ) -> Result<(), Refused> {
        let issued = Issued {
            id: "x".to_owned(),
            person: 1,
            puzzle: String::new(),
            kind,
            blind: false,
            issued_ms: 1_000_000,
        };
        let play = Verified { moves, ms, least_ms: Some(20), multi: None, solved };
        check_ranked(&issued, 1_000_000 + passed, &play, helped)
    }

    #[test]
    fn honest_plays_are_accepted_and_others_are_not() {
        assert_eq!(check(Kind::Timed, 45_000, 80, 30_000, true, false), Ok(()));
        assert_eq!(check(Kind::Timed, 100_000, 80, 30_000, true, false), Ok(()));
        assert_eq!(check(Kind::Fewest, 900_000_000, 80, 30_000, true, false), Ok(()));
        assert_eq!(check(Kind::Timed, 45_000, 80, 30_000, false, false), Err(Refused::Unsolved));
        assert_eq!(check(Kind::Timed, 45_000, 80, 30_000, true, true), Err(Refused::Helped));
        let long = Refused::TooLong { claimed: 50_000, passed: 45_000 };
        assert_eq!(check(Kind::Timed, 45_000, 80, 50_000, true, false), Err(long));
        let short = Refused::TooShort { claimed: 10_000, passed: 200_000 };
        assert_eq!(check(Kind::Timed, 200_000, 80, 10_000, true, false), Err(short));
        let fast = Refused::TooFast { moves: 80, ms: 900 };
        assert_eq!(check(Kind::Timed, 45_000, 80, 900, true, false), Err(fast));
        // The first move takes no time by itself.
        assert_eq!(check(Kind::Timed, 2_000, 1, 0, true, false), Ok(()));
        assert_eq!(check(Kind::Timed, 2_000, 3, 30, true, false), Ok(()));
        let fast = Refused::TooFast { moves: 3, ms: 29 };
        assert_eq!(check(Kind::Timed, 2_000, 3, 29, true, false), Err(fast));
        let late = check(Kind::Timed, 6 * 3_600_000 + 10, 80, 6 * 3_600_000, true, false);
        assert_eq!(late, Err(Refused::Expired));
        let ms = 7 * 3_600_000;
        let patient = check(Kind::Timed, ms as i64 + 10, 80, ms, true, false);
        assert_eq!(patient, Err(Refused::TooPatient { ms }));
        let issued = Issued {
            id: String::new(),
            person: 1,
            puzzle: String::new(),
            kind: Kind::Timed,
            blind: false,
            issued_ms: 0,
        };
        let close = Verified { moves: 9, ms: 900, least_ms: Some(1), multi: None, solved: true };
        let refused = check_ranked(&issued, 2_000, &close, false);
        assert_eq!(refused, Err(Refused::TooClose { ms: 1 }));
        // A clock of the server that went back accepts nothing.
        assert!(check(Kind::Timed, -5_000, 80, 30_000, true, false).is_err());
    }
}
