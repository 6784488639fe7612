//! Runs the target that `OPENVEIL_TARGET` names under libFuzzer.

#![no_main]

use libfuzzer_sys::fuzz_target;
use openveil_fuzz::FuzzTarget;
use std::sync::LazyLock;

static TARGET: LazyLock<&'static FuzzTarget> = LazyLock::new(|| {
    // libFuzzer's hook treats every panic as a crash, but some panics become errors.
    let fatal = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !openveil_io::source::is_guarded() {
            fatal(panic);
        }
    }));
    let name = std::env::var("OPENVEIL_TARGET").unwrap_or_default();
    FuzzTarget::named(&name).expect("OPENVEIL_TARGET names a target")
});

fuzz_target!(|data: &[u8]| (TARGET.run)(data));
