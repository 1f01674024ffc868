//! Boards whose faces are any sets of vertices, such as hexagonal boards.

use super::graph::edge_sets;
use super::layout::{BoardError, BoardLayout, MAX_FACES};
use super::{BoardFamily, BoardSpec, check_vertex_count, vertex};
use crate::vertex::VertexSet;

pub(super) const FAMILY: BoardFamily = BoardFamily {
    name: "faces",
    syntax: "faces:FILE or faces:N:A-B-C,...[:A-B,...]",
    summary: "any sets of vertices 0 to N-1 are the faces; the edge metric needs edges listed too",
    example: "faces:5:0-1-2,2-3-4:0-1,0-2,1-2,2-3,2-4,3-4",
};

pub(super) fn layout(
    spec: &BoardSpec,
    vertices: usize,
    faces: &[Vec<usize>],
    edges: Option<&[[usize; 2]]>,
) -> Result<BoardLayout, Vec<BoardError>> {
    let vertex_count = check_vertex_count(spec, vertices as u128).map_err(|e| vec![e])?;
    if faces.len() > MAX_FACES {
        return Err(vec![BoardError::TooManyFaces { count: faces.len() }]);
    }
    let mut errors = Vec::new();
    let mut sets: Vec<VertexSet> = Vec::new();
    for (number, face) in faces.iter().enumerate() {
        let before = errors.len();
        let mut set = VertexSet::EMPTY;
        for &index in face {
            match vertex("face", number, index, vertex_count) {
                Err(error) => errors.push(error),
                Ok(v) if set.contains(v) => {
                    errors.push(BoardError::RepeatedVertex { what: "face", number, vertex: index });
                }
                Ok(v) => set.insert(v),
            }
        }
        if face.len() < 2 {
            errors.push(BoardError::SmallFace { number, size: face.len() });
        } else if errors.len() == before
            && let Some(earlier) = sets.iter().position(|&other| other == set)
        {
            errors.push(BoardError::Repeated { what: "face", number, earlier });
        }
        sets.push(set);
    }
    let neighbours = match edges.map(|edges| edge_sets(vertex_count, edges)) {
        None => None,
        Some(Ok((_, neighbours))) => Some(neighbours),
        Some(Err(more)) => {
            errors.extend(more);
            None
        }
    };
    if errors.is_empty() {
        Ok(BoardLayout { vertex_count, faces: sets, neighbours })
    } else {
        Err(errors)
    }
}
