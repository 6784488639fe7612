//! The macro `text!`: a template with the values that are filled in.
//!
//! Belongs here: which values a template takes. Does not: its names, and how fronts write them
//! (`openveil-text`).

mod template;

use proc_macro::TokenStream;
use syn::parse_macro_input;

/// Makes an `openveil_text::Text`; takes what `format!` takes. These are names in a template:
///
/// * an option or a call: `` `--odds 3` ``, `` `openveil compare --sample FILE` ``, and `--where`
///   without quotes;
/// * a setting: `` `missing = "keep"` ``, with its section `` `missing = "keep"` under [input] ``, or
///   `` `[ties] id = "hhid"` ``;
/// * a key of a section: `` `odds` under [reader] ``;
/// * a model: `` `model = "l-diversity"`, `l = 5` ``;
/// * a section: `[history]`, `[[rules]]`;
/// * a role: role `` `drop` ``.
///
/// Placeholders are filled in later, so that a value is never taken for a name; a name may hold some:
/// `` `--{option}` ``. `{message:text}` fills in another message with its names.
#[proc_macro]
pub fn text(input: TokenStream) -> TokenStream {
    let filled = parse_macro_input!(input as template::Filled);
    filled.expression().unwrap_or_else(syn::Error::into_compile_error).into()
}
