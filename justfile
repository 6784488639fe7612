# Every task of this repository. `just --list` shows them.

# The bundled example, with its release shown.
example:
    cargo run --release -- publish examples/census/policy.toml

# All tests.
test:
    cargo test --workspace

# The packages for Python and R, installed and tested.
packages:
    cargo test --workspace --features openveil-python/package-test,openveil-r/package-test --test package

# Formatting, lints and documentation, as CI checks them.
check:
    cargo fmt --all -- --check
    cargo clippy --workspace --all-targets -- -D warnings
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

# What CI runs, on a bare machine.
ci:
    .ci/run

# What takes hours: kills, faults, fuzzing, a cluster, packages on clean systems.
nightly:
    .ci/nightly

# The pages of the documentation that are generated from the program.
docs:
    OPENVEIL_WRITE=1 cargo test -p openveil --test docs

# Hashes of releases with test seeds, to compare before and after a change.
net program="target/release/openveil":
    .ci/net {{program}}

# Times against their recorded ratios.
bench:
    cargo build --release -p openveil
    cargo run --release --manifest-path lab/Cargo.toml --bin openveil-lab -- bench speed --check

# Crates in the order in which they are published.
crates:
    packaging/crates package
