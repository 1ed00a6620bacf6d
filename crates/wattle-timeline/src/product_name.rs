//! Names under which devices are sold.

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

/// The name under which the product with this code name is sold: `Pixel 6a` for `bluejay`; `None` for products that are not in the list.
pub fn product_name(code_name: &str) -> Option<&'static str> {
    PRODUCTS.iter().find(|(code, _)| *code == code_name).map(|(_, product)| *product)
}
