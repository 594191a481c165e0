// The mask painter: open and close cells by pointer or keys; the weights follow, and the table of
// who notices whose change.
(() => {
  "use strict";
  const { add, arrow, button, fill, follow, group, hands, set, shade, table, times, voice, weigh } = globalThis.courseLive;
  const LEAK = 1e-5; // a smaller change is rounding

  // As in torch, a row that may not look at any word is 0 / 0: nan.
  function attend(x, { W_q, W_k, W_v, mask }) {
    const [q, k, v] = [W_q, W_k, W_v].map((W) => times(x, W)), root = Math.sqrt(q[0].length);
    const weights = q.map((query, i) => weigh(k.map((key, j) =>
      mask[i][j] ? query.reduce((sum, value, c) => sum + value * key[c], 0) / root : -Infinity)));
    return { weights, out: times(weights, v) };
  }

  // Row i, column j: the largest change of output i when word j becomes 1 minus itself.
  function ripples(state) {
    const { x } = state, { out } = attend(x, state);
    const columns = x.map((word, j) => {
      const changed = attend(x.with(j, word.map((value) => 1 - value)), state).out;
      return out.map((row, i) => Math.max(...row.map((value, c) => Math.abs(changed[i][c] - value))));
    });
    return x.map((_, i) => columns.map((column) => column[i]));
  }

  // ---------------------------------------------------------------- the explorer

  function render({ model, el }) {
    const { words, presets } = model.get("state");
    el.classList.add("course-live", "course-mask");
    el.dataset.preventSwipe = ""; // on a slide, the finger paints
    const { change, done, keep } = hands(model), choices = group(el, "masks");
    const buttons = Object.entries(presets).map(([name, mask]) => (
      [button(choices, name, () => keep({ mask })), JSON.stringify(mask)]));
    const left = table(el, "Weights: click or paint a cell to open or close it", words);
    add(left.head, "th", { scope: "col" }, "sum");
    const sums = left.rows.map(({ tr }) => add(tr, "td"));
    const cells = left.rows.map(({ cells }, i) => cells.map((td, j) => add(td, "button", {
      type: "button", "data-cell": `${i} ${j}`, tabindex: i || j ? -1 : 0, "data-lm-suppress-shortcuts": true,
    })));
    const right = table(el, "Who notices? Row: an output. Column: the word that changed", words);
    const says = voice(el);

    const paint = (i, j, open) => {
      const { mask } = model.get("state");
      if (mask[i][j] !== open) change({ mask: mask.with(i, mask[i].with(j, open)) });
    };
    const at = (node) => node?.closest?.("[data-cell]")?.dataset.cell.split(" ").map(Number);
    let brush = null; // open or close, while the pointer is down
    left.made.addEventListener("pointerdown", (event) => {
      const place = at(event.target);
      if (!place || event.button) return;
      const [i, j] = place;
      event.target.releasePointerCapture?.(event.pointerId); // a finger would hold the first cell
      brush = !model.get("state").mask[i][j];
      paint(i, j, brush);
    });
    left.made.addEventListener("pointermove", (event) => {
      const place = brush !== null && at(document.elementFromPoint(event.clientX, event.clientY));
      if (place) paint(...place, brush);
    });
    for (const end of ["pointerup", "pointercancel"]) {
      left.made.ownerDocument.addEventListener(end, () => {
        if (brush !== null) done();
        brush = null;
      });
    }
    left.made.addEventListener("click", (event) => {
      const place = at(event.target);
      if (!place || event.detail) return; // a pointer has painted already
      paint(...place, !model.get("state").mask[place[0]][place[1]]);
      done();
    });
    left.made.addEventListener("keydown", (event) => {
      const place = at(event.target), by = place && arrow(event);
      if (!by) return;
      const [i, j] = place.map((n, axis) => Math.max(0, Math.min(words.length - 1, n + by[1 - axis])));
      event.target.tabIndex = -1;
      cells[i][j].tabIndex = 0;
      cells[i][j].focus();
    });

    function draw() {
      const state = model.get("state"), { mask } = state;
      const { weights } = attend(state.x, state), moves = ripples(state);
      for (const [button, preset] of buttons) {
        set(button, { "aria-pressed": preset === JSON.stringify(mask) });
      }
      cells.forEach((row, i) => {
        row.forEach((button, j) => {
          const open = mask[i][j], weight = weights[i][j];
          set(button, {
            "aria-pressed": open, "aria-label": `'${words[i]}' may look at '${words[j]}'`,
            "data-value": weight,
          }, open || Number.isNaN(weight) ? weight.toFixed(2).replace("NaN", "nan") : "\u2013");
          button.classList.toggle("wrong", open && j > i);
          button.parentElement.style.setProperty("--weight", shade(weight));
          const cell = right.rows[i].cells[j], moved = moves[i][j];
          fill(cell, moved, moved.toFixed(2).replace("NaN", "nan"), shade(Math.min(1, 2 * moved)));
          cell.classList.toggle("wrong", j > i && moved > LEAK);
        });
        const sum = weights[i].reduce((a, b) => a + b);
        set(sums[i], { "data-value": sum }, sum.toFixed(2).replace("NaN", "nan"));
      });
      says.textContent = sentence(words, mask, moves);
    }
    return follow(model, draw);
  }

  // What the tables show, in words.
  function sentence(words, mask, moves) {
    const all = mask.flatMap((row, i) => row.map((open, j) => ({ open, i, j, moved: moves[i][j] })));
    const open = all.filter((cell) => cell.open), names = (found) => found.map((word) => `'${word}'`).join(" and ");
    const blind = words.filter((_, i) => !mask[i].includes(true));
    const leaks = all.filter(({ i, j, moved }) => j > i && moved > LEAK);
    const most = leaks.reduce((a, b) => (b.moved > a.moved ? b : a), leaks[0]);
    const lost = words.filter((_, i) => moves[i].some(Number.isNaN));
    return `The mask has ${open.length} of ${all.length} cells open, ${open.filter(({ i, j }) => j > i).length} of them in the future`
      + (blind.length ? `, and no open cell for ${names(blind)}. ` : ". ")
      + (most ? `The future leaks into ${leaks.length} cell${leaks.length > 1 ? "s" : ""}. The largest leak is `
        + `${most.moved.toFixed(4)}, in the output of '${words[most.i]}' when '${words[most.j]}' changes` : "No output notices its future")
      + (lost.length ? `; the output of ${names(lost)} is nan.` : ".");
  }

  globalThis.courseLive.mask = { render };
})();
