//! Files and arguments that attack the terminal: no message repeats a control character, and none is long.

use crate::support::{Folder, map, read};

/// Texts that move the cursor, set the title, reorder a line or are of any length.
fn hostile() -> [String; 5] {
    [
        "\x1b[31mred".to_string(),
        "\x1b]0;title\x07".to_string(),
        "\u{202e}reversed\u{9b}31m".to_string(),
        "x".repeat(10_000),
        "\x1b".repeat(10_000),
    ]
}

/// Checks that the program refuses with a short message that is safe to show.
fn refused_safely(folder: &Folder, arguments: &[&str], what: &str) {
    let ran = read(&folder.command(arguments).output().unwrap(), what);
    assert!(ran.code == Some(2) || ran.code == Some(3), "{what}: {:?}, {:?}", ran.code, ran.err);
    let shown = |char: char| {
        char == '\n' || !(char.is_control() || matches!(char, '\u{202a}'..='\u{202e}'))
    };
    assert!(ran.err.chars().all(shown), "{what}: {:?}", ran.err);
    let message = ran.err.lines().next().unwrap_or_default();
    let length = message.chars().count();
    // Lists of what there is are as long as they are.
    let limit = if message.contains("there are: ") { 600 } else { 300 };
    assert!(length > 0 && length <= limit, "{what}: {length} characters: {message:.400}");
}

fn with_map(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("a.map", map(&["....", "....", "...."]));
    folder
}

#[test]
fn messages_about_files_are_safe_and_short() {
    let folder = with_map("hostile-files");
    for text in hostile() {
        let maps = [
            text.clone(),
            format!("type {text}\nheight 1\nwidth 1\nmap\n.\n"),
            format!("type octile\nheight {text}\nwidth 1\nmap\n.\n"),
            format!("type octile\nheight 1\nwidth 3\nmap\n{text}\n"),
        ];
        for bytes in maps {
            folder.write("bad.map", bytes);
            refused_safely(&folder, &["maps", "inspect", "bad.map"], "a map");
        }
        folder.write("bad.txt", &text);
        refused_safely(&folder, &["maps", "inspect", "bad.txt"], "rows");
        let scenarios = [
            format!("{text}\n"),
            format!("version {text}\n"),
            format!("version 1\n0 {text} 4 3 0 0 1 0 1\n"),
            format!("version 1\n0 a.map {text} 3 0 0 1 0 1\n"),
            format!("version 1\n0 a.map 4 3 0 {text} 1 0 1\n"),
            format!("version 1\n0 a.map 4 3 0 0 1 0 {text}\n"),
        ];
        for bytes in scenarios {
            folder.write("bad.scen", bytes);
            refused_safely(&folder, &["run", "--map", "a.map", "--scen", "bad.scen"], "a scenario");
        }
        for bytes in [text.clone(), format!("0 0 1 {text}\n")] {
            folder.write("bad.list", bytes);
            let run = ["run", "--map", "a.map", "--problems", "bad.list"];
            refused_safely(&folder, &run, "a list of problems");
        }
        for bytes in [
            text.clone(),
            format!("{text} 0 1 free\nend\n"),
            format!("1 0 {text} free\nend\n"),
            format!("1 0 1 {text}\nend\n"),
            format!("end\n{text}\n"),
        ] {
            folder.write("bad.script", bytes);
            let run =
                ["run", "--map", "a.map", "--from", "0,0", "--to", "3,2", "--world"].into_iter();
            let run: Vec<_> = run.chain(["script:bad.script"]).collect();
            refused_safely(&folder, &run, "a script");
        }
        for bytes in [text.clone(), format!("{text}\t{text}\t1\t1\t{text}\t-\n")] {
            folder.write("bad.tsv", bytes);
            refused_safely(&folder, &["maps", "get", "new", "--list", "bad.tsv"], "a list of maps");
        }
        folder.write("bad.sub", &text);
        let tables = ["--algorithm", "d-lrta", "--tables", "bad.sub", "--take", "1"];
        let run = [&["run", "--map", "builtin:rooms-64"][..], &tables].concat();
        refused_safely(&folder, &run, "a table of subgoals");
    }
}

#[test]
fn messages_about_arguments_are_safe_and_short() {
    let folder = with_map("hostile-arguments");
    for text in hostile() {
        let with = |prefix: &str| format!("{prefix}{text}");
        for (arguments, last) in [
            (&[][..], text.clone()),
            (&[], with("--")),
            (&["run", "--map"], text.clone()),
            (&["run", "--map"], with("builtin:")),
            (&["run", "--map", "a.map", "--scen"], text.clone()),
            (&["run", "--map", "a.map", "--problems"], text.clone()),
            (&["run", "--map", "a.map", "--to", "0,0", "--from"], text.clone()),
            (&["run", "--map", "builtin:rooms-64", "--algorithm"], text.clone()),
            (&["run", "--map", "builtin:rooms-64", "--budget"], text.clone()),
            (&["run", "--map", "builtin:rooms-64", "--set"], text.clone()),
            (&["run", "--map", "builtin:rooms-64", "--set"], format!("{text}=1")),
            (&["run", "--map", "builtin:rooms-64", "--set"], with("r=")),
            (&["run", "--map", "builtin:rooms-64", "--set"], with("switch=")),
            (
                &["run", "--map", "builtin:rooms-64", "--algorithm", "wastar", "--weight"],
                text.clone(),
            ),
            (&["run", "--map", "builtin:rooms-64", "--world"], text.clone()),
            (&["run", "--map", "builtin:rooms-64", "--world"], with("known:")),
            (&["run", "--map", "builtin:rooms-64", "--world"], with("partial:")),
            (&["run", "--map", "builtin:rooms-64", "--world"], with("script:")),
            (&["run", "--map", "builtin:rooms-64", "--trace"], with("no/such/")),
            (&["compare", "--algorithms"], text.clone()),
            (&["compare", "--algorithms"], with("tba:")),
            (&["compare", "--algorithms"], with("tba:budget=")),
            (&["compare", "--algorithms"], format!("tba:{text}=1:{text}=1")),
            (&["compare", "--budgets"], text.clone()),
            (&["draw", "--out"], text.clone()),
            (&["algorithms"], text.clone()),
            (&["maps", "generate"], text.clone()),
            (&["maps", "convert", "a.map"], text.clone()),
            (&["maps", "check"], text.clone()),
            (&["maps", "get", "new", "--only"], text.clone()),
            (&["maps", "get", "new", "--from"], text.clone()),
            (&["maps", "get", "new", "--from"], with("http://")),
            (&["maps", "get", "new", "--list"], text.clone()),
            (&["maps", "problems"], text.clone()),
            (&["maps", "problems", "a.map", "--length"], text.clone()),
        ] {
            let what = format!("{arguments:?} {last:.40?}");
            refused_safely(&folder, &[arguments, &[last.as_str()]].concat(), &what);
        }
    }
}
