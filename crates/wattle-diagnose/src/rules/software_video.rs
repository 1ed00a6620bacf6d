//! `software-video`.

use std::collections::BTreeMap;

use wattle_timeline::{ProcessId, ThreadId, Window};

use super::activity::Activity;
use super::look::{Look, evidence};
use super::outcome::Outcome;
use super::people;
use crate::windows;
use crate::words::{percent, seconds};
use crate::{Confidence, Finding, FindingSeverity, Rule, Threshold};

pub(super) const RULE: Rule = Rule {
    id: "software-video",
    title: "Video is decoded or encoded by the CPU",
    severity: FindingSeverity::Warning,
    keeps_severity: false,
    example: "A player that asks for AV1 on a phone without an AV1 decoder: `c2.android.av1.` and its workers take 60 % of a core, where \
              the phone's VP9 block would take a tenth of the power.",
    counter_example: "Audio codecs (`c2.android.aac.`, `c2.android.opus`): they run on the CPU by design. A thumbnail of one frame.",
    looks_for: "Threads of software video codecs by their names: Android's own (`c2.android.avc.`, `OMX.google.vp9.` …, in media.swcodec) \
                and those that apps bring along (dav1d, libvpx's and FFmpeg's frame threads). In the scheduler's switches.",
    why: "A codec block of the SoC decodes a film for some tens of milliwatts; the CPU takes several hundred for the same, at high \
          clocks, for as long as the film lasts.",
    remedy: "Offer the streams that the device decodes in hardware first (MediaCodecList, isHardwareAccelerated; Media3's track \
             selection), and fall back to a lower resolution before a software decoder.",
    references: &[
        "https://developer.android.com/reference/android/media/MediaCodecInfo#isHardwareAccelerated()",
        "https://source.android.com/docs/core/media/software-codecs",
        "https://developer.android.com/media/media3/exoplayer/track-selection",
    ],
    thresholds: &[
        Threshold {
            name: "least-time",
            value: 0.5,
            unit: "s on CPUs",
            meaning: "Less is a thumbnail or a preview. Ours.",
        },
        Threshold {
            name: "least-use",
            value: 0.05,
            unit: "of one core",
            meaning: "Mean use from the codec's first work to its last. Ours.",
        },
    ],
};

/// Beginnings of names of threads of software video codecs: AOSP Codec2 and OMX components, dav1d, FFmpeg's frame threads.
const CODECS: [&str; 18] = [
    "c2.android.avc.",
    "c2.android.hevc",
    "c2.android.vp8.",
    "c2.android.vp9.",
    "c2.android.av1",
    "c2.android.mpeg",
    "c2.android.h263",
    "OMX.google.h264",
    "OMX.google.hevc",
    "OMX.google.vp8.",
    "OMX.google.vp9.",
    "OMX.google.mpeg",
    "dav1d-worker",
    "av:h264:",
    "av:hevc:",
    "av:vp9:",
    "av:av1:",
    "vpx-worker",
];

pub(super) fn find(look: &Look<'_>) -> Outcome {
    let Some(activity) = look.activity() else {
        return Outcome::without("switches of threads as the scheduler made them");
    };
    let names = &look.timeline.names;
    let mut processes: BTreeMap<ProcessId, Vec<ThreadId>> = BTreeMap::new();
    for thread in look.threads() {
        let Some(facts) = look.timeline.tasks.threads.get(thread.index()) else { continue };
        let name = facts.name.map_or("", |name| names.get(name));
        if let Some(process) = facts.process
            && CODECS.iter().any(|it| name.starts_with(it))
        {
            processes.entry(process).or_default().push(thread);
        }
    }
    let found = processes.into_iter();
    Outcome::found(
        found
            .filter_map(|(process, threads)| of_process(look, activity, process, &threads))
            .collect(),
    )
}

fn of_process(
    look: &Look<'_>,
    activity: &Activity,
    process: ProcessId,
    threads: &[ThreadId],
) -> Option<Finding> {
    let all = windows::union(
        threads.iter().flat_map(|it| activity.runs(*it)).map(|run| run.window).collect(),
    );
    let window = Window::new(all.first()?.start, all.last()?.end);
    let mut times: Vec<(ThreadId, f64)> =
        threads.iter().map(|it| (*it, activity.cpu(*it, &[window]).seconds())).collect();
    times.sort_by(|one, other| other.1.total_cmp(&one.1));
    let cpu: f64 = times.iter().map(|(_, cpu)| cpu).sum();
    let length = window.duration().seconds();
    if cpu < look.threshold(&RULE, "least-time")
        || cpu < length * look.threshold(&RULE, "least-use")
    {
        return None;
    }
    let who = people::process(look.timeline, process);
    let title = format!(
        "{} decodes or encodes video on the CPU: {} in {}",
        who.as_deref().unwrap_or("a process"),
        seconds(cpu),
        seconds(length)
    );
    let confidence = Confidence::high("threads that only software video codecs have");
    let mut finding = look.finding(&RULE, FindingSeverity::Warning, title, confidence);
    let text = format!("{} of one core from its first work to its last", percent(cpu / length));
    finding.evidence.push(evidence(text, Some(window)));
    for (thread, cpu) in times.iter().take(4) {
        let name = people::thread(look.timeline, *thread);
        finding.evidence.push(evidence(format!("{name}: {}", seconds(*cpu)), None));
    }
    finding.thread = times.first().map(|(thread, _)| people::thread(look.timeline, *thread));
    finding.who = who;
    finding.at_stake = look.stakes.whole(threads);
    Some(finding)
}
