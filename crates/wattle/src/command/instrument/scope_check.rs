//! Instrumentations that reach nothing, or little, of an app.

use wattle_probe::{Counts, SkipReason};
use wattle_report::grouped;

use crate::cli::{Mode, Probing};
use crate::exit::{Failure, Outcome};

/// Share of the methods with code below which the scope is doubted.
const FEW: f64 = 0.01;
/// The same of an app whose classes a shrinker renamed.
const FEW_OF_RENAMED: f64 = 0.05;
/// Share of classes with such names from which an app counts as shrunk.
const RENAMED: f64 = 0.2;

/// The result of choosing methods.
#[derive(Clone, Copy, Debug)]
pub struct ScopeCheck<'a> {
    /// The flags that chose.
    pub probing: &'a Probing,
    /// The numbers of methods.
    pub counts: &'a Counts,
    /// The app's own packages, where they decided.
    pub own: &'a [String],
}

impl ScopeCheck<'_> {
    /// Refuses a result without any probe.
    pub fn refuse_nothing(self) -> Outcome {
        if self.counts.methods_probed + self.counts.api_call_sites > 0 {
            return Ok(());
        }
        let text = format!("no method was instrumented: {}", self.why_nothing());
        if self.counts.methods_with_code == 0 {
            return Err(Failure::Input(anyhow::anyhow!(text)));
        }
        Err(Failure::Usage(anyhow::anyhow!(text)))
    }

    /// The warning for a scope that leaves nearly all of an app out.
    pub fn few(self) -> Option<String> {
        let is_chosen = self.probing.all || !self.probing.include.is_empty();
        let Counts { methods_probed: probed, methods_with_code: all, .. } = *self.counts;
        if is_chosen || self.probing.mode_or_methods() == Mode::Apis || all == 0 {
            return None;
        }
        let share = probed as f64 / all as f64;
        let renamed = self.counts.renamed_classes as f64 / self.counts.classes.max(1) as f64;
        let is_shrunk = renamed >= RENAMED && self.probing.mapping.is_none();
        if share >= (if is_shrunk { FEW_OF_RENAMED } else { FEW }) {
            return None;
        }
        let packages = match self.own {
            [] => String::new(),
            own => format!(" ({})", own.join(", ")),
        };
        let reached = format!(
            "only {} of {} methods ({:.1} %) are in the app's own packages{packages}",
            grouped(probed),
            grouped(all),
            100.0 * share
        );
        Some(if is_shrunk {
            format!(
                "{reached}: a code shrinker renamed {:.0} % of the classes. Give the mapping.txt of this build with --mapping, \
                 or instrument all classes, libraries too, with --all",
                100.0 * renamed
            )
        } else {
            format!(
                "{reached}. If the app's code is elsewhere, name its packages with --include, or instrument all classes, \
                 libraries too, with --all"
            )
        })
    }

    fn why_nothing(self) -> String {
        let skipped = |wanted| self.counts.skipped.get(&wanted).copied().unwrap_or(0);
        let with_code = self.counts.methods_with_code;
        if with_code == 0 {
            return "no method has code".to_owned();
        }
        if skipped(SkipReason::OutOfScope) == with_code {
            let besides =
                if self.probing.exclude.is_empty() { "" } else { " after applying --exclude" };
            return match self.probing.include.as_slice() {
                [] if self.probing.all => format!("there is no class with code{besides}"),
                [] => format!(
                    "no class with code is the app's own{besides}; choose classes with --include, or all with --all; if a shrinker \
                     renamed them, give its mapping.txt with --mapping"
                ),
                patterns => {
                    let patterns = patterns.join(", ");
                    format!("no class with code matches --include {patterns}{besides}")
                }
            };
        }
        if self.probing.mode_or_methods() == Mode::Apis && skipped(SkipReason::NoCalls) > 0 {
            return match self.probing.api.as_slice() {
                [] => "no call into the framework belongs to the energy-relevant APIs; choose others with --api"
                    .to_owned(),
                patterns => format!("no call matches --api {}", patterns.join(", ")),
            };
        }
        if skipped(SkipReason::Short) > 0 {
            return "all methods in scope are short; include them with --short-methods probe"
                .to_owned();
        }
        "the methods in scope cannot be instrumented".to_owned()
    }
}
