//! Colours, where asked for.

/// Role of a piece of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    Plain,
    Heading,
    Strong,
    Dim,
    Bar,
    Good,
    Warning,
    Error,
}

/// Wraps text into ANSI escape sequences, or does not.
#[derive(Clone, Copy, Debug)]
pub struct Painter {
    pub color: bool,
}

impl Painter {
    pub fn paint(self, style: Style, text: &str) -> String {
        let code = match style {
            Style::Plain => return text.to_owned(),
            Style::Heading => "1;36",
            Style::Strong => "1",
            Style::Dim => "2",
            Style::Bar => "36",
            Style::Good => "1;32",
            Style::Warning => "33",
            Style::Error => "1;31",
        };
        if !self.color || text.is_empty() {
            return text.to_owned();
        }
        format!("\x1b[{code}m{text}\x1b[0m")
    }
}
