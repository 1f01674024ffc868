//! What settings take and refuse, and what is said of it.

use hyperslide_search::{ALGORITHMS, Config, Domain, all_settings};

/// Texts that a setting must take, and some that it must refuse, by what it says of itself.
fn examples(domain: Domain) -> (Vec<String>, Vec<String>) {
    let texts = |list: &[&str]| list.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
    let whole = |least: u64, most: u64| {
        let below = least.checked_sub(1).map(|below| below.to_string());
        let refused = texts(&["", "-1", "1.5", "many"]);
        let beyond = most.saturating_add(1).to_string();
        let good = vec![least.to_string(), most.to_string()];
        (good, refused.into_iter().chain(below).chain([beyond]).collect::<Vec<_>>())
    };
    match domain {
        Domain::Whole { least, most } => whole(least, most),
        Domain::WholeOrAuto { least, most } => {
            let (good, bad) = whole(least, most);
            (good.into_iter().chain(["auto".to_owned()]).collect(), bad)
        }
        Domain::Decimal { most, places } => {
            let last = places as usize;
            let good = vec!["0".to_owned(), format!("{:.last$}", 0.125), most.to_string()];
            let bad = [format!("0.{}1", "0".repeat(last)), (most + 1).to_string()];
            let refused = texts(&["", "-1", "x", "nan", "inf", "1e9"]);
            (good, refused.into_iter().chain(bad).collect())
        }
        Domain::Choice(words) => (texts(words), vec![String::new(), words[0].to_uppercase()]),
        Domain::Subset(words) => {
            let some = vec!["nothing".to_owned(), words.join("+")];
            let bad = texts(&["", "all", &format!("{}+", words[0])]);
            (some.into_iter().chain(texts(words)).collect(), bad)
        }
        Domain::Text(_) => (Vec::new(), Vec::new()),
    }
}

/// What settings that only their owners can read must take and refuse as well.
const TEXTS: &[(&str, &[&str], &[&str])] = &[
    ("schedule", &["rows", "border", "1+2/3/4"], &["", "1//2", "1+/2"]),
    (
        "mutation",
        &["zipf:1.8", "zipf:0.001", "zipf:100", "binomial:0.5", "binomial:0"],
        &["zipf:0", "zipf:-1", "zipf:101", "zipf", "binomial:2", "1.8"],
    ),
];

#[test]
fn settings_take_what_they_say() {
    for algorithm in ALGORITHMS {
        for setting in algorithm.settings {
            let name = setting.name;
            let (mut good, mut bad) = examples(setting.domain);
            for (_, taken, refused) in TEXTS.iter().filter(|(known, ..)| *known == name) {
                good.extend(taken.iter().map(|&text| text.to_owned()));
                bad.extend(refused.iter().map(|&text| text.to_owned()));
            }
            for value in good.iter().map(String::as_str).chain([setting.default]) {
                let config = Config::new(algorithm.name, None, [(name, value)], 0);
                let config = config.unwrap_or_else(|error| panic!("{name}={value}: {error}"));
                assert_eq!(config.settings.iter().collect::<Vec<_>>(), [(name, value)]);
            }
            for value in &bad {
                let error = setting.check(value).unwrap_err().to_string();
                let says = [name, &setting.domain.to_string()].map(|word| error.contains(word));
                assert_eq!(says, [true; 2], "{error}");
                let refused = Config::new(algorithm.name, None, [(name, value.as_str())], 0);
                assert_eq!(refused.err().unwrap().to_string(), error);
            }
        }
    }
}

/// A name means one thing, whichever algorithm it is given to.
#[test]
fn settings_of_one_name_are_one() {
    for setting in ALGORITHMS.iter().flat_map(|algorithm| algorithm.settings) {
        let of_this_name = all_settings().into_iter().find(|known| known.name == setting.name);
        assert!(std::ptr::eq(of_this_name.unwrap(), *setting), "{}", setting.name);
    }
}

#[test]
fn what_an_algorithm_does_not_take_is_refused() {
    let error = |algorithm, heuristic, settings: &[(&'static str, &'static str)]| {
        let settings = settings.iter().copied();
        Config::new(algorithm, heuristic, settings, 0).err().unwrap().to_string()
    };
    assert_eq!(
        error("astar", None, &[("width", "5"), ("population", "3")]),
        "astar takes no 'width': it takes heuristic and profile"
    );
    assert_eq!(
        error("breadth-first", Some("blind"), &[]),
        "breadth-first takes no 'heuristic': it takes no heuristic and no settings"
    );
    assert_eq!(
        error("idastar", None, &[("weight", "2")]),
        "idastar takes no 'weight': it takes heuristic only"
    );
    assert!(error("astr", None, &[]).starts_with("no algorithm is called 'astr': write auto, "));
    assert!(error("astar", Some("x"), &[]).starts_with("no heuristic is called 'x': write "));
    assert!(error("BFS", None, &[]).ends_with("; it is called breadth-first here"));
    assert!(error("astar", Some("manhattan"), &[]).ends_with("the Manhattan distance on grids"));
    assert!(error("beam", None, &[("width", "5"), ("width", "5")]).contains("given twice"));
}
