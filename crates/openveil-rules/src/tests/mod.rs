//! The paper's examples, and what a reader of several tables really learns.

mod cross_check;
mod decomposing;
mod estimating;
mod fixtures;
mod inference;
mod row_order;
mod running_example;
mod schemas;
