//! `tickstar maps get`: downloads the maps of the public benchmark, and checks them.

mod download;
mod list;
mod unpack;

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use clap::Args;
use indicatif::ProgressBar;
use tickstar_lab::files;
use tickstar_lab::text::{self, counted, hint, quoted};
use ureq::http::Uri;

use crate::failure::{Failure, say};
use crate::interrupt::{Interrupt, STOPPED};
use crate::number::whole;
use crate::source::progress;

use download::{Client, DownloadError, Part, shown};
use list::{Archive, List, Wanted};
use unpack::{UnpackError, unpack};

/// The most errors that are shown of one archive.
const MAX_SHOWN: usize = 5;

/// Download the maps of the public benchmark, and check them
///
/// The maps are those of N. Sturtevant, "Benchmarks for Grid-Based Pathfinding", 2012, under the Open Data Commons
/// Attribution License. Each is compared with its known SHA-256 before it gets its name. What is there already
/// is not downloaded again, and a download that broke off is continued. An archive that lies in DIR, put there by
/// hand, is used instead of a download.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tickstar maps get ../shared/maps\n  \
    tickstar maps get maps --only dao,rooms --scenarios\n  \
    tickstar maps get maps --from https://example.org/benchmarks\n\n\
    The tests of this repository look for ../shared/maps. Exit code 3 if anything is missing in \
    the end; the same command then gets the rest.")]
pub struct Get {
    /// The folder to put them in, each set in a folder of its own: bg-512, dao, maze, random, rooms,
    /// starcraft and wc3-512
    dir: PathBuf,
    /// Only these folders
    #[arg(long, value_name = "FOLDER,…", value_delimiter = ',')]
    only: Vec<String>,
    /// The scenario files too; the hashes of most of them are not known, and these are not checked
    #[arg(long)]
    scenarios: bool,
    /// The address below which the archives are, such as dao/dao-map.zip
    #[arg(long, value_name = "URL", default_value = list::HOME, help_heading = "Download")]
    from: Address,
    /// Another list of maps, for a mirror with other ones: folder, map, width, height, SHA-256 of the map and of
    /// its scenario file (or -) on each line, with tabs between [default: those that this repository uses]
    #[arg(long, value_name = "FILE", help_heading = "Download")]
    list: Option<PathBuf>,
    /// Give up on an archive when nothing has arrived for so many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 20, value_parser = whole::<u64>(1..=3600),
        allow_negative_numbers = true, help_heading = "Download")]
    patience: u64,
}

