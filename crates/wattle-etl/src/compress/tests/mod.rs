//! Blocks of the specification, blocks of a compressor of the tests' own, and anything at all.

mod compressor;

use proptest::prelude::*;
use wattle_testdata::requires;

use super::{Compression, Damage};
use compressor::compress;

const ALL: [Compression; 3] = [Compression::Lznt1, Compression::Xpress, Compression::XpressHuffman];

fn hex(text: &str) -> Vec<u8> {
    text.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect()
}

/// Lengths of Huffman codes, and what follows.
fn coded(lengths: &[(usize, u8)], rest: &str) -> Vec<u8> {
    let mut block = vec![0; 256];
    for (symbol, length) in lengths {
        block[symbol / 2] |= length << (4 * (symbol & 1));
    }
    block.extend(hex(rest));
    block
}

/// MS-XCA 3.1, 3.2 and 3.3: what Windows makes of these texts.
#[test]
fn the_specifications_examples_are_unpacked() {
    let letters: Vec<u8> = (b'a'..=b'z').collect();
    let again = b"abc".repeat(100);
    let song = "F# F# G A A G F# E D D E F# F# E E F# F# G A A G F# E D D E F# E D D E E F# D E F# G F# D E F# G F# E D E A \
                F# F# G A A G F# E D D E F# E D D\0";
    let mut alphabet: Vec<(usize, u8)> = (97..=118).map(|symbol| (symbol, 5)).collect();
    alphabet.extend([119, 120, 121, 122, 256].map(|symbol| (symbol, 4)));
    let first = coded(&alphabet, "d8 52 3e d7 94 11 5b e9 19 5f f9 d6 7c df 8d 04 00 00 00 00");
    assert_eq!(first[0x30..0x3e], hex("50 55 55 55 55 55 55 55 55 55 55 45 44 04"));
    let matched = coded(&[(97, 3), (98, 3), (99, 2), (256, 2), (287, 2)], "a8 dc 00 00 ff 26 01");
    let plain = [hex("3f 00 00 00"), letters.clone()].concat();
    let notes = "38 b0 88 46 23 20 00 20 47 20 41 00 10 a2 47 01 a0 45 20 44 00 08 45 01 50 79 00 c0 45 20 05 24 13 88 05 b4 02 4a \
                 44 ef 03 58 02 8c 09 16 01 48 45 00 be 00 9e 00 04 01 18 90 00";
    for (compression, packed, unpacked) in [
        (Compression::Xpress, plain, letters.as_slice()),
        (Compression::Xpress, hex("ff ff ff 1f 61 62 63 17 00 0f ff 26 01"), &again),
        (Compression::XpressHuffman, first, &letters),
        (Compression::XpressHuffman, matched, &again),
        (Compression::Lznt1, hex(notes), song.as_bytes()),
    ] {
        assert_eq!(
            compression.decompress(&packed, unpacked.len()).unwrap(),
            unpacked,
            "{compression:?}"
        );
        // Cut short, it is what had come before, and never more.
        for end in 0..packed.len() {
            match compression.decompress(&packed[..end], unpacked.len()) {
                Ok(bytes) => assert_eq!(bytes, unpacked, "{compression:?} cut at {end}"),
                Err(error) => {
                    assert!(unpacked.starts_with(&error.unpacked), "{compression:?} cut at {end}");
                }
            }
        }
    }
}

/// Both packed buffers of a log that Windows 11 wrote: each is unpacked to its `SavedOffset`, ends in a whole event, and no byte is
/// left over.
#[requires(data)]
#[test]
fn a_real_log_is_unpacked() {
    let log = wattle_testdata::bytes("etl/perfview-SelfDescribingSingleEvent.etl");
    let number = |at: usize| u32::from_le_bytes(log[at..at + 4].try_into().unwrap()) as usize;
    let compression = Compression::from_state(number(0x2c) as u32).unwrap();
    assert_eq!(compression, Compression::Xpress);
    let mut at = number(0);
    let mut sizes = Vec::new();
    while at < log.len() {
        let (packed, length) = (&log[at + 72..at + number(at)], number(at + 4) - 72);
        let unpacked = compression.decompress(packed, length).unwrap();
        assert!(
            compression.decompress(&packed[..packed.len() - 1], length).is_err(),
            "the last byte counts"
        );
        sizes.push(unpacked.len());
        if at == number(0) {
            let path: Vec<u8> =
                "C:\\WINDOWS\\system32\0".encode_utf16().flat_map(u16::to_le_bytes).collect();
            assert_eq!(unpacked[0x80..][..path.len()], path);
            assessments(&unpacked);
        }
        at += number(at);
    }
    assert_eq!(sizes, [0x1c00 - 72, 0xf0 - 72]);
}

