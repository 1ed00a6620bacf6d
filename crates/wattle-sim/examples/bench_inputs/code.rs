//! A Dalvik executable of one class with many methods.

/// Methods at scale 1; a file may have 65,536.
const METHODS: u64 = 15_000;
/// Additions of each method.
const ADDITIONS: usize = 40;
const HEADER: u32 = 0x70;

/// A file that is laid out in the order of its map: identifiers first, then what they point to.
pub fn dex(scale: u64) -> Vec<u8> {
    let methods = (METHODS * scale).min(60_000) as u32;
    // Sorted, as the format demands: capitals come before small letters.
    let mut strings = vec!["LA;".to_owned(), "Ljava/lang/Object;".to_owned(), "V".to_owned()];
    strings.extend((0..methods).map(|method| format!("m{method:05}")));
    let string_ids = HEADER;
    let type_ids = string_ids + strings.len() as u32 * 4;
    let proto_ids = type_ids + 3 * 4;
    let method_ids = proto_ids + 12;
    let class_defs = method_ids + methods * 8;
    let data = class_defs + 32;
    let mut body = Vec::new();
    let at = |body: &Vec<u8>| data + body.len() as u32;

    let mut instructions: Vec<u16> = vec![0x0012];
    // add-int/lit8 v0, v0, 1
    instructions.extend([0x00d8, 0x0100].repeat(ADDITIONS));
    instructions.push(0x000e);
    let first_code = at(&body);
    let mut codes = Vec::new();
    for _ in 0..methods {
        codes.push(at(&body));
        for half in [1_u16, 0, 0, 0] {
            body.extend(half.to_le_bytes());
        }
        body.extend(0_u32.to_le_bytes());
        body.extend((instructions.len() as u32).to_le_bytes());
        body.extend(instructions.iter().flat_map(|unit| unit.to_le_bytes()));
        body.resize(body.len().next_multiple_of(4), 0);
    }
    let first_string = at(&body);
    let mut string_offsets = Vec::new();
    for string in &strings {
        string_offsets.push(at(&body));
        leb(&mut body, string.len() as u32);
        body.extend(string.bytes());
        body.push(0);
    }
    let class_data = at(&body);
    for count in [0, 0, methods, 0] {
        leb(&mut body, count);
    }
    for (method, code) in codes.iter().enumerate() {
        leb(&mut body, u32::from(method > 0));
        // public static
        leb(&mut body, 0x9);
        leb(&mut body, *code);
    }
    body.resize(body.len().next_multiple_of(4), 0);
    let map = at(&body);
    let entries = [
        (0x0000_u16, 1, 0),
        (0x0001, strings.len() as u32, string_ids),
        (0x0002, 3, type_ids),
        (0x0003, 1, proto_ids),
        (0x0005, methods, method_ids),
        (0x0006, 1, class_defs),
        (0x2001, methods, first_code),
        (0x2002, strings.len() as u32, first_string),
        (0x2000, 1, class_data),
        (0x1000, 1, map),
    ];
    body.extend((entries.len() as u32).to_le_bytes());
    for (kind, count, offset) in entries {
        body.extend(u32::from(kind).to_le_bytes());
        body.extend(count.to_le_bytes());
        body.extend(offset.to_le_bytes());
    }

    let mut file = b"dex\n035\0".to_vec();
    // Checksum and signature: set at the end, and left open.
    file.resize(32, 0);
    let mut words = |words: &[u32]| file.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    words(&[data + body.len() as u32, HEADER, 0x1234_5678, 0, 0, map]);
    words(&[strings.len() as u32, string_ids, 3, type_ids, 1, proto_ids, 0, 0]);
    words(&[methods, method_ids, 1, class_defs, body.len() as u32, data]);
    words(&string_offsets);
    words(&[0, 1, 2]);
    // `()V`: shorty, type returned, no parameters.
    words(&[2, 2, 0]);
    for method in 0..methods {
        // Class 0 and prototype 0 in one word; the name.
        words(&[0, 3 + method]);
    }
    words(&[0, 1, 1, 0, u32::MAX, 0, class_data, 0]);
    file.extend(body);
    let checksum = adler(&file[12..]);
    file[8..12].copy_from_slice(&checksum.to_le_bytes());
    file
}

/// An unsigned number in groups of seven bits.
fn leb(bytes: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn adler(bytes: &[u8]) -> u32 {
    let (low, high) = bytes.iter().fold((1_u32, 0_u32), |(low, high), byte| {
        let low = (low + u32::from(*byte)) % 65_521;
        (low, (high + low) % 65_521)
    });
    high << 16 | low
}
