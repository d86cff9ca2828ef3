use super::super::report::{TableRow, Verdict};
use super::*;

fn paper() -> PaperReport {
    PaperReport {
        key: "tba",
        name: "TBA*",
        citation: "Somebody, 2009.",
        setup: vec!["- On 3 maps.".into()],
        claims: vec![Claim {
            key: "tba-table-1",
            words: "A*|LRTA* with <k>".into(),
            place: "table 1",
            paper: "1.49".into(),
            ours: "1.52".into(),
            verdict: Verdict::InShape,
            why: "It is close.".into(),
            rule: "Within 1 %.".into(),
            note: "Other maps.",
        }],
        tables: vec![ReportTable {
            key: "tba-table-1",
            title: "Table 1: `E` and L".into(),
            columns: ["R", "10", "25"].map(String::from).into(),
            rows: vec![
                TableRow { name: "E, paper".into(), of_paper: true, cells: vec!["3.83".into()] },
                TableRow {
                    name: "E".into(),
                    of_paper: false,
                    cells: ["3.83", "2.13"].map(String::from).into(),
                },
            ],
            note: "Means.".into(),
        }],
        figures: Vec::new(),
        pictures: Vec::new(),
    }
}

fn around(generated: &str) -> String {
    format!("# TBA\\*\n\nBefore.\n\n{BEGIN}\n{generated}{END}\n\nAfter.\n")
}

#[test]
fn what_is_between_the_markers_is_replaced() {
    let about = ["1. All of it.".to_string(), "At once.".to_string()];
    let expected = around(
        "
1\\. All of it. At once.

\\- On 3 maps.

| | claim | where | the paper | here | verdict |
|--:|---|---|---|---|---|
| 1 | A\\*\\|LRTA\\* with &lt;k> | table 1 | 1.49 | 1.52 | ≈&nbsp;**holds in shape** |

1. It is close. Other maps.

<details><summary>The rules, written before the numbers</summary>

1. Within 1 %.

</details>

**Table 1: \\`E\\` and L**

| R | 10 | 25 |
|---|--:|--:|
| *E, paper* | *3.83* | |
| E | 3.83 | 2.13 |

The paper's numbers are in *italics*. Means.

",
    );
    for before in ["", "what was there\n", expected.as_str()] {
        let prose = if before == expected { expected.clone() } else { around(before) };
        assert_eq!(page(&prose, &paper(), &about).as_deref(), Ok(expected.as_str()));
    }
}

#[test]
fn an_empty_paper_leaves_the_markers() {
    let empty =
        PaperReport { setup: Vec::new(), claims: Vec::new(), tables: Vec::new(), ..paper() };
    let expected = around("\n");
    assert_eq!(page(&around("old\n"), &empty, &[]).as_deref(), Ok(expected.as_str()));
}

#[test]
fn markers_must_be_there_once_and_in_order() {
    let error = |prose: &str| page(prose, &paper(), &[]).unwrap_err();
    assert_eq!(error(""), PageError::Missing(BEGIN));
    assert_eq!(error(&format!("{BEGIN}\n")), PageError::Missing(END));
    assert_eq!(error(&format!("It is `{BEGIN}`\n{END}")), PageError::Missing(BEGIN));
    assert_eq!(error(&format!("{END}\n{BEGIN}\n")), PageError::Reversed);
    assert_eq!(error(&format!("{BEGIN}\n{END}\n{END}\n")), PageError::Doubled(END));
    let doubled = error(&format!("{BEGIN}\n{BEGIN}\n{END}\n"));
    assert_eq!(doubled, PageError::Doubled(BEGIN));
    assert!(doubled.to_string().contains(BEGIN), "{doubled}");
}
