//! Pages of a server: a shell that names styles, scripts and data, so that no inline script or style is needed.

/// The parts that a host adds to a page of the page application. Texts that are *markup* go into the page as they are.
#[derive(Clone, Copy, Debug, Default)]
pub struct HostedPage<'a> {
    /// Title of the document, as text.
    pub title: &'a str,
    /// The address that the names of assets are appended to: `/assets/`.
    pub assets: &'a str,
    /// The address of the page's data: JSON of [`report_data`](crate::report_data) or [`diff_data`](crate::diff_data).
    pub data: &'a str,
    /// The address that answers with the page's tracks in a range of time (`?from=…&to=…&stretches=…`); empty without one.
    pub tracks: &'a str,
    /// The address that the logo links to.
    pub home: &'a str,
    /// Markup in the bar, after the name of the run.
    pub navigation: &'a str,
    /// Markup at the beginning of the page's main part.
    pub above: &'a str,
    /// Markup at the end of the page's main part.
    pub below: &'a str,
    /// Names of the host's own style sheets, after those of the page.
    pub styles: &'a [String],
    /// Names of the host's own modules, after those of the page.
    pub scripts: &'a [String],
}
