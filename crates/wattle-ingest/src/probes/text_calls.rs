//! Log lines of Navitas and Orka: a line where a method begins and one where it ends.
//!
//! # Limits
//!
//! - Times are those of the log: milliseconds, taken when the line was written, after the tool had read its files (Navitas) or built
//!   its text. A call that is shorter than that looks as long as that.
//! - Nothing tells a lost line: an entry without an exit ends with what called it.
//! - Orka names classes without their package, and calls of methods that contain no framework call not at all.

/// What a line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextCall<'a> {
    /// A method begins.
    Enter(&'a str),
    /// It ends.
    Exit(&'a str),
    /// A framework call was made.
    Called(&'a str),
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
                return Some(TextCall::Enter(name));
            }
            if let Some(name) = text.strip_prefix("exiting ") {
                return Some(TextCall::Exit(name));
            }
            let name = match text.strip_prefix("API call l") {
                Some(rest) => rest.split_once(' ')?.1,
                None => text.strip_prefix("making call to ")?,
            };
            Some(TextCall::Called(name))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::TextCall::{Called, Enter, Exit};
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
        check("orka", "    API call l17 android/util/Log/d", Some(Called("android/util/Log/d")));
        check("orka", "invoking subroutine l3 Bar/baz", None);
        check("bwestfield", "entering baz", Some(Enter("baz")));
        check(
            "bwestfield",
            "making call to android/util/Log/d",
            Some(Called("android/util/Log/d")),
        );
        check("other", "entering baz", None);
    }
}
