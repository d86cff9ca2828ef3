//! `tickstar maps get`, against a server on this machine: whatever the server does, a file is right or not there.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use sha2::{Digest, Sha256};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::support::{Folder, INPUT, Ran, USAGE, map, read, refused, wait};
use crate::web::{Page, Request, Server};

const ARCHIVE: &str = "/mine/mine-map.zip";
const NOTHING: &[&str] = &[];

/// A map with cells at random, so that an archive of it is not small.
fn noise(seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut cell = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        if state >> 63 == 0 { '.' } else { '@' }
    };
    let rows: Vec<String> = (0..200).map(|_| (0..1000).map(|_| cell()).collect()).collect();
    map(&rows.iter().map(String::as_str).collect::<Vec<_>>())
}

fn zipped<B: AsRef<[u8]>>(members: &[(&str, B)]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, bytes) in members {
        archive.start_file(*name, options).unwrap();
        archive.write_all(bytes.as_ref()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

fn hash(bytes: impl AsRef<[u8]>) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
}

/// A row of a list.
fn row(folder: &str, name: &str, map: &str, scen: Option<&str>) -> String {
    let scen = scen.map_or("-".to_string(), hash);
    format!("{folder}\t{name}\t1000\t200\t{}\t{scen}\n", hash(map))
}

/// Two maps in one archive on a server, the list of them, and a folder to run in.
struct Setting {
    folder: Folder,
    server: Server,
    maps: [String; 2],
    archive: Vec<u8>,
}

impl Setting {
    fn new(name: &str) -> Setting {
        let (folder, server) = (Folder::new(name), Server::new());
        let maps = [noise(1), noise(2)];
        let archive = zipped(&[("a.map", &maps[0]), ("b.map", &maps[1])]);
        assert!(archive.len() > 50_000, "{}", archive.len());
        let list = row("mine", "a.map", &maps[0], None) + &row("mine", "b.map", &maps[1], None);
        folder.write("list", list);
        server.put(ARCHIVE, Page::new(archive.clone()));
        Setting { folder, server, maps, archive }
    }

    fn page(&self) -> Page {
        Page::new(self.archive.clone())
    }

    fn arguments(&self, more: &str) -> String {
        format!("maps get got --list list --from {} {more}", self.server.address)
    }

    fn get(&self, more: &str) -> Ran {
        let arguments = self.arguments(more);
        let arguments: Vec<&str> = arguments.split_whitespace().collect();
        self.folder.run_guarded(&arguments, "maps get")
    }

    /// Runs it, expects that something is missing, and returns the messages.
    fn fails(&self, more: &str) -> String {
        let ran = self.get(more);
        assert_eq!((ran.code, ran.out.as_str()), (Some(INPUT), ""), "{}", ran.err);
        ran.err
    }

    fn succeeds(&self) {
        assert!(self.get("").good().starts_with("All 2 files are in got (2 new).\n"));
        self.is_complete();
    }

    /// Both maps are there, and nothing else.
    fn is_complete(&self) {
        let expected = [("mine/a.map", &self.maps[0]), ("mine/b.map", &self.maps[1])];
        let expected = expected.map(|(name, text)| (name.to_string(), text.clone().into_bytes()));
        assert!(self.there() == BTreeMap::from(expected), "{:?}", self.names());
    }

    /// What is there.
    fn there(&self) -> BTreeMap<String, Vec<u8>> {
        files_below(&self.folder.path("got"))
    }

    fn names(&self) -> Vec<String> {
        self.there().into_keys().collect()
    }

    /// Where the range of each request since the last call begins.
    fn ranges(&self) -> Vec<Option<usize>> {
        self.server.requests().iter().map(|request| request.range).collect()
    }

    /// Runs it while the server cuts the connection after these bytes.
    fn cut_after(&self, bytes: usize) {
        self.server.put(ARCHIVE, Page { cut: Some(bytes), ..self.page() });
        let messages = self.fails("");
        let kept = format!(
            "the download broke off after {bytes} bytes: the server closed the connection; they are kept"
        );
        assert!(messages.contains(&kept), "{messages}");
        assert!(
            messages.contains("0 of 2 files are in got (0 new); missing: 2 in mine"),
            "{messages}"
        );
        self.server.requests();
        self.server.sent();
    }
}

/// The files below a folder by their names.
fn files_below(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_string();
                found.insert(name, fs::read(path).unwrap());
            }
        }
    }
    found
}

