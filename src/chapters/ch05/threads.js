// Threads: who hears whom. Drag a query among the keys: the threads are its weights, the row of
// the map glows, and the mix moves within the hull of the values. The only state is the model's. With
// a `mask` its cells open and close, before softmax or `late`, and what is dragged is a word, `pulled`;
// with `two` there may be two heads. With `ground` the plane may be shaded by who would win there, and every
// word can be dragged, unless a gradient step moves them.
// Needs plane.
(() => {
  "use strict";
  const { add, button, follow, handle, hands, hull, labels, lettering, plane, set, shade, step, table, voice, weigh, within } = globalThis.courseLive;
  const DEGREE = Math.PI / 180;
  const turn = ([x, y]) => (Math.atan2(y, x) / DEGREE + 360) % 360;

  // ---------------------------------------------------------------- attention, in 2-D

  // Row n belongs to query n, or, where there may be two heads, to channel n of the only query's context.
  function attend({ queries, keys, values, scaled, causal, mask, late, two }) {
    const channels = two !== undefined;
    const open = (n, j) => (mask ? mask[n][j] : !causal || j <= n);
    const scores = (channels ? [0, 1] : queries).map((_, n) => {
      const query = queries[channels ? 0 : n], part = two ? [n] : [0, 1]; // that this head compares
      return keys.map((key) => part.reduce((sum, c) => sum + query[c] * key[c], 0)
        / (scaled ? Math.sqrt(part.length) : 1));
    });
    const shut = (row, n, closed) => row.map((value, j) => (open(n, j) ? value : closed));
    const weights = scores.map((row, n) => (late ? shut(weigh(row), n, 0) : weigh(shut(row, n, -Infinity))));
    const mix = queries.map((_, t) => [0, 1].map((c) =>
      weights[channels ? c : t].reduce((sum, w, j) => sum + w * values[j][c], 0)));
    return { scores, weights, mix, open };
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

  // The ground from which a query would give each of these keys the largest score: none, or a sector.
  // Each ends at the frame, whose corners are at whole degrees.
  function grounds(keys, open, { at, half }) {
    const edge = (degree) => {
      const [x, y] = [Math.cos(degree * DEGREE), Math.sin(degree * DEGREE)], far = half / Math.max(Math.abs(x), Math.abs(y));
      return at([far * x, far * y]);
    };
    const paths = keys.map(() => ""), winners = Array.from({ length: 360 }, (_, degree) => {
      const x = Math.cos((degree + 0.5) * DEGREE), y = Math.sin((degree + 0.5) * DEGREE);
      const scores = keys.map((key, j) => (open[j] ? key[0] * x + key[1] * y : -Infinity));
      return scores.indexOf(Math.max(...scores));
    });
    const first = Math.max(0, winners.findIndex((winner, degree) => winner !== winners.at(degree - 1)));
    for (let degree = first, last = -1; degree < first + 360; degree++) {
      const winner = winners[degree % 360];
      paths[winner] += (winner === last ? "" : `M${at([0, 0])}L${edge(degree)}`) + `L${edge(degree + 1)}`;
      last = winner;
    }
    return paths;
  }

  // ---------------------------------------------------------------- the explorer

  function render({ model, el }) {
    const { words, rows, queries: first, keys, values, reach, controls, gram, mask, two, pulled } = model.get("state");
    const shaded = "ground" in controls, free = shaded && !gram; // gram: all words share what makes their keys
    const apart = JSON.stringify(keys) !== JSON.stringify(values), channels = two !== undefined;
    const whose = (t) => (first.length > 1 ? `the query of '${words[t]}'` : "the query");
    const { change, done, keep } = hands(model);
    el.classList.add("course-live", "course-threads");
    el.dataset.preventSwipe = ""; // on a slide, the finger moves the query

    const planes = add(el, "div", { class: "planes" });
    const panel = (kinds, centre, size, label) => {
      const box = add(planes, "div", { class: "plane" });
      const legend = add(box, "p", { class: "legend" });
      for (const [kind, name] of kinds) add(legend, "span", { class: kind }, name);
      return plane(box, centre, size, label);
    };
    const asks = [["query", channels ? "query, head 0" : "query"], ["key", "keys"]], context = [["mix", "context"]];
    if (channels) asks.splice(1, 0, ["second", "head 1"]);
    const left = panel(apart ? asks : [...asks, ...context], [0, 0], reach, "queries and keys");
    const spans = [0, 1].map((c) => values.map((v) => v[c])).map((x) => [Math.min(...x), Math.max(...x)]);
    const right = apart && panel(
      [["value", "values"], ...context], spans.map(([low, high]) => (low + high) / 2),
      0.55 * Math.max(...spans.map(([low, high]) => high - low)), "values and their mix");
    const mixed = right || left;
    const ground = shaded ? words.map(() => left.shape("ground")) : [];
    const area = mixed.shape("hull");
    const threads = words.map(() => left.shape("thread"));
    const second = channels ? words.map(() => left.shape("thread second")) : [];
    const pulls = words.map(() => (right ? right.shape("pull") : null));
    const others = first.map(() => left.shape("query other"));
    const parts = channels ? [left.shape("query"), left.shape("query second")] : [];
    const keyArrows = keys.map(() => left.shape("key"));
    const dots = right ? values.map((value) => {
      const [cx, cy] = right.at(value);
      return add(right.svg, "circle", { class: "value", cx, cy, r: 4 });
    }) : [];
    const layers = [left, ...(right ? [right] : [])].map(({ svg, at }) => ({ svg: add(svg, "g"), at }));
    const named = [[], []]; // the words beside the keys, and beside the values
    const blend = add(mixed.svg, "circle", { class: "mix", r: 7 });
    const queryArrow = left.shape("query");
    const tip = add(left.svg, "g", {
      class: pulled === undefined ? "handle" : "handle pulls", role: "slider", "aria-valuemin": 0, "aria-valuemax": 359,
    });
    add(tip, "circle", { class: "reach", r: 26 });
    add(tip, "circle", { class: "grip", r: 9 });
    const tips = free ? words.map((word) => {
      const made = add(left.svg, "g", {
        class: "handle pulls", role: "slider", "aria-valuemin": 0, "aria-valuemax": 359, "aria-label": `the arrow of '${word}'`,
      });
      add(made, "circle", { class: "reach", r: 14 });
      add(made, "circle", { class: "grip", r: 5 });
      return made;
    }) : [];
    add(planes.firstChild, "p", { class: "help" },
      `Drag the ${pulled === undefined ? "blue" : "orange"} circle${free ? ", or a word's" : ""}. Or focus ${free ? "one" : "it"}: `
      + "\u2190 \u2192 turn it, \u2191 \u2193 stretch it, with Shift in small steps.");

    const side = add(el, "div", { class: "side" });
    const made = table(side, `Weights: a row for each ${channels ? "channel" : "query"}, a column for each key`, words,
      [...rows, ...(channels ? ["scores 0", "scores 1"] : ["scores"])]);
    const scored = made.rows.splice(rows.length), map = made.rows;
    for (const { tr } of scored) tr.className = "scores";
    const buttons = map.map(({ th }, t) => {
      if (first.length < 2) return null;
      th.textContent = "";
      return button(th, rows[t], () => keep({ row: t }), { "aria-label": `hold ${whose(t)}` });
    });
    if (mask) add(made.head, "th", { scope: "col" }, "sum");
    const sums = mask ? map.map(({ tr }) => add(tr, "td")) : [];
    const doors = map.map(({ cells }, t) => cells.map((td, j) => {
      if (!mask) return td;
      return button(td, "", () => {
        const now = model.get("state").mask;
        keep({ row: t, mask: now.with(t, now[t].with(j, !now[t][j])) });
      }, { "data-cell": `${t} ${j}` });
    }));
    const tell = add(side, "div", { class: "tell" });
    const boxes = Object.entries(controls).map(([name, says]) => {
      const label = add(tell, "label"), box = add(label, "input", { type: "checkbox" });
      label.append(says);
      box.addEventListener("change", () => keep({ [name]: box.checked }));
      return [name, box];
    });
    const learn = gram && learner(add(tell, "p", { class: "top" }));
    const says = voice(tell);

    // A button that takes a gradient step for a larger weight of the word that is chosen.
    function learner(parent) {
      const go = button(parent, "one gradient step", () => keep(stepped(model.get("state"), attend(model.get("state")).weights)));
      parent.append(" for a larger weight of ");
      const choice = add(parent, "select", { "aria-label": "the word whose weight shall grow" });
      words.forEach((word, value) => add(choice, "option", { value }, word));
      parent.append(" ");
      button(parent, "start again", () => keep({ queries: first, keys }));
      choice.addEventListener("change", () => keep({ target: Number(choice.value) }));
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

    const facing = { angle: 0 }; // of the last arrow under the hand that had one
    let placed = ""; // the keys as they were drawn last, and the size of their words
    function draw() {
      const state = model.get("state"), { queries, values, late, row } = state;
      const found = attend(state), { scores, weights, mix, open } = found;
      const shown = words.map((_, j) => open(row, j));
      const asDrawn = () => JSON.stringify([state.keys, shown, lettering(layers[0].svg)]);
      if (placed !== asDrawn()) {
        state.keys.forEach((key, j) => left.arrow(keyArrows[j], key, 2));
        const sectors = shaded && grounds(state.keys, shown, left);
        ground.forEach((path, j) => path.setAttribute("d", sectors[j]));
        tips.forEach((each, j) => {
          const degrees = Math.round(turn(state.keys[j])) % 360;
          set(each, {
            transform: `translate(${left.at(state.keys[j])})`, "aria-valuenow": degrees,
            "aria-valuetext": `${degrees} degrees, length ${Math.hypot(...state.keys[j]).toFixed(2)}`,
          });
        });
        layers.forEach((layer, n) => {
          layer.svg.replaceChildren();
          named[n] = labels(layer, n ? values : state.keys, words);
        });
        placed = asDrawn();
      }
      const query = queries[row], hand = queries[pulled ?? row], length = Math.hypot(...hand);
      if (length) facing.angle = turn(hand);
      const degrees = Math.round(facing.angle + 360) % 360;
      left.arrow(queryArrow, query, 4);
      set(tip, {
        transform: `translate(${left.at(hand)})`, "aria-valuenow": degrees,
        "aria-label": pulled === undefined ? whose(row) : `the arrow of '${words[pulled]}'`,
        "aria-valuetext": `${degrees} degrees, length ${length.toFixed(2)}`,
      });
      others.forEach((path, t) => {
        path.style.display = t === row ? "none" : "";
        if (t !== row) left.arrow(path, queries[t], 1.5);
      });
      // With two heads the threads begin where the query stands on the axis that its head compares.
      const feet = state.two ? [[query[0], 0], [0, query[1]]] : [query];
      parts.forEach((path, c) => left.line(path, [0, 0], feet[c] ?? query, state.two ? 4 : 0));
      words.forEach((_, j) => {
        const wide = (n) => (shown[j] ? 0.6 + 22 * weights[n][j] : 0);
        left.line(threads[j], feet[0], state.keys[j], wide(row));
        if (channels) left.line(second[j], feet.at(-1), state.keys[j], state.two ? wide(1) : 0);
        if (right) right.line(pulls[j], mix[row], values[j], wide(row));
        for (const part of [keyArrows[j], dots[j], named[0][j], named[1][j]]) {
          part?.classList.toggle("closed", !shown[j]);
        }
      });
      const heard = scores[row].map((score, j) => (shown[j] ? score : -Infinity)), best = heard.indexOf(Math.max(...heard));
      ground.forEach((path, j) => {
        path.style.display = state.ground ? "" : "none";
        path.classList.toggle("held", j === best && length > 0);
      });
      const corners = hull(values.filter((_, j) => shown[j]));
      area.setAttribute("d", `M${corners.map(mixed.at).join("L")}Z`);
      blend.setAttribute("transform", `translate(${mixed.at(mix[row])})`);
      blend.dataset.value = JSON.stringify(mix[row]);
      map.forEach(({ tr, cells }, t) => {
        tr.classList.toggle("held", t === row || channels);
        buttons[t]?.setAttribute("aria-pressed", t === row);
        cells.forEach((cell, j) => {
          const door = doors[t][j], may = open(t, j);
          if (mask) {
            set(door, { "aria-pressed": may, "aria-label": `'${rows[t]}' may listen to '${words[j]}'`, tabindex: t === row ? 0 : -1 });
            door.disabled = may && state.mask[t].filter(Boolean).length === 1; // a row has to look somewhere
            door.classList.toggle("wrong", may && j > t);
          }
          set(door, {}, may ? weights[t][j].toFixed(2) : "\u2013");
          if (cell.dataset.value === `${weights[t][j]}`) return; // a drag changes one row
          cell.dataset.value = weights[t][j];
          cell.style.setProperty("--weight", shade(weights[t][j]));
        });
        if (mask) set(sums[t], {}, weights[t].reduce((a, b) => a + b).toFixed(2));
      });
      scored.forEach(({ cells }, n) => cells.forEach((cell, j) => {
        set(cell, {}, shown[j] || late ? scores[channels ? n : row][j].toFixed(2) : "\u2013");
      }));
      for (const [name, box] of boxes) box.checked = state[name];
      says.textContent = sentence(state, found, whose(row), !channels || within(mix[row], corners)) + (learn ? learn(state, weights) : "");
    }

    const put = (kinds, n, arrow) => {
      const state = model.get("state"), far = Math.max(1, Math.hypot(...arrow) / reach);
      change(Object.fromEntries(kinds.map((kind) => [kind, state[kind].with(n, arrow.map((x) => x / far))])));
    };
    // A hand on an arrow, the n-th of each of these kinds; one of length 0 keeps its angle.
    const hold = (grip, kinds, which, facing = { angle: 0 }) => {
      handle(grip, left.svg, says, {
        to: (place) => put(kinds, which(), left.from(place)),
        by: ([right, up], fine) => {
          const arrow = model.get("state")[kinds[0]][which()];
          if (Math.hypot(...arrow)) facing.angle = turn(arrow);
          const angle = facing.angle = step(facing.angle, right, fine ? 1 : 5), length = Math.max(0, step(Math.hypot(...arrow), up, fine ? 0.01 : 0.1));
          put(kinds, which(), [length * Math.cos(angle * DEGREE), length * Math.sin(angle * DEGREE)]);
        },
        done,
      });
    };
    hold(tip, pulled === undefined ? ["queries"] : ["queries", "keys", "values"], () => pulled ?? model.get("state").row, facing);
    tips.forEach((each, j) => hold(each, apart ? ["keys"] : ["keys", "values"], () => j));
    return follow(model, draw, planes);
  }

  // What the picture shows, in words.
  function sentence({ words, queries, row, mask, two }, { weights, mix, open }, whose, inside) {
    const allowed = words.map((_, j) => j).filter((j) => open(row, j));
    const told = (j, n = row) => `'${words[j]}', weight ${weights[n][j].toFixed(4)}`;
    const best = (n) => allowed.reduce((a, b) => (weights[n][b] > weights[n][a] ? b : a));
    const least = allowed.reduce((a, b) => (weights[row][b] <= weights[row][a] ? b : a));
    const length = Math.hypot(...queries[row]);
    const place = `${whose} at ${Math.round(turn(queries[row])) % 360}\u00b0 with length ${length.toFixed(2)}`;
    const heard = !length ? `a query of length 0 asks nothing: every weight is ${weights[row][best(row)].toFixed(4)}`
      : two ? `head 0 listens most to ${told(best(0), 0)}, and head 1 to ${told(best(1), 1)}`
      : allowed.length < 2 ? `${place} may listen only to ${told(best(row))}`
      : `${place} listens most to ${told(best(row))}, and least to ${told(least)}`;
    const sum = weights[row].reduce((a, b) => a + b);
    return `Among ${allowed.length} arrow${allowed.length > 1 ? "s" : ""} ${heard}. The context is [${mix[row].map((x) => x.toFixed(4)).join(", ")}].`
      + (mask ? ` The row sums to ${sum.toFixed(4)}.` : "")
      + (inside ? "" : " It lies outside of the hull: no one row of shares could mix it.");
  }

  globalThis.courseLive.threads = { render };
})();
