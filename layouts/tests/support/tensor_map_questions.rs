//! Tensor maps in lines of text, and this crate's verdicts.
//!
//! A line has the mode and the arguments of the driver's function separated by semicolons. List entries are separated
//! by spaces, numbers are decimal, choices have the driver's names without the common prefix:
//!
//! ```text
//! tiled       ; MAP ; TYPE ; ADDRESS ; DIMS ; STRIDES ; STEPS ; INTERLEAVE ; SWIZZLE ; L2 ; FILL ; BOX
//! im2col      ; ...                                ; LOWER ; UPPER ; CHANNELS ; PIXELS
//! im2col-wide ; ...                                ; LOWER ; UPPER ; CHANNELS ; PIXELS ; WIDTH
//! ```
//!
//! `MAP` is the address of the descriptor, `STRIDES` those in bytes of all dimensions but the first, `STEPS` the
//! element strides. `L2` is `NONE`, `L2_64B`, `L2_128B` or `L2_256B`; `FILL` is `NONE` or `NAN_REQUEST_ZERO_FMA`;
//! `WIDTH` is `W` or `W128`. For example:
//!
//! ```text
//! tiled ; 0 ; FLOAT16 ; 4096 ; 4096 8192 ; 8192 ; 1 1 ; NONE ; 128B ; L2_128B ; NONE ; 64 128
//! ```
//!
//! The answer is `ok`, or the fields of the violated rules separated by `; `.

use std::str::FromStr;

use tilewright_layouts::SwizzleMode;
use tilewright_layouts::legality::{
    BoxMode, DataType, Im2colWideMode, Interleave, L2Promotion, OobFill, TensorMap, TensorMapField,
    Violations,
};

/// The answer to a line, or the reason why there is none.
pub(crate) fn answer(question: &str) -> Result<String, String> {
    let (address, map) = parse(question)?;
    let mut fields = Vec::new();
    note(&mut fields, TensorMap::check_address(address));
    note(&mut fields, map.check());
    Ok(if fields.is_empty() {
        "ok".to_owned()
    } else {
        fields.join("; ")
    })
}

/// Adds the names of the violated fields, each once.
fn note(fields: &mut Vec<String>, result: Result<(), Violations<TensorMapField>>) {
    let Err(violations) = result else { return };
    for violation in violations.iter() {
        let name = violation.field.to_string();
        if !fields.contains(&name) {
            fields.push(name);
        }
    }
}

/// Parses the address of the descriptor and its contents.
fn parse(question: &str) -> Result<(u64, TensorMap), String> {
    let fields: Vec<&str> = question.split(';').map(str::trim).collect();
    let [
        mode,
        map_address,
        data_type,
        address,
        dims,
        strides,
        steps,
        interleave,
        swizzle,
        promotion,
        fill,
        area @ ..,
    ] = fields.as_slice()
    else {
        return Err(format!("too few fields: {question}"));
    };
    let map = TensorMap {
        data_type: data_type_of(data_type)?,
        global_address: number(address)?,
        global_dim: list(dims)?,
        global_strides: list(strides)?,
        element_strides: list(steps)?,
        interleave: interleave_of(interleave)?,
        swizzle: swizzle_of(swizzle)?,
        l2_promotion: promotion_of(promotion)?,
        oob_fill: fill_of(fill)?,
        mode: mode_of(mode, area)?,
    };
    Ok((number(map_address)?, map))
}

fn mode_of(mode: &str, area: &[&str]) -> Result<BoxMode, String> {
    match (mode, area) {
        ("tiled", [box_dim]) => Ok(BoxMode::Tiled {
            box_dim: list(box_dim)?,
        }),
        ("im2col", [lower, upper, channels, pixels]) => Ok(BoxMode::Im2col {
            lower_corner: list(lower)?,
            upper_corner: list(upper)?,
            channels_per_pixel: number(channels)?,
            pixels_per_column: number(pixels)?,
        }),
        ("im2col-wide", [lower, upper, channels, pixels, width]) => Ok(BoxMode::Im2colWide {
            lower_corner_width: number(lower)?,
            upper_corner_width: number(upper)?,
            channels_per_pixel: number(channels)?,
            pixels_per_column: number(pixels)?,
            mode: match *width {
                "W" => Im2colWideMode::W,
                "W128" => Im2colWideMode::W128,
                _ => return Err(format!("`{width}` is no width")),
            },
        }),
        _ => Err(format!("`{mode}` with {} fields is no mode", area.len())),
    }
}

fn data_type_of(name: &str) -> Result<DataType, String> {
    DataType::ALL
        .into_iter()
        .find(|data_type| data_type.name() == name)
        .ok_or_else(|| format!("`{name}` is no type"))
}

fn interleave_of(name: &str) -> Result<Interleave, String> {
    match name {
        "NONE" => Ok(Interleave::None),
        "16B" => Ok(Interleave::B16),
        "32B" => Ok(Interleave::B32),
        _ => Err(format!("`{name}` is no interleaving")),
    }
}

fn swizzle_of(name: &str) -> Result<SwizzleMode, String> {
    match name {
        "NONE" => Ok(SwizzleMode::None),
        "32B" => Ok(SwizzleMode::B32),
        "64B" => Ok(SwizzleMode::B64),
        "128B" => Ok(SwizzleMode::B128),
        "128B_ATOM_32B" => Ok(SwizzleMode::B128Atom32),
        "128B_ATOM_32B_FLIP_8B" => Ok(SwizzleMode::B128Atom32Flip8),
        "128B_ATOM_64B" => Ok(SwizzleMode::B128Atom64),
        _ => Err(format!("`{name}` is no swizzle")),
    }
}

fn promotion_of(name: &str) -> Result<L2Promotion, String> {
    match name {
        "NONE" => Ok(L2Promotion::None),
        "L2_64B" => Ok(L2Promotion::B64),
        "L2_128B" => Ok(L2Promotion::B128),
        "L2_256B" => Ok(L2Promotion::B256),
        _ => Err(format!("`{name}` is no promotion")),
    }
}

fn fill_of(name: &str) -> Result<OobFill, String> {
    match name {
        "NONE" => Ok(OobFill::Zero),
        "NAN_REQUEST_ZERO_FMA" => Ok(OobFill::NanRequestZeroFma),
        _ => Err(format!("`{name}` is no fill")),
    }
}

fn list<N: FromStr>(entries: &str) -> Result<Vec<N>, String> {
    entries.split_whitespace().map(number).collect()
}

fn number<N: FromStr>(digits: &str) -> Result<N, String> {
    digits
        .parse()
        .map_err(|_| format!("`{digits}` is no number of this field"))
}
