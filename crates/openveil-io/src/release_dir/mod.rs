//! Release folders: written complete or not at all, and read back.

pub mod read;
pub mod write;

/// What a release is described in.
const MANIFEST: &str = "manifest.json";

/// What of the owner's survives another release: a look at the true values.
pub(crate) const RECORD_FILE: &str = "true-values.json";

/// Whether the file of a table can have this name: `release.csv`,
/// `table-2-values.parquet`. Others are neither read nor replaced.
fn is_table_file(name: &str) -> bool {
    let endings = [".csv", ".csv.gz", ".csv.zst", ".parquet"];
    let stem = endings.iter().find_map(|ending| name.strip_suffix(ending));
    let stem = stem.map(|stem| stem.strip_suffix("-values").unwrap_or(stem));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    stem.is_some_and(|stem| stem == "release" || stem.strip_prefix("table-").is_some_and(is_number))
}
