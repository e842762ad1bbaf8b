//! How front ends find out which bytecode versions are read: by trial, the newest first.

use super::place::{EMPTY, Place, VERSIONS};

/// The entry by which cutile-rs finds out.
const ENTRY: &str = "cuda_tile.module @probe {
  entry @__cutile_probe_entry(%p: tile<ptr<f32>>) {
    %token = make_token : token
    %view = make_tensor_view %p, shape = [128], strides = [1] : tensor_view<128xf32, strides=[1]>
    %tiles = make_partition_view %view : partition_view<tile=(16), tensor_view<128xf32, strides=[1]>>
    %zero = constant <i32: 0> : tile<i32>
    %four = constant <i32: 4> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    for %i in (%zero to %four, step %one) : tile<i32> {
      %tile, %done = load_view_tko weak %tiles[%i] token = %token : partition_view<tile=(16), tensor_view<128xf32, strides=[1]>>, tile<i32> -> tile<16xf32>, token
      continue
    }
    return
  }
}
";

/// Places with the real ptxas, if there is one, and with a script.
fn places() -> impl Iterator<Item = Place> {
    Place::real().into_iter().chain([Place::new()])
}

#[test]
fn an_empty_module_of_every_version_gives_a_cubin_for_every_gpu() {
    for place in places() {
        for version in VERSIONS {
            place.bytecode("in.bc", version, EMPTY);
            for gpu in ["sm_80", "sm_90", "sm_100", "sm_120"] {
                // The output exists already, and is empty.
                place.write("out", b"");
                let args = ["in.bc", "-o", "out", "--gpu-name", gpu];
                assert_eq!(
                    place.run(&args),
                    (0, String::new(), String::new()),
                    "{version} {gpu}"
                );
                let cubin = place.read("out");
                assert!(
                    cubin.starts_with(b"\x7fELF") && cubin.len() >= 64,
                    "{version} {gpu}"
                );
            }
        }
    }
}

#[test]
fn an_empty_module_is_for_the_gpu_that_is_asked_for() {
    let place = Place::new();
    place.bytecode("in.bc", "13.4", EMPTY);
    for (gpu, target) in [("sm_80", "sm_80"), ("sm_120", "sm_120a")] {
        let cubin = place.cubin(&["in.bc", "-o", "out", "--gpu-name", gpu]);
        let text = String::from_utf8_lossy(&cubin).into_owned();
        assert!(text.contains(&format!("-arch={target} ")), "{text}");
        assert!(text.contains(&format!(".target {target}\n")), "{text}");
    }
}

#[test]
fn the_next_version_is_refused_by_its_number() {
    let place = Place::new();
    place.bytecode("in.bc", "13.5", EMPTY);
    let mut bytes = place.read("in.bc");
    for (numbers, version) in [([13, 6], "13.6"), ([14, 0], "14.0"), ([13, 0], "13.0")] {
        bytes[8..10].copy_from_slice(&numbers);
        place.write("in.bc", &bytes);
        let (code, err) = place.failure(&["in.bc", "-o", "out", "--gpu-name", "sm_120"]);
        assert_eq!(code, 3);
        let wanted = format!("error: unsupported Tile IR bytecode version: {version} [E0102]\n");
        assert!(err.starts_with(&wanted), "{err}");
    }
    let (code, text, _) = place.run(&["--list-versions"]);
    assert_eq!(code, 0);
    assert_eq!(text.lines().collect::<Vec<_>>(), VERSIONS);
}

#[test]
fn the_probing_entry_of_cutile_rs_compiles() {
    for place in places() {
        for version in ["13.1", "13.4"] {
            place.bytecode("in.bc", version, ENTRY);
            let cubin = place.cubin(&["--gpu-name", "sm_120", "-o", "out", "in.bc"]);
            let text = String::from_utf8_lossy(&cubin);
            assert!(text.contains("__cutile_probe_entry"), "{version}");
        }
    }
}

#[test]
fn several_entries_become_one_cubin() {
    let entry = |name: &str| format!("  entry @{name}(%n: tile<i32>) {{\n    return\n  }}\n");
    let text = format!(
        "cuda_tile.module @two {{\n{}{}}}\n",
        entry("first_K1"),
        entry("second_K2")
    );
    for place in places() {
        place.bytecode("in.bc", "13.1", &text);
        let cubin = place.cubin(&["in.bc", "-o", "out", "--gpu-name", "sm_90"]);
        let text = String::from_utf8_lossy(&cubin);
        assert!(text.contains("first_K1") && text.contains("second_K2"));
    }
}

#[test]
fn the_same_command_gives_the_same_bytes() {
    for place in places() {
        place.example("saxpy", "13.4");
        let args = ["in.bc", "-o", "out", "--gpu-name", "sm_90", "-O3", "--lineinfo"];
        let first = place.cubin(&args);
        assert!(first == place.cubin(&args));
        // Its input's name is of no account.
        place.write("other.bc", &place.read("in.bc"));
        assert!(first == place.cubin(&[&["other.bc"], &args[1..]].concat()));
    }
}

#[test]
fn line_tables_and_the_ptx_are_in_the_cubin() {
    let Some(place) = Place::real() else { return };
    place.example("vector_add", "13.3");
    let args = ["in.bc", "-o", "out", "--gpu-name", "sm_90"];
    let has = |cubin: &[u8], words: &str| {
        let words = words.as_bytes();
        cubin.windows(words.len()).any(|window| window == words)
    };
    let plain = place.cubin(&args);
    for flag in ["--lineinfo", "-g"] {
        let cubin = place.cubin(&[&args[..], &[flag]].concat());
        for section in [".debug_line", ".nv_debug_ptx_txt", "vector_add.py"] {
            assert!(has(&cubin, section) && !has(&plain, section), "{flag} {section}");
        }
    }
}
