use clap::CommandFactory;
use clap_complete::Shell;

use crate::arguments::Arguments;
use crate::failure::{ExitStatus, Failure};
use crate::terminal::print;

pub fn run(shell: Shell) -> Result<ExitStatus, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "hyperslide", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(ExitStatus::Done)
}
