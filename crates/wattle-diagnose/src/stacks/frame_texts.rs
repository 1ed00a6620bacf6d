//! Frames as tables show them.

use rustc_hash::FxHashMap;
use wattle_timeline::{Frame, FrameAddress, FrameKind, NameId, Names, StackSamples};

use crate::StackFrame;

/// One text: frames of equal text are one frame, wherever they come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct TextId(pub(crate) u32);

/// All of them, each once.
#[derive(Debug, Default)]
pub(crate) struct FrameTexts {
    frames: Vec<StackFrame>,
    by_text: FxHashMap<String, TextId>,
    of_frame: FxHashMap<u32, TextId>,
    of_section: FxHashMap<NameId, TextId>,
}

impl FrameTexts {
    /// Of a frame of sampled stacks, by its number.
    pub(crate) fn of_frame(&mut self, samples: &StackSamples, names: &Names, frame: u32) -> TextId {
        if let Some(known) = self.of_frame.get(&frame) {
            return *known;
        }
        let unknown = Frame::default();
        let it = samples.frames.get(frame as usize).unwrap_or(&unknown);
        let id = self.intern(text(it, names), source(it, names));
        self.of_frame.insert(frame, id);
        id
    }

    /// Of a section or a traced method.
    pub(crate) fn of_section(&mut self, names: &Names, name: NameId) -> TextId {
        if let Some(known) = self.of_section.get(&name) {
            return *known;
        }
        let id = self.intern(names.get(name).to_owned(), None);
        self.of_section.insert(name, id);
        id
    }

    fn intern(&mut self, text: String, source: Option<String>) -> TextId {
        if let Some(known) = self.by_text.get(&text) {
            // Two places in one function are of no one line.
            if let Some(frame) = self.frames.get_mut(known.0 as usize)
                && frame.source != source
            {
                frame.source = common_file(frame.source.take(), source);
            }
            return *known;
        }
        let id = TextId(self.frames.len() as u32);
        self.by_text.insert(text.clone(), id);
        self.frames.push(StackFrame { text, source });
        id
    }

    /// The frames of the texts.
    pub(crate) fn frames(&self, texts: &[TextId]) -> Vec<StackFrame> {
        texts.iter().filter_map(|id| self.frames.get(id.0 as usize).cloned()).collect()
    }
}

/// `module!function`, or what of it is known.
pub(crate) fn text(frame: &Frame, names: &Names) -> String {
    let known = |name: NameId| Some(names.get(name)).filter(|text| !text.is_empty());
    let function = frame.function.and_then(known);
    let module = frame.mapping.and_then(known).map(last_part);
    match (function, module) {
        (Some(function), _) if matches!(frame.kind, FrameKind::Java | FrameKind::Jit) => {
            function.to_owned()
        }
        (Some(function), Some(module)) => format!("{module}!{function}"),
        (Some(function), None) => function.to_owned(),
        (None, Some(module)) => match frame.address {
            FrameAddress::InFile(at) | FrameAddress::InElf(at) => format!("{module}+{at:#x}"),
            FrameAddress::Absolute(at) => format!("{module}!{at:#x}"),
            FrameAddress::Unknown => module.to_owned(),
        },
        (None, None) => match frame.address {
            FrameAddress::InFile(at) | FrameAddress::InElf(at) | FrameAddress::Absolute(at) => {
                format!("{at:#x}")
            }
            FrameAddress::Unknown => "unknown".to_owned(),
        },
    }
}

/// The last part of a path of Unix or of Windows.
fn last_part(path: &str) -> &str {
    path.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or(path)
}

fn source(frame: &Frame, names: &Names) -> Option<String> {
    let file = names.get(frame.file?);
    Some(frame.line.map_or_else(|| file.to_owned(), |line| format!("{file}:{line}")))
}

/// The file of both, without a line.
fn common_file(one: Option<String>, other: Option<String>) -> Option<String> {
    let file = |source: &str| match source.rsplit_once(':') {
        Some((file, line)) if line.bytes().all(|it| it.is_ascii_digit()) => file.to_owned(),
        _ => source.to_owned(),
    };
    let (one, other) = (file(&one?), file(&other?));
    (one == other).then_some(one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(
        function: &str,
        mapping: &str,
        address: FrameAddress,
        kind: FrameKind,
        expected: &str,
    ) {
        let mut names = Names::default();
        let mut name = |text: &str| (!text.is_empty()).then(|| names.intern(text));
        let (function, mapping) = (name(function), name(mapping));
        let frame = Frame { function, mapping, address, kind, ..Frame::default() };
        assert_eq!(text(&frame, &names), expected);
    }

    #[test]
    fn what_is_known_of_a_frame_is_shown() {
        use FrameAddress::{Absolute, InElf, InFile, Unknown};
        use FrameKind::{Java, Kernel, Native};
        check("main", "/system/bin/app", InElf(5), Native, "app!main");
        check("", "C:\\Windows\\System32\\ntdll.dll", InFile(0x1a2b), Native, "ntdll.dll+0x1a2b");
        check("", "/lib/libc.so", InElf(0x10), Native, "libc.so+0x10");
        check("", "/lib/libc.so", Absolute(0x10), Native, "libc.so!0x10");
        check("", "", Absolute(0x7ff0), Native, "0x7ff0");
        check("", "", Unknown, Native, "unknown");
        check("schedule", "[kernel.kallsyms]", Unknown, Kernel, "[kernel.kallsyms]!schedule");
        check("a.B.run", "/data/app/base.apk", InElf(7), Java, "a.B.run");
        check("main", "", Unknown, Native, "main");
    }

    #[test]
    fn a_function_seen_at_two_lines_has_its_file_only() {
        let mut texts = FrameTexts::default();
        let one = texts.intern("f".into(), Some("f.c:3".into()));
        assert_eq!(texts.intern("f".into(), Some("f.c:9".into())), one);
        assert_eq!(texts.frames(&[one])[0].source.as_deref(), Some("f.c"));
        texts.intern("f".into(), Some("g.c:9".into()));
        assert_eq!(texts.frames(&[one])[0].source, None);
    }
}
