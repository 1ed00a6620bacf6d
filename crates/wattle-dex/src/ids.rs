//! Numbers of the identifier tables.

use std::fmt;

use crate::Section;

macro_rules! ids {
    ($($name:ident, $section:ident, $doc:literal;)*) => {$(
        #[doc = $doc]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The table that the number points into.
            pub const POOL: Section = Section::$section;
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

ids! {
    StringId, STRING_IDS, "Number of a string (`string_ids`).";
    TypeId, TYPE_IDS, "Number of a type (`type_ids`).";
    ProtoId, PROTO_IDS, "Number of a method signature (`proto_ids`).";
    FieldId, FIELD_IDS, "Number of a field reference (`field_ids`).";
    MethodId, METHOD_IDS, "Number of a method reference (`method_ids`).";
    CallSiteId, CALL_SITE_IDS, "Number of a call site (`call_site_ids`).";
    MethodHandleId, METHOD_HANDLES, "Number of a method handle (`method_handles`).";
    ClassIndex, CLASS_DEFS, "Number of a class definition (`class_defs`).";
}

/// `access_flags` of classes, fields and methods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct AccessFlags(pub u32);

macro_rules! access_flags {
    ($($name:ident = $value:literal;)*) => {
        impl AccessFlags {
            $(#[doc = concat!("`ACC_", stringify!($name), "`")] pub const $name: Self = Self($value);)*
        }
    };
}

access_flags! {
    PUBLIC = 0x1;
    PRIVATE = 0x2;
    PROTECTED = 0x4;
    STATIC = 0x8;
    FINAL = 0x10;
    SYNCHRONIZED = 0x20;
    VOLATILE = 0x40;
    BRIDGE = 0x40;
    TRANSIENT = 0x80;
    VARARGS = 0x80;
    NATIVE = 0x100;
    INTERFACE = 0x200;
    ABSTRACT = 0x400;
    STRICT = 0x800;
    SYNTHETIC = 0x1000;
    ANNOTATION = 0x2000;
    ENUM = 0x4000;
    CONSTRUCTOR = 0x10000;
    DECLARED_SYNCHRONIZED = 0x20000;
}

impl AccessFlags {
    /// Whether every bit of `flags` is set.
    pub const fn contains(self, flags: Self) -> bool {
        self.0 & flags.0 == flags.0
    }
}

impl std::ops::BitOr for AccessFlags {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}
