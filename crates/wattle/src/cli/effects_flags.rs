//! Flags of `wattle demo --effects`.

use clap::Args;

use super::sources_mode::SourcesMode;

/// Flags of the demo that measures errors on many simulated phones.
#[derive(Debug, Args)]
pub struct EffectsFlags {
    /// Simulate phones with effects that the estimator does not know, and show the error, bias and coverage of its
    /// estimates. NAME or NAME=SIZE, separated by commas, or one of the sets none, standard, all
    #[arg(long, value_name = "LIST", conflicts_with_all = ["no_rails", "html", "save", "top", "by", "sort", "polling",
        "idle"])]
    pub effects: Option<String>,
    /// Number of phones to simulate, each with a seed of its own, from --seed on
    #[arg(long, value_name = "N", default_value_t = 10, requires = "effects",
        value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub seeds: u64,
    /// Simulated seconds of each phone, 1 to 600
    #[arg(long, value_name = "S", default_value_t = 15, requires = "effects",
        value_parser = clap::value_parser!(u32).range(1..=600))]
    pub seconds: u32,
    /// Estimate with these sources of each trace
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_enum, requires = "effects",
        default_values_t = [SourcesMode::Rails, SourcesMode::NoRails])]
    pub modes: Vec<SourcesMode>,
}
