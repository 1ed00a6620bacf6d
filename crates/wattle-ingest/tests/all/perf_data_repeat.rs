//! A longer recording from a short one: its samples again and again, each time later.

fn long(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

/// Records of a file of one order of bytes (the low byte first), its samples so many times, with their times moved on. The samples'
/// attributes must have them begin with what stands before the time.
pub fn samples(file: &[u8], times: u64) -> Vec<u8> {
    const SAMPLE: u32 = 9;
    let (attrs, data, size) =
        (long(file, 24) as usize, long(file, 40) as usize, long(file, 48) as usize);
    let sample_type = long(file, attrs + 24);
    // Identifier, address, thread: what there is of it stands before the time.
    let before = [1_u64 << 16, 1, 1 << 1].iter().filter(|bit| sample_type & **bit != 0).count();
    let at_time = 8 + 8 * before;
    let (mut others, mut samples) = (Vec::new(), Vec::new());
    let mut at = data;
    while at < data + size {
        let kind = u32::from_le_bytes(file[at..at + 4].try_into().expect("four bytes"));
        let length = usize::from(u16::from_le_bytes([file[at + 6], file[at + 7]]));
        if kind == SAMPLE {
            samples.push(&file[at..at + length]);
        } else {
            others.extend(&file[at..at + length]);
        }
        at += length;
    }
    let of = |sample: &&[u8]| long(sample, at_time);
    let first = samples.iter().map(of).min().unwrap_or(0);
    let last = samples.iter().map(of).max().unwrap_or(0);
    let span = last - first + 1_000_000;
    let mut records = others;
    for time in 0..times {
        for sample in &samples {
            let start = records.len() + at_time;
            records.extend(*sample);
            records[start..start + 8].copy_from_slice(&(of(sample) + time * span).to_le_bytes());
        }
    }
    // Everything else stays where it is: the records, and the places of the features after them, go behind.
    let mut longer = file.to_vec();
    longer[40..48].copy_from_slice(&(file.len() as u64).to_le_bytes());
    longer[48..56].copy_from_slice(&(records.len() as u64).to_le_bytes());
    longer.extend(records);
    let features: usize = file[72..104].iter().map(|byte| byte.count_ones() as usize).sum();
    longer.extend(&file[data + size..data + size + 16 * features]);
    longer
}
