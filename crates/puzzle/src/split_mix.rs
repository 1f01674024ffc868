//! The finaliser of the random number generator SplitMix64.

/// Mixes 64 bits bijectively: numbers that differ in one bit come out as unlike as random ones
/// (Steele, Lea and Flood, OOPSLA 2014).
#[inline]
pub fn mix(mut bits: u64) -> u64 {
    bits = bits.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}
