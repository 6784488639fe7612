//! The trees that coarsen columns: made branch by branch, by rule, or from a file.

use super::{PageSources, Step, frame, no_table};
use crate::desk::{TopNodes, TreeNode};
use crate::texts::Problem;
use maud::{Markup, html};
use openveil_io::policy::Role;
use toml::Value;

/// The most values of a tree that can be edited one by one.
const MOST: usize = 400;

/// Lists all known columns, with their trees.
pub(crate) fn list(seen: &PageSources<'_>) -> Markup {
    let body = match &seen.state.table {
        None => no_table(seen),
        Some(_) => html! {
            p { (seen.t("hierarchies.intro")) }
            ul {
                @for column in columns(seen) {
                    li {
                        a href=(address(&column)) { (column) } " "
                        span.note { (kind(seen, &column)) }
                    }
                }
            }
        },
    };
    frame::frame(seen, Step::Hierarchies, seen.t("hierarchies.title"), &body)
}

/// Returns the columns that can have a tree: columns published as ranges.
pub(crate) fn columns(seen: &PageSources<'_>) -> Vec<String> {
    let draft = &seen.state.draft;
    let mut columns = draft.columns_with(Role::QuasiIdentifier);
    columns.extend(draft.columns_with(Role::Attribute));
    columns
}

/// Returns the address of a column's page.
pub(crate) fn address(column: &str) -> String {
    let encoded: String = form_urlencoded::byte_serialize(column.as_bytes()).collect();
    format!("/hierarchies/edit?column={encoded}")
}

fn kind<'a>(seen: &'a PageSources<'_>, column: &str) -> &'a str {
    match seen.state.draft.of_column(column, "hierarchy") {
        None => seen.t("hierarchies.none"),
        Some(Value::Table(built)) if built.contains_key("tree") => seen.t("hierarchies.tree"),
        Some(Value::Table(_)) => seen.t("hierarchies.rule"),
        Some(_) => seen.t("hierarchies.file"),
    }
}

/// Shows one column's tree; `tree` is from the engine, or the reason why there is none.
pub(crate) fn edit(
    seen: &PageSources<'_>,
    column: &str,
    tree: &Result<TopNodes, Problem>,
) -> Markup {
    let title = seen.texts.fill("hierarchies.of", &[("column", column)]);
    let body = html! {
        @match tree {
            Err(error) => { (seen.said(error)) }
            Ok(tree) => { (branches(seen, column, tree)) }
        }
        (rules(seen, column))
        (file(seen, column, tree.is_ok()))
        (command(seen, column, "none", seen.t("hierarchies.remove")))
        p { a href=(Step::Hierarchies.path()) { (seen.t("hierarchies.back")) } }
    };
    frame::frame(seen, Step::Hierarchies, &title, &body)
}

/// Shows the tree, with a checkbox at everything that can be put under a branch.
fn branches(seen: &PageSources<'_>, column: &str, tree: &TopNodes) -> Markup {
    let leaves = tree.csv().lines().count();
    html! {
        form method="post" action="/hierarchies/edit" {
            (hidden(seen, column))
            fieldset {
                legend { (seen.t("hierarchies.branches")) }
                p.note { (seen.t("hierarchies.how")) }
                @if leaves <= MOST {
                    ul.tree id="tree" {
                        @for (index, node) in tree.nodes.iter().enumerate() { (branch(seen, node, &[index])) }
                    }
                    label for="label" { (seen.t("hierarchies.label")) }
                    input id="label" name="label" maxlength="200";
                    button id="group" name="do" value="group" { (seen.t("hierarchies.group")) }
                } @else {
                    p { (seen.t("hierarchies.many")) }
                    pre.preview { (tree.csv().lines().take(20).collect::<Vec<_>>().join("\n")) "\n…" }
                }
            }
        }
    }
}

fn branch(seen: &PageSources<'_>, node: &TreeNode, place: &[usize]) -> Markup {
    let place_text = place.iter().map(ToString::to_string).collect::<Vec<_>>().join(".");
    let id = format!("node-{place_text}");
    html! {
        li draggable="true" data-branch=[(!node.children.is_empty()).then_some(&node.label)] {
            input type="checkbox" id=(id) name="node" value=(place_text);
            label for=(id) { (node.label) }
            @if !node.children.is_empty() {
                @let name = seen.texts.fill("hierarchies.apart", &[("label", &node.label)]);
                button.plain name="apart" value=(place_text) aria-label=(name) title=(name) { "×" }
                ul {
                    @for (index, child) in node.children.iter().enumerate() {
                        (branch(seen, child, &[place, &[index]].concat()))
                    }
                }
            }
        }
    }
}

/// Shows the rules that can make a tree.
fn rules(seen: &PageSources<'_>, column: &str) -> Markup {
    let draft = &seen.state.draft;
    let kind = draft.of_column(column, "type").and_then(Value::as_str).unwrap_or("text");
    let (rule, key) = match kind {
        "integer" | "number" => ("intervals", "hierarchies.intervals"),
        "date" => ("dates", "hierarchies.dates"),
        _ => ("prefixes", "hierarchies.prefixes"),
    };
    let own = draft
        .of_column(column, "hierarchy")
        .and_then(|own| own.get(rule))
        .and_then(Value::as_array)
        .map_or_else(String::new, |list| {
            let shown =
                list.iter().map(|one| one.as_str().map_or_else(|| one.to_string(), str::to_owned));
            shown.collect::<Vec<_>>().join(", ")
        });
    html! {
        form method="post" action="/hierarchies/edit" {
            (hidden(seen, column))
            fieldset {
                legend { (seen.t("hierarchies.by-rule")) }
                label for="widths" { (seen.t(key)) }
                input id="widths" name="widths" value=(own);
                input type="hidden" name="rule" value=(rule);
                button name="do" value="rule" { (seen.t("hierarchies.make")) }
            }
        }
    }
}

/// Shows the import and export of ARX's form.
fn file(seen: &PageSources<'_>, column: &str, has_tree: bool) -> Markup {
    let export = address(column).replace("/hierarchies/edit", "/hierarchies/export");
    html! {
        form method="post" action="/hierarchies/edit" {
            (hidden(seen, column))
            fieldset {
                legend { (seen.t("hierarchies.from-file")) }
                label for="lines" { (seen.t("hierarchies.lines")) }
                textarea.code id="lines" name="lines" rows="5" spellcheck="false" placeholder="France;Europe;*" {}
                label for="lines-file" { (seen.t("hierarchies.choose")) }
                input type="file" id="lines-file" accept=".csv,.txt" data-into="lines";
                button name="do" value="file" { (seen.t("hierarchies.take")) }
            }
        }
        @if has_tree { p { a href=(export) download { (seen.t("hierarchies.export")) } } }
    }
}

fn command(seen: &PageSources<'_>, column: &str, what: &str, words: &str) -> Markup {
    html! {
        form method="post" action="/hierarchies/edit" {
            (hidden(seen, column))
            button name="do" value=(what) { (words) }
        }
    }
}

fn hidden(seen: &PageSources<'_>, column: &str) -> Markup {
    html! { (seen.version()) input type="hidden" name="column" value=(column); }
}
