//! Check-in lines by the definition of `dumpCheckinLocked`: no real ones are at hand.

use wattle_ingest::read_bytes;
use wattle_timeline::{Quantity, StateKind, Timeline, WakeCause};

use super::{changes, check, note};

fn read(lines: &[&str]) -> Timeline {
    read_bytes("checkin.txt", lines.join("\n").as_bytes()).unwrap()
}

/// Start clock 2021-12-13 10:32:20 UTC, 100 s, all of them on battery.
const BATTERY: &str =
    "9,0,l,bt,0,100000,90000,100000,95000,1639391540000,40000,30000,4000,3900000,4100000,5000";

#[test]
fn lines_of_the_device() {
    let timeline = read(&[
        "9,0,i,vers,35,196,RP1A,RP1A",
        "9,0,i,uid,10045,com.x",
        "9,0,i,uid,10045,com.x.shared",
        "9,0,i,dsd,360000,80,s+,p-,i-",
        BATTERY,
        "9,0,l,gn,1000,2000,3000,4000,10,20,30,40,500,600",
        "9,0,l,gmcd,1000,2000,0,0,10,20,30,40,50",
        "9,0,l,gwfl,60000,50000,0,0,0",
        "9,0,l,gwfcd,7000,8000,1.25,0.5,9000",
        "9,0,l,gble,100,200,0,300",
        "9,0,l,m,40000,3000,0,1500,20000,10,39000,0,2,0,0,0,0,12,5,0,0,0,0,0,0",
        "9,0,l,br,1,2,3,4,5",
        "9,0,l,sgt,10,20,30,40,50",
        "9,0,l,sst,777",
        "9,0,l,dc,3,4,2,1,120,30,0,0,10,5",
        "9,0,l,pws,4000,110,100,140",
        "9,0,l,pwi,scrn,55.5,0,0,0",
        "9,0,l,gcf,300000,600000,500000,900000",
        "9,0,l,kwl,\"a,b\",10,1,-1,-1",
    ]);
    check(
        &timeline,
        &[
            (Quantity::OnBattery, None, None, Some(100.0)),
            (Quantity::OnBatteryAwake, None, None, Some(90.0)),
            (Quantity::ScreenOff, None, None, Some(40.0)),
            (Quantity::ScreenOffAwake, None, None, Some(30.0)),
            (Quantity::ScreenDoze, None, None, Some(5.0)),
            (Quantity::BatteryCapacity, None, Some("estimated"), Some(4000.0)),
            (Quantity::BatteryCapacity, None, Some("learned-min"), Some(3900.0)),
            (Quantity::CellReceivedBytes, None, None, Some(1000.0)),
            (Quantity::WifiSentPackets, None, None, Some(40.0)),
            (Quantity::BluetoothSentBytes, None, None, Some(600.0)),
            (Quantity::CellIdle, None, None, Some(1.0)),
            (Quantity::CellReceive, None, None, Some(2.0)),
            (Quantity::CellTransmit(4), None, None, Some(0.05)),
            (Quantity::Wifi, None, None, Some(60.0)),
            (Quantity::WifiRunning, None, None, Some(50.0)),
            (Quantity::WifiCharge, None, None, Some(1.25)),
            (Quantity::MeasuredCharge, None, Some("wifi"), Some(0.5)),
            (Quantity::WifiTransmit(0), None, None, Some(9.0)),
            // Without a rail: Android 9 and before.
            (Quantity::BluetoothTransmit, None, None, Some(0.3)),
            (Quantity::Screen, None, None, Some(40.0)),
            (Quantity::PhoneCall, None, None, Some(3.0)),
            (Quantity::Wakelock, None, None, Some(1.5)),
            (Quantity::CellActive, None, None, Some(20.0)),
            (Quantity::CellActiveCount, None, None, Some(12.0)),
            (Quantity::ScreenClass(4), None, None, Some(0.005)),
            (Quantity::CellSignal(0), None, None, Some(0.01)),
            (Quantity::CellScan, None, None, Some(0.777)),
            (Quantity::BatteryCharge, None, None, Some(120.0)),
            (Quantity::BatteryCharge, None, Some("screen-off"), Some(30.0)),
            (Quantity::BatteryCharge, None, Some("deep-doze"), Some(5.0)),
            (Quantity::BatteryCapacity, None, None, Some(4000.0)),
            (Quantity::EstimatedCharge, None, Some("total"), Some(110.0)),
            (Quantity::BatteryCharge, None, Some("drain-max"), Some(140.0)),
            (Quantity::EstimatedCharge, None, Some("scrn"), Some(55.5)),
        ],
    );
    assert_eq!(timeline.system.usage[0].window.start.value(), 1_639_391_540_000_500_000);
    assert_eq!(timeline.system.usage[0].window.duration().value(), 100_000_000_000);
    assert_eq!(timeline.tasks.packages.len(), 2);
    let unread = &timeline.quality.artifacts[0].unread;
    assert_eq!((unread["kwl"], unread["dsd"]), (1, 1));
    assert_eq!(note(&timeline, "batterystats-unparsed"), 0);
}

