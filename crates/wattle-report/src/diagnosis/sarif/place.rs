//! Places in code as SARIF says them.

use std::fmt::Write as _;

use wattle_diagnose::{CodePlace, StackFrame};

use super::log::{
    ArtifactLocation, Frame, Location, LogicalLocation, PhysicalLocation, TextRegion,
};
use crate::clean::clean;

/// A file's name as a URI reference (RFC 3986): an absolute path of either system becomes a `file:` URI.
pub fn uri(path: &str) -> String {
    let path = path.replace('\\', "/");
    let is_drive =
        matches!(path.as_bytes(), [letter, b':', b'/', ..] if letter.is_ascii_alphabetic());
    let mut uri = String::with_capacity(path.len() + 8);
    if is_drive {
        uri.push_str("file:///");
    } else if path.starts_with("//") {
        uri.push_str("file:");
    } else if path.starts_with('/') {
        uri.push_str("file://");
    }
    for (at, byte) in path.bytes().enumerate() {
        let is_plain = byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
        // The colon of a drive; any other could be taken for the end of a scheme.
        if is_plain || (is_drive && at == 1) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

fn physical(file: &str, line: Option<u32>) -> PhysicalLocation {
    let region = line.filter(|line| *line > 0).map(|start_line| TextRegion { start_line });
    PhysicalLocation { artifact_location: ArtifactLocation { uri: uri(file) }, region }
}

/// Returns the location of a finding's code.
pub fn of_code(place: &CodePlace) -> Location {
    Location {
        physical_location: place.file.as_deref().map(|file| physical(file, place.line)),
        logical_locations: vec![LogicalLocation::new(&place.function, "function")],
    }
}

/// Returns the location of a frame. Its source is `file:line`, or a file alone.
pub fn of_frame(frame: &StackFrame) -> Location {
    let physical_location = frame.source.as_deref().map(|source| {
        let line =
            source.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?)));
        line.map_or_else(|| physical(source, None), |(file, line)| physical(file, Some(line)))
    });
    let logical_locations = vec![LogicalLocation::new(&frame.text, "function")];
    Location { physical_location, logical_locations }
}

/// A frame of a stack: its module is what stands before `!`, or before an address.
pub fn frame(frame: &StackFrame) -> Frame {
    let module = frame.text.split_once('!').or_else(|| frame.text.rsplit_once("+0x"));
    Frame { location: of_frame(frame), module: module.map(|(module, _)| clean(module)) }
}

/// The same where only its text is known.
pub fn frame_of_text(text: &str) -> Frame {
    frame(&StackFrame { text: text.to_owned(), source: None })
}

/// The recording itself, for a result of which nobody knows the code.
pub fn of_recording(artifact: &str) -> Location {
    Location { physical_location: Some(physical(artifact, None)), ..Location::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_references() {
        for (path, expected) in [
            ("a/Main.java", "a/Main.java"),
            (r"C:\src\a b.cpp", "file:///C:/src/a%20b.cpp"),
            (r"\\server\share\a.c", "file://server/share/a.c"),
            ("/src/é.c", "file:///src/%C3%A9.c"),
            ("x:y%.c", "x%3Ay%25.c"),
            ("javascript:alert(1)", "javascript%3Aalert%281%29"),
            ("\u{1}\n", "%01%0A"),
        ] {
            assert_eq!(uri(path), expected, "{path:?}");
        }
    }

    #[test]
    fn frames_say_their_lines() {
        let frame = |source: &str| {
            let source = Some(source.to_owned());
            let place = of_frame(&StackFrame { text: "f".to_owned(), source });
            let place = place.physical_location.unwrap();
            (place.artifact_location.uri, place.region.map(|region| region.start_line))
        };
        assert_eq!(frame("a.c:7"), ("a.c".to_owned(), Some(7)));
        assert_eq!(frame("a.c"), ("a.c".to_owned(), None));
        assert_eq!(frame("a.c:0"), ("a.c".to_owned(), None));
        assert_eq!(frame(r"C:\a.c:12"), ("file:///C:/a.c".to_owned(), Some(12)));
    }
}
