//! Reductions, scans and matrix products.

use rand::RngExt;

use super::super::numbers::Ty;
use super::lanes::Lanes;
use super::{Generator, Range, Shape, Tile, tile};

/// One op, or a few, that combine elements.
struct Fold {
    operands: Vec<Tile>,
    identities: Vec<String>,
    body: Vec<String>,
    yields: Vec<String>,
    /// The bounds of each result.
    ranges: Vec<Option<Range>>,
    /// Results whose zeros have either sign, depending on the order.
    sums: Vec<bool>,
}

impl Generator {
    pub(super) fn folds(&mut self) {
        let Some((shape, axis)) = self.folded() else {
            return self.integers();
        };
        let fold = match self.below(5) {
            0 => self.largest(&shape),
            1 => self.composition(&shape),
            2 => {
                let (first, second) = (self.single(&shape, axis, 0), self.single(&shape, axis, 1));
                Fold {
                    operands: [first.operands, second.operands].concat(),
                    identities: [first.identities, second.identities].concat(),
                    body: [first.body, second.body].concat(),
                    yields: [first.yields, second.yields].concat(),
                    ranges: [first.ranges, second.ranges].concat(),
                    sums: [first.sums, second.sums].concat(),
                }
            }
            _ => self.single(&shape, axis, 0),
        };
        let mut results = shape.clone();
        let (name, direction) = if self.chance(35) {
            ("scan", self.choose(&[" reverse=false", " reverse=true"]))
        } else {
            results.remove(axis);
            ("reduce", "")
        };
        self.combine(name, direction, axis, &fold, &shape, &results);
    }

    /// A shape, and the axis along which elements are combined.
    fn folded(&mut self) -> Option<(Shape, usize)> {
        if let Some(Lanes { shape, axis, .. }) = self.lanes.clone() {
            let others: Vec<usize> = (0..shape.len()).filter(|&other| other != axis).collect();
            return (!others.is_empty()).then(|| (shape, self.choose(&others)));
        }
        let mut shape = self.shape();
        if shape.is_empty() {
            shape = vec![1];
        }
        let axis = self.random.random_range(0..shape.len());
        Some((shape, axis))
    }

    fn combine(
        &mut self,
        name: &str,
        direction: &str,
        axis: usize,
        fold: &Fold,
        shape: &[u32],
        results: &[u32],
    ) {
        let types: Vec<Ty> = fold.operands.iter().map(|operand| operand.ty).collect();
        let list = |shape: &[u32]| {
            let types: Vec<String> = types.iter().map(|ty| tile(shape, ty.name())).collect();
            types.join(", ")
        };
        let names: Vec<String> = types.iter().map(|_| self.name()).collect();
        let args: Vec<String> = types
            .iter()
            .enumerate()
            .map(|(i, ty)| {
                let scalar = tile(&[], ty.name());
                format!("%e{i}: {scalar}, %a{i}: {scalar}")
            })
            .collect();
        let operands: Vec<&str> = fold
            .operands
            .iter()
            .map(|operand| operand.name.as_str())
            .collect();
        self.line(&format!(
            "{} = {name} {} dim={axis}{direction} identities=[{}] : {} -> {}",
            names.join(", "),
            operands.join(", "),
            fold.identities.join(", "),
            list(shape),
            list(results)
        ));
        self.line(&format!("({}) {{", args.join(", ")));
        for line in &fold.body {
            self.line(line);
        }
        self.line(&format!("yield {} : {}", fold.yields.join(", "), list(&[])));
        self.line("}");
        for (at, (name, ty)) in names.into_iter().zip(types).enumerate() {
            self.work += u64::from(super::count(shape)) * self.turns * 4;
            let mut tile = Tile {
                name,
                shape: results.to_vec(),
                ty,
                range: fold.ranges[at],
            };
            if fold.sums[at] {
                tile = self.positive_zeros(&tile);
            }
            self.tiles.push(tile);
        }
    }

    /// The tile without negative zeros, whose sign can depend on the order of a sum.
    pub(super) fn positive_zeros(&mut self, from: &Tile) -> Tile {
        let name = from.ty.name();
        let zero = self.let_be(&format!("constant <{name}: 0.0> : {}", from.text()));
        let op = format!("addf {}, {zero} : {}", from.name, from.text());
        self.made(&from.shape, from.ty, from.range, &op)
    }

