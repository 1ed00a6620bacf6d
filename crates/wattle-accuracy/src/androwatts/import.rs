use crate::androwatts::model_inputs;
use crate::sheet::Sheet;
use wattle_fit::Design;

/// A quantity that models are judged on.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    pub(crate) name: &'static str,
    /// Watts, one for each run; `NaN` where the file has none.
    pub(crate) watts: Vec<f64>,
}

/// The data set: what models may see, and what they are judged on, one row a run in order of time.
#[derive(Debug, Clone)]
pub(crate) struct AndroWatts {
    pub(crate) inputs: Design,
    pub(crate) targets: Vec<Target>,
    pub(crate) rails: usize,
    pub(crate) rows: usize,
    /// Runs without a number for any target.
    pub(crate) left_out: usize,
    /// Cells of inputs without a number.
    pub(crate) missing: usize,
}

/// The battery's energy in this set is current × this voltage throughout.
const BATTERY_VOLTS: f64 = 4.4;
const BATTERY: &str = "BATTERY_DISCHARGE_RATE_UAS";
const RAIL: &str = "_ENERGY_AVG_UWS";

/// Names of a target and of the rails it is the sum of; the first name is how a target is asked for.
const SUMS: &[(&str, &[&str])] = &[
    ("CPU", &["CPU_BIG_ENERGY_AVG_UWS", "CPU_MID_ENERGY_AVG_UWS", "CPU_LITTLE_ENERGY_AVG_UWS"]),
    ("display", &["Display_ENERGY_AVG_UWS"]),
    ("GPU", &["GPU_ENERGY_AVG_UWS"]),
    ("WLAN", &["WLANBT_ENERGY_AVG_UWS"]),
];

impl AndroWatts {
    /// Whether a table is of this set, by its columns.
    pub(crate) fn is(sheet: &Sheet) -> bool {
        sheet.has(&[BATTERY, "CPU_BIG_FREQ_KHz", "Brightness", "Display_ENERGY_AVG_UWS"])
    }

    /// Reads the table. Columns are found by name, so that columns others have added do not matter.
    pub(crate) fn read(sheet: &Sheet) -> Self {
        let mut order: Vec<usize> = (0..sheet.rows()).collect();
        // Runs are numbered in order of time; files are often sorted by the text of the number.
        let time = |row: &usize| sheet.number(*row, "ID").unwrap_or(f64::INFINITY);
        order.sort_by(|a, b| time(a).total_cmp(&time(b)));
        // Two rails of one name are told apart by `.1`.
        let rails: Vec<&str> = sheet
            .names()
            .iter()
            .map(String::as_str)
            .filter(|name| name.split('.').next().is_some_and(|stem| stem.ends_with(RAIL)))
            .collect();
        let sum = |row: usize, columns: &[&str]| {
            let values = columns.iter().map(|column| sheet.number(row, column));
            values.sum::<Option<f64>>().filter(|sum| *sum > 0.0)
        };
        let mut targets = vec![
            Target { name: "battery", watts: Vec::new() },
            Target { name: "rail sum", watts: Vec::new() },
        ];
        targets.extend(SUMS.iter().map(|(name, _)| Target { name, watts: Vec::new() }));
        let mut set = Self {
            inputs: Design::new(model_inputs::COLUMNS.iter().map(|column| column.name)),
            targets,
            rails: rails.len(),
            rows: 0,
            left_out: 0,
            missing: 0,
        };
        for row in order {
            let mut values = vec![
                sheet.number(row, BATTERY).filter(|v| *v > 0.0).map(|v| v * BATTERY_VOLTS),
                sum(row, &rails),
            ];
            values.extend(SUMS.iter().map(|(_, columns)| sum(row, columns)));
            let cells: Vec<f64> = model_inputs::COLUMNS
                .iter()
                .map(|column| sheet.number(row, column.name).map_or(f64::NAN, |v| v * column.unit))
                .collect();
            if values.iter().all(Option::is_none) || set.inputs.push_row(&cells).is_err() {
                set.left_out += 1;
                continue;
            }
            set.rows += 1;
            set.missing += cells.iter().filter(|cell| cell.is_nan()).count();
            for (target, value) in set.targets.iter_mut().zip(values) {
                target.watts.push(value.map_or(f64::NAN, |microwatts| microwatts * 1e-6));
            }
        }
        set
    }
}
