//! PEM (RFC 7468), read leniently: text around the blocks is skipped, line lengths do not count.

use base64ct::{Base64, Encoding};

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
pub(crate) fn write(label: &str, der: &[u8]) -> String {
    let digits = Base64::encode_string(der);
    let mut text = format!("{BEGIN}{label}{DASHES}\n");
    let mut rest = digits.as_str();
    while !rest.is_empty() {
        let (line, after) = rest.split_at(rest.len().min(64));
        text.push_str(line);
        text.push('\n');
        rest = after;
    }
    text.push_str(END);
    text.push_str(label);
    text.push_str(DASHES);
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::{PemBlock, parse, write};

    #[test]
    fn blocks_survive_writing_and_reading() {
        let der: Vec<u8> = (0..=255).collect();
        let text =
            format!("Bag Attributes\n  x: y\n{}junk\n{}", write("A", &der), write("B C", &[1]));
        let blocks = parse(text.as_bytes()).unwrap();
        let expected = [("A", der), ("B C", vec![1])]
            .map(|(label, der)| PemBlock { label: label.to_owned(), der });
        assert_eq!(blocks, expected);
        assert!(parse(b"-----BEGIN A-----\n!!\n-----END A-----").is_err());
        assert!(parse(b"-----BEGIN A-----\nAAAA").is_err());
    }
}
