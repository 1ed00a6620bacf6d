//! `dumpsys power`, `display`, `window`, `activity` and `thermalservice`.

use crate::Namespace;
use crate::core::Core;

/// As `PowerManagerService.java` begins its dump.
pub(super) fn power(core: &Core) -> String {
    let state = core.state();
    let wakefulness = if state.awake { "Awake" } else { "Asleep" };
    let saving = state.settings.get(Namespace::Global, "low_power") == Some("1");
    let battery = &state.battery;
    let plugged = if battery.usb() { 2 } else { u32::from(battery.faked.ac.unwrap_or(false)) };
    format!(
        "POWER MANAGER (dumpsys power)\n\nPower Manager State:\n  Settings power_manager_constants:\n    \
         no_cached_wake_locks=true\n  mDirty=0x0\n  mWakefulness={wakefulness}\n  mIsPowered={}\n  mPlugType={plugged}\n  \
         mBatteryLevel={}\n  mDockState=0\n  mStayOn={}\n  mBootCompleted=true\n  mSystemReady=true\n  \
         mDeviceIdleMode=false\n\nSettings and Configuration:\n  mStayOnWhilePluggedInSetting={}\n  \
         mScreenOffTimeoutSetting={}\n\nDisplay Power: state={}\n\nBattery saving stats:\n\nBatterySaverController:\n  \
         mFullEnabled={saving}\n  mAdaptiveEnabled=false\n",
        plugged != 0,
        battery.faked.level.unwrap_or(battery.percent),
        state.stay_on && plugged != 0,
        state.settings.get(Namespace::Global, "stay_on_while_plugged_in").unwrap_or("0"),
        state.settings.get(Namespace::System, "screen_off_timeout").unwrap_or("30000"),
        if state.awake { "ON" } else { "OFF" },
    )
}

/// The part of `dumpsys display` that says what the screen is.
pub(super) fn display(core: &Core) -> String {
    let state = core.state();
    let lit = if state.awake { "ON" } else { "OFF" };
    let mode = |id: u32, hertz: &str| {
        format!(
            "{{id={id}, width=1080, height=2400, fps={hertz}, alternativeRefreshRates=[], supportedHdrTypes=[2, 3, 4]}}"
        )
    };
    let modes = format!("{}, {}", mode(1, "60.000004"), mode(2, "90.0"));
    format!(
        "DISPLAY MANAGER (dumpsys display)\n  mOnlyCode=false\n  mSafeMode=false\n\nLogical Displays: size=1\n  Display \
         0:\n    mDisplayId=0\n    mBaseDisplayInfo=DisplayInfo{{\"Built-in Screen\", displayId 0, displayGroupId 0, \
         FLAG_SECURE, real 1080 x 2400, largest app 1080 x 2400, smallest app 1080 x 2400, appVsyncOff 1000000, \
         presDeadline 16666666, mode 1, defaultMode 1, modes [{modes}], rotation 0, state {lit}, type INTERNAL, uniqueId \
         \"local:4619827259835644672\", app 1080 x 2400, density 420 (409.432 x 411.891) dpi, layerStack 0}}\n"
    )
}

/// The part of `dumpsys window` that says whether the phone is locked.
pub(super) fn window(_: &Core) -> String {
    "WINDOW MANAGER POLICY STATE (dumpsys window policy)\n    KeyguardServiceDelegate\n      showing=false\n      \
     inputRestricted=false\n      secure=false\n"
        .to_owned()
}

/// The processes of apps.
pub(super) fn activity(core: &Core) -> String {
    let mut text = "ACTIVITY MANAGER RUNNING PROCESSES (dumpsys activity processes)\n".to_owned();
    for process in core.journal.running().iter().filter(|process| process.package.is_some()) {
        text += &format!(
            "  *APP* UID {} ProcessRecord{{a1b2c3 {}:{}/{}}}\n",
            process.uid,
            process.pid,
            process.name,
            crate::system::user_name(process.uid)
        );
    }
    text
}

/// As `ThermalManagerService.java` dumps.
pub(super) fn thermal(core: &Core) -> String {
    let state = core.state();
    let (celsius, skin) = (state.celsius, state.battery.celsius + 3.0);
    // Thresholds of the skin as the Pixels' thermal HAL has them, about.
    let by_heat = match skin {
        ..39.0 => 0,
        39.0..43.0 => 1,
        43.0..45.0 => 2,
        45.0..51.0 => 3,
        _ => 4,
    };
    let status = state.thermal_override.unwrap_or(by_heat);
    let line = |value: f64, kind: u32, name: &str, status: u32| {
        format!(
            "\tTemperature{{mValue={value:.1}, mType={kind}, mName={name}, mStatus={status}}}\n"
        )
    };
    let all = [
        line(celsius + 4.0, 0, "BIG", 0),
        line(celsius + 2.5, 0, "MID", 0),
        line(celsius + 1.0, 0, "LITTLE", 0),
        line(state.battery.celsius, 2, "battery", 0),
        line(skin, 3, "VIRTUAL-SKIN", by_heat),
    ]
    .concat();
    format!(
        "IsStatusOverride: {}\nThermalEventListeners:\n\tcallbacks: 1\n\tkilled: false\n\tbroadcasts count: -1\n\
         ThermalStatusListeners:\n\tcallbacks: 1\n\tkilled: false\n\tbroadcasts count: -1\nThermal Status: {status}\nCached \
         temperatures:\n{}HAL Ready: true\nHAL connection:\n\tThermalHAL AIDL 1  connected: yes\nCurrent temperatures from \
         HAL:\n{all}Current cooling devices from HAL:\n\tCoolingDevice{{mValue=0, mType=2, mName=thermal-cpufreq-0}}\n",
        state.thermal_override.is_some(),
        line(skin, 3, "VIRTUAL-SKIN", by_heat),
    )
}
