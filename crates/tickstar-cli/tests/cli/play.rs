//! `tickstar play`: who is answered and who is not, and sessions that are many, large, silent or nonsense.

mod fuzz;
mod tab;

use std::thread;

use serde_json::{Value, json};
use tungstenite::Message;
use tungstenite::protocol::frame::coding::CloseCode;

use crate::support::{Folder, INPUT, USAGE, map, refused};
use tab::{Playing, Sent, Tab};

const CATALOG: &str = r#"{"catalog":{}}"#;
const OPEN: &str = r#"{"open":{"map":{"builtin":"caves-128"},"contestants":["tba","astar"]}}"#;

#[test]
fn the_page_is_served_with_strict_headers() {
    let folder = Folder::new("play-page");
    let playing = Playing::new(&folder, "");
    assert!(playing.address.ip().is_loopback() && playing.address.port() > 0);
    assert!(
        playing.token.len() == 32 && playing.token.bytes().all(|byte| byte.is_ascii_hexdigit())
    );
    let page = playing.get(&playing.page[playing.page.rfind('/').unwrap()..]);
    assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"));
    let text = page.text();
    assert!(text.to_lowercase().starts_with("<!doctype html>"));
    // The policy would forbid them.
    for inline in ["<style", "<script>", " style=", " onclick=", " onload="] {
        assert!(!text.contains(inline), "{inline}");
    }
    let parts = ["src=\"", "href=\""].into_iter().flat_map(|start| text.split(start).skip(1));
    let mut answers = vec![("GET /".to_string(), page)];
    for part in parts.filter_map(|rest| rest.split('"').next()) {
        if part.contains("://") || part.starts_with('#') || part.starts_with("data:") {
            continue;
        }
        let answer =
            playing.get(&format!("/{}", part.trim_start_matches("./").trim_start_matches('/')));
        assert_eq!(answer.status, 200, "{part}");
        answers.push((part.to_string(), answer));
    }
    answers.push(("HEAD".into(), playing.ask("HEAD", "/", &[])));
    answers.push(("index".into(), playing.get("/index.html")));
    answers.push(("start".into(), playing.get(&format!("/start.json?token={}", playing.token))));
    for (what, answer) in &answers {
        assert_eq!(answer.status, 200, "{what}");
    }
    let head = answers.iter().find(|(what, _)| what == "HEAD").unwrap();
    assert!(head.1.body.is_empty());
    // What is refused has them, too.
    answers.push(("nothing".into(), playing.get("/nothing")));
    answers.push(("no token".into(), playing.get("/start.json")));
    answers.push(("POST".into(), playing.ask("POST", "/", &[("Content-Length", "0")])));
    answers.push(("another host".into(), playing.ask("GET", "/", &[("Host", "evil.example")])));
    for (what, answer) in &answers {
        let policy = answer.header("content-security-policy");
        for part in [
            "default-src 'self';",
            "connect-src 'self'",
            "img-src 'self' blob: data:;",
            "object-src 'none';",
            "base-uri 'none';",
            "frame-ancestors 'none'",
        ] {
            assert!(policy.contains(part), "{what}: {policy}");
        }
        assert!(!policy.contains("unsafe") && !policy.contains('*'), "{what}: {policy}");
        let ws = format!("connect-src 'self' ws://{};", playing.address);
        assert_eq!(policy.contains(&ws), what != "another host", "{what}: {policy}");
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
            ("cache-control", "no-store"),
            ("access-control-allow-origin", ""),
        ] {
            assert_eq!(answer.header(name), value, "{what}: {name}");
        }
    }
}

