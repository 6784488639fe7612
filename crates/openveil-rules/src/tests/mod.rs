//! The paper's examples, and the real conclusions of a reader of several tables.

mod cross_check;
mod decomposing;
mod estimating;
mod fixtures;
mod inference;
mod row_order;
mod running_example;
mod schemas;
