//! Which classes of the framework extend which.

use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};

const DATA: &str = include_str!("../../data/framework-classes.txt");

static FRAMEWORK: LazyLock<Hierarchy> = LazyLock::new(|| Hierarchy::parse(DATA));

/// The public classes of the framework (API level 23) that extend or implement another one.
pub(super) fn framework() -> &'static Hierarchy {
    &FRAMEWORK
}

/// Classes, and what they extend and implement.
pub(super) struct Hierarchy {
    /// By dotted name.
    classes: FxHashMap<String, Class>,
}

struct Class {
    /// `$` before inner classes.
    name: String,
    /// Dotted; the class that it extends first.
    parents: Vec<String>,
}

impl Hierarchy {
    fn parse(text: &str) -> Self {
        let mut classes = FxHashMap::default();
        let mut package = "";
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            if let Some(named) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                package = named;
                continue;
            }
            let mut words = line.split(' ');
            let Some(simple) = words.next().filter(|word| !word.is_empty()) else { continue };
            let in_package = |name: &str| {
                if name.contains('.') { name.to_owned() } else { format!("{package}.{name}") }
            };
            let parents = words.map(|name| in_package(name).replace('$', ".")).collect();
            let name = format!("{package}.{simple}");
            classes.insert(name.replace('$', "."), Class { name, parents });
        }
        Self { classes }
    }

    /// The name with `$` before inner classes, of a class that is known.
    pub(super) fn binary_name(&self, dotted: &str) -> Option<&str> {
        self.classes.get(dotted).map(|class| class.name.as_str())
    }

    /// Returns the classes and interfaces that a class extends and implements, nearest first, dotted; empty if they are
    /// not known.
    pub(super) fn ancestors(&self, class: &str) -> Vec<&str> {
        let of = |class: &str| self.classes.get(class).map_or(&[][..], |class| &class.parents[..]);
        let start = class.replace(['$', '/'], ".");
        let mut found: Vec<&str> = of(&start).iter().map(String::as_str).collect();
        let mut seen: FxHashSet<&str> = found.iter().copied().collect();
        let mut next = 0;
        while let Some(class) = found.get(next).copied() {
            next += 1;
            found.extend(of(class).iter().map(String::as_str).filter(|parent| seen.insert(parent)));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(class: &str, expected: &[&str]) {
        let ancestors = framework().ancestors(class);
        assert_eq!(ancestors.get(..expected.len()), Some(expected), "{class}");
    }

    #[test]
    fn ancestors_nearest_first() {
        check("android.widget.Button", &["android.widget.TextView", "android.view.View"]);
        check("android/app/ListActivity", &["android.app.Activity"]);
        check(
            "android.widget.LinearLayout$LayoutParams",
            &["android.view.ViewGroup.MarginLayoutParams"],
        );
        let of_activity = framework().ancestors("android.app.Activity");
        let at = |class| of_activity.iter().position(|known| *known == class).unwrap();
        assert!(at("android.content.ContextWrapper") < at("android.content.Context"));
        assert!(of_activity.contains(&"android.view.KeyEvent.Callback"));
        assert_eq!(framework().ancestors("com.example.Unknown"), [""; 0]);
        assert_eq!(framework().ancestors("java.lang.Object"), [""; 0]);
    }

    #[test]
    fn every_class_is_read() {
        let lines = DATA.lines().filter(|line| !line.starts_with(['#', '[']));
        assert_eq!(framework().classes.len(), lines.count());
    }

    #[test]
    fn a_circle_ends() {
        let circle = Hierarchy::parse("[a]\nA B\nB A\n");
        assert_eq!(circle.ancestors("a.A"), ["a.B", "a.A"]);
    }
}
