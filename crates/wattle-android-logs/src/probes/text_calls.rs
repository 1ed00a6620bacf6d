//! Log lines of Navitas and Orka: a line where a method begins and one where it ends.
//!
//! # Limits
//!
//! - Times are those of the log: milliseconds, taken when the line was written, after the tool had read its files (Navitas) or built
//!   its text. A call that is shorter than that looks as long as that.
//! - Nothing tells a lost line: an entry without an exit ends with what called it.
//! - Orka names classes without their package, and calls of methods that contain no framework call not at all.
//! - The first Orka (tag `bwestfield`) logs where a method begins and not where it ends: a method is taken to last until the next
//!   begins on its thread, so that framework calls that follow a callee's return count as the callee's, as they did there.
//! - `invoking subroutine` says from which line the next method is called; the method says itself that it begins. Where a method is
//!   called from several lines, which of them a call came from is not kept.

/// Event that a line reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextCall<'a> {
    /// A method begins.
    Enter(&'a str),
    /// It ends.
    Exit(&'a str),
    /// A method is about to be called from a line; that it begins it says itself.
    Invoking(&'a str, u32),
    /// A framework call was made, from a line where the log says that.
    Called(&'a str, Option<u32>),
    /// A method begins, in a log that never says where one ends: whatever its thread did before is over.
    Instead(&'a str),
}

/// Reads a line of either tool: the call, and of Navitas what stands behind `TimeInStates`. `None` for any other line.
pub(crate) fn parse<'a>(tag: &[u8], message: &'a [u8]) -> Option<(TextCall<'a>, Option<&'a str>)> {
    let text = std::str::from_utf8(message).ok()?;
    match tag {
        b"TEST" => {
            let (word, rest) = text.split_once(' ')?;
            let (name, states) = rest.split_once(" TimeInStates ")?;
            let call = match word {
                "Entry" => TextCall::Enter(name),
                "Exit" => TextCall::Exit(name),
                _ => return None,
            };
            Some((call, Some(states)))
        }
        _ => orka(tag, text).map(|call| (call, None)),
    }
}

fn orka<'a>(tag: &[u8], text: &'a str) -> Option<TextCall<'a>> {
    match tag {
        b"orka" | b"bwestfield" => {
            let text = text.trim_start();
            if let Some(name) = text.strip_prefix("entering ") {
                // The first Orka logs no ends.
                let has_ends = tag == b"orka";
                return Some(if has_ends {
                    TextCall::Enter(name)
                } else {
                    TextCall::Instead(name)
                });
            }
            if let Some(name) = text.strip_prefix("exiting ") {
                return Some(TextCall::Exit(name));
            }
            if let Some(name) = text.strip_prefix("making call to ") {
                return Some(TextCall::Called(name, None));
            }
            if let Some(invoked) = text.strip_prefix("invoking subroutine ") {
                let (name, line) = with_line(invoked);
                return line.map(|line| TextCall::Invoking(name, line));
            }
            let (name, line) = with_line(text.strip_prefix("API call ")?);
            Some(TextCall::Called(name, line))
        }
        _ => None,
    }
}

/// `l17 android/util/Log/d`: `l17` is a line of the source, `l-1` none; the Orka of 2017 has none at all.
fn with_line(call: &str) -> (&str, Option<u32>) {
    let line = |word: &str| {
        let number = word.strip_prefix('l')?.parse::<i64>().ok()?;
        Some(u32::try_from(number).ok())
    };
    let split = call.split_once(' ').and_then(|(word, name)| Some((name, line(word)?)));
    split.unwrap_or((call, None))
}

#[cfg(test)]
mod tests {
    use super::TextCall::{Called, Enter, Exit, Instead, Invoking};
    use super::*;

    #[track_caller]
    fn check(tag: &str, message: &str, expected: Option<TextCall<'_>>) {
        let found = parse(tag.as_bytes(), message.as_bytes());
        assert_eq!(found.map(|(call, _)| call), expected, "{message:?}");
        let states = message.split_once(" TimeInStates ").map(|(_, states)| states);
        assert_eq!(found.and_then(|(_, states)| states), states.filter(|_| found.is_some()));
    }

    #[test]
    fn lines_of_both_tools() {
        let states = "TimeInStates cpu0 1600000 4702761 ;  EndOfData 0";
        check("TEST", &format!("Entry com.foo.Bar.baz {states}"), Some(Enter("com.foo.Bar.baz")));
        check("TEST", &format!("Exit com.foo.Bar.baz {states}"), Some(Exit("com.foo.Bar.baz")));
        check("TEST", "Entry com.foo.Bar.baz", None);
        check("TEST", "something else", None);
        check("orka", "entering Bar$1/run", Some(Enter("Bar$1/run")));
        check("orka", "exiting Bar/<init>", Some(Exit("Bar/<init>")));
        check(
            "orka",
            "    API call l17 android/util/Log/d",
            Some(Called("android/util/Log/d", Some(17))),
        );
        check("orka", "invoking subroutine l3 Bar/baz", Some(Invoking("Bar/baz", 3)));
        check("orka", "invoking subroutine l-1 Bar/baz", None);
        check("orka", "    API call android/util/Log/d", Some(Called("android/util/Log/d", None)));
        check(
            "orka",
            "    API call l-1 android/util/Log/d",
            Some(Called("android/util/Log/d", None)),
        );
        check("bwestfield", "entering baz", Some(Instead("baz")));
        check(
            "bwestfield",
            "making call to android/util/Log/d",
            Some(Called("android/util/Log/d", None)),
        );
        check("other", "entering baz", None);
    }
}
