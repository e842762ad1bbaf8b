//! The palette of pictures: eight hues in four tints, for dark text.

use std::fmt;

/// A colour of the sRGB space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rgb(pub u8, pub u8, pub u8);

impl Rgb {
    /// The darkest text.
    pub const INK: Rgb = Rgb(0x1b, 0x1f, 0x24);
    /// The background of pictures.
    pub const PAPER: Rgb = Rgb(0xff, 0xff, 0xff);
    /// The colour of empty cells.
    pub const EMPTY: Rgb = Rgb(0xf1, 0xf2, 0xf4);

    /// The relative luminance, from 0 (black) to 1 (white). (WCAG 2.2, relative luminance.)
    ///
    /// ```
    /// use tilewright_layout_gallery::picture::Rgb;
    /// assert_eq!(Rgb(255, 255, 255).luminance(), 1.0);
    /// assert!(Rgb(0, 0, 255).luminance() < Rgb(0, 255, 0).luminance());
    /// ```
    pub fn luminance(self) -> f64 {
        let linear = |channel: u8| {
            let value = f64::from(channel) / 255.0;
            if value <= 0.04045 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * linear(self.0) + 0.7152 * linear(self.1) + 0.0722 * linear(self.2)
    }

    /// The contrast ratio of two colours, from 1 to 21. (WCAG 2.2, contrast ratio.)
    pub fn contrast(self, other: Rgb) -> f64 {
        let (one, two) = (self.luminance(), other.luminance());
        (one.max(two) + 0.05) / (one.min(two) + 0.05)
    }

    /// The text colour on this background: dark or white, whichever has the higher contrast.
    pub fn text(self) -> Rgb {
        if self.contrast(Rgb::INK) >= self.contrast(Rgb::PAPER) {
            Rgb::INK
        } else {
            Rgb::PAPER
        }
    }

    /// Mixes the colour with `parts` percent of white.
    fn tinted(self, parts: u32) -> Rgb {
        let mix = |channel: u8| {
            let left = u32::from(u8::MAX - channel);
            let raised = u32::from(channel) + left * parts.min(100) / 100;
            u8::try_from(raised).unwrap_or(u8::MAX)
        };
        Rgb(mix(self.0), mix(self.1), mix(self.2))
    }

    /// The nearest entry of the 6×6×6 colour cube of 256-colour terminals.
    pub fn cube(self) -> u8 {
        let level = |channel: u8| match channel {
            0..48 => 0,
            48..115 => 1,
            115..155 => 2,
            155..195 => 3,
            195..235 => 4,
            235.. => 5,
        };
        16 + 36 * level(self.0) + 6 * level(self.1) + level(self.2)
    }
}

/// Writes the CSS form `#rrggbb`.
impl fmt::Display for Rgb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
}

/// The number of hues.
pub const HUES: u32 = 8;

/// The number of tints of each hue.
pub const TINTS: u32 = 4;

/// The hues, in an order in which neighbours also differ in lightness. From Paul Tol's *light*
/// scheme, which is designed for labelled cells with dark text and is distinguishable with the common
/// forms of colour blindness. (Paul Tol, *Colour Schemes*, SRON/EPS/TN/09-002.)
const PALETTE: [Rgb; HUES as usize] = [
    Rgb(0x77, 0xaa, 0xdd), // light blue
    Rgb(0xee, 0xdd, 0x88), // light yellow
    Rgb(0xee, 0x88, 0x66), // orange
    Rgb(0x99, 0xdd, 0xff), // light cyan
    Rgb(0x44, 0xbb, 0x99), // mint
    Rgb(0xff, 0xaa, 0xbb), // pink
    Rgb(0xbb, 0xcc, 0x33), // pear
    Rgb(0xa0, 0x7f, 0xe0), // violet, in place of olive, which is too close to pear
];

/// A colour of a picture: a hue and its paleness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tone {
    hue: u8,
    tint: u8,
}

impl Tone {
    /// The first tone.
    pub(super) const FIRST: Tone = Tone { hue: 0, tint: 1 };
    /// The tone of errors.
    pub(super) const ALARM: Tone = Tone { hue: 2, tint: 0 };

    /// Constructs the tone of hue `hue` and tint `tint`, each modulo its count. Tint 0 is the
    /// strongest.
    pub fn new(hue: u32, tint: u32) -> Tone {
        Tone {
            hue: (hue % HUES) as u8,
            tint: (tint % TINTS) as u8,
        }
    }

    /// The tone of value `value` of a dimension of `size` values: one hue for each value if there are
    /// enough, otherwise one for each run of values, distinguished by tints as far as possible.
    ///
    /// ```
    /// use tilewright_layout_gallery::picture::Tone;
    /// assert_eq!(Tone::of(3, 8), Tone::new(3, 0));
    /// // Lanes in groups of four.
    /// assert_eq!(Tone::of(13, 32), Tone::new(3, 1));
    /// ```
    pub fn of(value: u32, size: u32) -> Tone {
        let run = (size / HUES).max(1);
        let place = value % run;
        let tint = if run <= TINTS {
            place
        } else {
            place / (run / TINTS)
        };
        Tone::new(value / run, tint)
    }

    /// The hue, below [`HUES`].
    pub fn hue(self) -> u32 {
        u32::from(self.hue)
    }

    /// The tint, below [`TINTS`].
    pub fn tint(self) -> u32 {
        u32::from(self.tint)
    }

    /// The colour.
    pub fn rgb(self) -> Rgb {
        let strong = PALETTE.get(usize::from(self.hue)).copied().unwrap_or(Rgb::EMPTY);
        strong.tinted(u32::from(self.tint) * 22)
    }
}
