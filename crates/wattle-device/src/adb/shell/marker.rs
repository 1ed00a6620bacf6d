//! The exit status where the device has no shell protocol: the command's script prints it behind its output.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::SystemTime;

use crate::ShellEvent;

/// `255`, and an end of line that an old device's terminal makes two bytes of.
const LONGEST_TAIL: usize = 5;

/// A word that no output holds by chance.
#[derive(Debug)]
pub(super) struct Marker {
    word: Vec<u8>,
    /// The end of the output so far, while it may be the marker.
    held: Vec<u8>,
}

impl Marker {
    pub(super) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let word = format!("wattle-{:x}-{:x}-{count:x}-exit:", std::process::id(), now.as_nanos());
        Self { word: word.into_bytes(), held: Vec::new() }
    }

    /// The script that runs the command and tells its status. In a shell of its own, so that its `exit` does not end
    /// the script; on lines of its own, so that a comment at its end does not hide the rest.
    pub(super) fn script(&self, command: &str) -> String {
        format!("(\n{command}\n)\necho \"{}$?\"", String::from_utf8_lossy(&self.word))
    }

    /// Takes the next bytes; holds back only what may be the marker.
    pub(super) fn feed(&mut self, bytes: &[u8], events: &mut VecDeque<ShellEvent>) {
        self.held.extend_from_slice(bytes);
        let from = self.possible_start();
        let output: Vec<u8> = self.held.drain(..from).collect();
        if !output.is_empty() {
            events.push_back(ShellEvent::Stdout(output));
        }
    }

    /// Returns the start of the earliest text that may still turn out to be the marker with its status at the end.
    fn possible_start(&self) -> usize {
        let longest = self.word.len().saturating_add(LONGEST_TAIL);
        let first = self.held.len().saturating_sub(longest);
        (first..self.held.len())
            .find(|at| {
                let tail = self.held.get(*at..).unwrap_or_default();
                match tail.strip_prefix(self.word.as_slice()) {
                    Some(status) => is_start_of_status(status),
                    None => self.word.starts_with(tail),
                }
            })
            .unwrap_or(self.held.len())
    }

    /// The output is over. Gives the status if the marker was its end.
    pub(super) fn finish(&mut self, events: &mut VecDeque<ShellEvent>) -> Option<u8> {
        let held = std::mem::take(&mut self.held);
        let status = held.strip_prefix(self.word.as_slice()).and_then(parse_status);
        if status.is_none() && !held.is_empty() {
            events.push_back(ShellEvent::Stdout(held));
        }
        status
    }
}

fn is_start_of_status(tail: &[u8]) -> bool {
    let digits = tail.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let end = tail.get(digits..).unwrap_or_default();
    digits <= 3 && matches!(end, b"" | b"\n" | b"\r" | b"\r\n")
}

fn parse_status(tail: &[u8]) -> Option<u8> {
    str::from_utf8(tail).ok()?.strip_suffix('\n')?.trim_end_matches('\r').parse().ok()
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use proptest::prelude::*;

    use super::*;

    fn run(marker: &mut Marker, bytes: &[u8], cuts: &[usize]) -> (Vec<u8>, Option<u8>) {
        let mut events = VecDeque::new();
        let mut rest = bytes;
        for cut in cuts {
            let (piece, after) = rest.split_at(*cut.min(&rest.len()));
            marker.feed(piece, &mut events);
            rest = after;
        }
        marker.feed(rest, &mut events);
        let status = marker.finish(&mut events);
        let output = events.into_iter().flat_map(|event| match event {
            ShellEvent::Stdout(bytes) => bytes,
            other => panic!("{other:?}"),
        });
        (output.collect(), status)
    }

    /// The machine's own POSIX shell runs the script.
    #[track_caller]
    fn check(command: &str, output: &str, status: Option<u8>) {
        let mut marker = Marker::new();
        let script = marker.script(command);
        let told = Command::new("sh").arg("-c").arg(script).output().expect("a shell").stdout;
        let (found, end) = run(&mut marker, &told, &[]);
        assert_eq!((String::from_utf8_lossy(&found).as_ref(), end), (output, status), "{command}");
    }

    #[test]
    fn the_status_is_told_behind_any_output() {
        check("echo a; exit 3", "a\n", Some(3));
        check("printf a", "a", Some(0));
        check("true # a comment", "", Some(0));
        check("cat <<X\nwattle-\nX", "wattle-\n", Some(0));
        check("nonexistent-command-of-wattle 2>/dev/null", "", Some(127));
        check("printf x; kill -9 $$", "x", None);
    }

    #[test]
    fn a_script_that_never_came_to_its_end_has_no_status() {
        let mut marker = Marker::new();
        let start = marker.word.get(..12).expect("a part").to_vec();
        assert_eq!(run(&mut marker, &start, &[]), (start.clone(), None));
    }

    proptest! {
        /// Output with pieces of the marker in it comes out whole, however it is cut.
        #[test]
        fn output_is_never_lost(
            pieces in proptest::collection::vec(
                prop_oneof![
                    proptest::collection::vec(any::<u8>(), 0..6).prop_map(Err),
                    (0usize..60).prop_map(Ok),
                ], 0..8),
            status in any::<u8>(),
            cuts in proptest::collection::vec(0usize..40, 0..10),
            end in prop_oneof![Just("\n"), Just("\r\n")],
        ) {
            let mut marker = Marker::new();
            let mut output = Vec::new();
            for piece in &pieces {
                match piece {
                    Ok(length) => output.extend(marker.word.iter().take(*length)),
                    Err(bytes) => output.extend(bytes),
                }
            }
            let mut told = output.clone();
            told.extend_from_slice(&marker.word);
            told.extend_from_slice(format!("{status}{end}").as_bytes());
            prop_assert_eq!(run(&mut marker, &told, &cuts), (output, Some(status)));
        }
    }
}