#[test]
fn what_is_asked_by_others_is_refused() {
    let folder = Folder::new("play-refused");
    let mut playing = Playing::new(&folder, "");
    let port = playing.address.port();
    let start = format!("/start.json?token={}", playing.token);
    let own = |host: &str| [format!("{host}:{port}"), format!("http://{host}:{port}")];
    for host in ["127.0.0.1", "localhost", "[::1]"] {
        let [host, origin] = own(host);
        assert_eq!(playing.ask("GET", &start, &[("Host", &host)]).status, 200, "{host}");
        let headers = [("Host", host.as_str()), ("Origin", origin.as_str())];
        assert_eq!(playing.ask("GET", &start, &headers).status, 200, "{host}");
    }
    for host in ["evil.example", "127.0.0.1", "localhost:1", "-", "x", "127.0.0.1.evil.example"] {
        let answer = playing.ask("GET", &start, &[("Host", host)]);
        assert!(answer.status == 403 || host == "-" && answer.status == 400, "{host}");
    }
    for path in ["/", "/index.html", start.as_str(), "/stage"] {
        for origin in ["http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1"] {
            let answer = playing.ask("GET", path, &[("Origin", origin)]);
            assert_eq!(answer.status, 403, "{path} {origin}");
        }
    }
    for path in [
        "/start.json",
        "/start.json?token=",
        "/start.json?token=0123456789abcdef0123456789abcdef",
        "/start.json?x=1",
        &start[..start.len() - 1],
        &format!("{start}0"),
    ] {
        let answer = playing.get(path);
        assert_eq!(answer.status, 403, "{path}");
        assert!(answer.text().contains("token"), "{path}");
    }
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "X"] {
        for path in ["/", start.as_str(), "/nothing", "/stage"] {
            let answer = playing.ask(method, path, &[("Content-Length", "0")]);
            assert_eq!(
                (answer.status, answer.header("allow")),
                (405, "GET, HEAD"),
                "{method} {path}"
            );
        }
    }
    for path in [
        "/nothing",
        "/index",
        "/index.html/",
        "//index.html",
        "/../Cargo.toml",
        "/../../Cargo.toml",
        "/%2e%2e/Cargo.toml",
        "/..%2fCargo.toml",
        "/..\\Cargo.toml",
        "/assets/play/index.html",
        "/./index.html",
        "/etc/passwd",
        "//etc/passwd",
        "/%00",
        "/index.html%00.js",
        "/stage/",
        "/start.json/",
    ] {
        let answer = playing.get(path);
        // Some are not even an address.
        assert!([404, 400].contains(&answer.status), "{path}: {}", answer.status);
        assert!(answer.body.len() < 100, "{path}");
    }
    let origin = format!("http://{}", playing.address);
    let stage = format!("/stage?token={}", playing.token);
    let refused = |path: &str, origin: Option<&str>| playing.open(path, origin).err();
    assert_eq!(refused(&stage, Some("http://evil.example")), Some(403));
    assert_eq!(refused(&stage, Some(&format!("http://localhost:{port}"))), Some(403));
    assert_eq!(refused(&stage, None), Some(403));
    assert_eq!(refused("/stage", Some(&origin)), Some(403));
    assert_eq!(refused(&format!("{stage}0"), Some(&origin)), Some(403));
    assert_eq!(refused("/", Some(&origin)), Some(200));
    // Not a session, but asked for as one.
    assert_eq!(playing.ask("GET", &stage, &[("Origin", &origin)]).status, 400);
    playing.tab().works();
    assert!(playing.is_running());
}

#[cfg(target_os = "linux")]
#[test]
fn only_the_asked_for_address_is_listened_on() {
    let folder = Folder::new("play-host");
    let connects = |playing: &Playing| {
        std::net::TcpStream::connect(("127.0.0.2", playing.address.port())).is_ok()
    };
    let usual = Playing::new(&folder, "");
    assert!(!connects(&usual));
    let other = Playing::new(&folder, "--host 127.0.0.2");
    assert!(connects(&other) && other.address.ip().to_string() == "127.0.0.2");
    other.tab().works();
    let all = Playing::new(&folder, "--host 0.0.0.0");
    assert!(connects(&all) && all.address.ip().is_loopback(), "{}", all.page);
    all.tab().works();
    let host = |host: &str| format!("{host}:{}", all.address.port());
    assert_eq!(all.ask("GET", "/", &[("Host", &host("192.168.1.2"))]).status, 200);
    assert_eq!(all.ask("GET", "/", &[("Host", &host("evil.example"))]).status, 403);
    let ran = all.interrupt();
    assert!(ran.err.contains("note: other machines may reach this address"), "{}", ran.err);
    let ran = usual.interrupt();
    assert!(!ran.err.contains("other machines"), "{}", ran.err);
    refused(&folder, "play --no-open --host no.such.machine.invalid", USAGE, &["no.such.machine"]);
    // An address for documentation, which no machine has.
    refused(&folder, "play --no-open --host 192.0.2.1", INPUT, &["no address of this machine"]);
}

