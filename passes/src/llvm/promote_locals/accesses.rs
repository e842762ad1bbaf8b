//! The arrays of a thread that become values: which bytes of them are accessed together, and what prevents others.

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_irs::core::{Body, OpId, Operation, Origin, SideTable, Value, reverse_postorder};
use tilewright_irs::dialects::arith::ArithOp;
use tilewright_irs::element::ScalarType;
use tilewright_irs::literal::Dense;
use tilewright_irs::llvm::{Llvm, LlvmDialect, LlvmOp, LlvmType};

/// A range of bytes of an array that is one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Cell {
    /// The array.
    slot: u32,
    /// The first byte.
    pub(super) start: u32,
    /// Its size in bytes.
    pub(super) bytes: u32,
    /// The type of the value: a number or a pointer.
    pub(super) ty: LlvmType,
}

/// An element that an access reads or writes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element {
    /// Its type: a number or a pointer.
    pub(super) ty: LlvmType,
    /// Its first byte.
    pub(super) start: u32,
    /// Its size in bytes; 0 if it lies outside of the array, which has nothing of it.
    pub(super) bytes: u32,
}

const BIT: LlvmType = LlvmType::Scalar(ScalarType::I1);

/// A load or a store of an array that becomes values.
#[derive(Clone, Debug)]
pub(super) struct Access {
    /// The array.
    pub(super) slot: u32,
    /// The elements, one after the other.
    pub(super) elements: Vec<Element>,
}

/// Why an array stays in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Obstacle {
    /// The place of an access depends on the run.
    Index,
    /// The address is used for something else than a load or a store.
    Escape,
    /// An element of an access is in the array in part.
    Outside,
    /// The bytes of a pointer are accessed as something else.
    Pointer,
}

/// An array that stays in memory: its size in bytes, and the op that prevents anything else.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kept {
    pub(super) bytes: u32,
    pub(super) obstacle: Obstacle,
    pub(super) at: Origin,
}

/// The arrays of a function.
#[derive(Debug, Default)]
pub(super) struct Arrays {
    /// The accesses of arrays that become values.
    pub(super) accesses: FxHashMap<OpId, Access>,
    /// Their cells, by their slots and first bytes.
    cells: FxHashMap<(u32, u32), Cell>,
    /// The arrays that stay, by their slots.
    pub(super) kept: FxHashMap<u32, Kept>,
    /// The stores to arrays that nothing reads.
    pub(super) idle: FxHashSet<OpId>,
}

/// The number or pointer types of the elements of a value, one after the other.
fn elements(ty: LlvmType) -> Vec<LlvmType> {
    match ty {
        LlvmType::Vector(count, scalar) => vec![LlvmType::Scalar(scalar); count as usize],
        _ => vec![ty],
    }
}

struct Search<'a> {
    body: &'a Body<Llvm>,
    definitions: SideTable<Value, OpId>,
    /// The addresses of which array and offset are known.
    addresses: FxHashMap<Value, (u32, i64)>,
    /// The addresses of which only the array is known.
    anywhere: FxHashMap<Value, u32>,
    sizes: FxHashMap<u32, u32>,
    /// The stores to each array.
    stores: FxHashMap<u32, Vec<OpId>>,
    /// The arrays that something reads.
    read: FxHashSet<u32>,
    found: Arrays,
}

impl Arrays {
    /// Finds the arrays of a function.
    pub(super) fn of(body: &Body<Llvm>) -> Self {
        let mut search = Search {
            body,
            definitions: body.definitions(),
            addresses: FxHashMap::default(),
            anywhere: FxHashMap::default(),
            sizes: FxHashMap::default(),
            stores: FxHashMap::default(),
            read: FxHashSet::default(),
            found: Self::default(),
        };
        for block in reverse_postorder(body, body.root()) {
            for &id in &body.block(block).ops {
                search.op(id);
            }
        }
        search.cells();
        let (stores, read) = (search.stores, search.read);
        let Arrays {
            mut accesses,
            mut cells,
            mut kept,
            mut idle,
        } = search.found;
        kept.retain(|slot, _| read.contains(slot));
        accesses.retain(|_, access| read.contains(&access.slot));
        let unread = stores.into_iter().filter(|(slot, _)| !read.contains(slot));
        idle.extend(unread.flat_map(|(_, stores)| stores));
        accesses.retain(|_, access| !kept.contains_key(&access.slot));
        cells.retain(|(slot, _), _| !kept.contains_key(slot));
        Self {
            accesses,
            cells,
            kept,
            idle,
        }
    }

