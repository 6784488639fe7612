//! The key `protect = "each"`: several sensitive columns, each protected by itself.

use super::ColumnPolicy;
use super::document::Role;
use super::written::WrittenPolicy;
use crate::{Error, Location};
use openveil_core::model::{Model, Parameters, RatioDiversity, Value};
use openveil_text::{Text, text};
use std::collections::BTreeMap;

/// The largest number of sensitive columns.
const MOST: usize = 8;

/// Several sensitive columns, each protected by itself.
#[derive(Debug, Clone)]
pub struct EachPolicy {
    /// The l of each column, by column.
    pub l: BTreeMap<String, u32>,
    /// Whether a row shows the values of the columns together.
    pub linked: bool,
}

impl WrittenPolicy<'_> {
    /// Reads the keys `protect` and `link`, and the l of each column; the least of them is the l of
    /// the model. [`Extra`](super::Extra) states which settings can be combined with them.
    pub(super) fn each(
        &self,
        section: Option<&Parameters>,
        place: &Location,
        own_l: &BTreeMap<String, u32>,
        columns: &BTreeMap<String, ColumnPolicy>,
        model: &mut Model,
    ) -> Result<Option<EachPolicy>, Error> {
        let refuse = |problem: Text, help: Text| Err(Error::new(place.clone(), problem).help(help));
        let get = |key: &str| section.and_then(|section| section.get(key));
        match get("protect") {
            Some(Value::Text(word)) if word == "each" => {}
            Some(_) => {
                return refuse(
                    text!("`protect` under [privacy] is not \"each\""),
                    text!("set `protect = \"each\"`, or leave it out"),
                );
            }
            None if get("link").is_some() => {
                return refuse(
                    text!(
                        "`link` under [privacy] works only where several columns are each protected"
                    ),
                    text!("set `protect = \"each\"`, or leave it out"),
                );
            }
            None => {
                return match own_l.keys().next() {
                    None => Ok(None),
                    Some(name) => Err(Error::new(
                        place.clone().column(name),
                        "has its own `l`, which works only where several columns are each protected",
                    )
                    .help(text!("set `protect = \"each\"` under [privacy], or set `l` there"))),
                };
            }
        }
        let linked = match get("link") {
            None => false,
            Some(Value::Text(word)) if ["true", "false"].contains(&&**word) => word == "true",
            Some(_) => {
                return refuse(
                    text!("`link` under [privacy] is neither true nor false"),
                    text!("set `link = true` if rows may show which values belong together"),
                );
            }
        };
        let secret: Vec<&String> = columns
            .iter()
            .filter(|(_, column)| column.role == Role::Sensitive)
            .map(|(name, _)| name)
            .collect();
        match secret.len() {
            0 | 1 => {
                return refuse(
                    text!(
                        "`protect = \"each\"` needs several sensitive columns, and the policy has at most one"
                    ),
                    text!("give another column `role = \"sensitive\"`, or leave `protect` out"),
                );
            }
            several if several > MOST => {
                return refuse(
                    text!(
                        "{several} columns are sensitive, and `protect = \"each\"` allows at most {MOST}"
                    ),
                    text!("give some of them the role `drop`"),
                );
            }
            _ => {}
        }
        // Other models are refused by [`Extra`](super::Extra).
        let Some(asked) = model.ratio() else {
            return Ok(Some(EachPolicy { l: BTreeMap::new(), linked }));
        };
        let l: BTreeMap<String, u32> = secret
            .into_iter()
            .map(|name| (name.clone(), own_l.get(name).copied().unwrap_or(asked.l())))
            .collect();
        let least = *l.values().min().expect("there are two at least");
        *model = RatioDiversity::new(least)
            .map_err(|cause| Error::new(place.clone(), cause.in_words()))?
            .into();
        Ok(Some(EachPolicy { l, linked }))
    }
}
