// The curtain: a sentence lies on a line, and a mask hides what comes after the word that looks. Drag the
// curtain's edge by pointer or keys: what leaks is red, in the sentence and in the mask. Beside it stands what
// becomes of a model, a twin, that is trained with this mask.
(() => {
  "use strict";
  const { add, button, fill, follow, handle, hands, set, slider, table, voice } = globalThis.courseLive;

  const opens = (diagonal, i, j) => diagonal === null || j <= i + diagonal;
  const mean = (numbers) => numbers.reduce((a, b) => a + b) / numbers.length;
  const names = (found) => found.map((word) => `'${word}'`).join(" and ");
  const masked = ({ name, diagonal }) => (diagonal === null ? name : `diagonal=${name}`);

  // A mean with the least and the most of its seeds.
  function spread(numbers, digits) {
    const [least, most] = [Math.min(...numbers), Math.max(...numbers)].map((x) => x.toFixed(digits));
    return `${mean(numbers).toFixed(digits)}\n(${least}\u2013${most})`;
  }

  function render({ model, el }) {
    const { words, before, twins, n_stories } = model.get("state"), last = twins.length - 1;
    el.classList.add("course-live", "course-curtain");
    el.dataset.preventSwipe = ""; // on a slide, the finger draws the curtain
    const { change, done, keep } = hands(model);

    const stage = add(el, "div", { class: "stage" });
    add(stage, "p", { class: "help" }, `\u2026 ${before}`);
    const line = add(stage, "div", { class: "line" });
    const edge = add(line, "div", { class: "handle", role: "slider", "aria-label": "edge of the curtain", "aria-valuemin": 0, "aria-valuemax": last });
    const boxes = words.map((word, j) => {
      const box = add(line, "div", { class: "word", style: `order: ${2 * j}` });
      return { box, word: add(box, "b", {}, word), note: add(box, "small") };
    });
    const slide = slider(add(stage, "div", { class: "top" }), "mask", { max: last }, (at) => change({ at }), done);

    const mask = table(el, "The mask. Press a word at the left to let it look", words);
    mask.made.classList.add("mask");
    const looks = mask.rows.map(({ th }, row) => {
      th.firstChild.remove(); // its word, now in the button
      return button(th, words[row], () => keep({ row }));
    });

    const side = add(el, "div", { class: "tell" });
    const gauges = { training: "loss in training", alone: "loss with no future to read", formed: `well formed stories of ${n_stories}` };
    const shown = table(side, "", ["this twin", "honest twin"], Object.values(gauges));
    shown.made.classList.add("twin");
    const story = add(add(side, "p", {}, "It writes (crossed out where the judge gives up): "), "samp"), wrote = add(story, "span"), rest = add(story, "s");
    const says = voice(el);
    const honest = twins.find(({ diagonal }) => diagonal === 0);
    const scale = { training: Math.max(...twins.flatMap(({ alone }) => alone)), formed: n_stories };

    handle(edge, line, says, {
      to: ([right]) => {
        const { row } = model.get("state"), { left, width } = line.getBoundingClientRect();
        const middles = boxes.map(({ box }) => box.getBoundingClientRect()).map((each) => each.left + each.width / 2);
        const n = middles.filter((middle) => middle < left + right * width).length; // so many words are seen
        const at = twins.findIndex(({ diagonal }) => diagonal !== null && opens(diagonal, row, n - 1));
        change({ at: right > 1 || at < 0 ? last : at });
      },
      by: ([right, up]) => change({ at: Math.max(0, Math.min(last, model.get("state").at + right + up)) }),
      done,
    });

    function draw() {
      const { row, at } = model.get("state"), twin = twins[at], { diagonal } = twin;
      const name = masked(twin), n = words.filter((_, j) => opens(diagonal, row, j)).length;
      edge.style.order = 2 * n - 1;
      set(edge, { "aria-valuenow": at, "aria-valuetext": name });
      slide(at, name);
      boxes.forEach(({ box, note }, j) => {
        const open = j < n, leaks = open && j > row;
        for (const [kind, is] of Object.entries({ veiled: !open, wrong: leaks, held: j === row })) box.classList.toggle(kind, is);
        set(note, {}, j === row ? "looks" : j === row + 1 ? (leaks ? "answer!" : "to guess") : leaks ? "leak!" : "");
      });
      mask.rows.forEach(({ tr, cells }, i) => {
        tr.classList.toggle("held", i === row);
        set(looks[i], { "aria-pressed": i === row });
        cells.forEach((cell, j) => {
          const open = opens(diagonal, i, j), leaks = open && j > i;
          set(cell, {}, leaks ? "!" : open ? "\u2713" : "\u2013");
          cell.classList.toggle("wrong", leaks);
          cell.style.setProperty("--weight", open && !leaks ? 0.6 : 0);
        });
      });
      set(shown.made.caption, {}, `What becomes of a twin that is trained with ${name}`);
      Object.keys(gauges).forEach((what, n) => [twin, honest].forEach((one, column) => {
        const cell = shown.rows[n].cells[column];
        const found = mean(one[what]);
        fill(cell, found, spread(one[what], what === "formed" ? 0 : 4), found / (scale[what] ?? scale.training));
      }));
      set(wrote, {}, twin.text.slice(0, twin.read));
      set(rest, {}, twin.text.slice(twin.read));
      says.textContent = sentence(model.get("state"));
    }
    return follow(model, draw);
  }

  // What the line and the mask show, and the twin, in words.
  function sentence({ words, row, at, twins, n_stories }) {
    const twin = twins[at], seen = words.filter((_, j) => opens(twin.diagonal, row, j)), ahead = seen.slice(row + 1);
    const open = words.flatMap((_, i) => words.map((__, j) => ({ ahead: j > i, is: opens(twin.diagonal, i, j) }))).filter(({ is }) => is);
    return `With ${masked(twin)}, '${words[row]}' sees ${seen.length} of ${words.length} words, `
      + `${ahead.length ? `and its future leaks: ${names(ahead)}` : "and none of its future"}. `
      + `${open.filter((cell) => cell.ahead).length} of the ${open.length} open cells of the mask are in the future. `
      + `A twin trained with it has a loss of ${mean(twin.training).toFixed(4)} in training and of ${mean(twin.alone).toFixed(4)} `
      + `with no future to read. Of its ${n_stories} stories, ${mean(twin.formed).toFixed(0)} are well formed.`;
  }

  globalThis.courseLive.curtain = { render };
})();
