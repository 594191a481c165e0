// Softmax: a row of scores as bars that can be dragged, beside the weights that it makes of them.
// Chapter 07 multiplies the row by a scale; chapter 03 divides it by a temperature, and writes.
(() => {
  "use strict";
  const { add, button, follow, handle, hands, set, slider, step, voice, weigh } = globalThis.courseLive;
  const WIDTH = 360, HEIGHT = 230, TOP = 24, FLOOR = HEIGHT - 24, HIGH = FLOOR - TOP;

  const total = (weights, f) => weights.reduce((sum, w) => sum + f(w), 0);
  const entropyOf = (weights) => -total(weights, (w) => (w ? w * Math.log(w) : 0)) + 0; // no -0

  // ---------------------------------------------------------------- what both have

  // Two panels of bars, n in each: scores with a handle, of which the last `rest` have none, and
  // the weights. `to` gets a bar's number and where the pointer is, as a share of the height.
  function panels(el, n, [asks, gives], [least, most], rest = 0) {
    const planes = add(el, "div", { class: "planes" }), wide = WIDTH / n;
    const [left, right] = [["key", asks], ["query", gives]].map(([kind, says]) => {
      const box = add(planes, "div", { class: "plane" });
      add(add(box, "p", { class: "legend" }), "span", { class: kind }, says);
      return add(box, "svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "group", "aria-label": says });
    });
    add(right, "path", { class: "axes", d: `M0 ${FLOOR}H${WIDTH}M0 ${TOP}H${WIDTH}` });
    const bars = Array.from({ length: n }, (_, j) => {
      const x = (j + 0.15) * wide, width = 0.7 * wide, centre = (j + 0.5) * wide;
      const middle = (svg, y) => add(svg, "text", { x: centre, y, "text-anchor": "middle" });
      const bar = { x, width, centre, names: [middle(right, HEIGHT - 6)] };
      if (j < n - rest) {
        bar.names.push(middle(left, HEIGHT - 6));
        bar.grab = add(left, "g", {
          class: "handle", role: "slider", "aria-orientation": "vertical",
          "aria-valuemin": least, "aria-valuemax": most,
        });
        add(bar.grab, "rect", { class: "reach", x: j * wide + 1, y: 0, width: wide - 2, height: HEIGHT });
        bar.score = add(bar.grab, "rect", { class: "score", x, width });
        bar.grip = add(bar.grab, "rect", { class: "grip", x: x - 2, width: width + 4, height: 8, rx: 4 });
      }
      bar.weight = add(right, "rect", { class: "weight", x, width });
      bar.number = middle(right, 0);
      return bar;
    });
    return { left, right, bars };
  }

  function showScore({ grab, score, grip }, zero, y, attributes) {
    set(score, { y: Math.min(y, zero), height: Math.abs(y - zero) });
    set(grip, { y: y - 4 });
    set(grab, attributes);
  }

  function showWeight({ weight, number }, value, text) {
    const top = FLOOR - value * HIGH;
    set(weight, { y: top, height: FLOOR - top, "data-value": value });
    set(number, { y: top - 5 }, text);
  }

  function gauge(parent, name, max, mark) {
    const line = add(parent, "p", { class: "gauge" }, name);
    const svg = add(line, "svg", { viewBox: `0 0 ${WIDTH} 20`, "aria-hidden": true });
    const fill = add(svg, "rect", { class: "weight", height: 14, y: 3 });
    const even = add(svg, "path", { class: "even" }), number = add(line, "span");
    return (value, at, digits) => {
      set(fill, { width: value / max * WIDTH });
      set(even, { d: `M${at / max * (WIDTH - 2) + 1} 0v20` });
      set(number, {}, `${value.toFixed(digits)}; ${mark}, the mark: ${at.toFixed(digits)}`);
      line.dataset.value = value;
    };
  }

  function render({ model, el }) {
    el.classList.add("course-live", "course-softmax");
    el.dataset.preventSwipe = ""; // on a slide, the finger moves a bar
    return ("counts" in model.get("state") ? temperature : scale)({ model, el, ...hands(model) });
  }

  // ---------------------------------------------------------------- chapter 07: a scale

  const REACH = 3; // of the bars, in spreads

  function scaled({ row, sizes, size, powers, power }) {
    const d = sizes[size], factor = d ** powers[power][1];
    const scores = row.map((z) => z * Math.sqrt(d) * factor), weights = weigh(scores);
    const squares = total(weights, (w) => w * w);
    const norm = Math.sqrt(Math.max(0, squares - 2 * total(weights, (w) => w ** 3) + squares ** 2));
    return { d, factor, scores, weights, entropy: entropyOf(weights), norm };
  }

  function scale({ model, el, change, done }) {
    const { names, sizes, powers } = model.get("state"), T = names.length;
    const equal = Math.sqrt((T - 1)) / T;
    const heads = ["scores: drag them (bars: in units of \u221ad \u00b7 scale)", "weights"];
    const { left, right, bars } = panels(el, T, heads, [-REACH, REACH]);
    const middle = TOP + HIGH / 2, unit = HIGH / 2 / REACH;
    add(left, "path", { class: "axes", d: `M0 ${middle}H${WIDTH}` });
    add(right, "text", { class: "tick", x: 8, y: TOP - 5 }, "1");
    bars.forEach((bar, j) => {
      for (const name of bar.names) name.textContent = names[j];
      bar.product = add(left, "text", { x: bar.centre, y: 14, "text-anchor": "middle" });
      set(bar.grab, { "aria-label": `score of key ${names[j]}` });
    });

    const side = add(el, "div", { class: "side" }), tell = add(side, "div", { class: "tell" });
    const showPower = slider(tell, "scale", { max: powers.length - 1 }, (power) => change({ power }), done);
    const showSize = slider(tell, "head size d", { max: sizes.length - 1 }, (size) => change({ size }), done);
    const box = add(side, "div", { class: "tell" });
    const showEntropy = gauge(box, "entropy", Math.log(T), "equal weights");
    const showNorm = gauge(box, "norm of the Jacobian", 0.5, "equal weights");
    const says = voice(side);

    function draw() {
      const state = model.get("state"), { d, factor, scores, weights, entropy, norm } = scaled(state);
      bars.forEach((bar, j) => {
        const z = state.row[j], score = scores[j];
        showScore(bar, middle, middle - z * unit, {
          "aria-valuenow": z.toFixed(2), "data-value": score,
          "aria-valuetext": `${z.toFixed(2)} spreads, a score of ${score.toFixed(2)}`,
        });
        showWeight(bar, weights[j], weights[j].toFixed(2));
        set(bar.product, {}, score.toFixed(Math.abs(score) < 100 ? 1 : 0));
      });
      const name = powers[state.power][0];
      showPower(state.power, name);
      showSize(state.size, `${d}`);
      showEntropy(entropy, Math.log(T), 3);
      showNorm(norm, equal, 3);
      const best = weights.indexOf(Math.max(...weights));
      says.textContent = `Head size ${d}, scale ${name.split(" (")[0]} = ${Number(factor.toPrecision(4))}: the scores go from `
        + `${Math.min(...scores).toFixed(2)} to ${Math.max(...scores).toFixed(2)}. Key ${names[best]} has the largest weight, `
        + `${weights[best].toFixed(4)}; the entropy is ${entropy.toFixed(4)}, of ${Math.log(T).toFixed(4)} at most, and the `
        + `Jacobian's norm ${norm.toFixed(4)}, against ${equal.toFixed(4)} for equal weights.`;
    }

    const put = (j, z) => change({ row: model.get("state").row.with(j, Math.max(-REACH, Math.min(REACH, z))) });
    bars.forEach(({ grab }, j) => handle(grab, left, says, {
      to: ([, down]) => put(j, (middle - down * HEIGHT) / unit),
      by: ([over, up], fine) => put(j, step(model.get("state").row[j], over || up, fine ? 0.01 : 0.1)),
      done,
    }));
    return follow(model, draw);
  }

  // ---------------------------------------------------------------- chapter 03: a temperature

  const SHOWN = 13; // of the next characters, the most likely; a finger needs some room for each
  const BASE = FLOOR - 18; // a count of 1; what never came lies below

  // Numbers from 0 to 1 that a seed decides: mulberry32, by Tommy Ettinger.
  const luck = (seed) => () => {
    seed = seed + 0x6d2b79f5 | 0;
    let t = Math.imul(seed ^ seed >>> 15, seed | 1);
    t ^= t + Math.imul(t ^ t >>> 7, t | 61);
    return ((t ^ t >>> 14) >>> 0) / 2 ** 32;
  };

  // Softmax of the logits, ln of the counts, over the temperature; at 0 all goes to the first of
  // the largest. Where nothing was counted nothing is known, and all are alike.
  function chances(row, temperature) {
    const counts = row.some(Boolean) ? row : row.map(() => 1), best = counts.indexOf(Math.max(...counts));
    return temperature ? weigh(counts.map((count) => Math.log(count) / temperature))
      : counts.map((_, j) => Number(j === best));
  }

  function temperature({ model, el, change, done, keep }) {
    const { names, counts, length } = model.get("state"), V = names.length;
    const shown = Math.min(SHOWN, V), most = Math.ceil(Math.log(Math.max(2, ...counts.flat().map(([, n]) => n))));
    const unit = (BASE - TOP) / most;
    const counted = (id) => {
      const row = new Array(V).fill(0);
      for (const [j, n] of counts[id]) row[j] = n;
      return row;
    };
    const moved = ({ last, moved }) => counted(last).map((n, j) => moved[j] ?? n);

    const top = add(el, "div", { class: "top" });
    const label = add(top, "label", {}, "last character");
    const menu = add(label, "select", { "data-lm-suppress-shortcuts": true });
    names.forEach((name, value) => add(menu, "option", { value }, name));
    menu.addEventListener("change", () => { keep({ last: Number(menu.value), moved: {} }); });
    const showTemperature = slider(
      top, "temperature", { max: 3, step: 0.1 }, (temperature) => change({ temperature }), done);
    button(top, "draw again", () => keep({ seed: model.get("state").seed + 1 }));
    button(top, "logits as counted", () => keep({ moved: {} }));

    const { left, right, bars } = panels(
      el, shown + 1, ["logits, ln of the counts: drag them", "probability, in %; outlined: as counted"], [0, most], 1);
    for (let n = 1; n < Math.exp(most); n *= 10) {
      const y = BASE - Math.log(n) * unit;
      left.prepend(add(left, "path", { class: "axes", d: `M0 ${y}H${WIDTH}` }));
      add(left, "text", { class: "tick end", x: WIDTH, y: y - 3 }, n === 1 ? "once" : `${n}`);
    }
    add(left, "text", { class: "tick end", x: WIDTH, y: FLOOR }, "never");
    add(right, "text", { class: "tick end", x: WIDTH, y: TOP - 5 }, "100");
    const outlines = bars.map(({ x, width }) => add(right, "rect", { class: "plain", x, width }));
    set(bars.at(-1).names[0], {}, "rest");

    const side = add(el, "div", { class: "side" });
    const box = add(side, "div", { class: "tell" });
    const showEntropy = gauge(box, "entropy", Math.log(V), "as counted");
    const showChoices = gauge(add(side, "div", { class: "tell" }), "equal choices (perplexity)", V, "as counted");
    const says = voice(side);
    const sentence = add(says, "span"), text = add(says, "samp");

    function write(state) {
      const random = luck(state.seed), rows = { [state.last]: chances(moved(state), state.temperature) };
      const ids = [state.last];
      while (ids.length < length) {
        const row = rows[ids.at(-1)] ??= chances(counted(ids.at(-1)), state.temperature);
        let left = random();
        ids.push(row.findIndex((p) => (left -= p) < 0));
      }
      return ids.map((id) => (names[id] === "\u2423" ? " " : names[id])).join("");
    }

    let order = [];
    function draw() {
      const state = model.get("state"), row = moved(state), { last, temperature } = state;
      const was = counted(last), plain = chances(was, 1), weights = chances(row, temperature);
      order = was.map((_, j) => j).sort((a, b) => was[b] - was[a]).slice(0, shown);
      const rest = (all) => Math.max(0, 1 - order.reduce((sum, j) => sum + all[j], 0));
      bars.forEach((bar, n) => {
        const j = order[n], w = n < shown ? weights[j] : rest(weights), before = n < shown ? plain[j] : rest(plain);
        showWeight(bar, w, `${Math.round(100 * w)}`);
        set(outlines[n], { y: FLOOR - before * HIGH, height: before * HIGH });
        if (n === shown) return;
        const count = row[j], z = Math.log(count);
        for (const name of bar.names) set(name, {}, names[j]);
        showScore(bar, count ? BASE : BASE + 9, count ? BASE - z * unit : BASE + 9, {
          "aria-label": `logit of ${names[j]}`, "aria-valuenow": count ? z.toFixed(2) : 0, "data-value": count,
          "aria-valuetext": count ? `${z.toFixed(2)}, a count of ${Math.round(count)}` : "never",
        });
        bar.grab.classList.toggle("never", !count);
      });
      menu.value = last;
      showTemperature(temperature, temperature.toFixed(1));
      const entropy = entropyOf(weights), before = entropyOf(plain), best = weights.indexOf(Math.max(...weights));
      showEntropy(entropy, before, 3);
      showChoices(Math.exp(entropy), Math.exp(before), 1);
      const changed = Object.keys(state.moved).length;
      set(sentence, {}, `After '${names[last]}' at temperature ${temperature.toFixed(1)}`
        + (changed ? `, with ${changed} logit${changed > 1 ? "s" : ""} moved,` : "")
        + ` the most likely next character is '${names[best]}', with probability ${weights[best].toFixed(3)}. The choice is `
        + `as uncertain as a choice among ${Math.exp(entropy).toFixed(1)} equally likely characters. A text written at this temperature with seed ${state.seed}: `);
      set(text, {}, `'${write(state)}'`);
    }

    const put = (n, z) => {
      const { moved } = model.get("state"), count = z < -1e-9 ? 0 : Math.exp(Math.min(most, z));
      change({ moved: { ...moved, [order[n]]: count } });
    };
    bars.slice(0, shown).forEach(({ grab }, n) => handle(grab, left, says, {
      to: ([, down]) => put(n, (BASE - down * HEIGHT) / unit),
      by: ([over, up], fine) => {
        const count = moved(model.get("state"))[order[n]], towards = over || up;
        if (count) put(n, step(Math.log(count), towards, fine ? 0.01 : 0.1));
        else if (towards > 0) put(n, 0);
      },
      done,
    }));
    return follow(model, draw);
  }

  globalThis.courseLive.softmax = { render };
})();
