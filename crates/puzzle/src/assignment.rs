//! Minimum-cost assignment of tokens to vertices.

use crate::vertex::MAX_VERTICES;

/// Returns the least total cost of giving every row a column of its own, or `None` if that is
/// impossible.
///
/// `cost(row, column)` is `None` where the pair is not allowed. Takes time O(rows² · columns) and
/// allocates nothing, because heuristics call it for every state. Method: shortest augmenting paths
/// with potentials (Kuhn 1955, Jonker and Volgenant 1987).
///
/// # Panics
///
/// Panics if there are more rows than columns, or more than 64 columns.
pub fn minimum_assignment(
    rows: usize,
    columns: usize,
    cost: impl Fn(usize, usize) -> Option<u16>,
) -> Option<u32> {
    assert!(rows <= columns && columns <= MAX_VERTICES, "{rows} rows, {columns} columns");
    // Greater than any sum of allowed costs, and small enough that sums of it do not overflow.
    const FORBIDDEN: i64 = 1 << 40;
    const SIZE: usize = MAX_VERTICES + 1;
    let cost_of =
        |row: usize, column: usize| cost(row - 1, column - 1).map_or(FORBIDDEN, i64::from);

    // Rows and columns are numbered from 1; column 0 belongs to the row that is being added.
    let mut row_potential = [0i64; SIZE];
    let mut column_potential = [0i64; SIZE];
    let mut row_of = [0usize; SIZE];
    let mut previous = [0usize; SIZE];
    for row in 1..=rows {
        row_of[0] = row;
        let mut slack = [i64::MAX; SIZE];
        let mut used = [false; SIZE];
        let mut column = 0;
        while row_of[column] != 0 {
            used[column] = true;
            let current = row_of[column];
            let (mut delta, mut next) = (i64::MAX, 0);
            for candidate in 1..=columns {
                if used[candidate] {
                    continue;
                }
                let reduced = cost_of(current, candidate)
                    - row_potential[current]
                    - column_potential[candidate];
                if reduced < slack[candidate] {
                    slack[candidate] = reduced;
                    previous[candidate] = column;
                }
                if slack[candidate] < delta {
                    (delta, next) = (slack[candidate], candidate);
                }
            }
            for other in 0..=columns {
                if used[other] {
                    row_potential[row_of[other]] += delta;
                    column_potential[other] -= delta;
                } else if slack[other] != i64::MAX {
                    slack[other] -= delta;
                }
            }
            column = next;
        }
        while column != 0 {
            row_of[column] = row_of[previous[column]];
            column = previous[column];
        }
    }
    let total: i64 = (1..=columns)
        .filter(|&c| row_of[c] != 0)
        .map(|column| cost_of(row_of[column], column))
        .sum();
    if total < FORBIDDEN { Some(total as u32) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cheapest(costs: &[Vec<Option<u16>>], row: usize, used: u64) -> Option<u32> {
        let Some(row_costs) = costs.get(row) else { return Some(0) };
        row_costs
            .iter()
            .enumerate()
            .filter(|&(column, _)| used >> column & 1 == 0)
            .filter_map(|(column, &cost)| {
                Some(u32::from(cost?) + cheapest(costs, row + 1, used | 1 << column)?)
            })
            .min()
    }

    proptest! {
        #[test]
        fn equals_the_best_of_all_assignments(
            costs in (1usize..5, 0usize..3).prop_flat_map(|(rows, more)| {
                let row = prop::collection::vec(prop::option::weighted(0.8, 0u16..20), rows + more);
                prop::collection::vec(row, rows)
            })
        ) {
            let found = minimum_assignment(costs.len(), costs[0].len(), |r, c| costs[r][c]);
            prop_assert_eq!(found, cheapest(&costs, 0, 0));
        }
    }
}
