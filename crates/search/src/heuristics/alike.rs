//! The cheapest way for tokens with one label to reach its vertices in the goal.

use hyperslide_puzzle::{
    Label, LoneTokenDistances, MAX_VERTICES, Puzzle, UNREACHABLE, Vertex, VertexSet,
};

/// Something about each vertex.
type ByVertex<T> = [T; MAX_VERTICES];

/// What an assignment costs; it may be negative on the way to the cheapest one.
type Cost = i32;

/// More than all tokens together cost, and so little that sums of it do not overflow.
const FORBIDDEN: Cost = 1 << 16;

/// The homes of the tokens with one label, and how far each vertex is from them: 4 KiB.
pub(super) struct Homes {
    homes: VertexSet,
    /// If there are more tokens than homes, stand-ins for the missing homes: numbers that no home
    /// has, at distance 0 from every vertex.
    anywhere: VertexSet,
    /// The distances from each home, or `UNREACHABLE`.
    distances: Vec<ByVertex<u8>>,
}

impl Homes {
    /// The homes of a label's tokens, of which there are at least as many.
    pub fn new(puzzle: &Puzzle, label: Label, distances: &LoneTokenDistances) -> Homes {
        let homes = puzzle.goal().labelled().vertices_of(label);
        let tokens = puzzle.start().vertices_of(label).len();
        let mut rows = vec![[0; MAX_VERTICES]; MAX_VERTICES];
        for home in homes {
            for vertex in puzzle.board().vertices() {
                rows[home.index()][vertex.index()] = distances.get(vertex, home);
            }
        }
        let others = Vertex::first(MAX_VERTICES).filter(|&vertex| !homes.contains(vertex));
        let anywhere = others.take(tokens - homes.len()).collect();
        Homes { homes, anywhere, distances: rows }
    }

    /// Finds the cheapest assignment for tokens on these vertices.
    ///
    /// Tokens at a home remain there: if one went to another home, and a token came in its place,
    /// this token could go on to the other home itself. The others are added one by one, each by a
    /// shortest path (Jonker and Volgenant 1987). Time O(m³) for m tokens that are not at a home;
    /// no allocation.
    #[inline]
    pub fn assign(&self, tokens: VertexSet) -> Assignment<'_> {
        let away = tokens - self.homes;
        let mut assignment = Assignment {
            of: self,
            away,
            home_of: [0; MAX_VERTICES],
            token_of: [0; MAX_VERTICES],
            prices: [0; MAX_VERTICES],
            values: [0; MAX_VERTICES],
            total: 0,
        };
        let mut free = away;
        for home in (self.homes - tokens) | self.anywhere {
            let path = assignment.shortest_path(home, &assignment.prices, away, free);
            assignment.follow(home, &path);
            free.remove(path.end);
        }
        assignment
    }

    /// What a token on this vertex has to go to a home.
    #[inline]
    fn cost(&self, token: Vertex, home: Vertex) -> Cost {
        match self.distances[home.index()][token.index()] {
            UNREACHABLE => FORBIDDEN,
            distance => Cost::from(distance),
        }
    }
}

/// The cheapest assignment of tokens to homes, with prices that prove it: no token costs less at a
/// home than the home's value and the token's price together, and at its own home it costs just
/// these.
pub(super) struct Assignment<'a> {
    of: &'a Homes,
    /// The tokens that are not at a home.
    away: VertexSet,
    /// The home of each of these tokens.
    home_of: ByVertex<u8>,
    /// The other way round.
    token_of: ByVertex<u8>,
    prices: ByVertex<Cost>,
    values: ByVertex<Cost>,
    total: Cost,
}

/// A shortest path from a home over tokens and their homes to a token without one.
struct Path {
    end: Vertex,
    /// The distances of tokens that were reached, in terms of values and prices.
    distances: ByVertex<Cost>,
    /// The home before each token.
    before: ByVertex<u8>,
    /// The tokens whose distances are less than that of the end.
    settled: VertexSet,
}

