//! What the server counts, in the format of Prometheus.

use std::sync::atomic::AtomicU64;
use std::time::Duration;

use axum::http::{Method, StatusCode};
use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Answered {
    method: &'static str,
    route: String,
    status: u16,
}

/// The counters.
pub struct Metrics {
    registry: Registry,
    answered: Family<Answered, Counter>,
    took: Histogram,
    waiting: Gauge<i64>,
    running: Gauge<i64>,
    searches: Counter<u64, AtomicU64>,
    dropped: Counter<u64, AtomicU64>,
}

impl Default for Metrics {
    fn default() -> Metrics {
        let mut registry = Registry::with_prefix("hyperslide");
        let (answered, waiting, running) = (Family::default(), Gauge::default(), Gauge::default());
        let (searches, dropped) = (Counter::default(), Counter::default());
        let took =
            Histogram::new([0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0]);
        registry.register("requests", "Requests by route and status", answered.clone());
        registry.register("request_seconds", "Time to answer a request", took.clone());
        registry.register("jobs_waiting", "Searches that wait", waiting.clone());
        registry.register("jobs_running", "Searches that run", running.clone());
        registry.register("jobs", "Searches that were asked for", searches.clone());
        let connections = "Connections that were closed unheard, since too many were open";
        registry.register("connections_dropped", connections, dropped.clone());
        Metrics { registry, answered, took, waiting, running, searches, dropped }
    }
}

impl Metrics {
    /// Counts a request. Routes are patterns, so that there are few.
    pub fn observe(&self, method: &Method, route: &str, status: StatusCode, took: Duration) {
        let method = match *method {
            Method::GET => "GET",
            Method::POST => "POST",
            Method::DELETE => "DELETE",
            Method::HEAD => "HEAD",
            _ => "other",
        };
        let labels = Answered { method, route: route.to_owned(), status: status.as_u16() };
        self.answered.get_or_create(&labels).inc();
        self.took.observe(took.as_secs_f64());
    }

    /// Counts a search that was asked for.
    pub fn count_job(&self) {
        self.searches.inc();
    }

    /// Counts a connection that was closed because too many were open.
    pub fn count_dropped(&self) {
        self.dropped.inc();
    }

    /// The counters as Prometheus reads them.
    pub fn text(&self, (waiting, running): (usize, usize)) -> String {
        self.waiting.set(waiting as i64);
        self.running.set(running as i64);
        let mut shown = String::new();
        // Writing to a String cannot fail.
        let _ = text::encode(&mut shown, &self.registry);
        shown
    }
}
