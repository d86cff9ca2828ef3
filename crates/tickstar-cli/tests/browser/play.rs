//! The page of `tickstar play`: what it shows is what the program computes, and what is done on it with mouse and keys
//! takes effect.

mod looks;
mod page;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use libtest_mimic::Trial;
use serde_json::{Value, json};

use super::{trial, write};
use page::{Page, ensure, lines, printed};

pub fn trials(program: &Result<PathBuf, String>) -> Vec<Trial> {
    vec![
        trial(program, "play_opens", opens),
        trial(program, "play_wall_across_the_path", wall_across_the_path),
        trial(program, "play_figures_are_those_of_run", figures_are_those_of_run),
        trial(program, "play_rewind_and_replay", rewind_and_replay),
        trial(program, "play_in_step", in_step),
        trial(program, "play_tour", tour),
        trial(program, "play_looks", looks::looks),
        trial(program, "play_crowd", crowd),
        trial(program, "play_frames", frames),
    ]
}

/// The page opens with a scene that runs, and says so when the program has ended.
fn opens(program: &Path) -> Result<(), String> {
    let mut page = Page::opened(program, "opens")?;
    page.until("ticks advance", "tickstar.state().live > 20")?;
    let state = page.state()?;
    ensure(state["error"].is_null(), || format!("{state}"))?;
    ensure(state["running"] == true || state["over"] == true, || format!("stands: {state}"))?;
    page.check()?;
    page.server.interrupt()?;
    page.until("the page offers to connect again", "!document.getElementById('reconnect').hidden")?;
    let kept = page.state()?;
    ensure(kept["live"].as_u64() >= state["live"].as_u64(), || format!("{state}, then {kept}"))
}

/// A wall that is drawn with the mouse turns an agent that is on its way.
fn wall_across_the_path(program: &Path) -> Result<(), String> {
    const WIDTH: usize = 120;
    const HEIGHT: usize = 40;
    let mut page = Page::opened(program, "wall")?;
    let text = open_map(WIDTH, HEIGHT);
    write(&page.folder.join("open.map"), &text)?;
    let without = printed(
        &page.folder,
        &words("run --map open.map --from 4,20 --to 115,20 --budget 100 --json --path"),
    )?;
    let without = &without[0];
    // Slow enough that the wall stands before the agent is there, also on a busy machine.
    page.set_speed(5.0)?;
    page.show(&json!({"open": {
        "map": {"file": {"name": "open.map", "text": text}}, "start": [4, 20], "goal": [115, 20],
        "budget": 100, "contestants": ["tba"]
    }}))?;
    page.click("run")?;
    page.click("tool-wall")?;
    page.until("the agent walks", "tickstar.state().contestants[0].moves > 2")?;
    // The middle of the map is in the middle of its picture.
    let place = page.evaluate(
        "(() => { const box = document.querySelector('[data-testid=pane-0] canvas.map').getBoundingClientRect(); \
         return [box.left + box.width / 2, box.top + box.height / 2, Math.min(box.width / 120, box.height / 40)]; })()",
    )?;
    let number = |nth: usize| place[nth].as_f64().ok_or("no picture of the map");
    let (x, y, scale) = (number(0)?, number(1)?, number(2)?);
    let stroke: Vec<[f64; 2]> = (-10..=10).map(|step| [x, y + f64::from(step) * scale]).collect();
    let before = page.state()?;
    page.browser.drag(&stroke)?;
    let after = page.state()?;
    ensure(before["running"] == true && after["running"] == true, || {
        format!("it stopped while the wall was drawn: {after}")
    })?;
    page.run_to_the_end()?;
    let replay = page.ask(&json!({"save": {}}))?;
    let messages = replay["replay"]["messages"].as_array().cloned().unwrap_or_default();
    let mut ticks = 0;
    let mut walls = BTreeSet::new();
    let mut drawn_at = Vec::new();
    for message in &messages {
        ticks += message["tick"]["count"].as_u64().unwrap_or(0);
        if let Some(cells) = message["edit"]["cells"].as_array() {
            ensure(message["edit"]["free"] == false, || format!("not a wall: {message}"))?;
            walls.extend(cells.iter().filter_map(Value::as_u64));
            drawn_at.push(ticks);
        }
    }
    let cell = |at: &Value| {
        let number = |nth: usize| at[nth].as_u64().unwrap_or(u64::MAX);
        number(1) * WIDTH as u64 + number(0)
    };
    let (Some(&first), Some(&last)) = (drawn_at.first(), drawn_at.last()) else {
        return Err(format!("nothing was drawn: {messages:?}"));
    };
    let straight = without["path"].as_array().cloned().unwrap_or_default();
    ensure(straight.iter().any(|at| walls.contains(&cell(at))), || {
        format!("the wall is not across the path: {walls:?}")
    })?;
    let states = page.all_ticks()?;
    let at = |state: &Value| state["contestants"][0]["at"].clone();
    let is_late = |state: &Value| at(state)[0].as_u64() >= Some(WIDTH as u64 / 2 - 2);
    ensure(first > 0 && !is_late(&states[last as usize]), || {
        format!("the wall was drawn in ticks {drawn_at:?}, not on the way: the machine is too busy")
    })?;
    for state in &states[last as usize..] {
        ensure(!walls.contains(&cell(&at(state))), || format!("walks through the wall: {state}"))?;
    }
    let figures = &states[states.len() - 1]["contestants"][0];
    let is_later = figures["outcome"] == "reached"
        && figures["done"].as_u64() > without["intervals"].as_u64()
        && figures["cost"].as_f64() > without["cost"].as_f64()
        && figures["optimal"].as_f64() > without["optimal"].as_f64();
    ensure(is_later, || format!("with the wall {figures}, without {without}"))?;
    page.check()
}

