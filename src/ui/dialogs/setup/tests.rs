//! The way from no profile to a kept key, without a screen.

use secrecy::ExposeSecret;

use super::*;
use lode_core::account::Account;
use lode_core::credits::Credits;
use lode_engine::effect::failure::{Failure, Refusal};
use lode_engine::effect::setup::ProfileCall;

fn proof(keyring: Option<&str>) -> Proof {
    let account = Account { org_name: "Acme, Inc.".to_owned(), key_prefix: "ak_7f".to_owned(), ..Account::default() };
    Proof { account: Some(account), rows: None, keyring: keyring.map(str::to_owned), taken: vec!["old".to_owned()] }
}

fn at_key() -> Setup {
    let mut setup = Setup::new(Source::Workspace, None);
    setup.typed("https://api.example");
    assert!(matches!(setup.text(Text::Submit), Outcome::Call(ProfileCall::Address { .. })));
    assert!(setup.told(&Told::Address { url: "https://api.example/api/v1".to_owned(), said: None }));
    setup
}

fn proved(keyring: Option<&str>) -> Setup {
    let mut setup = at_key();
    setup.typed("ak_7f0123456789");
    let Outcome::Call(ProfileCall::Prove { attempt, .. }) = setup.text(Text::Submit) else { panic!("a key is proved") };
    setup.told(&Told::Proved { attempt, proof: Ok(proof(keyring)) });
    setup
}

#[test]
fn a_key_goes_from_the_field_to_the_place_its_owner_chose() {
    let mut setup = proved(None);
    assert!(matches!(setup.choose(setup.marked.at), Outcome::Stay), "then the name");
    assert_eq!(setup.input.value(), "acme-inc");
    assert!(matches!(setup.text(Text::Submit), Outcome::Stay), "then the caps");
    setup.typed("200");
    setup.text(Text::Submit);
    let Outcome::Call(ProfileCall::Keep { profile, service, caps }) = setup.text(Text::Submit) else {
        panic!("it is kept")
    };
    assert_eq!((profile.as_str(), service.keeping), ("acme-inc", Keeping::Keyring));
    assert_eq!(service.url, "https://api.example/api/v1");
    assert_eq!(service.key.expose_secret(), "ak_7f0123456789");
    assert_eq!(caps, Some(Caps { session: Some(Credits(200)), ..Caps::default() }));
}

#[test]
fn a_name_and_a_cap_that_stand_in_the_field_are_replaced_by_what_is_typed() {
    let mut setup = proved(None);
    setup.choose(setup.marked.at);
    setup.typed("west");
    assert_eq!(setup.input.value(), "west");
    setup.text(Text::Submit);
    setup.typed("200");
    setup.text(Text::Submit);
    setup.text(Text::Leave);
    assert_eq!((setup.step, setup.input.value()), (Step::Session, "200"));
    setup.typed("5");
    setup.typed("0");
    assert_eq!(setup.input.value(), "50", "not 20050");
}

#[test]
fn a_keyring_that_cannot_be_used_is_never_replaced_in_silence() {
    let mut setup = proved(Some("the keyring is locked"));
    assert_eq!(setup.marked.at, 1);
    assert!(matches!(setup.choose(0), Outcome::Stay));
    assert_eq!((setup.step, setup.trouble.as_deref()), (Step::Storage, Some("the keyring is locked.")));
}

#[test]
fn an_answer_to_a_key_that_was_taken_back_is_not_heard() {
    let mut setup = at_key();
    setup.typed("ak_1");
    let Outcome::Call(ProfileCall::Prove { attempt, .. }) = setup.text(Text::Submit) else { panic!("a key is proved") };
    setup.back();
    setup.told(&Told::Proved { attempt, proof: Ok(proof(None)) });
    assert_eq!(setup.step, Step::Key);
}

#[test]
fn a_refused_key_is_asked_again_and_no_trace_of_it_is_told() {
    let mut setup = at_key();
    setup.typed("ak_7f0123456789");
    let Outcome::Call(call) = setup.text(Text::Submit) else { panic!("a key is proved") };
    assert!(!format!("{call:?} {setup:?}").contains("ak_7f"));
    let failure = Failure::Refused { status: 401, why: Refusal::Key, words: "invalid key".to_owned() };
    setup.told(&Told::Proved { attempt: 1, proof: Err(failure) });
    assert_eq!((setup.step, setup.input.value()), (Step::Key, ""));
    assert!(setup.trouble.as_ref().is_some_and(|words| words.contains("refused this key")));
}

/// Only the address was wrong: it is corrected where it stands, and the key needs no second paste.
#[test]
fn after_a_refused_connection_the_address_is_corrected_and_the_key_is_still_there() {
    let mut setup = at_key();
    setup.typed("ak_7f0123456789");
    setup.text(Text::Submit);
    setup.told(&Told::Proved { attempt: 1, proof: Err(Failure::Unsent { words: "connection refused".to_owned() }) });
    assert_eq!((setup.step, setup.input.value()), (Step::Address, "https://api.example/api/v1"));
    assert!(setup.trouble.is_some());
    setup.text(Text::Submit);
    setup.told(&Told::Address { url: "https://api.example:8443/api/v1".to_owned(), said: None });
    assert_eq!((setup.step, setup.input.value()), (Step::Key, "ak_7f0123456789"));
    assert!(!format!("{setup:?}").contains("ak_7f"));
    let Outcome::Call(ProfileCall::Prove { url, .. }) = setup.text(Text::Submit) else {
        panic!("the same key is proved")
    };
    assert_eq!(url, "https://api.example:8443/api/v1");
    setup.text(Text::Leave);
    setup.typed("x");
    assert_eq!(setup.input.value(), "x", "typing replaces it");
}

#[test]
fn the_name_of_another_profile_is_not_taken() {
    let mut setup = proved(None);
    setup.choose(2);
    setup.input = Input::new("old".to_owned());
    assert!(matches!(setup.text(Text::Submit), Outcome::Stay));
    assert_eq!(setup.step, Step::Name);
}

#[test]
fn a_key_for_a_profile_that_is_there_asks_neither_name_nor_caps() {
    let mut setup = Setup { profile: Some("old".to_owned()), ..proved(None) };
    let Outcome::Call(ProfileCall::Keep { profile, caps, .. }) = setup.choose(2) else { panic!("it is kept") };
    assert_eq!((profile.as_str(), caps), ("old", None));
}

#[test]
fn a_second_profile_of_the_same_workspace_is_offered_a_free_name() {
    let mut setup = at_key();
    setup.typed("ak_7f0123456789");
    let Outcome::Call(ProfileCall::Prove { attempt, .. }) = setup.text(Text::Submit) else { panic!("a key is proved") };
    let taken = vec!["acme-inc".to_owned(), "acme-inc-2".to_owned()];
    setup.told(&Told::Proved { attempt, proof: Ok(Proof { taken, ..proof(None) }) });
    setup.choose(setup.marked.at);
    assert_eq!(setup.input.value(), "acme-inc-3");
    assert!(matches!(setup.text(Text::Submit), Outcome::Stay));
    assert_eq!(setup.step, Step::Session, "the name is taken over");
}