/// The address of a server and a place on it.
#[derive(Clone)]
struct Address(String);

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Address, String> {
        let address = text.trim_end_matches('/');
        let parsed = address.parse::<Uri>().ok();
        let fits = parsed.is_some_and(|uri| {
            matches!(uri.scheme_str(), Some("http" | "https"))
                && uri.host().is_some_and(|host| !host.is_empty())
                && uri.query().is_none()
        });
        if fits {
            return Ok(Address(address.to_string()));
        }
        Err(format!("expected an address such as {}", list::HOME))
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl Get {
    pub fn execute(&self) -> Result<(), Failure> {
        let list = self.list()?;
        let archives = self.archives(&list)?;
        self.prepare_folder()?;
        let bar = progress(0, "");
        stop_at_ctrl_c(&bar);
        let mut run = Run {
            dir: &self.dir,
            client: Client::new(Duration::from_secs(self.patience)),
            bar,
            is_unreachable: false,
            not_downloaded: Vec::new(),
            tally: Tally::default(),
        };
        for archive in &archives {
            let address = format!("{}/{}", self.from.0, archive.place);
            run.get(archive, &address)?;
        }
        run.bar.finish_and_clear();
        run.finish()
    }

    fn list(&self) -> Result<List, Failure> {
        let Some(path) = &self.list else {
            return List::parse(list::BENCHMARK).map_err(Failure::input);
        };
        let wrong =
            |what: &dyn std::fmt::Display| Failure::input(format!("{}: {what}", text::path(path)));
        let bytes = files::read(path).map_err(Failure::input)?;
        let text = String::from_utf8(bytes).map_err(|_| wrong(&"this is not a text"))?;
        List::parse(&text).map_err(|error| wrong(&error))
    }

    /// The archives to look at.
    fn archives(&self, list: &List) -> Result<Vec<Archive>, Failure> {
        let all = list.folders();
        if let Some(unknown) = self.only.iter().find(|name| !all.contains(name.as_str())) {
            let (name, hint) = (quoted(unknown), hint(unknown, all));
            return Err(Failure::usage(format!("--only: there is no folder `{name}`; {hint}")));
        }
        let is_wanted =
            |folder: &&str| self.only.is_empty() || self.only.iter().any(|name| name == folder);
        let folders = all.into_iter().filter(is_wanted);
        Ok(folders.flat_map(|folder| list.archives(folder, self.scenarios)).collect())
    }

    fn prepare_folder(&self) -> Result<(), Failure> {
        if self.dir.exists() && !self.dir.is_dir() {
            let path = text::path(&self.dir);
            return Err(Failure::input(format!("{path}: this is a file, a folder was expected")));
        }
        fs::create_dir_all(&self.dir).map_err(|error| Failure::writing(&self.dir, &error))
    }
}

/// All that is downloaded is kept, so the program can end at once, also while it waits for a server.
fn stop_at_ctrl_c(bar: &ProgressBar) {
    let interrupt = Interrupt::watch();
    let (stop, bar) = (interrupt.begin().clone(), bar.clone());
    thread::spawn(move || {
        while !stop.load(Ordering::SeqCst) {
            thread::sleep(Duration::from_millis(50));
        }
        bar.finish_and_clear();
        say("stopped: what is downloaded is kept, and the same command continues");
        std::process::exit(i32::from(STOPPED));
    });
}

/// What has been found and done so far.
struct Run<'a> {
    dir: &'a Path,
    client: Client,
    bar: ProgressBar,
    /// The server is not there; it is asked once only.
    is_unreachable: bool,
    /// The addresses of archives that are needed and could not be downloaded.
    not_downloaded: Vec<String>,
    tally: Tally,
}

/// Numbers of files.
#[derive(Default)]
struct Tally {
    there: usize,
    new: usize,
    unchecked: usize,
    /// By folder.
    missing: BTreeMap<String, usize>,
}

/// What became of an attempt to unpack an archive.
struct Unpacked {
    new: Vec<Wanted>,
    errors: Vec<UnpackError>,
}

