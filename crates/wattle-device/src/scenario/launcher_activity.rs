//! The activity that a launcher starts.

use std::time::Duration;

use crate::command::run;
use crate::{Device, DeviceError, quote};

/// Most activities that a message names.
const MOST_NAMED: usize = 5;

/// The class of the activity that a launcher would start, as `am start -n PACKAGE/CLASS` takes it: the first that the package
/// manager lists.
///
/// It is asked for rather than left to `monkey`, which also unlocks the rotation of the screen and turns it.
///
/// # Errors
/// [`DeviceError::Plan`] if the app has none; otherwise what the device said.
pub(crate) fn launcher_activity(device: &dyn Device, package: &str) -> Result<String, DeviceError> {
    // All of them, not the one that is resolved: of two, Android resolves a dialogue that asks.
    let command = format!(
        "cmd package query-activities --brief -a android.intent.action.MAIN -c android.intent.category.LAUNCHER {}",
        quote(package)
    );
    let listed = run(device, &command)?;
    first_of(&listed, package).ok_or_else(|| {
        DeviceError::Plan(format!(
            "{package} has no activity that a launcher starts: name one of its activities with --activity, or give another scenario \
             (--script, --test-apk, -- COMMAND)"
        ))
    })
}

/// The first component of the package: lines are `PACKAGE/CLASS`, and others say how many there are and how well each fits.
fn first_of(listed: &str, package: &str) -> Option<String> {
    listed.lines().find_map(|line| {
        let (owner, class) = line.trim().split_once('/')?;
        let is_class = !class.is_empty() && !class.contains(char::is_whitespace);
        (owner == package && is_class).then(|| class.to_owned())
    })
}

/// Activities of the app, for a message about one that is not there; empty where the device does not say.
pub(crate) fn known_activities(device: &dyn Device, package: &str) -> Vec<String> {
    const LIMIT: Duration = Duration::from_secs(20);
    let command = format!("cmd package query-activities --brief {}", quote(package));
    let listed = device.shell(&command, LIMIT).map(|output| output.text().into_owned());
    let listed = listed.unwrap_or_default();
    let mut found: Vec<String> =
        listed.lines().filter_map(|line| first_of(line, package)).take(MOST_NAMED).collect();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::first_of;

    #[track_caller]
    fn check(listed: &str, expected: Option<&str>) {
        assert_eq!(first_of(listed, "com.example.news").as_deref(), expected, "{listed}");
    }

    #[test]
    fn the_first_activity_of_the_package_is_taken() {
        check(
            "2 activities found:\n  Activity #0:\n    priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=false\n    \
             com.example.news/.Main\n  Activity #1:\n    priority=0 preferredOrder=0 match=0x108000\n    com.example.news/.Second\n",
            Some(".Main"),
        );
        check("com.example.news/com.other.Main\n", Some("com.other.Main"));
        check("No activities found\n", None);
        check(
            "com.example.newsroom/.Main\nandroid/com.android.internal.app.ResolverActivity\n",
            None,
        );
        check("", None);
    }
}
