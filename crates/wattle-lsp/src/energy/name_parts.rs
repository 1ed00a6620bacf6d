//! Names of methods in histories.

/// The name of a method of Java or Kotlin in a history, in its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MethodName<'n> {
    /// The class as Java writes it.
    pub class: &'n str,
    /// The name, without what compilers add to it.
    pub method: &'n str,
    /// Its parameters and result, `(I)V`, if they are part of the name.
    pub descriptor: Option<&'n str>,
    /// Whether it is code inside of that method: a lambda, an anonymous class.
    pub is_inner: bool,
}

impl<'n> MethodName<'n> {
    /// The parts of a name; `None` for what is no method of a class.
    pub fn new(name: &'n str) -> Option<Self> {
        let (plain, descriptor) = match name.find('(') {
            Some(at) => (name.get(..at)?, Some(name.get(at..)?)),
            None => (name, None),
        };
        // Runtimes write a result type before the class, and types of parameters as in a source.
        let plain = plain.rsplit(' ').next()?;
        let descriptor = descriptor.filter(|it| it.contains(')') && !it.ends_with(')'));
        let (class, method) = plain.rsplit_once('.')?;
        let is_name = |letter: char| letter.is_alphanumeric() || "_$-<>.".contains(letter);
        if class.is_empty() || method.is_empty() || !plain.chars().all(is_name) {
            return None;
        }
        let class = class.strip_suffix("$DefaultImpls").unwrap_or(class);
        // `lambda$load$0` of javac, `load$lambda$0` of kotlinc.
        if let Some(rest) = method.strip_prefix("lambda$") {
            let method = rest.split('$').next().unwrap_or(rest);
            return Some(Self { class, method, descriptor: None, is_inner: true });
        }
        if let Some((method, _)) = method.split_once("$lambda$") {
            return Some(Self { class, method, descriptor: None, is_inner: true });
        }
        // `Feed$load$1.invoke`: an anonymous class in `load`.
        if let Some((outer, number)) = class.rsplit_once('$')
            && number.starts_with(|it: char| it.is_ascii_digit())
        {
            let mut parts = outer.rsplitn(2, '$');
            let last = parts.next().unwrap_or_default();
            let is_method = last.starts_with(|it: char| it.is_lowercase());
            return Some(match parts.next().filter(|_| is_method) {
                Some(class) => Self { class, method: last, descriptor: None, is_inner: true },
                None => Self { class: outer, method: "", descriptor: None, is_inner: true },
            });
        }
        // `load-pVg5ArA`: an inline class is among the parameters.
        let method = match method.rsplit_once('-') {
            Some((before, hash)) if hash.len() == 7 && !before.is_empty() => before,
            _ => method,
        };
        Some(Self { class, method, descriptor, is_inner: false })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, expected: Option<(&str, &str, Option<&str>, bool)>) {
        let found =
            MethodName::new(name).map(|it| (it.class, it.method, it.descriptor, it.is_inner));
        assert_eq!(found, expected, "{name}");
    }

    #[test]
    fn names_have_parts() {
        check("com.a.B.load", Some(("com.a.B", "load", None, false)));
        check("com.a.B$C.load(I)V", Some(("com.a.B$C", "load", Some("(I)V"), false)));
        check("void com.a.B.load(int, java.lang.String)", Some(("com.a.B", "load", None, false)));
        check("com.a.B.<init>", Some(("com.a.B", "<init>", None, false)));
        check("com.a.B$DefaultImpls.load", Some(("com.a.B", "load", None, false)));
        check("com.a.B.lambda$load$0", Some(("com.a.B", "load", None, true)));
        check("com.a.B.load$lambda$3", Some(("com.a.B", "load", None, true)));
        check("com.a.B$load$1.invoke", Some(("com.a.B", "load", None, true)));
        check("com.a.B$1.run", Some(("com.a.B", "", None, true)));
        check("com.a.B.load-pVg5ArA", Some(("com.a.B", "load", None, false)));
        check("Choreographer#doFrame 1", None);
        check("[unknown] /data/app/x.so", None);
        check("doFrame", None);
        check("ns::Feed::load(int)", None);
    }
}
