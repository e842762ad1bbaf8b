//! Grids, blocks and attributes of launches.

use tilewright_diagnostics::Code;
use tilewright_evaluator::host::{HostArgument, MostShared, PackedAddress};

use crate::{Program, computed, launching, numbers, view};

/// A configuration with these extents.
fn config(block: [i64; 3], grid: [i64; 3], shared: i64) -> String {
    let [bx, by, bz] = block;
    let [gx, gy, gz] = grid;
    format!(
        "%bx = arith.constant {bx} : i32\n%by = arith.constant {by} : i32\n%bz = arith.constant {bz} : i32\n\
         %gx = arith.constant {gx} : i32\n%gy = arith.constant {gy} : i32\n%gz = arith.constant {gz} : i32\n\
         %bytes = arith.constant {shared} : i64\n\
         %cfg = cuda.launch_cfg.create<max_attrs = 17 : i32> (blockDim = (%bx, %by, %bz), dynamicSmemBytes = %bytes, \
         gridDim = (%gx, %gy, %gz), stream = %stream) : i32, i32, i32, i64, i32, i32, i32, !cuda.stream -> \
         !cuda.launch_cfg<max_attrs = 17>\n"
    )
}

const LAUNCH: &str = "%launched = cuda.launch_ex @kernels::@k<%cfg> () : !cuda.launch_cfg<max_attrs = 17>, () -> !cuda.result\n";

#[test]
fn a_launch_has_what_its_configuration_says() {
    let body = config([128, 2, 1], [8, 6, 5], 49152)
        + "cuda.launch_cfg.programmatic_stream_serialization_allowed[%cfg] %one : !cuda.launch_cfg<max_attrs = 17>, i32\n\
           cuda.launch_cfg.cluster_dim[%cfg] (%gw, %one, %one) : !cuda.launch_cfg<max_attrs = 17>, i32, i32, i32\n\
           cuda.launch_cfg.cooperative[%cfg] %ok : !cuda.launch_cfg<max_attrs = 17>, i32\n"
        + LAUNCH
        + "%result = cuda.cast %launched : !cuda.result -> i32\ncuda.return_if_error %result : i32\n"
        + &LAUNCH.replace("%launched", "%again");
    let body = format!("%gw = arith.constant 2 : i32\n{body}");
    let program = Program {
        attributes: "cu_attrs = {max_dynamic_shared_size_bytes = #cuda.dev_max_shared_memory_optin, \
                     non_portable_cluster_size_allowed = 1 : i32}, nvvm.reqntid = array<i32: 128, 2, 1>",
        body: &body,
        ..Program::EMPTY
    };
    let launches = program.launches();
    assert_eq!(launches.len(), 2);
    for launch in launches {
        assert_eq!(launch.kernel, "k");
        assert_eq!((launch.grid, launch.block), ([8, 6, 5], [128, 2, 1]));
        assert_eq!((launch.cluster, launch.dynamic_shared), (Some([2, 1, 1]), 49152));
        assert_eq!((launch.cooperative, launch.programmatic), (false, true));
        assert_eq!(
            (launch.non_portable_cluster, launch.most_shared),
            (true, Some(MostShared::OfDevice))
        );
    }
}

