//! The checks that every request passes: its client, host, origin and rate; and the headers of
//! every answer.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use axum::extract::{ConnectInfo, MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use crate::error::Refusal;
use crate::options::Options;
use crate::state::App;

/// The client of a request, by its address, which is held in memory only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Client(IpAddr);

impl Client {
    /// A client by its address. The addresses of one subscriber of IPv6 are one client.
    pub fn new(address: IpAddr) -> Client {
        Client(match address.to_canonical() {
            IpAddr::V4(address) => IpAddr::V4(address),
            IpAddr::V6(address) => {
                let [a, b, c, d, ..] = address.segments();
                IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
            }
        })
    }

    fn is_here(self) -> bool {
        self.0.is_loopback() || self.0 == IpAddr::V6(Ipv6Addr::UNSPECIFIED)
    }

    #[cfg(test)]
    pub fn numbered(number: u8) -> Client {
        Client(IpAddr::from([10, 0, 0, number]))
    }
}

/// The checks, and what they remember.
pub struct Guard {
    hosts: Vec<String>,
    trusts_proxy: bool,
    frame_ancestors: String,
    limiter: DefaultKeyedRateLimiter<Client>,
    /// Kilobytes that are kept for a client.
    kept: DefaultKeyedRateLimiter<Client>,
    requests: AtomicU64,
}

impl Guard {
    /// The checks of a server.
    pub fn new(options: &Options) -> Guard {
        let mut hosts = vec!["localhost".to_owned()];
        hosts.extend(options.hosts.iter().map(|host| host.to_ascii_lowercase()));
        let address = options.listen.ip();
        hosts.push(address.to_string());
        if address.is_loopback() || address.is_unspecified() {
            hosts.extend(["127.0.0.1", "::1"].map(str::to_owned));
        }
        let rate = NonZeroU32::new(options.rate).unwrap_or(NonZeroU32::MIN);
        let kept = NonZeroU32::new(options.keep_rate).unwrap_or(NonZeroU32::MIN);
        let burst = rate.saturating_mul(NonZeroU32::new(4).unwrap_or(NonZeroU32::MIN));
        Guard {
            hosts,
            trusts_proxy: options.trusts_proxy,
            frame_ancestors: options.frame_ancestors.clone(),
            limiter: RateLimiter::keyed(Quota::per_second(rate).allow_burst(burst)),
            kept: RateLimiter::keyed(
                Quota::per_second(kept).allow_burst(kept.saturating_mul(KEPT_AT_ONCE)),
            ),
            requests: AtomicU64::new(0),
        }
    }

    /// The client of a request: the address at the other end, or the last one that a trusted proxy
    /// names.
    fn client(&self, peer: SocketAddr, headers: &HeaderMap) -> Client {
        let forwarded = || -> Option<IpAddr> {
            let all = headers.get_all("x-forwarded-for").iter().next_back()?;
            let last = all.to_str().ok()?.rsplit(',').next()?.trim();
            // Some proxies add the port.
            let of_socket = || last.parse().ok().map(|socket: SocketAddr| socket.ip());
            let bare = last.trim_start_matches('[').trim_end_matches(']');
            bare.parse().ok().or_else(of_socket)
        };
        let address = if self.trusts_proxy { forwarded() } else { None };
        Client::new(address.unwrap_or(peer.ip()))
    }

    /// Refuses names under which the server is not known: a page elsewhere may have a name that
    /// leads here, and would then count as the server's own.
    fn check_host(&self, request: &Request) -> Result<(), Refusal> {
        let host = request
            .uri()
            .authority()
            .map(|authority| authority.as_str().to_owned())
            .or_else(|| {
                let host = request.headers().get(header::HOST)?;
                Some(host.to_str().ok()?.to_owned())
            })
            .unwrap_or_default();
        let name = host_name(&host);
        if name.is_empty() {
            return Err(Refusal::bad_request("the request names no host: send a Host header"));
        }
        if self.hosts.contains(&name) {
            return Ok(());
        }
        let message =
            format!("the host '{name}' is not known here: start the server with --host {name}");
        Err(Refusal::new(StatusCode::MISDIRECTED_REQUEST, message))
    }

