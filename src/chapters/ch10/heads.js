// Heads: the memory of some words cut into heads, by view and transpose and by only a view, and
// whose numbers then flow into an output.
(() => {
  "use strict";
  const { add, button, fill, follow, group, hands, set, shade, table, voice, weigh } = globalThis.courseLive;
  const WIDTH = 360, MEMORY = 54, HIGH = 26; // of the picture of one cut

  // A piece is the part of a word that a head gets; the memory holds piece after piece. This says
  // which piece becomes row t of head h.
  const CUTS = [
    ["right: a view, then a transpose", (h, t, { heads }) => t * heads + h],
    ["wrong: only a view", (h, t, { q }) => h * q.length + t],
  ];

  function attend(state, pieceOf) {
    const { q, k, heads } = state, rows = q.map((_, t) => t), D = q[0].length / heads;
    const [Q, K] = [q.flat(), k.flat()];
    const score = (a, b) => {
      let sum = 0;
      for (let c = 0; c < D; c += 1) sum += Q[a * D + c] * K[b * D + c];
      return sum / Math.sqrt(D);
    };
    const found = Array.from({ length: heads }, (_, h) => {
      const pieces = rows.map((t) => pieceOf(h, t, state));
      return {
        pieces, from: pieces.map((piece) => Math.floor(piece / heads)), // whose they are
        weights: pieces.map((a, t) => weigh(pieces.map((b, j) => (j > t ? -Infinity : score(a, b))))),
      };
    });
    // Row t, column s: which share of output t comes from word s, the mean over its heads.
    const shares = rows.map((t) => rows.map((s) => found.reduce((sum, { from, weights }) =>
      sum + weights[t].reduce((mine, w, j) => mine + (from[j] === s ? w : 0), 0), 0) / heads));
    return { found, shares };
  }

  // ---------------------------------------------------------------- the picture of one cut

  // The memory, word after word; over each piece of a word a bar. Returns the bars of each head.
  function picture(svg, { words, heads }, found) {
    const T = words.length, wide = WIDTH / T / heads;
    svg.replaceChildren();
    set(svg, { viewBox: `0 0 ${WIDTH} ${MEMORY + HIGH + 28}` });
    const text = (x, y, says, kind) => add(svg, "text", { class: kind, x, y, "text-anchor": "middle" }, says);
    words.forEach((word, t) => {
      text((t + 0.5) * WIDTH / T, MEMORY + HIGH + 22, word, "word");
      add(svg, "path", { class: "axes", d: `M${t * WIDTH / T + 2} ${MEMORY + HIGH + 4}h${WIDTH / T - 4}` });
    });
    return found.map(({ pieces }, h) => pieces.map((piece) => {
      const x = piece * wide;
      add(svg, "rect", {
        class: "piece", x: x + 0.5, y: MEMORY, width: wide - 1, height: HIGH,
        "fill-opacity": 0.1 + 0.3 * h / Math.max(1, heads - 1), "data-value": h,
      });
      if (heads <= 4) text(x + wide / 2, MEMORY + 18, h, "digit"); // in six there is no room
      return add(svg, "rect", { class: "flow", x: x + 0.5, width: wide - 1 });
    }));
  }

  // ---------------------------------------------------------------- the explorer

  function render({ model, el }) {
    const { words, choices } = model.get("state");
    el.classList.add("course-live", "course-heads");
    const { keep } = hands(model), presets = group(el, "number of heads");
    const buttons = choices.map((heads) => button(presets, `${heads} head${heads > 1 ? "s" : ""}`, () => keep({ heads })));
    const planes = add(el, "div", { class: "planes" });
    const views = CUTS.map(([name, pieceOf], n) => {
      const box = add(planes, "div", { class: "plane" });
      add(box, "p", { class: n ? "title astray" : "title" }, name);
      const svg = add(box, "svg", { role: "img", "aria-label": `${name}: the memory, and what flows from it into the chosen output` });
      const shares = table(box, "Shares of the words in each output; press one", words);
      shares.rows.forEach((row, t) => {
        row.th.textContent = "";
        row.button = button(row.th, words[t], () => keep({ row: t }), { "aria-label": `output of '${words[t]}'` });
      });
      return { pieceOf, svg, shares };
    });
    add(el, "p", { class: "help" }, "A digit in the memory names the head that holds this piece of a word, and a bar shows how much of "
      + "it flows into the chosen output.");
    const says = voice(el);

    function draw() {
      const state = model.get("state"), { heads, row } = state;
      buttons.forEach((button, n) => set(button, { "aria-pressed": choices[n] === heads }));
      const all = views.map((view) => {
        const { found, shares } = attend(state, view.pieceOf);
        if (view.heads !== heads) view.parts = picture(view.svg, state, found);
        view.heads = heads;
        view.parts.forEach((flows, h) => {
          const { from, weights } = found[h];
          flows.forEach((flow, j) => {
            const high = weights[row][j] * (MEMORY - 4);
            set(flow, { y: MEMORY - high, height: high, "data-value": weights[row][j] });
            flow.classList.toggle("astray", from[j] > row);
          });
        });
        view.shares.rows.forEach(({ tr, button, cells }, t) => {
          tr.classList.toggle("held", t === row);
          set(button, { "aria-pressed": t === row });
          cells.forEach((cell, s) => {
            const share = shares[t][s];
            fill(cell, share, share ? share.toFixed(2) : "\u2013", shade(share));
            cell.classList.toggle("wrong", share > 0 && s > t);
          });
        });
        return shares;
      });
      says.textContent = sentence(state, all);
    }
    return follow(model, draw);
  }

  // What the pictures show, in words.
  function sentence({ words, heads, row, q }, [right, wrong]) {
    const heard = (shares) => words.map((word, s) => [word, shares[row][s], s]).filter(([, share]) => share);
    const told = (shares) => heard(shares).map(([word, share]) => `'${word}' ${share.toFixed(4)}`).join(", ");
    const late = (shares) => heard(shares).filter(([, , s]) => s > row).length;
    const leaks = (shares) => shares.flatMap((line, t) => line.filter((share, s) => share && s > t)).length;
    const C = q[0].length, T = words.length;
    return `${C} channels are cut into ${heads} head${heads > 1 ? "s" : ""} of ${C / heads}. With the right view, the output of `
      + `'${words[row]}' is mixed from ${told(right)}; with the wrong one, from ${told(wrong)}, ${late(wrong)} of them later. Of the `
      + `${T * (T - 1) / 2} pairs of an output and a later word, ${leaks(right)} leak with the right view and ${leaks(wrong)} with the wrong one.`;
  }

  globalThis.courseLive.heads = { render };
})();
