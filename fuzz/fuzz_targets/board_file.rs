//! Fuzzes board files.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| hyperslide_fuzz::board_file(data));
