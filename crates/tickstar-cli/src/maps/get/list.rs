//! The files to get, and the archives they are in.

use std::collections::BTreeSet;

use thiserror::Error;
use tickstar_lab::text::quoted;

/// Where the benchmark is.
pub const HOME: &str = "https://movingai.com/benchmarks";

/// The folders of this repository's list, and what the benchmark calls each of them.
const SETS: [(&str, &str); 7] = [
    ("bg-512", "bg512"),
    ("dao", "dao"),
    ("maze", "maze"),
    ("random", "random"),
    ("rooms", "room"),
    ("starcraft", "sc1"),
    ("wc3-512", "wc3maps512"),
];

/// The list of the maps that the tests and measurements of this repository use.
pub const BENCHMARK: &str = tickstar_lab::benchmark::LIST;

/// A map with its scenario file.
#[derive(Clone, PartialEq, Debug)]
struct Row {
    folder: String,
    map: String,
    map_hash: String,
    /// None where the hash is not known.
    scen_hash: Option<String>,
}

/// A list of maps.
#[derive(PartialEq, Debug)]
pub struct List(Vec<Row>);

/// A file to get.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Wanted {
    pub folder: String,
    pub name: String,
    /// The SHA-256 in hexadecimal digits; none if it is not known.
    pub hash: Option<String>,
}

/// An archive, with what is wanted of it.
#[derive(PartialEq, Debug)]
pub struct Archive {
    /// Its own name.
    pub name: String,
    /// Its place below the address of the benchmark.
    pub place: String,
    pub files: Vec<Wanted>,
}

/// What is wrong with a list.
#[derive(PartialEq, Debug, Error)]
pub enum ListError {
    #[error(
        "line {line}: expected 6 fields with tabs between (folder, map, width, height, SHA-256 of the map, \
         SHA-256 of its scenario file or -), found {found}"
    )]
    Fields { line: usize, found: usize },
    #[error("line {line}: expected a plain name, found `{name}`")]
    Name { line: usize, name: String },
    #[error("line {line}: expected a SHA-256 of 64 hexadecimal digits, found `{found}`")]
    Hash { line: usize, found: String },
    #[error("line {line}: `{name}` is in the list twice")]
    Twice { line: usize, name: String },
    #[error("there is no map in the list")]
    Empty,
}

impl List {
    /// Reads a list. Blank lines and those that begin with `#` are skipped.
    pub fn parse(text: &str) -> Result<List, ListError> {
        let mut rows = Vec::new();
        let mut seen = BTreeSet::new();
        for (line, text) in (1..).zip(text.lines()) {
            if text.trim().is_empty() || text.starts_with('#') {
                continue;
            }
            let row = Row::parse(line, text)?;
            if !seen.insert((row.folder.clone(), row.map.clone())) {
                return Err(ListError::Twice { line, name: quoted(&row.map) });
            }
            rows.push(row);
        }
        if rows.is_empty() { Err(ListError::Empty) } else { Ok(List(rows)) }
    }

    /// The folders, in order.
    pub fn folders(&self) -> BTreeSet<&str> {
        self.0.iter().map(|row| row.folder.as_str()).collect()
    }

    /// The archives with the maps of a folder and, if they are wanted, with its scenario files.
    pub fn archives(&self, folder: &str, with_scenarios: bool) -> Vec<Archive> {
        let rows = || self.0.iter().filter(|row| row.folder == folder);
        let mut archives = vec![archive(folder, "map", rows().map(Row::wanted_map).collect())];
        if with_scenarios {
            archives.push(archive(folder, "scen", rows().map(Row::wanted_scen).collect()));
        }
        archives
    }
}

fn archive(folder: &str, kind: &str, files: Vec<Wanted>) -> Archive {
    let set = SETS.iter().find(|(known, _)| *known == folder).map_or(folder, |(_, set)| set);
    let name = format!("{set}-{kind}.zip");
    Archive { place: format!("{set}/{name}"), name, files }
}

