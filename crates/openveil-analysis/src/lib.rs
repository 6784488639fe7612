//! Analyses a release, using the release alone.

mod basis;
mod bounds;
mod check;
mod curvature;
mod descent;
mod evidence;
mod figure;
mod fit;
mod hidden;
mod independence;
mod kinship;
mod learned;
mod likelihood;
mod model;
mod orders;
mod people;
mod posterior;
mod regression;
mod table;
mod worlds;

pub use bounds::bounds;
pub use check::{ColumnCheck, Verdict};
pub use evidence::{Evidence, Meaning, ShownCodes};
pub use figure::{CellNumbers, Figure, Method, Statistic};
pub use fit::Fit;
pub use independence::Independence;
pub use learned::{GivenBack, Learned, Link, given_back, learned};
pub use people::People;
pub use posterior::{Beliefs, RowPosterior};
pub use regression::{
    Coefficient, MOST_COEFFICIENTS, References, RegressionError, RegressionFit, ResponseKind, Term,
};
pub use table::{Ask, CellCounts};
pub use worlds::{Analysis, Estimated, Recipe};
