// What the live explorers share: elements, buttons, tables, handles, keys, softmax, and one drawing a
// frame after any number of changes.
(() => {
  "use strict";
  const live = (globalThis.courseLive ??= {});

  live.add = (parent, name, attributes = {}, text = "") => {
    const space = parent.namespaceURI.endsWith("svg") || name === "svg"
      ? "http://www.w3.org/2000/svg" : "http://www.w3.org/1999/xhtml";
    const made = document.createElementNS(space, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.textContent = text;
    parent.append(made);
    return made;
  };

  // Writes what has changed, and nothing else: an equal text would be laid out again.
  live.set = (element, attributes, text) => {
    for (const [key, value] of Object.entries(attributes)) {
      if (element.getAttribute(key) !== `${value}`) element.setAttribute(key, value);
    }
    if (text !== undefined && element.textContent !== text) element.textContent = text;
  };

  // A button, and what a press on it does.
  live.button = (parent, text, press, attributes = {}) => {
    const made = live.add(parent, "button", { type: "button", "data-lm-suppress-shortcuts": true, ...attributes }, text);
    made.addEventListener("click", press);
    return made;
  };

  // A row of buttons, and where the sentence stands.
  live.group = (parent, says) => live.add(parent, "div", { class: "presets", role: "group", "aria-label": says });
  live.voice = (parent, kind = "p") => live.add(parent, kind, { class: "says", role: "status", "aria-live": "polite" });

  // What a hand does to the state: `change` draws it, `done` tells it to the kernel, `keep` does both.
  live.hands = (model) => {
    const change = (part) => model.set("state", { ...model.get("state"), ...part });
    const done = () => model.save_changes();
    return { change, done, keep: (part) => { change(part); done(); } };
  };

  // Draws now, and after each change of the model's state, or of the size of a box and the page's theme;
  // returns what ends it.
  live.follow = (model, draw, box) => {
    let waiting = 0;
    const later = () => { waiting ||= requestAnimationFrame(() => { waiting = 0; draw(); }); };
    // A page that changes its theme may have taken the explorer out for a moment, where nothing has a place.
    const size = new ResizeObserver(draw), theme = new MutationObserver(later);
    model.on("change:state", later);
    draw();
    if (box) size.observe(box);
    for (const each of box ? [document.documentElement, document.body] : []) {
      theme.observe(each, { attributeFilter: ["class", "data-jp-theme-light"] });
    }
    return () => { cancelAnimationFrame(waiting); size.disconnect(); theme.disconnect(); };
  };

  // A handle that pointer, finger and keys move: `to` gets where the pointer is, as shares of `box`
  // from its upper left corner; `by` gets which arrow keys, as [right, up], and whether with Shift.
  live.handle = (handle, box, says, { to, by, done }) => {
    handle.setAttribute("tabindex", 0);
    handle.dataset.lmSuppressShortcuts = "true"; // else JupyterLab takes the arrow keys
    handle.addEventListener("pointerdown", (event) => {
      handle.setPointerCapture(event.pointerId);
      handle.focus({ preventScroll: true });
      says.setAttribute("aria-busy", true); // read out where the hand stops
      event.preventDefault();
    });
    // The finger moves the handle, not the page: touch-action on parts of an SVG doesn't hold it.
    handle.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false });
    handle.addEventListener("pointermove", (event) => {
      if (!handle.hasPointerCapture(event.pointerId)) return;
      const { left, top, width, height } = box.getBoundingClientRect(); // as seen, on a slide too
      to([(event.clientX - left) / width, (event.clientY - top) / height]);
    });
    handle.addEventListener("lostpointercapture", () => {
      says.removeAttribute("aria-busy");
      done();
    });
    handle.addEventListener("keydown", (event) => {
      const arrow = live.arrow(event);
      if (!arrow) return;
      by([arrow[0], -arrow[1]], event.shiftKey);
      done();
    });
  };

  // Where an arrow key leads, as [right, down]; the page doesn't get it. Any other key leads nowhere.
  live.arrow = (event) => {
    const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!by || event.altKey || event.ctrlKey || event.metaKey) return null;
    event.preventDefault();
    event.stopPropagation(); // a book or a deck would turn the page
    return by;
  };

  // Softmax; as in torch, nan where every score is -Infinity.
  live.weigh = (scores) => {
    const most = Math.max(...scores), shares = scores.map((score) => Math.exp(score - most));
    const sum = shares.reduce((a, b) => a + b);
    return shares.map((share) => share / sum);
  };

  // How deep the colour of a weight is: its square root, as in `roots` of picture.py.
  live.shade = (weight) => Math.sqrt(weight || 0);

  // The product of two matrices.
  live.times = (a, b) => a.map((row) =>
    b[0].map((_, c) => row.reduce((sum, value, k) => sum + value * b[k][c], 0)));

  // A table with a column for each word and a row for each name; its cells are empty.
  live.table = (parent, caption, words, names = words) => {
    const made = live.add(parent, "table");
    live.add(made, "caption", {}, caption);
    const head = live.add(live.add(made, "thead"), "tr"), body = live.add(made, "tbody");
    live.add(head, "td");
    for (const word of words) live.add(head, "th", { scope: "col" }, word);
    const rows = names.map((name) => {
      const tr = live.add(body, "tr"), th = live.add(tr, "th", { scope: "row" }, name);
      return { tr, th, cells: words.map(() => live.add(tr, "td")) };
    });
    return { made, head, rows };
  };

  // A cell's number, as it is shown, and how strong its colour is.
  live.fill = (cell, value, text, weight = value) => {
    live.set(cell, { "data-value": value }, text);
    cell.style.setProperty("--weight", weight);
  };

  // A slider with its number; returns what sets both.
  live.slider = (parent, says, attributes, change, done) => {
    const label = live.add(parent, "label", { class: "slide" }, says);
    const output = live.add(label, "span"); // an output would be what the label names
    const input = live.add(label, "input", {
      type: "range", "aria-label": says, min: 0, step: 1, ...attributes,
      "data-lm-suppress-shortcuts": true,
    });
    input.addEventListener("input", () => change(Number(input.value)));
    input.addEventListener("change", done);
    return (value, text) => {
      input.value = value;
      live.set(input, { "aria-valuetext": text });
      live.set(output, {}, text);
    };
  };

  // The next or last multiple of a step; a value between two goes to the nearer one first.
  live.step = (value, by, size) => (by ? (Math.round(value / size) + by) * size : value);
})();
