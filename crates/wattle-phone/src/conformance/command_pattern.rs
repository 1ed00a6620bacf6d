//! Commands that a statement is about.

/// Number of words of the pattern, if the command begins with all of them.
///
/// A word that begins with `/` matches that file and everything below it; `*` in it matches one part of a path.
pub(super) fn matched_words(pattern: &str, command: &str) -> Option<usize> {
    let mut words = command.split_whitespace().map(|word| word.trim_matches(['\'', '"']));
    let mut matched = 0_usize;
    for expected in pattern.split_whitespace() {
        let found = words.next()?;
        let same =
            if expected.starts_with('/') { is_below(expected, found) } else { expected == found };
        if !same {
            return None;
        }
        // A file named part by part says more than a bare word.
        matched = matched.saturating_add(expected.split('/').count());
    }
    (matched > 0).then_some(matched)
}

fn is_below(folder: &str, path: &str) -> bool {
    let mut parts = path.split('/');
    folder.split('/').all(|expected| {
        parts.next().is_some_and(|part| expected == part || expected == "*" && !part.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_paths_match_from_the_left() {
        let matches = [
            ("getprop", "getprop ro.soc.model", true),
            ("getprop ro.soc.model", "getprop", false),
            ("cat /proc/stat", "cat '/proc/stat'", true),
            ("cat /proc/stat", "cat /proc/stats", false),
            ("cat /sys/class/thermal", "cat /sys/class/thermal/thermal_zone0/temp", true),
            ("cat /proc/*/task/*/time_in_state", "cat /proc/12/task/13/time_in_state", true),
            ("cat /proc/*/task/*/time_in_state", "cat /proc/12/task//time_in_state", false),
            ("kill -0", "kill -09", false),
            ("", "cat", false),
        ];
        for (pattern, command, expected) in matches {
            assert_eq!(matched_words(pattern, command).is_some(), expected, "{pattern}: {command}");
        }
        let general = matched_words("dumpsys battery", "dumpsys battery set usb 1");
        assert!(general < matched_words("dumpsys battery set", "dumpsys battery set usb 1"));
    }
}
