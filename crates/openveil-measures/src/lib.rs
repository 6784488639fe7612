//! Measures groups made by any method, from their rows alone: [`audit`] measures what they
//! disclose, [`utility`] how useful they remain.

pub mod audit;
pub mod utility;
