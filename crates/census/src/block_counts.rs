//! How many states each block of a search in files has at each distance, kept beside a record.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::{fs, io};

use flate2::read::MultiGzDecoder;
use flate2::{Compression, GzBuilder};
use hyperslide_puzzle::{Board, Label, State, Vertex, VertexSet};
use hyperslide_table::{BlockLayers, FilesError, block_layers, replace_unlocked_file};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::few_starts::OrbitNumbers;
use crate::record::{CensusRecordError, write_failed};
use crate::run::{block_directory, start_of};
use crate::start::{StartResult, by_representative};
use crate::survey::Survey;

/// The columns before those of the distances.
const COLUMNS: [&str; 4] = ["start", "empty", "fixed", "orbit"];

/// The file of the block counts that belongs to a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockCountsFile {
    /// Where it is, seen from the directory of the record.
    pub file: String,
    /// SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
}

/// The blocks of each start of a census, in the order of the record, with the number of their
/// states at each distance from the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockCounts {
    /// The blocks of each start. Labels are numbered as in [`BlockCounts::start`].
    pub starts: Vec<Vec<BlockLayers>>,
}

impl BlockCounts {
    /// Reads what the searches of a census have left in the directory of their blocks.
    ///
    /// # Errors
    ///
    /// Returns an error if one of the searches is not there, or is not finished.
    pub fn of_searches(
        board: &Board,
        survey: &Survey,
        starts: &[StartResult],
        directory: &Path,
        cancel: &AtomicBool,
    ) -> Result<BlockCounts, FilesError> {
        let blocks = starts.iter().map(|start| {
            let (state, walls) = start_of(survey, start);
            block_layers(board, &state, walls, &block_directory(directory, start.set()), cancel)
        });
        Ok(BlockCounts { starts: blocks.collect::<Result<_, _>>()? })
    }

    /// The state from which the search of a recorded start began: its tokens are numbered by their
    /// vertices, those that never move last.
    pub fn start(survey: &Survey, start: &StartResult) -> State {
        start_of(survey, start).0
    }

    /// Writes the blocks as comma-separated values, compressed by gzip, to a temporary file, which
    /// is then renamed. Each line is a block:
    ///
    /// - `start`: the number of the start in the record, from 0;
    /// - `empty`: the empty vertices, with spaces between them;
    /// - `fixed`: the tokens that the block fixes, each as `home:vertex` with its vertex in the
    ///   start;
    /// - `orbit`: the number of blocks that symmetries of the start make of it;
    /// - `0`, `1`, ...: the number of its states at each distance.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be written; an existing file then stays as it was.
    pub fn write(
        &self,
        survey: &Survey,
        starts: &[StartResult],
        path: &Path,
        record: &Path,
    ) -> Result<BlockCountsFile, CensusRecordError> {
        let failed = |source| write_failed(path, source);
        let bytes = self.to_bytes(survey, starts).map_err(failed)?;
        replace_unlocked_file(path, &bytes).map_err(|source| write_failed(path, source))?;
        let parent = |path: &Path| {
            let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
            parent.unwrap_or(Path::new(".")).canonicalize()
        };
        let name = path.file_name().unwrap_or_default();
        let (own, other) = (parent(path).map_err(failed)?, parent(record).map_err(failed)?);
        let file = pathdiff::diff_paths(own.join(name), other).unwrap_or_else(|| own.join(name));
        Ok(BlockCountsFile {
            file: file.display().to_string(),
            sha256: hex::encode(Sha256::digest(&bytes)),
        })
    }

    fn to_bytes(&self, survey: &Survey, starts: &[StartResult]) -> io::Result<Vec<u8>> {
        // No time and no name, so that equal counts make equal bytes.
        let compressed = GzBuilder::new().write(Vec::new(), Compression::best());
        let mut lines = csv::Writer::from_writer(compressed);
        let depths = starts.iter().map(|start| start.layers.len()).max().unwrap_or(0);
        let columns = COLUMNS.iter().map(|column| (*column).to_owned());
        lines.write_record(columns.chain((0..depths).map(|depth| depth.to_string())))?;
        for (number, (blocks, start)) in self.starts.iter().zip(starts).enumerate() {
            let state = BlockCounts::start(survey, start);
            for block in blocks {
                let empty: Vec<String> =
                    block.empty.into_iter().map(|vertex| vertex.to_string()).collect();
                let fixed = block.fixed.iter().filter_map(|&(vertex, label)| {
                    Some(format!("{}:{vertex}", state.vertices_of(label).lowest()?))
                });
                let first = [
                    number.to_string(),
                    empty.join(" "),
                    fixed.collect::<Vec<_>>().join(" "),
                    block.orbit.to_string(),
                ];
                let counts = block.layers.iter().copied().chain(std::iter::repeat(0));
                let counts = counts.take(depths).map(|states| states.to_string());
                lines.write_record(first.into_iter().chain(counts))?;
            }
        }
        let compressed = lines.into_inner().map_err(|error| error.into_error())?;
        compressed.finish()
    }

