//! The research that Openveil rests on. Nothing of the engine knows it; the command offers its
//! algorithms beside the engine's ([`algorithm::all`]).
//!
//! * [`algorithm`]: the algorithms of the papers, and what others use, behind the engine's trait;
//! * [`disclosure`]: what refused groupings tell, and strategies that try groupings in turn;
//! * [`verify`]: the model checker, which enumerates small worlds completely and computes what a
//!   reader who knows everything but the coins may conclude. It checks the engine, too;
//! * [`attack`]: attacks on releases of real size.

pub mod algorithm;
pub mod attack;
pub mod disclosure;
pub mod verify;
