//! A server in the test's own process, and requests to it.

use std::net::SocketAddr;
use std::sync::mpsc::channel;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use hyperslide_server::{Options, serve_until};
use serde_json::{Value, json};
use tokio::sync::oneshot;

/// A server that ends with the test.
pub struct Running {
    pub address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Options of a server for tests, on a free port.
pub fn options() -> Options {
    Options {
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        rate: 1_000_000,
        keep_rate: 1_000_000,
        ..Options::default()
    }
}

impl Running {
    pub fn start() -> Running {
        Running::with(options())
    }

    pub fn with(options: Options) -> Running {
        let (sender, receiver) = channel();
        let (stop, stopped) = oneshot::channel::<()>();
        let thread = std::thread::spawn(move || {
            let ended = async {
                let _ = stopped.await;
            };
            serve_until(options, |address| sender.send(address).unwrap(), ended).unwrap();
        });
        let address = receiver.recv_timeout(Duration::from_secs(20)).expect("the server starts");
        Running { address, stop: Some(stop), thread: Some(thread) }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub fn get(&self, path: &str) -> (u16, Value) {
        read(agent().get(self.url(path)).call())
    }

    pub fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        read(agent().post(self.url(path)).send_json(body))
    }

    /// The answer to a question about a puzzle, which must be given.
    pub fn ask(&self, path: &str, puzzle: &str) -> Value {
        let (status, answer) = self.post(path, &json!({ "puzzle": puzzle }));
        assert_eq!(status, 200, "{path} {puzzle}: {answer}");
        answer
    }

    /// The result of a job, once it is done.
    pub fn result(&self, id: &str) -> Value {
        let deadline = Instant::now() + Duration::from_secs(120);
        loop {
            let (status, job) = self.get(&format!("/api/jobs/{id}"));
            assert_eq!(status, 200, "{job}");
            if job["state"] == "done" {
                return job["result"].clone();
            }
            assert!(Instant::now() < deadline, "the job {id} does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Stops the server and waits until it has ended.
    pub fn stop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the server ends well");
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
    }
}

/// A client for which refusals are answers, too.
pub fn agent() -> ureq::Agent {
    let timeout = Some(Duration::from_secs(60));
    let config = ureq::Agent::config_builder().http_status_as_error(false).timeout_global(timeout);
    config.build().into()
}

type Called = Result<ureq::http::Response<ureq::Body>, ureq::Error>;

/// The status and the body of an answer; null when the body is empty or not JSON.
pub fn read(called: Called) -> (u16, Value) {
    let mut response = called.expect("the server answers");
    let text = response.body_mut().read_to_string().unwrap();
    (response.status().as_u16(), serde_json::from_str(&text).unwrap_or(Value::Null))
}
