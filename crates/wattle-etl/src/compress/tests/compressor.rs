//! A compressor of the tests' own, as simple as the formats allow.

use super::Compression;

/// A byte as it is, or a repetition.
#[derive(Clone, Copy)]
enum Piece {
    Literal(u8),
    Match { distance: usize, length: usize },
}

/// Packs a text.
pub(super) fn compress(compression: Compression, text: &[u8]) -> Vec<u8> {
    match compression {
        Compression::Lznt1 => text.chunks(4096).flat_map(lznt1).collect(),
        Compression::Xpress => plain(&pieces(text, 8192, |_| usize::MAX)),
        Compression::XpressHuffman => huffman(text),
    }
}

/// The longest repetition at each place, of no more than what may be written there.
fn pieces(text: &[u8], reach: usize, longest: impl Fn(usize) -> usize) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let furthest = reach.min(at);
        let found = (1..=furthest.min(64)).map(|distance| {
            let length = text[at..]
                .iter()
                .zip(&text[at - distance..])
                .take_while(|(one, other)| one == other)
                .count();
            (length.min(longest(at)), distance)
        });
        match found.max() {
            Some((length, distance)) if length >= 3 => {
                pieces.push(Piece::Match { distance, length });
                at += length;
            }
            _ => {
                pieces.push(Piece::Literal(text[at]));
                at += 1;
            }
        }
    }
    pieces
}

fn plain(pieces: &[Piece]) -> Vec<u8> {
    let mut packed = Vec::new();
    let mut half: Option<usize> = None;
    for group in pieces.chunks(32) {
        let mut flags = u32::MAX;
        for (index, piece) in group.iter().enumerate() {
            if matches!(piece, Piece::Literal(_)) {
                flags &= !(1 << (31 - index));
            }
        }
        packed.extend(flags.to_le_bytes());
        for piece in group {
            let Piece::Match { distance, length } = *piece else {
                let Piece::Literal(byte) = *piece else { unreachable!() };
                packed.push(byte);
                continue;
            };
            let rest = length - 3;
            packed.extend((((distance - 1) << 3 | rest.min(7)) as u16).to_le_bytes());
            if rest < 7 {
                continue;
            }
            let nibble = (rest - 7).min(15) as u8;
            if let Some(at) = half.take() {
                packed[at] |= nibble << 4;
            } else {
                half = Some(packed.len());
                packed.push(nibble);
            }
            if nibble == 15 {
                long_length(&mut packed, rest - 22, rest);
            }
        }
    }
    packed
}

/// A length that fits nowhere else: a byte, else the whole of it in two or four.
fn long_length(packed: &mut Vec<u8>, beyond: usize, whole: usize) {
    if beyond < 255 {
        packed.push(beyond as u8);
    } else if let Ok(whole) = u16::try_from(whole) {
        packed.push(255);
        packed.extend(whole.to_le_bytes());
    } else {
        packed.extend([255, 0, 0]);
        packed.extend((whole as u32).to_le_bytes());
    }
}

/// All 512 codes are nine bits long: no code is shorter than another, and each is the symbol itself.
fn huffman(text: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    let mut done = 0;
    let mut writer: Option<BitWriter> = None;
    let mut start = 0;
    for piece in pieces(text, 65535, |_| usize::MAX) {
        if writer.is_none() || done - start >= 65536 {
            if let Some(writer) = writer.take() {
                writer.finish(&mut packed);
            }
            packed.extend([0x99; 256]);
            writer = Some(BitWriter::new(&mut packed));
            start = done;
        }
        let bits = writer.as_mut().unwrap();
        match piece {
            Piece::Literal(byte) => {
                bits.write(u32::from(byte), 9, &mut packed);
                done += 1;
            }
            Piece::Match { distance, length } => {
                let high = distance.ilog2();
                let rest = length - 3;
                bits.write(256 + (high << 4) + rest.min(15) as u32, 9, &mut packed);
                if rest >= 15 {
                    long_length(&mut packed, rest - 15, rest);
                }
                bits.write(distance as u32 - (1 << high), high, &mut packed);
                done += length;
            }
        }
    }
    if let Some(writer) = writer {
        writer.finish(&mut packed);
    }
    packed
}

/// Words of bits, each at the place where the reader fetches it: it has two words in advance.
struct BitWriter {
    places: [usize; 2],
    word: u32,
    free: u32,
}

impl BitWriter {
    fn new(packed: &mut Vec<u8>) -> Self {
        let at = packed.len();
        packed.extend([0; 4]);
        Self { places: [at, at + 2], word: 0, free: 16 }
    }

    fn write(&mut self, value: u32, count: u32, packed: &mut Vec<u8>) {
        for bit in (0..count).rev() {
            if self.free == 0 {
                packed[self.places[0]..self.places[0] + 2]
                    .copy_from_slice(&(self.word as u16).to_le_bytes());
                // The reader fetches a word as soon as it is into its second one.
                self.places = [self.places[1], packed.len()];
                packed.extend([0; 2]);
                (self.word, self.free) = (0, 16);
            }
            self.free -= 1;
            self.word |= (value >> bit & 1) << self.free;
        }
    }

    fn finish(self, packed: &mut [u8]) {
        packed[self.places[0]..self.places[0] + 2]
            .copy_from_slice(&(self.word as u16).to_le_bytes());
    }
}

fn lznt1(chunk: &[u8]) -> Vec<u8> {
    let length_bits =
        |done: usize| 16 - (5..=12).rev().find(|bits| 1 << (bits - 1) < done).unwrap_or(4);
    let mut body = Vec::new();
    let mut done = 0;
    for group in pieces(chunk, 4096, |at| (1 << length_bits(at)) + 2).chunks(8) {
        let place = body.len();
        body.push(0);
        for (index, piece) in group.iter().enumerate() {
            match *piece {
                Piece::Literal(byte) => {
                    body.push(byte);
                    done += 1;
                }
                Piece::Match { distance, length } => {
                    body[place] |= 1 << index;
                    body.extend(
                        (((distance - 1) << length_bits(done) | (length - 3)) as u16).to_le_bytes(),
                    );
                    done += length;
                }
            }
        }
    }
    let header =
        |signature: usize, size: usize| ((signature << 12 | (size - 1)) as u16).to_le_bytes();
    if body.len() < chunk.len() {
        [&header(0xb, body.len())[..], &body].concat()
    } else {
        [&header(0x3, chunk.len())[..], chunk].concat()
    }
}