/// A map without walls.
fn open_map(width: usize, height: usize) -> String {
    let row = ".".repeat(width) + "\n";
    format!("type octile\nheight {height}\nwidth {width}\nmap\n{}", row.repeat(height))
}

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

/// A scene as the page opens it and as `tickstar run` is called.
struct Scene {
    map: Value,
    /// Of the same map.
    on_command_line: &'static str,
    world: &'static str,
    seed: u64,
    corners: bool,
    budget: u64,
    contestants: &'static [&'static str],
}

impl Scene {
    fn request(&self) -> Value {
        json!({"open": {
            "map": self.map, "world": self.world, "seed": self.seed, "corners": self.corners,
            "budget": self.budget, "contestants": self.contestants
        }})
    }

    /// What `tickstar run` prints for a contestant.
    fn printed(
        &self,
        folder: &Path,
        contestant: &str,
        scene: &Value,
        more: &[&str],
    ) -> Result<Value, String> {
        let end = |name: &str| format!("{},{}", scene[name][0], scene[name][1]);
        let (seed, budget) = (self.seed.to_string(), self.budget.to_string());
        let (start, goal) = (end("start"), end("goal"));
        let corners = if self.corners { "allowed" } else { "never" };
        let mut arguments = vec!["run", "--json", "--map", self.on_command_line];
        arguments.extend(["--algorithm", contestant, "--world", self.world, "--seed", &seed]);
        arguments.extend(["--from", &start, "--to", &goal, "--budget", &budget]);
        arguments.extend(["--corners", corners]);
        arguments.extend(more);
        let mut records = printed(folder, &arguments)?;
        records.pop().ok_or_else(|| format!("tickstar {arguments:?} prints nothing"))
    }
}

fn scenes(text: &str) -> Vec<Scene> {
    let built_in = |name: &str| json!({ "builtin": name });
    vec![
        Scene {
            map: json!({"file": {"name": "walls.map", "text": text}}),
            on_command_line: "walls.map",
            world: "known",
            seed: 2,
            corners: false,
            budget: 25,
            contestants: &["tba", "tbaa:trace=free", "astar"],
        },
        Scene {
            map: built_in("rooms-64"),
            on_command_line: "builtin:rooms-64",
            world: "unknown",
            seed: 3,
            corners: false,
            budget: 30,
            contestants: &["rtba", "tbaa", "tick"],
        },
        Scene {
            map: built_in("caves-128"),
            on_command_line: "builtin:caves-128",
            world: "partial:10",
            seed: 7,
            corners: true,
            budget: 60,
            contestants: &["dstar-lite", "rtb-wastar", "pra"],
        },
        Scene {
            map: built_in("random-64"),
            on_command_line: "builtin:random-64",
            world: "dynamic:5",
            seed: 5,
            corners: false,
            budget: 20,
            contestants: &["tba:switch=true", "rtb-gbfs"],
        },
    ]
}

