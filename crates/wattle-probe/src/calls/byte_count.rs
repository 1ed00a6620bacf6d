//! The place of the number of bytes that a call moved.

use rustc_hash::FxHashMap;
use wattle_dex::Opcode;

use super::{CallValue, ProbeOperand};

/// Which calls move bytes, and where their number is found: see the file itself.
const TABLE: &str = include_str!("../../data/transfers.txt");

/// The place of the number of bytes that a call moved, once it has returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ByteCount {
    /// It is the call's result, an `int`.
    Int,
    /// It is the call's result, a `long`.
    Long,
    /// It is one, where the call's result is not negative.
    One,
    /// It is known beforehand.
    Fixed(u16),
    /// It is an argument, by the word at which it stands, `this` not counted.
    Argument(u16),
    /// It is the length of the array of bytes that the call returns.
    ReturnedArray,
    /// It is the length of an array of bytes, by the argument's word.
    Array(u16),
    /// It is the length of a `DatagramPacket`, by the argument's word.
    Packet(u16),
}

impl ByteCount {
    /// The names and signatures of all methods of the runtime class that are given a number of bytes.
    pub const METHODS: [(&'static str, &'static str); 5] = [
        ("moved", "(I)V"),
        ("moved", "(J)V"),
        ("movedByte", "(I)V"),
        ("moved", "([B)V"),
        ("moved", "(Ljava/net/DatagramPacket;)V"),
    ];

    /// The position in [`Self::METHODS`] of the one that is called.
    pub(crate) const fn method(self) -> usize {
        match self {
            Self::Int | Self::Fixed(_) | Self::Argument(_) => 0,
            Self::Long => 1,
            Self::One => 2,
            Self::ReturnedArray | Self::Array(_) => 3,
            Self::Packet(_) => 4,
        }
    }

    /// The arguments of that method.
    pub(crate) fn operand(self) -> ProbeOperand {
        ProbeOperand::Value(match self {
            Self::Int | Self::One => CallValue::Result(Opcode::MOVE_RESULT),
            Self::Long => CallValue::Result(Opcode::MOVE_RESULT_WIDE),
            Self::ReturnedArray => CallValue::Result(Opcode::MOVE_RESULT_OBJECT),
            Self::Argument(word) | Self::Array(word) | Self::Packet(word) => {
                CallValue::Argument(word)
            }
            Self::Fixed(count) => return ProbeOperand::Id(count.into()),
        })
    }
}

/// The table: by class, then by name and signature.
#[derive(Debug)]
pub(super) struct ByteCounts {
    methods: FxHashMap<&'static str, FxHashMap<&'static str, Place>>,
}

/// A line of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Result,
    One,
    Fixed(u16),
    Argument(usize),
    ReturnedArray,
    Array(usize),
    Packet(usize),
}

impl ByteCounts {
    pub(super) fn new() -> Self {
        let mut methods: FxHashMap<_, FxHashMap<_, _>> = FxHashMap::default();
        for (classes, method, place) in entries() {
            let Some(place) = place else { continue };
            for class in classes {
                methods.entry(class).or_default().insert(method, place);
            }
        }
        Self { methods }
    }

    /// Whether a class has such methods.
    pub(super) fn has(&self, class: &str) -> bool {
        self.methods.contains_key(class)
    }

    /// Of a call by its class, name and signature.
    pub(super) fn of(&self, class: &str, name: &str, signature: &str) -> Option<ByteCount> {
        let place = self.methods.get(class)?.get(format!("{name}{signature}").as_str())?;
        let (words, result) = words(signature)?;
        let word = |argument: usize| words.get(argument).copied();
        Some(match *place {
            Place::Result if result == "J" => ByteCount::Long,
            Place::Result => ByteCount::Int,
            Place::One => ByteCount::One,
            Place::Fixed(count) => ByteCount::Fixed(count),
            Place::Argument(argument) => ByteCount::Argument(word(argument)?),
            Place::ReturnedArray => ByteCount::ReturnedArray,
            Place::Array(argument) => ByteCount::Array(word(argument)?),
            Place::Packet(argument) => ByteCount::Packet(word(argument)?),
        })
    }
}