#[test]
fn an_attribute_or_a_fact_of_the_kernel_is_kept() {
    let refused = |attributes: &str, body: &str| {
        let program = Program {
            attributes,
            body,
            ..Program::EMPTY
        };
        let problem = program.problem();
        assert_eq!(problem.code, Code::LaunchShape);
        assert!(problem.primary.is_some());
        problem.message
    };
    let body = config([128, 1, 1], [4, 1, 1], 0) + LAUNCH;
    assert_eq!(
        refused("nvvm.reqntid = array<i32: 256, 1, 1>", &body),
        "the launch has a block of threads (128, 1, 1), and kernel `k` says (256, 1, 1) (`nvvm.reqntid`)"
    );
    let facts = |fact: &str| format!("cutlass_launch_facts = {{{fact}, schema_version = 1 : i64}}");
    assert!(refused(&facts("exact_grid_dim = array<i64: 5, 1, 1>"), &body).contains("(`exact_grid_dim`)"));
    assert!(refused(&facts("exact_cluster_dim = array<i64: 2, 1, 1>"), &body).contains("(1, 1, 1)"));
    let none = config([128, 1, 1], [4, 0, 1], 0) + LAUNCH;
    assert_eq!(
        refused("", &none),
        "blocks of the grid along y: 0, which is not from 1 to 4294967295"
    );
    let clusters = config([128, 1, 1], [4, 3, 1], 0)
        + "cuda.launch_cfg.cluster_dim[%cfg] (%one, %gx, %one) : !cuda.launch_cfg<max_attrs = 17>, i32, i32, i32\n"
        + LAUNCH;
    assert!(refused("", &clusters).ends_with("is not made of whole clusters (1, 4, 1)"));
}

