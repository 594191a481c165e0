// One head in six beats: project, compare, score, scale, softmax, add. Each beat does row after row, so
// the state is a step, the matrices of a head, and the number that a reader has pressed.
(() => {
  "use strict";
  const { add, arrow, button, follow, group, hands, set, shade, slider, times, voice, weigh } = globalThis.courseLive;
  const BEATS = ["project", "compare", "score", "scale", "softmax", "add"];
  const MINUS = "\u2212", ALL = -1, SWIPE = 14; // pixels that a finger goes for a step

  // ---------------------------------------------------------------- the head, and its numbers in words

  function attend({ x, heads, head }) {
    const { W_q, W_k, W_v } = heads[head], [q, k, v] = [W_q, W_k, W_v].map((W) => times(x, W));
    const kT = k[0].map((_, c) => column(k, c)), scores = times(q, kT), root = Math.sqrt(kT.length);
    const scaled = scores.map((row) => row.map((score) => score / root)), weights = scaled.map(weigh);
    return { x, W_q, W_k, W_v, q, again: q, k, kT, v, values: v, scores, scaled, weights, out: times(weights, v) };
  }

  const column = (rows, c) => rows.map((row) => row[c]);
  const largest = (rows, of) => Math.max(...rows.flat().map(of));
  const two = (n) => n.toFixed(2).replace(/^-(?=0\.00$)/, "").replace("-", MINUS);
  const plain = (n) => (Number.isInteger(n) ? `${n}`.replace("-", MINUS) : two(n)); // of a matrix
  const guarded = (text) => (text.startsWith(MINUS) ? `(${text})` : text);
  const products = (a, b, say = two) => a.map((n, i) => `${i ? guarded(two(n)) : two(n)}\u00b7${guarded(say(b[i]))}`);

  // The tables, and of each: its panel, its colour, since which step a row of it is there, and what one of its
  // numbers is made of, as [table, row, column] and in words. One that is `over` is above the next, whose columns
  // it makes.
  const projected = (role, W, name, panel = 0) => ({
    panel, role, say: two, since: (T, r) => r, parts: (r, c) => [["x", r, ALL], [W, ALL, c]],
    says: ({ x, ...found }, r, c, words) => `${name} of '${words[r]}': ${products(x[r], column(found[W], c), plain).join(" + ")}`,
  });
  const matrix = (role) => ({ panel: 0, role: `${role} matrix`, over: true, say: plain, since: () => -1, parts: () => [], says: () => "training can change it" });
  const TABLES = {
    x: { panel: 0, role: "x", say: two, since: () => -1, parts: () => [], says: (_, r, c, words) => `x of '${words[r]}', as given` },
    W_v: matrix("value"), v: projected("value", "W_v", "v"), W_k: matrix("key"), k: projected("key", "W_k", "k"),
    W_q: matrix("query"), q: projected("query", "W_q", "q"),
    again: { ...projected("query", "W_q", "q", 1), sign: "q" }, // where a narrow page has only one panel
    kT: {
      panel: 1, role: "key", over: true, say: two, sign: "k\u1d40", since: (T) => T, parts: (r, c) => [["k", c, r]],
      says: (_, r, c, words) => `the key of '${words[c]}', turned into a column`,
    },
    table: {
      panel: 1, role: "table", say: two, since: (T, r) => T + r,
      parts: (r, c, level) => (level < 3 ? [["q", r, ALL], ["again", r, ALL], ["kT", ALL, c]] : level === 3 ? [] : [["table", r, ALL]]),
      says: ({ q, k, scores, scaled }, r, c, words, level) => {
        const pair = `'${words[r]}' with '${words[c]}'`, parts = products(q[r], k[c]), powers = scaled[r].map(Math.exp);
        return [
          () => "", () => `${pair}: ${parts.map((part, n) => `${part} = ${two(q[r][n] * k[c][n])}`).join(" and ")}`,
          () => `score of ${pair}: ${parts.join(" + ")}`, () => `scaled score of ${pair}: ${two(scores[r][c])} / \u221a${q[r].length}`,
          () => `weight of ${pair}: e^${two(scaled[r][c])} = ${two(powers[c])}, and ${two(powers[c])} / (${powers.map(two).join(" + ")})`,
        ][level]();
      },
    },
    values: {
      panel: 2, role: "value", over: true, say: two, sign: "v", since: (T) => 5 * T, parts: (r, c) => [["v", r, c]],
      says: (_, r, c, words) => `the value of '${words[r]}'`,
    },
    out: {
      panel: 2, role: "value", say: two, sign: "context", since: (T, r) => 5 * T + r, parts: (r, c) => [["table", r, ALL], ["values", ALL, c]],
      says: ({ weights, v }, r, c, words) => `context of '${words[r]}': ${products(weights[r], column(v, c)).join(" + ")}`,
    },
  };
  const SIGNS = ["q\u00b7k", "q\u00b7k", "products", "scores", "scaled", "weights", "weights"]; // of the table, by beats

  // What of the head is there after so many steps; `level` counts what beats 2 to 5 have made of a row of the table.
  function moment({ words, step, cell, ...head }) {
    const T = words.length, found = attend(head), beat = Math.ceil(step / T), row = step ? (step - 1) % T : 0;
    const level = (r) => [1, 2, 3, 4].filter((b) => step > b * T + r).length;
    const shown = (name, r) => step > TABLES[name].since(T, r);
    const rows = (name, r) => (name === "table" ? found[["scores", "scores", "scores", "scaled", "weights"][level(r)]] : found[name]);
    const best = found.weights[row].indexOf(Math.max(...found.weights[row]));
    const usual = [["x", 0, 0], ["q", row, 0], ...Array(4).fill(["table", row, best]), ["out", row, 0]][beat];
    const focus = cell && shown(cell[0], cell[1]) ? cell : usual, [name, r, c] = focus;
    const why = TABLES[name].says(found, r, c, words, level(r));
    const sum = name === "table" && level(r) === 1 ? why : `${why} = ${TABLES[name].say(rows(name, r)[r][c])}`;
    return { T, found, beat, row, best, level, shown, rows, focus, sum, parts: TABLES[name].parts(r, c, level(r)) };
  }

  function sentence({ beat, row, best, found }, words) {
    const name = `'${words[row]}'`, most = `'${words[best]}'`, weight = two(found.weights[row][best]);
    return [
      `Each of the ${words.length} words has a vector x. The head has three matrices.`,
      `Three matrices turn the x of ${name} into a query, a key and a value. No other word is needed.`,
      `The query of ${name} meets every key: number times number. Arrows that point the same way fit.`,
      `The products are added. A score says how well a key fits the query of ${name}.`,
      `Each score of ${name} is divided by \u221a${found.q[0].length}, the root of the head size.`,
      `Softmax turns the row of ${name} into weights that sum to 1. ${most} has the largest, ${weight}.`,
      `The weights of ${name} mix the values into its context. ${most} gives the largest share, ${weight}.`,
    ][beat];
  }

  // ---------------------------------------------------------------- the explorer

  function render({ model, el }) {
    const { words, heads } = model.get("state"), T = words.length, LAST = BEATS.length * T, { found: first } = moment(model.get("state"));
    el.classList.add("course-live", "course-beats", "sizes-itself");
    el.dataset.preventSwipe = ""; // on a slide, the finger moves the beats
    const { keep } = hands(model);
    const go = (step) => { // a pressed number stays while its table is the one that the beat fills
      const { cell } = model.get("state"), beat = Math.ceil(step / T), filled = { 1: ["q", "k", "v"], 6: ["out"] }[beat] ?? ["table"];
      keep({ step: Math.max(0, Math.min(LAST, step)), cell: filled.includes(cell?.[0]) ? cell : null });
    };
    const clock = add(el, "div", { class: "clock" }), bar = add(clock, "div", { class: "bar", role: "group", "aria-label": "beats" });
    const beats = BEATS.map((name, b) => button(bar, `${b + 1} ${name}`, () => go((b + 1) * T)));
    const show = slider(clock, "", { max: LAST, "aria-label": "row by row" }, go, () => {});
    const stage = add(el, "div", { class: "stage" }), threads = add(stage, "svg", { class: "threads", viewBox: "0 0 1 1", preserveAspectRatio: "none", "aria-hidden": true });
    const above = add(stage, "div", { class: "above" }), formula = add(above, "p", { class: "formula" });
    const signs = [["softmax(", "", "5"], [" q", "query", "123"], ["k\u1d40", "key", "123"], [` / \u221a${first.kT.length}`, "", "4"], [" )", "", "5"], [" v", "value", "16"]]
      .map(([text, kind, when]) => [add(formula, "span", { class: kind }, text), when]);
    const choice = group(above, "matrices");
    const choices = Object.keys(heads).map((head) => [head, button(choice, head, () => keep({ head }))]);
    const all = add(stage, "div", { class: "sheets" }), sheets = [0, 1, 2].map(() => add(all, "div", { class: "sheet" })), titles = {};
    const says = voice(el, "div"), told = add(says, "p"), sum = add(says, "p", { class: "sum" });
    add(el, "p", { class: "help" }, "Press a number to see what it is made of; arrow keys lead from number to number. All are rounded to two decimals.");

    for (const sheet of sheets) {
      const list = add(sheet, "div", { class: "names", "aria-hidden": true });
      for (const word of words) add(list, "span", {}, word);
    }
    const names = [...all.querySelectorAll(".names span")];
    let across = 0; // keys lead from number to number as if all tables were on one sheet
    const cells = Object.entries(TABLES).flatMap(([name, { panel, role, over, sign = name }]) => {
      const rows = first[name] ?? first.scores, width = rows[0].length, left = name === "again" ? across - width : across;
      const box = add(sheets[panel], "div", { class: `grid ${role} ${over ? "over" : "under"} ${name}`, role: "group", "aria-label": sign });
      box.style.setProperty("--across", width);
      titles[name] = add(box, "span", { class: "tick" }, sign);
      if (!over) across = left + width;
      return rows.flatMap((row, r) => row.map((_, c) => {
        const made = button(box, "", () => keep({ cell: [name, r, c] }));
        made.dataset.cell = `${name} ${r} ${c}`;
        const [arrows, text] = [name === "table" ? add(made, "svg", { viewBox: "-1 -1 2 2", "aria-hidden": true }) : null, add(made, "span")];
        return { name, r, c, made, text, arrows, at: [over ? T - rows.length + r : T + r, left + c], sign };
      }));
    });
    const at = (name, r, c) => cells.find((cell) => cell.name === name && cell.r === r && cell.c === c)?.made;

    stage.addEventListener("keydown", (event) => {
      const here = cells.find(({ made }) => made === event.target), by = here && arrow(event);
      if (!by) return;
      const [down, right] = here.at, ahead = cells.filter(({ at, made }) => !made.disabled && made.checkVisibility()
        && (by[1] ? at[1] === right && (at[0] - down) * by[1] > 0 : at[0] === down && (at[1] - right) * by[0] > 0));
      const far = ({ at }) => Math.abs(at[0] - down) + Math.abs(at[1] - right), next = ahead.sort((a, b) => far(a) - far(b))[0];
      if (!next) return;
      keep({ cell: [next.name, next.r, next.c] });
      next.made.tabIndex = 0;
      next.made.focus();
    });
    let rest = 0; // of a swipe
    const swipe = (pixels) => {
      const steps = Math.trunc((rest += pixels) / SWIPE);
      rest -= steps * SWIPE;
      if (steps) go(model.get("state").step + steps);
    };
    stage.addEventListener("wheel", (event) => { // sideways: up and down are the page's
      if (Math.abs(event.deltaX) <= Math.abs(event.deltaY)) return;
      event.preventDefault();
      swipe(event.deltaX);
    }, { passive: false });
    let finger = null;
    stage.addEventListener("pointerdown", ({ pointerType, clientX }) => { finger = pointerType === "touch" ? clientX : null; });
    stage.addEventListener("pointermove", ({ clientX }) => { if (finger !== null) { swipe(finger - clientX); finger = clientX; } });
    for (const end of ["pointerup", "pointercancel"]) stage.addEventListener(end, () => { finger = null; });

    function draw() {
      const state = model.get("state"), now = moment(state), { found, beat, row, level, focus, parts, rows, shown } = now;
      el.dataset.beat = beat;
      beats.forEach((made, b) => set(made, { "aria-pressed": beat === b + 1 }));
      show(state.step, beat ? `${BEATS[beat - 1]}, row of '${words[row]}'` : "begin");
      for (const [sign, when] of signs) sign.classList.toggle("now", when.includes(beat));
      for (const [head, made] of choices) set(made, { "aria-pressed": head === state.head });
      names.forEach((name, n) => name.classList.toggle("now", beat > 0 && n % T === row));
      set(titles.table, {}, SIGNS[beat]);
      const mine = focus[0] === "out" ? focus[1] : row; // whose context it is
      const most = largest(found.scores, Math.abs), [long, longest] = [found.k, found.q].map((arrows) => Math.sqrt(largest(arrows.map((a) => [a[0] ** 2 + a[1] ** 2]), Number)));
      for (const { name, r, c, made, text, arrows, sign } of cells) {
        const there = shown(name, r), value = rows(name, r)[r][c], stands = name === "table" ? level(r) : 0, held = `${focus}` === `${[name, r, c]}`;
        const says = there ? TABLES[name].say(value) : "";
        made.disabled = !there;
        set(made, {
          tabindex: held ? 0 : -1, "aria-pressed": held, "data-level": stands, ...(there ? { "data-value": value } : {}),
          "aria-label": there ? `${stands ? SIGNS[stands + 1] : sign}, row ${r}, column ${c}: ${says}` : "not yet",
        });
        set(text, {}, stands === 1 ? "" : says);
        made.classList.toggle("lit", parts.some(([of, y, x]) => of === name && [ALL, r].includes(y) && [ALL, c].includes(x)));
        made.classList.toggle("below", value < 0);
        made.style.setProperty("--weight", name === "values" ? (beat === 6 ? shade(found.weights[mine][r]) : 0) : stands === 4 ? shade(value) : Math.abs(value) / most);
        arrows?.replaceChildren();
        if (stands === 1) pair(arrows, [["key", found.k[c], long], ["query", found.q[r], longest]]);
      }
      set(told, {}, sentence(now, words));
      set(sum, {}, now.sum);
      pull(beat === 6 ? found.weights[mine] : [], mine);
    }
    // A key and a query as arrows, each as a share of the longest of its kind.
    function pair(svg, arrows) {
      for (const [kind, [x, y], length] of arrows) add(svg, "path", { class: kind, d: `M0 0L${0.9 * x / length} ${-0.9 * y / length}` });
      add(svg, "circle", { r: 0.09 });
    }
    // Threads from the weights of a row to the values, as thick as the weights.
    function pull(weights, row) {
      const { left, top, width, height } = stage.getBoundingClientRect();
      threads.replaceChildren();
      if (width) weights.forEach((weight, j) => {
        const [from, to] = [["table", row, j], ["values", j, 0]].map((place) => at(...place).getBoundingClientRect());
        const x = ((from.left + from.right) / 2 - left) / width, y = ((to.top < from.top ? from.top : from.bottom) - top) / height;
        const [right, level] = [(to.left - left) / width, ((to.top + to.bottom) / 2 - top) / height];
        add(threads, "path", { class: "pull", d: `M${x} ${y}Q${x} ${level} ${right} ${level}`, "stroke-width": 0.6 + 14 * weight, "vector-effect": "non-scaling-stroke" });
      });
    }
    return follow(model, draw, stage); // whose size the threads have
  }

  globalThis.courseLive.beats = { render };
})();
