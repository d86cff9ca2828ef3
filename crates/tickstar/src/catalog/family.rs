//! The families of agents, and how the settings of an algorithm become a configured agent.

use super::settings::{Refused, Setting};
use super::{Parameter, SettingError};
use crate::{
    Agent, AgentError, DLrta, DLrtaConfig, DStarLite, DStarLiteConfig, Local, LocalConfig, Map,
    NodeId, Pool, PrLrta, PrLrtaConfig, Pra, PraConfig, QuickPath, Tick, TickConfig, TimeBounded,
    TimeBoundedConfig,
};

/// The one list of families: `Family(Config) => constructor`.
macro_rules! families {
    ($($family:ident($config:ty) => $new:path),* $(,)?) => {
        /// The family of an algorithm: its base configuration and parameters.
        #[derive(Debug)]
        pub(super) enum Family {
            $($family(Base<$config>),)*
        }

        /// The configuration of an agent of one family.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(super) enum AgentConfig {
            $($family($config),)*
        }

        impl Family {
            /// The name of every family.
            #[cfg(test)]
            pub const NAMES: &[&str] = &[$(stringify!($family),)*];

            /// The parameters, with the defaults that the base configuration has.
            pub fn parameters(&self) -> Vec<Parameter> {
                match self {
                    $(Family::$family(base) => base.parameters(),)*
                }
            }

            /// The base configuration with these values of the parameters, in their order.
            pub fn configure(&self, values: &[Option<&str>]) -> Result<AgentConfig, SettingError> {
                Ok(match self {
                    $(Family::$family(base) => AgentConfig::$family(base.configure(values)?),)*
                })
            }

            /// Its name.
            #[cfg(test)]
            pub fn name(&self) -> &'static str {
                match self {
                    $(Family::$family(_) => stringify!($family),)*
                }
            }

            /// The values of the parameters in a configuration of this family.
            #[cfg(test)]
            pub fn values(&self, config: &AgentConfig) -> Vec<String> {
                match (self, config) {
                    $((Family::$family(base), AgentConfig::$family(config)) => base.values(config),)*
                    _ => panic!("the configuration is of a different family"),
                }
            }
        }

        impl AgentConfig {
            /// An agent at `start`, to go to `goal`.
            pub fn agent<S: Map>(
                self,
                space: &S,
                start: NodeId,
                goal: NodeId,
            ) -> Result<Box<dyn Agent<S>>, AgentError> {
                Ok(match self {
                    $(AgentConfig::$family(config) => Box::new($new(space, config, start, goal)?),)*
                })
            }

            /// The same, with its memory from a pool.
            pub fn agent_with_pool<S: Map>(
                self,
                space: &S,
                start: NodeId,
                goal: NodeId,
                pool: &Pool,
            ) -> Result<Box<dyn Agent<S>>, AgentError> {
                Ok(match self {
                    $(AgentConfig::$family(config) => {
                        Box::new($new(space, config, start, goal)?.with_pool(pool))
                    })*
                })
            }
        }
    };
}

families! {
    TimeBounded(TimeBoundedConfig) => TimeBounded::new,
    Local(LocalConfig) => Local::new,
    DStarLite(DStarLiteConfig) => DStarLite::new,
    Pra(PraConfig) => Pra::new,
    QuickPath(()) => quickpath,
    PrLrta(PrLrtaConfig) => PrLrta::new,
    DLrta(DLrtaConfig) => DLrta::new,
    Tick(TickConfig) => Tick::new,
}

/// `QuickPath` has nothing to configure.
fn quickpath<S: Map>(
    space: &S,
    (): (),
    start: NodeId,
    goal: NodeId,
) -> Result<QuickPath, AgentError> {
    QuickPath::new(space, start, goal)
}

/// What an algorithm starts from: the configuration that has all the defaults, and its parameters.
#[derive(Debug)]
pub(super) struct Base<C: 'static> {
    pub config: fn() -> C,
    pub parameters: &'static [Setting<C>],
}

impl<C> Base<C> {
    fn parameters(&self) -> Vec<Parameter> {
        let defaults = self.values(&(self.config)());
        let parameter = |(setting, default): (&Setting<C>, String)| Parameter {
            name: setting.name,
            default,
            meaning: setting.meaning,
            values: setting.values,
        };
        self.parameters.iter().zip(defaults).map(parameter).collect()
    }

    fn configure(&self, values: &[Option<&str>]) -> Result<C, SettingError> {
        let mut config = (self.config)();
        for (setting, value) in self.parameters.iter().zip(values) {
            if let Some(value) = value {
                let refused = |why: Refused| why.about(setting.name, value);
                (setting.apply)(&mut config, value).map_err(refused)?;
            }
        }
        Ok(config)
    }

    fn values(&self, config: &C) -> Vec<String> {
        self.parameters.iter().map(|setting| (setting.show)(config)).collect()
    }
}
