//! A target that runs: an agent on a known map chases it, one tick after another.

use tickstar::catalog::Config;
use tickstar::{AgentError, Event, Map, NodeId, Seen, Slice, Space, Step};

use crate::{Arena, Problem};

/// How the target moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flight {
    /// To a random neighbor.
    Random,
    /// To the neighbor farthest from the agent by the map's estimate; it stays if all of them are nearer.
    Away,
}

impl Flight {
    /// Both ways.
    pub const ALL: [Flight; 2] = [Flight::Random, Flight::Away];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Flight::Random => "random",
            Flight::Away => "away",
        }
    }
}

/// A chase: the agent moves in every tick, the target in every `rest`th.
#[derive(Clone, Copy, Debug)]
pub struct Chase {
    /// How the target moves.
    pub flight: Flight,
    /// The target moves once in this many ticks.
    pub rest: u64,
    /// The agent's budget per tick.
    pub budget: u64,
    /// After this many ticks the chase ends.
    pub max_ticks: u64,
    /// The seed of the target's choices.
    pub seed: u64,
}

/// How a chase went.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Chased {
    /// Whether the agent reached the target.
    pub caught: bool,
    /// The ticks until then.
    pub ticks: u64,
    /// The agent's moves.
    pub moves: u64,
    /// The nodes it expanded.
    pub expansions: u64,
    /// The ticks in which its search restarted.
    pub restarts: u64,
}

impl Chase {
    /// Runs the chase: the agent starts at the problem's start, and the target at its goal.
    ///
    /// # Errors
    /// If the agent cannot accept the problem.
    ///
    /// # Panics
    /// If the agent takes an illegal step.
    pub fn run(
        &self,
        arena: &Arena,
        config: &Config,
        problem: &Problem,
    ) -> Result<Chased, AgentError> {
        let map = arena.map();
        let node = |cell| map.node(cell).unwrap_or(NodeId(u32::MAX));
        let (mut at, mut target) = (node(problem.start), node(problem.goal));
        let mut agent = config.agent(map, at, target)?;
        let mut random = self.seed;
        let mut chased = Chased::default();
        while chased.ticks < self.max_ticks {
            let mut slice = Slice::new(self.budget);
            let step = agent.tick(map, at, Seen::default(), &mut slice);
            chased.ticks += 1;
            chased.expansions += slice.expansions();
            chased.restarts += u64::from(slice.has(Event::Restart));
            match step {
                Step::Move(to) => {
                    assert!(map.edge(at, to).is_some(), "an illegal step");
                    at = to;
                    chased.moves += 1;
                }
                Step::Wait => {}
                Step::Arrived => {
                    chased.caught = true;
                    return Ok(chased);
                }
                Step::Unreachable => return Ok(chased),
            }
            if at != target && chased.ticks.is_multiple_of(self.rest) {
                target = self.flight.next(map, at, target, &mut random);
                agent.retarget(map, target)?;
            }
        }
        Ok(chased)
    }
}

impl Flight {
    fn next(self, map: &impl Map, at: NodeId, target: NodeId, random: &mut u64) -> NodeId {
        let mut best = (map.estimate(target, at).0, 0, target);
        let mut count = 0;
        map.for_each_edge(target, |to, _| {
            count += 1;
            // Among equally good neighbors, one at random.
            let rank = match self {
                Flight::Random => u64::MAX,
                Flight::Away => map.estimate(to, at).0,
            };
            let lot = split_mix(random);
            if rank > best.0 || rank == best.0 && lot > best.1 {
                best = (rank, lot, to);
            }
        });
        best.2
    }
}

/// The next number of a small generator: `SplitMix64`.
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
