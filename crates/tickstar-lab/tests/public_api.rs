//! The engine's public API as a committed list, so that every change of it is seen in a diff.
//!
//! `testdata/public-api.txt` has one line per public item: its shortest public path, its kind and its
//! signature. The tree of items is taken from the JSON that rustdoc writes, and the signatures from the
//! source, because the JSON describes types in a form that changes with the compiler. All features are
//! on. Items that are hidden in the documentation are left out.
//!
//! ```sh
//! # Accept a changed API, then look at the diff:
//! TICKSTAR_BLESS=1 cargo test -p tickstar-lab --test public_api
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use serde_json::Value;

/// How many names the crate root exports, modules not counted.
const ROOT_NAMES: std::ops::RangeInclusive<usize> = 15..=26;

/// Auto traits whose absence is listed. Others are of no concern to users.
const AUTO_TRAITS: [&str; 3] = ["Send", "Sync", "Unpin"];

const FILE: &str = "testdata/public-api.txt";

const HEADER: &str = "\
# The public API of the engine: path, kind, signature. Written by a test; do not edit. To accept changes:
# TICKSTAR_BLESS=1 cargo test -p tickstar-lab --test public_api
";

static API: LazyLock<Api> = LazyLock::new(|| Api::read(&rustdoc_json()));

#[test]
fn the_public_api_is_the_committed_one() {
    let file = workspace().join(FILE);
    let text = API.lines.iter().fold(HEADER.to_string(), |text, line| text + line + "\n");
    if std::env::var_os("TICKSTAR_BLESS").is_some() {
        std::fs::write(&file, text).unwrap();
        return;
    }
    let committed = std::fs::read_to_string(&file).unwrap_or_default().replace("\r\n", "\n");
    if text == committed {
        return;
    }
    let [old, new] = [&committed, &text].map(|text| text.lines().collect::<BTreeSet<_>>());
    let gone = old.difference(&new).map(|line| (line, '-'));
    let added = new.difference(&old).map(|line| (line, '+'));
    let changes: BTreeSet<_> = gone.chain(added).collect();
    let changes: Vec<_> = changes.iter().map(|(line, sign)| format!("{sign} {line}")).collect();
    panic!(
        "the public API differs from {FILE}:\n{}\n\
         If this is meant, accept it:\n\
         TICKSTAR_BLESS=1 cargo test -p tickstar-lab --test public_api",
        changes.join("\n")
    );
}

#[test]
fn the_root_exports_about_twenty_names() {
    let names = &API.root_names;
    println!("{} names at the root: {}", names.len(), names.join(", "));
    assert!(
        ROOT_NAMES.contains(&names.len()),
        "the crate root exports {} names, not {ROOT_NAMES:?}: {}",
        names.len(),
        names.join(", ")
    );
}

#[test]
fn signatures_end_where_the_body_begins() {
    let text = "pub fn f<T: Fn(u32) -> u8>(\n    mut a: [u8; 3], // why\n    b: T,\n) -> Option<T>\nwhere\n    T: Copy,\n{ 1 }";
    let expected = "pub fn f<T: Fn(u32) -> u8>(a: [u8; 3], b: T) -> Option<T> where T: Copy";
    assert_eq!(head(text, "{;"), (expected.to_string(), Some('{')));
    assert_eq!(head("fn g(&self) -> u8;", "{;"), ("fn g(&self) -> u8".to_string(), Some(';')));
    assert_eq!(head("pub struct S<T>(T);", "{;("), ("pub struct S<T>".to_string(), Some('(')));
    assert_eq!(head("A: [u8; 2] = [1; 2];", "=;"), ("A: [u8; 2]".to_string(), Some('=')));
    assert_eq!(head("pub x: u32", ""), ("pub x: u32".to_string(), None));
}

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Lets rustdoc describe the engine. The output is unstable, hence the variable that allows it.
fn rustdoc_json() -> Value {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("public-api");
    let output = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()))
        .current_dir(workspace())
        .env("RUSTC_BOOTSTRAP", "1")
        .env_remove("RUSTDOCFLAGS")
        .args(["rustdoc", "-p", "tickstar", "--lib", "--all-features", "--locked", "--target-dir"])
        .arg(&target)
        .args(["--", "-Z", "unstable-options", "--output-format", "json"])
        .output()
        .expect("cargo cannot be run");
    assert!(
        output.status.success(),
        "the public API cannot be checked: `cargo rustdoc` failed. Does this compiler's rustdoc accept \
         `-Z unstable-options --output-format json` with RUSTC_BOOTSTRAP=1?\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let file = target.join("doc/tickstar.json");
    let text = std::fs::read_to_string(&file).unwrap_or_else(|error| {
        panic!("the public API cannot be checked: rustdoc wrote no {}: {error}", file.display())
    });
    serde_json::from_str(&text).expect("rustdoc writes JSON")
}

