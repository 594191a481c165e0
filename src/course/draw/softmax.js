// Softmax: a row of scores as bars that can be dragged, and what a factor makes of them: weights,
// their entropy, and the norm of softmax's Jacobian.
(() => {
  "use strict";
  const { add, follow, handle, set, step } = globalThis.courseLive;
  const WIDTH = 360, HEIGHT = 230, TOP = 24, FOOT = 24, REACH = 3; // of the bars, in spreads

  function measure({ row, sizes, size, powers, power }) {
    const d = sizes[size], factor = d ** powers[power][1];
    const scores = row.map((z) => z * Math.sqrt(d) * factor), most = Math.max(...scores);
    const shares = scores.map((score) => Math.exp(score - most));
    const sum = shares.reduce((a, b) => a + b), weights = shares.map((share) => share / sum);
    const total = (f) => weights.reduce((a, w) => a + f(w), 0);
    const squares = total((w) => w * w);
    return {
      d, factor, scores, weights,
      entropy: -total((w) => (w ? w * Math.log(w) : 0)) + 0, // no -0
      norm: Math.sqrt(Math.max(0, squares - 2 * total((w) => w ** 3) + squares ** 2)),
    };
  }

  function panel(parent, kind, says) {
    const box = add(parent, "div", { class: "plane" });
    add(add(box, "p", { class: "legend" }), "span", { class: kind }, says);
    return add(box, "svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "group", "aria-label": says });
  }

  function render({ model, el }) {
    const { row, names, sizes, powers } = model.get("state"), T = row.length;
    const wide = WIDTH / T, equal = Math.sqrt((T - 1)) / T;
    el.classList.add("course-live", "course-softmax");
    el.dataset.preventSwipe = ""; // on a slide, the finger moves a bar
    const change = (part) => model.set("state", { ...model.get("state"), ...part });
    const done = () => model.save_changes();

    const planes = add(el, "div", { class: "planes" });
    const left = panel(planes, "key", "scores: drag them (bars: in units of \u221ad \u00b7 scale)");
    const right = panel(planes, "query", "weights");
    const middle = TOP + (HEIGHT - TOP - FOOT) / 2, unit = (middle - TOP) / REACH;
    const floor = HEIGHT - FOOT, high = floor - TOP;
    add(left, "path", { class: "axes", d: `M0 ${middle}H${WIDTH}` });
    add(right, "path", { class: "axes", d: `M0 ${floor}H${WIDTH}M0 ${TOP}H${WIDTH}` });
    add(right, "text", { class: "tick", x: 8, y: TOP - 5 }, "1");
    const bars = names.map((name, j) => {
      const x = j * wide + wide * 0.15, width = wide * 0.7, centre = (j + 0.5) * wide;
      for (const svg of [left, right]) add(svg, "text", { x: centre, y: HEIGHT - 6, "text-anchor": "middle" }, name);
      const grab = add(left, "g", {
        class: "handle", role: "slider", "aria-label": `score of key ${name}`,
        "aria-orientation": "vertical", "aria-valuemin": -REACH, "aria-valuemax": REACH,
      });
      add(grab, "rect", { class: "reach", x: j * wide + 1, y: 0, width: wide - 2, height: HEIGHT });
      return {
        grab, score: add(grab, "rect", { class: "score", x, width }),
        grip: add(grab, "rect", { class: "grip", x: x - 2, width: width + 4, height: 8, rx: 4 }),
        weight: add(right, "rect", { class: "weight", x, width }),
        number: add(right, "text", { x: centre, "text-anchor": "middle" }),
        product: add(left, "text", { x: centre, y: 14, "text-anchor": "middle" }),
      };
    });

    const side = add(el, "div", { class: "side" }), tell = add(side, "div", { class: "tell" });
    const slider = (says, max, name) => {
      const label = add(tell, "label", { class: "slide" }, says);
      const output = add(label, "span"); // an output would be what the label names
      const input = add(label, "input", { type: "range", "aria-label": says, min: 0, max, step: 1, "data-lm-suppress-shortcuts": true });
      input.addEventListener("input", () => change({ [name]: Number(input.value) }));
      input.addEventListener("change", done);
      return (value, text) => {
        input.value = value;
        set(input, { "aria-valuetext": text });
        set(output, {}, text);
      };
    };
    const showPower = slider("scale", powers.length - 1, "power");
    const showSize = slider("head size d", sizes.length - 1, "size");
    const box = add(side, "div", { class: "tell" });
    const gauges = [["entropy", Math.log(T), Math.log(T)], ["norm of the Jacobian", 0.5, equal]].map(([name, max, even]) => {
      const line = add(box, "p", { class: "gauge" }, name);
      const svg = add(line, "svg", { viewBox: `0 0 ${WIDTH} 20`, "aria-hidden": true });
      const fill = add(svg, "rect", { class: "weight", height: 14, y: 3 });
      add(svg, "path", { class: "even", d: `M${even / max * (WIDTH - 2) + 1} 0v20` });
      const number = add(line, "span");
      return (value) => {
        fill.setAttribute("width", value / max * WIDTH);
        set(number, {}, `${value.toFixed(3)}; equal weights, the mark: ${even.toFixed(3)}`);
        line.dataset.value = value;
      };
    });
    const says = add(side, "p", { class: "says", role: "status", "aria-live": "polite" });

    function draw() {
      const state = model.get("state"), { d, factor, scores, weights, entropy, norm } = measure(state);
      bars.forEach(({ grab, score, grip, weight, number, product }, j) => {
        const z = state.row[j], y = middle - z * unit;
        const top = floor - weights[j] * high;
        set(score, { y: Math.min(y, middle), height: Math.abs(y - middle) });
        set(grip, { y: y - 4 });
        set(grab, {
          "aria-valuenow": z.toFixed(2), "data-value": scores[j],
          "aria-valuetext": `${z.toFixed(2)} spreads, a score of ${scores[j].toFixed(2)}`,
        });
        set(weight, { y: top, height: floor - top, "data-value": weights[j] });
        set(number, { y: top - 5 }, weights[j].toFixed(2));
        set(product, {}, scores[j].toFixed(Math.abs(scores[j]) < 100 ? 1 : 0));
      });
      const name = powers[state.power][0];
      showPower(state.power, name);
      showSize(state.size, `${d}`);
      gauges[0](entropy);
      gauges[1](norm);
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

  globalThis.courseLive.softmax = { render };
})();
