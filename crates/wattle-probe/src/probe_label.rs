//! The texts that probes carry.

use std::fmt::Write as _;

use crate::{MapId, ProbeEvent, Sink};

/// The most UTF-16 units that `android.os.Trace.beginSection` takes.
const MAX_SECTION: usize = 127;

/// Writes the texts of one map's probes.
#[derive(Clone, Debug)]
pub(crate) struct Labels {
    sink: Sink,
    map: String,
}

/// The subject of a text: a class as Java writes it, and a method's name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject<'s> {
    pub(crate) class: &'s str,
    pub(crate) method: &'s str,
    pub(crate) id: u32,
    /// The line of a call.
    pub(crate) line: Option<u32>,
}

impl Labels {
    pub(crate) fn new(sink: Sink, map: &MapId) -> Self {
        Self { sink, map: map.short() }
    }

    /// The text of an event, into `out`, which is emptied first.
    pub(crate) fn write(&self, event: ProbeEvent, subject: Subject<'_>, out: &mut String) {
        out.clear();
        match self.sink {
            Sink::Navitas => {
                let word = if event == ProbeEvent::Enter { "Entry" } else { "Exit" };
                let _ = write!(out, "{word} {}.{}", subject.class, subject.method);
            }
            Sink::Orka => orka(event, subject, out),
            Sink::Trace | Sink::Logcat | Sink::File => self.section(subject, out),
        }
    }

    /// `com.example.Main.run #1k2@9f86d081`: readable first, exact behind. Too long a name loses its beginning.
    fn section(&self, subject: Subject<'_>, out: &mut String) {
        let mut tail = String::from(" #");
        base36(subject.id, &mut tail);
        tail.push('@');
        tail.push_str(&self.map);
        let room = MAX_SECTION.saturating_sub(tail.len());
        let units = subject.class.len() + 1 + subject.method.len();
        // A character has at least as many bytes as UTF-16 units.
        if units <= room && is_plain(subject.class) && is_plain(subject.method) {
            out.push_str(subject.class);
            out.push('.');
            out.push_str(subject.method);
        } else {
            let name: Vec<char> = subject
                .class
                .chars()
                .chain(['.'])
                .chain(subject.method.chars())
                .map(|it| if it == '|' || it.is_control() { '_' } else { it })
                .collect();
            let mut left = room;
            let kept = name
                .iter()
                .rev()
                .take_while(|it| {
                    let fits = it.len_utf16() <= left;
                    left = left.saturating_sub(it.len_utf16());
                    fits
                })
                .count();
            out.extend(name.get(name.len() - kept..).unwrap_or_default());
        }
        out.push_str(&tail);
    }
}

/// Whether nothing of a name has to be replaced in a section's label.
fn is_plain(name: &str) -> bool {
    name.bytes().all(|byte| (b' '..0x7f).contains(&byte) && byte != b'|')
}

/// The lines of Orka's 2019 version: methods by their class's simple name, calls by their full path.
fn orka(event: ProbeEvent, subject: Subject<'_>, out: &mut String) {
    let simple = subject.class.rsplit('.').next().unwrap_or(subject.class);
    let _ = match event {
        ProbeEvent::Enter => write!(out, "entering {simple}/{}", subject.method),
        ProbeEvent::Exit | ProbeEvent::Unwind => write!(out, "exiting {simple}/{}", subject.method),
        ProbeEvent::Call | ProbeEvent::Back | ProbeEvent::Fail => {
            let _ = match subject.line {
                Some(line) => write!(out, "    API call l{line} "),
                None => write!(out, "    API call l-1 "),
            };
            write!(out, "{}/{}", subject.class.replace('.', "/"), subject.method)
        }
    };
}

/// A number in base 36, lower case.
fn base36(mut number: u32, out: &mut String) {
    let mut digits = [0_u8; 7];
    let mut count = 0;
    for slot in digits.iter_mut().rev() {
        let digit = (number % 36) as u8;
        *slot = if digit < 10 { b'0' + digit } else { b'a' + digit - 10 };
        number /= 36;
        count += 1;
        if number == 0 {
            break;
        }
    }
    out.extend(digits.iter().skip(digits.len() - count).map(|&digit| char::from(digit)));
}

#[cfg(test)]
mod tests {
    use super::{Labels, Subject, base36};
    use crate::{MapId, ProbeEvent, Sink};

    #[track_caller]
    fn check(sink: Sink, event: ProbeEvent, class: &str, method: &str, expected: &str) {
        let mut text = "before".to_owned();
        let labels = Labels::new(sink, &MapId([0x9f; 32]));
        labels.write(event, Subject { class, method, id: 2018, line: Some(12) }, &mut text);
        assert_eq!(text, expected);
    }

    #[test]
    fn sections_are_short_and_free_of_separators() {
        use ProbeEvent::Enter;
        check(Sink::Trace, Enter, "com.example.Main", "run", "com.example.Main.run #1k2@9f9f9f9f");
        check(Sink::Trace, Enter, "a|b", "c\nd", "a_b.c_d #1k2@9f9f9f9f");
        let tail = " #1k2@9f9f9f9f";
        let long = "x".repeat(200);
        let expected = format!("{}.run{tail}", "x".repeat(127 - tail.len() - 4));
        check(Sink::Trace, Enter, &long, "run", &expected);
        // Each of these takes two UTF-16 units.
        let wide = "𝒳".repeat(100);
        let expected = format!("{}.r{tail}", "𝒳".repeat((127 - tail.len() - 2) / 2));
        check(Sink::Trace, Enter, &wide, "r", &expected);
    }

    #[test]
    fn navitas_and_orka_write_their_lines() {
        use ProbeEvent::{Back, Enter, Exit, Unwind};
        check(Sink::Navitas, Enter, "com.example.Main", "run", "Entry com.example.Main.run");
        check(Sink::Navitas, Unwind, "com.example.Main", "run", "Exit com.example.Main.run");
        check(Sink::Orka, Enter, "com.example.Main$1", "run", "entering Main$1/run");
        check(Sink::Orka, Exit, "com.example.Main$1", "run", "exiting Main$1/run");
        check(
            Sink::Orka,
            Back,
            "android.widget.Toast",
            "show",
            "    API call l12 android/widget/Toast/show",
        );
    }

    #[test]
    fn numbers_in_base_36() {
        for (number, expected) in [(0, "0"), (35, "z"), (36, "10"), (u32::MAX, "1z141z3")] {
            let mut text = String::new();
            base36(number, &mut text);
            assert_eq!(text, expected);
        }
    }
}