/// The public API.
#[derive(Default)]
struct Api {
    lines: BTreeSet<String>,
    /// The names in the crate root that are not modules.
    root_names: Vec<String>,
}

/// What rustdoc writes, and the public paths found in it.
struct Crate<'j> {
    json: &'j Value,
    /// The shortest public path of each item, by its id.
    paths: BTreeMap<String, String>,
    /// The shortest public path of each type alias, by its name.
    aliases: BTreeMap<String, String>,
    api: Api,
}

impl Api {
    fn read(json: &Value) -> Api {
        let mut this =
            Crate { json, paths: BTreeMap::new(), aliases: BTreeMap::new(), api: Api::default() };
        this.find_paths();
        for (id, path) in this.paths.clone() {
            this.list(&id, &path);
        }
        this.list_impls();
        this.api
    }
}

impl<'j> Crate<'j> {
    /// Finds the shortest public path of every item, level by level, and lists the other paths as
    /// re-exports.
    fn find_paths(&mut self) {
        let root = key(get(self.json, "root"));
        self.paths.insert(root.clone(), "tickstar".to_string());
        let mut level = vec![root.clone()];
        while !level.is_empty() {
            let mut entries = Vec::new();
            for module in &level {
                let path = &self.paths[module];
                for id in keys(get(self.inner(module).1, "items")) {
                    if get(self.item(&id), "visibility") == "public" {
                        let (name, id, source) = self.resolve(id);
                        entries.push((format!("{path}::{name}"), id, source));
                        if *module == root && !self.is(&entries.last().unwrap().1, "module") {
                            self.api.root_names.push(name);
                        }
                    }
                }
            }
            entries.sort();
            level.clear();
            for (path, id, source) in entries {
                if let Some(known) = self.paths.get(&id) {
                    self.api.lines.insert(format!("{path}  re-export of {known}"));
                } else if self.json["index"].get(&id).is_none() {
                    self.api.lines.insert(format!("{path}  re-export of {source}"));
                } else {
                    if self.is(&id, "module") {
                        level.push(id.clone());
                    }
                    if self.is(&id, "type_alias") {
                        self.aliases.insert(self.name(&id), path.clone());
                    }
                    self.paths.insert(id, path);
                }
            }
        }
        self.api.root_names.sort();
    }

    /// Follows re-exports: the public name, the id of the item itself, and what the source calls it.
    fn resolve(&self, id: String) -> (String, String, String) {
        let (mut name, mut id, mut source) = (None, id, String::new());
        while self.is(&id, "use") {
            let used = self.inner(&id).1;
            assert_ne!(used["is_glob"], true, "re-export items by name: globs are not listed");
            name.get_or_insert(string(get(used, "name")));
            source = string(get(used, "source"));
            id = key(get(used, "id"));
        }
        (name.unwrap_or_else(|| self.name(&id)), id, source)
    }

    /// Lists an item and what it contains.
    fn list(&mut self, id: &str, path: &str) {
        let (kind, inner) = self.inner(id);
        match kind {
            "module" => self.line(path, "mod", id, ""),
            "struct" => {
                let (fields, hidden) = fields(get(inner, "kind"));
                let kind = if hidden { "struct with private fields" } else { "struct" };
                self.line(path, kind, id, &self.signature(id, "{;("));
                for field in fields {
                    let path = format!("{path}.{}", self.name(&field));
                    self.line(&path, "field", &field, &self.signature(&field, ""));
                }
            }
            "enum" => {
                self.line(path, "enum", id, &self.signature(id, "{"));
                for variant in keys(get(inner, "variants")) {
                    let path = format!("{path}::{}", self.name(&variant));
                    self.line(&path, "variant", &variant, &self.signature(&variant, "{("));
                    for field in fields(get(self.inner(&variant).1, "kind")).0 {
                        let path = format!("{path}.{}", self.name(&field));
                        self.line(&path, "field", &field, &self.signature(&field, ""));
                    }
                }
            }
            "trait" => {
                self.line(path, "trait", id, &self.signature(id, "{"));
                for item in keys(get(inner, "items")) {
                    self.member(path, &item, true, "");
                }
            }
            "function" => self.line(path, "fn", id, &self.signature(id, "{;")),
            "type_alias" => self.line(path, "type", id, &self.signature(id, ";")),
            other => self.line(path, other, id, &self.signature(id, "={;")),
        }
    }

