// What the pages of a GPT share: its heads as small maps, a row of them for each block, of which a press
// chooses one; its guesses as bars; and a field for a text.
(() => {
  "use strict";
  const live = globalThis.courseLive;

  live.sign = (token) => ({ " ": "\u2423", "\n": "\u21b5" }[token] ?? token);

  // A map as an image of one pixel a cell, blank where it is the future.
  live.paint = (canvas, rows, [red, green, blue]) => {
    const T = rows.length, pen = canvas.getContext("2d");
    canvas.width = canvas.height = Math.max(1, T);
    if (!T) return;
    const image = pen.createImageData(T, T), { data } = image;
    rows.forEach((row, t) => {
      for (let s = 0, at = 4 * t * T; s < row.length; s += 1, at += 4) { // no list for each cell: a story has 100,000
        data[at] = red;
        data[at + 1] = green;
        data[at + 2] = blue;
        data[at + 3] = 255 * live.shade(row[s]);
      }
    });
    pen.putImageData(image, 0, 0);
  };

  live.ink = (el) => { // the colour of a query on this page, as three numbers
    const pen = document.createElement("canvas").getContext("2d");
    pen.fillStyle = getComputedStyle(el).getPropertyValue("--query").trim();
    return [1, 3, 5].map((at) => parseInt(pen.fillStyle.slice(at, at + 2), 16));
  };

  // Returns what draws all maps, with one head pressed or none (null), and some of them crossed out that are
  // off; `change` is told which one a reader presses, and `point` at which cell of which one a pointer is, or at none.
  live.tiles = (parent, { n_layer, n_head }, change, point = () => {}) => {
    const grid = live.add(parent, "div", { class: "grid tiles", role: "group", "aria-label": "heads" });
    const tick = (text) => live.add(grid, "span", { class: "tick" }, text);
    grid.style.setProperty("--heads", n_head);
    tick("");
    for (let head = 0; head < n_head; head += 1) tick(n_head > 6 ? `${head}` : `head ${head}`);
    const buttons = Array.from({ length: n_layer }, (_, block) => {
      tick(n_head > 6 ? `${block}` : `block ${block}`);
      return Array.from({ length: n_head }, (__, head) => {
        const button = live.button(grid, "", () => change({ block, head }), { "aria-label": `block ${block}, head ${head}` });
        live.add(button, "canvas", { "aria-hidden": true });
        button.addEventListener("keydown", (event) => {
          const [right, down] = live.arrow(event) ?? [0, 0], there = buttons[block + down]?.[head + right];
          if (!there || there === button) return;
          change({ block: block + down, head: head + right });
          there.focus();
        });
        button.addEventListener("pointermove", ({ clientX, clientY }) => {
          const { left, top, width, height } = button.getBoundingClientRect(), T = button.firstChild.width;
          const [to, from] = [(clientX - left) / width, (clientY - top) / height].map((share) => Math.floor(share * T));
          point(to >= 0 && to <= from && from < T ? { from, to, block, head } : null);
        });
        button.addEventListener("pointerleave", () => point(null));
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

  // The n most probable tokens as bars; returns what draws them, which is given how each token is called
  // and returns their ids. Of no chances all are blank.
  live.guesses = (parent, caption, n, called) => {
    const { made, rows } = live.table(parent, caption, ["probability"], Array.from({ length: n }, () => ""));
    made.classList.add("next");
    return (chances) => {
      const likely = chances.map((_, id) => id).sort((a, b) => chances[b] - chances[a]);
      return rows.map(({ tr, th, cells: [td] }, place) => {
        const id = likely[place], chance = chances[id] ?? 0, tiny = chance < 0.0005;
        live.set(th, {}, id === undefined ? "\u2013" : called(id));
        live.fill(td, chance, id === undefined ? "\u2013" : tiny ? "< 0.1 %" : `${(100 * chance).toFixed(1)} %`);
        return { tr, id, chance };
      });
    };
  };

  // A field for a text, in an explorer that else leaves its keys to the page: Escape gives them back.
  live.textField = (el, parent, rows, change) => {
    const field = live.add(parent, "textarea", {
      rows, spellcheck: false, autocomplete: "off", autocapitalize: "off", "data-lm-suppress-shortcuts": true,
    });
    field.addEventListener("input", () => change({ text: field.value }));
    el.addEventListener("keydown", (event) => {
      if (event.target === field || event.key.startsWith("Arrow")) event.stopPropagation(); // the page would turn
      if (event.key === "Escape") field.blur();
    });
    return field;
  };
})();
