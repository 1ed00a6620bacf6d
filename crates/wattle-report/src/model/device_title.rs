//! Names of devices and of their releases of Android as people say them.

use wattle_timeline::DeviceFacts;

/// Code names and product names of Google's phones and tablets (developers.google.com/android/images).
const PRODUCTS: [(&str, &str); 30] = [
    ("sailfish", "Pixel"),
    ("marlin", "Pixel XL"),
    ("walleye", "Pixel 2"),
    ("taimen", "Pixel 2 XL"),
    ("blueline", "Pixel 3"),
    ("crosshatch", "Pixel 3 XL"),
    ("sargo", "Pixel 3a"),
    ("bonito", "Pixel 3a XL"),
    ("flame", "Pixel 4"),
    ("coral", "Pixel 4 XL"),
    ("sunfish", "Pixel 4a"),
    ("bramble", "Pixel 4a (5G)"),
    ("redfin", "Pixel 5"),
    ("barbet", "Pixel 5a"),
    ("oriole", "Pixel 6"),
    ("raven", "Pixel 6 Pro"),
    ("bluejay", "Pixel 6a"),
    ("panther", "Pixel 7"),
    ("cheetah", "Pixel 7 Pro"),
    ("lynx", "Pixel 7a"),
    ("tangorpro", "Pixel Tablet"),
    ("felix", "Pixel Fold"),
    ("shiba", "Pixel 8"),
    ("husky", "Pixel 8 Pro"),
    ("akita", "Pixel 8a"),
    ("tokay", "Pixel 9"),
    ("caiman", "Pixel 9 Pro"),
    ("komodo", "Pixel 9 Pro XL"),
    ("comet", "Pixel 9 Pro Fold"),
    ("tegu", "Pixel 9a"),
];

/// The product with this code name.
fn product_name(code_name: &str) -> Option<&'static str> {
    PRODUCTS.iter().find(|(code, _)| *code == code_name).map(|(_, product)| *product)
}

/// The title of a device: its model, or the product's name, or the code name; `None` where a recording says none of them.
pub fn device_title(device: &DeviceFacts) -> Option<&str> {
    let code_name = device.device_name();
    device.model.as_deref().or(code_name.and_then(product_name)).or(code_name)
}

/// The same with the code name beside it, for those who look for it.
pub(crate) fn device_with_code(device: &DeviceFacts) -> String {
    match (device_title(device), device.device_name()) {
        (Some(title), Some(code)) if title != code => format!("{title} ({code})"),
        (Some(title), _) => title.to_owned(),
        (None, _) => "unknown device".to_owned(),
    }
}

/// The release of Android that has this API level (developer.android.com, *API levels*).
pub(crate) fn android_release(sdk: u32) -> String {
    let release = match sdk {
        21 => "5.0",
        22 => "5.1",
        23 => "6",
        24 => "7.0",
        25 => "7.1",
        26 => "8.0",
        27 => "8.1",
        28 => "9",
        29 => "10",
        30 => "11",
        31 => "12",
        32 => "12L",
        33 => "13",
        34 => "14",
        35 => "15",
        36 => "16",
        _ => return format!("Android API level {sdk}"),
    };
    format!("Android {release}")
}
