//! Formulas over the columns of a table.
//!
//! ```text
//! sum     = product (("+" | "-") product)*
//! product = power (("*" | "/") power)*
//! power   = "-" power | atom ("^" power)?
//! atom    = number | column | function "(" sum ")" | "(" sum ")"
//! column  = letters, digits, "_", "." and ":" | anything between backticks
//! ```
//! Functions are `log`, `exp`, `sqrt`, `abs` and `sum`; the last takes a pattern between backticks, in which `*` stands for any text,
//! and adds up the columns whose names match.

use crate::CalibrateError;

/// A parsed formula.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    /// The text it was made from.
    pub text: String,
    node: Node,
}

#[derive(Clone, Debug, PartialEq)]
enum Node {
    Number(f64),
    Column(String),
    SumOf(String),
    Negative(Box<Self>),
    Binary(char, Box<Self>, Box<Self>),
    Call(Function, Box<Self>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Function {
    Log,
    Exp,
    Sqrt,
    Abs,
}

/// Formulas nest no deeper than this.
const DEEPEST: usize = 64;

impl std::str::FromStr for Formula {
    type Err = CalibrateError;

    fn from_str(text: &str) -> Result<Self, CalibrateError> {
        let mut parser = Parser { rest: text.trim(), depth: 0 };
        let found = parser.sum().filter(|_| parser.rest.trim().is_empty());
        let node = found.ok_or_else(|| CalibrateError::Request {
            what: "formula",
            expected: "columns and numbers with + - * / ^ ( ), log, exp, sqrt, abs or sum(`PATTERN`); other names of columns \
                       between backticks"
                .to_owned(),
            found: format!("{text:?}, not understood from {:?}", parser.rest),
        })?;
        Ok(Self { text: text.trim().to_owned(), node })
    }
}

impl Formula {
    /// The column of this name, whatever characters it has.
    pub fn column(name: &str) -> Self {
        Self { text: name.to_owned(), node: Node::Column(name.to_owned()) }
    }

    /// The columns that it uses; of a pattern, those of the table that match.
    pub fn columns<'a>(&'a self, of_table: &'a [String]) -> Vec<&'a str> {
        let mut found = Vec::new();
        self.node.collect(of_table, &mut found);
        found
    }

    /// Its value where the columns have these; `None` where one is missing, or the value is not finite.
    pub fn value(&self, of_table: &[String], cell: &dyn Fn(&str) -> Option<f64>) -> Option<f64> {
        self.node.value(of_table, cell).filter(|value| value.is_finite())
    }
}

impl Node {
    fn collect<'a>(&'a self, of_table: &'a [String], found: &mut Vec<&'a str>) {
        match self {
            Self::Number(_) => {}
            Self::Column(name) => found.push(name),
            Self::SumOf(pattern) => found.extend(matching(pattern, of_table)),
            Self::Negative(inner) | Self::Call(_, inner) => inner.collect(of_table, found),
            Self::Binary(_, a, b) => {
                a.collect(of_table, found);
                b.collect(of_table, found);
            }
        }
    }

    fn value(&self, of_table: &[String], cell: &dyn Fn(&str) -> Option<f64>) -> Option<f64> {
        Some(match self {
            Self::Number(value) => *value,
            Self::Column(name) => cell(name)?,
            Self::SumOf(pattern) => matching(pattern, of_table).map(cell).sum::<Option<f64>>()?,
            Self::Negative(inner) => -inner.value(of_table, cell)?,
            Self::Call(function, inner) => {
                let value = inner.value(of_table, cell)?;
                match function {
                    Function::Log => value.ln(),
                    Function::Exp => value.exp(),
                    Function::Sqrt => value.sqrt(),
                    Function::Abs => value.abs(),
                }
            }
            Self::Binary(operator, a, b) => {
                let (a, b) = (a.value(of_table, cell)?, b.value(of_table, cell)?);
                match operator {
                    '+' => a + b,
                    '-' => a - b,
                    '*' => a * b,
                    '/' => a / b,
                    _ => a.powf(b),
                }
            }
        })
    }
}

/// The names that a pattern with `*` matches.
fn matching<'a>(pattern: &'a str, names: &'a [String]) -> impl Iterator<Item = &'a str> {
    names.iter().map(String::as_str).filter(move |name| is_match(pattern, name))
}

fn is_match(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = rest.get(at + part.len()..).unwrap_or_default();
    }
    rest.ends_with(last)
}

