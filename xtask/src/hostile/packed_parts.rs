//! Packed parts inside other files that become large: records of perf, sections of trace-cmd and of libraries, texts of atrace.

use std::io::Read as _;

use super::bombs::{gzip, zlib, zstd_repeated};
use super::hostile_file::{Content, HostileFile, Reader};

const MB: usize = 1 << 20;

/// All of them.
pub fn packed_parts() -> Vec<HostileFile> {
    let traces = [
        ("packed-zeros.perf.data", perf_records(0)),
        // Records of a kind that nobody knows.
        ("packed-records.perf.data", perf_records(8)),
        ("packed-options.trace.dat", repeated_options()),
        ("packed-text.atrace", atrace()),
        ("packed-text.systrace.html", page()),
    ];
    let traces = traces.into_iter().map(|(name, file)| HostileFile::new(name, Reader::Trace, file));
    traces.chain(libraries()).collect()
}

/// A stream of perf: its head, one event, and packed records that unpack to 40 GB of one byte.
fn perf_records(byte: u8) -> Vec<u8> {
    let mut attr = [1_u32.to_le_bytes(), 112_u32.to_le_bytes()].concat();
    for value in [0_u64, 1000, 0x1ffff, 15, 1 << 18, 0, 0, 0, 3 << 17, 5, 0, 0, 0] {
        attr.extend(value.to_le_bytes());
    }
    let record = |kind: u32, body: &[u8]| {
        let size = (body.len() + 8) as u16;
        [&kind.to_le_bytes()[..], &[0, 0], &size.to_le_bytes(), body].concat()
    };
    let mut file = [b"PERFILE2".as_slice(), &16_u64.to_le_bytes(), &record(64, &attr)].concat();
    let frame = zstd_repeated(&[], byte, 2000);
    for _ in 0..20 {
        for part in frame.chunks(60_000) {
            file.extend(record(81, part));
        }
    }
    file
}

/// A file of trace-cmd whose section of options is 200 MB of nothing, and says that the next section of options is itself.
fn repeated_options() -> Vec<u8> {
    const KALLSYMS: u16 = 19;
    let head = [b"\x17\x08\x44tracing".as_slice(), b"7\0\0\x08\0\x10\0\0zlib\x001.2.13\0"].concat();
    let at = (head.len() + 8) as u64;
    let nothing = vec![0; 200 * MB];
    let option = |id: u16, data: &[u8]| {
        [&id.to_le_bytes()[..], &(data.len() as u32).to_le_bytes(), data].concat()
    };
    let options = [option(KALLSYMS, &nothing), option(0, &at.to_le_bytes())].concat();
    let packed = zlib(&options);
    let sizes = [packed.len() as u32, options.len() as u32].map(u32::to_le_bytes).concat();
    let size = (packed.len() + 8) as u64;
    // Number, that it is packed, its description.
    let section = [&[0, 0, 1, 0, 0, 0, 0, 0][..], &size.to_le_bytes(), &sizes, &packed].concat();
    [head, at.to_le_bytes().to_vec(), section].concat()
}

fn atrace() -> Vec<u8> {
    let chunk = [b"TRACE:\n".as_slice(), &zlib(&vec![b'x'; 256 * MB]), b"\n"].concat();
    chunk.repeat(20)
}

/// A page whose parts are packed, in base64.
fn page() -> Vec<u8> {
    let packed = base64(&gzip(&b"# tracer: nop\n".repeat(16 * MB)));
    let part = format!("<script id=\"viewer-data\" type=\"text/plain\">\n{packed}\n</script>\n");
    format!("<!DOCTYPE html>\n<html><head><title>trace-viewer</title>\n{}</html>\n", part.repeat(8))
        .into_bytes()
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().fold(0_u32, |group, byte| group << 8 | u32::from(*byte));
        let group = group << (8 * (3 - chunk.len()));
        for nth in 0..4 {
            let digit = DIGITS[(group >> (18 - 6 * nth) & 63) as usize];
            text.push(if nth <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

/// Folders with a library of the name that the samples are in, whose debug sections unpack to gigabytes.
fn libraries() -> Vec<HostileFile> {
    const NAME: &str = "libc-2.19.so";
    let zeros = vec![0; 400 * MB];
    let mut deflated = Vec::new();
    let mut encoder = flate2::read::ZlibEncoder::new(&*zeros, flate2::Compression::fast());
    // Reading from memory does not fail.
    let _ = encoder.read_to_end(&mut deflated);
    let packings = [
        ("packed-sections.symbols", 1, zeros.len(), deflated),
        ("packed-sections-of-zstd.symbols", 2, 4000 * MB, zstd_repeated(&[], 0, 4000)),
    ];
    let folder = |(name, kind, size, packed): (&str, u32, usize, Vec<u8>)| {
        let content = Content::Folder(vec![(NAME.to_owned(), library(kind, size, &packed))]);
        HostileFile { name: name.to_owned(), reader: Reader::Symbols, content }
    };
    packings.into_iter().map(folder).collect()
}

/// An ELF file of 64 bits with eight sections of debug data, all of which are the same packed bytes.
fn library(packing: u32, size: usize, packed: &[u8]) -> Vec<u8> {
    const NAMES: [&str; 8] = [
        ".debug_info",
        ".debug_abbrev",
        ".debug_line",
        ".debug_str",
        ".debug_ranges",
        ".debug_rnglists",
        ".debug_loc",
        ".debug_frame",
    ];
    /// Bytes of the file's header, and of that of a section.
    const HEADER: usize = 64;
    /// `SHF_COMPRESSED`.
    const IS_PACKED: u64 = 1 << 11;
    let mut file = vec![0; HEADER];
    let content = [
        &packing.to_le_bytes()[..],
        &[0; 4],
        &(size as u64).to_le_bytes(),
        &1_u64.to_le_bytes(),
        packed,
    ]
    .concat();
    let data = file.len() as u64;
    file.extend(&content);
    let texts = file.len() as u64;
    let mut names = vec![0];
    let mut sections = vec![0; HEADER];
    let mut section = |name: usize, kind: u32, flags: u64, at: u64, size: u64| {
        sections.extend((name as u32).to_le_bytes());
        sections.extend(kind.to_le_bytes());
        for value in [flags, 0, at, size, 0, 1, 0] {
            sections.extend(value.to_le_bytes());
        }
    };
    for name in NAMES {
        section(names.len(), 1, IS_PACKED, data, content.len() as u64);
        names.extend(name.as_bytes());
        names.push(0);
    }
    let of_names = names.len();
    names.extend(b".shstrtab\0");
    section(of_names, 3, 0, texts, names.len() as u64);
    file.extend(&names);
    let table = file.len() as u64;
    file.extend(&sections);
    let mut put = |at: usize, value: &[u8]| file[at..at + value.len()].copy_from_slice(value);
    put(0, b"\x7fELF\x02\x01\x01");
    // A shared library for x86-64, version 1.
    put(16, &[3, 0, 62, 0, 1, 0, 0, 0]);
    put(40, &table.to_le_bytes());
    // Sizes of the headers; sections, and the one with their names.
    put(52, &[64, 0, 56, 0, 0, 0, 64, 0]);
    put(60, &(NAMES.len() as u16 + 2).to_le_bytes());
    put(62, &(NAMES.len() as u16 + 1).to_le_bytes());
    file
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn base64_is_that_of_the_standard() {
        let texts =
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")];
        for (plain, packed) in texts {
            assert_eq!(base64(plain.as_bytes()), packed);
        }
    }
}