#[test]
fn lines_of_a_uid() {
    let timeline = read(&[
        "9,0,i,vers,35,196,RP1A,RP1A",
        BATTERY,
        "9,0,l,gcf,300000,600000,500000,900000",
        "9,10045,l,nt,1,2,3,4,5,6,7,8,9000000,10,11,12,0,0,0,0,0,0,0,0,0,0",
        "9,10045,l,mcd,100,200,0,0,1,2,3,4,5",
        "9,10045,l,wfl,1000000,2000000,3000000,4,0,0,0,0,2500,0",
        "9,10045,l,blem,150,1,0,0,0,0,0,0,0,0,0",
        "9,10045,l,ua,1,2,3",
        "9,10045,l,awl,9000,0",
        "9,10045,l,wl,*job*/x,0,f,0,0,0,0,1500,p,3,0,700,1600,0,bp,0,0,0,0,0,w,0,0,0,0",
        "9,10045,l,wl,idle,0,f,0,0,0,0,0,p,0,0,0,0,0,bp,0,0,0,0,0,w,0,0,0,0",
        "9,10045,l,wl,net,0,f,0,0,0,0,500,p,1,0,500,500,0,bp,0,0,0,0,0,w,0,0,0,0",
        "9,10045,l,wmc,333,1",
        "9,10045,l,sy,\"a,b/c\",1000,2,-1,-1",
        "9,10045,l,jb,\"x/.Y\",2000,3,-1,-1",
        "9,10045,l,fla,10,1",
        "9,10045,l,cam,20,1",
        "9,10045,l,vid,30,1",
        "9,10045,l,aud,40,1",
        "9,10045,l,sr,-10000,50,1,0,60,0",
        "9,10045,l,sr,7,70,1,0,80,0",
        "9,10045,l,fg,90,1",
        "9,10045,l,st,1,2,3,4,5,6,7",
        "9,10045,l,cpu,1100,900,0",
        "9,10045,l,ctf,A,4,10,0,30,40,1,2,3,4",
        "9,10045,l,ctf,T,4,1,1,1,1,0,0,0,0",
        "9,10045,l,pr,\"com.x\",1,2,3,4,0,0",
        "9,10045,l,wua,*walarm*:x,8",
        "9,10045,l,apk,8,com.x,com.x.S,1,1,1",
        "9,10045,l,pwi,uid,12.5,0,3.5,1.25",
        "9,10045,u,cpu,1,1,0",
    ]);
    let uid = Some(10_045);
    check(
        &timeline,
        &[
            (Quantity::CellReceivedBytes, uid, None, Some(1.0)),
            (Quantity::WifiSentPackets, uid, None, Some(8.0)),
            (Quantity::CellActive, uid, None, Some(9.0)),
            (Quantity::CellActiveCount, uid, None, Some(10.0)),
            (Quantity::BluetoothReceivedBytes, uid, None, Some(11.0)),
            (Quantity::CellTransmit(0), uid, None, Some(0.001)),
            (Quantity::WifiScan, uid, None, Some(2.0)),
            (Quantity::WifiRunning, uid, None, Some(3.0)),
            (Quantity::BluetoothScan, uid, None, Some(0.15)),
            (Quantity::Wakelock, uid, Some("*job*/x"), Some(1.5)),
            (Quantity::WakelockCount, uid, Some("*job*/x"), Some(3.0)),
            (Quantity::Wakelock, uid, Some("idle"), None),
            (Quantity::Wakelock, uid, None, Some(2.0)),
            (Quantity::WifiMulticast, uid, None, Some(0.333)),
            (Quantity::Sync, uid, Some("a,b/c"), Some(1.0)),
            (Quantity::Job, uid, Some("x/.Y"), Some(2.0)),
            (Quantity::Flashlight, uid, None, Some(0.01)),
            (Quantity::Camera, uid, None, Some(0.02)),
            (Quantity::Video, uid, None, Some(0.03)),
            (Quantity::Audio, uid, None, Some(0.04)),
            (Quantity::Gnss, uid, None, Some(0.05)),
            (Quantity::Sensor(7), uid, None, Some(0.07)),
            (Quantity::Foreground, uid, None, Some(0.09)),
            (Quantity::ProcessState(6), uid, None, Some(0.007)),
            (Quantity::Cpu, uid, None, Some(2.0)),
            (Quantity::CpuAt { cluster: 0, step: 0 }, uid, None, Some(0.01)),
            (Quantity::CpuAt { cluster: 0, step: 1 }, uid, None, None),
            (Quantity::CpuAt { cluster: 1, step: 1 }, uid, None, Some(0.04)),
            (Quantity::AlarmWakeups, uid, Some("*walarm*:x"), Some(8.0)),
            (Quantity::EstimatedCharge, uid, Some("uid"), Some(12.5)),
            (Quantity::EstimatedCharge, uid, Some("screen-smeared"), Some(3.5)),
        ],
    );
    assert_eq!(timeline.tasks.packages.len(), 1);
    assert_eq!(timeline.quality.artifacts[0].unread["lines of aggregation u"], 1);
}

