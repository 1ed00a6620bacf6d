//! The packages that an app's authors wrote, by its manifest.

use wattle_apk::Manifest;

use super::libraries::is_library;

/// The packages that are the app's own: its manifest's package and those of its components that belong to no
/// known library, each cut to the part that names its author (`com.example`, `io.github.somebody`), as Java writes
/// them, sorted.
pub fn own_packages(manifest: &Manifest) -> Vec<String> {
    let mut classes = vec![format!("{}.", manifest.package)];
    if let Some(application) = &manifest.application {
        classes.extend(application.class.clone());
        for component in &application.components {
            classes.push(component.class.clone());
            classes.extend(component.target.clone());
        }
    }
    classes.extend(manifest.instrumentations.iter().map(|it| it.class.clone()));
    let mut packages: Vec<String> = classes
        .iter()
        // The app's own package counts even where it has the name of a library: that library is the app.
        .enumerate()
        .filter(|(index, class)| *index == 0 || !is_library(class))
        .filter_map(|(_, class)| authors_part(class))
        .collect();
    packages.sort_unstable();
    packages.dedup();
    packages
}

/// Hosts whose names say nothing of an author: one more label does.
const HOSTS: &[&str] =
    &["io.github", "com.github", "io.gitlab", "com.gitlab", "org.codeberg", "io.bitbucket"];

/// The first two labels of a class's package, three below a host of many authors; `None` for a class outside
/// of packages.
fn authors_part(class: &str) -> Option<String> {
    let (package, _) = class.rsplit_once('.')?;
    let within = |host: &&str| {
        package.strip_prefix(*host).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let depth = if HOSTS.iter().any(within) { 3 } else { 2 };
    let labels: Vec<&str> = package.split('.').take(depth).collect();
    let part = labels.join(".");
    // Who also writes libraries is told by the whole package.
    Some(if is_library(&format!("{part}.")) { package.to_owned() } else { part })
}

#[cfg(test)]
mod tests {
    use super::authors_part;

    #[test]
    fn the_part_that_names_the_author() {
        let cases = [
            ("com.example.app.Main", Some("com.example")),
            ("a2dp.Vol.main", Some("a2dp.Vol")),
            ("io.github.somebody.app.Main", Some("io.github.somebody")),
            ("io.github.Main", Some("io.github")),
            ("io.githubber.app.Main", Some("io.githubber")),
            (
                "com.google.samples.apps.nowinandroid.Main",
                Some("com.google.samples.apps.nowinandroid"),
            ),
            ("single.Main", Some("single")),
            ("Main", None),
        ];
        for (class, expected) in cases {
            assert_eq!(authors_part(class).as_deref(), expected, "{class}");
        }
    }
}
