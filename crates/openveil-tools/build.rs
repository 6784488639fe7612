//! Tells tests whether the data that may not be committed are available: in a folder named by the
//! variable `OPENVEIL_DATA`. Without it these tests are listed as ignored, with the reason.

fn main() {
    println!("cargo::rustc-check-cfg=cfg(openveil_data)");
    println!("cargo::rerun-if-env-changed=OPENVEIL_DATA");
    let folder = std::env::var_os("OPENVEIL_DATA");
    if folder.is_some_and(|folder| std::path::Path::new(&folder).is_dir()) {
        println!("cargo::rustc-cfg=openveil_data");
    }
}
