//! What must be true of a report, whoever reads it on whatever screen.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::devtools::{Browser, decoded};

/// What is asked of the page itself.
const SCRIPT: &str = include_str!("check.js");

/// The width of paper between the margins, and that of a phone, in pixels.
const PAPER: u32 = 688;
const PHONE: u32 = 390;

/// Screenshots are taken in pieces: higher ones are more than browsers draw.
const PIECE: f64 = 8000.0;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Look {
    Light,
    Dark,
    Print,
}

/// Checks a report on phones and desktops, in light, dark and on paper. Pictures of it are written to the folder
/// that `TICKSTAR_SCREENSHOTS` names, with names that begin like this.
pub fn check_report(program: &Path, report: &Path, name: &str) -> Result<(), String> {
    const VIEWS: [(u32, Look); 7] = [
        (PHONE, Look::Light),
        (PHONE, Look::Dark),
        (1280, Look::Light),
        (1280, Look::Dark),
        (768, Look::Light),
        (1400, Look::Light),
        (PAPER, Look::Print),
    ];
    let folder = std::env::var_os("TICKSTAR_SCREENSHOTS").map(PathBuf::from);
    if let Some(folder) = &folder {
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    let mut browser = Browser::start(program)?;
    let mut all = Vec::new();
    for (width, look) in VIEWS {
        let problems = check_once(&mut browser, report, width, look)?;
        all.extend(problems.iter().map(|problem| format!("{width} pixels, {look:?}: {problem}")));
        if let Some(folder) = &folder {
            take(&mut browser, folder, &format!("{name}-{width}-{look:?}").to_lowercase(), look)?;
        }
    }
    if all.is_empty() { Ok(()) } else { Err(format!("{}\n{}", report.display(), all.join("\n"))) }
}

/// Opens a report in one way, and says what is wrong with it.
pub fn check_once(
    browser: &mut Browser,
    report: &Path,
    width: u32,
    look: Look,
) -> Result<Vec<String>, String> {
    let (media, scheme) = match look {
        Look::Light => ("screen", "light"),
        Look::Dark => ("screen", "dark"),
        // Whoever prints may use the dark theme.
        Look::Print => ("print", "dark"),
    };
    let size = json!({
        "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width == PHONE
    });
    browser.call("Emulation.setDeviceMetricsOverride", &size)?;
    let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
    let media = json!({"media": media, "features": features});
    browser.call("Emulation.setEmulatedMedia", &media)?;
    let path =
        fs::canonicalize(report).map_err(|error| format!("{}: {error}", report.display()))?;
    let address = address(&path);
    browser.open(&address)?;
    let paper = look == Look::Print;
    let found = browser.evaluate(&format!("({SCRIPT})({width}, {paper})"))?;
    let found = found.as_array().ok_or("the check has no result")?;
    let mut problems: Vec<String> =
        found.iter().filter_map(|problem| problem.as_str().map(String::from)).collect();
    problems.extend(browser.events().iter().filter_map(|event| complaint(event, &address)));
    problems.dedup();
    Ok(problems)
}

/// The address of a file.
fn address(path: &Path) -> String {
    let mut address = String::from("file://");
    for byte in path.to_string_lossy().bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' => {
                address.push(byte.into());
            }
            _ => address.extend(format!("%{byte:02X}").chars()),
        }
    }
    address
}

/// What is wrong if the browser reports this.
fn complaint(event: &Value, address: &str) -> Option<String> {
    let parameters = &event["params"];
    match event["method"].as_str()? {
        "Runtime.exceptionThrown" => {
            Some(format!("script error: {}", parameters["exceptionDetails"]))
        }
        "Runtime.consoleAPICalled" => Some(format!("console: {}", parameters["args"])),
        "Log.entryAdded" => Some(format!("console: {}", parameters["entry"]["text"])),
        "Network.requestWillBeSent" => {
            let target = parameters["request"]["url"].as_str().unwrap_or_default();
            let own = target == address || target.starts_with("data:");
            (!own).then(|| format!("request to {target}"))
        }
        _ => None,
    }
}

/// Writes pictures of the whole page, or a PDF.
fn take(browser: &mut Browser, folder: &Path, name: &str, look: Look) -> Result<(), String> {
    let save = |browser: &mut Browser, method: &str, parameters: &Value, file: String| {
        let result = browser.call(method, parameters)?;
        let bytes = result["data"].as_str().and_then(decoded).ok_or("no picture")?;
        let path = folder.join(file);
        fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))
    };
    if look == Look::Print {
        let parameters = json!({"preferCSSPageSize": true, "printBackground": true});
        return save(browser, "Page.printToPDF", &parameters, format!("{name}.pdf"));
    }
    let metrics = browser.call("Page.getLayoutMetrics", &json!({}))?;
    let size = |name: &str| metrics["cssContentSize"][name].as_f64().unwrap_or(0.0);
    let (width, height) = (size("width"), size("height"));
    let pieces = (height / PIECE).ceil().max(1.0) as u32;
    for piece in 0..pieces {
        let top = f64::from(piece) * PIECE;
        let clip = json!({
            "x": 0, "y": top, "width": width, "height": PIECE.min(height - top), "scale": 1
        });
        let parameters = json!({"captureBeyondViewport": true, "clip": clip});
        let file = format!("{name}-{}.png", piece + 1);
        save(browser, "Page.captureScreenshot", &parameters, file)?;
    }
    Ok(())
}
