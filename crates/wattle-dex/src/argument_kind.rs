//! Kinds of arguments.

/// The kind of an argument, for the `move` that it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentKind {
    /// One register with a number.
    Single,
    /// Two registers with a `long` or a `double`.
    Wide,
    /// One register with a reference; `this` too.
    Reference,
}

impl ArgumentKind {
    /// Of a type's descriptor.
    pub fn of_descriptor(descriptor: &[u8]) -> Self {
        match descriptor.first() {
            Some(b'L' | b'[') => Self::Reference,
            Some(b'J' | b'D') => Self::Wide,
            _ => Self::Single,
        }
    }

    /// The number of registers it takes.
    pub const fn words(self) -> u16 {
        match self {
            Self::Single | Self::Reference => 1,
            Self::Wide => 2,
        }
    }
}