/// The methods of the table, each with the classes that have it; without a place where that cannot be read.
fn entries() -> impl Iterator<Item = (Vec<&'static str>, &'static str, Option<Place>)> {
    let mut classes: Vec<&str> = Vec::new();
    let mut is_named = false;
    TABLE.lines().filter(move |line| !line.trim().is_empty() && !line.starts_with('#')).filter_map(
        move |line| {
            if !line.starts_with(' ') {
                if !is_named {
                    classes.clear();
                }
                is_named = true;
                classes.push(line.trim_end());
                return None;
            }
            is_named = false;
            let (method, place) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
            Some((classes.clone(), method, Place::parse(place.trim())))
        },
    )
}

impl Place {
    fn parse(text: &str) -> Option<Self> {
        let (word, number) = match text.split_once(' ') {
            Some((word, number)) => (word, Some(number.parse::<u16>().ok()?)),
            None => (text, None),
        };
        let argument = number.map(usize::from);
        Some(match (word, number) {
            ("result", None) => Self::Result,
            ("one", None) => Self::One,
            ("fixed", Some(count)) => Self::Fixed(count),
            ("argument", _) => Self::Argument(argument?),
            ("length", None) => Self::ReturnedArray,
            ("length", _) => Self::Array(argument?),
            ("packet", _) => Self::Packet(argument?),
            _ => return None,
        })
    }
}

