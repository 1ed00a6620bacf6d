//! Values that know their JSON themselves.

/// Something that knows its JSON itself: words of an enumeration, facts that no view shows as a table.
pub trait Free {
    /// Its JSON.
    fn json(&self) -> serde_json::Result<serde_json::Value>;

    /// Appends its JSON in the order of its own fields.
    fn write(&self, to: &mut Vec<u8>) -> serde_json::Result<()>;
}

impl<T: serde::Serialize> Free for T {
    fn json(&self) -> serde_json::Result<serde_json::Value> {
        serde_json::to_value(self)
    }

    fn write(&self, to: &mut Vec<u8>) -> serde_json::Result<()> {
        serde_json::to_writer(to, self)
    }
}
