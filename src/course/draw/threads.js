// Threads: who hears whom. Drag a query among the keys: the threads are its weights, the row of
// the map glows, and the mix moves within the hull of the values. The only state is the model's.
(() => {
  "use strict";
  const { add, follow, handle, step, weigh } = globalThis.courseLive;
  const SIZE = 360, EDGE = 26; // of a plane, in its own units, which are pixels on a phone
  const DEGREE = Math.PI / 180;

  // ---------------------------------------------------------------- attention, in 2-D

  const dot = (a, b) => a[0] * b[0] + a[1] * b[1];

  function attend({ queries, keys, values, scaled, causal }) {
    const scores = queries.map((q, t) => keys.map((k, j) =>
      causal && j > t ? -Infinity : dot(q, k) / (scaled ? Math.SQRT2 : 1)));
    const weights = scores.map(weigh);
    const mix = weights.map((row) =>
      [0, 1].map((c) => row.reduce((sum, w, j) => sum + w * values[j][c], 0)));
    return { scores, weights, mix };
  }

  // One step against the gradient of -ln of a weight, on the matrices that make queries and keys of x:
  // `gram` is x xᵀ, for an arrow moves as far as its word's x is like those that the gradient holds.
  function stepped({ queries, keys, scaled, row, target, gram, rate }, weights) {
    const slopes = weights[row].map((w, j) => (w - (j === target)) / (scaled ? Math.SQRT2 : 1));
    const along = (vectors, c) => slopes.reduce((sum, slope, j) => sum + slope * vectors[j][c], 0);
    return {
      queries: queries.map((q, t) => q.map((x, c) => x - rate * gram[t][row] * along(keys, c))),
      keys: keys.map((k, t) => k.map((x, c) => x - rate * along(gram, t) * queries[row][c])),
    };
  }

  function hull(points) {
    const half = (sorted) => sorted.reduce((found, p) => {
      for (;;) {
        const [a, b] = found.slice(-2);
        if (!b || (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0) break;
        found.pop();
      }
      return [...found, p];
    }, []).slice(0, -1);
    const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    return points.length < 2 ? points : [...half(sorted), ...half(sorted.reverse())];
  }

  // ---------------------------------------------------------------- drawing

  // A plane around a centre: places on it, and the shapes that stand there.
  function plane(parent, [cx, cy], reach, label) {
    const svg = add(parent, "svg", { viewBox: `0 0 ${SIZE} ${SIZE}`, role: "group", "aria-label": label });
    const unit = (SIZE / 2 - EDGE) / reach;
    const at = ([x, y]) => [SIZE / 2 + (x - cx) * unit, SIZE / 2 - (y - cy) * unit];
    const [left, top] = at([0, 0]).map((origin) => Math.min(SIZE, Math.max(0, origin)));
    add(svg, "path", { class: "axes", d: `M0 ${top}H${SIZE}M${left} 0V${SIZE}` });
    for (const n of [-2, -1, 1, 2, 3, 4].map((n) => (reach > 1 ? n : n / 4))) {
      const [x, y] = at([n, n]);
      if (x > EDGE && x < SIZE) add(svg, "text", { class: "tick", x, y: top - 4 }, `${n}`);
      if (y > EDGE && y < SIZE - EDGE) add(svg, "text", { class: "tick", x: left + 14, y: y + 4 }, `${n}`);
    }
    return {
      svg, at,
      from: ([right, down]) => [cx + (right - 0.5) * SIZE / unit, cy + (0.5 - down) * SIZE / unit],
      shape: (kind) => add(svg, "path", { class: kind }),
      arrow: (path, tip, width) => {
        const [x, y] = at(tip), [x0, y0] = at([0, 0]), [dx, dy] = [x - x0, y - y0];
        const length = Math.hypot(dx, dy) || 1, head = Math.min(4 + 2 * width, length);
        const [ux, uy] = [dx / length, dy / length], [bx, by] = [x - head * ux, y - head * uy];
        path.setAttribute("stroke-width", width);
        path.setAttribute("d", `M${x0} ${y0}L${bx} ${by}M${x} ${y}L${
          bx - head / 2 * uy} ${by + head / 2 * ux}L${bx + head / 2 * uy} ${by - head / 2 * ux}Z`);
      },
      line: (path, a, b, width) => {
        path.setAttribute("d", width ? `M${at(a)}L${at(b)}` : "");
        path.setAttribute("stroke-width", width);
      },
    };
  }

  // Words beside their points, on the outer side, pushed apart; a line leads to one that was moved.
  function labels({ svg, at }, points, words) {
    const made = [];
    for (const side of [-1, 1]) {
      const those = words.map((word, j) => ({ word, j, place: at(points[j]) }))
        .filter(({ place: [x] }) => (x < SIZE / 2) === (side < 0))
        .sort((a, b) => a.place[1] - b.place[1]);
      let last = -Infinity;
      for (const { word, j, place: [x, y] } of those) {
        const wanted = y + (y > SIZE / 2 ? 6 : -6);
        const put = last = Math.max(wanted, last + 17);
        const far = put - wanted > 8 ? 26 : 9;
        const group = made[j] = add(svg, "g", { class: "word" });
        if (far > 9) add(group, "path", { class: "lead", d: `M${x} ${y}L${x + side * (far - 3)} ${put}` });
        add(group, "text", {
          x: x + side * far, y: put + 4.5, "text-anchor": side < 0 ? "end" : "start",
        }, word);
      }
    }
    return made;
  }

  // ---------------------------------------------------------------- the explorer

  function render({ model, el }) {
    const { words, rows, queries: first, keys, values, reach, controls, gram } = model.get("state");
    const apart = JSON.stringify(keys) !== JSON.stringify(values);
    const whose = (t) => (rows.length > 1 ? `the query of '${rows[t]}'` : "the query");
    el.classList.add("course-live", "course-threads");
    el.dataset.preventSwipe = ""; // on a slide, the finger moves the query

    const planes = add(el, "div", { class: "planes" });
    const panel = (kinds, centre, size, label) => {
      const box = add(planes, "div", { class: "plane" });
      const legend = add(box, "p", { class: "legend" });
      for (const [kind, name] of kinds) add(legend, "span", { class: kind }, name);
      return plane(box, centre, size, label);
    };
    const asks = [["query", "query"], ["key", "keys"]], context = [["mix", "context"]];
    const left = panel(apart ? asks : [...asks, ...context], [0, 0], reach, "queries and keys");
    const spans = [0, 1].map((c) => values.map((v) => v[c])).map((x) => [Math.min(...x), Math.max(...x)]);
    const right = apart && panel(
      [["value", "values"], ...context], spans.map(([low, high]) => (low + high) / 2),
      0.55 * Math.max(...spans.map(([low, high]) => high - low)), "values and their mix");
    const mixed = right || left;
    const area = mixed.shape("hull");
    const threads = words.map(() => left.shape("thread"));
    const pulls = words.map(() => (right ? right.shape("pull") : null));
    const others = rows.map(() => left.shape("query other"));
    const keyArrows = keys.map(() => left.shape("key"));
    const dots = right ? values.map((value) => {
      const [cx, cy] = right.at(value);
      return add(right.svg, "circle", { class: "value", cx, cy, r: 4 });
    }) : [];
    const layer = { svg: add(left.svg, "g"), at: left.at };
    const named = [[], right ? labels(right, values, words) : []];
    const blend = add(mixed.svg, "circle", { class: "mix", r: 7 });
    const queryArrow = left.shape("query");
    const tip = add(left.svg, "g", {
      class: "handle", role: "slider", "aria-valuemin": 0, "aria-valuemax": 359,
    });
    add(tip, "circle", { class: "reach", r: 26 });
    add(tip, "circle", { class: "grip", r: 9 });
    add(planes.firstChild, "p", { class: "help" },
      "Drag the blue circle. Or focus it: \u2190 \u2192 turn it, \u2191 \u2193 stretch it, with Shift in small steps.");

    const side = add(el, "div", { class: "side" });
    const table = add(side, "table");
    add(table, "caption", {}, "Weights: a row for each query, a column for each key");
    const head = add(add(table, "thead"), "tr");
    add(head, "td");
    for (const word of words) add(head, "th", { scope: "col" }, word);
    const body = add(table, "tbody");
    const line = (name) => {
      const tr = add(body, "tr"), th = add(tr, "th", { scope: "row" });
      return { tr, th, name, cells: words.map(() => add(tr, "td")) };
    };
    const map = rows.map(line);
    const buttons = map.map(({ th, name }, t) => {
      if (rows.length < 2) return th.append(name);
      const button = add(th, "button", { type: "button", "aria-label": `hold ${whose(t)}` }, name);
      button.addEventListener("click", () => { change({ row: t }); model.save_changes(); });
      return button;
    });
    const scored = line("");
    scored.tr.className = "scores";
    const tell = add(side, "div", { class: "tell" });
    const boxes = Object.entries(controls).map(([name, says]) => {
      const label = add(tell, "label"), box = add(label, "input", { type: "checkbox" });
      label.append(says);
      box.addEventListener("change", () => { change({ [name]: box.checked }); model.save_changes(); });
      return [name, box];
    });
    const learn = gram && learner(add(tell, "p", { class: "top" }));
    const says = add(tell, "p", { class: "says", role: "status", "aria-live": "polite" });

    // A button that takes a gradient step for a larger weight of the word that is chosen.
    function learner(parent) {
      const go = add(parent, "button", { type: "button" }, "one gradient step");
      parent.append(" for a larger weight of ");
      const choice = add(parent, "select", { "aria-label": "the word whose weight shall grow" });
      words.forEach((word, value) => add(choice, "option", { value }, word));
      parent.append(" ");
      const again = add(parent, "button", { type: "button" }, "start again");
      const put = (part) => { change(part); model.save_changes(); };
      choice.addEventListener("change", () => put({ target: Number(choice.value) }));
      again.addEventListener("click", () => put({ queries: first, keys }));
      go.addEventListener("click", () => put(stepped(model.get("state"), attend(model.get("state")).weights)));
      return (state, weights) => {
        const { queries, keys } = stepped(state, weights);
        choice.value = state.target;
        go.disabled = !weights[state.row][state.target]
          || [...queries, ...keys].some((arrow) => Math.hypot(...arrow) > reach); // off the plane
        const word = words[state.target], weight = weights[state.row][state.target];
        return weight ? ` The loss, \u2212ln of the weight of '${word}', is ${(-Math.log(weight)).toFixed(4)}.`
          : ` '${word}' can't be heard: its cell is closed.`;
      };
    }

    let angle = 0; // of the last query that had one
    let placed = ""; // the keys as they were drawn last
    function draw() {
      const state = model.get("state"), { queries, causal, row } = state;
      const { scores, weights, mix } = attend(state);
      const open = words.map((_, j) => !causal || j <= row);
      if (placed !== JSON.stringify(state.keys)) {
        placed = JSON.stringify(state.keys);
        state.keys.forEach((key, j) => left.arrow(keyArrows[j], key, 2));
        layer.svg.replaceChildren();
        named[0] = labels(layer, state.keys, words);
      }
      const query = queries[row], length = Math.hypot(...query);
      if (length) angle = ((Math.atan2(query[1], query[0]) / DEGREE) + 360) % 360;
      left.line(queryArrow, [0, 0], query, 4);
      tip.setAttribute("transform", `translate(${left.at(query)})`);
      tip.setAttribute("aria-label", whose(row));
      tip.setAttribute("aria-valuenow", Math.round(angle) % 360);
      tip.setAttribute("aria-valuetext",
        `${Math.round(angle) % 360} degrees, length ${length.toFixed(2)}`);
      others.forEach((path, t) => {
        path.style.display = t === row ? "none" : "";
        if (t !== row) left.arrow(path, queries[t], 1.5);
      });
      words.forEach((_, j) => {
        const w = weights[row][j];
        left.line(threads[j], query, state.keys[j], open[j] ? 0.6 + 22 * w : 0);
        if (right) right.line(pulls[j], mix[row], values[j], open[j] ? 0.6 + 22 * w : 0);
        for (const part of [keyArrows[j], dots[j], named[0][j], named[1][j]]) {
          part?.classList.toggle("closed", !open[j]);
        }
      });
      const corners = hull(values.filter((_, j) => open[j])).map(mixed.at);
      area.setAttribute("d", `M${corners.join("L")}Z`);
      blend.setAttribute("transform", `translate(${mixed.at(mix[row])})`);
      blend.dataset.value = JSON.stringify(mix[row]);
      map.forEach(({ tr, cells }, t) => {
        tr.classList.toggle("held", t === row);
        buttons[t]?.setAttribute("aria-pressed", t === row);
        cells.forEach((cell, j) => {
          const shut = causal && j > t;
          if (cell.dataset.value === `${weights[t][j]}`) return; // a drag changes one row
          cell.textContent = shut ? "\u2013" : weights[t][j].toFixed(2);
          cell.dataset.value = weights[t][j];
          cell.style.setProperty("--weight", weights[t][j]);
        });
      });
      scored.th.textContent = "scores";
      scored.cells.forEach((cell, j) => {
        cell.textContent = open[j] ? scores[row][j].toFixed(2) : "\u2013";
      });
      for (const [name, box] of boxes) box.checked = state[name];
      says.textContent = sentence(words, open, weights[row], mix[row], whose(row), length, angle)
        + (learn ? learn(state, weights) : "");
    }

    const change = (part) => model.set("state", { ...model.get("state"), ...part });
    const put = (query) => {
      const { queries, row } = model.get("state"), far = Math.max(1, Math.hypot(...query) / reach);
      change({ queries: queries.with(row, query.map((x) => x / far)) });
    };
    handle(tip, left.svg, says, {
      to: (place) => put(left.from(place)),
      by: ([right, up], fine) => {
        const { queries, row } = model.get("state");
        angle = step(angle, right, fine ? 1 : 5);
        const length = Math.max(0, step(Math.hypot(...queries[row]), up, fine ? 0.01 : 0.1));
        put([length * Math.cos(angle * DEGREE), length * Math.sin(angle * DEGREE)]);
      },
      done: () => model.save_changes(),
    });
    return follow(model, draw);
  }

  // What the picture shows, in words.
  function sentence(words, open, weights, mix, whose, length, angle) {
    const allowed = words.map((_, j) => j).filter((j) => open[j]);
    const [best, ...rest] = [...allowed].sort((a, b) => weights[b] - weights[a]);
    const told = (j) => `'${words[j]}', weight ${weights[j].toFixed(4)}`;
    const place = `${whose} at ${Math.round(angle) % 360}\u00b0 with length ${length.toFixed(2)}`;
    const heard = !rest.length ? `${place} may listen only to ${told(best)}`
      : !length ? `a query of length 0 asks nothing: every weight is ${weights[best].toFixed(4)}`
      : `${place} listens most to ${told(best)}, and least to ${told(rest.at(-1))}`;
    const context = mix.map((x) => x.toFixed(4)).join(", ");
    return `Among ${allowed.length} arrows ${heard}. The context is [${context}].`;
  }

  globalThis.courseLive.threads = { render };
})();
