//! A method trace of Android's runtime, version 3, with both clocks.

/// Entries and exits at scale 1.
const RECORDS: u32 = 300_000;
const METHODS: u32 = 500;
const THREADS: u16 = 4;
const FIRST_THREAD: u16 = 70;
const DEEPEST: usize = 20;

/// Calls up to twenty deep on four threads, in turns of fifty records.
pub fn trace(scale: u64) -> Vec<u8> {
    let mut text =
        "*version\n3\ndata-file-overflow=false\nclock=dual\npid=70\n*threads\n".to_owned();
    text.extend((0..THREADS).map(|it| format!("{}\tthread {it}\n", FIRST_THREAD + it)));
    text += "*methods\n";
    text.extend((0..METHODS).map(|it| {
        format!("{:#x}\tcom.example.Class{}\tmethod{it}\t(I)V\tA.java\n", it * 4, it % 40)
    }));
    let mut file = (text + "*end\n").into_bytes();
    file.extend(b"SLOW\x03\0\x20\0\0\0\0\0\0\0\0\0\x0e\0");
    file.extend([0; 14]);
    let mut open: [Vec<u32>; THREADS as usize] = Default::default();
    for step in 0..RECORDS * scale as u32 {
        let thread = (step / 50 % u32::from(THREADS)) as u16;
        let stack = &mut open[usize::from(thread)];
        let is_entry = stack.is_empty() || (step / 7 % 2 == 0 && stack.len() < DEEPEST);
        let word = if is_entry {
            stack.push(step * 31 % METHODS * 4);
            step * 31 % METHODS * 4
        } else {
            stack.pop().unwrap_or_default() | 1
        };
        file.extend((FIRST_THREAD + thread).to_le_bytes());
        file.extend(word.to_le_bytes());
        file.extend((step * 3).to_le_bytes());
        file.extend((step * 4).to_le_bytes());
    }
    file
}