    /// Refuses changes that a page of another site asks for.
    fn check_origin(request: &Request) -> Result<(), Refusal> {
        if matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS) {
            return Ok(());
        }
        let text = |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok());
        let host = text("host").unwrap_or_default();
        let origin = text("origin");
        let is_own = origin.is_none_or(|origin| {
            origin.split_once("://").is_some_and(|(_, own)| own.eq_ignore_ascii_case(host))
        });
        let is_same_site = text("sec-fetch-site").is_none_or(|site| site != "cross-site");
        if is_own && is_same_site {
            return Ok(());
        }
        let origin = origin.unwrap_or("another site");
        let message =
            format!("a page of {origin} may not ask for this: open the server's own page");
        Err(Refusal::new(StatusCode::FORBIDDEN, message))
    }

    /// Refuses to keep more for a client that has had much kept in a short time.
    pub fn check_kept(&self, client: Client, bytes: usize) -> Result<(), Refusal> {
        let kilobytes = u32::try_from(bytes.div_ceil(1000).max(1)).ok().and_then(NonZeroU32::new);
        let checked = self.kept.check_key_n(&client, kilobytes.unwrap_or(NonZeroU32::MAX));
        match checked {
            Ok(Ok(())) => Ok(()),
            _ => Err(Refusal::busy(
                "you have stored too much in a short time: try again in a minute",
            )),
        }
    }

    fn check_rate(&self, client: Client) -> Result<(), Refusal> {
        if self.requests.fetch_add(1, Ordering::Relaxed).is_multiple_of(1 << 14) {
            self.limiter.retain_recent();
            self.kept.retain_recent();
        }
        self.limiter
            .check_key(&client)
            .map_err(|_| Refusal::busy("too many requests: wait a second"))
    }
}

/// The burst of a client's storage quota, in seconds of its long-run rate.
const KEPT_AT_ONCE: NonZeroU32 = NonZeroU32::new(2_000).expect("it is not 0");

/// The name in a Host header, without its port.
fn host_name(host: &str) -> String {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    };
    name.trim_end_matches('.').to_ascii_lowercase()
}

/// Lets a request through to its answer, or refuses it; counts and logs both.
pub async fn guard(
    State(app): State<Arc<App>>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    mut request: Request,
    next: Next,
) -> Response {
    let started = Instant::now();
    let client = app.guard.client(peer, request.headers());
    let method = request.method().clone();
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or_else(|| "other".to_owned(), |path| path.as_str().to_owned());
    let path = request.uri().path().to_owned();
    let checked = app
        .guard
        .check_host(&request)
        .and_then(|()| Guard::check_origin(&request))
        .and_then(|()| app.guard.check_rate(client))
        .and_then(|()| match path.as_str() {
            "/metrics" if !client.is_here() || app.guard.is_forwarded(&request) => {
                Err(Refusal::new(StatusCode::FORBIDDEN, "metrics are shown on this machine only"))
            }
            _ => Ok(()),
        });
    let mut response = match checked {
        Ok(()) => {
            request.extensions_mut().insert(client);
            next.run(request).await
        }
        Err(refusal) => refusal.into_response(),
    };
    app.guard.add_security_headers(&mut response);
    let (status, took) = (response.status(), started.elapsed());
    app.metrics.observe(&method, &route, status, took);
    let ms = took.as_secs_f64() * 1e3;
    tracing::info!(target: "requests", %method, path, status = status.as_u16(), ms, "answered");
    response
}

impl Guard {
    fn is_forwarded(&self, request: &Request) -> bool {
        request.headers().contains_key("x-forwarded-for")
            || request.headers().contains_key("forwarded")
    }

    /// Adds the headers that tell browsers what an answer may do. Those that it has stay.
    fn add_security_headers(&self, response: &mut Response) {
        let policy = format!(
            "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: \
             blob:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; \
             frame-ancestors {}",
            self.frame_ancestors
        );
        let headers = response.headers_mut();
        if let Ok(policy) = HeaderValue::try_from(policy) {
            headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(policy);
        }
        for (name, value) in [
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (header::REFERRER_POLICY, "no-referrer"),
            (header::HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
            (
                header::HeaderName::from_static("permissions-policy"),
                "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
            ),
        ] {
            headers.entry(name).or_insert(HeaderValue::from_static(value));
        }
        if self.frame_ancestors == "'none'" {
            headers.entry(header::X_FRAME_OPTIONS).or_insert(HeaderValue::from_static("DENY"));
        }
        headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_without_their_port() {
        for (host, name) in [
            ("localhost:8080", "localhost"),
            ("LOCALHOST", "localhost"),
            ("localhost.", "localhost"),
            ("[::1]:8080", "::1"),
            ("127.0.0.1:80", "127.0.0.1"),
            ("", ""),
        ] {
            assert_eq!(host_name(host), name);
        }
    }

    #[test]
    fn nobody_has_very_much_kept_at_once() {
        let guard = Guard::new(&Options::default());
        let [much, little] = [1, 2].map(Client::numbered);
        let times = (0..100).take_while(|_| guard.check_kept(much, 999_999).is_ok()).count();
        assert_eq!(times, 20, "of a megabyte");
        assert!(guard.check_kept(little, 320_000).is_ok());
        assert!(guard.check_kept(little, usize::MAX).is_err());
    }

    #[test]
    fn a_subscriber_is_one_client() {
        let client = |text: &str| Client::new(text.parse().unwrap());
        assert_eq!(client("2001:db8:1:2:3::4"), client("2001:db8:1:2:5::6"));
        assert_ne!(client("2001:db8:1:2:3::4"), client("2001:db8:1:3:3::4"));
        assert_eq!(client("::ffff:10.0.0.1"), client("10.0.0.1"));
    }
}
