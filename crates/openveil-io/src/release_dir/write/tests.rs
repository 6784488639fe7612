use super::*;
use openveil_core::table::Secret;

#[test]
fn a_full_disk_is_said() {
    let full = Path::new("/dev/full");
    if !full.exists() {
        eprintln!("skipped: this system has no /dev/full to stand for a full disk");
        return;
    }
    let table = View::new(vec![], Secret::new("s", vec![0, 1], ["a", "b"])).unwrap();
    let groups = [vec![0, 1]].into_iter().collect();
    let (release, _) = openveil_core::release::publish(&table, &groups, Style::Generalize);
    let columns =
        TextColumns::new(&table, &release, (Style::Generalize, false), &[Shape::text("s")], 0);
    let mut coins = SecretCoins::from_test_seed(0);
    let plain = OutputFormat {
        format: Format::Csv,
        compression: Compression::Plain,
        spreadsheet_safe: true,
        delimiter: b',',
    };
    let mut write = |output| {
        let mut file = table_writer(full, output)?;
        file.append(&columns, &mut coins, &|_| {})?;
        file.finish()
    };
    for compression in [Compression::Plain, Compression::Gzip, Compression::Zstd] {
        let output = OutputFormat { compression, ..plain };
        let refused = write(output).unwrap_err().to_string();
        assert!(refused.contains("the disk is full"), "{refused}");
    }
    let parquet = OutputFormat { format: Format::Parquet, ..plain };
    let refused = write(parquet).unwrap_err().to_string();
    assert!(refused.contains("disk") || refused.contains("space"), "{refused}");
}
