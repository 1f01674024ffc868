//! Registries in which one line declares the module of an algorithm or heuristic and lists it.

/// Declares a module for each line and a constant slice with an item of each, in the order of the
/// lines. `drawer { name; other; } sharing { common; }` are modules in a folder, of which the
/// latter hold what the others share, and are not listed.
///
/// `cargo fmt` does not look for files behind a macro: `cargo xtask format` does.
macro_rules! registry {
    ($(#[$about:meta])* $list:ident: $type:ident, $item:ident of $($lines:tt)*) => {
        registry!(@line [$(#[$about])*] $list $type $item [] $($lines)*);
    };
    (@line [$($about:tt)*] $list:ident $type:ident $item:ident [$($listed:expr,)*]) => {
        $($about)*
        pub const $list: &[$type] = &[$($listed),*];
    };
    (@line $about:tt $list:ident $type:ident $item:ident [$($listed:tt)*] $name:ident; $($rest:tt)*) => {
        mod $name;
        registry!(@line $about $list $type $item [$($listed)* $name::$item,] $($rest)*);
    };
    (@line $about:tt $list:ident $type:ident $item:ident [$($listed:tt)*]
        $drawer:ident { $($name:ident;)* } sharing { $($shared:ident;)* } $($rest:tt)*
    ) => {
        pub(crate) mod $drawer {
            $(pub(crate) mod $name;)*
            $(pub(crate) mod $shared;)*
        }
        registry!(@line $about $list $type $item [$($listed)* $($drawer::$name::$item,)*] $($rest)*);
    };
}

pub(crate) use registry;
