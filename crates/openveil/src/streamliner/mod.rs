//! stub
use crate::{
    Error,
    coins::Coins,
    privacy::RatioDiversity,
    table::{Groups, Table},
};
/// RIA
pub fn ria(_t: &Table, _m: RatioDiversity, _c: &mut dyn Coins) -> Result<Groups, Error> {
    Err(Error::EmptyTable)
}
/// RDA
pub fn rda(_t: &Table, _m: RatioDiversity, _c: &mut dyn Coins) -> Result<Groups, Error> {
    Err(Error::EmptyTable)
}
/// RDA
pub fn rda_file_order(_t: &Table, _m: RatioDiversity) -> Result<Groups, Error> {
    Err(Error::EmptyTable)
}
/// GDA
pub fn gda(_t: &Table, _m: RatioDiversity) -> Result<Groups, Error> {
    Err(Error::EmptyTable)
}
