//! The words of a job's process.

use crate::queue::FirstFigures;

/// Bytes that are remembered of its beginning.
const HEAD: usize = 8 << 10;
/// Bytes that are remembered of its end.
const TAIL: usize = 24 << 10;
/// Bytes of one line.
const LINE: usize = 4 << 10;
/// Characters of a reason.
const REASON: usize = 1000;
/// The beginning of a line about progress: `wattle-progress DONE TOTAL STAGE`, with `-` for an unknown total.
const PROGRESS: &str = "wattle-progress ";

/// The beginning of a line with figures of the beginning of a recording.
const FIRST: &str = "wattle-first ";

/// Progress of a process.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ChildProgress {
    pub line: String,
    pub fraction: Option<f64>,
}

/// The lines of a process's standard error: beginning and end, within a bound, and its progress.
#[derive(Debug, Default)]
pub(crate) struct ChildText {
    line: Vec<u8>,
    head: String,
    tail: String,
    is_cut: bool,
    first: Option<FirstFigures>,
}

impl ChildText {
    /// Takes bytes, and returns the last progress in them.
    pub fn add(&mut self, bytes: &[u8]) -> Option<ChildProgress> {
        let mut progress = None;
        for byte in bytes {
            match byte {
                b'\n' => progress = self.end_line().or(progress),
                // The rest of a line that is too long is lost.
                byte if self.line.len() < LINE => self.line.push(*byte),
                _ => {}
            }
        }
        progress
    }

    /// Figures of the beginning of a recording, if the process has stated some since the last call.
    pub fn take_first(&mut self) -> Option<FirstFigures> {
        self.first.take()
    }

    fn end_line(&mut self) -> Option<ChildProgress> {
        let line = clean(&String::from_utf8_lossy(&std::mem::take(&mut self.line)));
        if let Some(progress) = line.strip_prefix(PROGRESS) {
            return progress_of(progress);
        }
        if let Some(figures) = line.strip_prefix(FIRST) {
            self.first = FirstFigures::from_words(figures).or_else(|| self.first.take());
            return None;
        }
        if line.trim().is_empty() {
            return None;
        }
        let to = if self.head.len() < HEAD { &mut self.head } else { &mut self.tail };
        to.push_str(&line);
        to.push('\n');
        if self.tail.len() > 2 * TAIL {
            let cut = self.tail.len() - TAIL;
            let cut = self.tail.ceil_char_boundary(cut);
            self.tail.drain(..cut);
            self.is_cut = true;
        }
        None
    }

    /// All that is remembered, with the job's own folders left out of paths.
    pub fn finish(mut self, folders: &[String]) -> String {
        self.end_line();
        let gap = if self.is_cut { "…\n" } else { "" };
        let mut text = format!("{}{gap}{}", self.head, self.tail);
        for folder in folders.iter().filter(|folder| !folder.is_empty()) {
            text = text.replace(&format!("{folder}/"), "");
        }
        text
    }
}

/// One line for people: of what a process said at last.
pub(crate) fn reason_of(text: &str) -> String {
    let mut kept: Vec<&str> = text.lines().rev().take(8).collect();
    kept.reverse();
    let line = kept.join("\n");
    match line.char_indices().nth_back(REASON) {
        Some((at, _)) => format!("…{}", line.get(at..).unwrap_or_default()),
        None => line,
    }
}

fn progress_of(text: &str) -> Option<ChildProgress> {
    let mut parts = text.splitn(3, ' ');
    let (done, total, stage) = (parts.next()?, parts.next()?, parts.next()?);
    let done: f64 = done.parse().ok()?;
    let total: Option<f64> = total.parse().ok().filter(|total| *total > 0.0);
    let fraction = total.map(|total| (done / total).clamp(0.0, 1.0)).filter(|it| it.is_finite());
    Some(ChildProgress { line: stage.chars().take(100).collect(), fraction })
}

/// A line without control characters and without sequences that terminals obey.
fn clean(line: &str) -> String {
    let mut clean = String::with_capacity(line.len());
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        if character == '\u{1b}' {
            if characters.next_if_eq(&'[').is_some() {
                while characters.next_if(|it| !('@'..='~').contains(it)).is_some() {}
                characters.next();
            }
        } else if character == '\t' {
            clean.push(' ');
        } else if !character.is_control()
            && !matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        {
            clean.push(character);
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_taken_out_and_words_are_cleaned() {
        let mut text = ChildText::default();
        assert_eq!(text.add(b"wattle-progress 1 4 rea"), None);
        let progress =
            text.add(b"ding\nwattle-progress 5 - x\n\x1b[31merror:\x1b[0m in/0/a.zip:\tbad\x07\n");
        assert_eq!(progress, Some(ChildProgress { line: "x".into(), fraction: None }));
        let progress =
            text.add(b"wattle-progress 2 4 reading trace\n/srv/jobs/1-1/in/0/b: no\nlast");
        assert_eq!(
            progress,
            Some(ChildProgress { line: "reading trace".into(), fraction: Some(0.5) })
        );
        let folders = ["/srv/jobs/1-1".to_owned(), "in/0".to_owned()];
        assert_eq!(text.finish(&folders), "error: a.zip: bad\nb: no\nlast\n");
    }

    #[test]
    fn first_figures_are_taken_out() {
        let mut text = ChildText::default();
        text.add(b"wattle-first {\"read_bytes\":1}\n");
        assert_eq!(text.take_first(), None);
        text.add(br#"wattle-first {"format":"x","device":null,"read_bytes":1,"of_bytes":2,"seconds":1.0,"joules":null,"#);
        text.add(b"\"interval\":null,\"components\":[],\"consumers\":[]}\n");
        assert_eq!(text.take_first().map(|it| it.of_bytes), Some(2));
        assert_eq!((text.take_first(), text.finish(&[])), (None, String::new()));
    }

    #[test]
    fn endless_words_are_bounded() {
        let mut text = ChildText::default();
        for number in 0..100_000 {
            text.add(format!("line {number} {}\n", "ä".repeat(50)).as_bytes());
        }
        text.add(&vec![b'x'; 10_000_000]);
        let text = text.finish(&[]);
        assert!(
            text.starts_with("line 0 ") && text.len() < HEAD + 3 * TAIL + LINE,
            "{}",
            text.len()
        );
        assert!(text.contains("line 99999 ") && text.contains("…\n"));
        assert!(reason_of(&text).chars().count() <= REASON + 2);
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_are_too_strange(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..2000)) {
            let mut text = ChildText::default();
            text.add(&bytes);
            let text = text.finish(&[]);
            proptest::prop_assert!(text.chars().all(|it| it == '\n' || !it.is_control()));
        }
    }
}
