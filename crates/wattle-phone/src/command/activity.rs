//! `am` and `monkey`.

use std::io;

use crate::core::Core;
use crate::tool::Call;

pub(super) fn am(call: &mut Call) -> io::Result<u8> {
    match call.words().as_slice() {
        ["force-stop", rest @ ..] => {
            if let Some(name) = rest.last().map(|name| (*name).to_owned()) {
                end_package(&call.core, &name);
            }
            Ok(0)
        }
        _ => call.fail("Unknown command").map(|_| 255),
    }
}

pub(super) fn monkey(call: &mut Call) -> io::Result<u8> {
    call.fail("** No activities found to run, monkey aborted.").map(|_| 252)
}

/// Ends all processes of a package.
pub(super) fn end_package(core: &Core, name: &str) {
    let now = core.clock.boot();
    for process in core.journal.running() {
        if process.package.as_deref() == Some(name) {
            core.journal.end(now, process.pid);
        }
    }
}
