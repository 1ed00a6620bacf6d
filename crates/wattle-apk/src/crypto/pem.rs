//! PEM (RFC 7468).

use base64ct::{Base64, Encoding};
use pem_rfc7468::LineEnding;

use crate::{ApkError, KeyProblem};

/// One block: what its label says it is, and the decoded bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PemBlock {
    pub(crate) label: String,
    pub(crate) der: Vec<u8>,
}

/// Whether there is a PEM block at all.
pub(crate) fn is_pem(text: &[u8]) -> bool {
    text.windows(BEGIN.len()).any(|window| window == BEGIN.as_bytes())
}

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
const DASHES: &str = "-----";

/// All blocks, in their order.
///
/// Read here because `pem-rfc7468` takes one block with lines of 64 digits: keys come with their certificates in one
/// file, with text around them, and in lines of 76 digits (Java's MIME encoder) or in a single one (cloud consoles).
pub(crate) fn parse(text: &[u8]) -> Result<Vec<PemBlock>, ApkError> {
    let text = String::from_utf8_lossy(text);
    let mut blocks = Vec::new();
    let mut rest: &str = &text;
    while let Some((_, after)) = rest.split_once(BEGIN) {
        let broken = |label: &str| {
            ApkError::Key(KeyProblem::Pem { label: label.chars().take(40).collect() })
        };
        let (label, after) = after.split_once(DASHES).ok_or_else(|| broken("BEGIN"))?;
        let (body, after) = after.split_once(END).ok_or_else(|| broken(label))?;
        // OpenSSL's old encryption keeps its parameters in headers before the data.
        if body.contains("Proc-Type:") {
            let encryption = "the old encryption of PEM files, RFC 1421".to_owned();
            return Err(ApkError::Key(KeyProblem::Encryption(encryption)));
        }
        let digits: String = body.chars().filter(|c| !c.is_ascii_whitespace()).collect();
        let der = Base64::decode_vec(&digits).map_err(|_| broken(label))?;
        blocks.push(PemBlock { label: label.to_owned(), der });
        rest = after;
    }
    Ok(blocks)
}

/// One block as text.
pub(crate) fn write(label: &str, der: &[u8]) -> Result<String, ApkError> {
    pem_rfc7468::encode_string(label, LineEnding::LF, der)
        .map_err(|error| ApkError::Key(KeyProblem::Signing(error.to_string())))
}

#[cfg(test)]
mod tests {
    use super::{PemBlock, parse, write};

    #[test]
    fn blocks_survive_writing_and_reading() {
        let der: Vec<u8> = (0..=255).collect();
        let (long, short) = (write("A", &der).unwrap(), write("B C", &[1]).unwrap());
        let text = format!("Bag Attributes\n  x: y\n{long}junk\n{short}");
        let blocks = parse(text.as_bytes()).unwrap();
        let expected = [("A", der), ("B C", vec![1])]
            .map(|(label, der)| PemBlock { label: label.to_owned(), der });
        assert_eq!(blocks, expected);
        assert_eq!(parse(text.replace('\n', "\r\n").as_bytes()).unwrap(), expected);
        let one_line = long.replacen('\n', "?", 1).replace('\n', "").replacen('?', "\n", 1);
        assert_eq!(parse(one_line.as_bytes()).unwrap(), [expected[0].clone()]);
        assert!(parse(b"-----BEGIN A-----\n!!\n-----END A-----").is_err());
        assert!(parse(b"-----BEGIN A-----\nAAAA").is_err());
    }
}
