//! Name of a called method.

/// A method of the framework as a call in an app's code names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ApiName<'a> {
    /// The class outside of the app where the call lands, as Java writes it: `android.os.Build$VERSION`.
    pub class: &'a str,
    /// The method's name; `<init>` for constructors.
    pub method: &'a str,
    /// Its parameters and result, `(I)V`; `None` where it is not known.
    pub descriptor: Option<&'a str>,
}