/// A map with a few walls, which leave gaps.
fn walls_map() -> String {
    let mut text = "type octile\nheight 40\nwidth 64\nmap\n".to_string();
    for y in 0..40 {
        let is_wall = |x: usize| x % 9 == 5 && (y * 7 + x) % 40 > 4;
        text.extend((0..64).map(|x| if is_wall(x) { '@' } else { '.' }));
        text.push('\n');
    }
    text
}

/// What the page shows of a finished scene is what `tickstar run` prints.
fn figures_are_those_of_run(program: &Path) -> Result<(), String> {
    let mut page = Page::opened(program, "figures")?;
    let text = walls_map();
    write(&page.folder.join("walls.map"), &text)?;
    for scene in scenes(&text) {
        let opened = page.show(&scene.request())?;
        page.run_to_the_end()?;
        let records = page.records()?;
        let states = page.all_ticks()?;
        ensure(records.len() == scene.contestants.len(), || format!("{records:?}"))?;
        for (nth, (contestant, record)) in scene.contestants.iter().zip(&records).enumerate() {
            let expected = scene.printed(&page.folder, contestant, &opened, &[])?;
            let named = |what: String| format!("{} {contestant}: {what}", scene.on_command_line);
            compare_records(record, &expected).map_err(named)?;
            compare_figures(&states, nth, &expected).map_err(named)?;
            compare_shown(&mut page, nth, &expected).map_err(named)?;
        }
    }
    page.check()
}

/// Field by field.
fn compare_records(found: &Value, expected: &Value) -> Result<(), String> {
    let (Some(a), Some(b)) = (found.as_object(), expected.as_object()) else {
        return Err(format!("{found} instead of {expected}"));
    };
    let names: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    let of = |fields: &serde_json::Map<String, Value>, name: &str| fields.get(name).map(plain);
    let differences: Vec<String> = names
        .into_iter()
        .filter(|name| of(a, name) != of(b, name))
        .map(|name| format!("{name} is {:?} instead of {:?}", a.get(name), b.get(name)))
        .collect();
    ensure(differences.is_empty(), || differences.join(", "))
}

/// The same value with numbers as a page has them, where 10 and 10.0 are one.
fn plain(value: &Value) -> Value {
    match value {
        Value::Number(number) => json!(number.as_f64()),
        Value::Array(all) => all.iter().map(plain).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), plain(value))).collect()
        }
        other => other.clone(),
    }
}

/// The figures of all ticks, which the page has kept.
fn compare_figures(states: &[Value], nth: usize, expected: &Value) -> Result<(), String> {
    let figures = |state: &Value| state["contestants"][nth].clone();
    let last = states.last().map(figures).unwrap_or_default();
    for (name, field) in [
        ("cost", "cost"),
        ("moves", "moves"),
        ("backs", "back_moves"),
        ("first", "first_move_interval"),
        ("done", "intervals"),
        ("outcome", "outcome"),
    ] {
        ensure(plain(&last[name]) == plain(&expected[field]), || {
            format!("{name} is {} instead of {}", last[name], expected[field])
        })?;
    }
    for (place, field) in ["expansions", "trace_steps", "updates"].into_iter().enumerate() {
        let spent = |state: &Value| state["contestants"][nth]["work"][place].as_u64().unwrap_or(0);
        let sum: u64 = states.iter().map(spent).sum();
        ensure(expected[field] == sum, || {
            format!("{field}: all ticks have {sum} instead of {}", expected[field])
        })?;
    }
    Ok(())
}

/// What can be read on the page.
fn compare_shown(page: &mut Page, nth: usize, expected: &Value) -> Result<(), String> {
    let number = |field: &str| expected[field].as_f64().ok_or(format!("no {field}: {expected}"));
    let grouped = |field: &str| -> Result<String, String> {
        let digits = format!("{}", number(field)?);
        let (thousands, rest) = digits.split_at(digits.len().saturating_sub(3));
        Ok(if thousands.is_empty() { digits } else { format!("{thousands},{rest}") })
    };
    let (cost, ratio) = (number("cost")?, number("cost")? / number("optimal")?);
    ensure(cost < 1000.0, || "such a length is shown without decimals".into())?;
    for (figure, text) in [
        ("first", format!("tick {}", grouped("first_move_interval")?)),
        ("length", format!("{cost:.1} ({ratio:.2}×)")),
        ("moves", grouped("moves")?),
        ("backs", grouped("back_moves")?),
    ] {
        let expression = format!(
            "document.querySelector('[data-testid=figures-{nth}] [data-figure={figure}]').textContent"
        );
        page.until(&format!("{figure} is {text:?}"), &format!("{expression} === {}", json!(text)))?;
    }
    Ok(())
}

