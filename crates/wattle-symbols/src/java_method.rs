//! A method that was compiled ahead of time.

/// The code of a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JavaMethod {
    /// Its address, without the bit that says that it is Thumb.
    pub start: u64,
    /// Its bytes; 0 where the file does not say them.
    pub size: u64,
    /// As Java writes it. Of several methods with the same code the first one, and the number of the others.
    pub name: String,
}
