// Writer: a GPT goes on from a beginning, a token at a time. Arcs show what its heads, or the one that
// is pressed, look at from the newest token, bars what may come next. All of it is computed from the checkpoint.
// If the state says which heads are `off`, a head can be switched off, and it writes only when it is asked to.
// If the state has a `temperature` and a `top_p`, it writes the whole story at once, and again after each change;
// a word can be pressed: the bars show what it was drawn from, and the story can be drawn again from there.
(() => {
  "use strict";
  const { add, follow, gpt, ink, set, shade, sign, slider, table, tiles, weigh } = globalThis.courseLive;
  const PACE = 500, REST = 5000; // milliseconds a token, and between two texts
  const LEAST = 0.02; // a token that has less is never chosen, unless top-p says which are
  const FROM_ALL = 0.25, FROM_ONE = 0.05; // of an arc, of all heads or of one; the strongest look always has one
  const SHOWN = 5; // of the next tokens, the most probable

  // A number from 0 to 1 for a place in a text, always the same: so another name at the beginning
  // changes only the words that depend on it.
  function luck(seed, place) {
    let n = Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(place + 1, 0x85ebca6b);
    n = Math.imul(n ^ n >>> 15, 0x2c1b3c6d);
    n = Math.imul(n ^ n >>> 12, 0x297a2d39);
    return ((n ^ n >>> 15) >>> 0) / 2 ** 32;
  }

  // The probabilities at a temperature; at 0 the most likely token has all.
  function heated(logits, temperature = 1) {
    const most = Math.max(...logits);
    return weigh([...logits].map((logit) => (temperature ? logit / temperature : logit < most ? -Infinity : 0)));
  }

  // How much a token needs to be drawn: the most likely ones that sum to top-p may be.
  function threshold(chances, top_p) {
    if (top_p === undefined) return Math.min(LEAST, Math.max(...chances));
    let sum = 0;
    return chances.toSorted((a, b) => b - a).find((chance) => (sum += chance) >= top_p) ?? 0;
  }

  function choose(chances, least, at) {
    const kept = chances.map((chance) => (chance < least ? 0 : chance));
    let left = at * kept.reduce((a, b) => a + b);
    return kept.findIndex((chance) => (left -= chance) < 0);
  }

  // Where the heads, or one of them, look from a token, what has most weight last.
  function looks(maps, from, block, head, off) {
    const found = maps.flatMap((heads, b) => heads.flatMap((rows, h) => (
      [...rows[from]].map((weight, place) => ({ weight, place, block: b, head: h })))));
    const chosen = found.filter((each) => (block === null ? !off?.[each.block][each.head] : each.block === block && each.head === head));
    return chosen.sort((a, b) => a.weight - b.weight);
  }

  // The curve from the newest word up and down to another, which may be in a line above.
  function arc(from, to) {
    const [x, y] = [from.offsetLeft + from.offsetWidth / 2, from.offsetTop];
    const [a, b] = [to.offsetLeft + to.offsetWidth / 2, to.offsetTop];
    if (from === to) return `M${x - 7} ${y}c-6 -16 20 -16 14 0`;
    if (b >= y) return `M${x} ${y}C${x} ${y - 12 - Math.abs(x - a) / 12} ${a} ${y - 12 - Math.abs(x - a) / 12} ${a} ${b}`;
    const foot = b + to.offsetHeight, high = Math.max(12, 0.6 * (y - foot));
    return `M${x} ${y}C${x} ${y - high} ${a} ${foot + high} ${a} ${foot}`;
  }

  let stories = 0; // on this page

  function render({ model, el }) {
    const mind = gpt.read(model.get("weights")), look = gpt.reader(mind);
    const { start, swap, off: switches, temperature: heat } = model.get("state"), end = gpt.encode(mind, start).ids[0];
    const sampling = heat !== undefined;
    el.classList.add("course-live", "course-writer");
    el.dataset.preventSwipe = "";
    el.addEventListener("keydown", (event) => {
      if (event.target === field || event.key.startsWith("Arrow")) event.stopPropagation(); // else the page turns
      if (event.key === "Escape") field.blur();
    });

    const button = (parent, text, press) => {
      const made = add(parent, "button", { type: "button", "data-lm-suppress-shortcuts": true }, text);
      made.addEventListener("click", press);
      return made;
    };
    const story = add(el, "div", { class: "story" });
    const text = add(story, "div", { class: "text", role: "group", "aria-label": "the story" });
    const arcs = add(text, "svg", { "aria-hidden": true });
    const tokens = add(text, "p");
    const side = add(el, "div", { class: "side" });
    const next = table(side, "The next token", ["probability"], Array.from({ length: SHOWN }, () => ""));
    next.made.classList.add("next");
    add(side, "p", { class: "title" }, "All heads: press one");
    const draws = tiles(side, mind.config, (one) => { // a second press: all again
      const { block, head } = model.get("state"), off = one.block === block && one.head === head;
      change(off ? { block: null, head: null } : one);
    });
    const cut = switches && button(add(side, "div", { class: "presets" }), "", () => {
      const { block, head, off } = model.get("state");
      if (block !== null) change({ off: off.with(block, off[block].with(head, !off[block][head])) });
    });
    const says = add(story, "p", { class: "says", role: "status" });

    const top = add(story, "div", { class: "top" });
    const field = add(add(top, "label", sampling ? { style: "display: none" } : {}, "The story begins"), "textarea", {
      rows: 3, spellcheck: false, autocomplete: "off", autocapitalize: "off", "data-lm-suppress-shortcuts": true,
    });
    field.addEventListener("input", () => change({ text: field.value }));
    const bar = add(top, "div", { class: "presets", role: "group", "aria-label": "writing" });
    const play = !sampling && button(bar, "Pause", () => { playing = !playing; draw(); wait(); });
    if (!sampling) button(bar, "One token", () => { playing = false; forward(); });
    const again = sampling && button(bar, "Draw again from here", () => (
      change({ text: ids.slice(1, at + 1).map((id) => mind.vocab[id]).join(""), seed: told.seed + 1 })));
    button(bar, "Another story", () => { ids.length = 0; change({ seed: model.get("state").seed + 1 }); });
    const [heating, cutting] = !sampling ? [] : [["temperature", 0, 2], ["top_p", 0.05, 1]].map(([name, min, max]) => (
      slider(top, name.replace("_", "-"), { min, max, step: 0.05 }, (value) => change({ [name]: value }), () => {})));
    const names = add(sampling ? bar : top, "div", { class: "presets", role: "group", "aria-label": swap.asks });
    add(names, "span", {}, swap.asks);
    const known = new RegExp(`(?<!\\p{L})(${swap.words.join("|")})(?!\\p{L})`, "u");
    const words = swap.words.map((word) => button(names, word, () => {
      change({ text: model.get("state").text.replace(known, word) });
    }));
    const note = add(top, "p", { class: "note", role: "status" });

    let ids = [], told = {}, at = 0, playing = !switches && !sampling && !matchMedia("(prefers-reduced-motion: reduce)").matches;
    let seen = true, timer = 0;
    const over = () => ids.length >= mind.config.block_size || (ids.length > 1 && ids.at(-1) === end);
    function change(part) {
      model.set("state", { ...model.get("state"), ...part });
      model.save_changes();
    }

    // The beginning, and as many tokens after it as there were; written anew, they follow what has changed.
    function begin({ text: typed, seed, off, temperature, top_p }) {
      const before = sampling ? Infinity : ids.length;
      ({ ids } = gpt.encode(mind, start + typed));
      if (typed !== told.text) at = ids.length - 1;
      given = ids.length;
      told = { text: typed, seed, off, temperature, top_p };
      while (ids.length < before && !over()) extend();
      at = Math.min(at, ids.length - 1);
    }
    function extend() {
      const chances = heated(look(ids, told.off).logits.at(-1), told.temperature);
      ids.push(choose(chances, threshold(chances, told.top_p), luck(told.seed, ids.length)));
    }
    function forward() {
      if (over()) { ids.length = 0; change({ seed: told.seed + 1 }); } else extend();
      draw();
    }
    function wait() {
      clearTimeout(timer);
      if (playing && seen && !document.hidden) timer = setTimeout(() => { forward(); wait(); }, over() ? REST : PACE);
    }

    // A token as it is shown; a story begins and ends with a line break.
    const called = (id) => (id === end ? "end" : mind.vocab[id].trim() || sign(mind.vocab[id]));
    let given = 0;
    function spell(marks) { // a span for each token, and which of them are others than before
      const old = [...tokens.children].map((span) => span.textContent);
      tokens.replaceChildren();
      ids.forEach((id, n) => {
        if (mind.vocab[id].startsWith(" ")) tokens.append(" ");
        const span = add(tokens, "span", {}, n ? called(id) : "start");
        span.classList.toggle("edge", id === end);
        span.classList.toggle("given", n < given);
        span.classList.toggle("changed", marks && n in old && old[n] !== span.textContent);
      });
    }
    function draw() {
      const { text: typed, seed, block, head, off, temperature, top_p } = model.get("state");
      const another = typed !== told.text || seed !== told.seed || `${off}` !== `${told.off}`
        || temperature !== told.temperature || top_p !== told.top_p;
      const marks = another && (seed === told.seed || (again && typed.startsWith(told.text)));
      const kept = [...tokens.children].map((span) => span.classList.contains("changed"));
      if (field.value !== typed) field.value = typed;
      if (another) { begin(model.get("state")); wait(); }
      spell(marks);
      if (!another) kept.forEach((was, n) => tokens.children[n]?.classList.toggle("changed", was));
      if (!sampling) at = ids.length - 1;
      const { logits, maps } = look(ids, off), last = tokens.children[at];
      draws(maps, block, head, ink(el), off);
      if (cut) set(cut, { "aria-disabled": block === null }, switching(block, head, off));
      last.classList.add("newest");
      arcs.replaceChildren();
      const found = looks(maps, at, block, head, off), least = block === null ? FROM_ALL : FROM_ONE;
      for (const { weight, place } of found.filter((each, n) => each.weight >= least || n === found.length - 1)) {
        tokens.children[place].style.setProperty("--weight", shade(weight));
        add(arcs, "path", { d: arc(last, tokens.children[place]), "stroke-width": 1 + 6 * weight, pathLength: 1 });
      }
      const chances = heated(logits[at], temperature);
      bars(chances, sampling ? threshold(chances, top_p) : 0);
      const { unknown } = gpt.encode(mind, start + typed);
      const strange = unknown.map((word) => `'${word.trim()}'`).join(", ");
      set(note, {}, strange ? `The model has never seen ${strange}: it goes on as well as it can.` : "");
      words.forEach((each) => set(each, { "aria-pressed": known.exec(typed)?.[0] === each.textContent }));
      if (play) set(play, {}, playing ? "Pause" : "Write");
      const most = found.at(-1), there = tokens.children[most.place].textContent;
      el.querySelectorAll(".grid button").forEach((map, n) => (
        map.classList.toggle("most", block === null && n === most.block * mind.config.n_head + most.head)));
      if (sampling) return report(last, chances);
      set(says, { "aria-busy": playing }, `From the newest token, '${last.textContent}', the largest weight is on '${there}': `
        + `${most.weight.toFixed(2)}, in head ${most.head} of block ${most.block}${off?.[most.block][most.head] ? ", but this head is off" : ""}.`);
    }
    function switching(block, head, off) {
      return block === null ? "Press a head to switch it off" : `Switch head ${block}.${head} ${off[block][head] ? "on" : "off"}`;
    }
    function bars(chances, least) {
      const likely = chances.map((_, id) => id).sort((a, b) => chances[b] - chances[a]);
      const ended = over() && at === ids.length - 1;
      next.rows.forEach(({ tr, th, cells: [td] }, n) => {
        const chance = ended ? 0 : chances[likely[n]];
        set(th, {}, ended ? "\u2013" : called(likely[n]));
        set(td, { "data-value": chance }, ended ? "\u2013" : chance < 0.0005 ? "< 0.1 %" : `${(100 * chance).toFixed(1)} %`);
        td.style.setProperty("--weight", chance);
        tr.classList.toggle("cut", chance < least);
        tr.classList.toggle("drawn", sampling && !ended && likely[n] === ids[at + 1]);
      });
    }

    // The words can be pressed, or chosen with the arrow keys; all of it is about the marked one.
    function report(last, chances) {
      const { temperature, top_p } = told, least = threshold(chances, top_p), drawn = ids[at + 1];
      heating(temperature, temperature.toFixed(2));
      cutting(top_p, top_p.toFixed(2));
      [...tokens.children].forEach((span, n) => set(span, { id: `${tokens.id}-${n}`, role: "option", "aria-selected": n === at }));
      set(tokens, { "aria-activedescendant": last.id });
      const left = chances.filter((chance) => chance >= least && chance > 0).length;
      set(says, {}, `After '${last.textContent}', ${left} of ${chances.length} tokens can be drawn at temperature `
        + `${temperature.toFixed(2)} and top-p ${top_p.toFixed(2)}. `
        + (drawn === undefined ? "The story ends here." : `'${called(drawn)}' was drawn, with probability `
        + `${(chances[drawn] / chances.filter((chance) => chance >= least).reduce((a, b) => a + b)).toFixed(3)}.`));
    }
    function mark(n) {
      at = Math.max(0, Math.min(n, ids.length - 1));
      draw();
    }
    if (sampling) {
      for (const [name, value] of Object.entries({
        role: "listbox", tabindex: 0, id: `course-story-${++stories}`, "aria-label": "the words of the story",
        "data-lm-suppress-shortcuts": true,
      })) tokens.setAttribute(name, value);
      tokens.addEventListener("click", ({ target }) => {
        const n = [...tokens.children].indexOf(target);
        if (n >= 0) mark(n);
      });
      tokens.addEventListener("keydown", (event) => {
        const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (!by) return;
        event.preventDefault();
        mark(at + by);
      });
    }

    const stop = follow(model, draw), sized = new ResizeObserver(draw), theme = new MutationObserver(draw);
    const sight = new IntersectionObserver(([entry]) => { seen = entry.isIntersecting; wait(); });
    sized.observe(text);
    sight.observe(el);
    for (const of of [document.documentElement, document.body]) {
      theme.observe(of, { attributeFilter: ["class", "data-jp-theme-light"] });
    }
    document.addEventListener("visibilitychange", wait);
    return () => {
      stop();
      clearTimeout(timer);
      for (const each of [sized, sight, theme]) each.disconnect();
      document.removeEventListener("visibilitychange", wait);
    };
  }

  globalThis.courseLive.writer = { render };
})();
