//! Class names as Java writes them.

/// `com.example.Main` of `Lcom/example/Main;`.
pub(crate) fn java_name(descriptor: &str) -> String {
    let inner = descriptor.strip_prefix('L').and_then(|text| text.strip_suffix(';'));
    inner.unwrap_or(descriptor).replace('/', ".")
}
