use super::InvalidModel;
use crate::exact::{Rational, text};
use num_traits::{One, Zero};
use openveil_text::{Text, text};

/// Reports which parameter of a model is out of range.
#[derive(Clone, Copy)]
pub(super) struct Range(pub(super) &'static str);

impl Range {
    pub(super) fn holds(
        self,
        parameter: &'static str,
        found: &impl ToString,
        holds: bool,
        expected: Text,
    ) -> Result<(), InvalidModel> {
        if holds {
            Ok(())
        } else {
            Err(InvalidModel::Parameter {
                model: self.0,
                parameter,
                found: found.to_string(),
                expected,
            })
        }
    }

    pub(super) fn at_least(
        self,
        parameter: &'static str,
        found: u32,
        least: u32,
    ) -> Result<(), InvalidModel> {
        let expected = match least {
            1 => text!("a whole number of at least 1"),
            _ => text!("a whole number of at least 2"),
        };
        self.holds(parameter, &found, found >= least, expected)
    }

    pub(super) fn positive(
        self,
        parameter: &'static str,
        found: &Rational,
    ) -> Result<(), InvalidModel> {
        self.holds(parameter, &text(*found), !found.is_zero(), text!("above 0"))
    }

    pub(super) fn proper(
        self,
        parameter: &'static str,
        found: &Rational,
    ) -> Result<(), InvalidModel> {
        let proper = !found.is_zero() && *found < Rational::one();
        self.holds(parameter, &text(*found), proper, text!("above 0 and below 1"))
    }
}
