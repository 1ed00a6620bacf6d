//! Mapping of the phone's paths to the host.
//!
//! The phone's shell is the host's, so an absolute path in a command must become one below the phone's folder before
//! the shell sees it. This is done on the text: a `/` that begins a word begins a path of the phone. What a command
//! writes is turned back, so that a host's path is never seen.
//!
//! # Quirks
//!
//! - A word that only looks like a path (`awk '/pattern/'`) is mapped like one, unless it ends with its only other `/`.
//! - `..` can climb out of the folder: [`climbs`] finds it, and such commands are refused.

/// The folders in the root of a phone's file tree.
pub(crate) const TOP_FOLDERS: [&str; 16] = [
    "data", "sdcard", "storage", "system", "vendor", "product", "proc", "sys", "dev", "mnt",
    "cache", "apex", "odm", "etc", "tmp", "root",
];

/// Devices that are the host's own.
const HOST_DEVICES: [&str; 7] =
    ["/dev/null", "/dev/zero", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/full", "/dev/fd"];

/// Puts a folder before all absolute paths of a command.
///
/// `full`: what the shell would write to the phone's storage goes where no space is left.
pub(crate) fn map_text(text: &str, root: &str, full: bool) -> String {
    let bytes = text.as_bytes();
    let mut mapped = String::with_capacity(text.len() + 64);
    let mut copied = 0;
    let mut index = 0;
    while let Some(byte) = bytes.get(index) {
        if *byte != b'/' || !begins_word(bytes, index) || mapped_already(text, index, root) {
            index += 1;
            continue;
        }
        let end = word_end(bytes, index);
        let word = text.get(index..end).unwrap_or_default();
        if is_pattern(word) || is_division(bytes, index, word) || is_host_device(word) {
            index = end;
            continue;
        }
        mapped.push_str(text.get(copied..index).unwrap_or_default());
        copied = index;
        if full && is_written(bytes, index) {
            mapped.push_str("/dev/full");
            copied = end;
        } else {
            mapped.push_str(root);
        }
        index = end;
    }
    mapped.push_str(text.get(copied..).unwrap_or_default());
    mapped
}

/// Whether a command has a `..` in a path.
pub(crate) fn climbs(text: &str) -> bool {
    let ends = |c: char| c.is_whitespace() || "\"'`;|&<>()=/:{},".contains(c);
    text.split(ends).any(|part| part == "..")
}

fn mapped_already(text: &str, index: usize, root: &str) -> bool {
    text.get(index..).is_some_and(|rest| rest.starts_with(root))
}

fn begins_word(bytes: &[u8], index: usize) -> bool {
    let byte = |back: usize| index.checked_sub(back).and_then(|index| bytes.get(index)).copied();
    match byte(1) {
        None => true,
        // A quote that ends something (`"$sys"/devices`) does not begin a word; one that opens does.
        Some(b'"' | b'\'' | b'`') => {
            !byte(2).is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_})*].-?".contains(&byte))
        }
        Some(before) => before.is_ascii_whitespace() || b";|&<>()=:{,".contains(&before),
    }
}

fn word_end(bytes: &[u8], start: usize) -> usize {
    let ends = |byte: &u8| byte.is_ascii_whitespace() || b"\"'`;|&<>():,".contains(byte);
    bytes
        .iter()
        .enumerate()
        .skip(start)
        .find(|(_, byte)| ends(byte))
        .map_or(bytes.len(), |(index, _)| index)
}

/// `/…/` as `awk` and `sed` have it. A folder with a slash behind it and none within would be one of the root's own:
/// those that a phone has are known.
fn is_pattern(word: &str) -> bool {
    let Some(inner) = word.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')) else {
        return false;
    };
    !inner.contains('/') && !TOP_FOLDERS.contains(&inner) && !inner.is_empty()
}

/// A slash alone that divides, or that stands in `http://`: not the root folder, which only some commands are given.
fn is_division(bytes: &[u8], index: usize, word: &str) -> bool {
    const TAKE_FOLDERS: [&[u8]; 7] = [b"ls", b"cd", b"df", b"du", b"find", b"stat", b"mount"];
    let before = bytes.get(..index).unwrap_or_default();
    if word.starts_with("//") && before.last() == Some(&b':') {
        return true;
    }
    if word != "/" {
        return false;
    }
    let last = before.trim_ascii_end().rsplit(|byte| !byte.is_ascii_graphic()).next();
    !last.is_some_and(|last| {
        last.is_empty()
            || last.starts_with(b"-")
            || TAKE_FOLDERS.iter().any(|name| last.ends_with(name))
    })
}