/// The words at which a signature's arguments begin, and its result.
fn words(signature: &str) -> Option<(Vec<u16>, &str)> {
    let (mut rest, result) = signature.strip_prefix('(')?.split_once(')')?;
    let (mut words, mut next) = (Vec::new(), 0);
    while !rest.is_empty() {
        words.push(next);
        let dimensions = rest.len() - rest.trim_start_matches('[').len();
        let element = rest.get(dimensions..)?;
        let end = match element.as_bytes().first()? {
            b'L' => element.find(';')? + 1,
            _ => 1,
        };
        next += if matches!(element.get(..end)?, "J" | "D") && dimensions == 0 { 2 } else { 1 };
        rest = element.get(end..)?;
    }
    Some((words, result))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use super::*;

    #[test]
    fn every_line_of_the_table_fits_its_method() {
        let mut lines = 0;
        for (classes, method, place) in entries() {
            lines += 1;
            assert!(!classes.is_empty(), "{method}");
            let place = place.unwrap_or_else(|| panic!("{method}: where its bytes are"));
            let at = method.find('(').unwrap();
            let (words, result) = words(&method[at..]).unwrap();
            let parameters = parameters(&method[at..]);
            assert_eq!(words.len(), parameters.len(), "{method}");
            let argument = |at: usize| parameters.get(at).map(String::as_str);
            let fits = match place {
                Place::Result => matches!(result, "I" | "J"),
                Place::One => result == "I",
                Place::Fixed(count) => (1..=8).contains(&count),
                // What overwrites the argument must not be the result.
                Place::Argument(at) => argument(at) == Some("I") && result == "V",
                Place::ReturnedArray => result == "[B",
                Place::Array(at) => argument(at) == Some("[B"),
                Place::Packet(at) => argument(at) == Some("Ljava/net/DatagramPacket;"),
            };
            assert!(fits, "{method}: {place:?}");
        }
        assert!(lines > 60, "{lines}");
    }

    /// Methods that Android 11, whose classes are looked at, no longer (before API 28) or not yet (API 33) had.
    const OF_OTHERS: [&str; 5] = [
        "sendfile(Ljava/io/FileDescriptor;Ljava/io/FileDescriptor;Landroid/util/MutableLong;J)J",
        "readAllBytes()[B",
        "readNBytes(I)[B",
        "readNBytes([BII)I",
        "transferTo(Ljava/io/OutputStream;)J",
    ];

    /// Every method of the table is one of Android's own classes.
    #[wattle_testdata::requires(env = "WATTLE_ART")]
    #[test]
    fn the_table_names_methods_that_android_has() {
        let root = wattle_testdata::variable("WATTLE_ART");
        let [core, stub] =
            ["core.jar", "stub.jar"].map(|jar| std::fs::read(root.join(jar)).unwrap());
        let mut classes: FxHashMap<String, (Vec<String>, Vec<String>)> = FxHashMap::default();
        for jar in [&core, &stub] {
            let apk = wattle_apk::Apk::open(jar).unwrap();
            let code: Vec<_> = apk.code_entries().map(|it| it.name().to_owned()).collect();
            for name in code {
                add_classes(&apk.read(&name).unwrap(), &mut classes);
            }
        }
        let mut missing = Vec::new();
        for (named, method, _) in entries() {
            for class in named {
                let descriptor = format!("L{};", class.replace('.', "/"));
                let mut above = vec![descriptor];
                let mut is_there = false;
                while let Some((methods, supers)) = above.pop().and_then(|it| classes.get(&it)) {
                    is_there |= methods.iter().any(|it| it == method);
                    above.extend(supers.iter().cloned());
                }
                if !is_there && !OF_OTHERS.contains(&method) {
                    missing.push(format!("{class}.{method}"));
                }
            }
        }
        assert_eq!(missing, Vec::<String>::new());
    }

    fn add_classes(code: &[u8], classes: &mut FxHashMap<String, (Vec<String>, Vec<String>)>) {
        let dex = wattle_dex::Dex::parse(code).unwrap();
        for (_, class) in dex.class_defs() {
            let class = class.unwrap();
            let text = |id| dex.descriptor_str(id).unwrap().into_owned();
            let mut methods = Vec::new();
            for member in dex.class_data(&class).unwrap().into_iter().flatten() {
                let Some(method) = member.unwrap().method() else { continue };
                let method = dex.method(method.method).unwrap();
                let proto = dex.proto(method.proto).unwrap();
                let parameters: String =
                    dex.parameters(method.proto).unwrap().iter().map(text).collect();
                let name = dex.string(method.name).unwrap().to_str().into_owned();
                methods.push(format!("{name}({parameters}){}", text(proto.return_type)));
            }
            let interfaces = dex.type_list(class.interfaces_off).unwrap();
            let supers = class.superclass.into_iter().chain(interfaces.iter()).map(text).collect();
            classes.entry(text(class.class)).or_insert((methods, supers));
        }
    }

    /// The parameters of a signature, a character at a time.
    fn parameters(signature: &str) -> Vec<String> {
        let (mut all, mut one, mut in_class) = (Vec::new(), String::new(), false);
        for letter in signature[1..].chars().take_while(|letter| *letter != ')') {
            one.push(letter);
            in_class = if in_class { letter != ';' } else { letter == 'L' };
            if !in_class && letter != '[' {
                all.push(std::mem::take(&mut one));
            }
        }
        all
    }

    #[track_caller]
    fn check(class: &str, name: &str, signature: &str, expected: Option<ByteCount>) {
        assert_eq!(ByteCounts::new().of(class, name, signature), expected);
    }

    #[test]
    fn calls_and_where_their_bytes_are() {
        check("java.io.InputStream", "read", "()I", Some(ByteCount::One));
        check("java.io.FileInputStream", "read", "([BII)I", Some(ByteCount::Int));
        check("java.io.InputStream", "reset", "()V", None);
        check("java.io.Reader", "read", "()I", None);
        check("java.io.OutputStream", "write", "(I)V", Some(ByteCount::Fixed(1)));
        check("java.io.OutputStream", "write", "([B)V", Some(ByteCount::Array(0)));
        check("java.io.DataOutputStream", "write", "([BII)V", Some(ByteCount::Argument(2)));
        check("java.io.RandomAccessFile", "readLong", "()J", Some(ByteCount::Fixed(8)));
        let path = "Ljava/nio/file/Path;";
        check(
            "java.nio.file.Files",
            "write",
            &format!("({path}[B[Ljava/nio/file/OpenOption;){path}"),
            Some(ByteCount::Array(1)),
        );
        check(
            "java.nio.channels.FileChannel",
            "transferTo",
            "(JJLjava/nio/channels/WritableByteChannel;)J",
            Some(ByteCount::Long),
        );
        check(
            "java.net.DatagramSocket",
            "receive",
            "(Ljava/net/DatagramPacket;)V",
            Some(ByteCount::Packet(0)),
        );
    }

    #[test]
    fn wide_arguments_take_two_words() {
        assert_eq!(words("(J[JDILa/B;[[Lc/D;Z)V"), Some((vec![0, 2, 3, 5, 6, 7, 8], "V")));
        assert_eq!(words("()J"), Some((vec![], "J")));
        assert_eq!(words("(La"), None);
    }
}
