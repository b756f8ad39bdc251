//! The environment, read once: everything else gets it as a value.

use super::*;

pub const PROFILE: &str = "LODE_PROFILE";
pub const CONFIG_DIR: &str = "LODE_CONFIG_DIR";
pub const STATE_DIR: &str = "LODE_STATE_DIR";
pub const RUNTIME_DIR: &str = "LODE_RUNTIME_DIR";
pub const HOME: &str = "LODE_HOME";

/// The variables of each service, in the order of [`Source::ALL`]: its address and its key.
const NAMES: [(&str, &str); 2] = [("LODE_WORKSPACE_URL", "LODE_WORKSPACE_KEY"), ("LODE_DATA_URL", "LODE_DATA_KEY")];

/// The variable that names a service's address.
pub fn url_name(source: Source) -> &'static str {
    NAMES[source as usize].0
}

/// The variable that holds a service's key.
pub fn key_name(source: Source) -> &'static str {
    NAMES[source as usize].1
}

/// A service as the environment names it.
#[derive(Clone, Debug, Default)]
pub struct NamedService {
    pub url: Option<String>,
    pub key: Option<SecretString>,
}

/// What the environment says. An empty variable says nothing.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    pub profile: Option<String>,
    /// In the order of [`Source::ALL`].
    pub services: [NamedService; 2],
    /// Where settings and saved searches are.
    pub config_dir: PathBuf,
    /// Where the log, crash reports and what can be found out again are.
    pub state_dir: PathBuf,
    /// Where the ledger is: the state folder if that was named.
    pub data_dir: PathBuf,
    /// Where the requests of a key are counted, if a place was named.
    pub runtime_dir: Option<PathBuf>,
    /// The address of the project, whose newest release can be asked for.
    pub home: Option<String>,
}

impl Environment {
    pub fn read() -> Environment {
        Environment::from(|name| std::env::var_os(name))
    }

    /// From any table of variables.
    pub fn from(variable: impl Fn(&str) -> Option<OsString>) -> Environment {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let text = |name: &str| set(name).map(|value| value.to_string_lossy().into_owned());
        let folder = |name: &str| set(name).map(PathBuf::from);
        // Relative folders would mean another one wherever lode is started.
        let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
        // Without a home there is still the folder one stands in: better seen there than lost.
        let here = || Path::new(".lode").to_owned();
        let usual = folders::usual().unwrap_or_else(|| Usual { config: here(), data: here(), state: here() });
        let named = folder(STATE_DIR).map(absolute);
        Environment {
            profile: text(PROFILE),
            services: NAMES.map(|(url, key)| NamedService { url: text(url), key: text(key).map(SecretString::from) }),
            config_dir: folder(CONFIG_DIR).map_or(usual.config, absolute),
            data_dir: named.clone().unwrap_or(usual.data),
            state_dir: named.unwrap_or(usual.state),
            runtime_dir: folder(RUNTIME_DIR).map(absolute),
            home: text(HOME),
        }
    }

    pub fn url(&self, source: Source) -> Option<&str> {
        self.services[source as usize].url.as_deref()
    }

    pub fn key(&self, source: Source) -> Option<&SecretString> {
        self.services[source as usize].key.as_ref()
    }

    /// The folders in which only lode writes.
    pub fn own_folders(&self) -> Vec<PathBuf> {
        let runtime = folders::runtime(self.runtime_dir.as_deref()).ok();
        [&self.config_dir, &self.state_dir, &self.data_dir].into_iter().cloned().chain(runtime).collect()
    }

    /// The demo's: no service and no profile, and folders of its own in one below the state folder.
    pub fn of_demo(&self) -> Environment {
        let folder = self.state_dir.join("demo");
        let (config_dir, data_dir, runtime_dir) = (folder.join("config"), folder.clone(), self.runtime_dir.clone());
        Environment { config_dir, data_dir, state_dir: folder, runtime_dir, ..Environment::default() }
    }
}
