//! Input that no writer would write.

use super::build::varint;

/// A field whose length says something else than what follows.
pub fn claimed(field: u64, length: u64, content: &[u8]) -> Vec<u8> {
    [&varint(field << 3 | 2), &varint(length), content].concat()
}

/// Numbers that look random and are the same every time (xorshift64*).
pub struct Random(pub u64);

impl Random {
    /// The next one.
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// The next one below a limit.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    /// Bytes.
    pub fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.next() as u8).collect()
    }
}
