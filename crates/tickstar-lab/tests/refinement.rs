//! PRA* as the 2005 paper has it: how long its paths are, what it expands, and how it does in a clocked game,
//! on a sample of the problems beside the repository.

mod common;

use std::path::{Path, PathBuf};

use tickstar::{Layered, Space, catalog};
use tickstar_lab::files::{read_map, read_scen};
use tickstar_lab::{Arena, Clock, Job, Pace, Ranked, Record, Sample};

use common::{in_parallel, shared};

/// Every fourth of the game maps of 512 by 512 cells.
fn maps(shared: &Path) -> Vec<PathBuf> {
    let mut maps = Vec::new();
    for folder in ["bg-512", "wc3-512"] {
        let files = std::fs::read_dir(shared.join("maps").join(folder)).unwrap();
        let files = files.map(|file| file.unwrap().path());
        maps.extend(files.filter(|path| path.extension().is_some_and(|kind| kind == "map")));
    }
    maps.sort();
    maps.into_iter().step_by(4).collect()
}

const ALGORITHMS: [(&str, &[(&str, &str)]); 5] = [
    ("astar", &[]),
    ("pra", &[("k", "inf")]),
    ("pra", &[("k", "16")]),
    ("pra", &[("k", "inf"), ("level", "top")]),
    ("pra", &[("k", "inf"), ("corridor", "0")]),
];

/// What the algorithms make of some of a map's problems, of all lengths.
fn samples(map: &Path) -> Vec<[Option<Sample>; ALGORITHMS.len()]> {
    let grid = read_map(map).unwrap();
    let name = map.file_name().unwrap().to_string_lossy();
    let mut scen = map.as_os_str().to_owned();
    scen.push(".scen");
    let problems = read_scen(Path::new(&scen), &name, &grid).unwrap();
    let mut arena = Arena::new(&"known".parse().unwrap(), &grid, 1).unwrap();
    let pra = catalog::find("pra").unwrap().configure::<&str, &str>(&[]).unwrap();
    arena.prepare(&pra, |_| ()).unwrap();
    let clock = Some(Clock::new(Pace::default()).unwrap());
    let solve = |problem| {
        let mut first: Option<Record> = None;
        ALGORITHMS.map(|(name, settings)| {
            let config = catalog::find(name).unwrap().configure(settings).unwrap();
            let job = Job { clock, ..Job::new("", &arena, &config, None) };
            let journey = job.sim(problem).unwrap().run(None, None);
            let record = job.judge_length(problem, &journey, job.optimal(problem).unwrap());
            let sample = Sample::of(&record, first.as_ref());
            first.get_or_insert(record);
            sample
        })
    };
    problems.iter().step_by(41).map(solve).collect()
}

#[test]
#[cfg_attr(not(benchmark_maps), ignore = "needs the benchmark maps in ../shared")]
fn figures_5_to_7_of_the_2005_paper() {
    let shared = shared();
    let solved: Vec<_> = in_parallel(&maps(&shared), |map| samples(map)).concat();
    let of = |nth: usize, longer: f64, value: fn(&Sample) -> Option<f64>| {
        let all = solved.iter().filter_map(|row| row[nth].as_ref());
        Ranked::new(all.filter(|sample| sample.optimal >= longer).filter_map(value))
    };
    let [_, inf, sixteen, top, narrow] =
        [0, 1, 2, 3, 4].map(|nth| of(nth, 0.0, |sample| Some(sample.suboptimality)));
    assert!(solved.len() > 500, "{}", solved.len());
    let within = |lengths: &Ranked, limit: f64| lengths.share_up_to(limit).unwrap();
    println!(
        "within 1 %: {:.3}, k=16 {:.3}, level=top {:.3}, corridor=0 {:.3}",
        within(&inf, 1.01),
        within(&sixteen, 1.01),
        within(&top, 1.01),
        within(&narrow, 1.01)
    );
    // Figure 6, and what the start level and the corridor are worth.
    assert!(within(&inf, 1.01) >= 0.96 && within(&inf, 1.005) >= 0.9);
    assert!(within(&inf, 1.1) >= 0.999);
    assert!(within(&sixteen, 1.01) > 0.9);
    assert!(within(&top, 1.01) < 0.9 && within(&narrow, 1.01) < 0.5);
    // Figure 5: it expands less than A*, the more so the longer the path.
    let gain = |longer| of(1, longer, |sample| sample.gain).percentile(50).unwrap();
    assert!(gain(0.0) < gain(128.0) && gain(128.0) < gain(384.0), "gains");
    assert!(gain(384.0) > 2.5, "{}", gain(384.0));
    // Figure 7, with 1 ms of planning in a frame of 100 ms.
    let slowdown = |nth| of(nth, 256.0, |sample| sample.slowdown).percentile(98).unwrap();
    println!("slowdown: A* {}, PRA*(inf) {}, PRA*(16) {}", slowdown(0), slowdown(1), slowdown(2));
    assert!(slowdown(2) < 1.05 && slowdown(2) < slowdown(1) && slowdown(1) < slowdown(0));
}

#[test]
#[cfg_attr(not(benchmark_maps), ignore = "needs the benchmark maps in ../shared")]
fn a_hierarchy_takes_a_few_looks_at_each_cell() {
    let shared = shared();
    for map in maps(&shared) {
        let grid = Layered::new(read_map(&map).unwrap()).unwrap();
        let (hierarchy, cells) = (grid.hierarchy().unwrap(), grid.free_cells().count());
        assert!(hierarchy.nodes_visited() < 4 * cells as u64, "{}", map.display());
        assert!(hierarchy.bytes() < 80 * cells + 4 * grid.size(), "{}", map.display());
        assert!(hierarchy.height() < 16, "{}", map.display());
    }
}
