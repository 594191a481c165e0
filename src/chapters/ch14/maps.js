// Maps: type a text, and every head of every block of a GPT follows, computed from its checkpoint.
// Needs gpt, tiles.
(() => {
  "use strict";
  const { add, fill, follow, gpt, guesses, hands, ink, paint, set, shade, sign, table, textField, tiles, voice, weigh } = globalThis.courseLive;
  const LEAST = 12, MOST = 24, EDGE = 14, ROOM = 380; // pixels: of a cell of the large map, of a letter
  // before its rows, and of all of it at most
  const SHOWN = 10; // of the next characters, the likeliest
  const CALM = 600; // milliseconds without a key, after which the sentence is read out

  // What a head does on the whole: means of the weight that its positions give to the character
  // before, to what followed earlier copies of their character, and to the first column.
  function scores(rows, ids) {
    const mean = (found) => (found.length ? found.reduce((a, b) => a + b) / found.length : NaN);
    const later = rows.slice(1), followed = rows.map((row, t) => row.filter((_, s) => s > 0 && s < t && ids[s - 1] === ids[t]));
    return [
      mean(later.map((row, n) => row[n])),
      mean(followed.filter((found) => found.length).map((found) => found.reduce((a, b) => a + b))),
      mean(later.map((row) => row[0])),
    ];
  }
  const NAMES = ["previous-token score", "induction score", "share of the first column"];
  const said = (score) => (Number.isNaN(score) ? "\u2013" : score.toFixed(2));

  // ---------------------------------------------------------------- pictures

  // What stands beside the cells: letters; or words, each from the cell of its first letter, where letters
  // are too large for a cell.
  function letters(box, signs, cell) {
    const whole = parseFloat(getComputedStyle(box).fontSize) > 1.2 * cell;
    const pieces = whole ? signs.join("").match(/[^\u2423\u21b5]*[\u2423\u21b5]|[^\u2423\u21b5]+/g) ?? [] : signs;
    while (box.children.length > pieces.length) box.lastChild.remove();
    while (box.children.length < pieces.length) add(box, "span");
    pieces.forEach((piece, n) => {
      set(box.children[n], {}, whole ? piece.replace(/[\u2423\u21b5]$/, "") : piece);
      box.children[n].style.setProperty("--of", piece.length);
    });
  }

  // ---------------------------------------------------------------- the explorer

  function render({ model, el }) {
    const mind = gpt.read(model.get("weights")), look = gpt.reader(mind);
    const { block_size } = mind.config, { name } = model.get("state");
    el.classList.add("course-live", "course-maps");
    el.dataset.preventSwipe = "";
    const hand = hands(model), top = add(el, "div", { class: "top" });
    const label = add(top, "label", {}, "Your text");
    const field = textField(el, label, 2, change);
    const note = add(top, "p", { class: "note", "aria-live": "polite" });

    const planes = add(el, "div", { class: "planes" });
    const small = add(planes, "div", { class: "plane" });
    add(small, "p", { class: "title" }, "Every head: press one");
    const draws = tiles(small, mind.config, change);

    const large = add(planes, "div", { class: "plane" });
    const title = add(large, "p", { class: "title" });
    const box = add(large, "div", { class: "map", role: "group", "aria-label": "map of the head" });
    const rowNames = add(box, "div", { class: "rows", "aria-hidden": true });
    const map = add(box, "canvas", { role: "img" });
    const held = add(box, "div", { class: "held" });
    const columnNames = add(box, "div", { class: "columns", "aria-hidden": true });

    const told = table(small, "What this head does, as a mean over the text", ["this head", "equal weights"], NAMES);
    const side = add(el, "div", { class: "side" });
    const shown = Math.min(SHOWN, mind.vocab.length);
    const guess = guesses(side, `The next character: the ${shown} most probable`, shown, (id) => sign(mind.vocab[id]));
    const says = voice(side);
    add(el, "p", { class: "help" }, `Rows: the characters that look. Columns: those that they can look at, themselves the last. The stronger `
      + `the blue, the more weight (its square root). Framed: the row of the last character. All of it is computed here, from the weights in ${name}.`);

    let settle = 0;
    function change(part) {
      hand.change(part);
      says.setAttribute("aria-busy", true); // read out when the hand rests
      clearTimeout(settle);
      settle = setTimeout(() => { says.removeAttribute("aria-busy"); hand.done(); }, CALM);
    }

    function draw() {
      const { text, block, head } = model.get("state"), colour = ink(el);
      if (field.value !== text) field.value = text;
      const { ids, unknown, known } = gpt.encode(mind, text), T = ids.length;
      const { logits, maps } = look(ids), signs = ids.map((id) => sign(mind.vocab[id]));
      set(note, {}, remark(unknown, known, T, block_size));

      draws(maps, block, head, colour);
      const rows = maps[block][head], room = Math.min(ROOM, (box.clientWidth || ROOM) - EDGE);
      const cell = Math.max(LEAST, Math.min(MOST, Math.floor(room / Math.max(1, T))));
      box.style.setProperty("--cell", `${cell}px`);
      box.style.setProperty("--cells", T);
      box.hidden = !T;
      paint(map, rows, colour);
      letters(rowNames, signs, cell);
      letters(columnNames, signs, cell);
      set(title, {}, `Block ${block}, head ${head}`);
      if (T !== drawn) box.scrollTo(box.scrollWidth, box.scrollHeight); // where the newest row is
      drawn = box.clientWidth ? T : -1; // before it is on the page, it has nothing to scroll
      if (box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight) box.tabIndex = 0;
      else box.removeAttribute("tabindex");

      const found = [scores(rows, ids), scores(rows.map((row) => row.map(() => 1 / row.length)), ids)];
      told.rows.forEach(({ cells }, n) => cells.forEach((td, m) => (
        fill(td, found[m][n], said(found[m][n]), m ? 0 : shade(found[m][n])))));
      const [{ id, chance }] = guess(T ? weigh([...logits.at(-1)]) : []), best = T ? [sign(mind.vocab[id]), chance] : [];
      const sentence = describe(signs, rows, found, best, block, head);
      set(map, { "aria-label": sentence, "data-value": JSON.stringify(rows.at(-1) ?? []) });
      set(says, {}, sentence);
    }
    let drawn = -1;
    const end = follow(model, draw, large);
    return () => { end(); clearTimeout(settle); };
  }

  // What of the text is not read, and why.
  function remark(unknown, known, read, block_size) {
    const list = unknown.map((character) => `'${character}'`).join(", ");
    return [
      unknown.length ? `The model has never seen ${list}: left out.` : "",
      known > read ? `It reads at most ${block_size} characters: the last ${block_size} of ${known}.` : "",
      read ? "" : "Type a character: with nothing to read there is no map, and no guess.",
    ].filter(Boolean).join(" ");
  }

  // What the large map and the bars show, in words.
  function describe(signs, rows, [found, even], [best, chance], block, head) {
    if (!rows.length) return "Nothing is read.";
    const last = rows.at(-1), most = last.indexOf(Math.max(...last)), back = rows.length - 1 - most;
    const means = NAMES.map((name, n) => `${name} ${said(found[n])} (equal weights: ${said(even[n])})`).join(", ");
    return `${rows.length} character${rows.length > 1 ? "s" : ""} read. Block ${block}, head ${head}: ${means}. From the last character, `
      + `'${signs.at(-1)}', it looks most at ${back ? `'${signs[most]}', ${back} back` : "itself"}, with weight ${last[most].toFixed(2)}. `
      + `The model's most probable next character is '${best}', with ${(100 * chance).toFixed(1)} %.`;
  }

  globalThis.courseLive.maps = { render };
})();
