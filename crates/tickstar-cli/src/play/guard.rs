//! Who may ask for what: the names of the server, its token, and what browsers are told to refuse.
//!
//! The server is for pages that it has served itself. Any other page in the same browser can reach the address, so
//! each of these is refused: a request for another name (a domain that was rebound to this address), one that another
//! page has sent (its origin), and a session without the token, which only who started the server has been told.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use subtle::ConstantTimeEq;

/// A secret that is made anew for each server: 128 bits from the operating system, in hexadecimal.
pub struct Token(String);

impl Token {
    pub fn new() -> Result<Token, getrandom::Error> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)?;
        Ok(Token(format!("{:032x}", u128::from_be_bytes(bytes))))
    }

    pub fn text(&self) -> &str {
        &self.0
    }

    /// Whether the address of a request has it. How long the comparison takes tells nothing.
    fn is_in(&self, uri: &Uri) -> bool {
        let mut pairs = uri.query().unwrap_or_default().split('&');
        let given = pairs.find_map(|pair| pair.strip_prefix("token="));
        given.is_some_and(|given| bool::from(given.as_bytes().ct_eq(self.0.as_bytes())))
    }
}

/// Why a request is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    Host,
    Origin,
    Token,
    Method,
    Path,
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let (status, reason) = match self {
            Refusal::Host => (StatusCode::FORBIDDEN, "This is not a name of this server.\n"),
            Refusal::Origin => {
                (StatusCode::FORBIDDEN, "Only pages of this server may ask it for anything.\n")
            }
            Refusal::Token => (
                StatusCode::FORBIDDEN,
                "The token is missing or wrong: open the address that `tickstar play` has printed.\n",
            ),
            Refusal::Method => {
                let allowed = [(header::ALLOW, "GET, HEAD")];
                let reason = "Only GET and HEAD are answered.\n";
                return (StatusCode::METHOD_NOT_ALLOWED, allowed, reason).into_response();
            }
            Refusal::Path => (StatusCode::NOT_FOUND, "There is nothing at this address.\n"),
        };
        (status, reason).into_response()
    }
}

/// What the server is called, and its secret.
pub struct Guard {
    port: u16,
    /// In lower case, and without the port.
    names: Vec<String>,
    /// Whether it listens on all addresses of this machine. Any number is then a name of it, as no domain can be
    /// rebound to it with a number in the request.
    any_number: bool,
    token: Token,
}

impl Guard {
    /// Of a server that listens there, and was asked to by this name.
    pub fn new(address: SocketAddr, name: Option<&str>, token: Token) -> Guard {
        let own = match address.ip() {
            IpAddr::V4(ip) => ip.to_string(),
            IpAddr::V6(ip) => format!("[{ip}]"),
        };
        let usual = ["127.0.0.1", "localhost", "[::1]"].map(str::to_string);
        let names = usual.into_iter().chain([own]).chain(name.map(str::to_lowercase));
        Guard {
            port: address.port(),
            names: names.collect(),
            any_number: address.ip().is_unspecified(),
            token,
        }
    }

    /// Refuses requests that no page of this server sends.
    pub fn admit(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
        let host = self.host(uri, headers).ok_or(Refusal::Host)?;
        if headers.contains_key(header::ORIGIN) && !is_origin(headers, host) {
            return Err(Refusal::Origin);
        }
        if method != Method::GET && method != Method::HEAD {
            return Err(Refusal::Method);
        }
        Ok(())
    }

    /// Refuses a request without the token.
    pub fn admit_token(&self, uri: &Uri) -> Result<(), Refusal> {
        if self.token.is_in(uri) { Ok(()) } else { Err(Refusal::Token) }
    }

    /// Refuses a session that was not asked for by a page of this server. Browsers name the origin of each.
    pub fn admit_session(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
        let host = self.host(uri, headers).ok_or(Refusal::Host)?;
        if !is_origin(headers, host) {
            return Err(Refusal::Origin);
        }
        self.admit_token(uri)
    }

    /// The name by which a request calls this server, with the port; none if it means another one.
    pub fn host<'h>(&self, uri: &Uri, headers: &'h HeaderMap) -> Option<&'h str> {
        let host = only(headers, header::HOST)?;
        // A request may name the server twice.
        let others = uri.authority().map(Authority::as_str);
        [host].into_iter().chain(others).all(|host| self.is_called(host)).then_some(host)
    }

    fn is_called(&self, host: &str) -> bool {
        let host = host.to_lowercase();
        let port = format!(":{}", self.port);
        // Browsers leave out the port of the web.
        let name = host.strip_suffix(&port).or((self.port == 80).then_some(host.as_str()));
        name.is_some_and(|name| {
            self.names.iter().any(|known| known == name) || self.any_number && is_number(name)
        })
    }
}

