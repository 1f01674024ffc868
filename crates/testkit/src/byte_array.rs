//! A textbook search that keeps its distances in an array of bytes.

/// Counts the states of a grid puzzle with one empty vertex at every distance from the usual goal,
/// the way one writes it first: a byte for each state, found by rank and unrank. The baseline that
/// whole-graph searches are timed against.
///
/// States are numbered by the Lehmer code of the row of tiles, the empty vertex among them; both
/// halves are numbered. Memory: (rows x columns)! bytes.
pub fn byte_array_layers(rows: usize, columns: usize) -> Vec<u64> {
    let n = rows * columns;
    let factorial: usize = (1..=n).product();
    let mut depth = vec![u8::MAX; factorial];
    let mut row: Vec<u8> = (1..n as u8).chain([0]).collect();
    depth[rank(&row)] = 0;
    let mut layers = vec![1u64];
    loop {
        let here = layers.len() as u8 - 1;
        let mut new = 0;
        for number in 0..factorial {
            if depth[number] != here {
                continue;
            }
            unrank(number, &mut row);
            let empty = row.iter().position(|&tile| tile == 0).unwrap_or(0);
            let (r, c) = (empty / columns, empty % columns);
            let neighbours = [
                (r > 0).then(|| empty - columns),
                (r + 1 < rows).then(|| empty + columns),
                (c > 0).then(|| empty - 1),
                (c + 1 < columns).then(|| empty + 1),
            ];
            for neighbour in neighbours.into_iter().flatten() {
                row.swap(empty, neighbour);
                let entry = &mut depth[rank(&row)];
                if *entry == u8::MAX {
                    *entry = here + 1;
                    new += 1;
                }
                row.swap(empty, neighbour);
            }
        }
        if new == 0 {
            return layers;
        }
        layers.push(new);
    }
}

fn rank(row: &[u8]) -> usize {
    let (mut rank, mut left) = (0, u32::MAX);
    for (place, &tile) in row.iter().enumerate() {
        // Tiles not yet seen that are smaller.
        let smaller = (left & ((1 << tile) - 1)).count_ones() as usize;
        left &= !(1 << tile);
        rank = rank * (row.len() - place) + smaller;
    }
    rank
}

fn unrank(mut rank: usize, row: &mut [u8]) {
    let n = row.len();
    for place in (0..n).rev() {
        row[place] = (rank % (n - place)) as u8;
        rank /= n - place;
    }
    let mut left: u32 = (1 << n) - 1;
    for tile in row.iter_mut() {
        let mut rest = left;
        for _ in 0..*tile {
            rest &= rest - 1;
        }
        *tile = rest.trailing_zeros() as u8;
        left &= !(1 << *tile);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_8_puzzle() {
        let layers = byte_array_layers(3, 3);
        assert_eq!(layers.iter().sum::<u64>(), 181_440);
        assert_eq!((layers.len(), layers.last()), (32, Some(&2)));
    }
}
