//! Comparisons rendered: text for people, JSON and CSV for programs, figures.

mod csv;
mod figure;
mod graph;
mod json;
mod numbers;
mod page;
mod picture;
pub(crate) mod svg;
mod text;
mod text_table;

pub use csv::{CSV_HEADER, csv};
pub use figure::{Figure, FigureKind, figures};
pub use graph::{graph_dot, graph_graphml, graph_json, graph_svg};
pub use json::{FORMAT, VERSION, json, summary_json};
pub use numbers::{bytes, grouped, seconds};
pub use page::{Content, Document, Exhibit, Report};
pub use picture::{board_svg, layers_svg, puzzle_svg};
pub use text::{Summary, summary, text};
pub use text_table::{ColumnKind, TextColumn, TextTable, fold};
