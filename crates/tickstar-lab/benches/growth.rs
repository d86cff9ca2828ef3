//! What a unit of work costs on larger and larger maps, as `tickstar bench growth` measures it: `cargo bench --bench
//! growth` prints a row per subject, kind of map and side.

use tickstar_lab::bench::Control;
use tickstar_lab::bench::growth::{Extent, measure};

fn main() {
    println!("{:<10} {:<8} {:>6} {:>9} {:>10}", "", "maps", "side", "ns/unit", "times");
    for row in measure(Extent::FULL, Control::none()).rows {
        let (subject, kind) = (row.subject.name(), row.kind);
        let (side, ns, times) = (row.side, row.ns_per_unit, row.over_smallest);
        println!("{subject:<10} {kind:<8} {side:>6} {ns:>9.1} {times:>10.2}");
    }
    println!(
        "\nA unit is an expansion, or a free cell of the hierarchy's map; `times`: the smallest."
    );
}
