//! The log: a line for each event on standard error, for people on a terminal, as JSON elsewhere.

use std::io::IsTerminal as _;

use tracing_subscriber::fmt;

/// Begins to write the log. Once a process; later calls change nothing.
pub fn write_log() {
    let level = tracing::Level::INFO;
    if std::io::stderr().is_terminal() {
        let text = fmt().with_max_level(level).with_target(false).with_writer(std::io::stderr);
        let _ = text.try_init();
    } else {
        let json = fmt().with_max_level(level).json().flatten_event(true);
        let _ = json.with_writer(std::io::stderr).try_init();
    }
}
