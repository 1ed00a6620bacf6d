//! Which way calls move bytes.

use super::NamePattern;

/// Which way bytes go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// Received, or read.
    Inward,
    /// Sent, or written.
    Outward,
}

/// The classes of the calls that probes know to move bytes.
const PACKAGES: [&str; 4] = ["java.io.", "java.net.", "java.nio.", "android.system."];

/// Numbers of a fixed length, as `DataInput` and `DataOutput` have them.
const NUMBERS: [&str; 10] = [
    "Boolean",
    "Byte",
    "UnsignedByte",
    "Short",
    "UnsignedShort",
    "Char",
    "Int",
    "Float",
    "Long",
    "Double",
];

impl Direction {
    /// The names of the platform's methods that move bytes this way.
    fn methods(self) -> Vec<String> {
        let (plain, number): (&[&str], &str) = match self {
            Self::Inward => (
                &[
                    "read",
                    "readFully",
                    "readAllBytes",
                    "readNBytes",
                    "pread",
                    "readv",
                    "recvfrom",
                    "receive",
                    "transferTo",
                ],
                "read",
            ),
            Self::Outward => (
                &["write", "pwrite", "writev", "sendto", "sendfile", "send", "transferFrom"],
                "write",
            ),
        };
        let numbers = NUMBERS.iter().map(|kind| format!("{number}{kind}"));
        plain.iter().map(|&name| name.to_owned()).chain(numbers).collect()
    }

    /// The platform's calls that move bytes this way, by the names that probes give them: with or without a signature.
    pub fn calls(self) -> Vec<NamePattern> {
        let methods = self.methods();
        let named = |package: &&str| {
            let forms = |method: &String| {
                ["", "(*"].map(|end| NamePattern::new(&format!("{package}*.{method}{end}")))
            };
            methods.iter().flat_map(forms).collect::<Vec<_>>()
        };
        // `android.system.Os` has its methods right below the package's class.
        PACKAGES.iter().flat_map(named).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, expected: Option<Direction>) {
        for direction in [Direction::Inward, Direction::Outward] {
            let found = direction.calls().iter().any(|pattern| pattern.matches(name));
            assert_eq!(found, expected == Some(direction), "{name}, {direction:?}");
        }
    }

    #[test]
    fn calls_and_their_direction() {
        use Direction::{Inward, Outward};
        check("java.io.FileInputStream.read", Some(Inward));
        check("java.io.InputStream.read([BII)I", Some(Inward));
        check("java.io.RandomAccessFile.readUnsignedShort", Some(Inward));
        check("java.io.DataOutputStream.writeLong", Some(Outward));
        check("java.nio.channels.SocketChannel.write(Ljava/nio/ByteBuffer;)I", Some(Outward));
        check("java.net.DatagramSocket.receive", Some(Inward));
        check("android.system.Os.sendto", Some(Outward));
        check("android.system.Os.pread", Some(Inward));
        check("java.io.File.renameTo", None);
        check("java.io.BufferedReader.readLine", None);
        check("com.example.Parser.read", None);
    }
}
