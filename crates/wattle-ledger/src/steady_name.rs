//! Names of methods without what differs from run to run.

use std::borrow::Cow;

use crate::{PathEntry, with_numbers_grouped};

/// The name of a call path without what differs from run to run: numbers in names of slices ([`with_numbers_grouped`]), and the random parts
/// of the folder that an app was installed in, which differ between two installations of one app.
pub fn steady_name(path: &PathEntry) -> Cow<'_, str> {
    let name = without_installation(&path.name);
    if path.site.is_some() || path.frame.is_some() {
        return name;
    }
    match name {
        Cow::Borrowed(name) => with_numbers_grouped(name),
        Cow::Owned(name) => with_numbers_grouped(&name).into_owned().into(),
    }
}

/// `/data/app/~~aGk==/com.app-xyZ==/base.apk` is `/data/app/com.app/base.apk`.
fn without_installation(name: &str) -> Cow<'_, str> {
    let Some((before, rest)) = name.split_once("/data/app/") else { return name.into() };
    let rest = match rest.strip_prefix("~~") {
        Some(random) => random.split_once('/').map_or("", |(_, rest)| rest),
        None => rest,
    };
    let (folder, file) = rest.split_once('/').unwrap_or((rest, ""));
    // `com.app-` and 16 random bytes in base 64, or a number in older versions of Android.
    let package = match folder.split_once('-') {
        Some((package, random))
            if random.len() >= 22 || random.bytes().all(|c| c.is_ascii_digit()) =>
        {
            package
        }
        _ => folder,
    };
    format!("{before}/data/app/{package}/{file}").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_installations_are_left_out() {
        for (name, steady) in [
            ("/data/app/~~1a==/com.app-AbCdEfGhIjKlMnOpQrStUv==/l.so", "/data/app/com.app/l.so"),
            (
                "[unknown] /data/app/~~1aZ_kq7SgQmZ4y-0w==/com.app-AbCdEfGhIjKlMnOpQrStUv==/lib/arm64/libx.so",
                "[unknown] /data/app/com.app/lib/arm64/libx.so",
            ),
            ("/data/app/~~", "/data/app//"),
            ("/data/app/com.app-1/base.apk", "/data/app/com.app/base.apk"),
            ("/data/app/my-app/base.apk", "/data/app/my-app/base.apk"),
            ("com.app.Main.run", "com.app.Main.run"),
        ] {
            assert_eq!(without_installation(name), steady, "{name}");
        }
    }
}
