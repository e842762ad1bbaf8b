// A dialog over the page.

import { $ } from "./dom.js?token={{token}}";

$("close").addEventListener("click", () => $("sheet").close());

/** Shows nodes and texts under a title. */
export function show(title, content) {
  $("sheet-title").textContent = title;
  $("sheet-body").replaceChildren(...content);
  if (!$("sheet").open) $("sheet").showModal();
}

/** An image of a drawing. */
export function drawing(svg, alt) {
  const image = new Image();
  image.alt = alt;
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  return image;
}