    /// Lists a function, constant or type of an `impl` or a trait.
    fn member(&mut self, owner: &str, id: &str, of_trait: bool, within: &str) {
        let (kind, stops) = match self.inner(id).0 {
            "function" => ("fn", "{;"),
            "assoc_const" => ("const", "=;"),
            "assoc_type" => ("type", ";"),
            other => (other, "={;"),
        };
        let (signature, end) = head(&self.text(id), stops);
        let kind = match (of_trait, end) {
            (false, _) => kind.to_string(),
            (true, Some('{' | '=')) => format!("provided {kind}"),
            (true, _) => format!("required {kind}"),
        };
        let path = format!("{owner}::{}", self.name(id));
        self.line(&path, &kind, id, &format!("{signature}{within}"));
    }

    /// Lists the public items of inherent `impl` blocks, and the traits that types have. Traits that are
    /// derived or made by other macros stand in one line per type.
    fn list_impls(&mut self) {
        let mut derived: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let index = get(self.json, "index").as_object().expect("an index of items");
        for id in index.keys() {
            if !self.is(id, "impl") {
                continue;
            }
            let inner = self.inner(id).1;
            let of = &get(inner, "for")["resolved_path"]["id"];
            let of = self.paths.get(&key(of)).cloned();
            let of_trait = get(inner, "trait");
            if !get(inner, "blanket_impl").is_null() {
                continue;
            }
            if of_trait.is_null() {
                let Some(of) = of else { continue };
                let (block, _) = head(&self.text(id), "{");
                let alias = block.strip_prefix("impl ").and_then(|name| self.aliases.get(name));
                let owner = alias.cloned().unwrap_or(of);
                let within =
                    if block.contains('<') { format!("  in {block}") } else { String::new() };
                for item in keys(get(inner, "items")) {
                    if get(self.item(&item), "visibility") == "public" {
                        self.member(&owner, &item, false, &within);
                    }
                }
                continue;
            }
            // An `impl` of the crate's trait for a foreign type belongs to the trait.
            let Some(of) = of.or_else(|| self.paths.get(&key(get(of_trait, "id"))).cloned()) else {
                continue;
            };
            let name = string(get(of_trait, "path"));
            let name = name.rsplit("::").next().unwrap();
            if get(inner, "is_synthetic") == true {
                if get(inner, "is_negative") == true && AUTO_TRAITS.contains(&name) {
                    derived.entry(of).or_default().insert(format!("!{name}"));
                }
                continue;
            }
            let text = self.text(id);
            if text.starts_with("impl") || text.starts_with("unsafe impl") {
                let mut block = head(&text, "{").0;
                for item in keys(get(inner, "items")) {
                    if self.is(&item, "assoc_type") {
                        block = format!("{block}, {}", self.signature(&item, ";"));
                    }
                }
                self.line(&of, "impl", id, &block);
            } else if name != "StructuralPartialEq" {
                let mut parameters = Vec::new();
                type_names(get(of_trait, "args"), &mut parameters);
                let parameters = match parameters.as_slice() {
                    [] => String::new(),
                    names => format!("<{}>", names.join(", ")),
                };
                derived.entry(of).or_default().insert(format!("{name}{parameters}"));
            }
        }
        for (of, traits) in derived {
            let traits: Vec<_> = traits.into_iter().collect();
            self.api.lines.insert(format!("{of}  traits  {}", traits.join(", ")));
        }
    }

    fn line(&mut self, path: &str, kind: &str, id: &str, signature: &str) {
        // Older compilers write the attribute as it stands in the source.
        let is_mark = |attribute: &Value| {
            let text = attribute.as_str().unwrap_or_default();
            text.trim_matches(['#', '[', ']']) == "non_exhaustive"
        };
        let attributes = get(self.item(id), "attrs").as_array().expect("a list of attributes");
        let mark = if attributes.iter().any(is_mark) { "#[non_exhaustive] " } else { "" };
        let line = format!("{path}  {kind}  {mark}{signature}");
        self.api.lines.insert(line.trim_end().to_string());
    }

