//! Arguments of `pm` without its flags.

/// Words that are no flags; the values of flags that have one are passed over.
pub(super) fn plain(words: &[String]) -> Vec<&str> {
    const WITH_VALUE: [&str; 9] = [
        "-S",
        "-i",
        "--user",
        "--install-location",
        "--abi",
        "--uid",
        "-p",
        "--originating-uri",
        "--referrer",
    ];
    let mut found = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if WITH_VALUE.contains(&word.as_str()) {
            words.next();
        } else if !word.starts_with('-') || word == "-" {
            found.push(word.as_str());
        }
    }
    found
}