#[test]
fn all_files_are_there_and_are_not_downloaded_again() {
    let setting = Setting::new("get-complete");
    setting.succeeds();
    assert_eq!(setting.ranges(), [None]);
    let out = setting.get("").good();
    assert_eq!(out, "All 2 files are in got (0 new).\n");
    assert_eq!(setting.server.requests(), []);
    // Only what is missing or wrong is touched.
    fs::remove_file(setting.folder.path("got/mine/a.map")).unwrap();
    setting.folder.write("got/mine/other.map", "ours");
    assert!(setting.get("").good().starts_with("All 2 files are in got (1 new).\n"));
    setting.folder.write("got/mine/b.map", "wrong");
    assert!(setting.get("").good().starts_with("All 2 files are in got (1 new).\n"));
    assert_eq!(setting.folder.text("got/mine/other.map"), "ours");
    fs::remove_file(setting.folder.path("got/mine/other.map")).unwrap();
    setting.is_complete();
}

#[test]
fn sets_and_scenario_files_are_chosen() {
    let setting = Setting::new("get-scenarios");
    let (known, unknown) = ("version 1\nknown\n", "version 1\nunknown\n");
    let list = row("rooms", "a.map", &setting.maps[0], Some(known))
        + &row("rooms", "b.map", &setting.maps[1], None)
        + &row("mine", "a.map", &setting.maps[0], None);
    setting.folder.write("list", list);
    setting.server.put("/room/room-map.zip", setting.page());
    // Folders in an archive do not matter, nor do those that lead elsewhere.
    let members = [("room/a.map.scen", known), ("../../b.map.scen", unknown), ("more.scen", "")];
    setting.server.put("/room/room-scen.zip", Page::new(zipped(&members)));
    let out = setting.get("--only rooms --scenarios").good();
    assert!(out.starts_with("All 4 files are in got (4 new).\n"), "{out}");
    assert!(out.contains("Not checked, as their SHA-256 is not known: 1 scenario file."), "{out}");
    assert!(out.contains("https://movingai.com/benchmarks, Open Data Commons Attribution License"));
    let names = ["rooms/a.map", "rooms/a.map.scen", "rooms/b.map", "rooms/b.map.scen"];
    assert_eq!(setting.names(), names);
    assert_eq!(setting.folder.text("got/rooms/b.map.scen"), unknown);
    assert_eq!(files_below(&setting.folder.path(".")).len(), 5, "nothing is elsewhere");
    let asked: Vec<_> = setting.server.requests().into_iter().map(|request| request.path).collect();
    assert_eq!(asked, ["/room/room-map.zip", "/room/room-scen.zip"]);
    // One whose hash is not known is not downloaded again either.
    assert!(setting.get("--only rooms --scenarios").good().contains("(0 new).\nNot checked"));
    assert_eq!(setting.server.requests(), []);
}

#[test]
fn a_download_that_broke_off_is_continued() {
    let setting = Setting::new("get-resume");
    setting.cut_after(20_000);
    assert_eq!(setting.folder.read("got/mine-map.zip.part"), setting.archive[..20_000]);
    // Twice.
    setting.server.put(ARCHIVE, Page { cut: Some(10_000), ..setting.page() });
    assert!(setting.fails("").contains("broke off after 30000 bytes"));
    setting.server.put(ARCHIVE, setting.page());
    setting.succeeds();
    let asked = |range| Request {
        path: ARCHIVE.to_string(),
        range: Some(range),
        if_range: Some("\"one\"".to_string()),
    };
    assert_eq!(setting.server.requests(), [asked(20_000), asked(30_000)]);
    assert_eq!(setting.server.sent(), setting.archive.len() - 20_000);
}

#[test]
fn a_server_without_ranges_sends_all_of_it() {
    let setting = Setting::new("get-no-ranges");
    setting.cut_after(20_000);
    setting.server.put(ARCHIVE, Page { ranges: false, ..setting.page() });
    setting.succeeds();
    assert_eq!(setting.ranges(), [Some(20_000)]);
    assert_eq!(setting.server.sent(), setting.archive.len());
}

