//! `cargo xtask platform-classes DECLARATIONS`: superclasses of Android's public classes, as the bytecode verifier reads them.
//!
//! The input are declarations for TypeScript as NativeScript generates them from Android's class files
//! (`android-platform-21-37-merged.d.ts` of the npm package `@nativescript/types-android`). Of them only facts are taken over: names
//! of classes, their superclasses, and which are interfaces.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};

use crate::{Verdict, repository};

const HELP: &str = "\
Usage: cargo xtask platform-classes DECLARATIONS

Writes crates/wattle-dex/src/verify/platform_classes.txt anew from a file of @nativescript/types-android:

  npm pack @nativescript/types-android && tar xzf nativescript-types-android-*.tgz
  cargo xtask platform-classes package/lib/android/android-platform-21-37-merged.d.ts";

/// The written table.
const TABLE: &str = "crates/wattle-dex/src/verify/platform_classes.txt";
/// The words that the declarations say of each interface.
const OF_INTERFACES: &str = "interface with the provided implementation";

/// A declared class.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
struct Declared {
    /// With dots, as declared; `None` for values of an `enum` and for `java.lang.Object`.
    superclass: Option<String>,
    is_abstract: bool,
    is_interface: bool,
}

/// Runs `cargo xtask platform-classes`.
pub fn run(arguments: &[String]) -> Result<Verdict> {
    let [path] = arguments else { bail!("{HELP}") };
    if path == "--help" {
        println!("{HELP}");
        return Ok(Verdict::Passed);
    }
    let path = PathBuf::from(path);
    let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let classes = declared(&text);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let table = repository::root().join(TABLE);
    std::fs::write(&table, written(&classes, &name)).with_context(|| TABLE.to_owned())?;
    println!("{TABLE}: {} classes declared", classes.len());
    Ok(Verdict::Passed)
}

/// The classes of the declarations, by their names with dots.
fn declared(text: &str) -> BTreeMap<String, Declared> {
    // Depth in tabs → name of the module there.
    let mut modules: Vec<&str> = Vec::new();
    let mut classes: BTreeMap<String, Declared> = BTreeMap::new();
    let mut last = String::new();
    for line in text.lines() {
        let code = line.trim_start_matches('\t');
        let depth = line.len() - code.len();
        if code.contains(OF_INTERFACES) {
            if let Some(class) = classes.get_mut(&last) {
                class.is_interface = true;
            }
            continue;
        }
        let Some(code) = code.strip_suffix('{').map(str::trim_end) else { continue };
        let module =
            code.strip_prefix("declare module ").or_else(|| code.strip_prefix("export module "));
        if let Some(name) = module {
            modules.truncate(depth);
            modules.push(name);
            continue;
        }
        let class = code.strip_prefix("export class ").map(|rest| (false, rest));
        let class =
            class.or_else(|| code.strip_prefix("export abstract class ").map(|rest| (true, rest)));
        let Some((is_abstract, rest)) = class else { continue };
        let end = rest.find(['<', ' ']).unwrap_or(rest.len());
        let (name, rest) = rest.split_at(end);
        modules.truncate(depth);
        last = modules.iter().chain([&name]).copied().collect::<Vec<_>>().join(".");
        let superclass = without_parameters(rest).trim_start().strip_prefix("extends ");
        let superclass = superclass.map(|text| {
            let end = text.find(['<', ' ']).unwrap_or(text.len());
            text[..end].to_owned()
        });
        classes.insert(last.clone(), Declared { superclass, is_abstract, is_interface: false });
    }
    classes
}

/// A text without the type parameters at its beginning.
fn without_parameters(text: &str) -> &str {
    if !text.starts_with('<') {
        return text;
    }
    let mut open = 0;
    for (at, sign) in text.char_indices() {
        match sign {
            '<' => open += 1,
            '>' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return &text[at + 1..];
        }
    }
    ""
}

/// A name as class files have it: `android/app/Activity`, `android/view/View$OnClickListener`.
fn binary_name(name: &str, classes: &BTreeMap<String, Declared>) -> String {
    let mut binary = String::new();
    for (at, part) in name.split('.').enumerate() {
        if at > 0 {
            let outer = binary.replace(['/', '$'], ".");
            binary.push(if classes.contains_key(&outer) { '$' } else { '/' });
        }
        binary.push_str(part);
    }
    binary
}

/// The table: a line with a package, then lines with its classes.
fn written(classes: &BTreeMap<String, Declared>, source: &str) -> String {
    let mut lines: BTreeMap<String, String> = BTreeMap::new();
    let has_subclass =
        |name: &str| classes.values().any(|class| class.superclass.as_deref() == Some(name));
    for (name, class) in classes {
        // Others may be kinds of it that are hidden between: the public declarations skip hidden classes.
        if class.is_abstract && !class.is_interface && !has_subclass(name) {
            continue;
        }
        let superclass = match class.superclass.as_deref() {
            _ if class.is_interface => " !".to_owned(),
            _ if name == "java.lang.Object" => String::new(),
            None => " java/lang/Enum".to_owned(),
            Some("java.lang.Object") => String::new(),
            Some(superclass) => match classes.get(superclass) {
                // The declarations put an interface in the superclass's place, where it has type parameters.
                None | Some(Declared { is_interface: true, .. }) => " ?".to_owned(),
                Some(_) => format!(" {}", binary_name(superclass, classes)),
            },
        };
        lines.insert(binary_name(name, classes), superclass);
    }
    let mut text = format!(
        "# Superclasses of Android's public classes. Facts of {source} (@nativescript/types-android, Apache-2.0).\n\
         # Written by `cargo xtask platform-classes`: a package, then its classes, each with its superclass where that is not Object;\n\
         # `!` an interface, `?` a superclass that is not known.\n"
    );
    let mut package = "";
    for (name, superclass) in &lines {
        let (of, simple) = name.rsplit_once('/').unwrap_or(("", name));
        if of != package {
            package = of;
            // Writing to a String does not fail.
            let _ = writeln!(text, "{of}/");
        }
        let _ = writeln!(text, "{simple}{superclass}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{declared, written};

    #[test]
    fn declarations_become_lines() {
        let text = "declare module android {\n\texport module app {\n\
            \t\texport class Activity extends android.view.Wrapper implements android.view.Window.Callback {\n\t\t\tpublic f(): void;\n\t\t}\n\
            \t\texport module Activity {\n\t\t\texport class Mode {\n\t\t\t}\n\t\t}\n\
            \t\texport abstract class Leaf extends java.lang.Object {\n\t\t}\n\
            \t\texport class Sorter<K, V extends java.util.Map<K,any>>  extends android.app.Listener implements x.Y {\n\t\t}\n\
            \t\texport class Listener extends java.lang.Object {\n\
            \t\t\t * Constructs a new instance of the android.app.Listener interface with the provided implementation. An\n\t\t}\n\
            \t}\n\texport module view {\n\t\texport class Wrapper extends java.lang.Object {\n\t\t}\n\t}\n}\n";
        let table = written(&declared(text), "x");
        let lines: Vec<&str> = table.lines().filter(|line| !line.starts_with('#')).collect();
        let expected = [
            "android/app/",
            "Activity android/view/Wrapper",
            "Activity$Mode java/lang/Enum",
            "Listener !",
            "Sorter ?",
            "android/view/",
            "Wrapper",
        ];
        assert_eq!(lines, expected);
    }
}
