//! Fuzzes what searches change with each move.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    hyperslide_fuzz::incremental::play(data);
});
