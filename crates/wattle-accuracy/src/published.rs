use serde::Serialize;

/// A figure that somebody published or computed before on the same data set, for comparison: its rows and folds are not ours.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Published {
    /// Name of the data set.
    pub set: &'static str,
    /// The quantity.
    pub target: &'static str,
    /// The model.
    pub model: &'static str,
    /// Mean absolute relative error, as a share.
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0)))]
    pub mape: f64,
    /// Median absolute relative error, where it is given.
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0)))]
    pub median: Option<f64>,
    /// The source of the figure, and the rows it is for.
    pub source: &'static str,
}

const AUTHORS: &str = "AndroWatts authors, 1000 runs, 20 % held out";
const EARLIER: &str = "computed on all 1000 runs, 10 random folds";
const PEERS: &str = "computed on 146 clusters of 40 SoCs";

const fn figure(
    set: &'static str,
    target: &'static str,
    model: &'static str,
    (mape, median): (f64, Option<f64>),
    source: &'static str,
) -> Published {
    Published { set, target, model, mape, median, source }
}

/// Figures of others on the data sets of the table.
pub const PUBLISHED: &[Published] = &[
    figure("androwatts", "battery", "linear regression", (0.0809, Some(0.0683)), AUTHORS),
    figure("androwatts", "battery", "random forest", (0.0681, None), AUTHORS),
    figure("androwatts", "battery", "gradient boosting", (0.0660, Some(0.0546)), AUTHORS),
    figure("androwatts", "battery", "NNLS", (0.0757, Some(0.061)), EARLIER),
    figure(
        "androwatts",
        "battery",
        "NNLS with f³, brightness × RGB",
        (0.0659, Some(0.052)),
        EARLIER,
    ),
    figure("androwatts", "battery", "boosted trees", (0.0581, Some(0.046)), EARLIER),
    figure("androwatts", "rail sum", "NNLS with physics", (0.0411, Some(0.029)), EARLIER),
    figure("androwatts", "rail sum", "boosted trees", (0.0388, Some(0.029)), EARLIER),
    figure("androwatts", "CPU", "NNLS with physics", (0.0643, Some(0.044)), EARLIER),
    figure("androwatts", "CPU", "boosted trees", (0.0485, Some(0.030)), EARLIER),
    figure("androwatts", "display", "NNLS with physics", (0.116, Some(0.100)), EARLIER),
    figure("androwatts", "display", "boosted trees", (0.059, None), EARLIER),
    figure("androwatts", "GPU", "NNLS with physics", (0.047, Some(0.039)), EARLIER),
    figure("androwatts", "GPU", "boosted trees", (0.028, None), EARLIER),
    figure("androwatts", "WLAN", "NNLS with physics", (0.061, Some(0.029)), EARLIER),
    figure("androwatts", "WLAN", "boosted trees", (0.049, None), EARLIER),
    figure("freqbench", "power(f) from 3 points", "log interpolation", (0.073, Some(0.037)), PEERS),
    figure("freqbench", "power(f) from 5 points", "log interpolation", (0.057, Some(0.025)), PEERS),
    figure("freqbench", "power(f) from 3 points", "universal shape", (0.083, Some(0.049)), PEERS),
];
