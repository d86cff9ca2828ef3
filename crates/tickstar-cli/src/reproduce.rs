//! `tickstar reproduce`: the experiments of four papers, and `tickstar report`: what they show.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use tickstar_lab::experiment::{RunError, Shard, Store, write_whole};
use tickstar_lab::reproduce::pages::pages;
use tickstar_lab::reproduce::report::{Counts, Report, Verdict};
use tickstar_lab::reproduce::{
    Folder, FolderError, Maps, Paper, Settings, Size, Written, check_maps, experiments, times,
};
use tickstar_lab::{Experiment, text};

use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::number::whole;
use crate::source::progress;

/// Run the experiments of four papers, and write a report with their numbers beside ours
#[derive(Args)]
#[command(
    long_about = "Run the experiments of four papers, and write a report with their numbers beside ours: a page \
        (report.html), the figures (figures), the records of all runs in Parquet (records), and what was measured \
        (evidence.json). What is stopped, even by force, continues where it was when the same command is given \
        again.",
    after_help = "Papers:\n  \
        pra    Sturtevant, Buro: Partial Pathfinding Using Map Abstraction and Refinement, 2005\n  \
        tba    Björnsson, Bulitko, Sturtevant: TBA*: Time-Bounded A*, 2009\n  \
        tbaa   Hernández, Baier, Uras, Koenig: Time-Bounded Adaptive A*, 2012\n  \
        tbbfs  Hernández, Asín, Baier: Time-Bounded Best-First Search, 2014\n\n\
        Examples:\n  \
        tickstar reproduce --quick\n  \
        tickstar reproduce tba --maps maps --out tba-report\n  \
        tickstar reproduce all --maps maps --shard 1/4 --out part-1"
)]
#[allow(clippy::struct_excessive_bools)] // flags
pub struct Reproduce {
    /// pra, tba, tbaa, tbbfs or all
    #[arg(value_name = "PAPER", default_value = "all")]
    papers: Vec<String>,
    /// The folder with the maps of the public benchmark (see `tickstar maps get`) [default: generated maps of the
    /// same kinds, with which only shapes can be compared, not numbers]
    #[arg(long, value_name = "DIR")]
    maps: Option<PathBuf>,
    /// Run a few problems only, in a minute or two
    #[arg(long, conflicts_with = "full")]
    quick: bool,
    /// Run as many problems as the papers have, in many hours [default: a sample where they have very many, in about
    /// an hour on two processors]
    #[arg(long)]
    full: bool,
    /// The folder to write to
    #[arg(long, value_name = "DIR", default_value = "report")]
    out: PathBuf,
    /// How many threads run [default: one per processor]
    #[arg(long, value_name = "N", value_parser = whole::<usize>(1..=1024), allow_negative_numbers = true)]
    jobs: Option<usize>,
    /// Run one of N parts only, on any machine; `tickstar report` merges their folders
    #[arg(long, value_name = "I/N", default_value = "1/1", allow_hyphen_values = true)]
    shard: Shard,
    /// Do not measure running times, which differ from run to run
    #[arg(long)]
    no_times: bool,
    /// Write the records as CSV too
    #[arg(long)]
    csv: bool,
}

