//! One access of a warp to shared memory, bank by bank and cycle by cycle.

use std::collections::BTreeMap;

use tilewright_layouts::bank::{Access, BankCost, access_cost};
use tilewright_layouts::{Dim, ElementWidth, LayoutError, LinearLayout};

use super::color::Tone;
use super::error::PictureError;
use super::grid::range;
use super::memory::{ACCESS_BITS, BANKS, Memory, WORD_BITS};
use super::model::{Axis, Cell, Legend, Options, Picture};

/// The number of lanes of a warp.
const LANES: u32 = 32;

/// The first access of the first warp for a tile that threads load from, or store to, shared memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WarpAccess {
    /// The kind of access, load or store.
    pub access: Access,
    /// The byte address of each lane.
    pub addresses: [u32; LANES as usize],
    /// The number of bytes of each lane's access.
    pub bytes: u32,
    /// The number of elements of each lane's access: consecutive registers that are consecutive in
    /// memory.
    pub vector: u32,
    /// The number of accesses that move all registers of the warp.
    pub times: u32,
    /// The cost of this access.
    pub cost: BankCost,
}

impl WarpAccess {
    /// Computes the access of registers 0 and up of warp 0, as wide as registers and memory allow.
    ///
    /// # Errors
    /// The tiles differ in shape, an element is not in memory, or there are too many registers to
    /// examine individually.
    pub fn first(
        access: Access,
        registers: &LinearLayout,
        memory: &Memory,
    ) -> Result<WarpAccess, PictureError> {
        let shape = registers.shape();
        if trimmed(&shape) != trimmed(memory.shape()) {
            return Err(PictureError::Shapes {
                registers: shape,
                memory: memory.shape().to_vec(),
            });
        }
        let bits = registers.in_bits(Dim::Register) + registers.in_bits(Dim::Warp) + LANES.ilog2();
        if bits > Memory::MAX_BITS {
            let limit = Memory::MAX_BITS;
            return Err(PictureError::TooLarge { bits, limit });
        }
        let width = u64::from(memory.width().bits());
        let vector = vector(registers, memory)?;
        let count = registers.in_size(Dim::Register);
        let mut offsets = [0; LANES as usize];
        for (lane, slot) in (0..).zip(&mut offsets) {
            *slot = offset(registers, memory, [0, lane, 0])?;
        }
        Self::at(access, &offsets, vector, width, count / vector)
    }

    /// Computes the access of registers 0 and up of warp 0, `vector` at a time, where `offsets` maps
    /// registers, lanes and warps to [`Dim::Offset`], in elements.
    ///
    /// # Errors
    /// `offsets` has no such out-dimension, or the access is invalid.
    pub fn of_offsets(
        access: Access,
        offsets: &LinearLayout,
        vector: u32,
        width: ElementWidth,
    ) -> Result<WarpAccess, PictureError> {
        if offsets.out_size(Dim::Offset).is_none() {
            return Err(PictureError::NoOffset);
        }
        let flat = offsets.sublayout(&[Dim::Register, Dim::Lane], &[Dim::Offset]);
        let mut starts = [0; LANES as usize];
        for (lane, slot) in (0..).zip(&mut starts) {
            *slot = flat.word_at(0, lane, 0, 0);
        }
        let times = flat.in_size(Dim::Register) / vector.max(1);
        Self::at(access, &starts, vector, u64::from(width.bits()), times.max(1))
    }

    /// Computes the access at these offsets, in elements of this many bits.
    fn at(
        access: Access,
        offsets: &[u64; LANES as usize],
        vector: u32,
        width: u64,
        times: u32,
    ) -> Result<WarpAccess, PictureError> {
        let too_large = |bits| {
            PictureError::Access(LayoutError::DimTooLarge {
                dim: Dim::Offset,
                bits,
            })
        };
        let bytes = u64::from(vector).saturating_mul(width).div_ceil(8);
        let bytes = u32::try_from(bytes).map_err(|_| too_large(u64::BITS as usize))?;
        let mut addresses = [0; LANES as usize];
        for (offset, address) in offsets.iter().zip(&mut addresses) {
            let byte = offset.saturating_mul(width) / 8;
            *address = u32::try_from(byte).map_err(|_| too_large((byte.ilog2() + 1) as usize))?;
        }
        let cost = access_cost(access, &addresses, bytes).map_err(PictureError::Access)?;
        Ok(WarpAccess {
            access,
            addresses,
            bytes,
            vector,
            times,
            cost,
        })
    }

