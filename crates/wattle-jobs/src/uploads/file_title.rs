//! Names of files that others chose.

use crate::base::is_hidden;

/// Characters of a name.
const MOST: usize = 150;

/// A name to be shown: one line, the last part of a path, no character that reorders or hides others. Never a path.
pub(crate) fn file_title(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let shown: String = last.chars().filter(|it| !is_hidden(*it)).collect();
    match shown.trim() {
        "" | "." | ".." => "file".to_owned(),
        title => shortened(title),
    }
}

/// A name for a file of a job, made of a title: ASCII letters, digits and `. _ -`, never at the beginning of an option and never a folder.
pub(crate) fn path_name(title: &str) -> String {
    let safe = |it: char| if it.is_ascii_alphanumeric() || "._-".contains(it) { it } else { '_' };
    let name: String = file_title(title).chars().map(safe).collect();
    let name = name.trim_start_matches(['.', '-']);
    if name.is_empty() { "file".to_owned() } else { name.to_owned() }
}

/// The beginning and the end, because the end says what a file is.
fn shortened(title: &str) -> String {
    let count = title.chars().count();
    if count <= MOST {
        return title.to_owned();
    }
    let half = MOST / 2;
    title.chars().take(half).chain(title.chars().skip(count - half)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_never_paths() {
        for (name, title, path) in [
            ("trace.perfetto-trace", "trace.perfetto-trace", "trace.perfetto-trace"),
            ("../../etc/passwd", "passwd", "passwd"),
            ("..\\..\\boot.ini", "boot.ini", "boot.ini"),
            ("/", "file", "file"),
            ("..", "file", "file"),
            ("", "file", "file"),
            (".bashrc", ".bashrc", "bashrc"),
            ("--store=x.zip", "--store=x.zip", "store_x.zip"),
            ("a\0b\nc", "abc", "abc"),
            ("invoice\u{202e}gpj.apk", "invoicegpj.apk", "invoicegpj.apk"),
            ("Größe 1.zip", "Größe 1.zip", "Gr__e_1.zip"),
        ] {
            assert_eq!(file_title(name), title, "{name:?}");
            assert_eq!(path_name(name), path, "{name:?}");
        }
        let long = format!("{}.apk", "x".repeat(100_000));
        assert_eq!(path_name(&long).len(), MOST);
        assert_eq!(path_name(&long).split_once('.').map(|it| it.1), Some("apk"));
    }

    proptest::proptest! {
        #[test]
        fn no_name_leaves_its_folder(name in ".*") {
            let path = path_name(&name);
            let parts: Vec<_> = std::path::Path::new(&path).components().collect();
            proptest::prop_assert!(matches!(parts[..], [std::path::Component::Normal(_)]), "{path}");
            proptest::prop_assert!(!path.starts_with('-') && path.len() <= MOST);
        }
    }
}
