//! Writes files of records in the present format: `cargo run --example migrate_records FILE...`
//!
//! Records of version 1 are read everywhere; this makes the files themselves new. Each file is
//! checked and written under another name that is then renamed.

use std::error::Error;
use std::path::Path;

use hyperslide_lab::{RecordFile, TaskRecord};
use hyperslide_table::replace_file;

fn main() -> Result<(), Box<dyn Error>> {
    for name in std::env::args().skip(1) {
        let path = Path::new(&name);
        let records: Vec<TaskRecord> = RecordFile::read(path)?;
        let lines = records.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?;
        replace_file(path, (lines.join("\n") + "\n").as_bytes())?;
        println!("{name}: {} records", records.len());
    }
    Ok(())
}
