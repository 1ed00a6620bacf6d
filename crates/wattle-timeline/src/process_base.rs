//! The part of a process's name that is the app's.

/// A process's name up to a colon: the app's own, also for its further processes (`android:process=":remote"` makes
/// `com.example.app:remote`) and its isolated ones.
pub fn process_base(name: &str) -> &str {
    name.split(':').next().unwrap_or_default()
}
