//! Rewriting of a command before it goes to the shell.

use crate::path_map;

/// The command as the host's shell can run it.
///
/// `kill` is built into shells and would not find the phone's processes; a function of that name goes before it.
pub(crate) fn prepare(text: &str, root: &str, full: bool) -> String {
    const KILL: &str = "kill() { \"$ANDROID_ROOT/bin/kill\" \"$@\"; }\n";
    if root.is_empty() {
        return format!("{KILL}{text}");
    }
    if path_map::climbs(text) {
        // The only way out of the phone's folders, and nothing that a recorder needs.
        return "echo 'sh: a path with .. is not possible on the simulated phone' >&2; exit 126"
            .to_owned();
    }
    format!("{KILL}{}", path_map::map_text(text, root, full))
}
