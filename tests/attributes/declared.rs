//! The declarations of attributes, and the attributes of kernels.

use std::collections::BTreeMap;

use tilewright::{Compiler, reading};
use tilewright_irs::core::{
    AttributeSpec, Carrier, Family, Found, Language, Operation, attributes_of, term_text,
};
use tilewright_irs::cuda_tile::CudaTile;
use tilewright_irs::cute_desugared::CuteDesugared;
use tilewright_irs::llvm::Llvm;
use tilewright_irs::nvvm::Nvvm;
use tilewright_irs::scheduled::Scheduled;
use tilewright_irs::tileaa::TileAa;
use tilewright_irs::tileas::TileAs;

/// The family of an attribute, by what has it and its name; a function is named `func`, a tag `tag`.
fn families<L: Language>() -> BTreeMap<(&'static str, &'static str), Family> {
    let owner = |spec: &AttributeSpec| match spec.carrier {
        Carrier::Function => "func",
        Carrier::Tag => "tag",
        Carrier::Op | Carrier::Type | Carrier::Module => spec.op,
    };
    let all = attributes_of::<L>();
    all.iter()
        .map(|spec| ((owner(spec), spec.name), spec.family))
        .collect()
}

#[test]
fn attributes_have_families() {
    use Family::*;
    let cuda_tile = families::<CudaTile>();
    for (attribute, family) in [
        (("func", "num_cta_in_cga"), LaunchShape),
        (("func", "num_worker_warps_per_cta"), KernelSpec),
        (("cuda_tile.load_view_tko", "latency"), Staging),
        (("cuda_tile.load_ptr_tko", "ordering"), Order),
        (("cuda_tile.addf", "rounding_mode"), FastMath),
        (("cuda_tile.addi", "overflow"), Assumption),
    ] {
        assert_eq!(cuda_tile.get(&attribute), Some(&family), "{attribute:?}");
    }
    assert!(
        !cuda_tile.contains_key(&("func", "latency")),
        "no hint of a kernel"
    );
    assert!(
        !cuda_tile.contains_key(&("cuda_tile.load_view_tko", "token")),
        "an operand"
    );

    let inner = [
        (families::<TileAa>(), ("tileaa.load", "latency"), Staging),
        (families::<TileAa>(), ("tileaa.load", "steps"), Layout),
        (families::<TileAs>(), ("func", "kernel_spec.num_ctas"), KernelSpec),
        (families::<Scheduled>(), ("tag", "stage"), Staging),
        (families::<CuteDesugared>(), ("arith.fma", "rounding"), FastMath),
        (families::<CuteDesugared>(), ("fragment.load", "cache"), Cache),
        (families::<Llvm>(), ("func", "nvvm.maxnreg"), LaunchShape),
        (families::<Llvm>(), ("llvm.load", "scope"), Order),
        (families::<Nvvm>(), ("nvvm.ld", "eviction"), Cache),
        (families::<Nvvm>(), ("nvvm.fma", "ftz"), FastMath),
    ];
    for (families, attribute, family) in inner {
        assert_eq!(families.get(&attribute), Some(&family), "{attribute:?}");
    }
}

/// The attributes of the one kernel of a text: what has each, its name and its value.
fn found(name: &str, text: &str) -> Vec<(String, String)> {
    let mut compiler = Compiler::new();
    let source = compiler.add_source(name, text);
    let parsed = reading::parse(&compiler, source);
    assert!(parsed.diagnostics.is_empty(), "{:#?}", parsed.diagnostics);
    let [kernel] = parsed.kernels.as_slice() else {
        panic!("one kernel, not {}", parsed.kernels.len());
    };
    let all = kernel.body(&compiler).attributes();
    let shown = |Found { op, name, value, .. }: Found| {
        let value = value.map_or_else(|| "set".to_owned(), |value| term_text(&value));
        (format!("{op}/{name}"), value)
    };
    all.into_iter().map(shown).collect()
}

fn pairs(list: &[(String, String)]) -> Vec<(&str, &str)> {
    list.iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect()
}

#[test]
fn hints_in_dictionaries_are_attributes() {
    let text = "cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>) optimization_hints=<sm_90 = {occupancy = 2}, default = {num_cta_in_cga = 1}> {
    %x, %t = load_ptr_tko relaxed device %p optimization_hints = <sm_90 = {latency = 3}> : tile<ptr<f32>> -> tile<f32>, token
    return
  }
}
";
    let found = found("k.mlir", text);
    assert_eq!(
        pairs(&found),
        [
            ("/num_cta_in_cga", "i32<1>"),
            ("/occupancy", "i32<2>"),
            ("cuda_tile.load_ptr_tko/ordering", "relaxed"),
            ("cuda_tile.load_ptr_tko/scope", "device"),
            ("cuda_tile.load_ptr_tko/latency", "i32<3>"),
        ]
    );
}

#[test]
fn tags_are_attributes_of_their_ops() {
    let text = "scheduled.func @k(%0: i32) {target = sm_90a, kernel_spec = {num_warps = 4, num_ctas = 1}, shared_bytes = 0} body {
  %1 = arith.addi %0, %0 {overflow = no_signed, stage = 1, slot = 7, agent = compute} : i32
  scf.return
}
";
    let found = found("k.scheduled", text);
    assert_eq!(
        pairs(&found),
        [
            ("/target", "sm_90a"),
            ("/kernel_spec.num_warps", "4"),
            ("/kernel_spec.num_ctas", "1"),
            ("/shared_bytes", "0"),
            ("arith.addi/overflow", "no_signed"),
            ("arith.addi/stage", "1"),
            ("arith.addi/slot", "7"),
            ("arith.addi/agent", "compute"),
        ]
    );
}

/// The slots of an `nvvm` instruction are its modifiers in the order of PTX.
#[test]
fn slots_are_positions_in_the_declaration() {
    let all = attributes_of::<Nvvm>();
    let of = |op: &str| -> Vec<_> {
        let of = all.iter().filter(|spec| spec.op == op);
        of.map(|spec| (spec.slot, spec.name)).collect()
    };
    assert_eq!(
        of("nvvm.fma"),
        [(0, "rounding"), (1, "ftz"), (2, "sat"), (3, "relu"), (4, "ty")]
    );
    let spec = <Nvvm as Language>::Op::specs()
        .into_iter()
        .find(|spec| spec.name == "nvvm.ld");
    let order = spec.map(|spec| spec.fields.iter().filter(|field| field.family.is_some()).count());
    assert_eq!(order, Some(of("nvvm.ld").len()));
}
