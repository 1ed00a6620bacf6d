//! The rows of classes and packages.

use std::collections::BTreeSet;

use super::build_methods::Ran;
use super::code_input::Code;
use super::outermost::around;
use super::owners::package;
use super::row_order::Ranks;
use super::sums::Sums;
use super::{ClassRow, CodeMeasures, CodePackageRow, GroupSums};

/// Classes and packages, ordered.
pub(super) fn rows(code: &Code<'_>, ran: &[Option<Ran>]) -> (Vec<ClassRow>, Vec<CodePackageRow>) {
    let (classes, of_method) = code.methods.grouped(|class| class);
    let sums = group(code, &classes.of_path, classes.things.len(), &of_method, ran);
    let mut class_rows: Vec<_> = classes
        .things
        .iter()
        .zip(sums)
        .filter_map(|(class, sums)| {
            let name = class.map(str::to_owned);
            let package = class.map(|class| package(class).to_owned());
            Some(ClassRow { name, package, sums: sums? })
        })
        .collect();
    class_rows.sort_by(|one, other| {
        let ranks = [one, other].map(|row| ranks(&row.sums, row.name.as_deref()));
        code.order.compare(&ranks[0], &ranks[1])
    });
    let (packages, of_method) = code.methods.grouped(package);
    let sums = group(code, &packages.of_path, packages.things.len(), &of_method, ran);
    let mut classes_of: Vec<BTreeSet<&str>> = vec![BTreeSet::new(); packages.things.len()];
    for ((method, of), _) in
        code.methods.things.iter().zip(&of_method).zip(ran).filter(|(_, ran)| ran.is_some())
    {
        classes_of[*of as usize].extend(method.class);
    }
    let mut package_rows: Vec<_> = packages
        .things
        .iter()
        .zip(sums)
        .enumerate()
        .filter_map(|(at, (package, sums))| {
            let name = package.map(str::to_owned);
            Some(CodePackageRow { name, classes: classes_of[at].len(), sums: sums? })
        })
        .collect();
    package_rows.sort_by(|one, other| {
        let ranks = [one, other].map(|row| ranks(&row.sums, row.name.as_deref()));
        code.order.compare(&ranks[0], &ranks[1])
    });
    (class_rows, package_rows)
}

/// The sums of each group; `None` where none of its methods ran.
fn group(
    code: &Code<'_>,
    owners: &[u32],
    count: usize,
    of_method: &[u32],
    ran: &[Option<Ran>],
) -> Vec<Option<GroupSums>> {
    let around = around(code.tree, owners, count);
    let mut methods: Vec<(usize, Option<u64>)> = vec![(0, None); count];
    for (group, ran) in of_method.iter().zip(ran) {
        let (Some(ran), Some(of_group)) = (ran, methods.get_mut(*group as usize)) else {
            continue;
        };
        of_group.0 += 1;
        if let Some(calls) = ran.calls {
            of_group.1 = Some(of_group.1.unwrap_or(0).saturating_add(calls));
        }
    }
    let sums = code.sums(owners, count, &around);
    let row = |(sums, (methods, calls)): (Sums, (usize, Option<u64>))| {
        let (total, api_total) = (code.figure(&sums.total), sums.api_total.figure());
        (methods > 0).then(|| GroupSums {
            methods,
            measures: CodeMeasures {
                own: code.figure(&sums.own),
                total,
                share: total.share_of(code.whole),
                api_own: sums.api_own.figure(),
                api_total,
                api_share: api_total.share_of(code.api_whole),
                calls,
                mean: total.divided(calls.unwrap_or(0)),
                api_mean: api_total.divided(calls.unwrap_or(0)),
            },
        })
    };
    sums.into_iter().zip(methods).map(row).collect()
}

fn ranks<'a>(sums: &GroupSums, name: Option<&'a str>) -> Ranks<'a> {
    Ranks::new(&sums.measures, name.unwrap_or(""))
}
