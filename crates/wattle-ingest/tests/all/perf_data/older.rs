//! Files of newer recorders in the form that `perf` 6.1 reads: attributes of 128 bytes, and packed records of the first kind.

/// Bytes of the attributes that perf 6.1 knows.
const ATTR: usize = 128;
const COMPRESSED: u32 = 81;
const COMPRESSED2: u32 = 83;

fn long(bytes: &[u8], at: usize) -> usize {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize
}

/// The file, brought to the older form where it is not in it. What stands at absolute places stays where it is: parts in another form
/// are put behind.
pub fn for_perf_6_1(file: &[u8]) -> Vec<u8> {
    if long(file, 8) == 16 {
        let mut older = file[..16].to_vec();
        older.extend(records(&file[16..]));
        return older;
    }
    let mut older = file.to_vec();
    let (attr_size, attrs, attrs_size) = (long(file, 16), long(file, 24), long(file, 32));
    let (data, data_size) = (long(file, 40), long(file, 48));
    let mut put =
        |at: usize, value: usize| older[at..at + 8].copy_from_slice(&(value as u64).to_le_bytes());
    let mut behind = Vec::new();
    if attr_size > ATTR + 16 {
        put(16, ATTR + 16);
        put(24, file.len());
        put(32, attrs_size / attr_size * (ATTR + 16));
        for entry in file[attrs..attrs + attrs_size].chunks(attr_size) {
            behind.extend(&entry[..4]);
            behind.extend((ATTR as u32).to_le_bytes());
            behind.extend(&entry[8..ATTR]);
            behind.extend(&entry[attr_size - 16..]);
        }
    }
    let changed = records(&file[data..data + data_size]);
    if changed != file[data..data + data_size] {
        put(40, file.len() + behind.len());
        put(48, changed.len());
        behind.extend(changed);
        let features: u32 = file[72..104].iter().map(|byte| byte.count_ones()).sum();
        let table = data + data_size;
        behind.extend(&file[table..table + 16 * features as usize]);
    }
    older.extend(behind);
    older
}

/// Records with packed ones of the first kind, and attributes of the older size.
fn records(bytes: &[u8]) -> Vec<u8> {
    const HEADER_ATTR: u32 = 64;
    let mut older = Vec::new();
    let mut at = 0;
    while at + 8 <= bytes.len() {
        let kind = u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        let size = usize::from(u16::from_le_bytes([bytes[at + 6], bytes[at + 7]]));
        let record = &bytes[at..at + size];
        let mut push = |kind: u32, body: &[u8]| {
            older.extend(kind.to_le_bytes());
            older.extend(&record[4..6]);
            older.extend((body.len() as u16 + 8).to_le_bytes());
            older.extend(body);
        };
        match kind {
            COMPRESSED2 => push(COMPRESSED, &record[16..16 + long(record, 8)]),
            HEADER_ATTR if record[12] as usize > ATTR => {
                let attr = record[12] as usize;
                let body = [
                    &record[8..12],
                    &(ATTR as u32).to_le_bytes(),
                    &record[16..8 + ATTR],
                    &record[8 + attr..],
                ];
                push(kind, &body.concat());
            }
            kind => push(kind, &record[8..]),
        }
        at += size;
    }
    older
}
