//! Measures of groups that anybody made, from their rows alone: [`audit`] finds what they give
//! away, [`utility`] what is left of use.

pub mod audit;
pub mod utility;
