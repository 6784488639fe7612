//! Files for tests.

use std::path::Path;

/// Writes a Parquet file with columns of a text, of days, of milliseconds and of 96 bits, and a
/// nested one.
pub fn odd_parquet(path: &Path, days: [i32; 2], text: [&str; 2]) {
    use ::parquet::data_type::{ByteArray, ByteArrayType, Int32Type, Int64Type, Int96, Int96Type};
    use ::parquet::file::writer::SerializedFileWriter;
    use ::parquet::schema::parser::parse_message_type;
    let schema = "message t {
        required binary word (STRING);
        required int32 born (DATE);
        required int64 seen (TIMESTAMP(MILLIS, true));
        required int96 stamp;
        repeated int32 visits;
    }";
    let schema = std::sync::Arc::new(parse_message_type(schema).unwrap());
    let file = std::fs::File::create(path).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema, Default::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    macro_rules! column {
        ($type:ty, $values:expr, $levels:expr) => {
            let mut column = group.next_column().unwrap().unwrap();
            let typed = column.typed::<$type>();
            typed.write_batch($values, $levels, $levels).unwrap();
            column.close().unwrap();
        };
    }
    column!(ByteArrayType, &text.map(ByteArray::from), None);
    column!(Int32Type, &days, None);
    column!(Int64Type, &[i64::MAX, i64::MIN], None);
    column!(Int96Type, &[Int96::new(), Int96::new()], None);
    column!(Int32Type, &[], Some(&[0, 0]));
    group.close().unwrap();
    writer.close().unwrap();
}
