//! Files that pages load: inside the program, named by their content, compressed once.

use std::collections::HashMap;
use std::io::Write as _;
use std::sync::LazyLock;

use axum::extract::Path;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use wattle_report::{PageAsset, PageAssets};

use crate::http::{Embeddable, WebError};

/// The address of all assets.
pub const ASSETS: &str = "/assets/";

const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// One file, as it is and compressed.
struct WebAsset {
    asset: PageAsset,
    gzip: Option<Vec<u8>>,
}

/// All files: those of the page application, and the server's own.
pub struct WebAssets {
    files: HashMap<String, WebAsset>,
    /// Names by their names without content.
    own: HashMap<&'static str, String>,
}

static WEB_ASSETS: LazyLock<WebAssets> = LazyLock::new(WebAssets::new);

impl WebAssets {
    /// The files, made once.
    pub fn get() -> &'static Self {
        &WEB_ASSETS
    }

    fn new() -> Self {
        let own: [(&str, &str, &str); 6] = [
            ("server.css", CSS, include_str!("../assets/server.css")),
            ("server.js", SCRIPT, include_str!("../assets/server.js")),
            ("upload.js", SCRIPT, include_str!("../assets/upload.js")),
            ("job.js", SCRIPT, include_str!("../assets/job.js")),
            ("run.js", SCRIPT, include_str!("../assets/run.js")),
            ("card.css", CSS, include_str!("../assets/card.css")),
        ];
        let mut assets = Self { files: HashMap::new(), own: HashMap::new() };
        for (name, media_type, text) in own {
            let asset = PageAsset::new(name, media_type, text.as_bytes().to_vec());
            assets.own.insert(name, asset.name.clone());
            assets.add(asset);
        }
        for asset in &PageAssets::get().files {
            assets.add(asset.clone());
        }
        assets
    }

    fn add(&mut self, asset: PageAsset) {
        // A font is compressed already.
        let gzip = (asset.media_type != "font/woff2").then(|| compressed(&asset.bytes)).flatten();
        self.files.insert(asset.name.clone(), WebAsset { asset, gzip });
    }

    /// The full name of one of the server's own files.
    pub fn name(&self, name: &str) -> String {
        self.own.get(name).cloned().unwrap_or_else(|| name.to_owned())
    }

    /// The address of one of the server's own files.
    pub fn address(&self, name: &str) -> String {
        format!("{ASSETS}{}", self.name(name))
    }

    /// The address of the style sheet of every page.
    pub fn style() -> String {
        format!("{ASSETS}{}", PageAssets::get().style())
    }
}

/// Bytes as gzip, as small as they get.
pub fn compressed(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).ok()?;
    encoder.finish().ok()
}

/// Whether a client takes gzip.
pub fn takes_gzip(headers: &HeaderMap) -> bool {
    let all = headers.get_all(header::ACCEPT_ENCODING).iter();
    let codings = all.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(','));
    codings.map(str::trim).any(|coding| {
        let (name, quality) = coding.split_once(';').unwrap_or((coding, ""));
        let is_refused = quality.replace(' ', "").trim_start_matches("q=").parse() == Ok(0.0);
        (name.trim() == "gzip" || name.trim() == "*") && !is_refused
    })
}

/// `GET /assets/{name}`.
pub async fn asset(Path(name): Path<String>, headers: HeaderMap) -> Result<Response, WebError> {
    let file = WebAssets::get().files.get(&name).ok_or_else(WebError::not_found)?;
    let mut response = match &file.gzip {
        Some(gzip) if takes_gzip(&headers) => {
            ([(header::CONTENT_ENCODING, "gzip")], gzip.as_slice()).into_response()
        }
        _ => file.asset.bytes.as_slice().into_response(),
    };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(file.asset.media_type));
    let kept = HeaderValue::from_static("public, max-age=31536000, immutable");
    headers.insert(header::CACHE_CONTROL, kept);
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    // Cards in other pages load their style and the font, too.
    response.extensions_mut().insert(Embeddable);
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_read() {
        let check = |value: &'static str, expected: bool| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(value));
            assert_eq!(takes_gzip(&headers), expected, "{value}");
        };
        check("gzip, deflate, br", true);
        check("br;q=1.0, gzip;q=0.8", true);
        check("gzip;q=0", false);
        check("identity", false);
        check("*", true);
    }
}
