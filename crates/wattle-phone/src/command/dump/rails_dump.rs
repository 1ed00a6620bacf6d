//! The dump of the power monitor's HAL, as `PowerStats.cpp` of AOSP's default implementation prints it.

use crate::core::Core;

pub(super) fn rails(core: &Core) -> String {
    let seconds = core.clock.boot().value() as f64 * 1e-9;
    let microjoules = crate::recording::read_rails(core);
    let rails = core.options.hardware.rails.iter().zip(&microjoules);
    let rails: String = rails
        .map(|(rail, microjoules)| {
            let millijoules = microjoules * 1e-3;
            format!(
                "  {:<40}{millijoules:>18.2} mWs\n",
                format!("[{}]:{}", rail.name, rail.subsystem)
            )
        })
        .collect();
    format!(
        "\n============= PowerStats HAL 2.0 state residencies ==============\n  Entity                State          \
         Total time       Total entries    Last entry timestamp\n  CPUCL0                DOWN           {:>12.0} ms        \
         48213        {:>12.0} ms\n========== End of PowerStats HAL 2.0 state residencies ==========\n\n============= \
         PowerStats HAL 2.0 energy meter ==============\n  Channel                                   Cumulative Energy\n\
         {rails}========== End of PowerStats HAL 2.0 energy meter ==========\n",
        seconds * 400.0,
        seconds * 999.0
    )
}
