// A group of buttons that is one stop of the Tab key; arrows, Home and End go from one to the next.

const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -Infinity, End: Infinity };

/** Makes the buttons in a box one stop; `draw` of what is returned replaces them, and the one with the focus keeps it. */
export function roving(box) {
  const items = () => [...box.querySelectorAll("button")];
  const stop = (wanted) => {
    for (const item of items()) item.tabIndex = item === wanted ? 0 : -1;
  };
  box.addEventListener("focusin", (event) => {
    if (event.target.matches("button")) stop(event.target);
  });
  box.addEventListener("keydown", (event) => {
    if (!(event.key in STEPS) || event.ctrlKey || event.altKey || event.metaKey) return;
    const all = items();
    const here = all.indexOf(document.activeElement);
    if (here < 0) return;
    event.preventDefault();
    all[Math.min(Math.max(here + STEPS[event.key], 0), all.length - 1)].focus();
  });
  return {
    draw(nodes) {
      const all = items();
      const here = all.indexOf(document.activeElement);
      const kept = all.findIndex((item) => item.tabIndex === 0);
      box.replaceChildren(...nodes);
      const fresh = items();
      stop(fresh[Math.max(kept, 0)] ?? fresh[0]);
      if (here >= 0) fresh[Math.min(here, fresh.length - 1)]?.focus({ preventScroll: true });
    },
  };
}
