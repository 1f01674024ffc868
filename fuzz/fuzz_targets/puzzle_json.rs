//! Fuzzes puzzles in JSON.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| hyperslide_fuzz::puzzle_json(data));
