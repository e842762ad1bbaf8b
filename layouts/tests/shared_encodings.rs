//! Shared-memory layouts against definitions by single elements.

use tilewright_layouts::shared::SwizzleMode;

/// The patterns as the PTX ISA prints them: for each 128-byte line, which 16-byte cell of the source lies
/// in each place.
fn pattern(mode: SwizzleMode) -> Vec<[u64; 8]> {
    match mode {
        SwizzleMode::None => vec![[0, 1, 2, 3, 4, 5, 6, 7]],
        SwizzleMode::B32 => vec![[0, 1, 2, 3, 4, 5, 6, 7], [1, 0, 3, 2, 5, 4, 7, 6]],
        SwizzleMode::B64 => vec![
            [0, 1, 2, 3, 4, 5, 6, 7],
            [1, 0, 3, 2, 5, 4, 7, 6],
            [2, 3, 0, 1, 6, 7, 4, 5],
            [3, 2, 1, 0, 7, 6, 5, 4],
        ],
        SwizzleMode::B128 => vec![
            [0, 1, 2, 3, 4, 5, 6, 7],
            [1, 0, 3, 2, 5, 4, 7, 6],
            [2, 3, 0, 1, 6, 7, 4, 5],
            [3, 2, 1, 0, 7, 6, 5, 4],
            [4, 5, 6, 7, 0, 1, 2, 3],
            [5, 4, 7, 6, 1, 0, 3, 2],
            [6, 7, 4, 5, 2, 3, 0, 1],
            [7, 6, 5, 4, 3, 2, 1, 0],
        ],
        SwizzleMode::B128Atom32 | SwizzleMode::B128Atom32Flip8 => vec![
            [0, 1, 2, 3, 4, 5, 6, 7],
            [2, 3, 0, 1, 6, 7, 4, 5],
            [4, 5, 6, 7, 0, 1, 2, 3],
            [6, 7, 4, 5, 2, 3, 0, 1],
        ],
        SwizzleMode::B128Atom64 => vec![[0, 1, 2, 3, 4, 5, 6, 7], [4, 5, 6, 7, 0, 1, 2, 3]],
    }
}

#[test]
fn a_swizzle_mode_is_its_pattern() {
    for mode in SwizzleMode::ALL {
        let lines = pattern(mode);
        assert_eq!(mode.repeat().0, 128 * lines.len() as u64);
        for (line, cells) in (0..16).zip(lines.iter().cycle()) {
            for (place, cell) in (0..8).zip(cells) {
                for byte in 0..16 {
                    let flip = if mode == SwizzleMode::B128Atom32Flip8 && line % 2 == 1 {
                        8
                    } else {
                        0
                    };
                    let source = line * 128 + cell * 16 + byte;
                    let goes_to = line * 128 + place * 16 + (byte ^ flip);
                    assert_eq!(mode.apply(source), goes_to, "{mode} line {line} place {place}");
                    assert_eq!(mode.apply(goes_to), source);
                    assert_eq!(source / mode.span().0, goes_to / mode.span().0);
                }
            }
        }
    }
}

#[test]
fn a_swizzle_mode_is_the_swizzle_of_cute() {
    for mode in SwizzleMode::ALL {
        let Some((b, m, s)) = mode.cute_parameters() else {
            assert_eq!(mode, SwizzleMode::B128Atom32Flip8);
            continue;
        };
        assert_eq!(SwizzleMode::of_cute_parameters(b, m, s), Some(mode));
        for offset in 0..4096u64 {
            let mask = ((1 << b) - 1) << (m + s);
            assert_eq!(mode.apply(offset), offset ^ (offset & mask) >> s);
        }
        assert_eq!(mode.atom().0, 1 << m);
    }
}

#[test]
fn the_codes_of_a_swizzle_mode_lead_back() {
    for (code, mode) in (0..).zip(SwizzleMode::ALL) {
        assert_eq!(mode.driver_code(), code);
        assert_eq!(SwizzleMode::of_driver_code(code), Some(mode));
        let short = mode.driver_name().strip_prefix("CU_TENSOR_MAP_SWIZZLE_").unwrap();
        assert!(short.eq_ignore_ascii_case(&mode.to_string()));
    }
    assert_eq!(SwizzleMode::of_driver_code(7), None);
}
