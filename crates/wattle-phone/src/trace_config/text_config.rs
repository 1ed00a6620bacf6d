//! The text form of protobuf, as `perfetto --txt` takes it.

use super::message::{Field, Message};

/// Deepest nesting; a trace configuration has six.
const MOST_DEPTH: usize = 32;

/// Reads the fields of a message.
///
/// # Errors
/// The position of the first syntax error.
pub(super) fn parse(text: &str) -> Result<Vec<(String, Field)>, String> {
    let mut tokens = tokens(text)?.into_iter().peekable();
    let fields = fields(&mut tokens, 0)?;
    match tokens.next() {
        None => Ok(fields),
        Some(token) => Err(format!("Unexpected token: {token:?}")),
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Word(String),
    Quoted(String),
    Sign(char),
}

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '#' => {
                letters.find(|letter| *letter == '\n');
            }
            '"' | '\'' => {
                let mut quoted = String::new();
                loop {
                    match letters.next() {
                        Some('\\') => quoted.extend(letters.next()),
                        Some(end) if end == letter => break,
                        Some(other) => quoted.push(other),
                        None => return Err("Unterminated string".to_owned()),
                    }
                }
                tokens.push(Token::Quoted(quoted));
            }
            '{' | '}' | ':' | '[' | ']' | '<' | '>' => tokens.push(Token::Sign(letter)),
            // Between fields, for the eye.
            _ if letter.is_whitespace() || letter == ',' || letter == ';' => {}
            _ => {
                let mut word = letter.to_string();
                let inside =
                    |letter: &char| letter.is_ascii_alphanumeric() || "_.-+".contains(*letter);
                while let Some(letter) = letters.next_if(inside) {
                    word.push(letter);
                }
                tokens.push(Token::Word(word));
            }
        }
    }
    Ok(tokens)
}

type Tokens = std::iter::Peekable<std::vec::IntoIter<Token>>;

fn fields(tokens: &mut Tokens, depth: usize) -> Result<Vec<(String, Field)>, String> {
    if depth > MOST_DEPTH {
        return Err("Too deep".to_owned());
    }
    let mut fields = Vec::new();
    while let Some(Token::Word(name)) = tokens.next_if(|token| matches!(token, Token::Word(_))) {
        let has_colon = tokens.next_if_eq(&Token::Sign(':')).is_some();
        if tokens.next_if_eq(&Token::Sign('[')).is_some() {
            while tokens.next_if_eq(&Token::Sign(']')).is_none() {
                fields.push((name.clone(), value(tokens, true, depth)?));
            }
        } else {
            fields.push((name, value(tokens, has_colon, depth)?));
        }
    }
    Ok(fields)
}

fn value(tokens: &mut Tokens, has_colon: bool, depth: usize) -> Result<Field, String> {
    match tokens.next() {
        Some(Token::Sign('{')) => {
            let inner = fields(tokens, depth + 1)?;
            match tokens.next() {
                Some(Token::Sign('}')) => Ok(Field::Message(Message::Text(inner))),
                other => Err(format!("Expected a closing brace, found {other:?}")),
            }
        }
        Some(Token::Quoted(text)) if has_colon => Ok(Field::Text(text)),
        Some(Token::Word(word)) if has_colon => Ok(match word.as_str() {
            "true" => Field::Number(1),
            "false" => Field::Number(0),
            _ => word.parse().map_or(Field::Text(word), Field::Number),
        }),
        other => Err(format!("Expected a value, found {other:?}")),
    }
}
