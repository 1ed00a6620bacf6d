//! Java's methods as Java writes them, from the forms in which tools write machine code's names.

/// A method by its descriptor, as agents of virtual machines write it into `perf-<pid>.map` (`Lorg/a/B;::run`, `Lorg/a/B;.run`,
/// with or without types behind it): `org.a.B.run`. `None` if the text is no such thing.
pub(crate) fn java_method(text: &str) -> Option<String> {
    let end = text.find(';')?;
    let class = text.get(..end)?.strip_prefix('L')?;
    let method = text.get(end + 1..)?;
    let method = method.strip_prefix("::").or_else(|| method.strip_prefix('.'))?;
    joined(class, method)
}

/// The same of the forms that are left of it in collapsed stacks: `org/a/B:.run`, `org/a/B:::run`, `org/a/B.run`, `org/a/B::run`.
pub(crate) fn java_name(text: &str) -> Option<String> {
    java_method(text).or_else(|| {
        // A path and a name with a type has a slash too: classes have no dots before the last part.
        let slash = text.rfind('/')?;
        let end = slash + text.get(slash..)?.find([':', '.'])?;
        let class = text.get(..end)?;
        let method = text.get(end..)?.trim_start_matches([':', '.']);
        let is_class = class.split('/').all(|part| {
            !part.is_empty()
                && part.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '-'))
        });
        if is_class { joined(class, method) } else { None }
    })
}

fn joined(class: &str, method: &str) -> Option<String> {
    let is_path = class.split('/').all(|part| !part.is_empty() && !part.contains(' '));
    // Behind the name its types may stand.
    let method = method.split('(').next()?;
    (is_path && !method.is_empty()).then(|| format!("{}.{method}", class.replace('/', ".")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_in_every_form() {
        let check = |text, expected: Option<&str>| {
            assert_eq!(java_method(text).as_deref(), expected, "{text}");
        };
        check("Lorg/a/B;::run", Some("org.a.B.run"));
        check("Lorg/a/B$C;.run", Some("org.a.B$C.run"));
        check("Lorg/a/B;::<init>(ILjava/lang/String;)V", Some("org.a.B.<init>"));
        check("LB;::run", Some("B.run"));
        check("Interpreter", None);
        check("std::vector<L;>", None);
        check("Lorg//B;::run", None);
        check("Lorg/a/B;::", None);
        let check = |text, expected: Option<&str>| {
            assert_eq!(java_name(text).as_deref(), expected, "{text}");
        };
        check("org/a/B:.run", Some("org.a.B.run"));
        check("org/a/B$C:::run", Some("org.a.B$C.run"));
        check("org/a/B.run", Some("org.a.B.run"));
        check("org/a/B::run", Some("org.a.B.run"));
        check("org/a/B", None);
        check("operator/(int)", None);
        check("main", None);
    }
}