/// Windows' assessments of the machine are events whose text is packed once more (LZNT1): class `ed54dff8-…`, with the length at
/// byte 4 of the payload.
fn assessments(events: &[u8]) {
    let class = hex("f8 df 54 ed 09 c4 f6 4c bf 83 05 e1 e6 1a 09 c4");
    let mut count = 0;
    for at in memchr::memmem::find_iter(events, &class) {
        let end = at - 24 + usize::from(u16::from_le_bytes([events[at - 24], events[at - 23]]));
        let payload = &events[at + 24..end];
        let length = u32::from_le_bytes(payload[4..8].try_into().unwrap()) as usize;
        let text = Compression::Lznt1.decompress(&payload[8..], length).unwrap();
        let text = String::from_utf16(
            &text.as_chunks::<2>().0.iter().map(|it| u16::from_le_bytes(*it)).collect::<Vec<_>>(),
        )
        .unwrap();
        let text = text.trim_end_matches('\0').trim();
        let name = text[1..].split('>').next().unwrap();
        assert!(text.ends_with(&format!("</{name}>")), "{text}");
        count += 1;
    }
    assert_eq!(count, 3);
}

#[test]
fn damage_is_named() {
    let check = |compression: Compression, packed: &str, length: usize, damage: Damage| {
        let error = compression.decompress(&hex(packed), length).unwrap_err();
        assert_eq!(error.damage, damage, "{compression:?} {packed}");
    };
    check(Compression::Xpress, "00 00 00 00 61", 2, Damage::Ended);
    check(Compression::Xpress, "ff ff ff 7f 61 08 00", 9, Damage::NothingToRepeat);
    check(Compression::Xpress, "ff ff ff 7f 61 07 00 0f ff 01 00", 99, Damage::Length);
    check(Compression::Xpress, "", 65 << 20, Damage::TooLong);
    check(Compression::Lznt1, "00 00", 1, Damage::Ended);
    check(Compression::Lznt1, "00 c0 00", 1, Damage::Length);
    check(Compression::Lznt1, "03 b0 02 61 00 10", 9, Damage::NothingToRepeat);
    let too_many = coded(&[(1, 1), (2, 1), (3, 1)], "00 00 00 00");
    let too_few = coded(&[(1, 1), (2, 2)], "00 00 00 00");
    for block in [too_many, too_few] {
        assert_eq!(
            Compression::XpressHuffman.decompress(&block, 9).unwrap_err().damage,
            Damage::Codes
        );
    }
    let no_more = coded(&[(97, 1), (98, 1)], "00 00 00 00");
    let error = Compression::XpressHuffman.decompress(&no_more, 40).unwrap_err();
    assert_eq!((error.damage, error.unpacked.len()), (Damage::Ended, 32));
}

/// Text with repeats of all lengths: what is packed has to have something to find.
fn text() -> impl Strategy<Value = Vec<u8>> {
    let part = (prop::collection::vec(0_u8..20, 1..30), 1_usize..400);
    prop::collection::vec(part, 0..40)
        .prop_map(|parts| parts.into_iter().flat_map(|(word, count)| word.repeat(count)).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_was_packed_comes_back(text in text()) {
        for compression in ALL {
            let packed = compress(compression, &text);
            prop_assert_eq!(&compression.decompress(&packed, text.len()).unwrap(), &text);
        }
    }

    #[test]
    fn no_block_is_too_strange(bytes in prop::collection::vec(any::<u8>(), 0..600), length in 0_usize..20_000) {
        for compression in ALL {
            for lead in [&[][..], &[0x11; 256], &[0x99; 256]] {
                let block = [lead, &bytes].concat();
                match compression.decompress(&block, length) {
                    Ok(unpacked) => prop_assert_eq!(unpacked.len(), length),
                    Err(error) => prop_assert!(error.unpacked.len() <= length),
                }
            }
        }
    }

    #[test]
    fn a_changed_block_is_no_longer_than_it_was(text in text(), at in any::<prop::sample::Index>(), byte: u8) {
        for compression in ALL {
            let mut packed = compress(compression, &text);
            if packed.is_empty() {
                continue;
            }
            let at = at.index(packed.len());
            packed[at] = byte;
            let outcome = compression.decompress(&packed, text.len());
            prop_assert!(outcome.map_or_else(|error| error.unpacked.len(), |it| it.len()) <= text.len());
        }
    }
}
