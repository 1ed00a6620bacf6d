//! Carriage returns, ends in the middle, and any bytes.

use crate::batterystats_reader;
use proptest::prelude::*;
use wattle_ingest::read_bytes;
use wattle_timeline::Timeline;

use super::proto::statistics;

const TEXT: &str = "Battery History (3% used, 15KB used of 512KB, 63 strings using 6430):\n                    0 (20) RESET:TIME: \
     2019-08-06-20-21-46\n                    0 (1) 100 status=full plug=wireless +running +wake_lock=u0a1:\"näme\" volt=4100\n      \
     +1s000ms (2) 099 -wake_lock +sync=u0a2:\"a b\"\n\nStatistics since last charge:\n  Total run time: 10s realtime, 5s uptime\n  \
     Start clock time: 2019-08-06-20-21-46\n  Screen brightnesses:\n    dark 5s (50,0%)\n\n  Estimated power use (mAh):\n    \
     Capacity: 4000, Computed drain: 30,5, actual drain: 10-20\n    Uid u0a1: 1,5 ( cpu=0,5 )\n\n  u0a1:\n    Wake lock näme: 1s \
     partial (1 times) realtime\n    Total cpu time: u=1s s=2s\n\n";

const CHECKIN: &str = "9,0,i,vers,35,196,RP1A,RP1A\n9,hsp,0,1,\"ä\"\n9,h,0:RESET:TIME:1639391540000\n9,h,0,Bl=95,+r,+Ejb=0\n\
     9,0,l,bt,0,1,1,1,1,1639391540000\n9,1,l,wl,\u{e4},0,f,0,0,0,0,1500,p,3,0,700,1600,0\n9,1,l,ctf,A,0,\n";

fn is_sane(timeline: &Timeline) {
    for usage in &timeline.system.usage {
        assert!(usage.value.is_finite() && usage.value >= 0.0, "{usage:?}");
        assert!(usage.window.start <= usage.window.end);
    }
    for track in &timeline.system.states {
        assert!(track.level.times().is_sorted());
    }
}

#[test]
fn carriage_returns_change_nothing() {
    for text in [TEXT, CHECKIN] {
        let plain = read_bytes("a", text.as_bytes()).unwrap();
        for ends in ["\r\n", "\r\r\n"] {
            let other = read_bytes("a", text.replace('\n', ends).as_bytes()).unwrap();
            assert_eq!(plain.system.usage, other.system.usage);
            assert_eq!(plain.system.states, other.system.states);
            assert_eq!(plain.energy.batteries, other.energy.batteries);
        }
    }
    assert_eq!(read_bytes("a", TEXT.as_bytes()).unwrap().system.usage.len(), 11);
}

#[test]
fn an_end_at_any_byte() {
    let proto = statistics();
    for bytes in [TEXT.as_bytes(), CHECKIN.as_bytes(), &proto] {
        let whole = read_bytes("a", bytes).unwrap().system.usage.len();
        for end in 0..bytes.len() {
            if let Ok(timeline) = read_bytes("a", &bytes[..end]) {
                is_sane(&timeline);
                assert!(timeline.system.usage.len() <= whole);
            }
        }
    }
}

proptest! {
    #[test]
    fn any_text_behind_a_beginning(
        at in 0_usize..4,
        words in proptest::collection::vec(
            "[-+]?[a-zA-Z_0-9]{0,9}[=: ,.]?(u0a[0-9]{1,9}:\"[^\n]{0,9}\")?[0-9]{0,21}(ms|s|h|d|mAh| \\()?", 0..40
        ),
        breaks in "[ \n,]{1,3}",
    ) {
        let begin = [
            "Battery History (1%):\n  0 (1) 100 ",
            "Statistics since last charge:\n  u0a1:\n    Wake lock ",
            "Statistics since last charge:\n  Estimated power use (mAh):\n    Uid ",
            "9,0,i,vers,35,1,A,A\n9,1,l,wl,",
        ][at];
        let text = format!("{begin}{}", words.join(&breaks));
        is_sane(&read_bytes("a", text.as_bytes()).unwrap());
    }

    #[test]
    fn random_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..500)) {
        batterystats_reader::run(&bytes);
    }

    #[test]
    fn flipped_bytes_of_the_message(at in 0_usize..600, to in any::<u8>()) {
        let mut bytes = statistics();
        let at = at % bytes.len();
        bytes[at] = to;
        if let Ok(timeline) = read_bytes("a", &bytes) {
            is_sane(&timeline);
        }
    }
}
