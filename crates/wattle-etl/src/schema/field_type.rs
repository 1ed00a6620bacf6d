//! Types of fields. TraceLogging (`TlgIn_t`, `TlgOut_t`), manifests (`inType`, `outType`) and `TRACE_EVENT_INFO` (`TDH_INTYPE_*`,
//! `TDH_OUTTYPE_*`) number them alike.

/// Encoding of a field in the payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InType {
    Null,
    /// UTF-16, up to a zero.
    Utf16,
    /// Single bytes, up to a zero.
    Text,
    Int8,
    Uint8,
    Int16,
    Uint16,
    Int32,
    Uint32,
    Int64,
    Uint64,
    Float,
    Double,
    /// Four bytes.
    Boolean,
    Binary,
    Guid,
    Pointer,
    FileTime,
    SystemTime,
    Sid,
    HexInt32,
    HexInt64,
    /// UTF-16 after its length in bytes, two bytes.
    CountedUtf16,
    /// Single bytes after their number, two bytes.
    CountedText,
    /// Fields that follow.
    Struct,
    /// Bytes after their number, two bytes.
    CountedBinary,
    /// UTF-16 up to the payload's end.
    Utf16ToEnd,
    /// Single bytes up to the payload's end.
    TextToEnd,
    /// A character of UTF-16.
    Utf16Char,
    /// A `SID` after two pointers (`TOKEN_USER`).
    TokenSid,
}

impl InType {
    /// Of a number of `TDH_INTYPE_*`.
    pub(super) fn from_number(number: u16) -> Option<Self> {
        Some(match number {
            0 => Self::Null,
            1 => Self::Utf16,
            2 => Self::Text,
            3 => Self::Int8,
            4 | 307 => Self::Uint8,
            5 => Self::Int16,
            6 => Self::Uint16,
            7 => Self::Int32,
            8 => Self::Uint32,
            9 => Self::Int64,
            10 => Self::Uint64,
            11 => Self::Float,
            12 => Self::Double,
            13 => Self::Boolean,
            14 | 309 => Self::Binary,
            15 => Self::Guid,
            16 | 308 => Self::Pointer,
            17 => Self::FileTime,
            18 => Self::SystemTime,
            19 => Self::Sid,
            20 => Self::HexInt32,
            21 => Self::HexInt64,
            22 | 300 => Self::CountedUtf16,
            23 | 301 => Self::CountedText,
            24 => Self::Struct,
            25 => Self::CountedBinary,
            304 => Self::Utf16ToEnd,
            305 => Self::TextToEnd,
            306 => Self::Utf16Char,
            310 => Self::TokenSid,
            _ => return None,
        })
    }

    /// Of a manifest's `inType`.
    pub(super) fn named(name: &str) -> Option<Self> {
        let name = name.split_once(':').map_or(name, |(_, name)| name);
        Some(match name.to_ascii_lowercase().as_str() {
            "unicodestring" => Self::Utf16,
            "ansistring" => Self::Text,
            "int8" => Self::Int8,
            "uint8" => Self::Uint8,
            "int16" => Self::Int16,
            "uint16" => Self::Uint16,
            "int32" => Self::Int32,
            "uint32" => Self::Uint32,
            "int64" => Self::Int64,
            "uint64" => Self::Uint64,
            "float" => Self::Float,
            "double" => Self::Double,
            "boolean" => Self::Boolean,
            "binary" => Self::Binary,
            "guid" => Self::Guid,
            "pointer" | "sizet" => Self::Pointer,
            "filetime" => Self::FileTime,
            "systemtime" => Self::SystemTime,
            "sid" => Self::Sid,
            "hexint32" => Self::HexInt32,
            "hexint64" => Self::HexInt64,
            "countedunicodestring" => Self::CountedUtf16,
            "countedansistring" => Self::CountedText,
            "countedbinary" => Self::CountedBinary,
            _ => return None,
        })
    }
}

/// Intended presentation of a field, as far as that changes its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OutType {
    /// As its type has it.
    Plain,
    /// A number that is a character.
    Text,
    /// Yes or no.
    Boolean,
    /// In hexadecimal.
    Hex,
    /// A port, with the most significant byte first.
    Port,
    /// An address of IPv4.
    Ipv4,
    /// An address of IPv6.
    Ipv6,
    /// A number that is a `FILETIME`.
    FileTime,
    /// With a sign.
    Signed,
    /// Without one.
    Unsigned,
}

impl OutType {
    /// Of a number of `TlgOut_t`.
    pub(super) fn of_trace_logging(number: u8) -> Self {
        match number {
            2 => Self::Text,
            3 => Self::Boolean,
            4 | 13..=15 | 37 => Self::Hex,
            7 => Self::Port,
            8 => Self::Ipv4,
            9 => Self::Ipv6,
            16 => Self::FileTime,
            17 => Self::Signed,
            18 => Self::Unsigned,
            _ => Self::Plain,
        }
    }

    /// Of a number of `TDH_OUTTYPE_*`.
    pub(super) fn of_tdh(number: u16) -> Self {
        match number {
            1 => Self::Text,
            13 => Self::Boolean,
            3 | 5 | 7 | 9 => Self::Signed,
            4 | 6 | 8 | 10 => Self::Unsigned,
            18..=21 | 30..=32 | 37 => Self::Hex,
            24 => Self::Port,
            25 => Self::Ipv4,
            26 => Self::Ipv6,
            _ => Self::Plain,
        }
    }

    /// Of a manifest's `outType`.
    pub(super) fn named(name: &str) -> Self {
        let name = name.split_once(':').map_or(name, |(_, name)| name);
        match name.to_ascii_lowercase().as_str() {
            "string" => Self::Text,
            "boolean" => Self::Boolean,
            "port" => Self::Port,
            "ipv4" => Self::Ipv4,
            "ipv6" => Self::Ipv6,
            name if name.starts_with("hexint") => Self::Hex,
            "ntstatus" | "hresult" | "win32error" | "codepointer" => Self::Hex,
            _ => Self::Plain,
        }
    }
}
