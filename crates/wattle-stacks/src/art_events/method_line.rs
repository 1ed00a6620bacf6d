//! Description of one method in a trace: a line of fields between tabulators.
//!
//! ```text
//! android/os/Debug   startMethodTracing   (Ljava/lang/String;II)V   Debug.java   604     Dalvik
//! android.os.Debug   startMethodTracing   (Ljava/lang/String;)V     Debug.java           the Android runtime
//! some name                                                                              old dmtrace keys
//! ```

/// One method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MethodLine<'a> {
    /// Its class, as the trace writes it; empty where the line is one name.
    pub class: &'a [u8],
    /// Its name.
    pub name: &'a [u8],
    /// Parameters and result.
    pub descriptor: Option<&'a [u8]>,
    /// The source file.
    pub file: Option<&'a [u8]>,
    /// Its first line; those of native methods and without lines are negative in the trace, and `None` here.
    pub line: Option<u32>,
}

impl<'a> MethodLine<'a> {
    /// From what follows the method's number.
    pub fn parse(text: &'a [u8]) -> Self {
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        let mut fields = text.split(|byte| *byte == b'\t');
        let first = fields.next().unwrap_or_default();
        let mut next = || fields.next().filter(|field| !field.is_empty());
        let (second, third, fourth, fifth) = (next(), next(), next(), next());
        let number = |text: &[u8]| std::str::from_utf8(text).ok()?.parse().ok();
        let Some(name) = second else {
            return Self { class: b"", name: first, descriptor: None, file: None, line: None };
        };
        match third.filter(|third| third.starts_with(b"(")) {
            Some(descriptor) => Self {
                class: first,
                name,
                descriptor: Some(descriptor),
                file: fourth,
                line: fifth.and_then(number),
            },
            // Without a descriptor: `name file line`, as perflib reads it.
            None => Self {
                class: b"",
                name: first,
                descriptor: None,
                file: Some(name),
                line: third.and_then(number),
            },
        }
    }

    /// Its class as Java writes it.
    pub fn java_class(&self) -> String {
        String::from_utf8_lossy(self.class).replace('/', ".")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Fields<'a> = (&'a str, &'a str, Option<&'a str>, Option<&'a str>, Option<u32>);

    #[track_caller]
    fn check(line: &str, expected: Fields<'_>) {
        let text = |bytes| std::str::from_utf8(bytes).expect("text");
        let it = MethodLine::parse(line.as_bytes());
        let found =
            (text(it.class), text(it.name), it.descriptor.map(text), it.file.map(text), it.line);
        assert_eq!(found, expected);
    }

    #[test]
    fn lines_of_all_writers() {
        let dalvik = "android/os/Debug\tstop\t()V\tDebug.java\t650\n";
        check(dalvik, ("android/os/Debug", "stop", Some("()V"), Some("Debug.java"), Some(650)));
        let native = "a/B\tc\t()V\tB.java\t-2";
        check(native, ("a/B", "c", Some("()V"), Some("B.java"), None));
        check("a.B\tc\t(I)V\tB.java\n", ("a.B", "c", Some("(I)V"), Some("B.java"), None));
        check("a.B\tc\t(I)V\t\r\n", ("a.B", "c", Some("(I)V"), None, None));
        check("a.B\tc\t(I)V", ("a.B", "c", Some("(I)V"), None, None));
        check("main", ("", "main", None, None, None));
        check("main\tB.java\t7", ("", "main", None, Some("B.java"), Some(7)));
        check("", ("", "", None, None, None));
        assert_eq!(MethodLine::parse(b"a/B$C\td\t()V").java_class(), "a.B$C");
    }
}