impl Reproduce {
    pub fn execute(&self) -> Result<(), Failure> {
        let settings = self.settings()?;
        check_maps(&experiments(&settings)).map_err(|error| {
            Failure::input(format!("{error}; `tickstar maps get DIR` downloads the maps"))
        })?;
        let mut folder = Folder::create(&self.out, settings).map_err(failure)?;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.jobs.unwrap_or(0)).build();
        let pool = pool.map_err(|error| Failure::input(format!("no threads: {error}")))?;
        let interrupt = Interrupt::watch();
        let store = folder.store();
        pool.install(|| self.run(folder.experiments_mut(), &store, &interrupt))?;
        if self.shard != Shard::WHOLE {
            let out = text::path(&self.out);
            let shard = self.shard;
            let line = format!("Part {shard} is in {out}: `tickstar report` merges all of them.");
            return Ok(writeln!(io::stdout().lock(), "{line}")?);
        }
        if !self.no_times {
            let mut timed = times::experiments(folder.settings());
            self.run(&mut timed, &folder.times_store(), &interrupt)?;
        }
        write(&folder, &self.out, self.csv)?;
        Ok(())
    }

    fn settings(&self) -> Result<Settings, Failure> {
        let mut papers = Vec::new();
        for name in &self.papers {
            if name == "all" {
                papers.extend(Paper::ALL);
            } else {
                papers.push(name.parse::<Paper>().map_err(Failure::usage)?);
            }
        }
        papers.sort_unstable();
        papers.dedup();
        let size = match (self.quick, self.full) {
            (true, _) => Size::Quick,
            (_, true) => Size::Full,
            _ => Size::Sample,
        };
        let maps = self.maps.clone().map_or(Maps::Generated, Maps::Benchmark);
        if let Maps::Benchmark(folder) = &maps
            && !folder.is_dir()
        {
            let folder = text::path(folder);
            return Err(Failure::input(format!(
                "{folder}: there is no such folder; `tickstar maps get DIR` downloads the maps"
            )));
        }
        Ok(Settings { papers, size, maps })
    }

    /// Runs what is missing of experiments.
    fn run(
        &self,
        experiments: &mut [Experiment],
        store: &Store,
        interrupt: &Interrupt,
    ) -> Result<(), Failure> {
        let missing = |experiments: &[Experiment]| -> Vec<usize> {
            experiments.iter().map(|each| each.problems_missing(store, self.shard)).collect()
        };
        let work = missing(experiments);
        let weight = |experiment: &Experiment| experiment.millis.max(1.0) as u64;
        let all = work.iter().zip(&*experiments).map(|(&count, each)| count as u64 * weight(each));
        let bar = progress(all.sum(), "");
        for experiment in &mut *experiments {
            experiment.stop = Some(interrupt.begin().clone());
            bar.set_message(experiment.name.clone());
            let weight = weight(experiment);
            let tick = |problems: usize| bar.inc(problems as u64 * weight);
            match experiment.run_missing(store, self.shard, &tick) {
                Ok(()) => {}
                Err(RunError::Stopped) => {
                    bar.finish_and_clear();
                    let all: usize = work.iter().sum();
                    let left: usize = missing(experiments).iter().sum();
                    return Err(Failure::Stopped(format!(
                        "stopped: {} of {} done, and kept; the same command continues",
                        all - left,
                        text::counted(all, "problem")
                    )));
                }
                Err(error) => return Err(Failure::input(error)),
            }
        }
        bar.finish_and_clear();
        Ok(())
    }
}

/// Merge the parts of a run of `tickstar reproduce`, and write their report
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tickstar report part-1 part-2 --out report\n  \
    tickstar report report --pages papers\n  \
    tickstar report report")]
pub struct MakeReport {
    /// Folders that `tickstar reproduce` has written
    #[arg(value_name = "DIR", required = true)]
    folders: Vec<PathBuf>,
    /// The folder to write to [default: the first one]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Also write the claims and tables into the papers' pages in DIR, with the figures and what was measured
    /// (evidence.json, times.json)
    #[arg(long, value_name = "DIR")]
    pages: Option<PathBuf>,
    /// Write the records as CSV too
    #[arg(long)]
    csv: bool,
}

impl MakeReport {
    pub fn execute(&self) -> Result<(), Failure> {
        let folders = self.folders.iter().map(|path| Folder::open(path));
        let folders = folders.collect::<Result<Vec<_>, _>>().map_err(failure)?;
        let out = self.out.as_ref().unwrap_or(&self.folders[0]);
        let merged = Folder::merge(&folders, out).map_err(failure)?;
        let written = write(&merged, out, self.csv)?;
        if let Some(pages) = &self.pages {
            write_pages(pages, &written)?;
        }
        Ok(())
    }
}

fn failure(error: FolderError) -> Failure {
    Failure::input(error)
}

/// Writes the report of a folder, and says in a few lines what it shows.
fn write(folder: &Folder, out: &Path, csv: bool) -> Result<Written, Failure> {
    let written = folder.write().map_err(failure)?;
    if csv {
        folder.write_csv().map_err(failure)?;
    }
    let mut lines = vec![summary(&written.report)];
    lines.extend(written.times.as_ref().map(|(report, _)| summary(report)));
    let out = out.join(if written.times.is_some() {
        "report.html and times.html"
    } else {
        "report.html"
    });
    writeln!(io::stdout().lock(), "{}\n{}", lines.join("\n"), text::path(&out))?;
    Ok(written)
}

/// Writes the papers' pages, and what they are made from.
fn write_pages(folder: &Path, written: &Written) -> Result<(), Failure> {
    let times = written.times.as_ref().map(|(_, kept)| kept);
    let mut files = pages(folder, &written.kept, times).map_err(Failure::input)?;
    files.push((folder.join("evidence.json"), written.kept.to_text()));
    files.extend(times.map(|kept| (folder.join("times.json"), kept.to_text())));
    for (path, text) in files {
        write_whole(&path, text.as_bytes()).map_err(Failure::input)?;
    }
    Ok(())
}

/// How many claims of each paper hold, and which do not.
fn summary(report: &Report) -> String {
    let mut lines = Vec::new();
    for paper in &report.papers {
        lines.push(format!("{}\n  {}", paper.citation, Counts::of(&paper.claims).words()));
        for claim in paper.claims.iter().filter(|claim| claim.verdict == Verdict::DoesNotHold) {
            lines.push(format!("  does not hold: {}", claim.words));
        }
    }
    lines.join("\n")
}
