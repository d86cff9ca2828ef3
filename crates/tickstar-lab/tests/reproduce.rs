//! A verdict follows from what an algorithm does: one that is broken on purpose loses its claims.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use tickstar::budget::Limits;
use tickstar::{Agent, AgentError, AgentState, Grid, Layered, NodeId, Seen, Slice, Step, catalog};
use tickstar_lab::experiment::Shard;
use tickstar_lab::reproduce::report::Verdict;
use tickstar_lab::reproduce::{Folder, Maps, Paper, Settings, Size};
use tickstar_lab::{Contestant, Experiment, SimAgent};

/// The verdicts of a quick run on generated maps, after a change of its experiments.
fn verdicts(
    name: &str,
    paper: Paper,
    change: impl Fn(&mut Experiment),
) -> BTreeMap<&'static str, Verdict> {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("reproduce").join(name);
    if path.exists() {
        fs::remove_dir_all(&path).unwrap();
    }
    let settings = Settings { papers: vec![paper], size: Size::Quick, maps: Maps::Generated };
    let mut folder = Folder::create(&path, settings).unwrap();
    folder.experiments_mut().iter_mut().for_each(change);
    for experiment in folder.experiments() {
        experiment.run_missing(&folder.store(), Shard::WHOLE, &|_| ()).unwrap();
    }
    let (report, _) = folder.report().unwrap();
    report.papers[0].claims.iter().map(|claim| (claim.key, claim.verdict)).collect()
}

/// Checks that these claims hold, at least in shape, and no longer do after a change.
fn loses(paper: Paper, claims: &[&str], change: impl Fn(&mut Experiment)) {
    let sound = verdicts(&format!("{paper}-sound"), paper, |_| ());
    let broken = verdicts(&format!("{paper}-broken"), paper, change);
    println!("{sound:?}\n{broken:?}");
    for claim in claims {
        let holds = matches!(sound[claim], Verdict::Holds | Verdict::InShape);
        assert!(holds, "{claim}: {:?}", sound[claim]);
        assert_eq!(broken[claim], Verdict::DoesNotHold, "{claim}");
    }
}

fn configured(name: &str, settings: &[(&str, &str)]) -> catalog::Config {
    catalog::find(name).unwrap().configure(settings).unwrap()
}

/// RTBA* is TBAA* without its heuristic updates.
#[test]
fn tbaa_without_its_heuristic_updates() {
    loses(Paper::Tbaa, &["tbaa-learning"], |experiment| {
        let is_meant = |who: &Contestant| who.config.entry().name == "tbaa";
        experiment.replace(is_meant, &configured("rtba", &[("trace", "free")]));
    });
}

/// An agent that forgets its search after every tick.
struct Forgetful(SimAgent);

impl AgentState for Forgetful {
    fn position(&self) -> NodeId {
        self.0.position()
    }

    fn goal(&self) -> NodeId {
        self.0.goal()
    }

    fn target(&self) -> Option<NodeId> {
        self.0.target()
    }

    fn plan(&self) -> Option<Vec<NodeId>> {
        self.0.plan()
    }

    fn limits(&self, budget: u64) -> Limits {
        self.0.limits(budget)
    }

    fn bytes(&self) -> usize {
        self.0.bytes()
    }
}

impl Agent<Layered<Grid>> for Forgetful {
    fn tick(
        &mut self,
        map: &Layered<Grid>,
        at: NodeId,
        seen: Seen<'_>,
        slice: &mut Slice<'_>,
    ) -> Step {
        let goal = self.0.goal();
        self.0.assign(map, at, goal).expect("it stands there");
        self.0.tick(map, at, seen, slice)
    }

    fn assign(
        &mut self,
        map: &Layered<Grid>,
        start: NodeId,
        goal: NodeId,
    ) -> Result<(), AgentError> {
        self.0.assign(map, start, goal)
    }

    fn retarget(&mut self, map: &Layered<Grid>, goal: NodeId) -> Result<(), AgentError> {
        self.0.retarget(map, goal)
    }

    fn restart(&mut self, map: &Layered<Grid>, start: NodeId) -> Result<(), AgentError> {
        self.0.restart(map, start)
    }
}

#[test]
fn tba_without_its_retained_open_list() {
    let claims = ["tba-order-of-magnitude", "tba-early-acting"];
    loses(Paper::Tba, &claims, |experiment| {
        experiment.instead =
            Some(
                |who, agent| {
                    if who.config.entry().name == "tba" {
                        Box::new(Forgetful(agent))
                    } else {
                        agent
                    }
                },
            );
        // It may go back and forth for ever.
        experiment.max_intervals = Some(2000);
    });
}

#[test]
fn pra_with_corridors_of_no_width() {
    loses(Paper::Pra, &["pra-within-1", "pra-within-half"], |experiment| {
        let is_meant = |who: &Contestant| who.config.entry().name == "pra";
        experiment.replace(is_meant, &configured("pra", &[("k", "inf"), ("corridor", "0")]));
    });
}
