//! The last step: measuring, attacking and querying.

use super::{PageSources, Step, ask, document, frame, select};
use crate::desk::WorkKind;
use maud::{Markup, html};
use openveil_reader::attack::{AttackFindings, AttackReport};
use openveil_reader::report::ShownTable;
use openveil_text::Text;
use openveil_tools::audit::{AuditReport, Part};

pub(crate) fn page(seen: &PageSources<'_>) -> Markup {
    let has_release = seen.state.published.is_some();
    let body = html! {
        (audit(seen, has_release))
        @if has_release { (ask::section(seen)) }
        @else { p { (seen.t("check.after")) } }
        (attack(seen, has_release))
    };
    frame::frame(seen, Step::Check, seen.t("check.title"), &body)
}

/// Shows the form for auditing any table.
fn audit(seen: &PageSources<'_>, has_release: bool) -> Markup {
    let mut tables = Vec::new();
    if has_release {
        tables.push((String::new(), seen.t("check.own-release").to_owned()));
    }
    if let Some(table) = &seen.state.table {
        tables.push((
            "table".to_owned(),
            seen.texts.fill("check.own-table", &[("name", &table.name)]),
        ));
    }
    let others = seen.desk.root.as_ref().map_or_else(Vec::new, |root| root.tables());
    tables.extend(others.into_iter().map(|path| (format!("file:{path}"), path)));
    html! {
        section {
            h2 { (seen.t("check.audit")) }
            p { (seen.t("check.audit-note")) }
            (seen.work(WorkKind::Audit))
            @if tables.is_empty() { p { (seen.t("page.no-table")) " " a href="/" { (seen.t("page.bring-one")) } } }
            @else {
                form method="post" action="/check/audit" {
                    label for="what" { (seen.t("check.what")) }
                    (select("what", "what", &tables, ""))
                    label for="known" { (seen.t("check.known")) }
                    input id="known" name="known";
                    label for="secret" { (seen.t("check.secret")) }
                    input id="secret" name="secret";
                    button disabled[seen.running().is_some()] { (seen.t("check.measure")) }
                }
            }
            @if let Some((what, report)) = &seen.state.audited {
                h3 { (what.as_deref().unwrap_or(seen.t("check.own-release"))) }
                (measured(seen, report))
            }
        }
    }
}

/// Shows the measures, as the command prints them.
fn measured(seen: &PageSources<'_>, report: &AuditReport) -> Markup {
    html! {
        div.document {
            @for part in report.parts() {
                @match part {
                    Part::Words(words) => p { (seen.texts.say(&words)) },
                    Part::Table(rows) => (document::table(seen, &rows)),
                }
            }
            @if let Some(kept) = report.keeps_promise {
                p { (seen.t(if kept { "check.kept" } else { "check.not-kept" })) }
            }
            @if let Some(checked) = &report.checked {
                @if checked.findings.is_empty() { p { (seen.t("check.agrees")) } }
                @else { ul { @for finding in &checked.findings { li.warning { (seen.texts.say(&finding.text())) } } } }
            }
            @for note in &report.notes { p.note { (seen.texts.say(note)) } }
        }
    }
}

/// Shows findings of attacks, as the command prints them.
fn found(seen: &PageSources<'_>, findings: &AttackFindings) -> Markup {
    let reports = findings.of_columns();
    if reports.is_empty() {
        return document::shown(findings);
    }
    let rows = |report: &AttackReport| -> ShownTable {
        let head = ["attack", "result", "meaning"].map(Text::from).to_vec();
        let lines = report.lines().into_iter().map(|line| line.to_vec());
        std::iter::once(head).chain(lines).collect()
    };
    html! {
        div.document {
            @for (column, report) in reports {
                @if let Some(column) = column { h3 { (column) } }
                (document::table(seen, &rows(report)))
                p.note { (seen.texts.say(&report.rerun.note)) }
            }
            @if findings.promise_broken() { p.warning { (seen.t("check.broken")) } }
            @else { p { (seen.t("check.unbroken")) } }
        }
    }
}

/// Shows the form for attacking the release on the desk, or one below the root.
fn attack(seen: &PageSources<'_>, has_release: bool) -> Markup {
    let own = has_release.then(|| (String::new(), seen.t("check.own-release").to_owned()));
    let tables = seen.desk.root.as_ref().map_or_else(Vec::new, |root| root.tables());
    let others = tables.into_iter().filter(|path| {
        path.rsplit(['/', '\\']).next().is_some_and(|name| name.starts_with("release."))
    });
    let releases: Vec<_> =
        own.into_iter().chain(others.map(|path| (format!("file:{path}"), path))).collect();
    html! { @if !releases.is_empty() { (attack_form(seen, &releases)) } }
}

fn attack_form(seen: &PageSources<'_>, releases: &[(String, String)]) -> Markup {
    html! {
        section {
            h2 { (seen.t("check.attack")) }
            p { (seen.t("check.attack-note")) }
            (seen.work(WorkKind::Attack))
            form method="post" action="/check/attack" {
                label for="attacked" { (seen.t("check.which")) }
                (select("what", "attacked", releases, ""))
                button disabled[seen.running().is_some()] { (seen.t("check.try")) }
            }
            @if let Some(found) = &seen.state.attacked {
                (self::found(seen, found))
            }
        }
    }
}
