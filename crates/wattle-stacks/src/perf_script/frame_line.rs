//! One line of a stack.

use memchr::memchr;

use wattle_import::text::hexadecimal;

/// A frame as it is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FrameLine<'a> {
    pub address: u64,
    /// The function; `None` for `[unknown]` and where none is printed.
    pub function: Option<&'a [u8]>,
    /// The file; `None` for `[unknown]` and where none is printed.
    pub mapping: Option<&'a [u8]>,
    pub inlined: bool,
}

/// `ffffffff8104f45a native_write_msr_safe+0x1a ([kernel.kallsyms])`, from its first digit on; `None` if it is none.
pub(super) fn parse(line: &[u8]) -> Option<FrameLine<'_>> {
    let line = line.trim_ascii();
    let end = memchr(b' ', line).unwrap_or(line.len());
    let digits = line.get(..end)?;
    if digits.is_empty() || digits.len() > 16 || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let address = hexadecimal(digits)?;
    let mut rest = line.get(end..)?.trim_ascii();
    let inlined = rest.ends_with(b" (inlined)");
    let mut mapping = None;
    if inlined {
        rest = rest.strip_suffix(b"(inlined)")?.trim_ascii_end();
    } else if let Some(open) = last_bracket(rest) {
        mapping = mapping_in(rest.get(open + 1..rest.len() - 1)?);
        rest = rest.get(..open)?.trim_ascii_end();
    }
    Some(FrameLine { address, function: function(rest), mapping, inlined })
}

/// Returns the opening position of the bracket that the line ends with, if a blank stands before it: those of arguments
/// have none.
fn last_bracket(text: &[u8]) -> Option<usize> {
    let mut depth = 0usize;
    for (at, byte) in text.iter().enumerate().rev() {
        match byte {
            b')' => depth += 1,
            b'(' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            let is_apart = at == 0 || text.get(at - 1) == Some(&b' ');
            return (*byte == b'(' && is_apart).then_some(at);
        }
    }
    None
}

/// `/usr/lib/libc.so.6`, without that it was deleted meanwhile and without the place in it (`-F dsoff`).
fn mapping_in(text: &[u8]) -> Option<&[u8]> {
    let text = text.strip_suffix(b" (deleted)").unwrap_or(text);
    let text = without_offset(text);
    (text != b"[unknown]" && !text.is_empty()).then_some(text)
}

/// The function without the place in it.
fn function(text: &[u8]) -> Option<&[u8]> {
    let text = without_offset(text);
    (text != b"[unknown]" && !text.is_empty()).then_some(text)
}

fn without_offset(text: &[u8]) -> &[u8] {
    let Some(plus) = text.iter().rposition(|byte| *byte == b'+') else { return text };
    let digits = text.get(plus + 1..).and_then(|offset| offset.strip_prefix(b"0x"));
    match digits {
        Some(digits) if !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit) => {
            text.get(..plus).unwrap_or(text)
        }
        _ => text,
    }
}

/// `  file.c:12`, which may stand below a frame: the file and the line.
pub(super) fn source_line(line: &[u8]) -> Option<(&[u8], u32)> {
    let line = line.trim_ascii();
    let line = match line.iter().rposition(|byte| *byte == b'(') {
        Some(open) if line.get(open..)?.starts_with(b"(discriminator ") => {
            line.get(..open)?.trim_ascii_end()
        }
        _ => line,
    };
    let colon = line.iter().rposition(|byte| *byte == b':')?;
    let number = std::str::from_utf8(line.get(colon + 1..)?).ok()?.parse().ok()?;
    let file = line.get(..colon)?;
    (!file.is_empty() && file != b"??").then_some((file, number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: Option<(u64, Option<&str>, Option<&str>, bool)>) {
        let text = |bytes: Option<&[u8]>| bytes.map(|b| String::from_utf8_lossy(b).into_owned());
        let found = parse(line.as_bytes());
        let found = found.map(|f| (f.address, text(f.function), text(f.mapping), f.inlined));
        let expected =
            expected.map(|(a, f, m, i)| (a, f.map(str::to_owned), m.map(str::to_owned), i));
        assert_eq!(found, expected, "{line:?}");
    }

    #[test]
    fn frames_in_every_form() {
        check(
            "\tffffffff8104f45a native_write_msr_safe ([kernel.kallsyms])",
            Some((
                0xffff_ffff_8104_f45a,
                Some("native_write_msr_safe"),
                Some("[kernel.kallsyms]"),
                false,
            )),
        );
        check(
            "\t   1177 main+0x3e (/tmp/my prog)",
            Some((0x1177, Some("main"), Some("/tmp/my prog"), false)),
        );
        check("  606 [unknown] ([unknown])", Some((0x606, None, None, false)));
        check("  606 [unknown] (/bin/a (deleted))", Some((0x606, None, Some("/bin/a"), false)));
        check("513", Some((0x513, None, None, false)));
        check(
            "1f std::f(int, char const*)+0x1f (/l.so+0x40)",
            Some((0x1f, Some("std::f(int, char const*)"), Some("/l.so"), false)),
        );
        check("1f std::f(int (*)())", Some((0x1f, Some("std::f(int (*)())"), None, false)));
        check("1177 mid (inlined)", Some((0x1177, Some("mid"), None, true)));
        check(
            "7f Lio/netty/A;.run (/tmp/perf-23895.map)",
            Some((0x7f, Some("Lio/netty/A;.run"), Some("/tmp/perf-23895.map"), false)),
        );
        check("1f operator+ (/l.so)", Some((0x1f, Some("operator+"), Some("/l.so"), false)));
        for line in ["", "main.c:12", "xyz main (/a)", "12345678901234567 f (/a)"] {
            check(line, None);
        }
    }

    #[test]
    fn source_lines() {
        let check = |line: &str, expected: Option<(&str, u32)>| {
            let expected = expected.map(|(file, line)| (file.as_bytes(), line));
            assert_eq!(source_line(line.as_bytes()), expected, "{line}");
        };
        check("  t.c:2", Some(("t.c", 2)));
        check("  /a b/t.c:17 (discriminator 3)", Some(("/a b/t.c", 17)));
        check("  ??:0", None);
        check("  [kernel.kallsyms][ffffffff815d2e74]", None);
        check("  libc.so.6[2724a]", None);
    }
}