    /// Draws the access: a row for each cycle, a column for each bank, and in each cell the lanes
    /// whose word comes from that bank in that cycle. The cycles of the first phase come first. Rows
    /// after the first of a phase are bank conflicts.
    ///
    /// ```
    /// use tilewright_layout_gallery::picture::{Memory, Options, WarpAccess};
    /// use tilewright_layouts::{Dim, ElementWidth, LinearLayout, bank::Access};
    /// // Lane i has element (i, 0) of a 32x32 tile, stored in rows: all in bank 0.
    /// let column = LinearLayout::from_parts(
    ///     &[(Dim::Lane, (0..5).map(|bit| vec![1 << bit, 0]).collect())],
    ///     &[32, 32],
    /// )?;
    /// let memory = Memory::from_fn(&[32, 32], ElementWidth::B32, |at| Some(u64::from(at[0] * 32 + at[1])))?;
    /// let access = WarpAccess::first(Access::Load, &column, &memory)?;
    /// assert_eq!(access.cost.cycles, 32);
    /// assert_eq!(access.picture(&Options::default()).rows.labels.len(), 32);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn picture(&self, options: &Options) -> Picture {
        // No access is wider than 16 bytes.
        let words_each = u64::from(self.bytes)
            .div_ceil(WORD_BITS / 8)
            .min(ACCESS_BITS / WORD_BITS);
        // The minimum is one cycle per phase.
        let phases = self.cost.minimum.clamp(1, u64::from(LANES));
        let phase_lanes = u64::from(LANES) / phases;
        let merged = options.merge.run(words_each, BANKS);
        let mut labels = Vec::new();
        let mut grid: Vec<BTreeMap<u64, (u64, Vec<u32>)>> = Vec::new();
        for phase in 0..phases {
            // The words requested from each bank, each with the requesting lanes.
            let mut banks: BTreeMap<u64, BTreeMap<u64, Vec<u32>>> = BTreeMap::new();
            for (lane, address) in (0u32..).zip(&self.addresses) {
                if u64::from(lane) / phase_lanes != phase {
                    continue;
                }
                let first = u64::from(*address) / (WORD_BITS / 8);
                for word in first..first + words_each {
                    let lanes = banks.entry(word % BANKS).or_default().entry(word).or_default();
                    lanes.push(lane);
                }
            }
            let cycles = banks.values().map(BTreeMap::len).max().unwrap_or(0);
            for cycle in 0..cycles {
                let row = banks.iter().filter_map(|(bank, words)| {
                    let (word, lanes) = words.iter().nth(cycle)?;
                    Some((*bank, (*word, lanes.clone())))
                });
                grid.push(row.collect());
                labels.push((phase, cycle));
            }
        }
        let mut notes = vec![self.summary()];
        let rows = options.rows.of(grid.len() as u64, "rows", &mut notes);
        let columns = options.columns.of(BANKS / merged, "columns", &mut notes);
        let visible: Vec<usize> = rows.filter_map(|row| usize::try_from(row).ok()).collect();
        let mut cells = Vec::new();
        for row in &visible {
            let conflict = labels.get(*row).is_some_and(|(_, cycle)| *cycle > 0);
            for column in columns.clone() {
                let found = grid.get(*row).and_then(|row| row.get(&(column * merged)));
                cells.push(access_cell(found, range(column * merged, merged), conflict));
            }
        }
        let label = |row: &usize| match labels.get(*row) {
            Some((_, cycle)) if phases == 1 => cycle.to_string(),
            Some((phase, cycle)) => format!("{phase},{cycle}"),
            None => String::new(),
        };
        Picture {
            title: format!(
                "Lanes and banks of one {} of {} byte{} a lane",
                match self.access {
                    Access::Load => "load",
                    Access::Store => "store",
                },
                self.bytes,
                if self.bytes == 1 { "" } else { "s" }
            ),
            subtitle: String::new(),
            rows: Axis {
                title: if phases == 1 { "cycle" } else { "phase, cycle" }.to_owned(),
                labels: visible.iter().map(label).collect(),
                group: 8,
            },
            columns: Axis {
                title: "bank".to_owned(),
                labels: columns.map(|column| range(column * merged, merged)).collect(),
                group: 8,
            },
            cells,
            legend: Legend {
                title: "colour: cycle".to_owned(),
                entries: vec![
                    (vec![NEEDED], "needed in any case".to_owned()),
                    (vec![CONFLICT], "lost to a bank conflict".to_owned()),
                ],
            },
            notes,
        }
        .used_colors()
    }

    /// Describes the cost in a sentence.
    pub fn summary(&self) -> String {
        let BankCost { cycles, minimum } = self.cost;
        let verdict = match self.cost.conflicts() {
            0 => "the least possible: no bank conflicts".to_owned(),
            lost => format!("{minimum} would do: {lost} lost to bank conflicts"),
        };
        let plural = |number: u64| if number == 1 { "" } else { "s" };
        format!(
            "{cycles} cycle{}, {verdict}. {} such access{} move{} all registers of the warp.",
            plural(cycles),
            self.times,
            if self.times == 1 { "" } else { "es" },
            if self.times == 1 { "s" } else { "" },
        )
    }
}

