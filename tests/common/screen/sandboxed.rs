//! The sandbox without its server behind the screen, and real files in a temporary folder. Everything is answered at once unless it is held.

use std::path::PathBuf;
use std::rc::Rc;

use lode_engine::effect::CallId;
use lode_engine::effect::call::{Call, Reply};
use lode_engine::effect::failure::{Failure, Unclear};
use lode_engine::effect::files::{FileCall, FileFailure, FileReply};
use lode_engine::effect::profile::Profile;
use lode_host::config::environment::Environment;
use lode_host::files::Folders;
use lode_host::perform::perform_file;
use lode_host::saved::SavedFiles;
use lode_sandbox::service::Service;
use lode_ui::msg::Msg;

use super::{Around, opening};
use crate::profile::{SANDBOX, service};
use crate::sandbox_engine::{self, Said};

pub type TestScreen = super::TestScreen<Sandboxed>;

pub struct Sandboxed {
    pub service: Rc<Service>,
    pub folder: tempfile::TempDir,
    /// Requests for which this holds are kept until they are released.
    pub hold: fn(&Call) -> bool,
    /// Answers of requests for which this holds are lost after the service did its work.
    pub lose: fn(&Call) -> bool,
    pub data: bool,
    /// Bytes the disk of an export can take.
    pub free: u64,
    /// Streams that were told to end, and whether what had come is to be kept.
    pub stopped: Vec<(CallId, bool)>,
    saved_searches: SavedFiles,
}

pub fn profile(data: bool) -> Profile {
    let service = |key, requests| service(SANDBOX, key, requests, 2);
    let data = data.then(|| service("fedcba9876543210", None));
    crate::profile::profile("acme", Some(service("0123456789abcdef", Some(120))), data)
}

impl Around for Sandboxed {
    fn send(screen: &mut TestScreen, _: CallId, call: &Call) -> Option<Result<Reply, Failure>> {
        // A stream is answered by the test: how it ends is what is tested.
        if (screen.hold)(call) || matches!(call, Call::Export { .. }) {
            return None;
        }
        let (Said::Reply(result) | Said::After(_, result)) =
            sandbox_engine::ask(&screen.service, call, screen.now.mono.0);
        Some(if (screen.lose)(call) { Err(sandbox_engine::broken(Unclear::Line)) } else { result })
    }

    fn file(screen: &mut TestScreen, call: FileCall) -> Option<Result<FileReply, FileFailure>> {
        Some(match call {
            FileCall::StopExport { call, keep } => {
                screen.stopped.push((call, keep));
                let known = screen.held.iter().any(|(held, _)| *held == call);
                screen.held.retain(|(held, _)| *held != call);
                let kept = keep.then(|| PathBuf::from("contacts.incomplete.csv"));
                let failure = FileFailure { words: "this export is no longer running".to_owned() };
                known.then_some(FileReply::Stopped { kept, rows: 7 }).ok_or(failure)
            }
            FileCall::Room(_) => Ok(FileReply::Room { free: screen.free }),
            FileCall::Saved(call) => screen.saved_searches.perform(&call),
            _ => perform_file(call, &screen.folders(), screen.now.wall),
        })
    }
}

impl TestScreen {
    pub fn sized(service: Rc<Service>, width: u16, height: u16, data: bool) -> TestScreen {
        let folder = crate::folder();
        let whole = profile(data);
        let environment = Environment {
            config_dir: folder.path().join("config"),
            state_dir: folder.path().join("state"),
            ..Environment::default()
        };
        let sandboxed = Sandboxed {
            service,
            saved_searches: SavedFiles::of(&environment, "acme"),
            folder,
            hold: |_| false,
            lose: |_| false,
            data,
            free: u64::MAX,
            stopped: Vec::new(),
        };
        let mut screen = TestScreen::around(sandboxed, &whole, (width, height));
        screen.handle(Msg::Opened(Ok(Box::new(whole))));
        screen.settle();
        screen
    }

    /// The program ends here and starts again: what is on the disk stays.
    pub fn restart(&mut self) -> &mut TestScreen {
        let whole = profile(self.data);
        self.model = opening(whole.clone(), self.model.size, self.now);
        self.held.clear();
        self.handle(Msg::Opened(Ok(Box::new(whole))));
        self.settle()
    }

    pub fn folders(&self) -> Folders {
        let at = |name: &str| -> PathBuf {
            let path = self.folder.path().join(name);
            std::fs::create_dir_all(&path).expect("a folder");
            path
        };
        Folders { here: at("exports"), config: at("config"), state: at("state"), own: vec![at("config"), at("state")] }
    }
}
