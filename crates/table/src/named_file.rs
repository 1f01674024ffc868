//! Files that users name.

use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// Reads a whole file, or everything that comes through a pipe. Devices are refused, because some
/// of them never end.
///
/// # Errors
///
/// Returns why it cannot be read.
pub fn read_named_file(path: &Path) -> io::Result<Vec<u8>> {
    let kind = std::fs::metadata(path)?.file_type();
    if kind.is_char_device() || kind.is_block_device() || kind.is_dir() {
        return Err(io::Error::other("not a file: name one"));
    }
    std::fs::read(path)
}