    /// Reads the blocks that belong to a record, and checks that they make its layers.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read, is not the one that the record names, or does
    /// not make the record's layers.
    pub fn read(
        known: &BlockCountsFile,
        record: &Path,
        board: &Board,
        survey: &Survey,
        starts: &[StartResult],
    ) -> Result<BlockCounts, CensusRecordError> {
        let path = record.parent().unwrap_or(Path::new(".")).join(&known.file);
        let name = path.display().to_string();
        let wrong = |message: String| CensusRecordError::Blocks { path: name.clone(), message };
        let bytes = fs::read(&path).map_err(|error| wrong(error.to_string()))?;
        let digest = hex::encode(Sha256::digest(&bytes));
        if digest != known.sha256 {
            return Err(wrong(format!("its digest is {digest}, the record says {}", known.sha256)));
        }
        let states: Vec<State> = starts.iter().map(|start| Self::start(survey, start)).collect();
        let mut blocks = vec![Vec::new(); starts.len()];
        let mut lines = csv::Reader::from_reader(MultiGzDecoder::new(&bytes[..]));
        for line in lines.records() {
            let line = line.map_err(|error| wrong(error.to_string()))?;
            let number = line.position().map_or(0, csv::Position::line);
            let (start, block) = parse(&line, board, starts, &states)
                .ok_or_else(|| wrong(format!("line {number} is not a block of the record")))?;
            blocks[start].push(block);
        }
        let known = by_representative(survey);
        for (blocks, start) in blocks.iter().zip(starts) {
            let occupied = &start.occupied;
            if let Some((kind, _)) = known.get(&start.set()) {
                let depths = OrbitNumbers::new(survey, kind).block_depths(board, blocks);
                let depths = depths.ok_or_else(|| {
                    wrong(format!("a block from {occupied:?} is not one of the component"))
                })?;
                if start.orbit_depths.as_ref().is_some_and(|recorded| *recorded != depths) {
                    let message = format!("its blocks do not make the depths from {occupied:?}");
                    return Err(wrong(message));
                }
            }
            for (layer, &recorded) in start.layers.iter().enumerate() {
                let found: u128 = blocks
                    .iter()
                    .map(|block| u128::from(block.layers[layer]) * u128::from(block.orbit))
                    .sum();
                if found != u128::from(recorded) {
                    return Err(wrong(format!(
                        "layer {layer} from {occupied:?} has {found} states, the record says \
                         {recorded}"
                    )));
                }
            }
        }
        Ok(BlockCounts { starts: blocks })
    }
}

/// The block of a line, and the number of its start.
fn parse(
    line: &csv::StringRecord,
    board: &Board,
    starts: &[StartResult],
    states: &[State],
) -> Option<(usize, BlockLayers)> {
    let vertex = |text: &str| -> Option<Vertex> {
        let vertex = Vertex::new(text.parse().ok()?)?;
        (vertex.index() < board.vertex_count()).then_some(vertex)
    };
    let number: usize = line.get(0)?.parse().ok()?;
    let (start, state) = (starts.get(number)?, states.get(number)?);
    let empty: Option<VertexSet> = line.get(1)?.split_whitespace().map(vertex).collect();
    let fixed = line.get(2)?.split_whitespace().map(|token| {
        let (home, at) = token.split_once(':')?;
        Some((vertex(at)?, state.label_at(vertex(home)?)?))
    });
    let fixed: Option<Vec<(Vertex, Label)>> = fixed.collect();
    let orbit = line.get(3)?.parse().ok()?;
    let counts = line.iter().skip(COLUMNS.len()).map(|count| count.parse().ok());
    let mut layers = counts.collect::<Option<Vec<u32>>>()?;
    if layers.len() < start.layers.len() {
        return None;
    }
    let beyond = layers.split_off(start.layers.len());
    let is_right = beyond.iter().all(|&states| states == 0);
    is_right.then_some((number, BlockLayers { empty: empty?, fixed: fixed?, orbit, layers }))
}

#[cfg(test)]
mod tests {
    use hyperslide_puzzle::{BoardSpec, Metric};

    use super::*;

    #[test]
    fn blocks_of_other_occupied_sets_are_refused() {
        let board = Board::new(BoardSpec::Cube { d: 3, k: 1 }, Metric::Face).unwrap();
        let survey = Survey::new(&board, 6).unwrap();
        let (_, orbit) = crate::start::starts(&survey).next().unwrap();
        let start = StartResult {
            occupied: orbit.representative.into_iter().map(Vertex::index).collect(),
            orbit: orbit.sets,
            layers: vec![1],
            orbit_depths: None,
        };
        let folder = std::env::temp_dir().join(format!("hyperslide-blocks-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (path, record) = (folder.join("blocks.csv.gz"), folder.join("record.json"));
        let read = |empty: VertexSet, orbit_depths: Option<Vec<u32>>| {
            let starts = [StartResult { orbit_depths, ..start.clone() }];
            let block = BlockLayers { empty, fixed: Vec::new(), orbit: 1, layers: vec![1] };
            let counts = BlockCounts { starts: vec![vec![block]] };
            let known = counts.write(&survey, &starts, &path, &record).unwrap();
            BlockCounts::read(&known, &record, &board, &survey, &starts)
        };
        let empty = board.vertex_set() - orbit.representative;
        read(empty, None).unwrap();
        let more = board.vertex_set() - VertexSet::single(empty.lowest().unwrap());
        for depths in [None, Some(vec![0; 3])] {
            let error = read(more, depths).unwrap_err().to_string();
            assert!(error.contains("not one of the component"), "{error}");
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}