    /// One operand, combined by one op or by a branch.
    fn single(&mut self, shape: &[u32], axis: usize, number: usize) -> Fold {
        let (e, a, s) = (
            format!("%e{number}"),
            format!("%a{number}"),
            format!("%s{number}"),
        );
        let ty = self.any_type();
        let scalar = tile(&[], ty.name());
        let (name, extent) = (ty.name(), shape[axis]);
        let (operand, op, identity, range) = if ty.is_float() {
            let op = self.choose(&["addf", "addf", "maxf", "minf"]);
            if op == "addf" {
                // So that no partial sum is rounded.
                let (_, mantissa) = ty.float().unwrap_or_default();
                let room = mantissa.cast_signed() - extent.ilog2().cast_signed();
                if room < 1 {
                    return self.single(shape, axis, number);
                }
                let operand = self.pick_exact(
                    shape,
                    ty,
                    Range {
                        grid: 0,
                        top: room.min(4),
                    },
                );
                let range = operand.range.map(|range| range.times(extent));
                (operand, "addf".to_owned(), "0.0".to_owned(), range)
            } else {
                let operand = self.pick(shape, ty);
                let nan = self.choose(&["", " propagate_nan"]);
                let infinity = match (op, ty) {
                    ("maxf", Ty::F16) => "0xFC00",
                    ("maxf", Ty::Bf16) => "0xFF80",
                    ("maxf", Ty::F32) => "0xFF800000",
                    ("maxf", _) => "0xFFF0000000000000",
                    (_, Ty::F16) => "0x7C00",
                    (_, Ty::Bf16) => "0x7F80",
                    (_, Ty::F32) => "0x7F800000",
                    (_, _) => "0x7FF0000000000000",
                };
                (
                    operand.clone(),
                    format!("{op}{nan}"),
                    infinity.to_owned(),
                    operand.range,
                )
            }
        } else {
            let operand = self.pick(shape, ty);
            let lowest = match ty {
                Ty::I8 => ("-128", "127"),
                Ty::I16 => ("-32768", "32767"),
                Ty::I32 => ("-2147483648", "2147483647"),
                _ => ("-9223372036854775808", "9223372036854775807"),
            };
            let (op, identity) = match ty {
                Ty::I1 => self.choose(&[("andi", "true"), ("ori", "false"), ("xori", "false")]),
                _ => self.choose(&[
                    ("addi", "0"),
                    ("addi", "0"),
                    ("muli", "1"),
                    ("andi", "-1"),
                    ("ori", "0"),
                    ("xori", "0"),
                    ("maxi signed", lowest.0),
                    ("mini signed", lowest.1),
                    ("maxi unsigned", "0"),
                    ("mini unsigned", "-1"),
                ]),
            };
            (operand, op.to_owned(), identity.to_owned(), None)
        };
        let (op, suffix) = op.split_once(' ').unwrap_or((&op, ""));
        let suffix = match suffix {
            "" => String::new(),
            suffix => format!(" {suffix}"),
        };
        let mut body = vec![format!("{s} = {op} {e}, {a}{suffix} : {scalar}")];
        if self.chance(20) {
            body = self.body_of_tiles(number, op, &suffix, ty);
        }
        let is_minimum = op == "mini" && suffix == " signed";
        if is_minimum && self.chance(50) {
            let truth = tile(&[], "i1");
            body = vec![
                format!("%c{number} = cmpi less_than {e}, {a}, signed : {scalar} -> {truth}"),
                format!(
                    "{s} = if %c{number} -> ({scalar}) {{\nyield {e} : {scalar}\n}} else {{\nyield {a} : {scalar}\n}}"
                ),
            ];
        }
        Fold {
            operands: vec![operand],
            identities: vec![match ty {
                Ty::I1 => identity,
                _ => format!("{identity} : {name}"),
            }],
            body,
            yields: vec![s],
            ranges: vec![range.filter(|range| range.fits(ty))],
            sums: vec![op == "addf"],
        }
    }

    /// The largest element and its number, the smaller number of equals.
    fn largest(&mut self, shape: &[u32]) -> Fold {
        let ty = self.choose(&[Ty::I8, Ty::I32, Ty::F16, Ty::F32]);
        let operand = match ty.is_float() {
            true => self.pick_exact(shape, ty, Range { grid: -4, top: 6 }),
            false => self.pick(shape, ty),
        };
        let numbers = self.numbered(shape, Ty::I32);
        let (scalar, index, truth) = (tile(&[], ty.name()), tile(&[], "i32"), tile(&[], "i1"));
        let compare = |predicate: &str| match ty.is_float() {
            true => format!("cmpf {predicate} ordered %e0, %a0 : {scalar} -> {truth}"),
            false => format!("cmpi {predicate} %e0, %a0, signed : {scalar} -> {truth}"),
        };
        let body = vec![
            format!("%more = {}", compare("greater_than")),
            format!("%same = {}", compare("equal")),
            format!("%earlier = cmpi less_than %e1, %a1, signed : {index} -> {truth}"),
            format!("%both = andi %same, %earlier : {truth}"),
            format!("%take = ori %more, %both : {truth}"),
            format!("%m = select %take, %e0, %a0 : {truth}, {scalar}"),
            format!("%n = select %take, %e1, %a1 : {truth}, {index}"),
        ];
        let low = match ty {
            Ty::I8 => "-128",
            Ty::I32 => "-2147483648",
            Ty::F16 => "0xFC00",
            _ => "0xFF800000",
        };
        Fold {
            ranges: vec![operand.range, None],
            operands: vec![operand, numbers],
            identities: vec![format!("{low} : {}", ty.name()), "2147483647 : i32".to_owned()],
            body,
            yields: vec!["%m".to_owned(), "%n".to_owned()],
            sums: vec![false; 2],
        }
    }