#[test]
fn an_archive_that_changed_is_downloaded_anew() {
    // It is larger now, and in another order.
    let changed = |setting: &Setting| {
        let [a, b] = &setting.maps;
        Page { etag: Some("\"two\""), ..Page::new(zipped(&[("b.map", b), ("c", a), ("a.map", a)])) }
    };
    let setting = Setting::new("get-changed");
    setting.cut_after(20_000);
    setting.server.put(ARCHIVE, changed(&setting));
    setting.succeeds();
    assert_eq!(setting.ranges(), [Some(20_000)], "the server compares");

    let setting = Setting::new("get-changed-2");
    setting.cut_after(20_000);
    setting.server.put(ARCHIVE, Page { compares: false, ..changed(&setting) });
    setting.succeeds();
    assert_eq!(setting.ranges(), [Some(20_000), None], "the tag differs");

    let setting = Setting::new("get-changed-3");
    setting.cut_after(20_000);
    setting.server.put(ARCHIVE, Page { compares: false, etag: None, ..changed(&setting) });
    setting.succeeds();
    assert_eq!(setting.ranges(), [Some(20_000), None], "the size differs");

    // Nothing says that it is another archive, but what comes out is not right.
    let setting = Setting::new("get-changed-4");
    let [a, b] = &setting.maps;
    setting.cut_after(20_000);
    let swapped = Page::new(zipped(&[("b.map", b), ("a.map", a)]));
    assert_eq!(swapped.bytes.len(), setting.archive.len());
    setting.server.put(ARCHIVE, swapped);
    setting.succeeds();
    assert_eq!(setting.ranges(), [Some(20_000), None], "the maps differ");

    // It is smaller than what is there.
    let setting = Setting::new("get-changed-5");
    setting.folder.write("got/mine-map.zip.part", vec![0; setting.archive.len() + 1]);
    let facts = format!(
        r#"{{"address":"{}{ARCHIVE}","size":null,"etag":null,"modified":null}}"#,
        setting.server.address
    );
    setting.folder.write("got/mine-map.zip.part.json", facts);
    setting.succeeds();
    assert_eq!(setting.ranges(), [Some(setting.archive.len() + 1), None]);
}

#[test]
fn a_part_of_which_nothing_is_known_is_not_continued() {
    let setting = Setting::new("get-strange-part");
    setting.cut_after(20_000);
    setting.folder.write("got/mine-map.zip.part.json", "{\"address\":");
    setting.server.put(ARCHIVE, setting.page());
    setting.succeeds();
    // Nor one from another server.
    let other = Setting::new("get-strange-part-2");
    other.cut_after(20_000);
    let from = &setting.server.address;
    fs::remove_dir_all(setting.folder.path("got")).unwrap();
    assert!(other.folder.run(&format!("maps get got --list list --from {from}")).code == Some(0));
    other.is_complete();
    assert_eq!(setting.ranges(), [None, None]);
}

/// Starts it while the server stalls after these bytes, and waits until they are there.
#[cfg(unix)]
fn stalled(setting: &Setting, bytes: usize) -> std::process::Child {
    setting.server.put(ARCHIVE, Page { stall: Some(bytes), ..setting.page() });
    let arguments = setting.arguments("");
    let mut command = setting.folder.command(arguments.split_whitespace());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let part = setting.folder.path("got/mine-map.zip.part");
    while !part.metadata().is_ok_and(|facts| facts.len() == bytes as u64) {
        sleep(Duration::from_millis(10));
    }
    child
}

