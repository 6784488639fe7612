//! Admits only the one browser that used the one-time link, and only requests from the server's own
//! pages.
//!
//! * Only requests to the server's own address (`Host`) are answered. Another name that points to
//!   the loopback address (DNS rebinding) is refused.
//! * The link contains a token that works once. It becomes a cookie that the browser sends only
//!   with requests from the server's own pages (`SameSite=Strict`), and shows to no script. Another
//!   browser that enters later locks out the earlier one.
//! * All pages are below a path that nobody can guess, and the cookie is sent only to that path.
//!   Cookies do not distinguish ports, so another server on the machine would get them otherwise.
//! * Requests that change anything have to come from a page of the server (`Origin`).
//! * Requests from other sites (`Sec-Fetch-Site`) are refused, whatever they know.

use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, COOKIE, HOST, LOCATION, ORIGIN, REFERRER_POLICY,
    SET_COOKIE, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use rand::TryRng;
use rand::rngs::SysRng;
use sha2::{Digest, Sha256};
use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

/// The path that accepts the token.
const WAY_IN: &str = "/enter";

/// Pages load nothing from elsewhere, run only the server's script, and cannot be framed.
pub(super) const OWN_PAGES: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// A report is a standalone document: it runs no script, and loads and sends nothing.
pub(super) const REPORTS: &str =
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'";

/// Decides about requests.
#[derive(Debug)]
pub(super) struct RequestGuard {
    host: String,
    cookie: String,
    /// The beginning of all addresses: a slash and a secret.
    prefix: String,
    /// The content of the browser's cookie; none before a browser has entered.
    secret: Mutex<Option<String>>,
    /// The token of the link, which works once.
    token: Mutex<Option<String>>,
}

/// Decision about a request.
enum Decision {
    /// The request is answered, as a request for this path.
    Answer(Uri),
    /// The token was right: the browser gets its cookie.
    Enter,
    /// The request is refused.
    Refuse(StatusCode, &'static str),
}

impl RequestGuard {
    pub(super) fn new(address: SocketAddr) -> Self {
        Self {
            host: address.to_string(),
            cookie: format!("openveil-{}", address.port()),
            prefix: format!("/{}", &secret()[..32]),
            secret: Mutex::default(),
            token: Mutex::default(),
        }
    }

    /// Returns the beginning of all addresses of pages.
    pub(super) fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Returns a new link, which works once; the previous link no longer works.
    pub(super) fn way_in(&self) -> String {
        let token = secret();
        let address = format!("http://{}{WAY_IN}?token={token}", self.host);
        *self.token.lock().unwrap_or_else(PoisonError::into_inner) = Some(token);
        address
    }

    /// Passes on an admitted request, for the path without the prefix; else returns the answer. The
    /// answer that comes back has to be [finished](Self::finish).
    pub(super) fn admit(&self, mut request: Request) -> ControlFlow<Response, Request> {
        match self.decide(&request) {
            Decision::Answer(path) => {
                *request.uri_mut() = path;
                ControlFlow::Continue(request)
            }
            Decision::Enter => ControlFlow::Break(self.enter()),
            Decision::Refuse(status, why) => ControlFlow::Break((status, why).into_response()),
        }
    }

    /// Completes an answer: adds the prefix to its addresses, and the security headers.
    pub(super) fn finish(&self, mut response: Response) -> Response {
        let headers = response.headers_mut();
        let leads = headers.get(LOCATION).and_then(|to| to.to_str().ok());
        let full = leads
            .filter(|to| to.starts_with('/'))
            .and_then(|to| format!("{}{to}", self.prefix).parse().ok());
        if let Some(full) = full {
            headers.insert(LOCATION, full);
        }
        harden(headers);
        response
    }

