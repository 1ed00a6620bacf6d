//! The way to an app's private files.

use crate::command::PATIENCE;
use crate::questions::Questions;
use crate::{Device, DeviceError, quote};

/// The way to access the private files of an app.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppAccess {
    package: String,
    user: Option<u32>,
    way: Way,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// As the app itself, which Android allows for debuggable apps.
    RunAs,
    /// The shell is root.
    Root,
    /// `su -c command`, of rooted phones.
    SuDash,
    /// `su 0 command`, of Android's own debug builds.
    SuZero,
}

impl AppAccess {
    /// Finds a way to the files of an app of a user (`None`: the first one).
    ///
    /// # Errors
    /// [`DeviceError::NoAccess`] if there is none: the app is a release build and the phone not rooted.
    pub fn find(
        device: &dyn Device,
        package: &str,
        user: Option<u32>,
    ) -> Result<Self, DeviceError> {
        let ways = [Way::RunAs, Way::Root, Way::SuDash, Way::SuZero];
        let access = |way| Self { package: package.to_owned(), user, way };
        let mut questions = Questions::new();
        for way in ways {
            questions = questions.ask(way.name(), access(way).command("echo reached"));
        }
        let answers = questions.put(device, PATIENCE)?;
        let reaches = |way: &Way| {
            answers.text(way.name()).is_ok_and(|text| text.lines().any(|line| line == "reached"))
        };
        if let Some(way) = ways.into_iter().find(reaches) {
            return Ok(access(way));
        }
        let said = |way: Way| answers.text(way.name()).err().unwrap_or_else(|| "nothing".into());
        Err(DeviceError::NoAccess {
            package: package.to_owned(),
            reason: format!(
                "run-as works for debuggable apps only, also where the shell may profile an app ({}), and the shell is not \
                 root ({}); use a debuggable build or a rooted phone, or let the probes write to the trace or the log",
                said(Way::RunAs),
                said(Way::SuDash)
            ),
        })
    }

    /// A command that runs a script in the folder of the app's data.
    pub(crate) fn command(&self, script: &str) -> String {
        let package = quote(&self.package);
        let folder = match self.user {
            None => format!("/data/data/{}", self.package),
            Some(user) => format!("/data/user/{user}/{}", self.package),
        };
        let there = format!("cd {} && {{ {script}; }}", quote(&folder));
        match (self.way, self.user) {
            (Way::RunAs, None) => format!("run-as {package} sh -c {}", quote(script)),
            (Way::RunAs, Some(user)) => {
                format!("run-as {package} --user {user} sh -c {}", quote(script))
            }
            (Way::Root, _) => there,
            (Way::SuDash, _) => format!("su -c {}", quote(&there)),
            (Way::SuZero, _) => format!("su 0 sh -c {}", quote(&there)),
        }
    }

    /// The app.
    pub fn package(&self) -> &str {
        &self.package
    }
}

impl Way {
    const fn name(self) -> &'static str {
        match self {
            Self::RunAs => "run-as",
            Self::Root => "root",
            Self::SuDash => "su -c",
            Self::SuZero => "su 0",
        }
    }
}
