// Contrast of all text, SVG's too, which axe leaves out: ink over whatever lies behind it.
(legible) => {
  const paint = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (css) => {
    paint.clearRect(0, 0, 1, 1);
    paint.fillStyle = css;
    paint.fillRect(0, 0, 1, 1);
    return [...paint.getImageData(0, 0, 1, 1).data].map((v) => v / 255);
  };
  const linear = (v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const mix = (top, under) => [0, 1, 2].map((i) => top[i] * top[3] + under[i] * (1 - top[3]));
  const over = (top, under) => [...mix(top, under), 1];
  const behind = (element) => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) {
      layers.unshift(rgba(getComputedStyle(e).backgroundColor));
    }
    const body = rgba(getComputedStyle(document.body).backgroundColor);
    return layers.reduce((under, top) => over(top, under), body);
  };
  const faint = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.textContent.trim();
    const e = walker.currentNode.parentElement;
    if (!text || !e.getClientRects().length) continue;
    if (e.closest(":disabled, title, noscript, option")) continue;
    const style = getComputedStyle(e);
    const under = behind(e);
    const ink = over(rgba(e.closest("svg") ? style.fill : style.color), under);
    const [a, b] = [light(ink), light(under)].sort((p, q) => q - p);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < legible) faint.add(`${ratio.toFixed(2)} ${e.tagName}: ${text.slice(0, 40)}`);
  }
  return [...faint];
}