//! The native part of the R package `openveil`: data frames come in and go out as Arrow arrays,
//! everything else as lists. Users see the functions in `r/R/`.

mod answer;
mod commands;
mod documents;
mod incoming;
mod outgoing;
mod policy;
mod release;

use extendr_api::prelude::*;

extendr_module! {
    mod openveil;
    use commands;
    use incoming;
    use policy;
    use release;
}
