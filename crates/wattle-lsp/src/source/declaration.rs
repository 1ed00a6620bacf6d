//! A method as a source file declares it.

use std::ops::Range;

/// Kind of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeclarationKind {
    /// A method or a function.
    Method,
    /// A constructor, Kotlin's primary one included.
    Constructor,
    /// The accessor of a property, written out or not.
    Accessor,
}

/// A method as a source file declares it, under the names of the virtual machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// Kind.
    pub kind: DeclarationKind,
    /// The class as Java writes it, with `$` before nested ones: `com.example.Feed$Item`, `com.example.FeedKt`.
    pub class: String,
    /// The name: `load`, `<init>`, `getTitle`.
    pub name: String,
    /// The parameters' types by their last names (`int`, `String`, `Item[]`), the receiver of an extension first.
    pub parameters: Vec<String>,
    /// Whether the compiler may add to the name or the parameters: `suspend`, `internal`.
    pub is_mangled: bool,
    /// Bytes of the whole declaration, from its first modifier on.
    pub span: Range<usize>,
    /// The byte at which its name begins.
    pub name_start: usize,
    /// The line of its name, from 0.
    pub line: u32,
    /// The first and the last line of the whole declaration, from 0.
    pub lines: (u32, u32),
    /// Hash of the code without blanks, comments, and its own name.
    pub code: u64,
    /// The number of tokens that the hash is of.
    pub code_size: u32,
    /// Hashes of neighbouring tokens of the body, those of signs alone left out; sorted, for similarity; at most [`Self::MOST_PAIRS`].
    pub pairs: Vec<u32>,
}

impl Declaration {
    /// The most hashes of neighbouring tokens that are kept.
    pub const MOST_PAIRS: usize = 400;

    /// Class and name, `com.example.Feed.load`.
    pub fn qualified(&self) -> String {
        format!("{}.{}", self.class, self.name)
    }

    /// The part of neighbouring tokens that the bodies of two declarations have in common: 0 to 1.
    pub fn similarity(&self, other: &Self) -> f64 {
        let (mut common, mut a, mut b) = (0_usize, 0, 0);
        while let (Some(left), Some(right)) = (self.pairs.get(a), other.pairs.get(b)) {
            match left.cmp(right) {
                std::cmp::Ordering::Less => a += 1,
                std::cmp::Ordering::Greater => b += 1,
                std::cmp::Ordering::Equal => {
                    common += 1;
                    a += 1;
                    b += 1;
                }
            }
        }
        let all = self.pairs.len() + other.pairs.len() - common;
        if all == 0 { 0.0 } else { common as f64 / all as f64 }
    }
}
