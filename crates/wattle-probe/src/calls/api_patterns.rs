//! Which parts of the framework are wanted.

use crate::ClassPattern;

/// Which classes of the framework are wanted: those that one pattern includes and none excludes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiPatterns {
    include: Vec<ClassPattern>,
    exclude: Vec<ClassPattern>,
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
    /// Calls that reach devices, other processes, storage or the network, or compute on behalf of the platform:
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
        let all =
            |patterns: &[T]| patterns.iter().map(|it| ClassPattern::new(it.as_ref())).collect();
        Self { include: all(include), exclude: all(exclude) }
    }

    /// The same without what more patterns exclude.
    #[must_use]
    pub fn excluding<T: AsRef<str>>(mut self, exclude: &[T]) -> Self {
        self.exclude.extend(exclude.iter().map(|it| ClassPattern::new(it.as_ref())));
        self
    }

    /// Whether a class is wanted. `android.os.Trace` never is: the sections of the probes would not nest with the
    /// app's own.
    pub fn matches(&self, class: &str) -> bool {
        let any = |patterns: &[ClassPattern]| patterns.iter().any(|pattern| pattern.matches(class));
        class != NEVER && any(&self.include) && !any(&self.exclude)
    }
}
