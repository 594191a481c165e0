// What the live explorers share: elements, handles, softmax, and one drawing a frame after any
// number of changes.
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

  // Draws now, and after each change of the model's state; returns what ends it.
  live.follow = (model, draw) => {
    let waiting = 0;
    model.on("change:state", () => {
      waiting ||= requestAnimationFrame(() => { waiting = 0; draw(); });
    });
    draw();
    return () => cancelAnimationFrame(waiting);
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
      const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowDown: [0, -1], ArrowUp: [0, 1] };
      if (!(event.key in arrows) || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      event.stopPropagation(); // a book or a deck would turn the page
      by(arrows[event.key], event.shiftKey);
      done();
    });
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