/// The value of a header that is there once.
fn only(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

/// Whether the request comes from a page of the server that it calls so.
fn is_origin(headers: &HeaderMap, host: &str) -> bool {
    let origin = only(headers, header::ORIGIN).and_then(|origin| origin.strip_prefix("http://"));
    origin.is_some_and(|origin| origin.eq_ignore_ascii_case(host))
}

/// Whether this is the address of a machine, not a name.
fn is_number(name: &str) -> bool {
    let six = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    name.parse::<Ipv4Addr>().is_ok() || six.is_some_and(|six| six.parse::<Ipv6Addr>().is_ok())
}

/// What every answer tells the browser: nothing is fetched from elsewhere, nothing is shown or read by other pages,
/// nothing is kept, and the address with the token is told to nobody.
pub fn secure(headers: &mut HeaderMap, host: Option<&str>) {
    // Some browsers do not count the sessions of a page as its own.
    let sessions = host.map_or(String::new(), |host| format!(" ws://{host}"));
    let policy = format!(
        "default-src 'self'; connect-src 'self'{sessions}; img-src 'self' blob: data:; object-src 'none'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard(address: &str, name: Option<&str>) -> Guard {
        Guard::new(address.parse().unwrap(), name, Token("0123456789abcdef".into()))
    }

    fn headers(pairs: &[(HeaderName, &'static str)]) -> HeaderMap {
        let pairs =
            pairs.iter().map(|(name, value)| (name.clone(), HeaderValue::from_static(value)));
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(name, value);
        }
        headers
    }

    fn is_called(guard: &Guard, host: &'static str) -> bool {
        let uri = Uri::from_static("/");
        guard.admit(&Method::GET, &uri, &headers(&[(header::HOST, host)])).is_ok()
    }

    #[test]
    fn only_names_of_the_server_are_answered() {
        let usual = guard("127.0.0.1:7878", None);
        for host in ["127.0.0.1:7878", "localhost:7878", "LocalHost:7878", "[::1]:7878"] {
            assert!(is_called(&usual, host), "{host}");
        }
        for host in [
            "",
            ":7878",
            "127.0.0.1",
            "127.0.0.1:787",
            "127.0.0.1:78780",
            "127.0.0.1:07878",
            "localhost",
            "evil.example:7878",
            "localhost.evil.example:7878",
            "127.0.0.1.evil.example:7878",
            "192.168.1.2:7878",
            "0.0.0.0:7878",
            "x@127.0.0.1:7878",
            "127.0.0.1:7878 ",
            "127.1:7878",
            "localhost.:7878",
        ] {
            assert!(!is_called(&usual, host), "{host}");
        }
        let named = guard("192.168.1.2:80", Some("Tower"));
        assert!(is_called(&named, "tower") && is_called(&named, "tower:80"));
        assert!(is_called(&named, "192.168.1.2") && !is_called(&named, "192.168.1.3"));
        let all = guard("0.0.0.0:7878", None);
        assert!(is_called(&all, "192.168.1.2:7878") && is_called(&all, "[fe80::1]:7878"));
        assert!(!is_called(&all, "evil.example:7878") && !is_called(&all, "[evil.example]:7878"));
    }

    #[test]
    fn a_request_names_the_server_once_and_not_another_one() {
        let guard = guard("127.0.0.1:7878", None);
        let host = (header::HOST, "127.0.0.1:7878");
        let admit = |uri: &'static str, pairs: &[_]| {
            guard.admit(&Method::GET, &Uri::from_static(uri), &headers(pairs))
        };
        assert_eq!(admit("/", &[]), Err(Refusal::Host));
        assert_eq!(admit("/", &[host.clone(), host.clone()]), Err(Refusal::Host));
        assert_eq!(admit("http://evil.example/", std::slice::from_ref(&host)), Err(Refusal::Host));
        assert_eq!(admit("http://127.0.0.1:7878/", &[host]), Ok(()));
    }

    #[test]
    fn only_own_pages_may_ask() {
        let guard = guard("127.0.0.1:7878", None);
        let uri = Uri::from_static("/stage?token=0123456789abcdef");
        let ask = |origins: &[&'static str]| {
            let host = [(header::HOST, "127.0.0.1:7878")].into_iter();
            let origins = origins.iter().map(|origin| (header::ORIGIN, *origin));
            let headers = headers(&host.chain(origins).collect::<Vec<_>>());
            (guard.admit(&Method::GET, &uri, &headers), guard.admit_session(&uri, &headers))
        };
        let own = "http://127.0.0.1:7878";
        assert_eq!(ask(&[own]), (Ok(()), Ok(())));
        // Whoever opens the page by hand has none, but sessions are opened by the page.
        assert_eq!(ask(&[]), (Ok(()), Err(Refusal::Origin)));
        for origin in [
            "null",
            "",
            "https://127.0.0.1:7878",
            "http://127.0.0.1:7879",
            "http://127.0.0.1",
            "http://localhost:7878",
            "http://evil.example",
            "http://127.0.0.1:7878.evil.example",
        ] {
            assert_eq!(ask(&[origin]), (Err(Refusal::Origin), Err(Refusal::Origin)), "{origin}");
        }
        assert_eq!(ask(&[own, own]).1, Err(Refusal::Origin));
    }

    #[test]
    fn a_token_is_long_new_and_compared_whole() {
        let (a, b) = (Token::new().unwrap(), Token::new().unwrap());
        assert!(a.text().len() == 32 && a.text() != b.text());
        let query = |query: String| Uri::try_from(format!("/?{query}")).unwrap();
        assert!(a.is_in(&query(format!("token={}", a.text()))));
        assert!(a.is_in(&query(format!("x=1&token={}", a.text()))));
        for wrong in [
            String::new(),
            "token=".into(),
            format!("token={}", b.text()),
            format!("token={}", &a.text()[1..]),
            format!("token={}0", a.text()),
            format!("tokens={}", a.text()),
            format!("token=&token={}", a.text()),
            a.text().into(),
        ] {
            assert!(!a.is_in(&query(wrong.clone())), "{wrong}");
        }
    }
}
