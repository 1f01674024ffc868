//! The front-end and the report, which are part of the program.

use std::collections::HashMap;
use std::io::Write;
use std::sync::{Arc, LazyLock, Mutex, OnceLock};

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use flate2::Compression;
use flate2::write::GzEncoder;
use hyperslide_puzzle::shorten;
use hyperslide_table::lock;
use include_dir::{Dir, include_dir};
use sha2::{Digest, Sha256};

use crate::error::Refusal;

/// The built front-end; made from `web/` by its build.
pub static FRONT_END: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/assets");
/// The report, made from the records by `hyperslide report`. A file on its own has no player and no
/// page to go back to; here its links get their addresses.
pub static REPORT: LazyLock<String> = LazyLock::new(|| {
    include_str!("../../../docs/report.html")
        .replace("<li hidden><a data-home>", "<li><a href=\"./\">")
        .replace("<a data-play=\"", "<a href=\"./?page=play#p=")
});

fn hash(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// The tag of each file, from what is in it.
static TAGS: LazyLock<HashMap<String, String>> = LazyLock::new(|| {
    fn visit(dir: &Dir<'static>, tags: &mut HashMap<String, String>) {
        for file in dir.files() {
            tags.insert(file.path().display().to_string(), tag(file.contents()));
        }
        dir.dirs().for_each(|dir| visit(dir, tags));
    }
    let mut tags = HashMap::new();
    visit(&FRONT_END, &mut tags);
    tags.insert("report".to_owned(), tag(REPORT.as_bytes()));
    tags
});

fn tag(bytes: &[u8]) -> String {
    format!("W/\"{}\"", hex::encode(&hash(bytes)[..8]))
}

fn media_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "json" | "webmanifest" => "application/json",
        "png" => "image/png",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// What is sent in place of a large file to those who can read it: compressed once, whoever asks.
fn compressed(headers: &HeaderMap, tag: &str, bytes: &'static [u8]) -> Option<Bytes> {
    const LEAST: usize = 1 << 12;
    type Once = Arc<OnceLock<Option<Bytes>>>;
    static KNOWN: LazyLock<Mutex<HashMap<String, Once>>> = LazyLock::new(Mutex::default);

    let takes = |coding: &str| {
        let mut parts = coding.split(';').map(str::trim);
        parts.next() == Some("gzip") && !parts.any(|weight| matches!(weight, "q=0" | "q=0.0"))
    };
    let accepted = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok())?;
    if bytes.len() < LEAST || !accepted.split(',').any(takes) {
        return None;
    }
    let compress = || {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).ok()?;
        encoder.finish().ok().map(Bytes::from)
    };
    // Other files are sent while this one is compressed.
    let once = Arc::clone(lock(&KNOWN).entry(tag.to_owned()).or_default());
    once.get_or_init(compress).clone()
}

/// An answer that browsers keep until its tag changes.
fn tagged(
    headers: &HeaderMap,
    tag: &str,
    media_type: &'static str,
    bytes: &'static [u8],
    is_named_by_hash: bool,
) -> Response {
    let known = headers.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    // Weak or strong, the hash is what counts.
    let hash = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let is_known = known.is_some_and(|known| {
        known.split(',').any(|one| one.trim() == "*" || hash(one) == hash(tag))
    });
    let mut response = match is_known {
        true => StatusCode::NOT_MODIFIED.into_response(),
        false => match compressed(headers, tag, bytes) {
            None => ([(header::CONTENT_TYPE, media_type)], Body::from(bytes)).into_response(),
            Some(bytes) => {
                let content =
                    [(header::CONTENT_TYPE, media_type), (header::CONTENT_ENCODING, "gzip")];
                (content, Body::from(bytes)).into_response()
            }
        },
    };
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    let keep = match is_named_by_hash {
        true => "public, max-age=31536000, immutable",
        false => "no-cache",
    };
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static(keep));
    if let Ok(tag) = HeaderValue::from_str(tag) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    response
}

/// A file of the front-end; the empty path is its page.
pub fn file(path: &str, headers: &HeaderMap) -> Response {
    let path = path.trim_start_matches('/');
    let path = if path.is_empty() { "index.html" } else { path };
    let (Some(file), Some(tag)) = (FRONT_END.get_file(path), TAGS.get(path)) else {
        return nothing_at(path, headers);
    };
    let is_named_by_hash = path.starts_with("assets/");
    tagged(headers, tag, media_type(path), file.contents(), is_named_by_hash)
}

/// The answer where no file is: a page for people, and one line for programs.
fn nothing_at(path: &str, headers: &HeaderMap) -> Response {
    let accepted = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    match FRONT_END.get_file("not-found.html") {
        Some(page) if accepted.is_some_and(|types| types.contains("text/html")) => {
            let content = [(header::CONTENT_TYPE, media_type("not-found.html"))];
            // A proxy may serve all of this below a path that is not known here: the way to the
            // front page is the way up from where nothing is.
            let up = format!("./{}", "../".repeat(path.matches('/').count()));
            let page = page.contents_utf8().unwrap_or_default();
            let page = page.replace("href=\"/", &format!("href=\"{up}"));
            (StatusCode::NOT_FOUND, content, Body::from(page)).into_response()
        }
        _ => {
            let shown = shorten(path);
            Refusal::not_found(format!("there is nothing at /{shown}: begin at /")).into_response()
        }
    }
}

/// The report, whose own scripts and styles are the only ones that its policy allows.
pub fn report(headers: &HeaderMap) -> Response {
    static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| {
        let hashes: Vec<String> = inline_scripts(&REPORT)
            .map(|script| {
                let hash =
                    base64::engine::general_purpose::STANDARD.encode(hash(script.as_bytes()));
                format!("'sha256-{hash}'")
            })
            .collect();
        let scripts = if hashes.is_empty() { "'none'".to_owned() } else { hashes.join(" ") };
        let policy = format!(
            "default-src 'none'; script-src {scripts}; style-src 'unsafe-inline'; img-src data:; \
             base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
        );
        HeaderValue::try_from(policy).unwrap_or(HeaderValue::from_static("default-src 'none'"))
    });
    let mut response =
        tagged(headers, &TAGS["report"], "text/html; charset=utf-8", REPORT.as_bytes(), false);
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, POLICY.clone());
    response
}

/// The texts of the scripts that stand in a page. Blocks of data are not scripts.
fn inline_scripts(page: &str) -> impl Iterator<Item = &str> {
    page.split("<script").skip(1).filter_map(|rest| {
        let (attributes, rest) = rest.split_once('>')?;
        let (text, _) = rest.split_once("</script>")?;
        (!attributes.contains("application/json")).then_some(text)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instances_of_the_report_are_linked_to_the_player() {
        let links = |text: &str| REPORT.matches(text).count();
        assert!(links("<a href=\"./?page=play#p=cube:") > 500);
        assert_eq!(links("<a href=\"./\">"), 1);
        assert_eq!(links("data-play") + links("data-home"), 0);
    }

    #[test]
    fn scripts_are_found_and_data_is_not() {
        let page = "<p><script>a()</script><script type=\"application/json\">{}</script>\
                    <script type=\"module\">b()</script>";
        assert_eq!(inline_scripts(page).collect::<Vec<_>>(), ["a()", "b()"]);
    }
}
