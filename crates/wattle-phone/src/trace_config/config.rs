//! Reading of a `TraceConfig`. Field numbers: `protos/perfetto/config/**` of Perfetto.

use std::time::Duration;

use wattle_sim::replay::RecordedSources;
use wattle_wire::Fields;

use super::message::{Message, Name};
use super::text_config;

/// A trace configuration, as far as the simulated phone can follow it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RecordingConfig {
    /// Its duration; `None`: until it is ended.
    pub(crate) duration: Option<Duration>,
    /// Names of the data sources, in order.
    pub(crate) sources: Vec<String>,
    /// Packages whose sections are wanted.
    pub(crate) atrace_apps: Vec<String>,
    /// Events of ftrace.
    pub(crate) ftrace_events: Vec<String>,
    pub(crate) rails: bool,
    pub(crate) battery: bool,
    /// The period of writing into the file; `None`: at the end.
    pub(crate) write_period: Option<Duration>,
}

impl RecordingConfig {
    /// Reads a configuration.
    ///
    /// # Errors
    /// The words of the program where it is none.
    pub(crate) fn parse(bytes: &[u8], is_text: bool) -> Result<Self, String> {
        let message = if is_text {
            Message::Text(text_config::parse(&String::from_utf8_lossy(bytes))?)
        } else {
            if Fields::new(bytes).any(|field| field.is_err()) {
                return Err("The trace config is invalid, bailing out.".to_owned());
            }
            Message::Binary(bytes.to_vec())
        };
        let config = Self::from_message(&message);
        if config.sources.is_empty() {
            return Err("The trace config is invalid, bailing out.".to_owned());
        }
        Ok(config)
    }

    fn from_message(message: &Message) -> Self {
        let millis = |field: Option<u64>| field.filter(|ms| *ms > 0).map(Duration::from_millis);
        let mut config =
            Self { duration: millis(message.number(Name(3, "duration_ms"))), ..Self::default() };
        if message.number(Name(8, "write_into_file")) == Some(1) {
            let period = message.number(Name(9, "file_write_period_ms"));
            config.write_period = millis(period).or(Some(Duration::from_secs(5)));
        }
        for source in message.messages(Name(2, "data_sources")) {
            for source in source.messages(Name(1, "config")) {
                config.sources.extend(source.texts(Name(1, "name")).into_iter().last());
                for ftrace in source.messages(Name(100, "ftrace_config")) {
                    config.ftrace_events.extend(ftrace.texts(Name(1, "ftrace_events")));
                    config.atrace_apps.extend(ftrace.texts(Name(3, "atrace_apps")));
                }
                for power in source.messages(Name(106, "android_power_config")) {
                    config.rails |= power.number(Name(3, "collect_power_rails")) == Some(1);
                    config.battery |= !power.all(Name(2, "battery_counters")).is_empty();
                }
            }
        }
        config
    }

    fn has(&self, source: &str) -> bool {
        self.sources.iter().any(|name| name == source)
    }

    /// The sources of the replay that are written.
    pub(crate) fn recorded_sources(&self) -> RecordedSources {
        let mut sources = RecordedSources::default();
        sources.scheduling = self.has("linux.ftrace");
        sources.atrace_apps.clone_from(&self.atrace_apps);
        sources.rails = self.rails;
        sources.battery = self.battery;
        sources.process_stats = self.has("linux.process_stats");
        sources.packages = self.has("android.packages_list");
        sources.network_packets = self.has("android.network_packets");
        sources
    }
}

/// The configuration of the light mode: `perfetto -t 10s sched freq -a com.example`.
pub(crate) fn light(
    words: &[String],
    apps: &[String],
    duration: Option<Duration>,
) -> RecordingConfig {
    RecordingConfig {
        // Ten seconds, unless told otherwise (`perfetto_cmd.cc`).
        duration: duration.or(Some(Duration::from_secs(10))),
        sources: vec!["linux.ftrace".to_owned(), "linux.process_stats".to_owned()],
        atrace_apps: apps.to_vec(),
        ftrace_events: words.to_vec(),
        ..RecordingConfig::default()
    }
}

#[cfg(test)]
mod tests {
    use wattle_wire::Writer;

    use super::*;

    fn binary() -> Vec<u8> {
        let mut out = Writer::new();
        out.message(1, |buffer| buffer.varint(1, 4096));
        out.message(2, |source| {
            source.message(1, |config| {
                config.string(1, "linux.ftrace");
                config.message(100, |ftrace| {
                    ftrace.string(1, "sched/sched_switch");
                    ftrace.string(3, "com.example");
                });
            });
        });
        out.message(2, |source| {
            source.message(1, |config| {
                config.string(1, "android.power");
                config.message(106, |power| {
                    power.varint(1, 250);
                    power.varint(2, 1);
                    power.bool(3, true);
                });
            });
        });
        out.varint(3, 60_000);
        out.bool(8, true);
        out.varint(9, 2500);
        out.into_bytes()
    }

    const TEXT: &str = r#"
        # as the documentation writes them
        buffers: { size_kb: 4096 fill_policy: RING_BUFFER }
        data_sources: {
          config {
            name: "linux.ftrace"
            ftrace_config { ftrace_events: "sched/sched_switch", atrace_apps: 'com.example' }
          }
        }
        data_sources { config { name: "android.power" android_power_config {
          battery_poll_ms: 250; battery_counters: BATTERY_COUNTER_CAPACITY_PERCENT
          collect_power_rails: true } } }
        duration_ms: 60000
        write_into_file: true
        file_write_period_ms: 2500
    "#;

    #[test]
    fn both_forms_say_the_same() {
        let expected = RecordingConfig {
            duration: Some(Duration::from_mins(1)),
            sources: vec!["linux.ftrace".to_owned(), "android.power".to_owned()],
            atrace_apps: vec!["com.example".to_owned()],
            ftrace_events: vec!["sched/sched_switch".to_owned()],
            rails: true,
            battery: true,
            write_period: Some(Duration::from_millis(2500)),
        };
        assert_eq!(RecordingConfig::parse(&binary(), false), Ok(expected.clone()));
        assert_eq!(RecordingConfig::parse(TEXT.as_bytes(), true), Ok(expected));
    }

    #[test]
    fn what_is_no_configuration_is_refused() {
        for (bytes, is_text) in [
            (b"\xff\xff".as_slice(), false),
            (b"", false),
            (b"a: {", true),
            (b"a b c", true),
            (b"}", true),
        ] {
            assert!(RecordingConfig::parse(bytes, is_text).is_err(), "{bytes:?}");
        }
    }
}
