//! Pictures in SVG. They are written as markup, which escapes every text by construction, and their
//! colours are CSS variables, so that one picture follows the light and the dark scheme of its
//! page.

mod axis;
pub(crate) mod board;
mod chart;
mod matrix;

use maud::{Markup, PreEscaped, html};

pub(crate) use axis::{Axis, Scale};
pub(crate) use chart::{Chart, Mark, Series};
pub(crate) use matrix::{Matrix, MatrixRow, ink, share, strength};

/// The variables and classes of pictures. A page includes it once, a file of its own carries it.
pub(crate) const STYLE: &str = include_str!("style.css");

/// A picture of a fixed size.
#[derive(Clone, Debug)]
pub(crate) struct Picture {
    /// Width and height in pixels.
    pub size: (f64, f64),
    /// What it shows, for readers who do not see it.
    pub alt: String,
    pub body: Markup,
}

impl Picture {
    /// The picture as an element of a page.
    pub fn element(&self) -> Markup {
        let (width, height) = self.size;
        html! {
            svg viewBox={ "0 0 " (Number(width)) " " (Number(height)) } role="img" aria-label=(self.alt) {
                (self.body)
            }
        }
    }

    /// The picture as a file, with its colours and a ground.
    pub fn file(&self) -> String {
        let (width, height) = self.size;
        let markup = html! {
            svg xmlns="http://www.w3.org/2000/svg" viewBox={ "0 0 " (Number(width)) " " (Number(height)) }
                width=(Number(width)) height=(Number(height)) role="img" aria-label=(self.alt) {
                style { (PreEscaped(STYLE)) }
                rect class="ground" width="100%" height="100%" {}
                (self.body)
            }
        };
        markup.into_string() + "\n"
    }
}

/// A coordinate with at most two decimal places, which is finer than a screen shows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Number(pub f64);

impl maud::Render for Number {
    fn render_to(&self, buffer: &mut String) {
        use std::fmt::Write;
        let rounded = (self.0 * 100.0).round() / 100.0;
        // A negative zero would be written with its sign.
        let rounded = if rounded == 0.0 { 0.0 } else { rounded };
        // Writing to a text cannot fail.
        let _ = write!(buffer, "{rounded}");
    }
}

/// The classes of a colour. After the eight colours the same come with dashed lines.
pub(crate) fn colour_class(colour: usize) -> String {
    const COLOURS: usize = 8;
    let dashed = if colour < COLOURS { "" } else { " dashed" };
    format!("c{}{dashed}", colour % COLOURS)
}

/// The width of a text in pixels, estimated: fonts differ, and none is at hand.
pub(crate) fn text_width(text: &str, size: f64) -> f64 {
    const OF_SIZE: f64 = 0.56;
    text.chars().count() as f64 * size * OF_SIZE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_in_elements_and_attributes() {
        let picture = Picture {
            size: (10.0, 20.5),
            alt: "a \"quoted\" <name>".to_owned(),
            body: html! { text { "1 < 2 & 3" } },
        };
        let file = picture.file();
        assert!(file.contains("a &quot;quoted&quot; &lt;name&gt;"), "{file}");
        assert!(file.contains("<text>1 &lt; 2 &amp; 3</text>"), "{file}");
        assert!(file.contains("viewBox=\"0 0 10 20.5\""), "{file}");
    }

    #[test]
    fn coordinates_are_short() {
        let text = |number: f64| html! { (Number(number)) }.into_string();
        assert_eq!(text(1.0 / 3.0), "0.33");
        assert_eq!(text(-0.001), "0");
        assert_eq!(text(12.0), "12");
    }
}
