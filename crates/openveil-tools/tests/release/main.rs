//! From a table to a release and back: readers find what was published.

mod formulas;
mod query;
mod read;
mod report;
mod written;
