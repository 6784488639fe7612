//! A form that a browser sends.

use axum::extract::{FromRequest, Request};
use axum::response::Response;
use std::borrow::Cow;

/// The fields of a form, in their order; several may have one name.
#[derive(Debug, Clone, Default)]
pub(super) struct FormFields(Vec<(String, String)>);

impl FormFields {
    pub(super) fn read(text: &str) -> Self {
        let pairs = form_urlencoded::parse(text.as_bytes());
        // Browsers send every line break as two characters, also in a column's name.
        let plain = |value: Cow<'_, str>| value.replace("\r\n", "\n");
        Self(pairs.map(|(name, value)| (plain(name), plain(value))).collect())
    }

    /// Returns the first field with a name.
    pub(super) fn one(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// Like [`Self::one`], but returns None for an empty field.
    pub(super) fn some(&self, name: &str) -> Option<&str> {
        self.one(name).map(str::trim).filter(|value| !value.is_empty())
    }

    /// Returns all fields with a name.
    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// Returns all fields, names with values.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Returns the names in a list separated by commas.
    pub(super) fn listed(&self, name: &str) -> Vec<String> {
        self.one(name)
            .unwrap_or_default()
            .split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .map(str::to_owned)
            .collect()
    }
}

impl<S: Send + Sync> FromRequest<S> for FormFields {
    type Rejection = Response;

    async fn from_request(request: Request, state: &S) -> Result<Self, Response> {
        let body = String::from_request(request, state)
            .await
            .map_err(axum::response::IntoResponse::into_response)?;
        Ok(Self::read(&body))
    }
}

#[cfg(test)]
mod tests {
    use super::FormFields;

    #[test]
    fn names_may_repeat() {
        let form = FormFields::read("a=1&b=x+y&a=%C3%A4&c=&l=2,+3,");
        assert_eq!(form.all("a").collect::<Vec<_>>(), ["1", "ä"]);
        assert_eq!((form.one("b"), form.some("c")), (Some("x y"), None));
        assert_eq!(form.listed("l"), ["2", "3"]);
    }
}
