//! Subjects that are judged as one: a file, or the packages of one app.

use std::collections::BTreeMap;
use std::path::PathBuf;

use wattle_apk::{Apk, ApkError, ApkSet, Leftover, Manifest, invalid_beside};
use wattle_unpack::UnpackBudget;

use super::input::{Input, Kind};
use super::member::{Member, manifest};
use super::verdict::{App, Finding, Judged};
use super::{Work, alignment, code, leftovers, signatures};
use crate::cli::Verify;

/// A subject that is judged as one.
pub struct Subject {
    name: String,
    kind: &'static str,
    members: Vec<Member>,
    beside: Vec<Leftover>,
    defects: Vec<Finding>,
}

impl Subject {
    /// Files of one app are one subject where one of them is a split; Dalvik executables are one program.
    pub fn of_inputs(inputs: Vec<Input>, budget: &UnpackBudget) -> Vec<Self> {
        let mut apps: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        let mut split_apps = Vec::new();
        for (index, input) in inputs.iter().enumerate() {
            if let Some(manifest) = manifest(input.kind, &input.bytes) {
                if manifest.split.is_some() {
                    split_apps.push(manifest.package.clone());
                }
                apps.entry(manifest.package).or_default().push(index);
            }
        }
        apps.retain(|package, files| files.len() > 1 && split_apps.contains(package));
        let bare: Vec<usize> = inputs
            .iter()
            .enumerate()
            .filter(|(_, input)| input.kind == Kind::Dex)
            .map(|(index, _)| index)
            .collect();
        let leader =
            |index: usize| apps.values().chain([&bare]).find(|files| files.contains(&index));
        let mut groups: BTreeMap<usize, Vec<Input>> = BTreeMap::new();
        for (index, input) in inputs.into_iter().enumerate() {
            let first = leader(index).and_then(|files| files.first()).copied().unwrap_or(index);
            groups.entry(first).or_default().push(input);
        }
        groups.into_values().filter_map(|group| Self::of_group(group, budget)).collect()
    }

    fn of_group(mut inputs: Vec<Input>, budget: &UnpackBudget) -> Option<Self> {
        let paths: Vec<PathBuf> = inputs.iter().map(|input| input.path.clone()).collect();
        let beside = paths.iter().flat_map(|path| invalid_beside(path)).collect();
        if inputs.len() == 1 {
            return inputs.pop().map(|input| Self::of_file(input, beside, budget));
        }
        if inputs.iter().all(|input| input.kind == Kind::Dex) {
            let name = inputs.first().map(|first| first.name.clone())?;
            let defects = inputs.iter().filter_map(package_behind_code).collect();
            let members = inputs.into_iter().map(Member::from).collect();
            return Some(Self { name, kind: "dex", members, beside, defects });
        }
        let files = inputs.iter().map(|it| (it.name.clone(), it.bytes.clone())).collect();
        let set = ApkSet::within(files, budget.clone());
        let base = set.as_ref().ok().and_then(|set| set.base()).map(|base| base.name.clone());
        let name = base.or_else(|| inputs.first().map(|first| first.name.clone()))?;
        let error = set.err().map(|error| broken("set", &name, "packages of one app", &error));
        let defects = error.into_iter().collect();
        let members = inputs.into_iter().map(Member::from).collect();
        Some(Self { name, kind: "set", members, beside, defects })
    }

