//! The page on screens of several sizes, in light and dark.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::page::{Page, ensure};

/// Widths and heights: a phone, a tablet, a desktop.
const SCREENS: [(u32, u32); 3] = [(390, 844), (768, 1024), (1440, 900)];

/// What must be there on every screen.
const CONTROLS: &str = "preset toggle-settings tool-pan tool-wall tool-erase again back run step end scrubber tick speed";

/// What is wrong with what is on the screen now, as sentences.
const SCRIPT: &str = include_str!("looks.js");

/// Nothing is wider than the page, all that is needed can be seen, and nothing is complained about. Pictures are
/// written to the folder that `TICKSTAR_SCREENSHOTS` names.
pub fn looks(program: &Path) -> Result<(), String> {
    let folder = std::env::var_os("TICKSTAR_SCREENSHOTS").map(PathBuf::from);
    if let Some(folder) = &folder {
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    let mut page = Page::new(program, "looks", &[])?;
    let mut problems = Vec::new();
    for (width, height) in SCREENS {
        for is_dark in [false, true] {
            let look = if is_dark { "dark" } else { "light" };
            page.browser.set_screen(width, height, is_dark)?;
            page.load(&page.server.address.clone())?;
            let theme = page.evaluate("document.documentElement.dataset.theme")?;
            ensure(theme == look, || format!("{look} colors are asked for, shown are {theme}"))?;
            let mut seen = Vec::new();
            for view in VIEWS {
                show(&mut page, view)?;
                let call = format!("({SCRIPT})({width}, {:?}, {:?})", view.controls(), view.name());
                let found = page.evaluate(&call)?;
                let found = found.as_array().ok_or("the check has no result")?;
                seen.extend(found.iter().filter_map(Value::as_str).map(String::from));
                if let Some(folder) = &folder {
                    let name = format!("play-{width}-{look}-{}.png", view.name());
                    let bytes = page.browser.screenshot()?;
                    let path = folder.join(name);
                    fs::write(&path, bytes)
                        .map_err(|error| format!("{}: {error}", path.display()))?;
                }
            }
            seen.extend(page.complaints());
            problems.extend(
                seen.into_iter().map(|problem| format!("{width} pixels, {look}: {problem}")),
            );
        }
    }
    ensure(problems.is_empty(), || problems.join("\n"))
}

/// What is looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum View {
    First,
    Three,
    Crowd,
    Settings,
    Help,
    Tour,
    Ended,
}

const VIEWS: [View; 7] =
    [View::First, View::Three, View::Crowd, View::Settings, View::Help, View::Tour, View::Ended];

impl View {
    fn name(self) -> &'static str {
        match self {
            View::First => "first",
            View::Three => "three",
            View::Crowd => "crowd",
            View::Settings => "settings",
            View::Help => "help",
            View::Tour => "tour",
            View::Ended => "ended",
        }
    }

    fn controls(self) -> &'static str {
        match self {
            View::First | View::Three | View::Crowd | View::Ended => CONTROLS,
            // On small screens they may lie over everything else.
            View::Settings => "map world seed budget budget-number mode-contestants mode-crowd",
            View::Help | View::Tour => "",
        }
    }
}

fn show(page: &mut Page, view: View) -> Result<(), String> {
    match view {
        View::First => {
            page.until("some ticks were run", "tickstar.state().live > 30")?;
            page.pause()?;
        }
        View::Three => {
            page.enter("preset", "fog")?;
            page.until("some ticks were run", THREE)?;
            page.pause()?;
        }
        View::Crowd => {
            page.enter("preset", "gates")?;
            page.until(
                "some frames were run",
                "tickstar.state().crowd && tickstar.state().live > 20",
            )?;
            page.pause()?;
        }
        View::Settings => {
            page.enter("preset", "two-corridors")?;
            page.until(
                "some ticks were run",
                "tickstar.state().live > 20 && !tickstar.state().crowd",
            )?;
            page.pause()?;
            page.evaluate(
                "document.body.classList.contains('settings-open') || document.getElementById('toggle-settings').click()",
            )?;
        }
        View::Help => {
            page.evaluate("document.getElementById('help').click()")?;
        }
        View::Tour => {
            page.evaluate("document.getElementById('help-dialog').close(); document.getElementById('tour').click()")?;
        }
        View::Ended => {
            page.evaluate("document.querySelector('.tour-skip').click()")?;
            page.evaluate("innerWidth < 1000 && document.body.classList.contains('settings-open') && document.getElementById('toggle-settings').click()")?;
            // Not by the mouse: what cannot be reached is to be reported, not to be waited for.
            page.evaluate("document.getElementById('end').click()")?;
            page.is_over()?;
        }
    }
    // Transitions end, and what was asked for is drawn.
    page.evaluate(
        "Promise.all(document.getAnimations().map((one) => one.finished.catch(() => {}))) \
         .then(() => new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(() => next(null)))))",
    )?;
    Ok(())
}

const THREE: &str = "tickstar.state().contestants.length === 3 && tickstar.state().live > 40";
