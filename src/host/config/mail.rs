//! `mail.toml`: subject and body of an email to a contact.
//!
//! ```toml
//! subject = "{company}: a question"
//! body = "Hi {first_name},"
//! ```

use super::*;

/// The template of the config folder; an empty one without a file.
pub(crate) fn template(folder: &Path) -> Read<MailTemplate> {
    let path = folder.join("mail.toml");
    let Some(bytes) = bytes(&path)? else { return Ok(MailTemplate::default()) };
    parse(&path, &String::from_utf8_lossy(&bytes), |file| {
        let [subject, body] = file.fields(["subject", "body"])?;
        Ok(MailTemplate { subject: text(subject)?, body: text(body)? })
    })
}

fn text(setting: Option<Setting<'_>>) -> Read<String> {
    let Some(setting) = setting else { return Ok(String::new()) };
    let text = setting.item.as_str().ok_or_else(|| setting.wrong(format!("`{}` is a text in quotes", setting.name)))?;
    let Some(name) = unknown_field(text) else { return Ok(text.to_owned()) };
    Err(setting.wrong(format!("unknown field `{name}`; fields: {}", FIELDS.join(", "))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_is_read_and_mistakes_are_named_with_their_line() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(template(folder.path()), Ok(MailTemplate::default()));
        let said = |text: &str| {
            std::fs::write(folder.path().join("mail.toml"), text).unwrap();
            template(folder.path()).map_err(|problem| problem.to_string())
        };
        let wanted = MailTemplate { subject: "Hi {name}".to_owned(), body: "a\nb".to_owned() };
        assert_eq!(said("subject = \"Hi {name}\"\nbody = \"a\\nb\"\n"), Ok(wanted));
        for (text, problem) in [
            ("subject = 5\n", "mail.toml, line 1, column 11: `subject` is a text in quotes"),
            ("\nbody = \"{phone}\"\n", "mail.toml, line 2, column 8: unknown field `phone`"),
            ("to = \"x\"\n", "mail.toml, line 1, column 1: unknown setting `to`"),
        ] {
            let words = said(text).unwrap_err();
            assert!(words.contains(problem), "{words}");
        }
    }
}
