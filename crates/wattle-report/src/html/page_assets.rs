//! Files of the page application for a server, named by their content.

use std::sync::LazyLock;

use base64ct::{Base64, Encoding as _};
use sha2::{Digest as _, Sha256};

use super::app_sources as sources;
use super::page_kind::PageKind;

/// One file. Its name changes with its content, so that browsers may keep it for ever.
#[derive(Clone, Debug)]
pub struct PageAsset {
    /// The name, with 16 hexadecimal digits of the content's SHA-256.
    pub name: String,
    /// The media type.
    pub media_type: &'static str,
    /// The content.
    pub bytes: Vec<u8>,
}

impl PageAsset {
    /// Names a file: `app.css` becomes `app-0123456789abcdef.css`.
    pub fn new(name: &str, media_type: &'static str, bytes: Vec<u8>) -> Self {
        let digest = Sha256::digest(&bytes);
        let digits = digest.iter().take(8).fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
        let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
        Self { name: format!("{stem}-{digits:016x}.{ending}"), media_type, bytes }
    }
}

/// All files of the page application.
#[derive(Debug)]
pub struct PageAssets {
    /// The files: font, styles, scripts.
    pub files: Vec<PageAsset>,
    style: usize,
    kinds: Vec<KindFiles>,
}

/// The files of a kind of page, by their places.
#[derive(Debug)]
struct KindFiles {
    kind: PageKind,
    style: Option<usize>,
    script: usize,
}

/// Kinds of pages, each with its name. A report's script does for one with a diagnosis.
const KINDS: [(PageKind, &str); 3] = [
    (PageKind::Report, "report"),
    (PageKind::Comparison, "compare"),
    (PageKind::History, "history"),
];

static ASSETS: LazyLock<PageAssets> = LazyLock::new(PageAssets::new);

impl PageAssets {
    /// The files, made once.
    pub fn get() -> &'static Self {
        &ASSETS
    }

    fn new() -> Self {
        let mut files = Vec::new();
        let mut add = |name: &str, media_type, bytes| {
            files.push(PageAsset::new(name, media_type, bytes));
            files.len() - 1
        };
        let css = "text/css; charset=utf-8";
        let script = "text/javascript; charset=utf-8";
        let (font, face) = font_apart();
        let font_name = PageAsset::new("font.woff2", "font/woff2", font.clone()).name;
        add("font.woff2", "font/woff2", font);
        let style = format!("{}{}", face.replace(FONT_MARKER, &font_name), sources::APP_STYLE);
        let style = add("app.css", css, style.into_bytes());
        let mut of_kind = |(kind, name): (PageKind, &str)| {
            let own = kind.style();
            let style =
                (!own.is_empty()).then(|| add(&format!("{name}.css"), css, own.into_bytes()));
            let script = add(
                &format!("{name}.js"),
                script,
                kind.script(sources::SERVER_SOURCE).into_bytes(),
            );
            KindFiles { kind, style, script }
        };
        let kinds = KINDS.map(&mut of_kind).into();
        Self { files, style, kinds }
    }

    fn of(&self, kind: PageKind) -> &KindFiles {
        let known = self.kinds.iter().find(|files| files.kind == kind);
        known.unwrap_or(&self.kinds[0])
    }

    /// The name of the style sheet of every page: tokens, font and elements, for pages of the host, too.
    pub fn style(&self) -> &str {
        &self.files[self.style].name
    }

    /// The name of a report's script: data of another one's reports may not be what it reads.
    pub fn report_script(&self) -> &str {
        self.script_of(PageKind::Report)
    }

    pub(super) fn styles_of(&self, kind: PageKind) -> Vec<String> {
        let all = [Some(self.style), self.of(kind).style];
        all.into_iter().flatten().map(|at| self.files[at].name.clone()).collect()
    }

    pub(super) fn script_of(&self, kind: PageKind) -> &str {
        &self.files[self.of(kind).script].name
    }
}

/// In the style sheet without the font's data, the font's name.
const FONT_MARKER: &str = "{{font}}";

/// The font's bytes, and its style sheet with a marker in place of its data.
fn font_apart() -> (Vec<u8>, String) {
    const START: &str = "data:font/woff2;base64,";
    let apart = sources::FONT.split_once(START).and_then(|(before, rest)| {
        let (data, after) = rest.split_once(')')?;
        let bytes = Base64::decode_vec(data.trim_matches(['"', '\''])).ok()?;
        Some((bytes, format!("{before}{FONT_MARKER}){after}")))
    });
    // A style sheet in another form goes as it is, and the font is that of the system.
    apart.unwrap_or_else(|| (Vec::new(), sources::FONT.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_font_is_a_file_of_its_own() {
        let assets = PageAssets::get();
        let font = &assets.files[0];
        assert!(font.bytes.starts_with(b"wOF2"), "{:?}", font.bytes.get(..8));
        let style = &assets.files[assets.style];
        let style = std::str::from_utf8(&style.bytes).unwrap();
        assert!(style.contains(&format!("url({})", font.name)), "{}", &style[..400]);
        assert!(!style.contains("base64"));
    }

    #[test]
    fn names_follow_contents() {
        let name = |text: &str| PageAsset::new("a.css", "text/css", text.into()).name;
        assert_eq!(name("x"), "a-2d711642b726b044.css");
        assert_ne!(name("x"), name("y"));
    }
}
