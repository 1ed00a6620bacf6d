use wattle_random::SplitMix64;

/// `count` of the numbers below `end`, each at most once, in rising order.
pub fn sample(random: &mut SplitMix64, end: usize, count: usize) -> Vec<usize> {
    let mut all: Vec<usize> = (0..end).collect();
    let count = count.min(end);
    for place in 0..count {
        let other = place + random.below((end - place) as u64) as usize;
        all.swap(place, other);
    }
    all.truncate(count);
    all.sort_unstable();
    all
}
