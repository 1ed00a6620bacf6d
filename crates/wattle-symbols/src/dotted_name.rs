//! Names of Java methods in the forms that tools write them in.

use std::borrow::Cow;

/// A method as Java writes it, `java.lang.String.length`, of one in a form that keeps parameters and result (ART's `PrettyMethod`:
/// `int java.lang.String.length()`) or descriptors (`Ljava/lang/String;::length`). What is no Java method stays.
pub(crate) fn java_name(name: &str) -> Cow<'_, str> {
    // ART marks methods that share their code, behind the name before Android 10.
    let name = name.strip_prefix("[DEDUPED] ").unwrap_or(name);
    let name = name.strip_suffix(" [DEDUPED]").unwrap_or(name);
    let described = name.strip_prefix('L').and_then(|it| it.split_once(";::"));
    if let Some((class, method)) = described {
        return Cow::Owned(format!("{}.{method}", class.replace('/', ".")));
    }
    let Some((without_parameters, _)) = name.split_once('(') else { return Cow::Borrowed(name) };
    let method = without_parameters.rsplit(' ').next().unwrap_or(without_parameters);
    if method.contains('.') { Cow::Borrowed(method) } else { Cow::Borrowed(name) }
}

/// A class as Java writes it, of its descriptor.
pub(crate) fn java_class(descriptor: &str) -> String {
    let class = descriptor.strip_prefix('L').and_then(|it| it.strip_suffix(';'));
    class.unwrap_or(descriptor).replace('/', ".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms() {
        let check = |name, expected| assert_eq!(java_name(name), expected, "{name}");
        check("int java.lang.String.length()", "java.lang.String.length");
        check("void a.b.c(java.util.List, int)", "a.b.c");
        check("[DEDUPED] void a.b.c()", "a.b.c");
        check("a.b.c [DEDUPED]", "a.b.c");
        check("java.lang.String.length", "java.lang.String.length");
        check("Lcom/x/Main;::run", "com.x.Main.run");
        check("art_quick_invoke_stub", "art_quick_invoke_stub");
        check("operator()", "operator()");
        assert_eq!(java_class("Lcom/x/Main$1;"), "com.x.Main$1");
    }
}
