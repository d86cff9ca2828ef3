//! `tickstar play`, and its page in a browser.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use super::super::devtools::Browser;

/// How long the page may take for anything, in milliseconds: far longer than it does on a busy machine.
const PATIENCE: u32 = 45_000;

/// The program while it runs. It ends with the test.
pub struct Server {
    child: Child,
    /// Open, as the program may write to it.
    _out: BufReader<ChildStdout>,
    /// The address that it has printed.
    pub address: String,
}

impl Server {
    /// Starts it in a folder, without a browser and on any port that is free.
    pub fn start(folder: &Path, arguments: &[&str]) -> Result<Server, String> {
        let mut child = tickstar(folder)
            .args(["play", "--no-open", "--port", "0"])
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("tickstar play: {error}"))?;
        let mut out = BufReader::new(child.stdout.take().ok_or("no output")?);
        let mut line = String::new();
        let read = out.read_line(&mut line);
        let server = Server { child, _out: out, address: line.trim_end().into() };
        match read {
            Ok(_) if server.address.starts_with("http://") => Ok(server),
            Ok(_) => Err(format!("tickstar play printed no address: {line:?}")),
            Err(error) => Err(format!("tickstar play: {error}")),
        }
    }

    /// Presses Ctrl-C, and waits for the end.
    pub fn interrupt(&mut self) -> Result<(), String> {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args(["-INT", &pid]).status();
        sent.map_err(|error| format!("kill: {error}"))?;
        let status = self.child.wait().map_err(|error| format!("tickstar play: {error}"))?;
        ensure(status.code() == Some(130), || format!("Ctrl-C ended it with {status}"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The program in a folder.
fn tickstar(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tickstar"));
    command.current_dir(folder).stdin(Stdio::null());
    command
}

/// What `tickstar` prints with these arguments, as one JSON value per line.
pub fn printed(folder: &Path, arguments: &[&str]) -> Result<Vec<Value>, String> {
    let called = arguments.join(" ");
    let output = tickstar(folder).args(arguments).output();
    let output = output.map_err(|error| format!("tickstar {called}: {error}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    ensure(output.status.success(), || format!("tickstar {called}: {}", text(&output.stderr)))?;
    lines(&text(&output.stdout))
}

/// A JSON value on each line.
pub fn lines(text: &str) -> Result<Vec<Value>, String> {
    text.lines()
        .map(|line| serde_json::from_str(line).map_err(|error| format!("{error}: {line}")))
        .collect()
}

pub fn ensure(is_right: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if is_right { Ok(()) } else { Err(otherwise()) }
}

/// A page that is open, and the program behind it.
pub struct Page {
    pub server: Server,
    pub browser: Browser,
    pub folder: PathBuf,
}

impl Page {
    /// Starts the program and a browser, but opens nothing yet.
    pub fn new(program: &Path, name: &str, arguments: &[&str]) -> Result<Page, String> {
        let folder = super::super::folder(&format!("browser-play-{name}"))?;
        let server = Server::start(&folder, arguments)?;
        let mut browser = Browser::start(program)?;
        browser.set_screen(1280, 900, false)?;
        Ok(Page { server, browser, folder })
    }

    /// The page as the program's address opens it, with its first scene.
    pub fn opened(program: &Path, name: &str) -> Result<Page, String> {
        let mut page = Page::new(program, name, &[])?;
        page.load(&page.server.address.clone())?;
        Ok(page)
    }

    /// Opens an address, and waits until the page is ready.
    pub fn load(&mut self, address: &str) -> Result<(), String> {
        self.browser.open(address)?;
        // A page whose script is broken has no `tickstar`.
        let begun = "typeof tickstar === 'object' && (tickstar.ready.then(() => window.isReady = true), window.isReady)";
        self.until("the page is ready", begun).map(|_| ())
    }

    /// Evaluates an expression in the page; a promise is waited for.
    pub fn evaluate(&mut self, expression: &str) -> Result<Value, String> {
        self.browser.evaluate(expression)
    }

    /// Waits until an expression is true, or any other value that counts as that, and returns it.
    pub fn until(&mut self, what: &str, expression: &str) -> Result<Value, String> {
        let script = format!(
            "(async () => {{
               const end = performance.now() + {PATIENCE};
               for (;;) {{
                 const value = await ({expression});
                 if (value) return {{ value }};
                 if (performance.now() > end) break;
                 await new Promise((next) => setTimeout(next, 10));
               }}
               const text = (id) => document.getElementById(id)?.innerText ?? '';
               return {{ state: window.tickstar?.state(), said: [text('status'), text('toasts'), text('cover')] }};
             }})()"
        );
        let found = self.browser.evaluate(&script)?;
        if let Some(value) = found.get("value") {
            return Ok(value.clone());
        }
        let mut message = format!("waited {PATIENCE} ms in vain until {what}: {found}");
        for complaint in self.complaints() {
            let _ = write!(message, "\n{complaint}");
        }
        Err(message)
    }

    /// Sends a request as the page does, and returns the JSON of the reply.
    pub fn ask(&mut self, request: &Value) -> Result<Value, String> {
        let reply = self.evaluate(&format!(
            "tickstar.send({request}).then(({{ payload, frames, ...reply }}) => reply)"
        ))?;
        ensure(reply["kind"] != "error", || format!("{request} is refused: {}", reply["message"]))?;
        Ok(reply)
    }

    pub fn state(&mut self) -> Result<Value, String> {
        self.evaluate("tickstar.state()")
    }

    /// Opens a scene, which stands.
    pub fn show(&mut self, scene: &Value) -> Result<Value, String> {
        self.pause()?;
        self.ask(scene)
    }

    /// Stops what runs. In one step, as it may end by itself at any time.
    pub fn pause(&mut self) -> Result<(), String> {
        self.evaluate("tickstar.state().running && document.getElementById('run').click()")?;
        self.until("it stands", "!tickstar.state().running && !tickstar.state().pending")
            .map(|_| ())
    }

    /// Clicks at a control, with the mouse: one that is hidden or covered cannot be clicked at. One that is disabled
    /// is waited for, as the page shows once per frame what can be done.
    pub fn click(&mut self, test_id: &str) -> Result<(), String> {
        let control = format!("document.querySelector('[data-testid=\"{test_id}\"]')");
        self.until(
            &format!("{test_id} can be pressed"),
            &format!("{control}?.disabled === false"),
        )?;
        let found = self.evaluate(&format!(
            "(() => {{
               const control = {control};
               control.scrollIntoView({{ block: 'nearest' }});
               const box = control.getBoundingClientRect();
               const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
               const top = document.elementFromPoint(x, y);
               if (box.width === 0 || !top) return 'cannot be seen';
               return control.contains(top) ? [x, y] : `is covered by ${{top.outerHTML.slice(0, 80)}}`;
             }})()"
        ))?;
        match (found[0].as_f64(), found[1].as_f64()) {
            (Some(x), Some(y)) => self.browser.click([x, y]),
            _ => Err(format!("{test_id} {found}")),
        }
    }

    /// Chooses or enters a value, as a slider or a menu does.
    pub fn enter(&mut self, test_id: &str, value: impl Into<Value>) -> Result<(), String> {
        let value: Value = value.into();
        self.evaluate(&format!(
            "(() => {{
               const control = document.querySelector('[data-testid=\"{test_id}\"]');
               control.value = {value};
               for (const type of ['input', 'change']) control.dispatchEvent(new Event(type, {{ bubbles: true }}));
             }})()"
        ))
        .map(|_| ())
    }

    /// Sets the slider to so many ticks per second.
    pub fn set_speed(&mut self, speed: f64) -> Result<(), String> {
        let position = 1000.0 * speed.ln() / 1000_f64.ln();
        self.enter("speed", position.round() as u32)
    }

    /// Runs to the end by the page's button.
    pub fn run_to_the_end(&mut self) -> Result<(), String> {
        // What stands does not end before the button is pressed.
        self.pause()?;
        if self.evaluate("tickstar.state().over")? != true {
            self.click("end")?;
        }
        self.is_over()
    }

    /// Waits until the scene is over.
    pub fn is_over(&mut self) -> Result<(), String> {
        self.until("the scene is over", "tickstar.state().over && !tickstar.state().running")?;
        self.drawn()
    }

    /// Waits until what is shown is the last moment.
    pub fn drawn(&mut self) -> Result<(), String> {
        let scrubbed = "(() => { const { live, tick } = tickstar.state(); \
                        return tick === live && document.getElementById('scrubber').max === String(live); })()";
        self.until("the last moment is shown", scrubbed).map(|_| ())
    }

    /// The states of all ticks, from 0 on, by the page's slider. It must not be running.
    pub fn all_ticks(&mut self) -> Result<Vec<Value>, String> {
        self.drawn()?;
        let all = self.evaluate(
            "(() => {
               const slider = document.getElementById('scrubber');
               const all = [];
               for (let tick = 0; tick <= slider.max; tick++) {
                 slider.value = tick;
                 slider.dispatchEvent(new Event('input'));
                 all.push(tickstar.state());
               }
               return all;
             })()",
        )?;
        let all = all.as_array().cloned().unwrap_or_default();
        for (tick, state) in all.iter().enumerate() {
            ensure(state["tick"] == tick, || format!("tick {tick} is shown as {state}"))?;
        }
        Ok(all)
    }

    /// What the browser has to say against the page since it was opened.
    pub fn complaints(&self) -> Vec<String> {
        let address = &self.server.address;
        let origin = address.split("/?").next().unwrap_or(address);
        self.browser.events().iter().filter_map(|event| complaint(event, origin)).collect()
    }

    /// Fails if the browser has anything to say against the page.
    pub fn check(&self) -> Result<(), String> {
        let complaints = self.complaints();
        ensure(complaints.is_empty(), || complaints.join("\n"))
    }

    /// The page's own records.
    pub fn records(&mut self) -> Result<Vec<Value>, String> {
        let reply = self.ask(&json!({"records": {}}))?;
        Ok(reply["records"].as_array().cloned().unwrap_or_default())
    }
}

