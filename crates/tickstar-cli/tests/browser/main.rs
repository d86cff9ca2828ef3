//! What is seen in a browser, on phones and desktops, in light and dark: reports, among them that of `tickstar
//! reproduce all --quick`, also on paper; and the page of `tickstar play`.
//!
//! Needs Chromium or Chrome: the program that `TICKSTAR_CHROMIUM` names, or one in the `PATH`. Whether there is one
//! is found out when the tests run, as it may come and go; without it they are reported as ignored, with the reason.
//! `TICKSTAR_REPORT` names a report file to check as well, `TICKSTAR_SCREENSHOTS` a folder for pictures of the pages.

mod check;
mod devtools;
mod play;
mod sample;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::OnceLock;

use libtest_mimic::{Arguments, Failed, Trial};
use tickstar_lab::reproduce::html::html;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let program = devtools::find();
    let mut trials = vec![
        trial(&program, "sample_report", sample_report),
        trial(&program, "mistakes_are_noticed", mistakes_are_noticed),
        Trial::test("quick_run", || Ok(quick_run().map(|_| ())?)),
        trial(&program, "quick_report", |program| {
            check::check_report(program, &quick_run()?.join("report.html"), "quick")
        }),
        trial(&program, "quick_times", |program| {
            check::check_report(program, &quick_run()?.join("times.html"), "quick-times")
        }),
    ];
    trials.extend(play::trials(&program));
    if let Some(report) = std::env::var_os("TICKSTAR_REPORT").map(PathBuf::from) {
        let check = move |program: &Path| check::check_report(program, &report, "report");
        trials.push(trial(&program, "given_report", check));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// A test, ignored if there is no browser. What kind of test it is stands beside its name: that is where the reason
/// can be seen.
fn trial(
    program: &Result<PathBuf, String>,
    name: &str,
    run: impl FnOnce(&Path) -> Result<(), String> + Send + 'static,
) -> Trial {
    let (kind, ignored) = match program {
        Ok(_) => ("browser".into(), false),
        Err(reason) => (reason.clone(), true),
    };
    let program = program.clone();
    let runner = move || run(&program?).map_err(Failed::from);
    Trial::test(name, runner).with_kind(kind).with_ignored_flag(ignored)
}

/// A folder of its own for a test.
fn folder(name: &str) -> Result<PathBuf, String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(folder)
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

fn sample_report(program: &Path) -> Result<(), String> {
    let folder = folder("browser-sample")?;
    let path = folder.join("report.html");
    write(&path, &html(&sample::report(&folder)?))?;
    check::check_report(program, &path, "sample")
}

/// The folder of `tickstar reproduce all --quick`, which the first test that needs it runs.
fn quick_run() -> Result<PathBuf, String> {
    static RUN: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let run = || {
        let folder = folder("browser-quick")?;
        let out = folder.join("report");
        if out.exists() {
            fs::remove_dir_all(&out).map_err(|error| format!("{}: {error}", out.display()))?;
        }
        let mut command = Command::new(env!("CARGO_BIN_EXE_tickstar"));
        command.args(["reproduce", "all", "--quick", "--out"]).arg(&out);
        let ran = command.output().map_err(|error| error.to_string())?;
        if !ran.status.success() {
            return Err(String::from_utf8_lossy(&ran.stderr).into_owned());
        }
        Ok(out)
    };
    RUN.get_or_init(run).clone()
}

/// Each of these pages has a mistake, which must be reported.
fn mistakes_are_noticed(program: &Path) -> Result<(), String> {
    const MISTAKES: [(&str, &str); 17] = [
        ("pixels wide", "<div style='width:130%'>wide</div>"),
        (
            "is wider than the page",
            "<p style='margin-right:-40em;white-space:nowrap'>text that is much too long for phones of this size, whatever they do</p>",
        ),
        ("is cut off", "<p style='overflow:hidden;width:3ch;white-space:nowrap'>much too long</p>"),
        ("sticks out", "<p style='width:3ch;white-space:nowrap'>much too long</p>"),
        ("is not visible", "<article class='claim' style='display:none'>a claim</article>"),
        ("is not visible", "<figure class='picture'><img alt='' src='data:,'></figure>"),
        ("overlaps", "<p>one</p><p style='margin-top:-30px'>two</p>"),
        (
            "covers",
            "<figure class='chart' style='margin:0'><svg viewBox='0 0 9 9' role='img' width='300' height='90'><title>t</title></svg></figure><p style='margin-top:-70px;position:relative'>text</p>",
        ),
        (
            "outside of its picture",
            "<svg viewBox='0 0 300 50' role='img'><title>t</title><text x='280' y='30' font-size='20'>label</text></svg>",
        ),
        ("too small", "<p style='font-size:11px'>small</p>"),
        ("contrast", "<p style='color:#888'>pale</p>"),
        ("twice", "<p id='a'>one</p><p id='a'>two</p>"),
        ("leads nowhere", "<p><a href='#b'>link</a></p>"),
        ("skips a level", "<h4>heading</h4>"),
        ("without a scope", "<table><tr><th>head</th></tr></table>"),
        ("console", "<script>console.error('broken')</script>"),
        ("request", "<link rel='stylesheet' href='other.css'>"),
    ];
    let folder = folder("browser-mistakes")?;
    let path = folder.join("page.html");
    let mut browser = devtools::Browser::start(program)?;
    for (expected, markup) in MISTAKES {
        let page = format!(
            "<!DOCTYPE html><html lang='en'><meta charset='utf-8'>\
             <meta name='viewport' content='width=device-width'><title>page</title>\
             <style>body{{margin:20px;background:#fff;color:#000;font:16px sans-serif}}</style>\
             <h1>Heading</h1><main>{markup}</main></html>"
        );
        write(&path, &page)?;
        let problems = check::check_once(&mut browser, &path, 390, check::Look::Light)?;
        if !problems.iter().any(|problem| problem.contains(expected)) {
            return Err(format!("{markup}: expected {expected:?}, found {problems:?}"));
        }
    }
    Ok(())
}
