// A dialog over the page, for texts and for drawings, which can be made larger and smaller.

import { $, element } from "./dom.js?token={{token}}";

/** How much larger or smaller a step makes a drawing, and the sizes at which it ends. */
const STEP = 1.25;
const [SMALLEST, LARGEST] = [0.1, 16];

let image = null;
let scale = 1;

function open(title, content) {
  $("sheet-title").textContent = title;
  $("sheet-body").replaceChildren(...content);
  $("zoom").hidden = image === null;
  if (!$("sheet").open) $("sheet").showModal();
  $("sheet-body").focus();
  $("sheet-body").scrollTo(0, 0);
}

/** Shows nodes and texts under a title. */
export function show(title, content) {
  image = null;
  open(title, content);
}

/** An image of a drawing. */
export function drawing(svg, alt) {
  return element("img", { alt, src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}` });
}

/** Shows a drawing, as large as it fits, under a title and words. */
export async function showDrawing(title, words, svg, alt) {
  const fresh = drawing(svg, alt);
  await fresh.decode();
  image = fresh;
  open(title, [element("p", { textContent: words }), element("div", { className: "drawing" }, image)]);
  fit();
}

function zoom(to) {
  scale = Math.min(Math.max(to, SMALLEST), LARGEST);
  image.style.width = `${Math.round(image.naturalWidth * scale)}px`;
  $("zoom-now").textContent = `${Math.round(100 * scale)} %`;
}

function fit() {
  const { clientWidth, clientHeight } = $("sheet-body");
  const [width, height] = [clientWidth - 24, clientHeight - image.parentElement.offsetTop + $("sheet-body").offsetTop - 24];
  zoom(Math.min(width / image.naturalWidth, Math.max(height, clientHeight / 2) / image.naturalHeight));
}

const KEYS = { "+": () => zoom(scale * STEP), "=": () => zoom(scale * STEP), "-": () => zoom(scale / STEP), 0: fit };

$("close").addEventListener("click", () => $("sheet").close());
$("zoom-in").addEventListener("click", KEYS["+"]);
$("zoom-out").addEventListener("click", KEYS["-"]);
$("zoom-fit").addEventListener("click", fit);
$("sheet").addEventListener("keydown", (event) => {
  if (!image || !(event.key in KEYS) || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  KEYS[event.key]();
});
$("sheet-body").addEventListener("wheel", (event) => {
  if (!image || !event.ctrlKey) return;
  event.preventDefault();
  zoom(event.deltaY < 0 ? scale * STEP : scale / STEP);
}, { passive: false });
