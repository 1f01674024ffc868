//! Fuzzes lines of record files.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| hyperslide_fuzz::record_line(data));