    /// The cells of an element, one after the other.
    pub(super) fn cells_of(&self, slot: u32, element: Element) -> Vec<Cell> {
        let mut all = Vec::new();
        let mut start = element.start;
        while start < element.start + element.bytes
            && let Some(&cell) = self.cells.get(&(slot, start))
        {
            all.push(cell);
            start += cell.bytes;
        }
        all
    }
}

impl Search<'_> {
    fn constant(&self, value: Value) -> Option<i64> {
        match &self.body.op(*self.definitions.get(value)?).kind {
            LlvmOp::Arith(ArithOp::Constant {
                value: Dense::Splat(literal),
            }) => Some(literal.signed()),
            _ => None,
        }
    }

    /// The array that an address points to.
    fn slot(&self, value: Value) -> Option<u32> {
        let known = self.addresses.get(&value).map(|&(slot, _)| slot);
        known.or_else(|| self.anywhere.get(&value).copied())
    }

    fn keep(&mut self, slot: u32, obstacle: Obstacle, at: Origin) {
        let bytes = self.sizes.get(&slot).copied().unwrap_or(0);
        self.found
            .kept
            .entry(slot)
            .or_insert(Kept { bytes, obstacle, at });
    }

    /// The address of an array is used for something else than an access, which may read it.
    fn escape(&mut self, slot: u32, at: Origin) {
        self.read.insert(slot);
        self.keep(slot, Obstacle::Escape, at);
    }

    fn op(&mut self, id: OpId) {
        let op = self.body.op(id);
        let own = match &op.kind {
            LlvmOp::Llvm(own) => Some(own),
            LlvmOp::Arith(_) | LlvmOp::Math(_) | LlvmOp::Target(_) => None,
        };
        match own {
            Some(&LlvmDialect::Alloca { slot, bytes, .. }) => {
                self.sizes.insert(slot, bytes);
                self.addresses.insert(op.result(0), (slot, 0));
            }
            Some(&LlvmDialect::GetElementPtr {
                base,
                index,
                scale,
                offset,
            }) if self.slot(base).is_some() => self.address(op.result(0), base, (index, scale), offset),
            Some(&LlvmDialect::Load { pointer, .. }) if self.slot(pointer).is_some() => {
                self.read.extend(self.slot(pointer));
                self.access(id, pointer, *self.body.ty(op.result(0)));
            }
            Some(&LlvmDialect::Store { pointer, value, .. }) if self.slot(pointer).is_some() => {
                if let Some(slot) = self.slot(value) {
                    self.escape(slot, op.origin);
                }
                if let Some(slot) = self.slot(pointer) {
                    self.stores.entry(slot).or_default().push(id);
                }
                self.access(id, pointer, *self.body.ty(value));
            }
            _ => op.kind.operands(&mut |operand| {
                if let Some(slot) = self.slot(operand) {
                    self.escape(slot, op.origin);
                }
            }),
        }
    }

    fn address(&mut self, result: Value, base: Value, (index, scale): (Option<Value>, u32), offset: i64) {
        let moved = match index {
            None => Some(0),
            Some(index) => self
                .constant(index)
                .map(|index| index.wrapping_mul(i64::from(scale))),
        };
        match (self.addresses.get(&base), moved) {
            (Some(&(slot, before)), Some(moved)) => {
                let at = before.wrapping_add(moved).wrapping_add(offset);
                self.addresses.insert(result, (slot, at));
            }
            _ => {
                if let Some(slot) = self.slot(base) {
                    self.anywhere.insert(result, slot);
                }
            }
        }
    }

    fn access(&mut self, id: OpId, pointer: Value, ty: LlvmType) {
        let origin = self.body.op(id).origin;
        let Some(&(slot, offset)) = self.addresses.get(&pointer) else {
            if let Some(&slot) = self.anywhere.get(&pointer) {
                self.keep(slot, Obstacle::Index, origin);
            }
            return;
        };
        let size = self.sizes.get(&slot).copied().unwrap_or(0);
        let mut access = Access {
            slot,
            elements: Vec::new(),
        };
        let mut start = offset;
        for ty in elements(ty) {
            // The verifier has checked that the type can be in memory.
            let bytes = ty.layout().map_or(1, |layout| layout.bytes);
            let end = start.saturating_add(bytes.into());
            let element = match u32::try_from(start) {
                Ok(start) if end <= size.into() => Element { ty, start, bytes },
                _ if end <= 0 || start >= size.into() => Element {
                    ty,
                    start: size,
                    bytes: 0,
                },
                _ => return self.keep(slot, Obstacle::Outside, origin),
            };
            access.elements.push(element);
            start = end;
        }
        self.found.accesses.insert(id, access);
    }

    /// Divides the arrays into cells: no access has a part of one only.
    fn cells(&mut self) {
        let mut cuts: FxHashMap<u32, FxHashSet<u32>> = FxHashMap::default();
        let mut all: Vec<(OpId, u32, Element)> = Vec::new();
        for (&id, access) in &self.found.accesses {
            for &element in &access.elements {
                let of_slot = cuts.entry(access.slot).or_default();
                of_slot.extend([element.start, element.start + element.bytes]);
                all.push((id, access.slot, element));
            }
        }
        // In the order of the program: the first access of a cell gives its type.
        all.sort_unstable_by_key(|&(id, _, element)| (id, element.start));
        let sorted = cuts.into_iter().map(|(slot, cuts)| {
            let mut cuts: Vec<u32> = cuts.into_iter().collect();
            cuts.sort_unstable();
            (slot, cuts)
        });
        let cuts: FxHashMap<u32, Vec<u32>> = sorted.collect();
        for &(id, slot, element) in &all {
            let pieces = pieces(cuts.get(&slot).map_or(&[], Vec::as_slice), element);
            let is_whole = pieces.len() == 1;
            let is_bit = element.ty == BIT;
            for (start, bytes) in pieces {
                let ty = if is_whole {
                    element.ty
                } else {
                    LlvmType::Scalar(integer(bytes))
                };
                let new = Cell {
                    slot,
                    start,
                    bytes,
                    ty,
                };
                let cell = self.found.cells.entry((slot, start)).or_insert(new);
                let is_pointer = |ty: LlvmType| matches!(ty, LlvmType::Ptr(_));
                if (is_pointer(cell.ty) || is_pointer(element.ty)) && cell.ty != element.ty {
                    let origin = self.body.op(id).origin;
                    self.keep(slot, Obstacle::Pointer, origin);
                } else if is_bit != (cell.ty == BIT) {
                    // A byte that is not always read as a Boolean is a byte.
                    cell.ty = LlvmType::Scalar(ScalarType::I8);
                }
            }
        }
    }
}

