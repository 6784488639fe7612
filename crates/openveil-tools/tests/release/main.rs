//! From a table to a release and back: what is published is what readers find.

mod formulas;
mod query;
mod read;
mod report;
mod written;
