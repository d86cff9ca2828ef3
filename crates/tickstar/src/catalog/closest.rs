//! What a name that does not exist was meant to be.

/// The known name that this one most likely means, if any is close: the same but for case, punctuation and the star of
/// `TBA*`, or with few letters added, omitted, changed or swapped.
///
/// ```
/// use tickstar::catalog::closest;
/// let known = ["astar", "tba", "dstar-lite"];
/// assert_eq!(closest("TBA*", known), Some("tba"));
/// assert_eq!(closest("A*", known), Some("astar"));
/// assert_eq!(closest("D* Lite", known), Some("dstar-lite"));
/// assert_eq!(closest("dstar-liet", known), Some("dstar-lite"));
/// assert_eq!(closest("rrt", known), None);
/// ```
pub fn closest<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let name = key(name);
    // "A*" is `astar`, but "TBA*" is `tba`.
    let short = name.strip_suffix(&['s', 't', 'a', 'r']).unwrap_or(&name);
    let mistakes = |known: &str| {
        let known = key(known);
        let of = |name: &[char]| mistakes(name, &known).filter(|&count| count <= allowed(name));
        [of(&name), of(short)].into_iter().flatten().min()
    };
    let close = known.into_iter().filter_map(|known| Some((mistakes(known)?, known)));
    close.min_by_key(|&(mistakes, _)| mistakes).map(|(_, known)| known)
}

/// More letters than any name has.
const MAX_LETTERS: usize = 40;

/// How many mistakes a name of this length may have. One of two letters is close to any other.
fn allowed(name: &[char]) -> usize {
    match name.len() {
        0..=2 => 0,
        3..=4 => 1,
        _ => 2,
    }
}

/// The letters and digits of a name in lower case, and `star` for a star. What follows a bracket, a colon or an
/// equals sign, such as the parameter in `PRA*(16)`, is left out.
fn key(name: &str) -> Vec<char> {
    let name = name.split(['(', '[', ':', '=']).next().unwrap_or_default();
    let spelled = name.chars().take(MAX_LETTERS).collect::<String>().replace('*', "star");
    spelled.chars().flat_map(char::to_lowercase).filter(|c| c.is_alphanumeric()).collect()
}

/// How many letters must be added, removed, changed or swapped with their neighbor to make one name of the other.
fn mistakes(a: &[char], b: &[char]) -> Option<usize> {
    if a.is_empty() || b.is_empty() {
        return None;
    }
    let mut rows = [vec![0; b.len() + 1], (0..=b.len()).collect::<Vec<_>>()];
    for i in 0..a.len() {
        let mut row = vec![i + 1];
        for j in 0..b.len() {
            let changed = rows[1][j] + usize::from(a[i] != b[j]);
            let mut least = changed.min(rows[1][j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                least = least.min(rows[0][j - 1] + 1);
            }
            row.push(least);
        }
        rows.swap(0, 1);
        rows[1] = row;
    }
    Some(rows[1][b.len()])
}