impl Assignment<'_> {
    /// The distances of all tokens from their homes, or `None` if there are too few within reach.
    #[inline]
    pub fn total(&self) -> Option<u32> {
        allowed(self.total)
    }

    /// The same after one of the tokens moved. Time O(m²), mostly O(m); no allocation.
    #[inline]
    pub fn after(&self, from: Vertex, to: Vertex) -> Option<u32> {
        let (mut away, mut prices, mut total) = (self.away, self.prices, self.total);
        // The home that needs a token.
        let home = if self.of.homes.contains(from) {
            from
        } else {
            away.remove(from);
            self.take(&mut total, from)
        };
        // The token that needs a home.
        let token = if !self.of.homes.contains(to) {
            let cheapest = away.into_iter().map(|token| {
                let home = vertex(self.home_of[token.index()]);
                self.of.cost(to, home) - self.values[home.index()]
            });
            prices[to.index()] = cheapest.min().unwrap_or(0);
            away.insert(to);
            to
        } else if home == to {
            return allowed(total);
        } else {
            let token = vertex(self.token_of[to.index()]);
            self.take(&mut total, token);
            token
        };
        let path = self.shortest_path(home, &prices, away, VertexSet::single(token));
        allowed(total + path.distances[token.index()] + prices[token.index()])
    }

    /// Takes a token's cost out of a total, and returns its home.
    #[inline]
    fn take(&self, total: &mut Cost, token: Vertex) -> Vertex {
        let home = vertex(self.home_of[token.index()]);
        *total -= self.of.cost(token, home);
        home
    }

    /// Finds the shortest path from a home without a token to one of the tokens that are free
    /// (Dijkstra 1959).
    #[inline]
    fn shortest_path(
        &self,
        home: Vertex,
        prices: &ByVertex<Cost>,
        tokens: VertexSet,
        free: VertexSet,
    ) -> Path {
        let mut distances = [Cost::MAX; MAX_VERTICES];
        let mut before = [0; MAX_VERTICES];
        let mut open = tokens;
        let (mut at, mut base) = (home, 0);
        loop {
            let (mut least, mut nearest) = (Cost::MAX, home);
            for token in open {
                let distance = base + self.of.cost(token, at) - prices[token.index()];
                let known = &mut distances[token.index()];
                if distance < *known {
                    *known = distance;
                    before[token.index()] = at.index() as u8;
                }
                if *known < least {
                    (least, nearest) = (*known, token);
                }
            }
            if free.contains(nearest) {
                return Path { end: nearest, distances, before, settled: tokens - open };
            }
            open.remove(nearest);
            at = vertex(self.home_of[nearest.index()]);
            base = least - self.values[at.index()];
        }
    }

    /// Gives the home at the beginning of a path a token; those on the path change theirs.
    #[inline]
    fn follow(&mut self, home: Vertex, path: &Path) {
        let distance = path.distances[path.end.index()];
        self.total += distance + self.prices[path.end.index()];
        for token in path.settled {
            self.prices[token.index()] += path.distances[token.index()] - distance;
        }
        let mut token = path.end.index() as u8;
        loop {
            let at = path.before[usize::from(token)];
            self.home_of[usize::from(token)] = at;
            std::mem::swap(&mut self.token_of[usize::from(at)], &mut token);
            if usize::from(at) == home.index() {
                break;
            }
        }
        let mut changed = path.settled;
        changed.insert(path.end);
        for token in changed {
            let at = vertex(self.home_of[token.index()]);
            self.values[at.index()] = self.of.cost(token, at) - self.prices[token.index()];
        }
    }
}

#[inline]
fn vertex(number: u8) -> Vertex {
    Vertex::new(usize::from(number) % MAX_VERTICES).expect("the remainder is a vertex")
}

#[inline]
fn allowed(total: Cost) -> Option<u32> {
    (total < FORBIDDEN).then_some(total as u32)
}

#[cfg(test)]
mod tests {
    use hyperslide_puzzle::minimum_assignment;
    use hyperslide_testkit::Random;

    use super::*;

    /// The cheapest assignment of all tokens, those at home included, by the method of the puzzle
    /// crate.
    fn cheapest(
        homes: VertexSet,
        tokens: VertexSet,
        distances: &LoneTokenDistances,
    ) -> Option<u32> {
        let [homes, tokens] = [homes, tokens].map(|set| set.into_iter().collect::<Vec<_>>());
        minimum_assignment(homes.len(), tokens.len(), |home, token| {
            let distance = distances.get(tokens[token], homes[home]);
            (distance != UNREACHABLE).then_some(u16::from(distance))
        })
    }

    /// On uniformly placed tokens, and after every move of each of them to any other vertex, so
    /// that tokens leave their homes, come home, and do both.
    #[test]
    fn assignments_are_the_cheapest_before_and_after_moves() {
        let mut random = Random::new(7);
        let mut seen = [0_u32; 2];
        for (line, rounds) in [
            ("grid:2:2 a,a,0,0", 20),
            ("grid:3:4 a,a,a,a,a,0,0,0,0,0,0,0", 100),
            (
                "grid:6:6 a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0",
                60,
            ),
            ("cube:4:2 a,a,a,a,a,0,0,0,0,0,0,0,0,0,0,0", 100),
            ("grid:3:4 a,a,a,a,a,0,0,0,0,0,0,0 -> a,*,*,*,a,*,*,a,*,*,*,*", 100),
            ("graph:7:0-1,1-2,3-4,4-5,5-6 a=0+3+4", 200),
        ] {
            let (_, start) = line.split_once(' ').unwrap();
            let goal = if line.contains("->") { String::new() } else { format!(" -> {start}") };
            let puzzle = Puzzle::from_line(&format!("{line}{goal}")).unwrap();
            let (label, _) = puzzle.labels().iter().next().unwrap();
            let distances = LoneTokenDistances::new(puzzle.board());
            let homes = Homes::new(&puzzle, label, &distances);
            let mut vertices: Vec<Vertex> = puzzle.board().vertices().collect();
            for _ in 0..rounds {
                random.shuffle(&mut vertices);
                let count = puzzle.start().vertices_of(label).len();
                let tokens: VertexSet = vertices[..count].iter().copied().collect();
                let assignment = homes.assign(tokens);
                let total = cheapest(homes.homes, tokens, &distances);
                assert_eq!(assignment.total(), total, "{line}: {tokens:?}");
                for (from, &to) in tokens
                    .into_iter()
                    .flat_map(|from| vertices[count..].iter().map(move |to| (from, to)))
                {
                    let after = cheapest(homes.homes, tokens.moved(from, to), &distances);
                    assert_eq!(
                        assignment.after(from, to),
                        after,
                        "{line}: {tokens:?}, {from} to {to}"
                    );
                    seen[usize::from(after.is_some())] += 1;
                }
            }
        }
        assert!(seen.iter().all(|&count| count > 100), "{seen:?}");
    }
}