#[test]
fn a_port_is_taken_once() {
    let folder = Folder::new("play-port");
    let (a, b) = (Playing::on_port(&folder, ""), Playing::on_port(&folder, ""));
    assert_ne!(a.address, b.address);
    assert_ne!(a.token, b.token);
    a.tab().works();
    b.tab().works();
    let port = a.address.port();
    let named = [format!("port {port} is in use"), "--port".to_string()];
    let named: Vec<_> = named.iter().map(String::as_str).collect();
    refused(&folder, &format!("play --no-open --port {port}"), INPUT, &named);
    refused(&folder, "play --no-open --port 65536", USAGE, &["from 0 to 65535"]);
    // The token of one is nothing to another.
    let origin = format!("http://{}", a.address);
    assert_eq!(a.open(&format!("/stage?token={}", b.token), Some(&origin)).err(), Some(403));
}

#[test]
fn the_page_begins_with_what_is_asked_for() {
    let folder = Folder::new("play-start");
    let text = map(&["....", ".@..", "...."]);
    folder.write("a.map", &text);
    folder.write("b.txt", "....\n.#..\n....\n");
    let start = |arguments: &str| {
        let playing = Playing::new(&folder, arguments);
        playing.get(&format!("/start.json?token={}", playing.token)).json()
    };
    assert_eq!(start(""), json!({}));
    let builtin = json!({ "open": { "map": { "builtin": "rooms-64" } } });
    assert_eq!(start("--map builtin:rooms-64"), builtin);
    for name in ["a.map", "b.txt"] {
        let file = json!({ "open": { "map": { "file": { "name": name, "text": text } } } });
        assert_eq!(start(&format!("--map {name}")), file);
    }
    let scene = json!({
        "map": { "builtin": "rooms-64" }, "world": "known", "seed": 1, "corners": false, "contestants": ["tick"],
    });
    let messages = json!([{ "open": scene }, { "tick": { "count": 5 } }]);
    let replay = json!({ "tickstar": "0.1.0", "messages": messages });
    folder.write("walk.json", replay.to_string());
    assert_eq!(start("--replay walk.json"), json!({ "replay": replay }));

    folder.write("bad.map", "type octile\nheight 1\nwidth 1\nmap\n");
    refused(&folder, "play --no-open --map bad.map", INPUT, &["bad.map"]);
    refused(&folder, "play --no-open --map none.map", INPUT, &["none.map", "no such file"]);
    refused(&folder, "play --no-open --map builtin:rooms", USAGE, &["there is no map"]);
    refused(&folder, "play --no-open --replay none.json", INPUT, &["none.json"]);
    for bad in ["", "{", "[]", "{}", r#"{"tickstar":"1"}"#, r#"{"tickstar":"1","messages":[1]}"#] {
        folder.write("bad.json", if bad.is_empty() { " " } else { bad });
        refused(&folder, "play --no-open --replay bad.json", INPUT, &["bad.json", "has saved"]);
    }
    refused(&folder, "play --map a.map --replay walk.json", USAGE, &["--map", "--replay"]);
}