#[test]
fn grids_come_from_the_extents_of_arguments() {
    let ty = "!cute.memref<f16, gmem, align<16>, \"(?,?{div=8},?):(?{i64 div=8},1,?{i64 div=8})\">";
    let body = format!(
        "%lay = cute.get_layout(%a) : {ty}
    %shape = cute.get_shape(%lay) : (!cute.layout<\"(?,?{{div=8}},?):(?{{i64 div=8}},1,?{{i64 div=8}})\">) -> !cute.shape<\"(?,?{{div=8}},?)\">
    %e0, %e1, %e2 = cute.get_leaves(%shape) : !cute.shape<\"(?,?{{div=8}},?)\">
    %i0 = cute.to_int_tuple(%e0) : !cute.shape<\"?\"> to !cute.int_tuple<\"?\">
    %i1 = cute.to_int_tuple(%e1) : !cute.shape<\"?{{div=8}}\"> to !cute.int_tuple<\"?{{div=8}}\">
    %i2 = cute.to_int_tuple(%e2) : !cute.shape<\"?\"> to !cute.int_tuple<\"?\">
    %all = cute.make_int_tuple(%i0, %i1, %i2) : (!cute.int_tuple<\"?\">, !cute.int_tuple<\"?{{div=8}}\">, !cute.int_tuple<\"?\">) -> !cute.int_tuple<\"(?,?{{div=8}},?)\">
    %tile = cute.make_tile() : () -> !cute.tile<\"[128:1;64:1;1:0]\">
    %tiles = cute.ceil_div(%all, %tile) : !cute.int_tuple<\"(?,?{{div=8}},?)\">, !cute.tile<\"[128:1;64:1;1:0]\">
    %x, %y, %z = cute.get_scalars(%tiles) : !cute.int_tuple<\"(?,?,?)\">
    %size = cute.size(%all) : (!cute.int_tuple<\"(?,?{{div=8}},?)\">) -> !cute.int_tuple<\"?{{div=8}}\">
    %n = cute.get_scalars(%size) : !cute.int_tuple<\"?{{div=8}}\">"
    );
    let param = format!("%a: {ty}");
    for (shape, want) in [
        ([1000, 1024, 3], [8, 16, 3, 3_072_000]),
        ([1, 8, 1], [1, 1, 1, 8]),
        ([128, 64, 2], [1, 1, 2, 16384]),
        ([129, 72, 2], [2, 2, 2, 18576]),
    ] {
        let [m, n, l] = shape;
        let argument = [view(&[m, n, l, n, m * n])];
        let found = computed(&param, &argument, &body, &["%x", "%y", "%z", "%n"], "i32");
        assert_eq!(found, want, "{shape:?}");
    }
}

/// The strides and extents of what a division makes, also where an extent is below that of the tile.
#[test]
fn divided_views_have_the_numbers_that_their_types_leave_open() {
    let ty = "!cute.memref<f32, gmem, align<16>, \"(?,?{div=4}):(?{i64 div=4},1)\">";
    let divided =
        "!cute.memref<f32, gmem, align<16>, \"((16,128),(?,?)):((?{i64 div=4},1),(?{i64 div=64},128))\">";
    let body = format!(
        "%tile = cute.make_tile() : () -> !cute.tile<\"[16:1;128:1]\">
    %div = cute.zipped_divide(%a, %tile) : {ty}, !cute.tile<\"[16:1;128:1]\">
    {}",
        launching("%div", divided)
    );
    for (shape, rest, stride) in [([1000, 260], [63, 3], 260), ([8, 128], [1, 1], 512)] {
        let [m, n] = shape;
        let program = Program {
            kernel: &[divided],
            params: &format!("%a: {ty}"),
            arguments: &[view(&[m, n, stride])],
            body: &body,
            ..Program::EMPTY
        };
        let packed = program.launch().arguments.remove(0);
        let mut want = vec![0; 8];
        for extent in rest {
            want.extend(i32::to_le_bytes(extent));
        }
        for stride in [stride, 16 * stride] {
            want.extend(stride.to_le_bytes());
        }
        assert_eq!(packed.bytes, want, "{shape:?}");
    }
}

#[test]
fn parts_of_views_begin_elsewhere() {
    let ty = "!cute.memref<f16, gmem, \"(?,?):(?{i64},1)\">";
    let row = "!cute.memref<f16, gmem, \"(?):(1)\">";
    let tile = "!cute.memref<f16, gmem, \"(16,8):(?{i64},1)\">";
    let at = "!cute.ptr<f16, gmem>";
    let body = format!(
        "%c = cute.make_coord(%i) : (i32) -> !cute.coord<\"(?,_)\">
    %row = cute.slice(%a, %c) : {ty}, !cute.coord<\"(?,_)\">
    %two = cute.make_coord(%i, %i) : (i32, i32) -> !cute.coord<\"(?,?)\">
    %tiler = cute.make_tile() : () -> !cute.tile<\"[16:1;8:1]\">
    %tile = cute.local_tile(%a, %tiler, %two) : ({ty}, !cute.tile<\"[16:1;8:1]\">, !cute.coord<\"(?,?)\">) -> {tile}
    %iter = cute.get_iter(%row) : {row}
    %off = cute.make_int_tuple() : () -> !cute.int_tuple<\"-3\">
    %next = cute.add_offset(%iter, %off) : ({at}, !cute.int_tuple<\"-3\">) -> {at}
    {}",
        launching("%row, %tile, %next", &format!("{row}, {tile}, {at}"))
    );
    let program = Program {
        kernel: &[row, tile, at],
        params: &format!("%i: i32, %a: {ty}"),
        arguments: &[numbers(&[5]), view(&[1000, 100, 3_000_000_000])],
        body: &body,
        ..Program::EMPTY
    };
    let begins = |elements: i64| {
        vec![PackedAddress {
            at: 0,
            argument: 1,
            offset: 2 * elements,
        }]
    };
    let found: Vec<_> = program
        .launch()
        .arguments
        .into_iter()
        .map(|packed| packed.addresses)
        .collect();
    let (rows, tiles) = (5 * 3_000_000_000, 5 * 16 * 3_000_000_000 + 5 * 8);
    assert_eq!(found, [begins(rows), begins(tiles), begins(rows - 3)]);
}

#[test]
fn what_is_printed_is_kept_with_its_numbers() {
    let body = "%bytes = cute.kernel_smem_size @kernels::@k : i64
    %shape = cute.make_shape(%a) : (i32) -> !cute.shape<\"(?,4)\">
    cute.print(\"{} bytes, {}.\\0A\", %bytes, %shape) : i64, !cute.shape<\"(?,4)\">";
    let program = Program {
        ops: "%tile = cute.memref.alloca() : !cute.memref<f32, smem, \"(100,4):(4,1)\">",
        params: "%a: i32, %s: !cuda.stream",
        arguments: &[numbers(&[7]), HostArgument::Stream],
        body,
        ..Program::EMPTY
    };
    let evaluated = program.evaluated();
    assert_eq!(evaluated.printed, "1600 bytes, (7,4).\n");
    assert_eq!(evaluated.launches.expect("no launches"), []);
}
