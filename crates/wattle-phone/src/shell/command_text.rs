//! Rewriting of a command before it goes to the shell.

/// The command as this machine's shell can run it.
///
/// `kill` is built into shells and would not find the phone's processes; a function of that name goes before it. `full`: what
/// the shell would write to the phone's storage goes where no space is left.
pub(crate) fn prepare(text: &str, full: bool) -> String {
    const KILL: &str = "kill() { \"$ANDROID_ROOT/bin/kill\" \"$@\"; }\n";
    if full { format!("{KILL}{}", without_room(text)) } else { format!("{KILL}{text}") }
}

/// Replaces the paths behind `>` and `>>` by that of a device that is always full.
fn without_room(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('>') {
        let (before, from) = rest.split_at(at);
        let behind = from.trim_start_matches('>');
        let target = behind.trim_start_matches([' ', '\t', '"', '\'']);
        let kept = rest.len() - target.len();
        if target.starts_with('/') && !target.starts_with("/dev/") {
            let ends = |c: char| c.is_whitespace() || "\"'`;|&<>()".contains(c);
            let end = target.find(ends).unwrap_or(target.len());
            out.push_str(rest.get(..kept).unwrap_or_default());
            out.push_str("/dev/full");
            rest = target.get(end..).unwrap_or_default();
        } else {
            out.push_str(before);
            out.push_str(from.get(..from.len() - behind.len()).unwrap_or_default());
            rest = behind;
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_storage_takes_no_redirections() {
        for (text, expected) in [
            ("cat /a/b > /data/x", "cat /a/b > /dev/full"),
            ("a>>\"/data/y\"; b 2>/dev/null", "a>>\"/dev/full\"; b 2>/dev/null"),
            ("echo $((1 > 0)) >&2 | x", "echo $((1 > 0)) >&2 | x"),
            ("echo é >", "echo é >"),
        ] {
            assert_eq!(without_room(text), expected);
        }
    }
}
