//! Packages that apps bundle and did not write.

/// Packages of libraries, each with its final dot. From the group names of the most used Android libraries on
/// Maven Central and Google's repository; what is missing here is only traced where it need not be.
const LIBRARIES: &[&str] = &[
    "android.",
    "androidx.",
    "bolts.",
    "butterknife.",
    "com.airbnb.",
    "com.android.",
    "com.bumptech.",
    "com.crashlytics.",
    "com.esotericsoftware.",
    "com.facebook.",
    "com.fasterxml.",
    "com.google.",
    "com.jakewharton.",
    "com.squareup.",
    "dagger.",
    "io.ktor.",
    "io.netty.",
    "io.reactivex.",
    "io.realm.",
    "io.sentry.",
    "j$.",
    "jakarta.",
    "java.",
    "javax.",
    "junit.",
    "kotlin.",
    "kotlinx.",
    "okhttp3.",
    "okio.",
    "org.apache.",
    "org.bouncycastle.",
    "org.chromium.",
    "org.greenrobot.",
    "org.hamcrest.",
    "org.intellij.",
    "org.jetbrains.",
    "org.json.",
    "org.jsoup.",
    "org.junit.",
    "org.koin.",
    "org.mockito.",
    "org.slf4j.",
    "org.w3c.",
    "org.xml.",
    "org.xmlpull.",
    "retrofit2.",
    "rx.",
    "timber.",
    "wattle.",
];

/// Whether a class belongs to a known library.
pub(super) fn is_library(class: &str) -> bool {
    // Sorted by its text, so the only entry that can be a prefix of the class is near its place; entries are
    // no prefixes of each other.
    let after = LIBRARIES.partition_point(|prefix| *prefix <= class);
    after.checked_sub(1).and_then(|at| LIBRARIES.get(at)).is_some_and(|it| class.starts_with(it))
}

#[cfg(test)]
mod tests {
    use super::{LIBRARIES, is_library};

    #[test]
    fn the_list_is_sorted_and_without_overlap() {
        let mut sorted = LIBRARIES.to_vec();
        sorted.sort_unstable();
        for pair in sorted.windows(2) {
            assert!(!pair[1].starts_with(pair[0]), "{} is within {}", pair[1], pair[0]);
        }
        for library in LIBRARIES {
            assert!(is_library(&format!("{library}Some")), "{library}");
        }
        assert!(!is_library("com.example.Main"));
        assert!(!is_library("androidxy.Main"));
    }
}
