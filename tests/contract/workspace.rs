use crate::service::Service;

#[test]
fn search_returns_contact_rows_with_email_and_phone_masked() {
    for service in Service::all() {
        let answer = service.workspace("/search?corpus=us&limit=20");
        assert_eq!(answer.status, 200);
        for row in answer.body["data"]["rows"].as_array().unwrap() {
            assert!(row["email_address"].as_str().unwrap().contains("•••@"), "{row}");
        }
    }
}
