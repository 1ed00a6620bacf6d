//! Figures of the beginning of a recording, while the rest is read.

use serde::{Deserialize, Serialize};

/// Consumers and components at most.
const MOST: usize = 12;
/// Characters of a text at most.
const LETTERS: usize = 80;

/// The figures of the beginning of a recording, as the process that reads all of it states them first. They are true of that beginning, and
/// of nothing else: they are gone once the job has ended or goes back to the queue, and never become a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FirstFigures {
    /// The kind of file.
    pub format: String,
    /// The device; `None` where the beginning does not say.
    pub device: Option<String>,
    /// Bytes that the figures are made of.
    pub read_bytes: u64,
    /// Bytes of the file.
    pub of_bytes: u64,
    /// Seconds from the start of the recording that the figures are about.
    pub seconds: f64,
    /// The energy of these seconds, in joules; `None` where none can be estimated.
    pub joules: Option<f64>,
    /// Its 90 % interval.
    pub interval: Option<[f64; 2]>,
    /// The components that the energy is of.
    pub components: Vec<String>,
    /// The apps and processes with most energy, or with most time on CPUs where no energy is known.
    pub consumers: Vec<FirstConsumer>,
}

/// An app or process of the beginning of a recording.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FirstConsumer {
    /// Its name.
    pub name: String,
    /// Its energy, in joules.
    pub joules: Option<f64>,
    /// Its time on CPUs, in seconds.
    pub cpu_s: Option<f64>,
}

impl FirstFigures {
    /// From the words of a process that has read what somebody uploaded: figures that could be some, and short texts; else nothing.
    pub fn from_words(text: &str) -> Option<Self> {
        let mut figures: Self = serde_json::from_str(text).ok()?;
        let is_figure = |number: f64| number.is_finite() && number.abs() < 1e15;
        figures.components.truncate(MOST);
        figures.consumers.truncate(MOST);
        let consumers = figures.consumers.iter().flat_map(|it| [it.joules, it.cpu_s]);
        let ends = figures.interval.into_iter().flatten().map(Some);
        let mut numbers = consumers.chain(ends).chain([figures.joules, Some(figures.seconds)]);
        let is_sound = numbers.all(|number| number.is_none_or(is_figure))
            && figures.seconds > 0.0
            && figures.read_bytes <= figures.of_bytes;
        let texts = figures.components.iter_mut().chain(figures.device.as_mut());
        let texts = texts.chain(figures.consumers.iter_mut().map(|it| &mut it.name));
        for text in texts.chain([&mut figures.format]) {
            *text = text.chars().filter(|it| !it.is_control()).take(LETTERS).collect();
        }
        is_sound.then_some(figures)
    }

    /// One line that says what they are of, without any of them.
    pub fn summary(&self) -> String {
        let megabytes = |bytes: u64| bytes.div_ceil(1_000_000);
        let [read, all] = [self.read_bytes, self.of_bytes].map(megabytes);
        format!("figures of the first {read} of {all} MB")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"{"format":"Perfetto trace","device":"Pixel 6a","read_bytes":16000000,"of_bytes":500000000,"seconds":4.5,
        "joules":1.5,"interval":[1.2,1.9],"components":["cpu"],"consumers":[{"name":"a","joules":1.0,"cpu_s":2.0}]}"#;

    #[test]
    fn figures_are_taken_and_texts_are_shortened() {
        let figures = FirstFigures::from_words(GOOD).unwrap();
        assert_eq!(figures.summary(), "figures of the first 16 of 500 MB");
        let text = GOOD.replace("\"a\"", &format!("\"\\u001b{}\"", "x".repeat(500)));
        let figures = FirstFigures::from_words(&text).unwrap();
        assert_eq!(figures.consumers[0].name, "x".repeat(LETTERS));
        let many = format!("[{}]", vec!["\"x\""; 3000].join(","));
        let figures = FirstFigures::from_words(&GOOD.replace("[\"cpu\"]", &many)).unwrap();
        assert_eq!(figures.components.len(), MOST);
    }

    #[test]
    fn what_can_be_no_figures_is_not_taken() {
        for (from, to) in [
            ("4.5", "0.0"),
            ("4.5", "-1"),
            ("4.5", "1e300"),
            ("1.5", "\"1.5\""),
            ("1.9", "1e999"),
            ("2.0", "1e99"),
            ("16000000", "600000000"),
            ("16000000", "-1"),
            ("\"seconds\"", "\"minutes\""),
            ("{", "["),
        ] {
            assert_eq!(
                FirstFigures::from_words(&GOOD.replacen(from, to, 1)),
                None,
                "{from} → {to}"
            );
        }
    }

    proptest::proptest! {
        #[test]
        fn no_words_are_too_strange(text in ".{0,300}") {
            FirstFigures::from_words(&text);
        }
    }
}
