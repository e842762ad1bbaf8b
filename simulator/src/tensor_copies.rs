//! Copies of boxes of tensors, and changes of tensor maps.

use crate::block::{Block, Stop};
use crate::bulk::{Incoming, misuse};
use crate::convert::to_tf32;
use crate::fault::FaultKind;
use crate::program::{Direction, Elements, Place, Pointer, Source, TensorInstruction, lanes};
use crate::shared::Access;
use crate::soft;
use crate::tensor_map::{self, TENSOR_MAP_BYTES, TensorBox, TensorMap};
use crate::tensor_rows::Row;
use crate::transfers::{FIRST_CHANGE, Piece};
use crate::warp::Warp;
use tilewright_irs::machine::COPY_UNIT;
use tilewright_irs::ptx::{AtomicOp, Type};

/// The alignment of a box in shared memory.
const BOX_ALIGN: u64 = 128;
/// The alignment of a tensor map.
const MAP_ALIGN: u64 = 64;

impl Block<'_> {
    pub(crate) fn tensor_copy(
        &mut self,
        warp: &Warp,
        instruction: &TensorInstruction,
        active: u32,
    ) -> Result<(), Stop> {
        let maps = self.addresses(warp, instruction.map, active)?;
        let coordinates = self.read_rows(warp, &instruction.coordinates, active)?;
        let offsets = self.read_rows(warp, &instruction.offsets, active)?;
        for lane in lanes(active) {
            let at = |kind| Stop::Fault(kind, Some(lane));
            let map = self.tensor_map(warp, lane, maps[lane]).map_err(at)?;
            let is = map.extents.len();
            let asked = match instruction.elements {
                Elements::Box | Elements::Pixels => coordinates.len(),
                Elements::Rows => 2,
            };
            if is != asked {
                return Err(at(misuse(format!("its tensor map has rank {is}, not {asked}"))));
            }
            let place: Vec<i32> = coordinates.iter().map(|row| row[lane] as i32).collect();
            let offsets: Vec<u16> = offsets.iter().map(|row| row[lane] as u16).collect();
            let stores = matches!(instruction.direction, Direction::Store { .. });
            check_mode(&map, instruction.elements, &place, stores).map_err(at)?;
            if let Elements::Box | Elements::Rows = instruction.elements {
                check_begin(&map, place[0], stores).map_err(at)?;
            }
            let rows = map.rows(instruction.elements, &place, &offsets);
            match &instruction.direction {
                Direction::Prefetch => {}
                Direction::Load { to, mbarrier, blocks } => {
                    let target = self.shared_addresses(warp, *to, BOX_ALIGN, 1 << lane)?[lane];
                    let mbarrier = self.shared_addresses(warp, *mbarrier, 8, 1 << lane)?[lane];
                    let blocks = blocks
                        .map(|blocks| self.read_row(warp, blocks, 1 << lane))
                        .transpose()?
                        .map(|row| row[lane] as u16);
                    let blocks = (blocks, self.made_map(maps[lane]));
                    self.load_rows(warp, &map, &rows, (target, mbarrier), blocks)
                        .map_err(at)?;
                }
                Direction::Store { from, reduction } => {
                    let source = self.shared_addresses(warp, *from, BOX_ALIGN, 1 << lane)?[lane];
                    let source = (source, self.made_map(maps[lane]));
                    self.store_rows((warp, lane), &map, &rows, source, *reduction)
                        .map_err(at)?;
                }
            }
        }
        Ok(())
    }

    fn load_rows(
        &mut self,
        warp: &Warp,
        map: &TensorMap,
        rows: &[Row],
        (target, mbarrier): (u64, u64),
        (blocks, map_address): (Option<u16>, Option<u64>),
    ) -> Result<(), FaultKind> {
        let mut incoming = Incoming {
            bytes: rows.len() as u64 * map.row_bytes(),
            through_async: true,
            map: map_address,
            ..Incoming::default()
        };
        let fill = map.fill();
        // A swizzle depends on the offset in a block's memory, and not on the block.
        let (_, base) = self.locate_block(warp, target)?;
        for row in rows {
            let mut data = fill.clone();
            if row.inside > 0 {
                let read = self.read_global(row.address, row.inside)?;
                data[row.before as usize..][..read.len()].copy_from_slice(&read);
                if map.rounds() {
                    round(&mut data);
                }
                incoming.global.push(row.address..row.address + row.inside);
            }
            for (to, part) in map.parts(base + row.offset, 0, map.row_bytes()) {
                incoming.pieces.push(Piece {
                    to: to - base,
                    data: data[part].to_vec(),
                });
            }
        }
        self.deliver(warp, (target, mbarrier), blocks, &incoming)
    }

    fn store_rows(
        &mut self,
        (warp, lane): (&Warp, usize),
        map: &TensorMap,
        rows: &[Row],
        (source, map_address): (u64, Option<u64>),
        reduction: Option<AtomicOp>,
    ) -> Result<(), FaultKind> {
        if map.rounds() {
            let reason = format!("a store by a tensor map of {}", map.element);
            return Err(FaultKind::Unsupported { reason });
        }
        let reduction = reduction.map(|op| reduced(map, op)).transpose()?;
        let mut pieces = Vec::new();
        let mut ranges = Vec::new();
        let (_, base) = self.locate_block(warp, source)?;
        for row in rows {
            let mut data = Vec::new();
            let end = (row.before + row.inside.next_multiple_of(COPY_UNIT)).min(map.row_bytes());
            for (from, part) in map.parts(base + row.offset, row.before, end) {
                let who = (warp.party, &self.clocks[usize::from(warp.party)]);
                data.extend(self.here.shared.read_async(who, from, part.len() as u64)?);
                ranges.push(from as usize..from as usize + part.len());
            }
            if !data.is_empty() {
                pieces.push(Piece {
                    to: row.address,
                    data,
                });
            }
        }
        self.send((warp, lane), pieces, ranges, reduction, map_address)
    }

    /// The tensor map at a generic address.
    fn tensor_map(&mut self, warp: &Warp, lane: usize, address: u64) -> Result<TensorMap, FaultKind> {
        if !address.is_multiple_of(MAP_ALIGN) {
            return Err(FaultKind::Misaligned {
                address,
                size: MAP_ALIGN,
            });
        }
        let (place, offset) = crate::access::locate(Place::Generic, address);
        if !matches!(place, Place::Global | Place::Param) {
            return Err(misuse("its tensor map is in shared or local memory".to_owned()));
        }
        if place == Place::Global
            && let Some(version) = self.published.get(&offset)
            && self.here.acquired.get(&offset) != Some(version)
            && (*version != FIRST_CHANGE || !self.complete.contains(&offset))
        {
            return Err(misuse(
                "its tensor map was changed, and the block has executed no `fence.proxy.tensormap` to acquire it"
                    .to_owned(),
            ));
        }
        TensorMap::decode(&self.read_map(warp, lane, address)?)
    }

    /// The bytes of a tensor map at a generic address.
    fn read_map(
        &mut self,
        warp: &Warp,
        lane: usize,
        address: u64,
    ) -> Result<[u8; TENSOR_MAP_BYTES], FaultKind> {
        let mut bytes = [0; TENSOR_MAP_BYTES];
        for (at, byte) in (address..).zip(&mut bytes) {
            *byte = self.read_byte(warp, lane, at)?;
        }
        Ok(bytes)
    }

    /// Replaces a field, so many bytes at an offset, of the tensor map of each active lane.
    pub(crate) fn replace_field(
        &mut self,
        warp: &mut Warp,
        map: Pointer,
        (offset, bytes): (u64, u64),
        value: Source,
        active: u32,
    ) -> Result<(), Stop> {
        let field = Pointer {
            offset: map.offset.wrapping_add(offset),
            ..map
        };
        self.store(warp, bytes, field, &[value], Access::Plain, active)?;
        // Memory becomes a tensor map when its fields are replaced.
        let mark = Pointer {
            offset: map.offset.wrapping_add(tensor_map::MARKED as u64),
            ..map
        };
        let value = Source::Constant(u64::from(tensor_map::MARK));
        self.store(warp, 2, mark, &[value], Access::Plain, active)?;
        let maps = self.addresses(warp, map, active)?;
        for lane in lanes(active) {
            let (place, address) = crate::access::locate(map.place, maps[lane]);
            if place == Place::Global {
                self.change_map(warp, address)
                    .map_err(|kind| Stop::Fault(kind, Some(lane)))?;
            }
        }
        Ok(())
    }

    /// Copies a tensor map from shared to global memory, and publishes it. All lanes name the same.
    pub(crate) fn publish_map(
        &mut self,
        warp: &mut Warp,
        (target, source): (Pointer, Pointer),
        active: u32,
    ) -> Result<(), Stop> {
        if active != warp.live {
            return Err(Stop::Gather(warp.live));
        }
        let lane = active.trailing_zeros() as usize;
        let target = self.addresses_in(Place::Global, warp, target, BOX_ALIGN, active)?;
        let source = self.addresses_in(Place::Shared, warp, source, BOX_ALIGN, active)?;
        if lanes(active).any(|other| target[other] != target[lane] || source[other] != source[lane]) {
            return Err(misuse("the lanes publish different tensor maps".to_owned()).into());
        }
        let at = |kind| Stop::Fault(kind, Some(lane));
        let bytes = self
            .read_map(warp, lane, crate::memory::SHARED_WINDOW + source[lane])
            .map_err(at)?;
        for (to, word) in (target[lane]..).step_by(8).zip(bytes.chunks(8)) {
            self.memory
                .store(to, 8, crate::memory::little_endian(word), &mut self.hint)
                .map_err(at)?;
            self.order_global(to, 8, true, Access::Synchronising)
                .map_err(at)?;
        }
        self.change_map(warp, target[lane]).map_err(at)
    }

    /// The address in global memory of the tensor map at a generic address, if the launch has made it.
    fn made_map(&self, address: u64) -> Option<u64> {
        let (place, address) = crate::access::locate(Place::Generic, address);
        (place == Place::Global && self.published.contains_key(&address)).then_some(address)
    }

    /// Notes that a tensor map in global memory is changed, which no copy may read.
    fn change_map(&mut self, warp: &Warp, address: u64) -> Result<(), FaultKind> {
        let clock = &self.clocks[usize::from(warp.party)];
        if !self.map_uses.change(address, clock) {
            let reason = "a tensor map is changed that an earlier copy may still read: nobody has waited for the copy, or \
                          told this block so";
            return Err(misuse(reason.to_owned()));
        }
        *self.published.entry(address).or_default() += 1;
        Ok(())
    }

    /// Acquires the published tensor map at a generic address.
    pub(crate) fn acquire_map(&mut self, warp: &Warp, pointer: Pointer, active: u32) -> Result<(), Stop> {
        let addresses = self.addresses(warp, pointer, active)?;
        for lane in lanes(active) {
            let address = addresses[lane];
            let Some(&version) = self.published.get(&address) else {
                continue;
            };
            if self
                .map_uses
                .is_read(address, &self.clocks[usize::from(warp.party)])
            {
                let reason = "a tensor map is acquired by which an earlier copy may still be under way, which may then \
                              never complete: nobody has waited for the copy, or told this block so";
                return Err(misuse(reason.to_owned()).into());
            }
            self.here.acquired.insert(address, version);
            if version == FIRST_CHANGE {
                self.complete.insert(address);
            }
        }
        Ok(())
    }
}