impl Run<'_> {
    /// Gets what is missing of an archive. Fails only if nothing more can be written.
    fn get(&mut self, archive: &Archive, address: &str) -> Result<(), Failure> {
        let is_there = |file: &&Wanted| {
            let path = self.dir.join(&file.folder).join(&file.name);
            match &file.hash {
                Some(hash) => unpack::hash(&path).as_ref() == Some(hash),
                None => path.is_file(),
            }
        };
        let (there, missing): (Vec<_>, Vec<_>) = archive.files.iter().partition(is_there);
        self.tally.there += there.len();
        self.tally.unchecked += there.iter().filter(|file| file.hash.is_none()).count();
        if missing.is_empty() {
            return Ok(());
        }
        let by_hand = self.dir.join(&archive.name);
        let unpacked = if by_hand.is_file() {
            let shown = text::path(&by_hand);
            let unpacked = self.unpack(&by_hand, &shown, &missing)?;
            report(&unpacked.errors);
            if !unpacked.errors.is_empty() {
                say(&format!("note: {shown} is used as it is; remove it to download the archive"));
            }
            unpacked
        } else {
            self.download(archive, address, &missing)?
        };
        self.tally.new += unpacked.new.len();
        self.tally.unchecked += unpacked.new.iter().filter(|file| file.hash.is_none()).count();
        for file in missing.iter().filter(|file| !unpacked.new.contains(file)) {
            *self.tally.missing.entry(file.folder.clone()).or_default() += 1;
        }
        Ok(())
    }

    /// Downloads an archive and unpacks it. If a part of it is from an earlier run and the whole is not sound, it is
    /// downloaded once more.
    fn download(
        &mut self,
        archive: &Archive,
        address: &str,
        missing: &[&Wanted],
    ) -> Result<Unpacked, Failure> {
        let nothing = Unpacked { new: Vec::new(), errors: Vec::new() };
        if self.is_unreachable {
            self.not_downloaded.push(address.to_string());
            return Ok(nothing);
        }
        let part = Part::new(self.dir, &archive.name);
        loop {
            self.bar.reset();
            self.bar.set_message(format!("KB of {}", archive.name));
            let fetched = self.client.fetch(address, &part, &self.bar);
            self.bar.finish_and_clear();
            let was_resumed = match fetched {
                Ok(was_resumed) => was_resumed,
                Err(error @ DownloadError::Writing { .. }) => return Err(Failure::input(error)),
                Err(error) => {
                    say(&format!("error: {error}"));
                    self.is_unreachable = matches!(error, DownloadError::Unreachable { .. });
                    self.not_downloaded.push(address.to_string());
                    return Ok(nothing);
                }
            };
            let unpacked = self.unpack(&part.bytes, &shown(address), missing)?;
            part.discard();
            if !was_resumed || unpacked.errors.is_empty() {
                report(&unpacked.errors);
                return Ok(unpacked);
            }
        }
    }

    /// Unpacks what is wanted of an archive that is called so in messages. Fails only if nothing can be written.
    fn unpack(&self, archive: &Path, shown: &str, files: &[&Wanted]) -> Result<Unpacked, Failure> {
        let results = match unpack(archive, shown, files, self.dir) {
            Ok(results) => results,
            Err(error) => return Ok(Unpacked { new: Vec::new(), errors: vec![error] }),
        };
        let mut unpacked = Unpacked { new: Vec::new(), errors: Vec::new() };
        for (file, result) in files.iter().zip(results) {
            match result {
                Ok(()) => unpacked.new.push((*file).clone()),
                Err(error @ UnpackError::Writing { .. }) => return Err(Failure::input(error)),
                Err(error) => unpacked.errors.push(error),
            }
        }
        Ok(unpacked)
    }

    /// Says what is there, and what is missing.
    fn finish(self) -> Result<(), Failure> {
        let Tally { there, new, unchecked, missing } = self.tally;
        let (dir, count) = (text::path(self.dir), there + new);
        let all = count + missing.values().sum::<usize>();
        if !missing.is_empty() {
            if !self.not_downloaded.is_empty() {
                say(&format!(
                    "To do without this server, put these archives into {dir} and run the same command \
                     again, or name a mirror by --from URL:"
                ));
            }
            for address in &self.not_downloaded {
                say(&format!("  {}", shown(address)));
            }
            let missing: Vec<_> =
                missing.iter().map(|(folder, count)| format!("{count} in {folder}")).collect();
            let (all, missing) = (counted(all, "file"), missing.join(", "));
            return Err(Failure::input(format!(
                "{count} of {all} are in {dir} ({new} new); missing: {missing}"
            )));
        }
        let mut out = io::stdout().lock();
        writeln!(out, "All {} are in {dir} ({new} new).", counted(all, "file"))?;
        if unchecked > 0 {
            let files = counted(unchecked, "scenario file");
            writeln!(out, "Not checked, as their SHA-256 is not known: {files}.")?;
        }
        if new > 0 {
            writeln!(
                out,
                "From N. Sturtevant, Benchmarks for Grid-Based Pathfinding, 2012: {}, \
                 Open Data Commons Attribution License.",
                list::HOME
            )?;
        }
        Ok(())
    }
}

/// Says what is wrong with an archive. If it is the wrong one, this may be wrong with each of its files.
fn report(errors: &[UnpackError]) {
    for error in errors.iter().take(MAX_SHOWN) {
        say(&format!("error: {error}"));
    }
    if errors.len() > MAX_SHOWN {
        say(&format!(
            "error: and {} more of this archive",
            counted(errors.len() - MAX_SHOWN, "file")
        ));
    }
}
