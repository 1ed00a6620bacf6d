//! The clusters of device models without their power: what a recording is compared with.

use std::collections::HashMap;
use std::sync::LazyLock;

use wattle_timeline::CpuId;
use wattle_units::Hertz;

/// CPUs with a common clock, and the clocks that a model knows of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cluster {
    /// Ascending.
    pub(crate) cpus: Vec<CpuId>,
    /// Ascending, never empty.
    pub(crate) clocks: Vec<Hertz>,
}

impl Cluster {
    /// A line of the table without its first column: CPUs, tab, clocks in kHz.
    fn parse(text: &str) -> Option<Self> {
        let (cpus, clocks) = text.split_once('\t')?;
        let cpu = |text: &str| text.parse().ok().map(CpuId);
        let clock = |text: &str| text.parse().ok().map(Hertz::from_kilohertz);
        Some(Self {
            cpus: cpus.split(' ').map(cpu).collect::<Option<_>>()?,
            clocks: clocks.split(' ').map(clock).collect::<Option<_>>()?,
        })
    }
}

/// One cluster of the library a line: file, tab, CPUs, tab, clocks. Made of the files, so that of all that may be of a device only
/// the one that is needs to be parsed.
const TABLE: &str = include_str!("../../data/model-clusters.txt");

static CLUSTERS: LazyLock<HashMap<&'static str, Vec<Cluster>>> = LazyLock::new(|| {
    let mut clusters: HashMap<&str, Vec<Cluster>> = HashMap::new();
    let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    for (file, rest) in lines.filter_map(|line| line.split_once('\t')) {
        clusters.entry(file).or_default().extend(Cluster::parse(rest));
    }
    clusters
});

/// The clusters of a file of the library, in its order; none where it has none.
pub(super) fn of_library(file: &str) -> &'static [Cluster] {
    CLUSTERS.get(file).map(Vec::as_slice).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::path::Path;

    use super::super::library::FILES;
    use super::super::{DeviceModel, Policy};
    use super::*;

    fn of_policy(policy: &Policy) -> Cluster {
        Cluster { cpus: policy.cpus.clone(), clocks: policy.frequencies().collect() }
    }

    const HEAD: &str = "# The clusters of the models in models/: file, CPUs, clocks in kHz. Made of them by this crate's tests with\n\
                        # WATTLE_WRITE_DOCS=1.\n";

    fn words(numbers: impl Iterator<Item = u64>) -> String {
        numbers.map(|number| number.to_string()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_table_of_clusters_is_that_of_the_files() {
        let mut table = HEAD.to_owned();
        for (file, text) in FILES {
            let model = DeviceModel::parse(file, text).unwrap();
            for policy in &model.policies {
                let cpus = words(policy.cpus.iter().map(|cpu| u64::from(cpu.0)));
                let clocks = words(policy.frequencies().map(Hertz::kilohertz));
                writeln!(table, "{file}\t{cpus}\t{clocks}").unwrap();
            }
        }
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/model-clusters.txt");
        if std::env::var_os("WATTLE_WRITE_DOCS").is_some() {
            std::fs::write(&file, &table).unwrap();
        }
        let is_same = std::fs::read_to_string(&file).unwrap() == table;
        assert!(
            is_same,
            "{} is out of date: run this test with WATTLE_WRITE_DOCS=1",
            file.display()
        );
    }

    #[test]
    fn clusters_of_the_table_are_those_of_the_models() {
        let mut compared = 0;
        for (file, text) in FILES {
            let model = DeviceModel::parse(file, text).unwrap();
            let of_model: Vec<Cluster> = model.policies.iter().map(of_policy).collect();
            assert_eq!(of_library(file), of_model, "{file}");
            compared += of_model.len();
        }
        assert!(compared > 90, "only {compared} clusters");
    }
}
