//! The research on which Openveil rests. The engine does not depend on it; the command offers its
//! algorithms beside the engine's ([`algorithm::all`]).
//!
//! * [`algorithm`]: the algorithms of the papers, and algorithms in common use, behind the engine's
//!   trait;
//! * [`disclosure`]: what refused groupings disclose, and strategies that try groupings in turn;
//! * [`verify`]: the model checker, which enumerates small worlds completely and computes the
//!   conclusions of a reader who knows everything but the coins. It checks the engine, too;
//! * [`attack`]: attacks on releases of real size.

pub mod algorithm;
pub mod attack;
pub mod disclosure;
pub mod verify;