/// Gone back and run again, saved and opened elsewhere: always the same.
fn rewind_and_replay(program: &Path) -> Result<(), String> {
    let mut page = Page::opened(program, "replay")?;
    page.show(&json!({"open": {
        "map": {"builtin": "caves-128"}, "world": "dynamic:5", "seed": 4, "budget": 40,
        "contestants": ["tba:switch=true", "rtb-wastar"]
    }}))?;
    // Something of everything that can be done on the way.
    page.ask(&json!({"tick": {"count": 12}}))?;
    let [x, y] = ["0", "1"].map(|nth| format!("tickstar.state().contestants[0].at[{nth}]"));
    let around = format!("[-2, -1, 0, 1, 2].map((d) => ({y} + d) * 128 + {x} + 3)");
    let around = page.evaluate(&around)?;
    page.ask(&json!({"edit": {"cells": around, "free": false}}))?;
    page.ask(&json!({"tick": {"count": 8}}))?;
    page.ask(&json!({"budget": 25}))?;
    page.ask(&json!({"tick": {"count": 5}}))?;
    page.run_to_the_end()?;
    let records = page.records()?;
    let states = page.all_ticks()?;
    let live = states.len() as u64 - 1;
    ensure(live > 40, || format!("the scene is over in tick {live}"))?;

    let same = |page: &mut Page, what: &str| -> Result<(), String> {
        let again = page.records()?;
        ensure(again == records, || format!("{what}: {again:?} instead of {records:?}"))?;
        let again = page.all_ticks()?;
        ensure(again.len() == states.len(), || {
            format!("{what}: {} ticks instead of {}", again.len(), states.len())
        })?;
        for (a, b) in again.iter().zip(&states) {
            ensure(a["contestants"] == b["contestants"], || {
                format!("{what}: {} instead of {}", a["contestants"], b["contestants"])
            })?;
        }
        Ok(())
    };
    // By the slider: it runs on from the moment that is shown.
    page.set_speed(2.0)?;
    page.enter("scrubber", live / 2 + 13)?;
    page.click("run")?;
    page.until("it has gone back", &format!("tickstar.state().live < {live}"))?;
    page.run_to_the_end()?;
    same(&mut page, "run again from the slider")?;
    // By messages, to before everything that was done but the edit.
    page.ask(&json!({"rewind": {"tick": 12}}))?;
    let state = page.state()?;
    ensure(state["live"] == 12 && state["tick"] == 12, || format!("rewound to 12: {state}"))?;
    page.ask(&json!({"tick": {"count": 8}}))?;
    page.ask(&json!({"budget": 25}))?;
    page.run_to_the_end()?;
    same(&mut page, "run again from tick 12")?;

    page.click("save-link")?;
    let link =
        "document.getElementById('link-dialog').open && document.getElementById('link-text').value";
    let link = page.until("there is a link", link)?;
    let link = link.as_str().filter(|link| link.contains("#r=")).ok_or("not a link")?;
    let replay = page.ask(&json!({"save": {}}))?["replay"].to_string();
    page.check()?;
    page.browser.new_tab()?;
    page.load(link)?;
    page.until("the link's scene is there", &format!("tickstar.state().live === {live}"))?;
    same(&mut page, "opened by its link")?;
    page.check()?;

    // The file that the page saves is given to the program.
    write(&page.folder.join("walk.json"), &replay)?;
    let arguments = words("run --replay walk.json --json");
    let again = printed(&page.folder, &arguments)?;
    ensure(again.len() == records.len(), || format!("the command line: {again:?}"))?;
    for (a, b) in again.iter().zip(&records) {
        compare_records(a, b).map_err(|error| format!("the command line: {error}"))?;
    }
    page.server = page::Server::start(&page.folder, &["--replay", "walk.json"])?;
    page.load(&page.server.address.clone())?;
    page.until("the file's scene is there", &format!("tickstar.state().live === {live}"))?;
    same(&mut page, "opened by its file")?;
    page.check()
}

