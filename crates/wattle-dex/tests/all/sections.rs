//! Sections that the builder does not make: hidden-API flags, and ones that nobody knows.

use wattle_dex::*;

use crate::support::sample::{self, broken_rules, rich};

fn put_u32(bytes: &mut [u8], at: usize, value: u32) {
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

/// Puts a section in front of the map, which is the last one of files from the builder.
fn with_section(bytes: &[u8], section: u16, content: &[u8]) -> Vec<u8> {
    let dex = Dex::parse(bytes).unwrap();
    let header = dex.header();
    let mut out = bytes[..header.map_off as usize].to_vec();
    let at = out.len() as u32;
    out.extend_from_slice(content);
    out.resize(out.len().next_multiple_of(4), 0);
    let map = out.len() as u32;
    let mut entries: Vec<(u16, u32, u32)> = dex
        .map()
        .entries()
        .iter()
        .map(|entry| (entry.section.0, entry.count, entry.offset))
        .collect();
    let last = entries.len() - 1;
    entries[last].2 = map;
    entries.insert(last, (section, 1, at));
    out.extend((entries.len() as u32).to_le_bytes());
    for (section, count, offset) in entries {
        out.extend(u32::from(section).to_le_bytes());
        out.extend(count.to_le_bytes());
        out.extend(offset.to_le_bytes());
    }
    let size = out.len() as u32;
    put_u32(&mut out, 32, size);
    put_u32(&mut out, 52, map);
    put_u32(&mut out, 104, size - header.data_off);
    seal(&mut out);
    out
}

/// Two classes; the second one has the members of [`rich`], the first has none.
fn two_classes() -> DexFile<'static> {
    let mut file = rich(35);
    let pool = file.pool_mut();
    let empty =
        Class::new(pool.ty("LEmpty;"), Some(pool.ty("Ljava/lang/Object;")), AccessFlags::PUBLIC);
    file.add_class(empty);
    file
}

#[test]
fn hidden_api_flags_follow_their_classes() {
    let plain = two_classes().write().unwrap();
    // Length, then an offset a class: the first has nine members, the second none.
    let flags = [1, 2, 3, 4, 5, 6, 7, 0x81, 0x01, 0];
    let mut content = vec![12 + flags.len() as u8, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0];
    content.extend(flags);
    let bytes = with_section(&plain, Section::HIDDEN_API.0, &content);
    assert_eq!(broken_rules(&bytes), [""; 0]);
    let dex = Dex::parse(&bytes).unwrap();
    let expected = [1, 2, 3, 4, 5, 6, 7, 0x81, 0];
    assert_eq!(dex.hidden_api_flags(ClassIndex(0)).unwrap(), expected);
    assert_eq!(dex.hidden_api_flags(ClassIndex(1)).unwrap(), []);
    assert_eq!(RoundTrip::from_dex(&dex).unwrap(), RoundTrip::Identical);

    let mut edit = DexFile::edit(&dex);
    let pool = edit.pool_mut();
    let new = Class::new(pool.ty("LA;"), Some(pool.ty("LEmpty;")), AccessFlags::PUBLIC);
    edit.add_class(new);
    let written = edit.write().unwrap();
    assert_eq!(broken_rules(&written), [""; 0]);
    let again = Dex::parse(&written).unwrap();
    assert_eq!(again.hidden_api_flags(ClassIndex(0)).unwrap(), expected);
    assert_eq!(again.hidden_api_flags(ClassIndex(2)).unwrap(), []);
}

#[test]
fn unknown_sections_are_kept() {
    let content = b"nobody knows what this is";
    let bytes = with_section(&two_classes().write().unwrap(), 0x4242, content);
    let dex = Dex::parse(&bytes).unwrap();
    // The runtime does not load it.
    assert_eq!(broken_rules(&bytes), ["map"]);
    assert_eq!(RoundTrip::from_dex(&dex).unwrap(), RoundTrip::Identical);
    let mut edit = DexFile::edit(&dex);
    edit.pool_mut().string("something that moves everything");
    let written = edit.write().unwrap();
    let again = Dex::parse(&written).unwrap();
    let at = again.map().get(Section(0x4242)).unwrap().offset as usize;
    assert_eq!(&written[at..at + content.len()], content);
}

#[test]
fn bodies_without_lines_get_their_addresses() {
    let bytes = sample::member(35, "m", "()V", true, |names, code| {
        let call = names.call("LOther;", "run", "()V");
        code.const_int(0, 1000).invoke(Opcode::INVOKE_STATIC, call, &[]).return_void();
    });
    let at = sample::code_offset(&bytes);
    let mut bare = bytes.clone();
    put_u32(&mut bare, at + 8, 0);
    seal(&mut bare);
    let lines = |bytes: &[u8]| -> Vec<DebugEvent> {
        let dex = Dex::parse(bytes).unwrap();
        let code = Code::decode_with_lines(&dex, &dex.code(at as u32).unwrap()).unwrap();
        let events = code.nodes.iter().filter_map(|node| match node {
            Node::Debug(event) => Some(*event),
            _ => None,
        });
        events.collect()
    };
    // The `invoke` stands behind a `const/16` of two units.
    assert_eq!(lines(&bare), [DebugEvent::Line(2)]);
    assert_eq!(lines(&bytes), [DebugEvent::Line(10)]);
}

#[test]
fn a_difference_names_its_section() {
    let mut bytes = two_classes().write().unwrap();
    let dex = Dex::parse(&bytes).unwrap();
    assert_eq!(RoundTrip::from_dex(&dex).unwrap(), RoundTrip::Identical);
    let end = bytes.len() as u32;
    // Bytes behind everything belong to nothing: gaps are written as zeros.
    bytes.extend([0, 1, 2, 3]);
    let size = bytes.len() as u32;
    put_u32(&mut bytes, 32, size);
    seal(&mut bytes);
    let dex = Dex::parse(&bytes).unwrap();
    let RoundTrip::Differs { section, offset, reason, .. } = RoundTrip::from_dex(&dex).unwrap()
    else {
        panic!("the bytes at the end came back")
    };
    assert_eq!((section, offset), (Section::MAP_LIST, end + 1), "{reason}");
    assert_eq!(reason, "bytes behind the section's items that belong to nothing");
}
