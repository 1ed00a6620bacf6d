//! The runtime's own pairs among printed sections, told from the app's by the format's page alone.

/// The readable part of their labels.
const NAME: &str = "wattle.calibration #0@";

/// Lines of sections without the runtime's own pairs.
pub struct Apart<'l> {
    /// The thread that made the pairs, with their label; nothing where there are none.
    pub pairs: Option<(&'l str, &'l str)>,
    /// All other lines.
    pub rest: Vec<&'l str>,
}

/// Reads `B <thread> <label>` and `E <thread>`. Where there is any section, there must be exactly 256 pairs, all of
/// one thread, before everything else of it.
#[track_caller]
pub fn apart(lines: &str) -> Apart<'_> {
    let mut apart = Apart { pairs: None, rest: Vec::new() };
    let (mut count, mut is_open) = (0, false);
    for line in lines.lines() {
        let mut words = line.splitn(3, ' ');
        let (kind, thread, label) = (words.next(), words.next().unwrap_or_default(), words.next());
        let own = label.filter(|label| label.starts_with(NAME));
        if let Some(label) = own {
            assert_eq!(kind, Some("B"), "{line}");
            assert!(!is_open, "pair {count} has no end");
            assert_eq!(*apart.pairs.get_or_insert((thread, label)), (thread, label));
            let before = apart.rest.iter().find(|it| it.split(' ').nth(1) == Some(thread));
            assert_eq!(before, None, "before the pairs");
            is_open = true;
            count += 1;
        } else if is_open && apart.pairs.is_some_and(|pairs| pairs.0 == thread) {
            assert_eq!(kind, Some("E"), "{line}");
            is_open = false;
        } else {
            apart.rest.push(line);
        }
    }
    let expected = if apart.rest.is_empty() && count == 0 { 0 } else { 256 };
    assert_eq!((count, is_open), (expected, false), "pairs, and whether one is open");
    apart
}
