//! Which parts of the framework are wanted.

/// Patterns of class names, dotted as in Java, nested classes with `$`.
///
/// - `android.net.**`: the package and all below it
/// - `java.io.*`: the package alone
/// - `android.os.PowerManager$WakeLock`: that class
///
/// A class is wanted when one pattern includes it and none excludes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiPatterns {
    include: Vec<Pattern>,
    exclude: Vec<Pattern>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Pattern {
    /// Everything that begins so, dot included.
    Below(String),
    /// Everything that begins so and has no further dot.
    In(String),
    Class(String),
}

impl Pattern {
    fn of(text: &str) -> Self {
        if let Some(package) = text.strip_suffix("**") {
            Self::Below(package.into())
        } else if let Some(package) = text.strip_suffix('*') {
            Self::In(package.into())
        } else {
            Self::Class(text.into())
        }
    }

    fn matches(&self, class: &str) -> bool {
        match self {
            Self::Below(package) => class.starts_with(package.as_str()),
            Self::In(package) => {
                class.strip_prefix(package.as_str()).is_some_and(|rest| !rest.contains('.'))
            }
            Self::Class(name) => class == name,
        }
    }
}

/// The default.
const INCLUDED: [&str; 14] = [
    "android.**",
    "com.android.**",
    "dalvik.**",
    "java.io.**",
    "java.net.**",
    "java.nio.**",
    "java.security.**",
    "java.sql.**",
    "java.util.jar.**",
    "java.util.zip.**",
    "javax.crypto.**",
    "javax.microedition.khronos.**",
    "javax.net.**",
    "org.apache.http.**",
];

/// Sections of a trace must nest: a probe that opens one in front of `beginSection` would be closed by the
/// section's own end.
const NEVER: &str = "android.os.Trace";

impl Default for ApiPatterns {
    /// What reaches devices, other processes, storage or the network, or computes on behalf of the platform:
    /// `android.**`, `com.android.**`, `dalvik.**`, `java.io.**`, `java.net.**`, `java.nio.**`, `java.security.**`,
    /// `java.sql.**`, `java.util.jar.**`, `java.util.zip.**`, `javax.crypto.**`, `javax.microedition.khronos.**`,
    /// `javax.net.**`, `org.apache.http.**`. Not the rest of `java.lang` and `java.util`: most of it costs no more
    /// than a probe does.
    fn default() -> Self {
        Self::new(&INCLUDED, &[])
    }
}

impl ApiPatterns {
    /// Patterns that include and patterns that exclude.
    pub fn new<T: AsRef<str>>(include: &[T], exclude: &[T]) -> Self {
        let all = |patterns: &[T]| patterns.iter().map(|it| Pattern::of(it.as_ref())).collect();
        Self { include: all(include), exclude: all(exclude) }
    }

    /// Whether a class is wanted. `android.os.Trace` never is: the sections of the probes would not nest with the
    /// app's own.
    pub fn matches(&self, class: &str) -> bool {
        let any = |patterns: &[Pattern]| patterns.iter().any(|pattern| pattern.matches(class));
        class != NEVER && any(&self.include) && !any(&self.exclude)
    }
}
