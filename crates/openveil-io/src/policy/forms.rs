//! How each column is published: by the policy's style, or in a form of its own.

use super::ColumnPolicy;
use super::document::{ColumnSection, OutputSection, Role};
use super::rules::Rules;
use super::written::WrittenPolicy;
use crate::spelling;
use crate::{Error, Location};
use openveil_core::model::{Model, Requirement};
use openveil_core::release::Style;
use openveil_core::table::Form;
use openveil_text::{Text, text};
use std::collections::BTreeMap;
use std::ops::Range;
use toml::Spanned;

/// Keys of a column's section about its publication.
#[derive(Debug, Default)]
pub(super) struct Wish {
    publish: Option<Spanned<String>>,
    cells: Option<Spanned<String>>,
    label: Option<Spanned<bool>>,
}

impl Wish {
    /// Takes the keys out of the section.
    pub(super) fn take(section: &mut ColumnSection) -> Self {
        Self {
            publish: section.publish.take(),
            cells: section.cells.take(),
            label: section.lowest_common_ancestor.take(),
        }
    }

    /// Returns the first key that is given, and where it stands.
    fn first(&self) -> Option<(&'static str, Range<usize>)> {
        let publish = self.publish.as_ref().map(|said| ("publish", said.span()));
        let cells = self.cells.as_ref().map(|said| ("cells", said.span()));
        let label = self.label.as_ref().map(|said| ("lowest-common-ancestor", said.span()));
        publish.or(cells).or(label)
    }
}

/// Sets the form of every column.
pub(super) struct Forms<'a> {
    pub(super) check: &'a WrittenPolicy<'a>,
    pub(super) style: Style,
    pub(super) rules: Option<&'a Rules>,
}