/// What is wrong if the browser reports this.
fn complaint(event: &Value, origin: &str) -> Option<String> {
    let parameters = &event["params"];
    match event["method"].as_str()? {
        "Runtime.exceptionThrown" => {
            Some(format!("script error: {}", parameters["exceptionDetails"]))
        }
        "Runtime.consoleAPICalled" => Some(format!("console: {}", parameters["args"])),
        // Among them violations of the Content-Security-Policy.
        "Log.entryAdded" => {
            let entry = &parameters["entry"];
            Some(format!("{}: {} {}", entry["source"], entry["text"], entry["url"]))
        }
        "Network.loadingFailed" => Some(format!("a request failed: {}", parameters["errorText"])),
        "Network.webSocketFrameError" => {
            Some(format!("the session failed: {}", parameters["errorMessage"]))
        }
        "Network.responseReceived" => {
            let response = &parameters["response"];
            let is_bad = response["status"].as_u64().is_some_and(|status| status >= 400);
            is_bad.then(|| format!("{} is answered by {}", response["url"], response["status"]))
        }
        "Network.requestWillBeSent" => {
            let target = parameters["request"]["url"].as_str().unwrap_or_default();
            let is_own = [origin, "blob:", "data:"].iter().any(|start| target.starts_with(start));
            (!is_own).then(|| format!("request to {target}"))
        }
        _ => None,
    }
}
