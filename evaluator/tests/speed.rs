//! Benchmarks of the evaluator; run manually with `--ignored --nocapture`.

use crate::support;
use std::time::Instant;

use tilewright_evaluator::{Arg, Device, Init};

#[test]
#[ignore = "a measurement"]
#[allow(clippy::print_stdout, reason = "it is what the measurement is for")]
fn elements_a_second() {
    let tile = "tile<1048576xf32>";
    let view = "partition_view<tile=(1048576), tensor_view<1048576xf32, strides=[1]>>";
    let cases = [
        ("nothing", String::new()),
        ("addf", format!("%r = addf %x, %x : {tile}")),
        ("fma", format!("%r = fma %x, %x, %x : {tile}")),
        ("exp", format!("%r = exp %x : {tile}")),
        ("divf rz", format!("%r = divf %x, %x rounding<zero> : {tile}")),
        ("addi", "%r = addi %i, %i : tile<1048576xi32>".to_owned()),
        ("divi", "%r = maxi %i, %i signed : tile<1048576xi32>".to_owned()),
        ("ftof", format!("%r = ftof %x : {tile} -> tile<1048576xf16>")),
        ("select", format!("%c = cmpf less_than ordered %x, %x : {tile} -> tile<1048576xi1>\n%r = select %c, %x, %x : tile<1048576xi1>, {tile}")),
        ("permute", format!("%s = reshape %x : {tile} -> tile<1024x1024xf32>\n%r = permute %s [1, 0] : tile<1024x1024xf32> -> tile<1024x1024xf32>")),
        ("load_view", format!("%y, %u = load_view_tko weak %w[%zero] : {view}, tile<i32> -> {tile}, token")),
        ("store_view", format!("%u = store_view_tko weak %x, %w[%zero] token=%t : {tile}, {view}, tile<i32> -> token")),
        ("load_ptr", "%y, %u = load_ptr_tko weak %ps : tile<1048576xptr<f32>> -> tile<1048576xf32>, token".to_owned()),
        ("reduce", format!("%r = reduce %x dim=0 identities=[0.0 : f32] : {tile} -> tile<f32>\n(%a: tile<f32>, %b: tile<f32>) {{\n%s = addf %a, %b : tile<f32>\nyield %s : tile<f32>\n}}")),
        ("scan 1024x1024", format!("%s = reshape %x : {tile} -> tile<1024x1024xf32>\n%r = scan %s dim=1 reverse=false identities=[0.0 : f32] : tile<1024x1024xf32> -> tile<1024x1024xf32>\n(%a: tile<f32>, %b: tile<f32>) {{\n%q = addf %a, %b : tile<f32>\nyield %q : tile<f32>\n}}")),
        ("mmaf 128^3 f16", "%a = constant <f16: 1.0> : tile<128x128xf16>\n%z = constant <f32: 0.0> : tile<128x128xf32>\n%r = mmaf %a, %a, %z : tile<128x128xf16>, tile<128x128xf16>, tile<128x128xf32>".to_owned()),
    ];
    let mut base = 0.0;
    for (name, op) in cases {
        let module = support::module(&format!(
            "entry @k(%p: tile<ptr<f32>>) {{
               %zero = constant <i32: 0> : tile<i32>
               %v = make_tensor_view %p, shape = [1048576], strides = [1] : tensor_view<1048576xf32, strides=[1]>
               %w = make_partition_view %v : {view}
               %x, %t = load_view_tko weak %w[%zero] : {view}, tile<i32> -> {tile}, token
               %i = iota : tile<1048576xi32>
               %p1 = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
               %pb = broadcast %p1 : tile<1xptr<f32>> -> tile<1048576xptr<f32>>
               %ps = offset %pb, %i : tile<1048576xptr<f32>>, tile<1048576xi32> -> tile<1048576xptr<f32>>
               {op}
               return
             }}"
        ));
        let mut device = Device::new(&module).expect("no globals");
        let data = (0..1u32 << 20)
            .flat_map(|i| (i as f32 * 1e-4).to_le_bytes())
            .collect();
        let buffer = device.allocate("x", Init::Data(data));
        let start = Instant::now();
        device
            .launch(&module.funcs[0], [1, 1, 1], &[Arg::Pointer(buffer)])
            .expect("runs");
        let time = start.elapsed().as_secs_f64() * 1e3;
        if name == "nothing" {
            base = time;
            println!("{name:>16}: {time:8.1} ms");
        } else {
            println!("{name:>16}: {:8.1} ms more", time - base);
        }
    }
}
