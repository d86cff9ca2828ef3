//! The page, which is a part of the program.

use std::borrow::Cow;

use axum::http::header;
use axum::response::{IntoResponse, Response};
use rust_embed::RustEmbed;

#[derive(RustEmbed)]
#[folder = "assets/play/"]
struct Files;

/// The file at a path of the address, which is looked up by its whole name: no path leads anywhere else.
pub fn file(path: &str) -> Option<Response> {
    let name = match path.strip_prefix('/')? {
        "" => "index.html",
        name => name,
    };
    let file = Files::get(name)?;
    let bytes = match file.data {
        Cow::Borrowed(bytes) => bytes.into_response(),
        Cow::Owned(bytes) => bytes.into_response(),
    };
    let mut response = bytes;
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, header::HeaderValue::from_static(kind(name)));
    Some(response)
}

/// What browsers take a file for: they are told not to guess.
fn kind(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "wasm" => "application/wasm",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_has_a_kind_and_is_found_by_its_name_only() {
        let mut count = 0;
        for name in Files::iter() {
            assert_ne!(kind(&name), "application/octet-stream", "{name}");
            assert!(file(&format!("/{name}")).is_some(), "{name}");
            assert!(file(&name).is_none() && file(&format!("//{name}")).is_none(), "{name}");
            assert!(file(&format!("/x/../{name}")).is_none(), "{name}");
            count += 1;
        }
        assert!(count > 0 && file("/").is_some());
        for path in [
            "/../Cargo.toml",
            "/../../Cargo.toml",
            "/./index.html",
            "/index.html/",
            "/C:/",
            "/%2e%2e",
        ] {
            assert!(file(path).is_none(), "{path}");
        }
    }
}
