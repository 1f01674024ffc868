//! Runs every console block of the README and the guide and compares what it prints.

#[test]
fn documents_show_what_happens() {
    // Blocks name files from the root of the repository.
    std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).unwrap();
    trycmd::TestCases::new().case("README.md").case("docs/*.md");
}
