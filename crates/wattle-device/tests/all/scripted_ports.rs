//! Ports of a device behind an adb server that follows a script.

#![allow(dead_code, reason = "each test uses a part of the common module")]

use crate::scripted::*;
use wattle_device::adb::{AdbDevice, Forward};

#[test]
fn ports_are_taken_away_again() {
    let chosen =
        vec![request("host-serial:S1:forward:tcp:0;tcp:80"), okay(), okay(), send(string("5001"))];
    let gone = vec![request("host-serial:S1:killforward:tcp:5001"), okay(), okay()];
    let port = |device: &AdbDevice| Ok(device.forward("tcp:0", "tcp:80")?.port());
    assert_eq!(check("", vec![chosen, gone], port, "well", &[]).expect("well"), Some(5001));

    let named = service("reverse:forward:localabstract:x;tcp:80", [okay()]);
    let gone = service("reverse:killforward:localabstract:x", [okay()]);
    let port = |device: &AdbDevice| Ok(device.reverse("localabstract:x", "tcp:80")?.port());
    assert_eq!(check("", vec![named, gone], port, "well", &[]).expect("well"), None);

    let kept = vec![request("host-serial:S1:forward:tcp:9;tcp:80"), okay(), okay()];
    let keep = |device: &AdbDevice| device.forward("tcp:9", "tcp:80").map(Forward::keep);
    check("", vec![kept], keep, "well", &[]).expect("well");

    let busy = vec![request("host-serial:S1:forward:tcp:9;tcp:80"), fail("cannot bind")];
    let forward = |device: &AdbDevice| device.forward("tcp:9", "tcp:80");
    let _ = check("", vec![busy], forward, "refused", &["tcp:9", "cannot bind"]);
    let odd =
        vec![request("host-serial:S1:forward:tcp:0;tcp:80"), okay(), okay(), send(string("99999"))];
    let forward = |device: &AdbDevice| device.forward("tcp:0", "tcp:80");
    let _ = check("", vec![odd], forward, "garbled", &["99999"]);
}

#[test]
fn a_restart_ends_with_the_connection() {
    for (into, asked) in [(None, "reboot:"), (Some("bootloader"), "reboot:bootloader")] {
        let reboot = |device: &AdbDevice| device.reboot(into);
        check("", vec![service(asked, [])], reboot, "well", &[]).expect("well");
    }
}
