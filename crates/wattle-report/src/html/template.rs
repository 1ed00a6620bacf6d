//! Templates with markers: `{{title}}`.

/// Fills a template in. Only templates are searched for markers, never what is put in.
pub fn fill(template: &str, to: &mut String, put: &mut dyn FnMut(&str, &mut String)) {
    let (before, parts) = template.split_once("{{").unwrap_or((template, ""));
    to.push_str(before);
    for part in parts.split("{{") {
        let (marker, rest) = part.split_once("}}").unwrap_or((part, ""));
        put(marker, to);
        to.push_str(rest);
    }
}

/// Text between tags and in quoted attributes.
pub fn text(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;")
}
