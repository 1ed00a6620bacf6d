//! Java's types, as text and as bytecode has them.

/// A class as Java writes it, `$` before inner classes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BinaryName(String);

impl BinaryName {
    /// `None`: a part of it cannot be a name.
    pub(super) fn new(name: &str) -> Option<Self> {
        name.split('.').all(is_identifier).then(|| Self(name.to_owned()))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// With dots before inner classes.
    pub(super) fn dotted(&self) -> String {
        self.0.replace('$', ".")
    }

    /// Without its package, dotted; `None` where it does not begin with a capital letter, as those of classes do.
    pub(super) fn simple(&self) -> Option<String> {
        let simple = self.0.rsplit_once('.').map_or(self.0.as_str(), |(_, simple)| simple);
        simple.chars().next().filter(|first| first.is_uppercase())?;
        Some(simple.replace('$', "."))
    }
}

/// Whether it can be the name of a method, or a part of a class's. Bytecode allows nearly everything; what would break up a
/// signature or a line is refused.
pub(super) fn is_identifier(name: &str) -> bool {
    let breaks = |letter: char| {
        letter.is_control() || letter.is_whitespace() || ".;[]/()#,<>\"\\".contains(letter)
    };
    name == "<init>" || !name.is_empty() && !name.contains(breaks)
}

/// Parts a list of parameters at `#` (or commas) outside of `<…>`; empty for none. `None` where brackets do not match.
pub(super) fn split(parameters: &str) -> Option<Vec<&str>> {
    if parameters.trim().is_empty() {
        return Some(Vec::new());
    }
    let mut parts = Vec::new();
    let (mut depth, mut from) = (0_usize, 0);
    for (at, letter) in parameters.char_indices() {
        match letter {
            '<' => depth += 1,
            '>' => depth = depth.checked_sub(1)?,
            '#' | ',' if depth == 0 => {
                parts.push(parameters.get(from..at)?);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(parameters.get(from..)?);
    (depth == 0).then_some(parts)
}

/// A type as tables write it, without what does not reach bytecode.
pub(super) fn written(text: &str) -> Option<String> {
    let mut depth = 0_usize;
    let mut plain = String::with_capacity(text.len());
    for letter in text.trim().chars() {
        match letter {
            '<' => depth += 1,
            '>' => depth = depth.checked_sub(1)?,
            _ if depth == 0 => plain.push(letter),
            _ => {}
        }
    }
    let mut element = plain.as_str();
    let mut dimensions = 0_usize;
    while let Some(rest) = element.strip_suffix("[]").or_else(|| element.strip_suffix("...")) {
        (element, dimensions) = (rest.trim_end(), dimensions + 1);
    }
    let is_variable = |name: &str| {
        let mut letters = name.chars();
        letters.next().is_some_and(|first| first.is_ascii_uppercase())
            && letters.all(|letter| letter.is_ascii_digit())
    };
    let element = match element {
        variable if is_variable(variable) => "java.lang.Object".to_owned(),
        primitive if letter(primitive).is_some() => primitive.to_owned(),
        class => with_inner_classes(&BinaryName::new(class)?.0),
    };
    (dimensions <= 255).then(|| element + &"[]".repeat(dimensions))
}

/// `$` in place of dots behind the first part with a capital letter: Java's names of classes begin with one, and those of packages
/// do not.
pub(super) fn with_inner_classes(class: &str) -> String {
    let mut known = String::with_capacity(class.len());
    let mut inside = false;
    for (index, part) in class.split('.').enumerate() {
        if index > 0 {
            known.push(if inside { '$' } else { '.' });
        }
        known.push_str(part);
        inside |= part.chars().next().is_some_and(char::is_uppercase);
    }
    known
}

const PRIMITIVES: [(&str, char); 9] = [
    ("boolean", 'Z'),
    ("byte", 'B'),
    ("char", 'C'),
    ("double", 'D'),
    ("float", 'F'),
    ("int", 'I'),
    ("long", 'J'),
    ("short", 'S'),
    ("void", 'V'),
];

fn letter(primitive: &str) -> Option<char> {
    PRIMITIVES.iter().find(|(name, _)| *name == primitive).map(|(_, letter)| *letter)
}

/// A type as bytecode has it.
pub(super) fn descriptor(written: &str) -> String {
    let element = written.trim_end_matches("[]");
    let dimensions = (written.len() - element.len()) / 2;
    let element = match letter(element) {
        Some(letter) => letter.to_string(),
        None => format!("L{};", element.replace('.', "/")),
    };
    "[".repeat(dimensions) + &element
}

/// The parameters of a method's descriptor. Its result may be left away.
pub(super) fn of_descriptor(descriptor: &str, most: usize) -> Option<Vec<String>> {
    let (mut left, _) = descriptor.strip_prefix('(')?.split_once(')')?;
    let mut parameters = Vec::new();
    while !left.is_empty() {
        let from_element = left.trim_start_matches('[');
        let dimensions = left.len() - from_element.len();
        let (element, rest) = if let Some(class) = from_element.strip_prefix('L') {
            let (class, rest) = class.split_once(';')?;
            (BinaryName::new(&class.replace('/', "."))?.0, rest)
        } else {
            let first = from_element.chars().next()?;
            let (name, _) =
                PRIMITIVES.iter().find(|(_, letter)| *letter == first && first != 'V')?;
            ((*name).to_owned(), from_element.get(1..)?)
        };
        if dimensions > 255 || parameters.len() == most {
            return None;
        }
        parameters.push(element + &"[]".repeat(dimensions));
        left = rest;
    }
    Some(parameters)
}
