//! `am profile`.

use std::io;

use crate::tool::Call;

/// Method traces need the app's runtime, which a scripted app has not.
pub(super) fn profile(call: &mut Call, words: &[String]) -> io::Result<u8> {
    let name = words.iter().rev().find(|word| !word.starts_with('-')).cloned().unwrap_or_default();
    call.fail(format!(
        "java.lang.IllegalArgumentException: Process not debuggable or profileable: {name}"
    ))
}
