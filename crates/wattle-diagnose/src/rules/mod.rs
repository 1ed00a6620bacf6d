//! The rules: defects with a name, each as data beside the one function that finds it.
//!
//! [`TABLE`] is all of them. What several rules look at is made once, by [`Look`]. A rule whose data the recording does not have
//! says so ([`Outcome::without`]), because "nothing found" and "nothing to look at" are not the same.

mod activity;
mod alarm_wakes;
mod api_sessions;
mod audio_left_on;
mod background_location;
mod background_poll;
mod binder_chatter;
mod bluetooth_scan_left_on;
mod busy_wait;
mod camera_left_on;
mod chatty_network;
mod code_places;
mod disk_chatter;
mod exact_alarms;
mod flashlight_left_on;
mod foreground_service_left_on;
mod gnss_left_on;
mod held;
mod high_refresh_rate;
mod holders;
mod idle_breaker;
mod jit_gc_tax;
mod jni_crossings;
mod job_wakes;
mod kernel_threads;
mod left_on;
mod light_work_on_big_cores;
mod look;
mod memory_churn;
mod network_poll;
mod outcome;
mod panel_refresh;
mod people;
mod periodic_flush;
mod raised_timer;
mod regular_times;
mod regular_wakes;
mod rule_search;
mod runtime_times;
mod sensor_left_on;
mod settings;
mod short_sleep;
mod software_video;
mod stakes;
mod static_frames;
mod sync_loop;
mod thermal_throttling;
mod unseen_frames;
mod wake_chain;
mod wakelock_held_long;
mod wakelock_never_released;
mod wakelock_tag;
mod wakers;
mod wakeup_evidence;
mod wakeup_storm;
mod wifi_lock_held;
mod wifi_scan_left_on;

use look::Look;
use outcome::Outcome;
pub(crate) use rule_search::find;

use crate::Rule;

/// The search of a rule.
type Finder = fn(&Look<'_>) -> Outcome;

/// All rules, in the order in which they are shown: threads, wakelocks, devices, wakes, radios, runtime, frames, disks.
const TABLE: &[(Rule, Finder)] = &[
    (busy_wait::RULE, busy_wait::find),
    (short_sleep::RULE, short_sleep::find),
    (wakeup_storm::RULE, wakeup_storm::find),
    (wake_chain::RULE, wake_chain::find),
    (raised_timer::RULE, raised_timer::find),
    (binder_chatter::RULE, binder_chatter::find),
    (background_poll::RULE, background_poll::find),
    (light_work_on_big_cores::RULE, light_work_on_big_cores::find),
    (wakelock_held_long::RULE, wakelock_held_long::find),
    (wakelock_never_released::RULE, wakelock_never_released::find),
    (gnss_left_on::RULE, gnss_left_on::find),
    (background_location::RULE, background_location::find),
    (camera_left_on::RULE, camera_left_on::find),
    (sensor_left_on::RULE, sensor_left_on::find),
    (audio_left_on::RULE, audio_left_on::find),
    (flashlight_left_on::RULE, flashlight_left_on::find),
    (bluetooth_scan_left_on::RULE, bluetooth_scan_left_on::find),
    (wifi_scan_left_on::RULE, wifi_scan_left_on::find),
    (wifi_lock_held::RULE, wifi_lock_held::find),
    (foreground_service_left_on::RULE, foreground_service_left_on::find),
    (job_wakes::RULE, job_wakes::find),
    (sync_loop::RULE, sync_loop::find),
    (alarm_wakes::RULE, alarm_wakes::find),
    (exact_alarms::RULE, exact_alarms::find),
    (chatty_network::RULE, chatty_network::find),
    (network_poll::RULE, network_poll::find),
    (memory_churn::RULE, memory_churn::find),
    (jit_gc_tax::RULE, jit_gc_tax::find),
    (jni_crossings::RULE, jni_crossings::find),
    (software_video::RULE, software_video::find),
    (static_frames::RULE, static_frames::find),
    (unseen_frames::RULE, unseen_frames::find),
    (high_refresh_rate::RULE, high_refresh_rate::find),
    (disk_chatter::RULE, disk_chatter::find),
    (periodic_flush::RULE, periodic_flush::find),
    (thermal_throttling::RULE, thermal_throttling::find),
    (idle_breaker::RULE, idle_breaker::find),
];

static RULES: [Rule; TABLE.len()] = {
    let mut rules = [TABLE[0].0; TABLE.len()];
    let mut at = 1;
    while at < TABLE.len() {
        rules[at] = TABLE[at].0;
        at += 1;
    }
    rules
};

/// All rules, in the order in which they are shown.
pub fn rules() -> &'static [Rule] {
    &RULES
}

/// The rule of that name.
pub fn rule(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.id == id)
}
