//! Inputs that models of AndroWatts may see: settings, clocks, bytes and temperatures, never a rail.

/// Effect of an input on power.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cause {
    /// The value of one colour of the pixels.
    Colour,
    /// Brightness of the display.
    Brightness,
    /// Any other.
    Other,
}

/// A column of the file that is an input.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Input {
    pub(crate) name: &'static str,
    /// Factor that a number of the file is multiplied by: clocks in GHz, bytes in MB, temperatures in degrees, colours,
    /// brightness and charge as shares.
    pub(crate) unit: f64,
    pub(crate) cause: Cause,
}

const fn input(name: &'static str, unit: f64, cause: Cause) -> Input {
    Input { name, unit, cause }
}

pub(crate) const COLUMNS: &[Input] = &[
    input("Red_Pixel_Avg", 1.0 / 255.0, Cause::Colour),
    input("Green_Pixel_Avg", 1.0 / 255.0, Cause::Colour),
    input("Blue_Pixel_Avg", 1.0 / 255.0, Cause::Colour),
    input("Brightness", 0.01, Cause::Brightness),
    input("CPU_LITTLE_FREQ_KHz", 1e-6, Cause::Other),
    input("CPU_MID_FREQ_KHz", 1e-6, Cause::Other),
    input("CPU_BIG_FREQ_KHz", 1e-6, Cause::Other),
    input("GPU0_FREQ", 1e-6, Cause::Other),
    input("GPU_1FREQ", 1e-6, Cause::Other),
    input("GPU_MEM_AVG", 1e-9, Cause::Other),
    input("TOTAL_DATA_WIFI_BYTES", 1e-6, Cause::Other),
    input("AVG_SOC_TEMP", 1e-3, Cause::Other),
    input("DIFF_SOC_TEMP", 1e-3, Cause::Other),
    input("BATTERY__PERCENT", 0.01, Cause::Other),
];
