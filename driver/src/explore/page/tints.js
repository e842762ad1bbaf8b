// The colour of each line of the source, which the lines that stem from it have in all panes.

/** The colours that the style sheet has. */
const TINTS = 12;

/** The step from a line's colour to the next one's, so that neighbours differ much. */
const STEP = 5;

/** The colours of lines by their numbers, given the op of each line or null. */
export function tintsOf(origins) {
  const tints = new Map();
  origins.forEach((origin, line) => {
    if (origin !== null) tints.set(line, (tints.size * STEP) % TINTS);
  });
  return tints;
}

/** The classes of a row with this colour. */
export function tinted(tint) {
  return tint === undefined ? "row" : `row tint tint-${tint}`;
}
