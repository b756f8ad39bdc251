//! How a row hides what is for sale. Exactly as written: an email keeps its first character and its whole domain, a phone
//! its area code and its last two digits; bullets (U+2022) stand for the rest, three whatever the length.

const BULLETS: &str = "•••";

/// `dana@lakeside.example` → `d•••@lakeside.example`
pub(super) fn email(full: &str) -> String {
    let Some((local, domain)) = full.rsplit_once('@') else {
        return if full.is_empty() { String::new() } else { BULLETS.into() };
    };
    let mut masked = String::with_capacity(domain.len() + 14);
    masked.extend(local.chars().next());
    masked.push_str(BULLETS);
    masked.push('@');
    masked.push_str(domain);
    masked
}

/// `5125550171` → `512•••71`
pub(super) fn phone(full: &str) -> String {
    let digits: Vec<char> = full.chars().filter(char::is_ascii_digit).collect();
    // A leading country code 1 is no part of the area code.
    let digits = if digits.len() == 11 && digits[0] == '1' { &digits[1..] } else { &digits[..] };
    if digits.len() < 5 {
        return if digits.is_empty() { String::new() } else { BULLETS.into() };
    }
    let mut masked: String = digits[..3].iter().collect();
    masked.push_str(BULLETS);
    masked.extend(&digits[digits.len() - 2..]);
    masked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_email_keeps_its_first_character_and_its_whole_domain() {
        assert_eq!(email("dana.whitfield@lakeside.example"), "d•••@lakeside.example");
        assert_eq!(email("x@mail.lakeside.example"), "x•••@mail.lakeside.example");
        assert_eq!(email(""), "");
    }

    #[test]
    fn a_phone_keeps_its_area_code_and_its_last_two_digits() {
        assert_eq!(phone("5125550171"), "512•••71");
        assert_eq!(phone("+1 (713) 555-0104"), "713•••04");
        assert_eq!(phone(""), "");
    }
}
