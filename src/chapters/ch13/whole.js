// Whole: the parts of a GPT, from a text to its next token. A press on a part shows some of its numbers for
// the text that is typed, computed from the checkpoint; a press on a weight, what that is computed from. Where the
// parts are drawn, the state says.
// Needs gpt, tiles.
(() => {
  "use strict";
  const { add, arrow, button, fill, follow, gpt, group, hands, set, shade, sign, slider, table, textField, voice, weigh } = globalThis.courseLive;
  const ROWS = 5, COLUMNS = 5; // of a tensor, the last tokens and the first channels

  const shown = (value) => { // with three digits, at most two of them decimals
    const size = Math.abs(value), text = value.toFixed(size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
    return Number(text) ? text.replace("-", "\u2212") : "0.00";
  };
  const most = (row, n) => [...row.keys()].sort((a, b) => row[b] - row[a]).slice(0, n);

  // ---------------------------------------------------------------- what a part holds

  // Of each part its letters, its sizes, a slice as columns, [its name, a number for each row], and a sentence. A column
  // of weights also has the position of its key.
  function contents({ mind, look, ids, called, block, head, cell }) {
    const { logits, maps, parts, caches } = look(ids), { n_embd: C, n_head: H, n_layer } = mind.config;
    const T = ids.length, D = C / H, V = mind.vocab.length, last = ids.slice(-ROWS).map((_, n, rows) => T - rows.length + n);
    const first = (rows, name = "", n = COLUMNS) => (
      Array.from({ length: n }, (_, c) => [`${name}${c}`, last.map((t) => rows[t][c])]));
    const own = (name) => parts[`${name} ${block}`], token = called(ids.at(-1), T - 1);
    const { keys, values } = caches[block], group = Math.floor(head * keys[0].length / H), map = maps[block][head];
    const looked = most(map.at(-1), COLUMNS).sort((a, b) => a - b), likely = most(logits.at(-1), COLUMNS);
    const chances = weigh([...logits.at(-1)]), best = called(likely[0]), seen = most(map.at(-1), 1)[0];
    const vectors = (rows, says) => ["(T, C)", [T, C], first(rows), says];
    const scores = (t) => keys.slice(0, t + 1).map((heads) => (
      own("queries")[t][head].reduce((sum, value, d) => sum + value * heads[group][d], 0)));
    const computed = (t, s) => { // how the weight of a key for a query comes about
      const scaled = scores(t).map((score) => score / Math.sqrt(D)), sum = scaled.reduce((all, one) => all + Math.exp(one), 0);
      return `The query of '${called(ids[t], t)}' times the key of '${called(ids[s], s)}' is ${shown(scores(t)[s])}, and divided by \u221a${D} it is `
        + `${shown(scaled[s])}. e to this power is ${shown(Math.exp(scaled[s]))}. The powers in this row sum to ${shown(sum)}, so the weight is ${map[t][s].toFixed(2)}.`;
    };
    return {
      ids: () => ["(T)", [T], [["id", last.map((t) => ids[t])]], `The text is cut into ${T} tokens, and each token has an id.`],
      vectors: () => vectors(parts.vectors, `A table of ${V} vectors gives each token its own, of ${C} numbers.`),
      qkv: () => ["(H, T, D)", [H, T, D], [
        ...first(own("queries").map((heads) => heads[head]), "q ", 2), ...first(keys.map((heads) => heads[group]), "k ", 2),
        ...first(values.map((heads) => heads[group]), "v ", 2),
      ], `In each of its ${H} heads, block ${block} gives each token a query, a key and a value, of ${D} numbers each.`],
      weights: () => ["(H, T, T)", [H, T, T], [
        ...looked.map((s) => [called(ids[s], s), last.map((t) => map[t][s] ?? 0), s]),
        ["others", last.map((t) => map[t].reduce((sum, weight, s) => sum + (looked.includes(s) ? 0 : weight), 0))],
      ], cell ? computed(...cell) : `In head ${head} of block ${block}, '${token}' looks most at '${called(ids[seen], seen)}', with weight ${map.at(-1)[seen].toFixed(2)}.`],
      mix: () => vectors(own("mix"), `W_O makes one vector from the ${H} heads' mixes of values. It is added to the token's vector.`),
      heard: () => vectors(own("heard"), `These are the vectors after the attention of block ${block} has added its result.`),
      hidden: () => ["(T, 4C)", [T, 4 * C], first(own("hidden")), `The MLP of block ${block} makes ${4 * C} numbers from each token's vector. `
        + `For '${token}', ${own("hidden").at(-1).filter((value) => value).length} of them aren't 0.`],
      mlp: () => vectors(own("mlp"), `From its hidden numbers, the MLP of block ${block} makes a vector for each token, and adds it.`),
      out: () => vectors(own("out"), `These are the vectors after block ${block}. They go into `
        + (block + 1 < n_layer ? `block ${block + 1}.` : "the last normalisation.")),
      norm: () => vectors(parts.norm, "Each token's vector is normalised a last time."),
      logits: () => ["(T, V)", [T, V], likely.map((id) => [called(id), last.map((t) => logits[t][id])]),
        `Each token's vector becomes ${V} logits, one for each token that can come next. After '${token}', that of '${best}' is the highest.`],
      next: () => ["(V)", [V], null, `Softmax makes probabilities from the last row of the logits. After '${token}', '${best}' has ${(100 * chances[likely[0]]).toFixed(1)} %.`,
        likely.map((id) => [called(id), chances[id]])],
    };
  }

  // ---------------------------------------------------------------- the picture

  function flow(svg, points) {
    const [[a, b], [x, y]] = points.slice(-2), [right, down] = [Math.sign(x - a), Math.sign(y - b)];
    const tip = `M${x - 5 * right - 4 * down} ${y - 5 * down - 4 * right}L${x} ${y}L${x - 5 * right + 4 * down} ${y - 5 * down + 4 * right}`;
    add(svg, "path", { class: "flows", d: `M${points.map((point) => point.join(" ")).join("L")}${tip}` });
  }

  // A part that can be pressed: its box, its name and its letters.
  function box(svg, { x, y, wide, high, label, shape }, press) {
    const made = add(svg, "g", press ? { class: "part", role: "button", "data-lm-suppress-shortcuts": true } : {});
    add(made, "rect", { x, y, width: wide, height: high, rx: wide === high ? wide / 2 : 5 });
    const middle = y + high / 2;
    add(made, "text", { x: x + wide / 2, y: middle + (shape ? -3 : 5) }, label);
    if (shape) add(made, "text", { class: "shape", x: x + wide / 2, y: middle + 15 }, shape);
    if (!press) return made;
    made.addEventListener("click", press);
    made.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); press(); }
    });
    return made;
  }

  // ---------------------------------------------------------------- the explorer

  function render({ model, el }) {
    const mind = gpt.read(model.get("weights")), look = gpt.reader(mind);
    const { start, parts, tabs, frame, lines, notes } = model.get("state");
    const called = (id, t) => (t === 0 ? "start" : mind.vocab[id].trim() || sign(mind.vocab[id]));
    el.classList.add("course-live", "course-whole");
    el.dataset.preventSwipe = "";
    const { change: draft, done, keep: change } = hands(model);

    const top = add(el, "div", { class: "top" }), label = add(top, "label", {}, "Your text");
    const field = textField(el, label, 2, change);
    const note = add(top, "p", { class: "note", role: "status" });

    const planes = add(el, "div", { class: "planes" }), plane = add(planes, "div", { class: "plane" });
    const svg = add(plane, "svg", { viewBox: `0 0 360 ${frame.below}`, role: "group", "aria-label": "the parts of the GPT" });
    add(svg, "rect", { class: "frame", x: frame.x, y: frame.y, width: frame.wide, height: frame.high, rx: 7 });
    lines.forEach((points) => flow(svg, points));
    for (const [x, y, text] of notes) add(svg, "text", { class: "shape", x, y }, text);
    const boxes = parts.map((part) => box(svg, part, part.key && (() => change({ part: part.key }))));
    const blocks = tabs.map((tab, block) => box(svg, tab, () => change({ block })));
    const walk = slider(planes, "From text to next token:", { max: parts.filter((part) => part.key).length - 1 }, (n) => draft({ part: pressed[n][0] }), done);
    const side = add(el, "div", { class: "side" });
    const title = add(side, "p", { class: "title" });
    const numbers = add(side, "div", { class: "numbers" });
    const heads = group(side, "head");
    const buttons = Array.from({ length: mind.config.n_head }, (_, head) => (
      button(heads, `head ${head}`, () => change({ head }))));
    const says = voice(side);
    const pressed = parts.map((part, n) => [part.key, boxes[n]]).filter(([key]) => key);
    pressed.forEach(([, made], n) => made.addEventListener("keydown", (event) => {
      const [right, down] = arrow(event) ?? [0, 0], there = right + down && pressed[n + right + down];
      if (!there) return;
      change({ part: there[0] });
      there[1].focus();
    }));

    // Queries, keys and values have their colours, each its own scale; weights that of queries; other numbers that of their sign.
    function rows(part, names, columns, from) { // `from` is the position of the first row
      const made = table(numbers, "", columns.map(([name]) => name), names), size = (some) => Math.max(...some.map(Math.abs)) || 1;
      const all = size(columns.flatMap(([, column]) => column));
      made.made.querySelector("caption").remove();
      columns.forEach(([name, column, key], c) => column.forEach((value, r) => {
        const cell = made.rows[r].cells[c], own = part === "weights" ? "query" : part === "qkv" && { q: "query", k: "key", v: "value" }[name[0]];
        set(cell, { class: own || (value < 0 ? "below" : "above") });
        const deep = part === "weights" ? shade(value) : Math.abs(value) / (part === "qkv" ? size(column) : all);
        fill(cell, value, part === "ids" ? value : shown(value), part === "ids" ? 0 : deep);
        if (key <= from + r) weight(cell, from + r, key);
      }));
    }
    function weight(td, t, s) { // a number that can be pressed
      const text = td.textContent, { cell } = model.get("state");
      td.replaceChildren();
      const made = button(td, text, () => change({ cell: [t, s] }), { tabindex: -1, "aria-pressed": cell?.[0] === t && cell?.[1] === s });
      made.addEventListener("keydown", (event) => { // arrow keys lead to the next number that can be pressed
        const [right, down] = arrow(event) ?? [0, 0], { parentElement: tr, cellIndex: column } = td;
        const row = down ? (down > 0 ? tr.nextElementSibling : tr.previousElementSibling) : tr;
        row?.cells[column + right]?.querySelector("button")?.focus();
      });
    }
    // The numbers grow out of the part that they belong to.
    function unfold(from) {
      if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
      numbers.getAnimations().forEach((each) => each.cancel()); // else it is measured on its way
      const [a, b] = [from, numbers].map((each) => each.getBoundingClientRect()), size = b.width / numbers.offsetWidth; // of a slide
      const start = `translate(${(a.left - b.left) / size}px, ${(a.top - b.top) / size}px) scale(${a.width / b.width}, ${a.height / b.height})`;
      numbers.animate([{ transform: start, opacity: 0.2 }, { transform: "none", opacity: 1 }], { duration: 250, easing: "ease-out" });
    }
    function bars(likely) {
      const made = table(numbers, "", ["probability"], likely.map(([name]) => name));
      made.made.classList.add("next");
      made.made.querySelector("caption").remove();
      likely.forEach(([, chance], n) => fill(made.rows[n].cells[0], chance, `${(100 * chance).toFixed(1)} %`));
    }
    let drawn = "", place = "";
    function draw() {
      const { text, part, block, head } = model.get("state"), { ids, unknown } = gpt.encode(mind, start + text);
      const about = [text, part, block, head].join(), here = [part, block].join();
      if (drawn && about !== drawn && model.get("state").cell) return change({ cell: null }); // it was of other numbers
      const { cell } = model.get("state");
      const [letters, sizes, columns, sentence, likely] = contents({ mind, look, ids, called, block, head, cell })[part]();
      if (field.value !== text) field.value = text;
      pressed.forEach(([key, made]) => set(made, {
        "aria-pressed": key === part, tabindex: key === part ? 0 : -1, "aria-label": parts.find((one) => one.key === key).says,
      }));
      blocks.forEach((tab, n) => set(tab, { "aria-pressed": n === block, tabindex: 0, "aria-label": `block ${n}` }));
      buttons.forEach((made, n) => set(made, { "aria-pressed": n === head }));
      heads.hidden = !["qkv", "weights"].includes(part);
      set(title, {}, `${parts.find((one) => one.key === part).says} ${letters} = (${sizes.join(", ")})`);
      const held = numbers.contains(document.activeElement) && [...numbers.querySelectorAll("button")].indexOf(document.activeElement);
      const first = Math.max(0, ids.length - ROWS);
      numbers.replaceChildren();
      if (columns) rows(part, ids.slice(first).map((id, n) => called(id, first + n)), columns, first);
      else bars(likely);
      (numbers.querySelector("[aria-pressed=true]") ?? numbers.querySelector("button"))?.setAttribute("tabindex", 0);
      if (held !== false) numbers.querySelectorAll("button")[held]?.focus();
      set(says, {}, sentence);
      const n = pressed.findIndex(([key]) => key === part);
      walk(n, parts.find((one) => one.key === part).says);
      if (place && place !== here) unfold(pressed[n][1]);
      drawn = about;
      place = here;
      const strange = unknown.map((word) => `'${word.trim()}'`).join(", ");
      set(note, {}, strange ? `The model has never seen ${strange}: it reads its letters.` : "");
    }
    return follow(model, draw);
  }

  globalThis.courseLive.whole = { render };
})();