/// Refuses a copy of a box by a map of pixels, and the other way round; rows by a map whose boxes have several; and pixels
/// that begin outside of the bounding box, or a bounding box beyond the images of a store.
fn check_mode(map: &TensorMap, elements: Elements, place: &[i32], stores: bool) -> Result<(), FaultKind> {
    let column = match (&map.selected, elements) {
        (TensorBox::Tile(_), Elements::Box) => return Ok(()),
        (TensorBox::Tile(extents), Elements::Rows) if extents[1] == 1 => return Ok(()),
        (TensorBox::Tile(extents), Elements::Rows) => {
            let rows = extents[1];
            return Err(misuse(format!(
                "the boxes of its tensor map have {rows} rows, not 1"
            )));
        }
        (TensorBox::Pixels(column), Elements::Pixels) => column,
        (TensorBox::Tile(_), Elements::Pixels) => {
            return Err(misuse("its tensor map is of boxes, not of pixels".to_owned()));
        }
        (TensorBox::Pixels(_), Elements::Box | Elements::Rows) => {
            return Err(misuse("its tensor map is of pixels, not of boxes".to_owned()));
        }
    };
    if let Some(dimension) = map.begins_outside(column, place) {
        let at = place[dimension + 1];
        return Err(misuse(format!(
            "its first pixel is at {at} along dimension {}, out of the bounding box",
            dimension + 1
        )));
    }
    let beyond =
        column.lower.iter().any(|corner| *corner < 0) || column.upper.iter().any(|corner| *corner > 0);
    if stores && beyond {
        return Err(misuse(
            "it stores pixels, and the bounding box of its tensor map is larger than an image".to_owned(),
        ));
    }
    Ok(())
}

