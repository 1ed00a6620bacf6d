/// Which of the rising clocks are measured when only `count` may be: the lowest, the highest, and those nearest to an even
/// division between; `None` when a cluster has too few to have one left.
pub(crate) fn anchors(clocks: &[f64], count: usize) -> Option<Vec<usize>> {
    if clocks.len() <= count || count < 2 {
        return None;
    }
    let (lowest, highest) = (clocks.first()?, clocks.last()?);
    let mut chosen: Vec<usize> = (0..count)
        .filter_map(|k| {
            let wanted = lowest + (highest - lowest) * k as f64 / (count - 1) as f64;
            let distances = clocks.iter().enumerate().map(|(i, f)| (i, (f - wanted).abs()));
            distances.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(index, _)| index)
        })
        .collect();
    chosen.dedup();
    (chosen.len() == count).then_some(chosen)
}
