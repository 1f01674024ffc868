//! The checks that every request passes: its client, host, origin and rate; and the headers of
//! every answer.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Once};
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

    #[cfg(test)]
    pub fn numbered(number: u8) -> Client {
        Client(IpAddr::from([10, 0, 0, number]))
    }
}

/// The checks, and what they remember.
pub struct Guard {
    hosts: Vec<String>,
    /// Those of them that were given, and are not this machine's own.
    given_hosts: Vec<String>,
    trusts_proxy: bool,
    frame_ancestors: String,
    limiter: DefaultKeyedRateLimiter<Client>,
    /// Kilobytes that are kept for a client.
    kept: DefaultKeyedRateLimiter<Client>,
    requests: AtomicU64,
    /// That the proxy and the options do not fit together is said once.
    warned: Once,
}

impl Guard {
    /// The checks of a server.
    pub fn new(options: &Options) -> Guard {
        let given: Vec<_> = options.hosts.iter().map(|host| host.to_ascii_lowercase()).collect();
        let mut hosts = vec!["localhost".to_owned()];
        hosts.extend(given.iter().cloned());
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
            given_hosts: given,
            trusts_proxy: options.trusts_proxy,
            frame_ancestors: options.frame_ancestors.clone(),
            limiter: RateLimiter::keyed(Quota::per_second(rate).allow_burst(burst)),
            kept: RateLimiter::keyed(
                Quota::per_second(kept).allow_burst(kept.saturating_mul(KEPT_AT_ONCE)),
            ),
            requests: AtomicU64::new(0),
            warned: Once::new(),
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
        let host = host_of(request);
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

    /// Refuses changes that a page of another site asks for. A page is the server's own when its
    /// address is the one that was asked for, or its name is one of those that were given: a proxy
    /// may ask under another name than the page did. The names of this machine are no such names,
    /// since pages of other programs have them, too.
    fn check_origin(&self, request: &Request) -> Result<(), Refusal> {
        if matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS) {
            return Ok(());
        }
        let text = |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok());
        let origin = request.headers().get(header::ORIGIN);
        let host = text("host").unwrap_or_default();
        let page = text("origin").and_then(|origin| {
            origin.strip_prefix("https://").or_else(|| origin.strip_prefix("http://"))
        });
        let is_own = match (origin, page) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(_), Some(page)) => {
                page.eq_ignore_ascii_case(host) || self.given_hosts.contains(&host_name(page))
            }
        };
        let is_same_site = text("sec-fetch-site").is_none_or(|site| site != "cross-site");
        if is_own && is_same_site {
            return Ok(());
        }
        let origin = text("origin").unwrap_or("another site");
        let mut message =
            format!("a page of {origin} may not ask for this: open the server's own page");
        if let Some(page) = page.filter(|_| is_same_site) {
            message += &format!(
                "; if it is that one, behind a proxy, start the server with --host {}, or let the \
                 proxy pass Host on",
                host_name(page)
            );
        }
        Err(Refusal::new(StatusCode::FORBIDDEN, message))
    }

    /// Shows the counters only to who asks from this machine and under its own name. A proxy on it
    /// asks for others: it says so, or passes on the name that they asked for.
    fn check_here(peer: SocketAddr, request: &Request) -> Result<(), Refusal> {
        let name = host_name(&host_of(request));
        let is_local =
            name == "localhost" || name.parse().is_ok_and(|address: IpAddr| address.is_loopback());
        if peer.ip().to_canonical().is_loopback() && is_local && !is_forwarded(request.headers()) {
            return Ok(());
        }
        Err(Refusal::new(StatusCode::FORBIDDEN, "metrics are shown on this machine only"))
    }

    /// Says once in the log that requests come otherwise than the options tell.
    fn warn_of_proxy(&self, path: &str, headers: &HeaderMap) {
        let warning = match (self.trusts_proxy, headers.contains_key("x-forwarded-for")) {
            (false, true) => {
                "a request has X-Forwarded-For, which is not trusted: behind a proxy, start the \
                 server with --trust-proxy, or all its clients count as one"
            }
            // Who looks after the server asks for these without the proxy.
            (true, false) if !matches!(path, "/health" | "/metrics") => {
                "a request has no X-Forwarded-For under --trust-proxy: let the proxy send it, or \
                 all its clients count as one"
            }
            _ => return,
        };
        self.warned.call_once(|| tracing::warn!("{warning}"));
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

/// The host that a request asks for.
fn host_of(request: &Request) -> String {
    let named = || request.headers().get(header::HOST)?.to_str().ok();
    let authority = request.uri().authority().map(|authority| authority.as_str());
    authority.or_else(named).unwrap_or_default().to_owned()
}

/// Returns whether a proxy says that it asks for somebody else.
fn is_forwarded(headers: &HeaderMap) -> bool {
    ["x-forwarded-for", "forwarded", "x-real-ip"].iter().any(|name| headers.contains_key(*name))
}

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
    app.guard.warn_of_proxy(&path, request.headers());
    let checked = app
        .guard
        .check_host(&request)
        .and_then(|()| app.guard.check_origin(&request))
        .and_then(|()| app.guard.check_rate(client))
        .and_then(|()| match path.as_str() {
            "/metrics" => Guard::check_here(peer, &request),
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
