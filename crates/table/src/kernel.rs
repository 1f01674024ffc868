//! The inner loops of the block engine, which permute words of arrangements.
//!
//! One source is compiled for several instruction sets. The compiler vectorises each loop to the
//! width of the instruction set for which the calling function is compiled; the instruction set is
//! chosen at run time.

use std::fmt;

use crate::layout::{Action, Shifts, Step};

/// An instruction set of this machine for which the inner loops are compiled. All give the same
/// results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstructionSet(Kind);

/// Only those that the machine has are in an [`InstructionSet`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Portable,
    /// 256-bit vectors (x86-64 with AVX2).
    Avx2,
    /// 512-bit vectors (x86-64 with AVX-512 F, BW, DQ, VL and VPOPCNTDQ).
    Avx512,
}

impl InstructionSet {
    /// The instructions that every machine of this architecture has.
    pub const PORTABLE: InstructionSet = InstructionSet(Kind::Portable);

    /// Returns the fastest one.
    pub fn best() -> InstructionSet {
        InstructionSet::available().next().unwrap_or(InstructionSet::PORTABLE)
    }

    /// Returns all that this machine has, the fastest first.
    pub fn available() -> impl Iterator<Item = InstructionSet> {
        let kinds = [Kind::Avx512, Kind::Avx2, Kind::Portable];
        kinds.into_iter().filter(|kind| kind.is_available()).map(InstructionSet)
    }

    /// Returns its name: `portable`, `avx2` or `avx512`.
    pub fn name(self) -> &'static str {
        match self.0 {
            Kind::Portable => "portable",
            Kind::Avx2 => "avx2",
            Kind::Avx512 => "avx512",
        }
    }

    pub(crate) fn kind(self) -> Kind {
        self.0
    }
}

impl Kind {
    fn is_available(self) -> bool {
        match self {
            Kind::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => {
                is_x86_feature_detected!("avx2")
                    && is_x86_feature_detected!("bmi2")
                    && is_x86_feature_detected!("popcnt")
            }
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => {
                Kind::Avx2.is_available()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512vpopcntdq")
            }
            #[cfg(not(target_arch = "x86_64"))]
            Kind::Avx2 | Kind::Avx512 => false,
        }
    }
}

impl fmt::Display for InstructionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Sets in `target` the bits of `source`, a run of the same length.
#[inline(always)]
pub(crate) fn add(target: &mut [u64], source: &[u64]) {
    for (target, &source) in target.iter_mut().zip(source) {
        *target |= source;
    }
}

/// Writes the union of two runs of the same length to `target`.
#[inline(always)]
pub(crate) fn unite(target: &mut [u64], first: &[u64], second: &[u64]) {
    for (target, (&first, &second)) in target.iter_mut().zip(first.iter().zip(second)) {
        *target = first | second;
    }
}

/// Sets in `target` the bits of `source` after a shift. With several `searches` side by side, each
/// word of a run is followed by the same word of the other searches.
#[inline(always)]
pub(crate) fn add_shifted(
    target: &mut [u64],
    source: &[u64],
    action: Action,
    shifts: &Shifts,
    searches: usize,
) {
    match action {
        Action::Copy => add(target, source),
        Action::Words(number) => {
            let origins = shifts.word_permutation(number);
            for (target, &origin) in target.chunks_exact_mut(searches).zip(origins) {
                let origin = origin as usize * searches;
                add(target, &source[origin..origin + searches]);
            }
        }
        Action::Lanes(number) => add_permuted(target, source, shifts.lane_permutation(number)),
    }
}

/// Adds to `found`, for each of the searches side by side, the number of bits set in its words of a
/// run.
#[inline(always)]
pub(crate) fn count(found: &mut [u64], run: &[u64]) {
    if let [found] = found {
        *found += run.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
        return;
    }
    for words in run.chunks_exact(found.len()) {
        for (found, word) in found.iter_mut().zip(words) {
            *found += u64::from(word.count_ones());
        }
    }
}

/// The number of words that are permuted together: one vector of 512 bits, or three. The operations
/// on one vector wait for each other, and runs mostly have a multiple of 4! words.
const CHUNK: usize = 8;
const CHUNKS: usize = 3 * CHUNK;

#[inline(always)]
fn add_permuted(target: &mut [u64], source: &[u64], steps: &[Step]) {
    let (targets, target) = target.as_chunks_mut::<CHUNKS>();
    let (sources, source) = source.as_chunks::<CHUNKS>();
    add_chunks(targets, sources, steps);
    let (targets, last_targets) = target.as_chunks_mut::<CHUNK>();
    let (sources, last_sources) = source.as_chunks::<CHUNK>();
    add_chunks(targets, sources, steps);
    if !last_targets.is_empty() {
        let mut last = [0; CHUNK];
        last[..last_sources.len()].copy_from_slice(last_sources);
        let mut bits = [0; CHUNK];
        add_steps(&mut bits, &last, steps);
        add(last_targets, &bits[..last_targets.len()]);
    }
}

#[inline(always)]
fn add_chunks<const WORDS: usize>(
    targets: &mut [[u64; WORDS]],
    sources: &[[u64; WORDS]],
    steps: &[Step],
) {
    for (target, source) in targets.iter_mut().zip(sources) {
        let mut bits = *target;
        add_steps(&mut bits, source, steps);
        *target = bits;
    }
}

#[inline(always)]
fn add_steps<const WORDS: usize>(bits: &mut [u64; WORDS], source: &[u64; WORDS], steps: &[Step]) {
    for step in steps {
        // No mask is empty, but this exit keeps the compiler from unrolling the loop into one that
        // takes several steps at once with words in different vectors, which is slower.
        if step.mask == 0 {
            break;
        }
        for (bits, &source) in bits.iter_mut().zip(source) {
            *bits |= source.rotate_left(step.rotation) & step.mask;
        }
    }
}