struct Parser<'a> {
    rest: &'a str,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn take(&mut self, wanted: &[char]) -> Option<char> {
        self.rest = self.rest.trim_start();
        let next = self.rest.chars().next().filter(|next| wanted.contains(next))?;
        self.rest = self.rest.get(next.len_utf8()..)?;
        Some(next)
    }

    fn sum(&mut self) -> Option<Node> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let mut left = self.product()?;
        while let Some(operator) = self.take(&['+', '-']) {
            left = Node::Binary(operator, Box::new(left), Box::new(self.product()?));
        }
        self.depth -= 1;
        Some(left)
    }

    fn product(&mut self) -> Option<Node> {
        let mut left = self.power()?;
        while let Some(operator) = self.take(&['*', '/']) {
            left = Node::Binary(operator, Box::new(left), Box::new(self.power()?));
        }
        Some(left)
    }

    fn power(&mut self) -> Option<Node> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let node = if self.take(&['-']).is_some() {
            Node::Negative(Box::new(self.power()?))
        } else {
            let base = self.atom()?;
            match self.take(&['^']) {
                Some(operator) => Node::Binary(operator, Box::new(base), Box::new(self.power()?)),
                None => base,
            }
        };
        self.depth -= 1;
        Some(node)
    }

    fn atom(&mut self) -> Option<Node> {
        if self.take(&['(']).is_some() {
            let inner = self.sum()?;
            return self.take(&[')']).map(|_| inner);
        }
        if let Some(name) = self.quoted() {
            return Some(Node::Column(name.to_owned()));
        }
        if self.rest.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            return self.number();
        }
        let name = self.name()?;
        let function = match name {
            "log" => Function::Log,
            "exp" => Function::Exp,
            "sqrt" => Function::Sqrt,
            "abs" => Function::Abs,
            "sum" if self.rest.trim_start().starts_with('(') => {
                self.take(&['('])?;
                let pattern = self.quoted()?.to_owned();
                return self.take(&[')']).map(|_| Node::SumOf(pattern));
            }
            _ => return Some(Node::Column(name.to_owned())),
        };
        if self.take(&['(']).is_none() {
            return Some(Node::Column(name.to_owned()));
        }
        let inner = self.sum()?;
        self.take(&[')']).map(|_| Node::Call(function, Box::new(inner)))
    }

    fn quoted(&mut self) -> Option<&'a str> {
        self.rest = self.rest.trim_start();
        let inner = self.rest.strip_prefix('`')?;
        let (name, rest) = inner.split_once('`')?;
        self.rest = rest;
        (!name.is_empty()).then_some(name)
    }

    fn number(&mut self) -> Option<Node> {
        let digits = |c: char| c.is_ascii_digit() || c == '.';
        let mut end = self.rest.find(|c: char| !digits(c)).unwrap_or(self.rest.len());
        let exponent = self.rest.get(end..)?;
        if let Some(tail) = exponent.strip_prefix(['e', 'E']) {
            let signed = tail.strip_prefix(['+', '-']).unwrap_or(tail);
            let count = signed.chars().take_while(char::is_ascii_digit).count();
            if count > 0 {
                end += 1 + (tail.len() - signed.len()) + count;
            }
        }
        let (text, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest;
        text.parse().ok().filter(|value: &f64| value.is_finite()).map(Node::Number)
    }

    fn name(&mut self) -> Option<&'a str> {
        let inside = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':');
        let end = self.rest.find(|c: char| !inside(c)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest;
        (!name.is_empty()).then_some(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<f64>) {
        let names = ["a", "b.1", "A (%)", "x_UWS", "y_UWS.1"].map(str::to_owned);
        let cell = |name: &str| match name {
            "a" => Some(3.0),
            "b.1" => Some(-0.5),
            "A (%)" => Some(40.0),
            "x_UWS" => Some(1.0),
            "y_UWS.1" => Some(2.0),
            _ => None,
        };
        let found = text.parse::<Formula>().ok().and_then(|formula| formula.value(&names, &cell));
        assert_eq!(found, expected, "{text}");
    }

    /// Values by hand, with the precedence of written mathematics.
    #[test]
    fn a_formula_has_the_value_of_written_mathematics() {
        check("a", Some(3.0));
        check("2 + a*4", Some(14.0));
        check("2 - a - 1", Some(-2.0));
        check("12/a/2", Some(2.0));
        check("-a^2", Some(-9.0));
        check("2^-1*a", Some(1.5));
        check("2^a^2", Some(512.0));
        check("(2^a)^2", Some(64.0));
        check("`A (%)`*1e-2", Some(0.4));
        check("1.5E+1 - b.1", Some(15.5));
        check("sqrt(a*12) + abs(b.1)", Some(6.5));
        check("log(exp(a))", Some(3.0));
        check("sum(`*_UWS*`) * a", Some(9.0));
        check("sum(`*_UWS`)", Some(1.0));
    }

    #[test]
    fn what_has_no_value_has_none() {
        for text in [
            "c",
            "1/0",
            "log(b.1)",
            "sqrt(0-1)",
            "a/0 - a/0",
            "",
            "a +",
            "(a",
            "a)",
            "a b",
            "``",
            "1e",
            "sum(a)",
            "1.2.3",
            "*a",
        ] {
            check(text, None);
        }
        check(&"(".repeat(100_000), None);
        check(&"-".repeat(100_000), None);
        check(&format!("{}a{}", "(".repeat(20), ")".repeat(20)), Some(3.0));
    }
}
