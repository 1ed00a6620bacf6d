//! One line.

use std::borrow::Cow;

use wattle_timeline::FrameKind;

use crate::samples::java_name;

/// A stack and how much there is of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FoldedLine<'a> {
    /// Frames, outermost first, between semicolons.
    pub stack: &'a [u8],
    pub count: f64,
}

/// Splits a line; `None` if it is none of collapsed stacks.
pub(super) fn parse(line: &[u8]) -> Option<FoldedLine<'_>> {
    let line = line.trim_ascii_end();
    let blank = line.iter().rposition(|byte| matches!(byte, b' ' | b'\t'))?;
    let count = count(line.get(blank + 1..)?)?;
    let stack = line.get(..blank)?.trim_ascii();
    (!stack.is_empty()).then_some(FoldedLine { stack, count })
}

/// A count, which some tools write with a fraction.
fn count(text: &[u8]) -> Option<f64> {
    let is_number = text.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.');
    if text.is_empty() || text.len() > 32 || !is_number || !text.first()?.is_ascii_digit() {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// A frame as its text tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FoldedFrame<'a> {
    pub function: Option<Cow<'a, str>>,
    pub mapping: Option<Cow<'a, str>>,
    pub kind: FrameKind,
    pub inlined: bool,
}

/// Reads an entry of a stack.
pub(super) fn frame(entry: &[u8]) -> FoldedFrame<'_> {
    let (mut kind, mut inlined, mut is_marked) = (FrameKind::Native, false, false);
    let mut name = entry;
    while let Some((rest, mark)) = marked(name) {
        match mark {
            b'k' => kind = FrameKind::Kernel,
            b'j' => kind = FrameKind::Jit,
            b'i' => inlined = true,
            _ => break,
        }
        (name, is_marked) = (rest, true);
    }
    let text = String::from_utf8_lossy(name);
    let inside = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    if let Some(inside) = inside {
        let file = (inside != "unknown" && !inside.is_empty()).then(|| inside.to_owned().into());
        return FoldedFrame { function: None, mapping: file, kind, inlined };
    }
    let java = java_name(&text);
    if java.is_some() && !is_marked {
        kind = FrameKind::Java;
    } else if java.is_some() && inlined && kind == FrameKind::Native {
        // Only what was compiled while running tells what was put into it.
        kind = FrameKind::Jit;
    }
    let function = java.map_or(text, Cow::Owned);
    FoldedFrame { function: Some(function), mapping: None, kind, inlined }
}

/// The mark at the end, and what stands before it.
fn marked(name: &[u8]) -> Option<(&[u8], u8)> {
    let (rest, end) = name.split_at_checked(name.len().checked_sub(4)?)?;
    match end {
        [b'_', b'[', mark @ (b'k' | b'j' | b'i'), b']'] if !rest.is_empty() => Some((rest, *mark)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_stacks() {
        let check = |line: &str, expected: Option<(&str, f64)>| {
            let found = parse(line.as_bytes());
            let expected = expected.map(|(s, count)| FoldedLine { stack: s.as_bytes(), count });
            assert_eq!(found, expected, "{line:?}");
        };
        check("a;b c;d 12", Some(("a;b c;d", 12.0)));
        check("a 1.5 ", Some(("a", 1.5)));
        check("a;b\t7", Some(("a;b", 7.0)));
        check("a;b", None);
        check("12", None);
        check("a;b -1", None);
        check("a;b .", None);
    }

    #[test]
    fn frames_with_marks() {
        let check = |entry: &str, function: Option<&str>, mapping: Option<&str>, kind, inlined| {
            let found = frame(entry.as_bytes());
            let expected = FoldedFrame {
                function: function.map(Into::into),
                mapping: mapping.map(Into::into),
                kind,
                inlined,
            };
            assert_eq!(found, expected, "{entry}");
        };
        check("main", Some("main"), None, FrameKind::Native, false);
        check("vfs_write_[k]", Some("vfs_write"), None, FrameKind::Kernel, false);
        check("a/B:.run_[j]", Some("a.B.run"), None, FrameKind::Jit, false);
        check("a/B:::run_[j]_[i]", Some("a.B.run"), None, FrameKind::Jit, true);
        check("a/B:::run_[i]", Some("a.B.run"), None, FrameKind::Jit, true);
        check("a/B.run", Some("a.B.run"), None, FrameKind::Java, false);
        check("mid_[i]", Some("mid"), None, FrameKind::Native, true);
        check("[libjvm.so]", None, Some("libjvm.so"), FrameKind::Native, false);
        check("[unknown]", None, None, FrameKind::Native, false);
        check("[unknown]_[k]", None, None, FrameKind::Kernel, false);
        check("odd_[x]", Some("odd_[x]"), None, FrameKind::Native, false);
    }
}
