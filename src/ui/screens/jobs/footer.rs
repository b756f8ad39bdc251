//! The job that is looked at in full, below the list: where its file is, or what went wrong.

use crate::theme::Role;
use lode_core::text;
use lode_engine::flow::export::Stage;
use lode_engine::flow::session::Session;

use super::line::Line;
use super::state::Item;

pub(super) fn footer(line: &Line, item: Item, session: &Session, width: u16) -> Vec<(String, Role)> {
    let mut words = line.what.clone();
    if let Item::Export(id) = item
        && let Some(job) = session.exports().job(id)
    {
        match &job.stage {
            Stage::Whole(exported) => {
                words.push_str(&format!("\n{}  {}", exported.path.display(), exported.lint.words()))
            }
            Stage::Stopped { kept: Some(path), .. } => words.push_str(&format!("\n{}", path.display())),
            Stage::Failed(failure) => {
                words.push_str(&format!("\n{}.  <jobs.retry> retry", failure.words().trim_end_matches('.')))
            }
            _ => {}
        }
    } else {
        words.push_str(&format!("\n{}", line.state));
    }
    text::wrapped(&words, usize::from(width)).into_iter().take(4).map(|line| (line, Role::Dim)).collect()
}