fn is_host_device(word: &str) -> bool {
    HOST_DEVICES.iter().any(|device| {
        word.strip_prefix(device).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

/// Whether the word is what `>` or `>>` writes to.
fn is_written(bytes: &[u8], index: usize) -> bool {
    let before = bytes.get(..index).unwrap_or_default();
    before
        .iter()
        .rev()
        .find(|byte| !byte.is_ascii_whitespace() && !b"\"'".contains(byte))
        .is_some_and(|byte| *byte == b'>')
}

/// Takes a folder out of a stream of bytes: what it stands before becomes an absolute path of the phone.
#[derive(Debug)]
pub(crate) struct Unmapper {
    root: Vec<u8>,
    held: Vec<u8>,
}

impl Unmapper {
    pub(crate) fn new(root: &str) -> Self {
        Self { root: root.as_bytes().to_vec(), held: Vec::new() }
    }

    /// The part of the bytes so far that can be passed on.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.held.extend_from_slice(bytes);
        self.take(false)
    }

    /// The rest.
    pub(crate) fn finish(&mut self) -> Vec<u8> {
        self.take(true)
    }

    fn take(&mut self, last: bool) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.held.len());
        let mut rest = self.held.as_slice();
        while let Some(at) = memchr::memchr(b'/', rest) {
            let (before, from) = rest.split_at(at);
            if let Some(behind) = from.strip_prefix(self.root.as_slice()) {
                if behind.is_empty() && !last {
                    break;
                }
                out.extend_from_slice(before);
                // The folder alone is the phone's root.
                if behind.first() != Some(&b'/') {
                    out.push(b'/');
                }
                rest = behind;
            } else if !last && self.root.starts_with(from) {
                break;
            } else {
                out.extend_from_slice(before);
                out.push(b'/');
                rest = from.get(1..).unwrap_or_default();
            }
        }
        let keep = if last {
            rest.len()
        } else {
            // What could be the folder's beginning begins with a slash, and that was looked at above.
            memchr::memchr(b'/', rest).unwrap_or(rest.len())
        };
        out.extend_from_slice(rest.get(..keep).unwrap_or_default());
        self.held = rest.get(keep..).unwrap_or_default().to_vec();
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(map_text(text, "/R", false), expected);
        assert_eq!(map_text(expected, "/R", false), expected, "mapping twice");
    }

    #[test]
    fn paths_are_mapped_wherever_a_word_begins() {
        check("cat /proc/uptime", "cat /R/proc/uptime");
        check("echo a >/data/x 2>>\"/data/y\"", "echo a >/R/data/x 2>>\"/R/data/y\"");
        check("f=/sys/a; cat $f/b", "f=/R/sys/a; cat $f/b");
        check("x=$(cat </proc/stat)", "x=$(cat </R/proc/stat)");
        check("cat /dev/null > /dev/null 2>&1", "cat /dev/null > /dev/null 2>&1");
        check("ls /dev/nullx", "ls /R/dev/nullx");
        check("sed 's/a/b/' x; expr 4 / 2", "sed 's/a/b/' x; expr 4 / 2");
        check("ls -d /; echo $((8 / 2)); df /", "ls -d /R/; echo $((8 / 2)); df /R/");
        check("awk '/foo/ {print}'", "awk '/foo/ {print}'");
        check("ls \"$sys\"/devices/cpu*/x \"/proc\"/y", "ls \"$sys\"/devices/cpu*/x \"/R/proc\"/y");
        check("x=`cat /proc/a`/b", "x=`cat /R/proc/a`/b");
        check("ls /sdcard/", "ls /R/sdcard/");
        check("a/b ../x http://x", "a/b ../x http://x");
        check("cat /etc/passwd", "cat /R/etc/passwd");
    }

    #[test]
    fn full_storage_takes_no_redirections() {
        let full = map_text("cat /a/b > /data/x", "/R", true);
        assert_eq!(full, "cat /R/a/b > /dev/full");
    }

    #[test]
    fn climbing_is_seen() {
        for (text, expected) in [
            ("cat ../x", true),
            ("cd a/..", true),
            ("a..b", false),
            ("x=.. y", true),
            ("...", false),
        ] {
            assert_eq!(climbs(text), expected, "{text}");
        }
    }

    #[test]
    fn the_folder_is_taken_out_of_what_is_written_however_it_is_cut() {
        let text = b"a /tmp/R/data/x: no /tmp/Rest /tmp/R\n/tmp/R";
        for cut in 0..text.len() {
            let mut unmapper = Unmapper::new("/tmp/R");
            let (first, second) = text.split_at(cut);
            let mut out = unmapper.push(first);
            out.extend(unmapper.push(second));
            out.extend(unmapper.finish());
            let found = String::from_utf8_lossy(&out).into_owned();
            // `/tmp/Rest` is another folder only to a reader: no root is the beginning of another's name.
            assert_eq!(found, "a /data/x: no /est /\n/", "cut at {cut}");
        }
    }
}
