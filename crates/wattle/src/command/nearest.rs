//! Names near to a misspelt one.

/// Names that are suggested at most.
const MOST: usize = 3;
/// Longer names are not compared.
const LONGEST: usize = 256;
/// Shortest text that counts as a part of a name.
const SHORTEST_PART: usize = 4;

/// The names nearest to the given one, the nearest first; none that is unlike it.
///
/// A name is near if at most a third of its letters have to be inserted, deleted, replaced or swapped with a neighbour, without regard
/// to case; or if one name contains the other, or a word of it is near.
pub fn nearest<'a>(asked: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted = letters(asked);
    let mut ranked: Vec<(u64, &str)> = Vec::new();
    for name in known {
        if name != asked
            && let Some(rank) = rank(&wanted, &letters(name))
        {
            ranked.push((rank, name));
        }
    }
    ranked.sort_unstable();
    ranked.dedup();
    ranked.truncate(MOST);
    ranked.into_iter().map(|(_, name)| name).collect()
}

/// The suggestion behind a message, `; did you mean a or b?`. Empty if no name is near.
pub fn suggestion<'a>(asked: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let names = nearest(asked, known);
    if names.is_empty() { String::new() } else { format!("; did you mean {}?", list(&names)) }
}

/// `a`, `a or b`, `a, b or c`.
pub fn list(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

fn letters(name: &str) -> Vec<char> {
    name.chars().take(LONGEST + 1).flat_map(char::to_lowercase).collect()
}

/// Parts per million of the longer name that differ; a name that is part of the other ranks behind all misspellings. `None`: unlike.
fn rank(wanted: &[char], name: &[char]) -> Option<u64> {
    const UNIT: u64 = 1_000_000;
    let (shorter, longer) = if wanted.len() < name.len() { (wanted, name) } else { (name, wanted) };
    if shorter.is_empty() || longer.len() > LONGEST {
        return None;
    }
    // Lengths apart are insertions at least.
    if 3 * (longer.len() - shorter.len()) <= longer.len() {
        let distance = distance(wanted, name);
        if 3 * distance <= longer.len() {
            return Some(UNIT * distance as u64 / longer.len() as u64);
        }
    }
    let is_part = shorter.len() >= SHORTEST_PART
        && longer.windows(shorter.len()).any(|window| window == shorter);
    if is_part {
        return Some(UNIT + UNIT * (longer.len() - shorter.len()) as u64 / longer.len() as u64);
    }
    // One word of a name of several.
    let words = name.split(|letter| !letter.is_alphanumeric());
    let near = words.filter(|word| word.len() >= SHORTEST_PART).filter_map(|word| {
        let longer = word.len().max(wanted.len());
        let distance = distance(wanted, word);
        (3 * distance <= longer).then(|| UNIT * distance as u64 / longer as u64)
    });
    near.min().map(|rank| 2 * UNIT + rank)
}

/// Number of letters inserted, deleted, replaced or swapped with a neighbour between two names (Damerau and Levenshtein, with each pair
/// swapped once).
fn distance(one: &[char], other: &[char]) -> usize {
    let width = other.len() + 1;
    let mut before: Vec<usize> = vec![0; width];
    let mut last: Vec<usize> = (0..width).collect();
    for (row, letter) in one.iter().enumerate() {
        let mut next = vec![row + 1; width];
        for (column, there) in other.iter().enumerate() {
            let replaced = last[column] + usize::from(letter != there);
            let mut least = replaced.min(last[column + 1] + 1).min(next[column] + 1);
            let is_swapped = row > 0
                && column > 0
                && one.get(row - 1) == Some(there)
                && other.get(column - 1) == Some(letter);
            if is_swapped {
                least = least.min(before[column - 1] + 1);
            }
            next[column + 1] = least;
        }
        before = last;
        last = next;
    }
    last.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_distance(one: &str, other: &str, expected: usize) {
        assert_eq!(distance(&letters(one), &letters(other)), expected, "{one} {other}");
        assert_eq!(distance(&letters(other), &letters(one)), expected, "{other} {one}");
    }

    #[test]
    fn distances() {
        check_distance("", "", 0);
        check_distance("abc", "", 3);
        check_distance("abc", "abc", 0);
        check_distance("abc", "acb", 1);
        check_distance("abc", "bca", 2);
        check_distance("kitten", "sitting", 3);
        check_distance("wake-lock", "wakelock", 1);
        check_distance("Größe", "größe", 0);
    }

    #[track_caller]
    fn check(asked: &str, known: &[&str], expected: &[&str]) {
        assert_eq!(nearest(asked, known.iter().copied()), expected, "{asked}");
    }

    #[test]
    fn names_near_to_others() {
        let apps = ["com.example.app", "com.example.api", "com.android.systemui", "ui", "a", "app"];
        check("com.exmaple.app", &apps, &["com.example.app", "com.example.api", "app"][..2]);
        check("systemui", &apps, &["com.android.systemui"]);
        check("systmui", &apps, &["com.android.systemui"]);
        check("wakelok", &["wakelock-held-long", "job-wakes"], &["wakelock-held-long"]);
        check("COM.EXAMPLE.APP", &["com.example.app"], &["com.example.app"]);
        // Short names are unlike each other unless they differ in case or one letter of three.
        check("b", &apps, &[]);
        check("xy", &["xz", "yx", "x"], &[]);
        check("apq", &apps, &["app"]);
        check("", &apps, &[]);
        check("x", &[""], &[]);
        // The nearest comes first, three at most, each once.
        check(
            "wake-lokc",
            &["wakelock", "wake-lock", "wake-locks", "wake-lock", "wake-look", "wide-block"],
            &["wake-lock", "wake-locks", "wake-look"],
        );
        let long = "x".repeat(100_000);
        check(&long, &["x", &long[1..]], &[]);
    }

    #[test]
    fn suggestions() {
        assert_eq!(suggestion("mainn", ["main"]), "; did you mean main?");
        assert_eq!(
            suggestion("ab1d", ["abcd", "abxd", "abyd"]),
            "; did you mean abcd, abxd or abyd?"
        );
        assert_eq!(suggestion("zzz", ["main"]), "");
    }
}
