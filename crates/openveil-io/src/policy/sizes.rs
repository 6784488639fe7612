//! The keys `smallest-group` and `class`: the fewest rows of a group and of a class.

use super::written::WrittenPolicy;
use crate::{Error, Location};
use openveil_core::algorithm::{Algorithm, Settings};
use openveil_core::model::{Parameters, Value};
use openveil_core::release::CLASS_SIZE;
use openveil_text::text;
use std::num::NonZeroU32;
use toml::Spanned;

impl WrittenPolicy<'_> {
    /// Returns the fewest rows of a group under [privacy], for an algorithm with this setting.
    pub(super) fn smallest_group(
        &self,
        privacy: Option<&Spanned<Parameters>>,
        algorithm: &dyn Algorithm,
    ) -> Result<Option<NonZeroU32>, Error> {
        const KEY: &str = "smallest-group";
        let Some(privacy) = privacy else {
            return Ok(None);
        };
        let Some(asked) = privacy.get_ref().get(KEY) else {
            return Ok(None);
        };
        let place = self.place_of(&privacy.span(), KEY);
        if !algorithm.profile().takes_smallest_group {
            let name = algorithm.name();
            let problem = text!("`{KEY}` under [privacy] has no effect on `{name}`");
            return Err(Error::new(place, problem).help("use `halving`, or leave it out"));
        }
        let rows = match asked {
            Value::Text(text) => text.parse().ok(),
            _ => None,
        };
        rows.map(Some).ok_or_else(|| {
            let problem = text!("`{KEY}` under [privacy] is not a number of rows");
            Error::new(place, problem)
                .help(text!("write a whole number from 1 on, such as {}", Settings::SMALLEST_GROUP))
        })
    }

    /// Returns the fewest rows of a class under [output], if it is given.
    pub(super) fn class(&self, asked: Option<&Spanned<i64>>) -> Result<Option<NonZeroU32>, Error> {
        let Some(asked) = asked else {
            return Ok(None);
        };
        let rows = u32::try_from(*asked.get_ref()).ok().and_then(NonZeroU32::new);
        rows.map(Some).ok_or_else(|| {
            let place: Location = self.start_of(&asked.span());
            let problem = text!("`class = {}` is not a number of rows", asked.get_ref());
            Error::new(place, problem)
                .help(text!("write a whole number from 1 on, such as {CLASS_SIZE}"))
        })
    }
}
