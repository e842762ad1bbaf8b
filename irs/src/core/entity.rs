//! Typed handles and the arenas they index; branch targets, and where ops stem from.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A dense `u32` handle.
pub trait Entity: Copy + Eq + Hash + fmt::Debug {
    /// The handle with this index.
    fn new(index: usize) -> Self;
    /// The index of this handle.
    fn index(self) -> usize;
}

macro_rules! entity {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl Entity for $name {
            fn new(index: usize) -> Self {
                // An arena of more than 2^32 entries would need more memory than the reader accepts.
                Self(u32::try_from(index).unwrap_or(u32::MAX))
            }
            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}

entity!(
    /// An SSA value: a block argument or an op's result.
    Value, "%"
);
entity!(
    /// An op of a body.
    OpId, "op"
);
entity!(
    /// A basic block.
    Block, "^bb"
);
entity!(
    /// A region: a list of blocks, the first one its entry.
    Region, "region"
);

/// A vector indexed by one kind of handle.
pub struct Arena<K, V> {
    items: Vec<V>,
    key: PhantomData<fn(K)>,
}

impl<K: Entity, V> Arena<K, V> {
    /// An empty arena.
    pub fn new() -> Self {
        Self {
            items: Vec::new(),
            key: PhantomData,
        }
    }

    /// An empty arena with room for `n` items.
    pub fn with_capacity(n: usize) -> Self {
        Self {
            items: Vec::with_capacity(n),
            key: PhantomData,
        }
    }

    /// Adds an item and returns its handle.
    pub fn push(&mut self, item: V) -> K {
        self.items.push(item);
        K::new(self.items.len() - 1)
    }

    /// The number of items.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there is no item.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The entry of a handle; `None` for a handle of another arena.
    pub fn get(&self, key: K) -> Option<&V> {
        self.items.get(key.index())
    }

    /// Every handle with its item, in order.
    pub fn iter(&self) -> impl Iterator<Item = (K, &V)> {
        self.items.iter().enumerate().map(|(i, v)| (K::new(i), v))
    }
}

impl<K: Entity, V> Arena<K, V> {
    /// The items of these handles, each of which occurs once, in this order; the others are dropped.
    pub(super) fn in_order(self, order: &[K]) -> Self {
        let mut slots: Vec<Option<V>> = self.items.into_iter().map(Some).collect();
        let mut items = Vec::with_capacity(order.len());
        items.extend(order.iter().filter_map(|key| slots[key.index()].take()));
        Self {
            items,
            key: PhantomData,
        }
    }

    /// Every item, in order, mutable.
    pub(super) fn items_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.items.iter_mut()
    }
}

impl<K: Entity, V> Default for Arena<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Entity, V> Index<K> for Arena<K, V> {
    type Output = V;
    fn index(&self, key: K) -> &V {
        &self.items[key.index()]
    }
}

impl<K: Entity, V> IndexMut<K> for Arena<K, V> {
    fn index_mut(&mut self, key: K) -> &mut V {
        &mut self.items[key.index()]
    }
}

impl<K, V: Clone> Clone for Arena<K, V> {
    fn clone(&self) -> Self {
        Self {
            items: self.items.clone(),
            key: PhantomData,
        }
    }
}

impl<K, V: PartialEq> PartialEq for Arena<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.items == other.items
    }
}

impl<K, V: Eq> Eq for Arena<K, V> {}

impl<K, V: Hash> Hash for Arena<K, V> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.items.hash(state);
    }
}

impl<K, V: fmt::Debug> fmt::Debug for Arena<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.items.fmt(f)
    }
}

/// A side table from handles to items, filled as needed.
#[derive(Clone, Debug)]
pub struct SideTable<K, V> {
    items: Vec<Option<V>>,
    key: PhantomData<fn(K)>,
}

impl<K: Entity, V: Clone> SideTable<K, V> {
    /// A table without entries, sized for `n` handles.
    pub fn new(n: usize) -> Self {
        Self {
            items: vec![None; n],
            key: PhantomData,
        }
    }

    /// Sets the entry of `key`.
    pub fn set(&mut self, key: K, item: V) {
        if key.index() >= self.items.len() {
            self.items.resize(key.index() + 1, None);
        }
        self.items[key.index()] = Some(item);
    }

    /// The entry of `key`.
    pub fn get(&self, key: K) -> Option<&V> {
        self.items.get(key.index()).and_then(Option::as_ref)
    }

    /// The entry of `key`, mutable.
    pub fn get_mut(&mut self, key: K) -> Option<&mut V> {
        self.items.get_mut(key.index()).and_then(Option::as_mut)
    }
}

/// A branch target with the values for its arguments.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Successor {
    /// The block.
    pub block: Block,
    /// One value for each of the block's arguments.
    pub args: Vec<Value>,
}

/// Which op of the source function an op stems from: its index there, in textual order.
///
/// An origin is no position: an edit that only moves text leaves it as it is. The driver alone knows
/// how to turn one into a place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin(pub u32);

impl Origin {
    /// The function itself: its signature and attributes.
    pub const FUNCTION: Self = Self(u32::MAX);
}
