// Separators that divide the room of a box among its panes, by the mouse and by the keyboard.

/** The share of a pane below which it does not shrink. */
const LEAST = 0.1;

/** How far an arrow key moves a separator. */
const STEP = 0.03;

const clamp = (share, pair) => Math.min(Math.max(share, LEAST), pair - LEAST);

/**
 * Divides a box: the style sheet gives its panes the shares `--NAME0`, `--NAME1` and so on, in `fr`. `isColumn` says whether the
 * panes are one below another, which may change with the query `media`.
 */
export function divide(box, separators, { name, shares, isColumn, media }) {
  const key = `tilewright: shares of ${name}`;
  try {
    const kept = JSON.parse(localStorage.getItem(key));
    if (kept?.length === shares.length && kept.every((share) => share >= LEAST)) shares = kept;
  } catch {
    // Without what was kept, the shares are those that were given.
  }
  const show = () => {
    shares.forEach((share, at) => box.style.setProperty(`--${name}${at}`, `${share}fr`));
    separators.forEach((separator, at) => {
      const pair = shares[at] + shares[at + 1];
      separator.setAttribute("aria-orientation", isColumn() ? "horizontal" : "vertical");
      separator.setAttribute("aria-valuemin", Math.round((100 * LEAST) / pair));
      separator.setAttribute("aria-valuemax", Math.round(100 - (100 * LEAST) / pair));
      separator.setAttribute("aria-valuenow", Math.round((100 * shares[at]) / pair));
    });
  };
  const move = (at, share) => {
    const pair = shares[at] + shares[at + 1];
    shares[at] = clamp(share, pair);
    shares[at + 1] = pair - shares[at];
    show();
    try {
      localStorage.setItem(key, JSON.stringify(shares));
    } catch {
      // They are as given when the page is opened again.
    }
  };
  separators.forEach((separator, at) => {
    separator.addEventListener("keydown", (event) => {
      const [less, more] = isColumn() ? ["ArrowUp", "ArrowDown"] : ["ArrowLeft", "ArrowRight"];
      const moves = { [less]: shares[at] - STEP, [more]: shares[at] + STEP, Home: -Infinity, End: Infinity };
      if (!(event.key in moves)) return;
      event.preventDefault();
      move(at, moves[event.key]);
    });
    separator.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      separator.focus();
      separator.setPointerCapture(event.pointerId);
      const place = (event) => (isColumn() ? event.clientY : event.clientX);
      const rooms = [separator.previousElementSibling, separator.nextElementSibling].map((pane) => pane.getBoundingClientRect());
      const room = rooms.reduce((sum, { width, height }) => sum + (isColumn() ? height : width), 0);
      const [from, share, pair] = [place(event), shares[at], shares[at] + shares[at + 1]];
      const drag = (event) => move(at, share + ((place(event) - from) / room) * pair);
      separator.addEventListener("pointermove", drag);
      separator.addEventListener("lostpointercapture", () => separator.removeEventListener("pointermove", drag), { once: true });
    });
  });
  media?.addEventListener("change", show);
  show();
}
