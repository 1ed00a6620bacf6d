//! Brackets that belong together.

use super::token::{Token, TokenKind};

/// The index of the closing bracket of each opening one; for all others, and for brackets that are not closed, the number of tokens.
///
/// A closing bracket without an opening one is passed over. A brace closes round and square brackets that were left open in it, since people
/// type those last.
pub(super) fn bracket_pairs(tokens: &[Token]) -> Vec<u32> {
    let none = tokens.len() as u32;
    let mut closing = vec![none; tokens.len()];
    let mut open: Vec<(u8, usize)> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let TokenKind::Sign(sign) = token.kind else { continue };
        let wanted = match sign {
            b'(' | b'[' | b'{' => {
                open.push((sign, at));
                continue;
            }
            b')' => b'(',
            b']' => b'[',
            b'}' => b'{',
            _ => continue,
        };
        let fits = open
            .iter()
            .rposition(|(sign, _)| *sign == wanted || (wanted != b'{' && *sign == b'{'))
            .filter(|place| open[*place].0 == wanted);
        if let Some(place) = fits {
            closing[open[place].1] = at as u32;
            open.truncate(place);
        }
    }
    closing
}