/// Android 4: other columns of `m`, and milliseconds in `nt`.
#[test]
fn lines_of_android_4() {
    let timeline = read(&[
        "7,0,i,vers,7,105",
        "7,0,l,bt,0,100000,90000,100000,95000",
        "7,0,l,m,40000,3000,60000,50000,0,1,2,3,4,5,1500,0",
        "7,10045,l,nt,1,2,3,4,5,6,7,8,9000,10",
    ]);
    check(
        &timeline,
        &[
            (Quantity::Screen, None, None, Some(40.0)),
            (Quantity::Wifi, None, None, Some(60.0)),
            (Quantity::WifiRunning, None, None, Some(50.0)),
            (Quantity::Wakelock, None, None, Some(1.5)),
            (Quantity::CellActive, Some(10_045), None, Some(9.0)),
        ],
    );
}

#[test]
fn history() {
    let timeline = read(&[
        "9,0,i,vers,35,196,RP1A,RP1A",
        "9,hsp,0,10045,\"a \\\"quoted\\\", name\"",
        "9,hsp,1,1001,\"*telephony-radio*\"",
        "9,h,0:RESET:TIME:1639391540000",
        "9,h,0,Bl=95,Bs=d,Bh=g,Bp=n,Bt=260,Bv=4354,Bcc=3177,+r,+w=1,+S,Pss=4,Sb=1,Wss=2,Etp=0",
        "9,h,0,Dcpu=1:2/1000:3:4",
        "9,h,1500,Bv=4340,-w,+Ejb=0,Pcn=lte,di=full,+Sd,+Chtp",
        "9,h,500,-S,-Ejb=0,wr=1,+Ejb=77",
        "9,h,1000,-r,+Elw=u0a9:\"long, \"\"one\"\"\"",
        "9,h,1000:SHUTDOWN",
        "9,h,1000:START",
        "9,h,0,+r",
        "NEXT: 5001",
    ]);
    assert_eq!(timeline.window.start.value(), 1_639_391_540_000_500_000);
    assert_eq!(
        changes(&timeline, StateKind::CpuRunning, None, None),
        [(0, 1), (3000, 0), (5000, 1)]
    );
    assert_eq!(changes(&timeline, StateKind::Screen, None, None), [(0, 1), (2000, 2), (4000, 0)]);
    assert_eq!(changes(&timeline, StateKind::Wakelock, None, None), [(0, 1), (1500, 0)]);
    assert_eq!(
        changes(&timeline, StateKind::Wakelock, Some(1001), Some("*telephony-radio*")),
        [(0, 1), (1500, 0)]
    );
    let name = Some("a \"quoted\", name");
    assert_eq!(changes(&timeline, StateKind::Job, Some(10_045), name), [(1500, 1), (2000, 0)]);
    assert_eq!(changes(&timeline, StateKind::TopApp, Some(10_045), name), [(0, 1), (4000, 0)]);
    assert_eq!(
        changes(&timeline, StateKind::CellNetwork, None, None),
        [(0, 0), (1500, 13), (4000, 0)]
    );
    assert_eq!(
        changes(&timeline, StateKind::DeviceIdle, None, None),
        [(0, 0), (1500, 2), (4000, 0)]
    );
    let long = changes(&timeline, StateKind::LongWakelock, Some(10_009), Some("long, \"one\""));
    assert_eq!(long, [(3000, 1), (4000, 0)]);
    let samples = &timeline.energy.batteries[0].samples;
    assert_eq!(samples.len(), 2);
    assert_eq!((samples[1].voltage, samples[1].capacity_percent), (Some(4_340_000), Some(95.0)));
    let [wake] = timeline.suspend.wakes.as_slice() else { panic!("{:?}", timeline.suspend.wakes) };
    let text = wake.text.map(|text| timeline.names.get(text));
    assert_eq!((wake.cause, wake.uid, text), (WakeCause::Reason, None, Some("*telephony-radio*")));
    assert_eq!(wake.time.value() - timeline.window.start.value(), 2_000_000_000);
    // String 77 is not in the pool.
    assert_eq!(note(&timeline, "batterystats-no-string"), 1);
    assert_eq!(
        note(&timeline, "batterystats-unknown") + note(&timeline, "batterystats-unparsed"),
        0
    );
}