/// Refuses a copy whose first column is not at the begin of a unit of what copies access, and a store before the tensor; see
/// [`COPY_UNIT`].
fn check_begin(map: &TensorMap, column: i32, stores: bool) -> Result<(), FaultKind> {
    let first = i64::from(column) * map.element_bytes() as i64;
    if !first.unsigned_abs().is_multiple_of(COPY_UNIT) {
        return Err(misuse(format!(
            "its rows begin at byte {first} of the tensor's, no multiple of {COPY_UNIT}"
        )));
    }
    match stores && first < 0 {
        true => Err(misuse(format!(
            "it stores from byte {first} of the tensor's rows on"
        ))),
        false => Ok(()),
    }
}

/// Rounds numbers of type `f32` to numbers of type `tf32`, as `cvt.rn.tf32.f32` does.
fn round(row: &mut [u8]) {
    for number in row.chunks_exact_mut(4) {
        let bits = crate::memory::little_endian(number);
        let rounded = to_tf32(bits, Some(soft::Direction::NearestEven));
        number.copy_from_slice(&rounded.to_le_bytes()[..4]);
    }
}

/// The operation of a reduction and its type.
fn reduced(map: &TensorMap, op: AtomicOp) -> Result<(AtomicOp, Type), FaultKind> {
    let ty = map.reduction();
    let whole = matches!(ty, Some(Type::U32 | Type::S32 | Type::U64 | Type::S64));
    let exists = match op {
        AtomicOp::Add => ty.is_some() && ty != Some(Type::S64),
        AtomicOp::Min | AtomicOp::Max => whole || matches!(ty, Some(Type::F16 | Type::Bf16)),
        AtomicOp::And | AtomicOp::Or | AtomicOp::Xor => whole,
        AtomicOp::Inc | AtomicOp::Dec => ty == Some(Type::U32),
        AtomicOp::Exch => false,
    };
    match ty {
        Some(ty) if exists => Ok((op, ty)),
        _ => Err(FaultKind::Unsupported {
            reason: format!("a reduction `{}` of {} in a tensor", op.word(), map.element),
        }),
    }
}