    fn decide(&self, request: &Request) -> Decision {
        let headers = request.headers();
        if only(headers, HOST) != Some(&self.host) {
            return Decision::Refuse(StatusCode::MISDIRECTED_REQUEST, WRONG_HOST);
        }
        let from = only(headers, SEC_FETCH_SITE);
        if headers.contains_key(SEC_FETCH_SITE)
            && !from.is_some_and(|from| ["same-origin", "none"].contains(&from))
        {
            return Decision::Refuse(StatusCode::FORBIDDEN, OTHER_SITE);
        }
        let reads = [Method::GET, Method::HEAD].contains(request.method());
        let own = format!("http://{}", self.host);
        let says_origin = headers.contains_key(ORIGIN);
        if (says_origin || !reads) && only(headers, ORIGIN) != Some(&own) {
            return Decision::Refuse(StatusCode::FORBIDDEN, OTHER_SITE);
        }
        let uri = request.uri();
        let asked = uri.query().and_then(|query| query.strip_prefix("token="));
        if uri.path() == WAY_IN && request.method() == Method::GET {
            return if asked.is_some_and(|asked| self.take(asked)) {
                Decision::Enter
            } else {
                Decision::Refuse(StatusCode::UNAUTHORIZED, NO_WAY_IN)
            };
        }
        let path = uri.path_and_query().map_or("", |path| path.as_str());
        let inside = path
            .strip_prefix(&self.prefix)
            .filter(|path| path.starts_with('/'))
            .filter(|_| self.is_known(headers));
        match inside.and_then(|path| path.parse().ok()) {
            Some(path) => Decision::Answer(path),
            None => Decision::Refuse(StatusCode::UNAUTHORIZED, NO_WAY_IN),
        }
    }

    /// Whether a request has the cookie.
    fn is_known(&self, headers: &HeaderMap) -> bool {
        let secret = self.secret.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(secret) = secret.as_deref() else {
            return false;
        };
        headers
            .get_all(COOKIE)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(';'))
            .any(|pair| match pair.trim().split_once('=') {
                Some((name, value)) => name == self.cookie && is_same(value, secret),
                None => false,
            })
    }

    /// Uses up the token, if the request has it.
    fn take(&self, asked: &str) -> bool {
        let mut token = self.token.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = token.as_deref().is_some_and(|own| is_same(asked, own));
        if is_it {
            *token = None;
        }
        is_it
    }

    /// Lets this browser in, and locks out every other one.
    fn enter(&self) -> Response {
        let (name, prefix, own) = (&self.cookie, &self.prefix, secret());
        let cookie = format!("{name}={own}; Path={prefix}/; HttpOnly; SameSite=Strict");
        *self.secret.lock().unwrap_or_else(PoisonError::into_inner) = Some(own);
        let headers = [(SET_COOKIE, cookie.as_str()), (LOCATION, "/")];
        (StatusCode::SEE_OTHER, headers, Body::empty()).into_response()
    }
}

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const WRONG_HOST: &str = "This is not the address of this page.\n";
const OTHER_SITE: &str = "Another page asked for this.\n";
const NO_WAY_IN: &str =
    "Open the address that the terminal shows. It works once: press Enter there for a new one.\n";

/// Adds the headers of every answer, unless it has stricter ones.
fn harden(headers: &mut HeaderMap) {
    let fixed = |text| HeaderValue::from_static(text);
    headers.entry(CONTENT_SECURITY_POLICY).or_insert(fixed(OWN_PAGES));
    headers.entry(CACHE_CONTROL).or_insert(fixed("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, fixed("nosniff"));
    // With `no-referrer`, forms would be sent without their origin.
    headers.insert(REFERRER_POLICY, fixed("same-origin"));
    for (name, value) in [
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("x-frame-options", "DENY"),
        ("permissions-policy", "camera=(), microphone=(), geolocation=()"),
    ] {
        headers.insert(HeaderName::from_static(name), fixed(value));
    }
}

/// Returns a header that occurs exactly once.
fn only(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    values.next().filter(|_| values.next().is_none())?.to_str().ok()
}

/// Compares hashes, so that the time does not disclose where two texts differ.
fn is_same(one: &str, other: &str) -> bool {
    Sha256::digest(one) == Sha256::digest(other)
}

/// Returns 256 random bits from the operating system.
fn secret() -> String {
    let mut bytes = [0u8; 32];
    SysRng.try_fill_bytes(&mut bytes).expect("the operating system has coins");
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