    /// The composition of linear functions, which is associative and not commutative.
    fn composition(&mut self, shape: &[u32]) -> Fold {
        let ty = self.choose(&[Ty::I16, Ty::I32, Ty::I64]);
        let name = ty.name();
        let one = tile(&[], name);
        let (first, second) = (self.pick(shape, ty), self.pick(shape, ty));
        Fold {
            operands: vec![first, second],
            identities: vec![format!("1 : {name}"), format!("0 : {name}")],
            body: vec![
                format!("%m = muli %e0, %a0 : {one}"),
                format!("%t = muli %e0, %a1 : {one}"),
                format!("%n = addi %t, %e1 : {one}"),
            ],
            yields: vec!["%m".to_owned(), "%n".to_owned()],
            ranges: vec![None; 2],
            sums: vec![false; 2],
        }
    }

    /// Multiplicands and sums of matrix products, and the bounds of exact multiplicands.
    pub(super) fn product_types(&mut self) -> (Ty, Ty, Range) {
        let small = Range { grid: 0, top: 2 };
        if self.is_even() && self.chance(80) {
            return self.choose(&[
                (Ty::F16, Ty::F32, small),
                (Ty::F16, Ty::F16, Range { grid: 0, top: 1 }),
                (Ty::Bf16, Ty::F32, small),
                (Ty::E4m3, Ty::F32, small),
                (Ty::E5m2, Ty::F32, Range { grid: -1, top: 1 }),
                (Ty::I8, Ty::I32, small),
            ]);
        }
        self.choose(&[
            (Ty::F16, Ty::F32, small),
            (Ty::F16, Ty::F16, Range { grid: 0, top: 1 }),
            (Ty::Bf16, Ty::F32, small),
            (Ty::F32, Ty::F32, small),
            (Ty::Tf32, Ty::F32, small),
            (Ty::F64, Ty::F64, small),
            (Ty::E4m3, Ty::F32, small),
            (Ty::E5m2, Ty::F16, Range { grid: 0, top: 1 }),
            (Ty::E5m2, Ty::F32, Range { grid: -1, top: 1 }),
            (Ty::I8, Ty::I32, small),
        ])
    }

    /// Extents along M, N and K, and the batches, if any.
    pub(super) fn product_extents(&mut self) -> (u32, u32, u32, Option<u32>) {
        if let Some(Lanes {
            shape,
            multiplies: true,
            ..
        }) = &self.lanes
            && let &[m, n] = shape.as_slice()
        {
            // One product is much work as it is.
            let k: u32 = self.choose(&[8, 16, 16, 32, 32]);
            return (m, n, k.min((1 << 16) / (m * n)).max(16), None);
        }
        let most = self.choose(&[3u32, 4, 5, 5, 6]);
        let [m, n, k] = [(); 3].map(|()| 1 << self.random.random_range(0..=most));
        let batch = self.chance(20).then(|| self.choose(&[1, 2, 4]));
        match m * n * k * batch.unwrap_or(1) > 1 << 15 {
            true => self.product_extents(),
            false => (m, n, k, batch),
        }
    }

    /// A product of two tiles, added to a third.
    pub(super) fn product(&mut self, a: &Tile, b: &Tile, sum: &Tile, range: Option<Range>) -> Tile {
        let (op, signs) = match a.ty {
            Ty::I8 => (
                "mmai",
                self.choose(&[
                    " signed signed",
                    " signed unsigned",
                    " unsigned signed",
                    " unsigned unsigned",
                ]),
            ),
            _ => ("mmaf", ""),
        };
        let op = format!(
            "{op} {}, {}, {}{signs} : {}, {}, {}",
            a.name,
            b.name,
            sum.name,
            a.text(),
            b.text(),
            sum.text()
        );
        let depth = a.shape.last().copied().unwrap_or(1);
        self.work += u64::from(super::count(&sum.shape)) * u64::from(depth) / 4 * self.turns;
        self.made(&sum.shape, sum.ty, range, &op)
    }

    pub(super) fn products(&mut self) {
        if self.lanes.as_ref().is_some_and(|lanes| !lanes.multiplies) {
            return self.floats();
        }
        let (ty, to, within) = self.product_types();
        let (m, n, k, batch) = self.product_extents();
        let shape = |rows: u32, columns: u32| -> Shape { batch.into_iter().chain([rows, columns]).collect() };
        let (left, right, result) = (shape(m, k), shape(k, n), shape(m, n));
        if !ty.is_float() {
            let (a, b, c) = (
                self.pick(&left, ty),
                self.pick(&right, ty),
                self.pick(&result, to),
            );
            let made = self.product(&a, &b, &c, None);
            self.tiles.push(made);
            return;
        }
        let a = self.pick_exact(&left, ty, within);
        let b = self.pick_exact(&right, ty, within);
        let c = self.pick_exact(&result, to, Range { grid: -2, top: 4 });
        let (Some(ra), Some(rb), Some(rc)) = (a.range, b.range, c.range) else {
            return;
        };
        let range = ra.product(rb).times(k).sum(rc);
        if range.fits(to) {
            let made = self.product(&a, &b, &c, Some(range));
            let made = self.positive_zeros(&made);
            self.tiles.push(made);
        }
    }
}
