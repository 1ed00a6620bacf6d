//! Lines that say that a process begins: what a log and a trace have in common when nothing else leads from one clock to the
//! other.

/// The pid of `Start proc 1234:com.example/u0a88 for activity …` (Android 5 and later), `Start proc com.example for activity …: pid=1234 …`
/// (before), or `am_proc_start: [0,1234,10088,com.example,…]`.
pub(crate) fn parse(tag: &[u8], message: &[u8]) -> Option<u32> {
    let text = std::str::from_utf8(message).ok()?;
    match tag {
        b"ActivityManager" => {
            let rest = text.strip_prefix("Start proc ")?;
            let pid = match rest.split_once(" pid=") {
                Some((_, after)) => after.split(' ').next()?,
                None => rest.split_once(':')?.0,
            };
            pid.parse().ok()
        }
        b"am_proc_start" => text.strip_prefix('[')?.split(',').nth(1)?.parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(tag: &str, message: &str, expected: Option<u32>) {
        assert_eq!(parse(tag.as_bytes(), message.as_bytes()), expected);
    }

    #[test]
    fn old_and_new() {
        check(
            "ActivityManager",
            "Start proc 1234:com.x/u0a88 for activity com.x/.Main",
            Some(1234),
        );
        let old = "Start proc com.x for activity com.x/.Main: pid=1234 uid=10088 gids={1015}";
        check("ActivityManager", old, Some(1234));
        check("am_proc_start", "[0,1234,10088,com.x,activity,com.x/.Main]", Some(1234));
        check("ActivityManager", "Killing 1234:com.x", None);
        check("other", "Start proc 1234:com.x/u0a88", None);
    }
}