    fn item(&self, id: &str) -> &'j Value {
        get(get(self.json, "index"), id)
    }

    /// The kind of an item, and what it contains.
    fn inner(&self, id: &str) -> (&'j str, &'j Value) {
        let inner = get(self.item(id), "inner").as_object().expect("the contents of an item");
        let (kind, inner) = inner.iter().next().expect("the kind of an item");
        (kind, inner)
    }

    fn is(&self, id: &str, kind: &str) -> bool {
        self.json["index"].get(id).is_some() && self.inner(id).0 == kind
    }

    fn name(&self, id: &str) -> String {
        string(get(self.item(id), "name"))
    }

    fn signature(&self, id: &str, stops: &str) -> String {
        head(&self.text(id), stops).0
    }

    /// The source text of an item, without its attributes; empty for what the compiler made.
    fn text(&self, id: &str) -> String {
        let span = get(self.item(id), "span");
        if span.is_null() {
            return String::new();
        }
        let file = workspace().join(string(get(span, "filename")));
        let source = std::fs::read_to_string(&file)
            .unwrap_or_else(|error| panic!("{} cannot be read: {error}", file.display()));
        // Lines count from 1; columns did not always.
        let first = get(get(self.item(&key(get(self.json, "root"))), "span"), "begin")[1].as_u64();
        let place = |end: &str| {
            let [line, column] = [0, 1].map(|part| get(span, end)[part].as_u64().expect("a place"));
            (line as usize - 1, (column - first.expect("a column")) as usize)
        };
        let ((first_line, start), (last_line, end)) = (place("begin"), place("end"));
        let mut text = String::new();
        for (number, line) in source.lines().enumerate().take(last_line + 1).skip(first_line) {
            let skip = if number == first_line { start } else { 0 };
            let take = if number == last_line { end } else { usize::MAX };
            text.extend(line.chars().take(take).skip(skip));
            text.push('\n');
        }
        text
    }
}

/// The text up to the first of the stops outside brackets, in one line and without comments; and that
/// stop, if there is one.
fn head(text: &str, stops: &str) -> (String, Option<char>) {
    let (mut out, mut depth, mut stop) = (String::new(), 0, None);
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c == '/' && rest.as_str().starts_with('/') {
            rest.by_ref().find(|&c| c == '\n');
            continue;
        }
        if depth == 0 && stops.contains(c) {
            stop = Some(c);
            break;
        }
        match c {
            '(' | '[' | '<' => depth += 1,
            ')' | ']' => depth -= 1,
            '>' if !out.ends_with(['-', '=']) => depth -= 1,
            _ => {}
        }
        out.push(c);
    }
    let words: Vec<_> = out.split_whitespace().collect();
    let mut line = words.join(" ");
    // What the layout adds, and `mut` before parameters, which no caller sees.
    for (from, to) in [("( ", "("), (", )", ")"), ("(mut ", "("), (", mut ", ", ")] {
        line = line.replace(from, to);
    }
    (line.trim_end_matches(',').to_string(), stop)
}

/// The public fields of a struct or a variant, and whether there are others.
fn fields(kind: &Value) -> (Vec<String>, bool) {
    let Some((form, inner)) = kind.as_object().and_then(|kind| kind.iter().next()) else {
        return (Vec::new(), false);
    };
    if form == "tuple" {
        // A private field of a tuple is `null`.
        let all = inner.as_array().expect("a list of fields");
        let public: Vec<_> = all.iter().filter(|field| !field.is_null()).map(key).collect();
        let hidden = public.len() < all.len();
        (public, hidden)
    } else {
        (keys(get(inner, "fields")), get(inner, "has_stripped_fields") == true)
    }
}

/// Collects the names of the types in a description, in their order.
fn type_names(value: &Value, names: &mut Vec<String>) {
    match value {
        Value::Object(parts) => {
            for (part, value) in parts {
                match value.as_str() {
                    Some(name) if ["path", "primitive", "generic"].contains(&part.as_str()) => {
                        names.push(name.rsplit("::").next().unwrap().to_string());
                    }
                    _ => type_names(value, names),
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| type_names(value, names)),
        _ => {}
    }
}

/// A part of what rustdoc writes. That it is missing means that the format has changed.
fn get<'j>(value: &'j Value, part: &str) -> &'j Value {
    value.get(part).unwrap_or_else(|| {
        let start: String = value.to_string().chars().take(300).collect();
        panic!("the public API cannot be checked: rustdoc's JSON has no `{part}` here: {start}")
    })
}

fn string(value: &Value) -> String {
    value.as_str().expect("a string in rustdoc's JSON").to_string()
}

/// An id as it stands in the index, where it is always a string.
fn key(id: &Value) -> String {
    id.as_str().map_or_else(|| id.to_string(), str::to_string)
}

fn keys(ids: &Value) -> Vec<String> {
    ids.as_array().expect("a list of ids in rustdoc's JSON").iter().map(key).collect()
}
