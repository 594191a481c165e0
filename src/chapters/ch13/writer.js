// Writer: a GPT goes on from a beginning, a token at a time. Arcs show what its heads, or the one that
// is pressed, look at from the newest token, bars what may come next. All of it is computed from the checkpoint.
// A token that a pointer or the arrow keys mark takes the place of the newest: its row and its column are lit in
// the maps, and arcs lead to it too. A cell of a map that is pointed at lights its two tokens, and their arc.
// A token that was drawn though it had less than SURE is dotted: the story could have gone on in another way.
// If the state says which heads are `off`, a head can be switched off, and it writes only when it is asked to.
// If the state has a `temperature` and a `top_p`, it writes a whole story without being asked, and again after each change;
// a word can be pressed: the bars show what it was drawn from, and the story can be drawn again from there.
// After a change it rewrites the story in slices, one in a frame; until then the old words are grey.
// Needs gpt, tiles.
(() => {
  "use strict";
  const { add, arrow, button, follow, gpt, group, guesses, hands, ink, set, shade, sign, slider, textField, tiles, voice, weigh } = globalThis.courseLive;
  const PACE = 500, REST = 5000; // milliseconds a token, and between two texts
  const LEAST = 0.02; // a token that has less is never chosen, unless top-p says which are
  const FROM_ALL = 0.25, FROM_ONE = 0.05; // of an arc, of all heads or of one; the strongest look always has one
  const SURE = 0.9;
  const SLICE = 6, ENOUGH = 4; // tokens in a frame, and milliseconds after which none is begun
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
    return Float64Array.from(chances).sort().findLast((chance) => (sum += chance) >= top_p) ?? 0;
  }

  function choose(chances, least, at) {
    const kept = chances.map((chance) => (chance < least ? 0 : chance));
    let left = at * kept.reduce((a, b) => a + b);
    return kept.findIndex((chance) => (left -= chance) < 0);
  }

  const ahead = (from) => (rows) => [...rows[from]].map((weight, place) => ({ weight, place }));
  const back = (to) => (rows) => rows.slice(to + 1).map((row, n) => ({ weight: row[to], place: to + 1 + n }));

  // Where the heads, or one of them, look from a token, or from where they look back at it; most weight last.
  function looks(maps, which, block, head, off) {
    const found = maps.flatMap((heads, b) => heads.flatMap((rows, h) => (
      which(rows).map((one) => ({ ...one, block: b, head: h })))));
    const chosen = found.filter((each) => (block === null ? !off?.[each.block][each.head] : each.block === block && each.head === head));
    return chosen.sort((a, b) => a.weight - b.weight);
  }

  // The arcs of a token: out of it to what the heads look at, the strongest last, and into it from what looks
  // back at it. Of two tokens, only the one between them.
  function bows(maps, { from, to, block, head }, off) {
    const least = block === null ? FROM_ALL : FROM_ONE, pair = to !== undefined;
    const found = looks(maps, ahead(from), block, head, off).filter(({ place }) => !pair || place === to);
    const strong = ({ weight }) => !pair && weight >= least, most = found.at(-1);
    return {
      most, out: found.filter((each) => each === most || strong(each)),
      into: looks(maps, back(from), block, head, off).filter(strong),
    };
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
    const { keep: change } = hands(model);

    const story = add(el, "div", { class: "story" });
    const top = add(story, "div", { class: "top" });
    const text = add(story, "div", { class: "text", role: "group", "aria-label": "the story" });
    const arcs = add(text, "svg", { "aria-hidden": true });
    const tokens = add(text, "p", {
      role: "listbox", tabindex: 0, id: `course-story-${++stories}`, "aria-label": "the words of the story",
      "data-lm-suppress-shortcuts": true,
    });
    const side = add(el, "div", { class: "side" });
    const guess = guesses(side, "The next token", SHOWN, (id) => called(id));
    const title = add(side, "p", { class: "title" });
    const draws = tiles(side, mind.config, (one) => { // a second press: all again
      pointed = null; // until the pointer goes on
      const { block, head } = model.get("state"), off = one.block === block && one.head === head;
      change(off ? { block: null, head: null } : one);
    }, point);
    const grid = side.querySelector(".grid");
    const cut = switches && button(group(side, "switches"), "", () => {
      const { block, head, off } = model.get("state");
      if (block !== null) change({ off: off.with(block, off[block].with(head, !off[block][head])) });
    });
    const says = voice(story);

    const bar = group(top, "writing");
    const play = !sampling && button(bar, "Pause", () => { playing = !playing; draw(); wait(); });
    if (!sampling) button(bar, "One token", () => { playing = false; forward(); });
    if (sampling) button(bar, "Draw again from here", () => (
      at < ids.length && change({ text: ids.slice(1, at + 1).map((id) => mind.vocab[id]).join(""), seed: told.seed + 1 })));
    const another = () => change({ seed: model.get("state").seed + 1 });
    button(bar, "Another story", another);
    const [heating, cutting] = !sampling ? [] : [["temperature", 0, 2], ["top_p", 0.05, 1]].map(([name, min, max]) => (
      slider(top, name.replace("_", "-"), { min, max, step: 0.05 }, (value) => change({ [name]: value }), () => {})));
    const names = group(sampling ? bar : top, swap.asks);
    add(names, "span", {}, swap.asks);
    const known = new RegExp(`(?<!\\p{L})(${swap.words.join("|")})(?!\\p{L})`, "u");
    const words = swap.words.map((word) => button(names, word, () => {
      change({ text: model.get("state").text.replace(known, word) });
    }));
    const foot = add(story, "div", { class: "top" });
    const field = textField(el, add(foot, "label", sampling ? { style: "display: none" } : {}, "The story begins"), 3, change);
    const note = add(foot, "p", { class: "note", role: "status" });

    let ids = [], told = {}, at = 0, playing = !switches && !sampling && !matchMedia("(prefers-reduced-motion: reduce)").matches;
    let seen = true, timer = 0, pointed = null, focused = false; // `at` is the marked token, here or by a pointer
    const over = () => ids.length >= mind.config.block_size || (ids.length > 1 && ids.at(-1) === end);

    // The beginning; as many tokens as there were are to follow it, and they follow what has changed. Another
    // story begins with no more than that.
    function begin({ text: typed, seed, off, temperature, top_p }) {
      const follows = seed === told.seed || (typed !== told.text && typed.startsWith(told.text));
      was = follows ? [...ids, ...was.slice(ids.length)] : [];
      goal = sampling ? Infinity : follows ? Math.max(goal, ids.length) : 0;
      ({ ids } = gpt.encode(mind, start + typed));
      if (typed !== told.text) at = ids.length - 1;
      given = ids.length;
      odds = [];
      told = { text: typed, seed, off, temperature, top_p };
    }
    function fill() { // the next slice of them
      const until = performance.now() + ENOUGH;
      for (let n = 0; n < SLICE && ids.length < goal && !over() && (!n || performance.now() < until); n += 1) extend();
      if (ids.length < goal && !over()) return;
      goal = 0;
      was.length = Math.min(was.length, ids.length);
      at = Math.min(at, ids.length - 1);
      wait();
    }
    function extend() {
      const chances = heated(look(ids, told.off).logits.at(-1), told.temperature);
      const least = threshold(chances, told.top_p), id = choose(chances, least, luck(told.seed, ids.length));
      odds[ids.length] = chances[id] / chances.reduce((sum, chance) => sum + (chance < least ? 0 : chance), 0);
      ids.push(id);
    }
    function forward() {
      if (over()) return another();
      if (goal) goal += 1; else extend();
      draw();
    }
    function wait() {
      clearTimeout(timer);
      if (playing && seen && !goal && !document.hidden && !pointed && !focused) timer = setTimeout(() => { forward(); wait(); }, over() ? REST : PACE);
    }

    // A token as it is shown; a story begins and ends with a line break.
    const called = (id) => (id === end ? "end" : mind.vocab[id].trim() || sign(mind.vocab[id]));
    let given = 0, odds = []; // of each token that was drawn, how probable it was
    let was = [], goal = 0, filling = 0; // the tokens before the last change, and how many are to be there now
    function spell() { // a span for each token, and which of them are others than before
      tokens.replaceChildren();
      [...ids, ...(goal ? was.slice(ids.length) : [])].forEach((id, n) => {
        if (mind.vocab[id].startsWith(" ")) tokens.append(" ");
        if (n >= ids.length) { add(tokens, "span", { class: "old", "aria-hidden": true }, called(id)); return; }
        const span = add(tokens, "span", { role: "option", id: `${tokens.id}-${n}` }, n ? called(id) : "start");
        span.classList.toggle("edge", id === end);
        span.classList.toggle("given", n < given);
        span.classList.toggle("open", odds[n] < SURE);
        span.classList.toggle("changed", n in was && was[n] !== id);
      });
    }
    function changed() {
      const { text: typed, seed, off, temperature, top_p } = model.get("state");
      return typed !== told.text || seed !== told.seed || `${off}` !== `${told.off}`
        || temperature !== told.temperature || top_p !== told.top_p;
    }
    function draw() {
      const { text: typed, block, head, off, temperature, top_p } = model.get("state");
      if (field.value !== typed) field.value = typed;
      if (changed()) { begin(model.get("state")); fill(); }
      if (goal) filling ||= requestAnimationFrame(() => { filling = 0; if (!changed()) { fill(); draw(); } }); // or `follow` draws
      const colours = ink(el);
      set(tokens, { "aria-busy": Boolean(goal) });
      spell();
      draws(look(ids, off).maps, block, head, colours, off);
      set(title, {}, block === null ? "All heads: press one" : `Head ${block}.${head}: press again for all`);
      if (cut) set(cut, { "aria-disabled": block === null }, switching(block, head, off));
      const { unknown } = gpt.encode(mind, start + typed);
      const strange = unknown.map((word) => `'${word.trim()}'`).join(", ");
      const n = sampling ? 0 : tokens.querySelectorAll(".changed:not(.given)").length;
      if (!goal) set(note, {}, strange ? `The model has never seen ${strange}: it goes on as well as it can.`
        : n ? `${n} later ${n > 1 ? "words have" : "word has"} changed (solid line).`
        : tokens.querySelector(".open") ? "At a dotted word, the story could have gone on differently." : "");
      words.forEach((each) => set(each, { "aria-pressed": known.exec(typed)?.[0] === each.textContent }));
      if (play) set(play, {}, playing ? "Pause" : "Write");
      if (sampling) heating(temperature, temperature.toFixed(2));
      if (sampling) cutting(top_p, top_p.toFixed(2));
      light();
    }

    // All that is about one token, or about two.
    function light() {
      if (Math.max(pointed?.from, pointed?.to ?? 0) >= ids.length) pointed = null; // of a longer story
      if (!sampling && !focused) at = ids.length - 1;
      const { block, head, off, temperature, top_p } = model.get("state"), { logits, maps } = look(ids, off);
      const now = Math.min(at, ids.length - 1); // while words are still missing
      const about = { block, head, from: now, ...pointed }, { from, to } = about, { most, out, into } = bows(maps, about, off);
      const spans = [...tokens.children].slice(0, ids.length), chances = heated(logits[from], temperature);
      spans.forEach((span, n) => {
        set(span, { "aria-selected": n === now });
        span.classList.toggle("newest", n === from);
        span.classList.toggle("heard", n === to);
        span.style.removeProperty("--weight");
      });
      set(tokens, { "aria-activedescendant": spans[now].id });
      const curves = [ // all places are read before an arc is written, so that they are computed once
        ...into.map(({ weight, place }) => ({ class: "back", d: arc(spans[place], spans[from]), weight })),
        ...out.map(({ weight, place }) => ({ class: "", d: arc(spans[from], spans[place]), weight })),
      ];
      arcs.replaceChildren();
      for (const { weight, ...curve } of curves) add(arcs, "path", { ...curve, "stroke-width": 1 + 6 * weight, pathLength: 1 });
      for (const { weight, place } of out) spans[place].style.setProperty("--weight", shade(weight));
      cross(from, to ?? from, pointed || from < ids.length - 1);
      grid.querySelectorAll("button").forEach((map, n) => (
        map.classList.toggle("most", about.block === null && n === most.block * mind.config.n_head + most.head)));
      bars(chances, sampling ? threshold(chances, top_p) : 0, from);
      set(says, { "aria-busy": Boolean(goal) || (!focused && Boolean(playing || pointed)) },
        sampling && to === undefined ? drawn(from, chances) : heard(from, to, most, into.length));
    }
    function cross(row, column, shown) { // on the maps, as shares of them
      const last = Math.max(1, ids.length - 1);
      const places = { "--row": row / last, "--wide": (row + 1) / ids.length, "--column": column / last, "--high": 1 - column / ids.length };
      grid.classList.toggle("pointed", Boolean(shown));
      for (const [name, share] of Object.entries(places)) grid.style.setProperty(name, share);
    }
    function heard(from, to, { weight, place, block, head }, n) {
      const [one, other] = [from, place].map((each) => `'${tokens.children[each].textContent}'`), { off } = told;
      const where = `in head ${head} of block ${block}${off?.[block][head] ? ", but this head is off" : ""}.`;
      if (to !== undefined) return `From ${one} to ${other} the weight is ${weight.toFixed(2)}, ${where}`;
      return `From ${from === ids.length - 1 ? `the newest token, ${one},` : one} the largest weight is on ${other}: ${weight.toFixed(2)}, ${where}`
        + (n ? ` ${n} arc${n > 1 ? "s lead" : " leads"} to it.` : "");
    }
    function switching(block, head, off) {
      return block === null ? "Press a head to switch it off" : `Switch head ${block}.${head} ${off[block][head] ? "on" : "off"}`;
    }
    function bars(chances, least, from) {
      const ended = over() && from === ids.length - 1;
      guess(ended ? [] : chances).forEach(({ tr, id, chance }) => {
        tr.classList.toggle("cut", chance < least);
        tr.classList.toggle("drawn", id !== undefined && id === ids[from + 1]);
      });
    }
    function drawn(from, chances) {
      const { temperature, top_p } = told, least = threshold(chances, top_p), id = ids[from + 1];
      const kept = chances.filter((chance) => chance >= least && chance > 0);
      return `After '${tokens.children[from].textContent}', ${kept.length} of ${chances.length} tokens can be drawn at temperature `
        + `${temperature.toFixed(2)} and top-p ${top_p.toFixed(2)}. `
        + (id === undefined ? "The story ends here." : `'${called(id)}' was drawn, with probability `
        + `${(chances[id] / kept.reduce((a, b) => a + b)).toFixed(3)}.`);
    }

    // A press marks a word, and so do the arrow keys to the left and right; up and down mark the one that it looks at.
    const bound = (n) => Math.max(0, Math.min(n, ids.length - 1));
    let frame = 0;
    function point(place) {
      if (JSON.stringify(place) === JSON.stringify(pointed)) return;
      pointed = place;
      frame ||= requestAnimationFrame(() => { frame = 0; light(); });
      wait();
    }
    function mark(n) {
      at = bound(n);
      pointed = null;
      light();
    }
    function focus(is) {
      focused = is;
      mark(at);
      wait();
    }
    const place = ({ target }) => [...tokens.children].slice(0, ids.length).indexOf(target);
    tokens.addEventListener("pointerover", (event) => { if (place(event) >= 0) point({ from: place(event) }); });
    tokens.addEventListener("pointerleave", () => point(null));
    tokens.addEventListener("click", (event) => { if (place(event) >= 0) mark(place(event)); });
    tokens.addEventListener("focus", () => focus(true));
    tokens.addEventListener("blur", () => focus(false));
    tokens.addEventListener("keydown", (event) => {
      const by = arrow(event);
      if (by?.[0]) mark(at + by[0]);
      if (by?.[1]) point({ from: at, to: Math.min(at, bound((pointed?.to ?? at) + by[1])) });
    });

    const stop = follow(model, draw, text);
    const sight = new IntersectionObserver(([entry]) => { seen = entry.isIntersecting; wait(); });
    sight.observe(el);
    document.addEventListener("visibilitychange", wait);
    return () => {
      stop();
      clearTimeout(timer);
      cancelAnimationFrame(frame);
      cancelAnimationFrame(filling);
      sight.disconnect();
      document.removeEventListener("visibilitychange", wait);
    };
  }

  globalThis.courseLive.writer = { render };
})();
