//! Files that are not read, so that messages can say what they are.

use wattle_import::{Content, Head};

/// Formats with a signature at a fixed place.
const SIGNATURES: &[(usize, &[u8], &str)] = &[
    (0, b"\xff\xd8\xff", "a JPEG image"),
    (0, b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (0, b"GIF8", "a GIF image"),
    (8, b"WEBP", "a WebP image"),
    (4, b"ftyp", "an MP4 or HEIF file"),
    (0, b"%PDF", "a PDF document"),
    (0, b"\x7fELF", "an ELF executable or library"),
    (0, b"dex\n", "a DEX file (Android bytecode)"),
    (0, b"cdex", "a compact DEX file (Android bytecode)"),
    (0, b"vdex", "a VDEX file (Android bytecode)"),
    (0, b"oat\n", "an OAT file (Android machine code)"),
    (0, b"JAVA PROFILE", "a Java heap dump (HPROF)"),
    (0, b"SQLite format 3\0", "a SQLite database"),
    (0, b"\x28\xb5\x2f\xfd", "Zstandard data, as a saved ledger is, inside of another archive"),
    (0, b"\xfd7zXZ\0", "XZ data"),
    (0, b"BZh", "bzip2 data"),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (257, b"ustar", "a tar archive, whose files must be unpacked first"),
    (0, b"\xca\xfe\xba\xbe", "a Java class file"),
    (0, b"\x03\x00\x08\x00", "Android binary XML"),
    (0, b"MZ", "a Windows executable"),
    (0, b"PAR1", "a Parquet file"),
    (0, b"ARROW1", "an Arrow file"),
];

/// Returns the name of an unsupported format whose signature a file has.
pub(crate) fn signature(head: &[u8]) -> Option<&'static str> {
    let has = |(at, bytes, _): &&(usize, &[u8], &str)| {
        head.get(*at..).is_some_and(|rest| rest.starts_with(bytes))
    };
    SIGNATURES.iter().find(has).map(|(_, _, title)| *title)
}

/// The kind of content that bytes are of.
pub(crate) fn content(bytes: &[u8]) -> Content {
    let head = Head { bytes, content: Content::Binary };
    if !head.has_text_bytes() {
        return Content::Binary;
    }
    let contains = |needle: &[u8]| memchr::memmem::find(bytes, needle).is_some();
    let Some(first) = bytes.trim_ascii_start().first() else { return Content::Binary };
    match first {
        b'<' if contains(b"<device") && contains(b"item name=") => {
            Content::Foreign("a power_profile.xml")
        }
        b'<' if contains(b"<html")
            || contains(b"<!DOCTYPE html")
            || contains(b"<!doctype html") =>
        {
            Content::Foreign("an HTML page")
        }
        b'<' => Content::Foreign("XML"),
        b'{' | b'[' if contains(b"traceEvents") || contains(b"\"ph\"") => {
            Content::Foreign("a trace in Chrome's JSON format")
        }
        b'{' | b'[' if contains(b"\"total_elapsed_sec\"") && contains(b"\"cpus\"") => {
            let title =
                "results of freqbench: power for each step of the clock, not of a recording";
            Content::Foreign(title)
        }
        b'{' | b'[' => Content::Json,
        _ if contains(b"packet {") || contains(b"packet: {") => {
            Content::Foreign("a trace in protobuf text format")
        }
        _ => Content::Text,
    }
}