/// Two contestants are shown at the same tick, whenever one looks.
fn in_step(program: &Path) -> Result<(), String> {
    let scene = Scene {
        map: json!({"builtin": "caves-128"}),
        on_command_line: "builtin:caves-128",
        world: "unknown",
        seed: 6,
        corners: false,
        budget: 12,
        contestants: &["tba", "rtba"],
    };
    let mut page = Page::opened(program, "in-step")?;
    page.set_speed(60.0)?;
    let opened = page.show(&scene.request())?;
    let mut traces = Vec::new();
    for contestant in scene.contestants {
        scene.printed(&page.folder, contestant, &opened, &["--trace", "trace.jsonl"])?;
        let path = page.folder.join("trace.jsonl");
        let text = fs::read_to_string(&path).map_err(|error| error.to_string())?;
        traces.push(lines(&text)?);
    }
    page.click("run")?;
    // What is said of the pictures is renewed every second, for both of them in the same frame.
    let samples = page.evaluate(
        "(async () => {
           const samples = [], labels = new Set();
           const end = performance.now() + 45000;
           while (!tickstar.state().over && samples.length < 240 && performance.now() < end) {
             await new Promise(requestAnimationFrame);
             const { tick, live, running, contestants } = tickstar.state();
             const said = [...document.querySelectorAll('canvas.map')].map((canvas) => /tick (\\d+)/.exec(canvas.ariaLabel)?.[1]);
             samples.push({ tick, live, running, at: contestants.map(({ at }) => at), work: contestants.map(({ work }) => work[0]), said });
           }
           return samples;
         })()",
    )?;
    let samples = samples.as_array().cloned().unwrap_or_default();
    let mut ticks = BTreeSet::new();
    for sample in &samples {
        let tick = sample["tick"].as_u64().unwrap_or(0);
        ensure(sample["live"] == tick, || format!("not the last moment: {sample}"))?;
        ensure(sample["said"][0].is_string() && sample["said"][0] == sample["said"][1], || {
            format!("the pictures are of two moments: {sample}")
        })?;
        for (nth, trace) in traces.iter().enumerate() {
            // Who has arrived stays there.
            let entry = match tick {
                0 => json!({"position": opened["start"], "expanded": []}),
                _ => trace[(tick as usize).min(trace.len()) - 1].clone(),
            };
            ensure(sample["at"][nth] == entry["position"], || {
                format!("contestant {nth} is not at {}: {sample}", entry["position"])
            })?;
            let expanded = if tick as usize > trace.len() {
                0
            } else {
                entry["expanded"].as_array().map_or(0, Vec::len)
            };
            ensure(sample["work"][nth] == expanded, || {
                format!("contestant {nth} has not expanded {expanded}: {sample}")
            })?;
        }
        ticks.insert(tick);
    }
    ensure(ticks.len() > 50, || {
        format!("only {} moments were seen in {} samples", ticks.len(), samples.len())
    })?;
    page.check()
}

/// The guided tour by keyboard: all the way, back and forth, and left early.
fn tour(program: &Path) -> Result<(), String> {
    const SHOWN: &str = "(() => {
        const box = document.getElementById('tour-box');
        if (box.hidden) return 'closed';
        const { left, top, right, bottom } = box.getBoundingClientRect();
        if (left < 0 || top < 0 || right > innerWidth || bottom > innerHeight) return 'is not on the screen';
        const lit = [...document.querySelectorAll('.tour-lit')];
        if (lit.length !== 1 || !lit[0].checkVisibility()) return 'shows nothing';
        if (!box.contains(document.activeElement)) return 'has no focus';
        if (box.querySelector('h2').textContent.length < 5 || box.querySelector('p').textContent.length < 40) return 'is empty';
        return box.querySelector('.tour-count').textContent;
    })()";
    let mut page = Page::opened(program, "tour")?;
    let is = |page: &mut Page, expected: &str| -> Result<(), String> {
        let shown = page.evaluate(SHOWN)?;
        ensure(shown == expected, || format!("the tour: {shown} instead of {expected}"))
    };
    for (width, height) in [(1280, 900), (390, 844)] {
        page.browser.set_screen(width, height, false)?;
        page.evaluate("localStorage.clear()")?;
        let address = page.server.address.clone();
        page.load(&address)?;
        page.until("the tour is offered", "!document.getElementById('tour-offer').hidden")?;
        reach(&mut page, "tour-yes")?;
        page.browser.press("Enter")?;
        for step in 1..=5 {
            is(&mut page, &format!("{step} of 5"))?;
            page.browser.press(if step == 2 { "ArrowRight" } else { "Enter" })?;
            if step == 3 {
                page.browser.press("ArrowLeft")?;
                is(&mut page, "3 of 5")?;
                page.browser.press("ArrowRight")?;
            }
        }
        is(&mut page, "closed")?;
        // Once is enough, but it can be asked for.
        page.load(&address)?;
        let offered = page.evaluate("!document.getElementById('tour-offer').hidden")?;
        ensure(offered == false, || "the tour is offered again".into())?;
        for leave in [&["Escape"] as &[&str], &["Shift+Tab", "Enter"]] {
            if width < 500 {
                reach(&mut page, "share-menu")?;
                page.browser.press("Enter")?;
            }
            reach(&mut page, "tour")?;
            page.browser.press("Enter")?;
            is(&mut page, "1 of 5")?;
            for key in leave {
                page.browser.press(key)?;
            }
            is(&mut page, "closed")?;
        }
    }
    page.check()
}