/// The offset of the element of a register, lane and warp.
fn offset(
    registers: &LinearLayout,
    memory: &Memory,
    [register, lane, warp]: [u32; 3],
) -> Result<u64, PictureError> {
    let element = registers.word_at(register, lane, warp, 0);
    memory
        .offset_at(element)
        .ok_or_else(|| PictureError::NotInMemory {
            element: registers.at(register, lane, warp, 0).to_vec(),
        })
}

/// The base-2 logarithm of the largest number of registers that one access moves in every thread:
/// they are consecutive and aligned in memory.
fn vector(registers: &LinearLayout, memory: &Memory) -> Result<u32, PictureError> {
    let width = u64::from(memory.width().bits());
    let (count, warps) = (registers.in_size(Dim::Register), registers.in_size(Dim::Warp));
    let mut vector = 1;
    while vector * 2 <= count && u64::from(vector) * 2 * width <= ACCESS_BITS {
        let wider = vector * 2;
        for warp in 0..warps {
            for lane in 0..LANES {
                for register in 0..count {
                    let place = register % wider;
                    let first = offset(registers, memory, [register - place, lane, warp])?;
                    let here = offset(registers, memory, [register, lane, warp])?;
                    if first % u64::from(wider) != 0 || here != first.saturating_add(u64::from(place)) {
                        return Ok(vector);
                    }
                }
            }
        }
        vector = wider;
    }
    Ok(vector)
}

const NEEDED: Tone = Tone::FIRST;
const CONFLICT: Tone = Tone::ALARM;

fn access_cell(found: Option<&(u64, Vec<u32>)>, banks: String, conflict: bool) -> Cell {
    let Some((word, lanes)) = found else {
        return Cell::empty(format!("bank {banks}: idle"));
    };
    let runs = runs(lanes);
    let names: Vec<String> = runs
        .iter()
        .map(|(first, len)| range(u64::from(*first), u64::from(*len)))
        .collect();
    let all = names.join(",");
    let short = match names.as_slice() {
        [] => String::new(),
        [one] => format!("T{one}"),
        [one, two] => format!("T{one},{two}"),
        [first, ..] => format!("T{first}…"),
    };
    Cell {
        parts: vec![short],
        tone: Some(if conflict { CONFLICT } else { NEEDED }),
        copy: false,
        // Where the label lists all lanes, their number is visible.
        times: if names.len() > 2 { lanes.len() as u64 } else { 1 },
        detail: format!("bank {banks}, byte {}: lanes {all}", word * (WORD_BITS / 8)),
    }
}

/// Removes trailing axes of size 1, which do not affect offsets.
fn trimmed(shape: &[u32]) -> &[u32] {
    let len = shape
        .iter()
        .rposition(|size| *size != 1)
        .map_or(0, |last| last + 1);
    shape.get(..len).unwrap_or(shape)
}

/// Ascending numbers as runs (first, length).
fn runs(numbers: &[u32]) -> Vec<(u32, u32)> {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some((first, len)) if *first + *len == *number => *len += 1,
            _ => runs.push((*number, 1)),
        }
    }
    runs
}
