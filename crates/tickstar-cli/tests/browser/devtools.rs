//! A browser without a window, driven by the `DevTools` protocol.
//!
//! With `--remote-debugging-pipe` it reads messages from its file descriptor 3 and writes them to 4, each ended by a
//! zero byte. The shell makes them from its standard input and output. That needs no port and no library.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

const VARIABLE: &str = "TICKSTAR_CHROMIUM";
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// The sandbox does not work for root; nothing but our own files is opened.
const FLAGS: [&str; 10] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
];

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// The browser's program, or why there is none.
pub fn find() -> Result<PathBuf, String> {
    if cfg!(not(unix)) {
        return Err("needs a Unix shell".into());
    }
    if let Some(program) = std::env::var_os(VARIABLE).map(PathBuf::from) {
        return if program.is_file() {
            Ok(program)
        } else {
            Err(format!("{VARIABLE} is not a file: {}", program.display()))
        };
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let all = NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    all.into_iter()
        .find(|program| program.is_file())
        .ok_or_else(|| format!("needs Chromium in the PATH, or {VARIABLE}"))
}

pub struct Browser {
    child: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    /// What was reported since it was last asked for.
    events: Vec<Value>,
    next: u64,
    session: Option<String>,
    profile: PathBuf,
}

impl Browser {
    /// Starts a browser with an empty profile and opens a page.
    pub fn start(program: &Path) -> Result<Browser, String> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let profile =
            std::env::temp_dir().join(format!("tickstar-browser-{}-{number}", std::process::id()));
        fs::create_dir_all(&profile).map_err(|error| format!("{}: {error}", profile.display()))?;
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1"])
            .arg(program)
            .args(FLAGS)
            .arg(format!("--user-data-dir={}", profile.display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("sh: {error}"))?;
        let input = child.stdin.take().ok_or("no input")?;
        let output = child.stdout.take().ok_or("no output")?;
        let (sender, messages) = channel();
        thread::spawn(move || {
            for message in BufReader::new(output).split(0) {
                let message = message.ok().and_then(|text| serde_json::from_slice(&text).ok());
                let Some(message) = message else { return };
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let (events, next, session) = (Vec::new(), 1, None);
        let mut browser = Browser { child, input, messages, events, next, session, profile };
        browser.new_tab()?;
        Ok(browser)
    }

    /// Opens another tab, to which all that follows goes. What the one before reports is still heard.
    pub fn new_tab(&mut self) -> Result<(), String> {
        self.session = None;
        let target = self.call("Target.createTarget", &json!({"url": "about:blank"}))?;
        let parameters = json!({"targetId": target["targetId"], "flatten": true});
        let attached = self.call("Target.attachToTarget", &parameters)?;
        self.session = attached["sessionId"].as_str().map(String::from);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            self.call(&format!("{domain}.enable"), &json!({}))?;
        }
        Ok(())
    }

    /// Calls a method and waits for its result.
    pub fn call(&mut self, method: &str, parameters: &Value) -> Result<Value, String> {
        let id = self.next;
        self.next += 1;
        let mut message = json!({"id": id, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        let sent = self
            .input
            .write_all(format!("{message}\0").as_bytes())
            .and_then(|()| self.input.flush());
        sent.map_err(|error| format!("the browser does not listen to {method}: {error}"))?;
        let answer = self.wait(method, |message| message["id"] == id)?;
        match answer.get("error") {
            Some(error) => Err(format!("{method}: {error}")),
            None => Ok(answer["result"].clone()),
        }
    }

    /// Opens a page and waits until it is complete. What was reported of an earlier one is forgotten.
    pub fn open(&mut self, address: &str) -> Result<(), String> {
        self.events.clear();
        let opened = self.call("Page.navigate", &json!({"url": address}))?;
        if let Some(error) = opened["errorText"].as_str() {
            return Err(format!("{address}: {error}"));
        }
        let loaded = |event: &Value| event["method"] == "Page.loadEventFired";
        if !self.events.iter().any(loaded) {
            let event = self.wait("Page.loadEventFired", loaded)?;
            self.events.push(event);
        }
        Ok(())
    }

    /// Evaluates an expression in the page.
    pub fn evaluate(&mut self, expression: &str) -> Result<Value, String> {
        let parameters =
            json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let result = self.call("Runtime.evaluate", &parameters)?;
        match result.get("exceptionDetails") {
            Some(error) => Err(format!("the check itself failed: {error}")),
            None => Ok(result["result"]["value"].clone()),
        }
    }

    /// Lays pages out for a screen of this width in pixels, in light or dark colors. One as narrow as a phone is a phone.
    pub fn set_screen(&mut self, width: u32, height: u32, is_dark: bool) -> Result<(), String> {
        let size = json!({
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500
        });
        self.call("Emulation.setDeviceMetricsOverride", &size)?;
        let scheme = if is_dark { "dark" } else { "light" };
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        let media = json!({"media": "screen", "features": features});
        self.call("Emulation.setEmulatedMedia", &media)?;
        Ok(())
    }

    /// Draws with the left button of the mouse: down at the first point, up at the last one.
    pub fn drag(&mut self, points: &[[f64; 2]]) -> Result<(), String> {
        let (Some(&first), Some(&last)) = (points.first(), points.last()) else { return Ok(()) };
        self.mouse("mouseMoved", first, 0)?;
        self.mouse("mousePressed", first, 1)?;
        for &point in points {
            self.mouse("mouseMoved", point, 1)?;
        }
        self.mouse("mouseReleased", last, 0)
    }

    pub fn click(&mut self, point: [f64; 2]) -> Result<(), String> {
        self.drag(&[point])
    }

    fn mouse(&mut self, kind: &str, [x, y]: [f64; 2], buttons: u32) -> Result<(), String> {
        let is_button = kind != "mouseMoved";
        let button = if is_button || buttons > 0 { "left" } else { "none" };
        let parameters = json!({
            "type": kind, "x": x, "y": y, "button": button, "buttons": buttons,
            "clickCount": u32::from(is_button)
        });
        self.call("Input.dispatchMouseEvent", &parameters).map(|_| ())
    }

    /// Presses a key and lets it go: `Enter`, `Shift+Tab`, `ArrowLeft`, a letter.
    pub fn press(&mut self, name: &str) -> Result<(), String> {
        let (is_shift, key) = match name.strip_prefix("Shift+") {
            Some(key) => (true, key),
            None => (false, name),
        };
        let (code, text): (u32, &str) = match key {
            "Tab" => (9, ""),
            "Enter" => (13, "\r"),
            "Escape" => (27, ""),
            "ArrowLeft" => (37, ""),
            "ArrowRight" => (39, ""),
            letter => (letter.to_uppercase().chars().next().map_or(0, u32::from), letter),
        };
        let mut parameters = json!({
            "type": if text.is_empty() { "rawKeyDown" } else { "keyDown" }, "key": key,
            "code": if key.len() == 1 { format!("Key{}", key.to_uppercase()) } else { key.into() },
            "windowsVirtualKeyCode": code, "text": text, "modifiers": if is_shift { 8 } else { 0 }
        });
        self.call("Input.dispatchKeyEvent", &parameters)?;
        parameters["type"] = "keyUp".into();
        self.call("Input.dispatchKeyEvent", &parameters).map(|_| ())
    }

    /// A picture of what can be seen now.
    pub fn screenshot(&mut self) -> Result<Vec<u8>, String> {
        let result = self.call("Page.captureScreenshot", &json!({}))?;
        result["data"].as_str().and_then(decoded).ok_or_else(|| "no picture".into())
    }

    /// What the page and the network reported since it was opened.
    pub fn events(&self) -> &[Value] {
        &self.events
    }

    /// Waits for a message, and keeps what is reported before.
    fn wait(&mut self, what: &str, is_it: impl Fn(&Value) -> bool) -> Result<Value, String> {
        let end = Instant::now() + PATIENCE;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            match self.messages.recv_timeout(left) {
                Ok(message) if is_it(&message) => return Ok(message),
                Ok(message) => self.events.push(message),
                Err(RecvTimeoutError::Timeout) => {
                    return Err(format!("{what}: no answer within {} s", PATIENCE.as_secs()));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(format!("{what}: the browser has ended"));
                }
            }
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.session = None;
        // It ends its own processes; one that does not answer is killed.
        let _ = self.call("Browser.close", &json!({}));
        let end = Instant::now() + Duration::from_secs(5);
        while Instant::now() < end && matches!(self.child.try_wait(), Ok(None)) {
            thread::sleep(Duration::from_millis(20));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.profile);
    }
}

/// The bytes that are encoded in base 64.
pub fn decoded(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0);
    for letter in text.trim_end_matches('=').bytes() {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    Some(bytes)
}
