//! Codes with their names, so that one finds `8062` by typing `hospital`. Aids for typing only: any code may be typed.

const STATES: &str = lode_assets::STATES;
const SIC: &str = lode_assets::SIC;
const NAICS: &str = lode_assets::NAICS;

fn read(text: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('|'))
}

pub fn states() -> impl Iterator<Item = (&'static str, &'static str)> {
    read(STATES)
}

pub fn sic() -> impl Iterator<Item = (&'static str, &'static str)> {
    read(SIC)
}

pub fn naics() -> impl Iterator<Item = (&'static str, &'static str)> {
    read(NAICS)
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_line_is_a_code_and_a_name() {
        for (text, codes, length) in [
            (super::STATES, super::states().collect::<Vec<_>>(), 2),
            (super::SIC, super::sic().collect(), 4),
            (super::NAICS, super::naics().collect(), 6),
        ] {
            assert_eq!(codes.len() + 1, text.lines().count());
            assert!(codes.iter().all(|(code, name)| code.len() == length && !name.is_empty()));
        }
    }
}