    fn of_file(input: Input, mut beside: Vec<Leftover>, budget: &UnpackBudget) -> Self {
        let name = input.name.clone();
        let mut defects = Vec::new();
        let (kind, members) = match input.kind {
            Kind::Dex => {
                defects.extend(package_behind_code(&input));
                ("dex", vec![input.into()])
            }
            Kind::Package => ("package", vec![input.into()]),
            Kind::Archive => ("archive", vec![input.into()]),
            Kind::Broken => {
                let error = Apk::open(&input.bytes).err();
                let error = error.map(|error| broken("archive", &name, "a sound archive", &error));
                defects.extend(error);
                ("archive", vec![input.into()])
            }
            Kind::Set => match ApkSet::within(vec![(name.clone(), input.bytes)], budget.clone()) {
                Ok(set) => {
                    beside.extend(set.leftovers().iter().cloned());
                    let members = set.into_members().into_iter().map(|member| Member {
                        name: member.name,
                        bytes: member.bytes,
                        kind: Kind::Package,
                    });
                    ("set", members.collect())
                }
                Err(error) => {
                    defects.push(broken("set", &name, "packages of one app", &error));
                    ("set", Vec::new())
                }
            },
        };
        Self { name, kind, members, beside, defects }
    }

    /// Checks everything that was asked for.
    pub fn verify(self, verify: &Verify, work: &mut Work<'_>, budget: &UnpackBudget) -> Judged {
        let manifests = self.members.iter().map(|member| manifest(member.kind, &member.bytes));
        let manifests: Vec<Option<Manifest>> = manifests.collect();
        let base = manifests.iter().flatten().find(|manifest| manifest.is_base());
        let base = base.or_else(|| manifests.iter().flatten().next());
        let min_sdk = verify.min_sdk.or_else(|| base.and_then(|base| base.min_sdk)).unwrap_or(1);
        let app = base.map(|base| App {
            package: base.package.clone(),
            version_code: base.version_code,
            version_name: base.version_name.clone(),
            min_sdk,
        });
        let mut judged = Judged {
            app,
            bytes: self.members.iter().map(|member| member.bytes.len() as u64).sum(),
            name: self.name,
            kind: self.kind,
            code: Vec::new(),
            signatures: Vec::new(),
            defects: self.defects,
            notes: Vec::new(),
        };
        code::check(&self.members, &mut judged, work, budget);
        if verify.code_only {
            return judged;
        }
        for (member, manifest) in self.members.iter().zip(&manifests) {
            let Ok(apk) = Apk::open(&member.bytes) else { continue };
            if member.kind != Kind::Package {
                continue;
            }
            if manifest.is_none() {
                let error = apk.manifest().err();
                let error = error.map(|error| {
                    broken("manifest", &member.name, "a manifest that can be read", &error)
                });
                judged.defects.extend(error);
            }
            let refused = apk.read(Apk::MANIFEST).and_then(|manifest| Manifest::defects(&manifest));
            judged.defects.extend(refused.unwrap_or_default().into_iter().map(|defect| {
                Finding::new("manifest", &member.name, defect.expected, defect.found)
                    .of_entry(Some(Apk::MANIFEST))
            }));
            // Of several base packages each is for its own devices.
            let own = manifest.as_ref().filter(|manifest| manifest.is_base());
            let own = own.map_or(min_sdk, |manifest| manifest.min_sdk.unwrap_or(1));
            let min_sdk = verify.min_sdk.unwrap_or(own);
            signatures::check(member, min_sdk, verify.unsigned, &mut judged);
            alignment::check(&member.name, &apk, manifest.as_ref(), &mut judged);
            leftovers::check(&member.name, &apk, &mut judged);
        }
        signatures::check_one_signer(&mut judged);
        leftovers::note_beside(&self.beside, &mut judged);
        judged
    }
}

/// The defect of a Dalvik executable that is a package, too (Janus, CVE-2017-13156): Android without the security patch of December 2017
/// runs the code in front, which the signature of the package does not cover.
fn package_behind_code(input: &Input) -> Option<Finding> {
    let package = Apk::open(&input.bytes).ok()?;
    let entries = package.entries().len();
    let found = format!("a package with {entries} entries behind the code (CVE-2017-13156)");
    let expected = "a Dalvik executable or a package, not both";
    (entries > 0).then(|| Finding::new("code-before-package", &input.name, expected, found))
}

fn broken(rule: &str, file: &str, expected: &str, error: &ApkError) -> Finding {
    Finding::new(rule, file, expected, error.to_string())
}