impl Row {
    fn parse(line: usize, text: &str) -> Result<Row, ListError> {
        let fields: Vec<&str> = text.split('\t').map(str::trim).collect();
        let &[folder, map, _width, _height, map_hash, scen_hash] = fields.as_slice() else {
            return Err(ListError::Fields { line, found: fields.len() });
        };
        let scen_hash = if scen_hash == "-" { None } else { Some(hash(line, scen_hash)?) };
        Ok(Row {
            folder: name(line, folder)?,
            map: name(line, map)?,
            map_hash: hash(line, map_hash)?,
            scen_hash,
        })
    }

    fn wanted_map(&self) -> Wanted {
        let (name, hash) = (self.map.clone(), Some(self.map_hash.clone()));
        Wanted { folder: self.folder.clone(), name, hash }
    }

    fn wanted_scen(&self) -> Wanted {
        let (name, hash) = (format!("{}.scen", self.map), self.scen_hash.clone());
        Wanted { folder: self.folder.clone(), name, hash }
    }
}

/// A name that leads nowhere but into its folder, and needs no escape in an address.
fn name(line: usize, text: &str) -> Result<String, ListError> {
    let plain = |char: char| char.is_ascii_alphanumeric() || "-_.".contains(char);
    if text.is_empty() || text.len() > 100 || text.starts_with('.') || !text.chars().all(plain) {
        return Err(ListError::Name { line, name: quoted(text) });
    }
    Ok(text.to_string())
}

fn hash(line: usize, text: &str) -> Result<String, ListError> {
    if text.len() != 64 || !text.chars().all(|char| char.is_ascii_hexdigit()) {
        return Err(ListError::Hash { line, found: quoted(text) });
    }
    Ok(text.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_the_benchmark_is_sound() {
        let list = List::parse(BENCHMARK).unwrap();
        assert_eq!(list.0.len(), 170);
        assert_eq!(list.folders(), SETS.map(|(folder, _)| folder).into());
        let files = |folder| list.archives(folder, true).into_iter().flat_map(|a| a.files);
        let known: Vec<_> = files("wc3-512").filter(|file| file.hash.is_some()).collect();
        assert_eq!(known.len(), 60);
        assert_eq!(files("rooms").filter(|file| file.hash.is_none()).count(), 28);
    }

    #[test]
    fn archives_have_the_names_of_the_benchmark() {
        let hash = "0".repeat(64);
        let list = format!(
            "# a comment\n\nrooms\ta.map\t1\t1\t{hash}\t-\nmine\tb.map\t1\t1\t{hash}\t{hash}\n"
        );
        let list = List::parse(&list).unwrap();
        let [maps, scenarios] = list.archives("rooms", true).try_into().unwrap();
        assert_eq!(
            (maps.place.as_str(), maps.name.as_str()),
            ("room/room-map.zip", "room-map.zip")
        );
        assert_eq!(scenarios.place, "room/room-scen.zip");
        assert_eq!(scenarios.files[0].name, "a.map.scen");
        assert_eq!(list.archives("mine", false)[0].place, "mine/mine-map.zip");
    }

    #[test]
    fn bad_lists_are_named_with_their_line() {
        let hash = "0".repeat(64);
        let error = |text: String| List::parse(&text).unwrap_err().to_string();
        assert_eq!(error("# nothing\n".into()), "there is no map in the list");
        assert!(error("\na b\n".into()).starts_with("line 2: expected 6 fields with tabs"));
        for bad in ["", "..", "a/b", "..\\b", ".a", "a b", "é"] {
            let message = error(format!("rooms\t{bad}\t1\t1\t{hash}\t-\n"));
            assert_eq!(message, format!("line 1: expected a plain name, found `{bad}`"));
        }
        let message = error(format!("rooms\ta.map\t1\t1\t{hash}\tx\n"));
        assert_eq!(message, "line 1: expected a SHA-256 of 64 hexadecimal digits, found `x`");
        let row = format!("rooms\ta.map\t1\t1\t{hash}\t-\n");
        assert_eq!(error(row.repeat(2)), "line 2: `a.map` is in the list twice");
    }
}