/// Goes from control to control by the Tab key until this one has the focus.
fn reach(page: &mut Page, id: &str) -> Result<(), String> {
    let focus = "document.activeElement?.id ?? ''";
    page.evaluate("document.activeElement?.blur()")?;
    let mut passed = Vec::new();
    while passed.len() < 100 {
        page.browser.press("Tab")?;
        let focus = page.evaluate(focus)?;
        if focus == id {
            return Ok(());
        }
        passed.push(focus.as_str().unwrap_or_default().to_string());
    }
    Err(format!("the Tab key does not lead to {id}, but to {}", passed.join(", ")))
}

/// A thousand agents, all of whom arrive.
fn crowd(program: &Path) -> Result<(), String> {
    let mut page = Page::opened(program, "crowd")?;
    page.enter("preset", "gates")?;
    page.until("the crowd walks", "tickstar.state().crowd?.walking > 0")?;
    page.run_to_the_end()?;
    let states = page.all_ticks()?;
    for state in &states {
        let crowd = &state["crowd"];
        let count = |name: &str| crowd[name].as_u64().unwrap_or(0);
        let sum: u64 = ["walking", "waiting", "arrived", "noWay"].into_iter().map(count).sum();
        ensure(sum == 1000 && count("agents") == 1000, || format!("{sum} agents: {state}"))?;
    }
    let last = &states[states.len() - 1]["crowd"];
    ensure(last["arrived"] == 1000, || format!("not all have arrived: {last}"))?;
    let records = page.records()?;
    ensure(records[0]["arrived"] == 1000 && records[0]["unreachable"] == 0, || {
        format!("{records:?}")
    })?;
    for (figure, text) in [("arrived", "1,000"), ("walking", "0"), ("waiting", "0"), ("noWay", "0")]
    {
        let shown = format!(
            "document.querySelector('[data-testid=figures-0] [data-figure={figure}]').textContent"
        );
        page.until(&format!("{figure} is {text}"), &format!("{shown} === '{text}'"))?;
    }
    page.check()
}

/// How smooth a large map is. That depends on the machine, so it is only reported.
fn frames(program: &Path) -> Result<(), String> {
    let mut page = Page::opened(program, "frames")?;
    page.browser.set_screen(1440, 900, false)?;
    page.enter("preset", "islands")?;
    page.until(
        "the large map is there",
        "tickstar.state().live > 5 && tickstar.state().contestants.length === 2",
    )?;
    page.set_speed(60.0)?;
    let measured = page.evaluate(
        "(async () => {
           const rates = [];
           await new Promise((next) => setTimeout(next, 1200));
           const begin = performance.now(), { live } = tickstar.state();
           for (let i = 0; i < 16; i++) {
             await new Promise((next) => setTimeout(next, 250));
             rates.push(tickstar.state().fps);
           }
           const seconds = (performance.now() - begin) / 1000;
           rates.sort((a, b) => a - b);
           return { least: rates[0], middle: rates[rates.length >> 1], ticks: (tickstar.state().live - live) / seconds };
         })()",
    )?;
    let number = |name: &str| measured[name].as_f64().unwrap_or(0.0);
    println!(
        "play_frames: {:.0} frames per second (at least {:.0}), {:.0} ticks per second: two contestants on 512×512 \
         cells at 60 ticks per second",
        number("middle"),
        number("least"),
        number("ticks")
    );
    page.check()
}
