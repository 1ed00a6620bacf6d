//! A method's full name: class, name and parameters, as tables write it and as bytecode does.

use std::fmt;

use super::framework_hierarchy;
use super::java_type::{self, BinaryName};

/// No file or bytecode has longer ones; keeps hostile text from asking for memory.
const LONGEST: usize = 16 * 1024;
/// Maximum that the Java virtual machine allows.
const MOST_PARAMETERS: usize = 255;
/// The name of constructors in bytecode.
pub(super) const CONSTRUCTOR: &str = "<init>";

/// A method by class, name and parameters.
///
/// Tables write `android.app.AlertDialog.Builder.setTitle(java.lang.CharSequence)`, `#` between parameters, inner classes with
/// dots, and constructors by their class once more: `android.app.AlertDialog.Builder.AlertDialog.Builder(android.content.Context)`.
/// Bytecode has `android.app.AlertDialog$Builder`, `<init>`, `(Landroid/content/Context;)V`. Where a package ends and where an inner
/// class begins cannot be told from dots, so signatures are the same when their dotted forms are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiSignature {
    /// As Java writes it, `$` before inner classes.
    class: BinaryName,
    /// The name; `<init>` for constructors.
    method: String,
    /// The parameters' types, `$` before inner classes, `[]` behind arrays.
    parameters: Vec<String>,
}

impl ApiSignature {
    /// Reads what tables write. Behind the parameters `---` may stand, as in the table of the 2014 study. Generic parameters are
    /// left away (`List<String>`), type variables (`T`) are `java.lang.Object`, `int...` is `int[]`. `None`: not of this form.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.len() > LONGEST {
            return None;
        }
        let text = text.strip_suffix("---").unwrap_or(text).trim_end();
        let (head, parameters) = text.strip_suffix(')')?.split_once('(')?;
        let parameters = java_type::split(parameters)?;
        if parameters.len() > MOST_PARAMETERS {
            return None;
        }
        let parameters = parameters.into_iter().map(java_type::written).collect::<Option<_>>()?;
        let (class, method) = class_and_method(head)?;
        Some(Self { class, method, parameters })
    }

    /// From bytecode: the class as Java writes it, the method, its parameters and result. `None` where the descriptor is not one.
    pub fn of_bytecode(class: &str, method: &str, descriptor: &str) -> Option<Self> {
        if class.len() + method.len() + descriptor.len() > LONGEST {
            return None;
        }
        let parameters = java_type::of_descriptor(descriptor, MOST_PARAMETERS)?;
        let class = BinaryName::new(&class.replace('/', "."))?;
        java_type::is_identifier(method).then(|| Self {
            class,
            method: method.to_owned(),
            parameters,
        })
    }

    /// The class as Java writes it, `$` before inner classes. Of what a table wrote: by the framework's own list, else what follows
    /// the first part with a capital letter is taken for inner classes.
    pub fn class(&self) -> &str {
        self.class.as_str()
    }

    /// The name; `<init>` for constructors.
    pub fn method(&self) -> &str {
        &self.method
    }

    /// The parameters as bytecode has them, `(Landroid/content/Context;)`, without the result, which tables do not say.
    pub fn descriptor(&self) -> String {
        let parameters: String =
            self.parameters.iter().map(|parameter| java_type::descriptor(parameter)).collect();
        format!("({parameters})")
    }

    /// Returns the part that two signatures of one method share: the name that [`overloads`] gives, and the parameters.
    pub(super) fn key(&self) -> String {
        key(&overloads(self.class(), &self.method), &self.parameters)
    }

    /// Name and parameters in another class.
    pub(super) fn key_in(&self, class: &str) -> String {
        key(&overloads(class, &self.method), &self.parameters)
    }

    /// Returns the part that all overloads share.
    pub(super) fn overloads(&self) -> String {
        overloads(self.class(), &self.method)
    }

    /// As a table writes it without parameters.
    pub(super) fn without_parameters(&self) -> String {
        let class = self.class.dotted();
        match self.class.simple() {
            // `<init>` where the class's name would not be taken for a constructor's.
            Some(simple) if self.method == CONSTRUCTOR => format!("{class}.{simple}"),
            _ => format!("{class}.{}", self.method),
        }
    }
}

/// As a table writes it.
impl fmt::Display for ApiSignature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parameters: Vec<String> =
            self.parameters.iter().map(|parameter| parameter.replace('$', ".")).collect();
        write!(f, "{}({})", self.without_parameters(), parameters.join("#"))
    }
}

/// Returns the part that all overloads of a method share, inner classes dotted.
pub(super) fn overloads(class: &str, method: &str) -> String {
    format!("{}#{method}", class.replace(['$', '/'], "."))
}

fn key(overloads: &str, parameters: &[String]) -> String {
    let parameters: Vec<String> =
        parameters.iter().map(|parameter| parameter.replace('$', ".")).collect();
    format!("{overloads}({})", parameters.join("#"))
}

/// Parts the class from the method. A constructor repeats its class, an inner one's with the classes around it or without.
fn class_and_method(head: &str) -> Option<(BinaryName, String)> {
    let head = head.trim();
    let parts: Vec<&str> = head.split('.').collect();
    let capital = |part: &&str| part.chars().next().is_some_and(char::is_uppercase);
    let repeated = (1..=parts.len() / 2).find(|count| {
        let (rest, last) = parts.split_at(parts.len() - count);
        rest.ends_with(last) && last.first().is_some_and(capital)
    });
    let (class, method) = if let Some(count) = repeated {
        (parts.get(..parts.len() - count)?.join("."), CONSTRUCTOR)
    } else {
        let (class, method) = head.rsplit_once('.')?;
        (class.to_owned(), method)
    };
    if !java_type::is_identifier(method) {
        return None;
    }
    let class = framework_hierarchy::framework().binary_name(&class).unwrap_or(&class);
    Some((BinaryName::new(&java_type::with_inner_classes(class))?, method.to_owned()))
}
