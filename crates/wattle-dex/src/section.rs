//! The kinds of section that the map list names.

use std::fmt;

/// `type_code` of a `map_item`: what kind of item a section holds. Unknown codes are kept as they are.
///
/// Source: "Type codes" of the Dalvik executable format; `dex/dex_file.h` (`DexFile::MapItemType`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Section(pub u16);

macro_rules! sections {
    ($($name:ident = $code:literal, $text:literal, $align:literal, $doc:literal;)*) => {
        impl Section {
            $(#[doc = $doc] pub const $name: Self = Self($code);)*

            /// The format's own name; `unknown section` for a code that it does not define.
            pub const fn name(self) -> &'static str {
                match self.0 {
                    $($code => $text,)*
                    _ => "unknown section",
                }
            }

            /// The alignment of its items in bytes; 4 for unknown sections.
            pub const fn alignment(self) -> u32 {
                match self.0 {
                    $($code => $align,)*
                    _ => 4,
                }
            }
        }
    };
}

sections! {
    HEADER = 0x0000, "header_item", 4, "The header.";
    STRING_IDS = 0x0001, "string_id_item", 4, "Offsets of the strings, sorted by content.";
    TYPE_IDS = 0x0002, "type_id_item", 4, "Types by the string of their descriptor.";
    PROTO_IDS = 0x0003, "proto_id_item", 4, "Method signatures.";
    FIELD_IDS = 0x0004, "field_id_item", 4, "Fields that are referred to.";
    METHOD_IDS = 0x0005, "method_id_item", 4, "Methods that are referred to.";
    CLASS_DEFS = 0x0006, "class_def_item", 4, "Classes that are defined.";
    CALL_SITE_IDS = 0x0007, "call_site_id_item", 4, "Call sites of `invoke-custom`.";
    METHOD_HANDLES = 0x0008, "method_handle_item", 4, "Method handles.";
    MAP_LIST = 0x1000, "map_list", 4, "The map itself.";
    TYPE_LISTS = 0x1001, "type_list", 4, "Lists of types: parameters, interfaces.";
    ANNOTATION_SET_REF_LISTS = 0x1002, "annotation_set_ref_list", 4, "Annotation sets of parameters.";
    ANNOTATION_SETS = 0x1003, "annotation_set_item", 4, "Sets of annotations.";
    CLASS_DATA = 0x2000, "class_data_item", 1, "Members of a class.";
    CODE = 0x2001, "code_item", 4, "Method bodies.";
    STRING_DATA = 0x2002, "string_data_item", 1, "Contents of strings.";
    DEBUG_INFO = 0x2003, "debug_info_item", 1, "Line programs.";
    ANNOTATIONS = 0x2004, "annotation_item", 1, "Single annotations.";
    ENCODED_ARRAYS = 0x2005, "encoded_array_item", 1, "Values of static fields and call sites.";
    ANNOTATIONS_DIRECTORIES = 0x2006, "annotations_directory_item", 4, "Where a class's annotations are.";
    HIDDEN_API = 0xF000, "hiddenapi_class_data_item", 4, "Hidden-API flags of the members.";
}

impl Section {
    /// The order of sections in a file that is made from nothing: that of D8.
    pub(crate) const CANONICAL: [Self; 21] = [
        Self::HEADER,
        Self::STRING_IDS,
        Self::TYPE_IDS,
        Self::PROTO_IDS,
        Self::FIELD_IDS,
        Self::METHOD_IDS,
        Self::CLASS_DEFS,
        Self::CALL_SITE_IDS,
        Self::METHOD_HANDLES,
        Self::CODE,
        Self::DEBUG_INFO,
        Self::TYPE_LISTS,
        Self::STRING_DATA,
        Self::ANNOTATIONS,
        Self::CLASS_DATA,
        Self::ENCODED_ARRAYS,
        Self::ANNOTATION_SETS,
        Self::ANNOTATION_SET_REF_LISTS,
        Self::ANNOTATIONS_DIRECTORIES,
        Self::HIDDEN_API,
        Self::MAP_LIST,
    ];

    /// Bytes of one entry of an identifier table, `None` for the sections of the data area.
    pub(crate) const fn entry_size(self) -> Option<u32> {
        match self {
            Self::HEADER => Some(0x70),
            Self::STRING_IDS | Self::TYPE_IDS | Self::CALL_SITE_IDS => Some(4),
            Self::PROTO_IDS => Some(12),
            Self::FIELD_IDS | Self::METHOD_IDS | Self::METHOD_HANDLES => Some(8),
            Self::CLASS_DEFS => Some(32),
            _ => None,
        }
    }

    /// Whether this crate knows the shape of the section's items.
    pub(crate) fn is_known(self) -> bool {
        Self::CANONICAL.contains(&self)
    }
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_known() {
            f.write_str(self.name())
        } else {
            write!(f, "section {:#06x}", self.0)
        }
    }
}

impl fmt::Debug for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
