// The heads of a GPT as small maps, a row of them for each block: a press chooses one.
(() => {
  "use strict";
  const live = globalThis.courseLive;

  live.sign = (token) => ({ " ": "\u2423", "\n": "\u21b5" }[token] ?? token);

  // A map as an image of one pixel a cell, blank where it is the future.
  live.paint = (canvas, rows, [red, green, blue]) => {
    const T = rows.length, pen = canvas.getContext("2d");
    canvas.width = canvas.height = Math.max(1, T);
    if (!T) return;
    const image = pen.createImageData(T, T);
    rows.forEach((row, t) => row.forEach((weight, s) => {
      image.data.set([red, green, blue, 255 * live.shade(weight)], 4 * (t * T + s));
    }));
    pen.putImageData(image, 0, 0);
  };

  live.ink = (el) => { // the colour of a query on this page, as three numbers
    const pen = document.createElement("canvas").getContext("2d");
    pen.fillStyle = getComputedStyle(el).getPropertyValue("--query").trim();
    return [1, 3, 5].map((at) => parseInt(pen.fillStyle.slice(at, at + 2), 16));
  };

  // Returns what draws all maps, with one head pressed or none (null), and some of them crossed out that are
  // off; `change` is told which one a reader presses.
  live.tiles = (parent, { n_layer, n_head }, change) => {
    const grid = live.add(parent, "div", { class: "grid", role: "group", "aria-label": "heads" });
    const tick = (text) => live.add(grid, "span", { class: "tick" }, text);
    grid.style.setProperty("--heads", n_head);
    tick("");
    for (let head = 0; head < n_head; head += 1) tick(n_head > 6 ? `${head}` : `head ${head}`);
    const buttons = Array.from({ length: n_layer }, (_, block) => {
      tick(n_head > 6 ? `${block}` : `block ${block}`);
      return Array.from({ length: n_head }, (__, head) => {
        const button = live.add(grid, "button", { type: "button", "aria-label": `block ${block}, head ${head}`, "data-lm-suppress-shortcuts": true });
        live.add(button, "canvas", { "aria-hidden": true });
        button.addEventListener("click", () => change({ block, head }));
        button.addEventListener("keydown", (event) => {
          const by = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
          if (!by || event.altKey || event.ctrlKey || event.metaKey) return;
          event.preventDefault();
          const there = buttons[block + by[0]]?.[head + by[1]];
          if (!there) return;
          change({ block: block + by[0], head: head + by[1] });
          there.focus();
        });
        return button;
      });
    });
    return (maps, block, head, colour, off) => buttons.forEach((row, b) => row.forEach((button, h) => {
      const chosen = b === block && h === head, without = Boolean(off?.[b][h]);
      button.classList.toggle("off", without);
      live.set(button, { "aria-label": `block ${b}, head ${h}${without ? ", off" : ""}`, "aria-pressed": chosen, tabindex: chosen || (block === null && !b && !h) ? 0 : -1 });
      live.paint(button.firstChild, maps[b][h], colour);
    }));
  };
})();
