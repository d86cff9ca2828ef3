//! The pages in `/papers` and their figures are what the committed evidence gives: neither can change without the other.
//! After a change of how claims are told: `TICKSTAR_BLESS=1 cargo test -p tickstar-lab --test papers`.

use std::fs;
use std::path::Path;

use tickstar_lab::reproduce::Kept;
use tickstar_lab::reproduce::pages::pages;

fn kept(path: &Path) -> Kept {
    let text =
        fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let kept: Kept = serde_json::from_str(&text).unwrap();
    assert_eq!(kept.to_text(), text, "{} is not as it is written", path.display());
    kept
}

#[test]
fn pages_are_what_the_evidence_gives() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../papers");
    let (evidence, times) = (kept(&folder.join("evidence.json")), kept(&folder.join("times.json")));
    let files = pages(&folder, &evidence, Some(&times)).unwrap();
    assert!(files.len() > 20, "pages and figures");
    for (path, expected) in files {
        if std::env::var_os("TICKSTAR_BLESS").is_some() {
            fs::write(&path, &expected).unwrap();
        }
        let found = fs::read_to_string(&path).unwrap_or_default();
        let name = path.display();
        assert!(
            found == expected,
            "{name} is not what the evidence gives; see the head of this test"
        );
    }
}

/// A page may not keep a verdict that the evidence does not give.
#[test]
fn other_evidence_gives_other_pages() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../papers");
    let mut evidence = kept(&folder.join("evidence.json"));
    let before = pages(&folder, &evidence, None).unwrap();
    for (name, values) in &mut evidence.estimates {
        if name.starts_with("tba-acting ratio suboptimality late-astar@") {
            *values = [Some(0.5), Some(0.4), Some(0.6), Some(300.0)];
        }
    }
    let after = pages(&folder, &evidence, None).unwrap();
    let page = |files: &[(std::path::PathBuf, String)]| {
        files.iter().find(|(path, _)| path.ends_with("2009-tba-star.md")).unwrap().1.clone()
    };
    let count = |text: &str| text.matches("**does not hold**").count();
    assert_eq!(count(&page(&after)), count(&page(&before)) + 1);
}
