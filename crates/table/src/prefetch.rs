//! Memory that is requested before it is read.

/// Requests the memory at an address, which need not be valid, without waiting for it.
#[inline(always)]
#[allow(unsafe_code, reason = "a prefetch reads nothing")]
pub fn prefetch<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the instruction reads nothing and cannot fault, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}
