//! The script on the device that ends recorders whose program is gone.

use std::time::Duration;

/// Ends what records when the lease is not renewed any more: the program was killed, or its machine is gone.
///
/// Arguments: folder of the lease, seconds between two looks, looks without a change until it acts. Time is counted in
/// looks, so that a clock that is set does not matter, and a suspended device does not count.
pub(super) const SCRIPT: &str = include_str!("guard.sh");

/// Time between two looks of the guard.
pub(super) const LOOK: Duration = Duration::from_secs(15);
/// Looks without a renewal after which the guard acts.
pub(super) const LOOKS: u32 = 6;

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};

    use super::SCRIPT;

    struct Guard(Child);

    impl Drop for Guard {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    fn start(folder: &std::path::Path) -> Guard {
        fs::write(folder.join("guard.sh"), SCRIPT).expect("written");
        fs::create_dir_all(folder.join("run")).expect("a folder");
        fs::write(folder.join("lease"), "x").expect("written");
        fs::write(folder.join("beat"), "1").expect("written");
        let ends = format!("echo ended >> {}\n", folder.join("said").display());
        fs::write(folder.join("run/perfetto.end"), ends).expect("written");
        let mut command = Command::new("sh");
        command.arg(folder.join("guard.sh")).arg(folder).args(["0.1", "3"]);
        Guard(command.stdin(Stdio::null()).spawn().expect("a shell"))
    }

    #[track_caller]
    fn ends(guard: &mut Guard) {
        let end = Instant::now() + Duration::from_secs(20);
        while guard.0.try_wait().expect("a child").is_none() {
            assert!(Instant::now() < end, "it goes on");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    #[test]
    fn recorders_end_when_nobody_renews_the_lease() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut guard = start(folder.path());
        // While it is renewed, nothing is ended.
        for beat in 0..10 {
            fs::write(folder.path().join("beat"), format!("{beat}")).expect("written");
            std::thread::sleep(Duration::from_millis(50));
        }
        assert!(!folder.path().join("said").exists());
        ends(&mut guard);
        let said = fs::read_to_string(folder.path().join("said")).expect("it acted");
        assert_eq!(said, "ended\n");
    }

    #[test]
    fn the_guard_goes_with_the_lease() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut guard = start(folder.path());
        fs::remove_file(folder.path().join("lease")).expect("removed");
        ends(&mut guard);
        assert!(!folder.path().join("said").exists(), "nothing is ended that a new holder started");
    }
}