#[cfg(unix)]
#[test]
fn a_run_that_was_killed_is_continued() {
    let setting = Setting::new("get-kill");
    let mut child = stalled(&setting, 30_000);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(setting.names(), ["mine-map.zip.part", "mine-map.zip.part.json"]);
    setting.server.put(ARCHIVE, setting.page());
    setting.succeeds();
    assert_eq!(setting.ranges(), [None, Some(30_000)]);
    // Killed when all had arrived, and in the middle of a file.
    let setting = Setting::new("get-kill-2");
    setting.cut_after(30_000);
    setting.folder.write("got/mine-map.zip.part", &setting.archive);
    setting.folder.write("got/mine/a.map.new", "type oct");
    setting.succeeds();
    assert_eq!(setting.server.requests(), []);
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_what_has_arrived() {
    let setting = Setting::new("get-ctrl-c");
    let child = stalled(&setting, 30_000);
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let ran = read(&wait(child, "maps get"), "maps get");
    assert_eq!(ran.code, Some(130));
    assert_eq!(ran.err, "stopped: what is downloaded is kept, and the same command continues\n");
    setting.server.put(ARCHIVE, setting.page());
    setting.succeeds();
    assert_eq!(setting.ranges(), [None, Some(30_000)]);
}

#[test]
fn a_server_that_stalls_is_left() {
    let setting = Setting::new("get-stall");
    setting.server.put(ARCHIVE, Page { stall: Some(30_000), ..setting.page() });
    let messages = setting.fails("--patience 1");
    assert!(
        messages.contains("broke off after 30000 bytes: nothing arrived for too long"),
        "{messages}"
    );
    setting.server.put(ARCHIVE, setting.page());
    setting.succeeds();
    assert_eq!(setting.ranges(), [None, Some(30_000)]);
}

#[test]
fn another_file_than_the_one_expected_is_refused() {
    let setting = Setting::new("get-hash");
    let [a, b] = &setting.maps;
    setting.server.put(ARCHIVE, Page::new(zipped(&[("a.map", a.as_str()), ("b.map", "other")])));
    let messages = setting.fails("");
    let expected = format!(
        "mine-map.zip: b.map is another file than the list's: expected SHA-256 {}, found {}\n",
        hash(b),
        hash("other")
    );
    assert!(
        messages.starts_with(&format!("error: {}/mine/", setting.server.address)),
        "{messages}"
    );
    assert!(messages.contains(&expected), "{messages}");
    assert!(messages.ends_with("error: 1 of 2 files are in got (1 new); missing: 1 in mine\n"));
    assert_eq!(setting.names(), ["mine/a.map"], "nothing that is wrong is kept");
    // What was there stays, right or wrong.
    setting.folder.write("got/mine/b.map", "ours");
    setting.fails("");
    assert_eq!(setting.folder.text("got/mine/b.map"), "ours");
    // Of two with the same name, the right one.
    setting.server.put(ARCHIVE, Page::new(zipped(&[("x/b.map", "other"), ("y/b.map", b)])));
    assert!(setting.get("").good().contains("(1 new)"));
    setting.is_complete();
}

#[test]
fn what_is_not_in_the_archive_is_named() {
    let setting = Setting::new("get-member");
    setting.server.put(ARCHIVE, Page::new(zipped(&[("b.map", &setting.maps[1])])));
    let messages = setting.fails("");
    assert!(messages.contains("mine-map.zip: there is no a.map in it\n"), "{messages}");
    assert_eq!(setting.names(), ["mine/b.map"]);
    // Of many, the first.
    let rows: String = (0..9).map(|n| row("mine", &format!("{n}.map"), "", None)).collect();
    setting.folder.write("list", rows);
    let messages = setting.fails("");
    assert_eq!(messages.matches("there is no").count(), 5, "{messages}");
    assert!(messages.contains("error: and 4 files more of this archive\n"), "{messages}");
}

#[test]
fn one_archive_that_is_missing_does_not_stop_the_others() {
    let setting = Setting::new("get-404");
    let [a, b] = &setting.maps;
    let list = ["first", "mine", "rooms"].map(|folder| row(folder, "a.map", a, None)).concat();
    setting.folder.write("list", list + &row("mine", "b.map", b, None));
    setting.server.put("/room/room-map.zip", Page::status(503, "busy"));
    let messages = setting.fails("");
    let address = &setting.server.address;
    for line in [
        format!(
            "error: {address}/first/first-map.zip: there is no such archive (the server answered 404)"
        ),
        format!(
            "error: {address}/room/room-map.zip: expected the archive, but the server answered 503"
        ),
        format!("  {address}/first/first-map.zip"),
        format!("  {address}/room/room-map.zip"),
        "error: 2 of 4 files are in got (2 new); missing: 1 in first, 1 in rooms".to_string(),
    ] {
        assert!(messages.lines().any(|found| found == line), "{line}: {messages}");
    }
    setting.is_complete();
}

#[test]
fn without_a_network_it_says_what_to_do() {
    let mut setting = Setting::new("get-unreachable");
    // A port that was free a moment ago.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    setting.server.address = format!("http://{free}");
    let [a, b] = &setting.maps;
    let list = ["dao", "rooms"].map(|folder| row(folder, "a.map", a, None)).concat();
    setting
        .folder
        .write("list", list + &row("mine", "b.map", b, None) + &row("mine", "a.map", a, None));
    let messages = setting.fails("");
    let expected = format!(
        "error: http://{free}/dao/dao-map.zip: the server cannot be reached (is there a network?): it refuses connections\n\
         To do without this server, put these archives into got and run the same command again, or name a mirror by --from URL:\n  \
         http://{free}/dao/dao-map.zip\n  \
         http://{free}/mine/mine-map.zip\n  \
         http://{free}/room/room-map.zip\n\
         error: 0 of 4 files are in got (0 new); missing: 1 in dao, 2 in mine, 1 in rooms\n"
    );
    assert_eq!(messages, expected);
    // By hand.
    setting.folder.write("got/mine-map.zip", &setting.archive);
    let messages = setting.fails("");
    assert!(
        messages
            .ends_with("error: 2 of 4 files are in got (2 new); missing: 1 in dao, 1 in rooms\n")
    );
    assert_eq!(
        setting.names(),
        ["mine-map.zip", "mine/a.map", "mine/b.map"],
        "it is not ours to remove"
    );
    setting.folder.write("got/dao-map.zip", "no archive");
    let messages = setting.fails("--only dao");
    assert!(
        messages.contains("error: got/dao-map.zip: this is not a sound zip archive: "),
        "{messages}"
    );
    assert!(
        messages.contains("note: got/dao-map.zip is used as it is; remove it to download"),
        "{messages}"
    );
}

#[test]
fn what_is_no_sound_archive_is_refused() {
    let setting = Setting::new("get-no-zip");
    let half = setting.archive[..setting.archive.len() / 2].to_vec();
    let mut damaged = setting.archive.clone();
    damaged[1000..1100].fill(0);
    for (bytes, what) in [
        (b"<html>try again later</html>".to_vec(), "this is not a sound zip archive"),
        (Vec::new(), "this is not a sound zip archive"),
        (half, "this is not a sound zip archive"),
        (damaged, "a.map cannot be unpacked: "),
    ] {
        setting.server.put(ARCHIVE, Page::new(bytes));
        let messages = setting.fails("");
        let named = format!("error: {}{ARCHIVE}: {what}", setting.server.address);
        assert!(messages.starts_with(&named), "{messages}");
        assert!(setting.names().iter().all(|name| name == "mine/b.map"), "{:?}", setting.names());
    }
    setting.server.put(ARCHIVE, setting.page());
    assert!(setting.get("").good().contains("(1 new)"));
    setting.is_complete();
}

#[test]
fn what_is_too_large_is_refused() {
    let setting = Setting::new("get-large");
    setting.server.put(ARCHIVE, Page { states: Some(300 << 20), ..setting.page() });
    let messages = setting.fails("");
    assert!(messages.contains("mine-map.zip: this is larger than 200 MB"), "{messages}");
    assert_eq!(setting.names(), NOTHING);
    // A small archive of a large file.
    let bomb = zipped(&[("a.map", vec![b'.'; 65 << 20])]);
    assert!(bomb.len() < 1 << 20);
    setting.server.put(ARCHIVE, Page::new(bomb));
    let messages = setting.fails("");
    assert!(messages.contains("mine-map.zip: a.map is larger than 64 MB"), "{messages}");
    assert_eq!(setting.names(), NOTHING);
}

#[test]
fn redirects_are_followed_but_not_forever() {
    let setting = Setting::new("get-redirect");
    setting.server.put("/elsewhere.zip", setting.page());
    setting.server.put(ARCHIVE, Page::status(302, "/elsewhere.zip"));
    setting.succeeds();
    fs::remove_dir_all(setting.folder.path("got")).unwrap();
    setting.server.put(ARCHIVE, Page::status(302, ARCHIVE));
    setting.server.requests();
    assert!(setting.fails("").contains("it redirects too often"));
    assert!(setting.server.requests().len() < 10);
}

#[test]
fn a_folder_that_cannot_be_used_is_named() {
    let setting = Setting::new("get-folder");
    setting.folder.write("got", "a file");
    let arguments = setting.arguments("");
    refused(&setting.folder, &arguments, INPUT, &["got: this is a file, a folder was expected"]);
    let setting = Setting::new("get-folder-2");
    setting.folder.write("got/mine", "a file");
    assert!(setting.fails("").contains("error: got/mine: cannot be written: "));
    assert_eq!(setting.server.requests().len(), 1);
    assert_eq!(setting.folder.text("got/mine"), "a file");
}

#[cfg(unix)]
#[test]
fn a_folder_that_is_read_only_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let setting = Setting::new("get-read-only");
    let got = setting.folder.path("got");
    fs::create_dir_all(&got).unwrap();
    fs::set_permissions(&got, fs::Permissions::from_mode(0o555)).unwrap();
    // Root may write everywhere.
    if fs::write(got.join("probe"), "").is_err() {
        let messages = setting.fails("");
        assert!(
            messages.contains("mine-map.zip.part: cannot be written: permission denied"),
            "{messages}"
        );
    }
    fs::set_permissions(&got, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn mistakes_are_named() {
    let setting = Setting::new("get-mistakes");
    let get = |more: &str| setting.arguments(more);
    let folder = "--only: there is no folder `mime`; did you mean `mine`?";
    refused(&setting.folder, &get("--only mime"), USAGE, &[folder]);
    for from in ["movingai.com", "ftp://a/b", "file:///a", "http://", "https://a/b?c"] {
        let expected = "expected an address such as https://movingai.com/benchmarks";
        refused(&setting.folder, &format!("maps get got --from {from}"), USAGE, &[expected]);
    }
    setting.folder.write("bad", "mine a.map\n");
    let fields = "bad: line 1: expected 6 fields with tabs between";
    refused(&setting.folder, "maps get got --list bad", INPUT, &[fields]);
    refused(&setting.folder, "maps get got --list no", INPUT, &["no: there is no such file"]);
    assert_eq!(setting.server.requests(), []);
}

/// The list of this repository against the true maps, zipped as the benchmark has them.
#[test]
#[cfg_attr(not(benchmark_maps), ignore = "needs the benchmark maps in ../shared")]
fn the_maps_of_the_benchmark_are_those_of_the_list() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/maps");
    let (folder, server) = (Folder::new("get-benchmark"), Server::new());
    let sets = [
        ("bg-512", "bg512"),
        ("dao", "dao"),
        ("maze", "maze"),
        ("random", "random"),
        ("rooms", "room"),
        ("starcraft", "sc1"),
        ("wc3-512", "wc3maps512"),
    ];
    let mut expected = BTreeMap::new();
    for (name, set) in sets {
        let is_map = |path: &PathBuf| path.extension().is_some_and(|kind| kind == "map");
        let paths = fs::read_dir(shared.join(name)).unwrap().map(|entry| entry.unwrap().path());
        let maps: Vec<(String, Vec<u8>)> = paths
            .filter(is_map)
            .map(|path| {
                (path.file_name().unwrap().to_str().unwrap().into(), fs::read(path).unwrap())
            })
            .collect();
        let members: Vec<_> = maps.iter().map(|(name, bytes)| (name.as_str(), bytes)).collect();
        server.put(&format!("/{set}/{set}-map.zip"), Page::new(zipped(&members)));
        expected.extend(maps.into_iter().map(|(map, bytes)| (format!("{name}/{map}"), bytes)));
    }
    let out = folder.run(&format!("maps get got --from {}", server.address)).good();
    assert!(out.starts_with("All 170 files are in got (170 new).\n"), "{out}");
    assert!(files_below(&folder.path("got")) == expected, "the files differ");
}