#[test]
fn many_sessions_do_not_disturb_each_other_and_one_more_is_refused() {
    let folder = Folder::new("play-many");
    let playing = Playing::new(&folder, "");
    let mut tabs: Vec<Tab> = (0..32).map(|_| playing.tab()).collect();
    thread::scope(|scope| {
        for tab in tabs.iter_mut().take(20) {
            scope.spawn(|| {
                assert_eq!(tab.ask(OPEN)["kind"], "scene");
                for _ in 0..10 {
                    assert_eq!(tab.ask(r#"{"tick":{"count":5}}"#)["kind"], "ticks");
                }
            });
        }
    });
    let mut last = playing.tab();
    let message = last.reply();
    assert_eq!(message["kind"], "error");
    assert!(message["message"].as_str().unwrap().contains("32 sessions"), "{message}");
    match last.receive() {
        Sent::End(CloseCode::Again, reason) => assert!(reason.contains("sessions"), "{reason}"),
        other => panic!("{other:?}"),
    }
    // The page is there all the same, and the others go on.
    assert_eq!(playing.get("/").status, 200);
    for tab in &mut tabs {
        tab.works();
    }
    // One goes, by a word or without, and there is a place.
    for word in [true, false] {
        let mut tab = tabs.pop().unwrap();
        if word {
            tab.0.close(None).unwrap();
        }
        drop(tab);
        tabs.push(enter(&playing));
    }
}

/// A session as soon as there is a place.
fn enter(playing: &Playing) -> Tab {
    loop {
        let mut tab = playing.tab();
        if tab.ask(CATALOG)["kind"] == "catalog" {
            return tab;
        }
    }
}

/// The same scene in a session, as a saved session and on the command line.
#[test]
fn a_session_a_replay_and_the_command_line_give_the_same_records() {
    let folder = Folder::new("play-records");
    let playing = Playing::new(&folder, "");
    for (nth, (world, algorithm, budget)) in
        [("known", "tba:switch=true", 30), ("unknown", "tbaa", 20), ("dynamic:5", "rtb-wastar", 40)]
            .into_iter()
            .enumerate()
    {
        let mut tab = playing.tab();
        let scene = json!({ "open": {
            "map": { "builtin": "rooms-64" }, "world": world, "seed": 4, "start": [2, 3], "goal": [60, 58],
            "budget": budget, "contestants": [algorithm],
        } });
        assert_eq!(tab.ask(scene.to_string())["kind"], "scene");
        while tab.ask(r#"{"tick":{"count":50}}"#)["over"] != true {}
        let records = tab.ask(r#"{"records":{}}"#)["records"].clone();
        let saved = tab.ask(r#"{"save":{}}"#)["replay"].clone();
        let name = format!("walk-{nth}.json");
        folder.write(&name, saved.to_string());
        let replayed = folder.run(&format!("run --replay {name} --json")).good();
        let direct = folder.run(&format!(
            "run --map builtin:rooms-64 --from 2,3 --to 60,58 --world {world} --seed 4 --budget {budget} --json \
             --algorithm {algorithm}"
        ));
        let direct = direct.good();
        assert_eq!(replayed, direct, "{world}");
        let record: Value = serde_json::from_str(&direct).unwrap();
        assert_eq!(records, json!([record]), "{world}");
        let words = folder.run(&format!("run --replay {name}")).good();
        assert!(words.contains(": reached after "), "{words}");
    }
    folder.write("cut.json", r#"{"tickstar": "0.1.0", "messages": [{"open": {"map"#);
    refused(&folder, "run --replay cut.json", INPUT, &["cut.json", "not a session"]);
    refused(&folder, "run --replay none.json", INPUT, &["none.json", "no such file"]);
    folder.write("wrong.json", r#"{"tickstar": "0.1.0", "messages": [{"tick": {"count": 1}}]}"#);
    refused(&folder, "run --replay wrong.json", INPUT, &["wrong.json: message 1: nothing is open"]);
}

#[test]
fn what_is_not_a_request_is_answered_by_an_error() {
    let folder = Folder::new("play-errors");
    let playing = Playing::new(&folder, "");
    let (mut tab, mut other) = (playing.tab(), playing.tab());
    let deep = "[".repeat(100_000);
    for request in ["", "x", "{", "{}", "[]", "null", "1", r#"{"no":{}}"#, &deep] {
        let reply = tab.ask(request);
        assert_eq!(reply["kind"], "error", "{request:.40}: {reply}");
        assert!(reply["message"].as_str().is_some_and(|message| message.len() < 1000), "{reply}");
    }
    tab.0.send(Message::binary(vec![0; 100])).unwrap();
    assert_eq!(tab.reply()["message"], "A request is a text, not a binary message.");
    let large = tab.ask("x".repeat(5 << 20));
    assert!(large["message"].as_str().unwrap().contains("the largest may have 4194304"), "{large}");
    tab.works();
    // Just as large as it may be.
    assert_eq!(
        tab.ask(format!("{CATALOG}{}", " ".repeat((4 << 20) - CATALOG.len())))["kind"],
        "catalog"
    );
    // Much larger: it is not read.
    if tab.0.send(Message::text("x".repeat(20 << 20))).is_ok() {
        assert!(matches!(tab.receive(), Sent::End(CloseCode::Size, _)));
    }
    other.works();
}

#[cfg(target_os = "linux")]
#[test]
fn a_browser_that_does_not_read_does_not_make_the_server_grow() {
    use std::io::ErrorKind;
    use std::time::Duration;

    let folder = Folder::new("play-deaf");
    let playing = Playing::new(&folder, "");
    let mut other = playing.tab();
    other.works();
    let before = playing.memory();
    let mut deaf: Vec<_> = (0..4).map(|_| playing.tab()).collect();
    // Each is 64 KB, and its reply not small: together they would be far more than the bound.
    let request = format!("{CATALOG}{}", " ".repeat(1 << 16));
    let mut stopped = 0;
    for tab in &mut deaf {
        tab.0.get_mut().set_write_timeout(Some(Duration::from_secs(2))).unwrap();
        for _ in 0..2000 {
            match tab.0.send(Message::text(request.clone())) {
                Ok(()) => {}
                Err(tungstenite::Error::Io(error)) if error.kind() == ErrorKind::WouldBlock => {
                    stopped += 1;
                    break;
                }
                Err(error) => panic!("{error}"),
            }
        }
    }
    assert_eq!(stopped, 4, "the server reads on");
    let after = playing.memory();
    assert!(after < before + (64 << 20), "{before} bytes, then {after}");
    other.works();
    drop(deaf);
    other.works();
}

#[cfg(target_os = "linux")]
#[test]
fn closed_sessions_free_their_memory() {
    let folder = Folder::new("play-memory");
    let playing = Playing::new(&folder, "");
    let round = || {
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let mut tab = enter(&playing);
                    let open = r#"{"open":{"map":{"generated":{"kind":"caves","side":512,"seed":1}},"contestants":["astar"]}}"#;
                    assert_eq!(tab.ask(open)["kind"], "scene");
                    tab.ask(r#"{"tick":{"count":50}}"#);
                });
            }
        });
        // All places are free again, and so all threads have ended.
        let all: Vec<_> = (0..32).map(|_| enter(&playing)).collect();
        drop(all);
        playing.memory()
    };
    let first = round();
    for _ in 0..4 {
        round();
    }
    let last = round();
    assert!(last < first + first / 2 + (64 << 20), "{first} bytes, then {last}");
}

#[test]
fn ctrl_c_ends_the_program_and_tells_the_sessions() {
    let folder = Folder::new("play-interrupt");
    let ran = Playing::new(&folder, "").interrupt();
    assert_eq!((ran.code, ran.out.as_str()), (Some(130), ""));
    assert!(ran.err.ends_with("stopped\n"), "{}", ran.err);
    let playing = Playing::new(&folder, "");
    let (mut tab, mut busy, mut deaf) = (playing.tab(), playing.tab(), playing.tab());
    let _idle = playing.connect();
    tab.works();
    busy.send(r#"{"open":{"map":{"generated":{"kind":"rooms","side":1024,"seed":3}},"contestants":["pra"]}}"#);
    for _ in 0..100 {
        deaf.send(CATALOG);
    }
    let ran = playing.interrupt();
    assert_eq!(ran.code, Some(130), "{}", ran.err);
    match tab.receive() {
        Sent::End(CloseCode::Away, reason) => assert!(reason.contains("ended"), "{reason}"),
        other @ (Sent::End(..) | Sent::Reply(_)) => panic!("{other:?}"),
    }
}