/// The integer type of this size.
pub(super) const fn integer(bytes: u32) -> ScalarType {
    match bytes {
        1 => ScalarType::I8,
        2 => ScalarType::I16,
        4 => ScalarType::I32,
        _ => ScalarType::I64,
    }
}

/// The parts of an element between cuts, each a power of two of bytes and aligned to its size.
fn pieces(cuts: &[u32], element: Element) -> Vec<(u32, u32)> {
    let end = element.start + element.bytes;
    let inner = cuts
        .iter()
        .copied()
        .filter(|&cut| cut > element.start && cut <= end);
    let mut pieces = Vec::new();
    let mut start = element.start;
    for cut in inner {
        while start < cut {
            let aligned = if start == 0 {
                8
            } else {
                1 << start.trailing_zeros().min(3)
            };
            let mut bytes: u32 = aligned;
            while start + bytes > cut {
                bytes /= 2;
            }
            pieces.push((start, bytes));
            start += bytes;
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_aligned_powers_of_two() {
        let element = |start, bytes| Element {
            ty: LlvmType::Scalar(integer(bytes)),
            start,
            bytes,
        };
        assert_eq!(pieces(&[0, 8], element(0, 8)), [(0, 8)]);
        assert_eq!(pieces(&[0, 2, 8], element(0, 8)), [(0, 2), (2, 2), (4, 4)]);
        assert_eq!(
            pieces(&[8, 9, 16], element(8, 8)),
            [(8, 1), (9, 1), (10, 2), (12, 4)]
        );
        assert_eq!(pieces(&[4, 8, 12], element(4, 4)), [(4, 4)]);
    }
}
