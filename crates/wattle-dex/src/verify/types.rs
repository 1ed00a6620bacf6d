//! Types of registers.

use crate::TypeId;

/// The type of a register at one place of the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RegType {
    /// Never written on some path, or written differently: cannot be used.
    Unusable,
    /// A number of 32 bits between two bounds. `constant`: it is written in the code, so it can be the
    /// bits of a `float` as well, and `null` where it is 0.
    Int { low: i32, high: i32, constant: bool },
    /// A `float`.
    Float,
    /// The lower half of a `long`, a `double`, or a constant that can be either.
    Low(Wide),
    /// The upper half.
    High(Wide),
    /// A reference.
    Reference(Class),
    /// An object that `new-instance` made at a unit, before its constructor was called.
    New(u32, TypeId),
    /// `this` of a constructor before another constructor was called.
    NewThis,
}

/// The kind of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wide {
    Long,
    Double,
    Constant,
}

/// A reference, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Its static type.
    Of(TypeId),
    /// Nothing.
    Unknown,
}

/// A named kind of number, reference or pair, as descriptors and instructions ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Boolean,
    Byte,
    Short,
    Char,
    Int,
    Float,
    Long,
    Double,
    Reference,
    Void,
}

impl Kind {
    pub(crate) fn of_descriptor(descriptor: &[u8]) -> Option<Self> {
        Some(match descriptor.first()? {
            b'Z' => Self::Boolean,
            b'B' => Self::Byte,
            b'S' => Self::Short,
            b'C' => Self::Char,
            b'I' => Self::Int,
            b'F' => Self::Float,
            b'J' => Self::Long,
            b'D' => Self::Double,
            b'L' | b'[' => Self::Reference,
            b'V' => Self::Void,
            _ => return None,
        })
    }

    pub(crate) const fn is_wide(self) -> bool {
        matches!(self, Self::Long | Self::Double)
    }

    pub(crate) const fn wide(self) -> Option<Wide> {
        match self {
            Self::Long => Some(Wide::Long),
            Self::Double => Some(Wide::Double),
            _ => None,
        }
    }

    pub(crate) const fn range(self) -> (i32, i32) {
        match self {
            Self::Boolean => (0, 1),
            Self::Byte => (-0x80, 0x7f),
            Self::Short => (-0x8000, 0x7fff),
            Self::Char => (0, 0xffff),
            _ => (i32::MIN, i32::MAX),
        }
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Boolean => "boolean",
            Self::Byte => "byte",
            Self::Short => "short",
            Self::Char => "char",
            Self::Int => "int",
            Self::Float => "float",
            Self::Long => "long",
            Self::Double => "double",
            Self::Reference => "reference",
            Self::Void => "void",
        }
    }

    /// A value of the kind in one register; of a pair the lower half.
    pub(crate) const fn register(self) -> RegType {
        match self {
            Self::Float => RegType::Float,
            Self::Long => RegType::Low(Wide::Long),
            Self::Double => RegType::Low(Wide::Double),
            Self::Reference => RegType::Reference(Class::Unknown),
            Self::Void => RegType::Unusable,
            _ => {
                let (low, high) = self.range();
                RegType::Int { low, high, constant: false }
            }
        }
    }
}

impl RegType {
    /// `null`, and 0.
    pub(crate) const ZERO: Self = Self::Int { low: 0, high: 0, constant: true };
    /// A number whose bits can be either kind.
    pub(crate) const ANY_NUMBER: Self = Self::Int { low: i32::MIN, high: i32::MAX, constant: true };

    pub(crate) fn is_null(self) -> bool {
        self == Self::ZERO
    }

    pub(crate) fn is_reference(self) -> bool {
        self.is_null() || matches!(self, Self::Reference(_) | Self::New(..) | Self::NewThis)
    }

    pub(crate) fn is_boolean(self) -> bool {
        matches!(self, Self::Int { low: 0.., high: ..=1, .. })
    }

    /// Whether a value can be used as a number of a kind. `exact`: some value of its range must fit as well.
    ///
    /// Compilers pass an `int` as `boolean` where the JVM lets them, so a wider range is no defect.
    #[expect(clippy::match_same_arms, reason = "numbers of 32 bits first, then pairs")]
    pub(crate) fn is(self, kind: Kind, exact: bool) -> bool {
        match (self, kind) {
            (Self::Float, Kind::Float) => true,
            (Self::Int { constant, .. }, Kind::Float) => constant,
            (
                Self::Int { low, high, .. },
                Kind::Boolean | Kind::Byte | Kind::Short | Kind::Char | Kind::Int,
            ) => {
                let (least, most) = kind.range();
                !exact || (high >= least && low <= most)
            }
            (Self::Low(Wide::Constant), Kind::Long | Kind::Double) => true,
            (Self::Low(wide), kind) => kind.wide() == Some(wide),
            (value, Kind::Reference) => value.is_reference(),
            _ => false,
        }
    }

    /// The upper half that belongs to this lower half.
    pub(crate) fn upper(self) -> Option<Self> {
        match self {
            Self::Low(wide) => Some(Self::High(wide)),
            _ => None,
        }
    }

    /// The type of a register where two paths meet, references aside.
    pub(crate) fn merge(self, other: Self, join: impl Fn(TypeId, TypeId) -> Class) -> Self {
        if self == other {
            return self;
        }
        match (self, other) {
            (
                Self::Int { low: a, high: b, constant: first },
                Self::Int { low: c, high: d, constant: second },
            ) => {
                let (low, high) = widen(a.min(c), b.max(d));
                // What is written in the code on both paths can still be the bits of a `float`.
                Self::Int { low, high, constant: first && second }
            }
            (Self::Float, Self::Int { constant: true, .. })
            | (Self::Int { constant: true, .. }, Self::Float) => Self::Float,
            (Self::Low(Wide::Constant), Self::Low(wide))
            | (Self::Low(wide), Self::Low(Wide::Constant)) => Self::Low(wide),
            (Self::High(Wide::Constant), Self::High(wide))
            | (Self::High(wide), Self::High(Wide::Constant)) => Self::High(wide),
            (Self::Reference(class), null) | (null, Self::Reference(class)) if null.is_null() => {
                Self::Reference(class)
            }
            (Self::Reference(a), Self::Reference(b)) => Self::Reference(match (a, b) {
                (Class::Of(a), Class::Of(b)) => join(a, b),
                _ => Class::Unknown,
            }),
            _ => Self::Unusable,
        }
    }
}

/// The smallest named range around two bounds, so that merging ends.
fn widen(low: i32, high: i32) -> (i32, i32) {
    [(0, 1), (0, 0x7f), (-0x80, 0x7f), (0, 0x7fff), (-0x8000, 0x7fff), (0, 0xffff)]
        .into_iter()
        .find(|&(least, most)| low >= least && high <= most)
        .unwrap_or(Kind::Int.range())
}