impl Forms<'_> {
    /// Applies the keys of the columns, and `cells` under [output].
    pub(super) fn apply(
        &self,
        columns: &mut BTreeMap<String, ColumnPolicy>,
        wishes: BTreeMap<String, Wish>,
        output: &OutputSection,
    ) -> Result<(), Error> {
        for (name, wish) in wishes {
            let column = columns.get_mut(&name).expect("every section is a column");
            self.column(&name, column, &wish)?;
        }
        let Some(cells) = &output.cells else {
            return Ok(());
        };
        if !self.is_bounds(cells)? {
            return Ok(());
        }
        let mut able = columns.values_mut().filter(|column| self.refusal(column).is_none());
        let mut any = false;
        able.by_ref().for_each(|column| {
            column.bounds = true;
            any = true;
        });
        if any {
            return Ok(());
        }
        let problem = text!(
            "`cells = \"bounds\"` has no effect: no column is published as intervals of numbers or dates"
        );
        let help = "remove it; sets of texts and labels of a hierarchy have no bounds, and exact values need none";
        Err(Error::new(self.check.start_of(&cells.span()), problem).help(help))
    }

    fn column(&self, name: &str, column: &mut ColumnPolicy, wish: &Wish) -> Result<(), Error> {
        let Some((key, span)) = wish.first() else {
            return Ok(());
        };
        if let Some((problem, help)) = self.fixed(name, column) {
            let problem = text!("{problem:text}: `{key}` is for known columns");
            return Err(self.error(name, &span, problem).help(help));
        }
        if let Some(publish) = &wish.publish {
            column.form = Some(match publish.get_ref().as_str() {
                "range" => Form::Range,
                "values" => Form::Values,
                other => {
                    let error = spelling::unknown("form", other, &["range", "values"]);
                    return Err(error.at_place(self.place(name, &publish.span())));
                }
            });
        }
        if let Some(label) = wish.label.as_ref().filter(|label| *label.get_ref()) {
            let refuse = |problem: Text, help: Text| {
                let problem =
                    text!("{problem:text}, so there is no lowest common ancestor to show");
                Err(self.error(name, &label.span(), problem).help(help))
            };
            if column.hierarchy.is_none() {
                return refuse(
                    text!("has no `hierarchy`"),
                    text!("remove `lowest-common-ancestor`"),
                );
            }
            if !self.is_range(column) {
                return refuse(text!("is published by value"), Text::from(BY_VALUE));
            }
            column.form = Some(Form::Label);
        }
        match &wish.cells {
            Some(cells) if self.is_bounds(cells)? => match self.refusal(column) {
                None => {
                    column.bounds = true;
                    Ok(())
                }
                Some((problem, help)) => {
                    let problem = text!(
                        "{problem:text}: `cells = \"bounds\"` needs intervals of numbers or dates"
                    );
                    Err(self.error(name, &cells.span(), problem).help(help))
                }
            },
            _ => Ok(()),
        }
    }

    /// Returns why a column's form cannot be chosen, and the remedy.
    fn fixed(&self, name: &str, column: &ColumnPolicy) -> Option<(Text, Text)> {
        match column.role {
            Role::Sensitive => Some((
                text!("is sensitive, and its values are published group by group in every style"),
                text!("remove the key; `prefix`, `bins` and `quantiles` coarsen sensitive values"),
            )),
            Role::Attribute
                if self.rules.is_some_and(|rules| {
                    rules
                        .rules
                        .iter()
                        .any(|rule| rule.protect.iter().any(|protected| protected == name))
                }) =>
            {
                Some((
                    text!(
                        "is protected by a rule, and its values are published group by group in every style"
                    ),
                    text!("remove the key; `prefix`, `bins` and `quantiles` coarsen its values"),
                ))
            }
            Role::Other => Some((
                text!("has the role `other`, whose columns are published by value in every style"),
                text!("remove the key, or set `role = \"quasi-identifier\"`"),
            )),
            Role::Identifier | Role::Drop | Role::Undecided => Some((
                text!("is not published"),
                text!("remove the key, or give the column another role"),
            )),
            Role::QuasiIdentifier | Role::Attribute => None,
        }
    }

    /// Returns why a column cannot show bounds, and the remedy.
    fn refusal(&self, column: &ColumnPolicy) -> Option<(Text, Text)> {
        let known = matches!(column.role, Role::QuasiIdentifier | Role::Attribute);
        if !known {
            return Some((text!("is not known"), text!("remove `cells`")));
        }
        if !self.is_range(column) {
            return Some((text!("is published by value"), BY_VALUE.into()));
        }
        if column.hierarchy.is_some() {
            let help = text!("remove `cells`, or the `hierarchy`");
            return Some((text!("has a `hierarchy`, whose labels are its cells"), help));
        }
        if !column.published_type().is_ordered() {
            let help = text!(
                "remove `cells`; if the values are numbers or dates, set `type = \"integer\"`, `\"number\"` or `\"date\"`"
            );
            return Some((text!("contains text"), help));
        }
        None
    }

    fn is_range(&self, column: &ColumnPolicy) -> bool {
        self.style.is_range(column.form)
    }

    fn is_bounds(&self, cells: &Spanned<String>) -> Result<bool, Error> {
        match cells.get_ref().as_str() {
            "text" => Ok(false),
            "bounds" => Ok(true),
            other => {
                let error = spelling::unknown("kind of cells", other, &["text", "bounds"]);
                Err(error.at_place(self.check.start_of(&cells.span())))
            }
        }
    }

    fn place(&self, name: &str, span: &Range<usize>) -> Location {
        self.check.start_of(span).column(name)
    }

    fn error(&self, name: &str, span: &Range<usize>, problem: impl Into<Text>) -> Error {
        Error::new(self.place(name, span), problem)
    }

    /// Refuses a form that does not fit the model: a model about rows that look alike needs cells
    /// that several people share.
    pub(super) fn fits(
        &self,
        model: &Model,
        columns: &BTreeMap<String, ColumnPolicy>,
        place: Location,
    ) -> Result<(), Error> {
        let mut requirements = model.requirements().iter();
        let Some(alike) = requirements.find(|requirement| needs_alike(requirement)) else {
            return Ok(());
        };
        let columns: Vec<_> = columns.iter().collect();
        let mut exact = columns
            .iter()
            .filter(|column| matches!(column.1.role, Role::QuasiIdentifier | Role::Attribute));
        match exact.find(|(_, column)| !self.is_range(column)) {
            None => Ok(()),
            Some((name, _)) => {
                let problem = text!(
                    "{} needs rows that look alike, but `{name}` is published by value",
                    alike.name()
                );
                let help = text!(
                    "set `style = \"generalize\"` under [output] without `publish = \"values\"`, or choose a model about values, such as l-diversity"
                );
                Err(Error::new(place, problem).help(help))
            }
        }
    }
}

const BY_VALUE: &str = "remove it, or set `publish = \"range\"` for the column";

/// Returns whether a model's definition is about people whose known columns look alike.
fn needs_alike(requirement: &Requirement) -> bool {
    match requirement {
        Requirement::KAnonymity(model) => model.k > 1,
        Requirement::AlphaK(model) => model.k > 1,
        Requirement::PSensitive(model) => model.k > 1,
        _ => false,
    }
}
