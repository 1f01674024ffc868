//! The addresses of databases: which are taken, and what is said of them.

use hyperslide_plays::{connect, connect_to_read};

use crate::fixtures::file_of_its_own;

/// Names that others take for a database in memory, or for a file with options.
#[tokio::test]
async fn addresses_of_files_name_one() {
    let folder = file_of_its_own("names");
    std::fs::create_dir_all(&folder).unwrap();
    let inside = |name: &str| format!("sqlite:{}/{name}", folder.display());
    for address in [
        "sqlite:",
        "sqlite::memory:",
        "sqlite://",
        "sqlite://plays.sqlite",
        "sqlite:file:plays.sqlite",
        &inside("plays.sqlite?mode=ro"),
    ] {
        for refused in [connect(address).await.err(), connect_to_read(address).await.err()] {
            let error = refused.unwrap_or_else(|| panic!("{address} is opened")).to_string();
            assert!(error.contains("write sqlite:FILE, as in sqlite:/var"), "{address}: {error}");
        }
    }
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
    // As other programs write the address of a file.
    let address = format!("sqlite://{}/plays.sqlite", folder.display());
    connect(&address).await.unwrap().close().await.unwrap();
    connect(&inside("plays.sqlite")).await.unwrap().close().await.unwrap();
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn addresses_are_shown_without_the_password() {
    for (address, shown) in [
        ("sqlite:/var/a@b?c", "sqlite:/var/a@b?c"),
        ("postgres://host/plays", "postgres://host/plays"),
        ("postgres://ada:secret@host/plays", "postgres://...@host/plays"),
        ("postgres://ada:se@cret@host/plays?sslmode=off", "postgres://...@host/plays"),
        ("postgres://host/plays?user=ada&password=secret", "postgres://host/plays"),
        ("postgres://host/plays?user=ada@home&password=secret", "postgres://..."),
        ("postgres://ada:se?cret@host/plays", "postgres://..."),
    ] {
        assert_eq!(hyperslide_plays::shown_address(address), shown);
    }
}

#[tokio::test]
async fn addresses_are_refused_without_telling_the_password() {
    for (address, shown) in [
        ("mysql://ada:secret@host/plays", "mysql://...@host/plays"),
        (&format!("mysql://ada:secret{}@host/plays", "x".repeat(90)), "mysql://...@host/plays"),
        ("plays.sqlite", "'plays.sqlite'"),
        ("", "''"),
    ] {
        let error = connect(address).await.err().unwrap().to_string();
        assert!(error.contains(shown) && !error.contains("secret"), "{error}");
    }
}
