//! The disk operations of the threads that are looked at.

use rustc_hash::FxHashMap;
use wattle_timeline::{ThreadId, Timeline, Window};

use crate::{DiskRow, Region, ThreadUse};

/// Operations that begin within the looked-at windows, in order of time.
pub(crate) fn disk_rows(
    timeline: &Timeline,
    threads: &[ThreadUse],
    regions: &[Region],
    looked: &[Window],
) -> Vec<DiskRow> {
    let index: FxHashMap<ThreadId, u32> =
        (0..).zip(threads).map(|(index, it)| (it.thread, index)).collect();
    let mut of_thread: FxHashMap<u32, Vec<(Window, u32)>> = FxHashMap::default();
    for (number, region) in (0..).zip(regions) {
        of_thread.entry(region.thread).or_default().push((region.window, number));
    }
    for regions in of_thread.values_mut() {
        regions.sort_by_key(|(window, _)| window.start);
    }
    let row = |operation: &wattle_timeline::DiskOperation| {
        let begin = operation.window.start;
        let at = looked.partition_point(|window| window.end <= begin);
        looked.get(at).filter(|window| window.contains(begin))?;
        let thread = *index.get(&operation.thread).filter(|_| !operation.thread.is_idle())?;
        let own = of_thread.get(&thread).map(Vec::as_slice).unwrap_or_default();
        let region = own.get(own.partition_point(|(window, _)| window.end < begin));
        let inside = |(window, _): &&(Window, u32)| window.start <= begin && begin <= window.end;
        Some(DiskRow {
            thread,
            kind: operation.kind.name().to_owned(),
            window: operation.window,
            begin_seen: operation.begin_seen,
            end_seen: operation.end_seen,
            service: operation.service,
            bytes: operation.bytes,
            path: operation.file.map(|file| timeline.names.get(file).to_owned()),
            region: region.filter(inside).map(|(_, number)| *number),
        })
    };
    timeline.hardware.disk.iter().filter_map(row).collect()
}
