//! Pages that systrace and Chrome write: a viewer with the trace inside.
//!
//! | since | where the trace is |
//! |---|---|
//! | 2011 | `var linuxPerfData = "\`, then lines that end with `\n\` |
//! | 2014 | `<script class="trace-data" type="application/text">`, one for each part |
//! | Chrome's `trace2html` | `<script id="viewer-data" …>`, gzip in base64 |

/// A piece of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// Of the viewer.
    Page,
    /// A part of the trace begins.
    Begin,
    /// A line of a part.
    Line(&'a [u8]),
    /// A line of something packed.
    Packed(&'a [u8]),
    /// The part ends.
    End,
}

/// Context of the next line in a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Page {
    #[default]
    Outside,
    /// In a part of the trace.
    Part,
    /// In a string of JavaScript.
    Quoted,
    /// In something packed.
    Packed,
}

fn contains(line: &[u8], text: &[u8]) -> bool {
    memchr::memmem::find(line, text).is_some()
}

impl Page {
    /// Classifies the next line.
    pub fn line<'a>(&mut self, line: &'a [u8]) -> Piece<'a> {
        let (piece, next) = match *self {
            Self::Outside => return self.outside(line),
            Self::Part | Self::Packed if line.trim_ascii() == b"</script>" => {
                (Piece::End, Self::Outside)
            }
            Self::Quoted => match line.strip_suffix(b"\";") {
                // The last line stands before the closing quotation mark.
                Some(last) => {
                    (Piece::Line(last.strip_suffix(b"\\n").unwrap_or(last)), Self::Outside)
                }
                None => (Piece::Line(line), Self::Quoted),
            },
            Self::Part => (Piece::Line(line), Self::Part),
            Self::Packed => (Piece::Packed(line), Self::Packed),
        };
        *self = next;
        piece
    }

    fn outside<'a>(&mut self, line: &'a [u8]) -> Piece<'a> {
        let start = line.trim_ascii();
        *self = if start.starts_with(b"<script") && contains(start, b"trace-data") {
            Self::Part
        } else if start.starts_with(b"<script") && contains(start, b"viewer-data") {
            Self::Packed
        } else if start.starts_with(b"var linuxPerfData = \"") {
            Self::Quoted
        } else {
            return Piece::Page;
        };
        Piece::Begin
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_page() {
        let lines: [(&[u8], Piece<'_>); 13] = [
            (b"<html>", Piece::Page),
            (b"return /var linuxPerfData = \"/;", Piece::Page),
            (b"  <script class=\"trace-data\" type=\"application/text\">", Piece::Begin),
            (b"# tracer: nop", Piece::Line(b"# tracer: nop")),
            (b"  </script>", Piece::End),
            (b"<script id=\"viewer-data\" type=\"text/plain\">", Piece::Begin),
            (b"H4sI", Piece::Packed(b"H4sI")),
            (b"</script>", Piece::End),
            (b"  var linuxPerfData = \"\\", Piece::Begin),
            (b"a\\n\\", Piece::Line(b"a\\n\\")),
            (b"b\\n\";", Piece::Line(b"b")),
            (b"  </script>", Piece::Page),
            (b"</html>", Piece::Page),
        ];
        let mut page = Page::default();
        for (line, expected) in lines {
            assert_eq!(page.line(line), expected, "{}", String::from_utf8_lossy(line));
        }
    }
}
