// A figure for its room: on a slide of 1280 × 720 its texts have at least 24 px, so that the back row
// reads them; on a phone a chart is drawn as narrow as the page, with texts of 12.
// Text keeps its size and the drawing makes room: it is stretched, or opened at a seam where nothing is cut.
// Every frame of an explorer is laid out as its first one, so that nothing jumps.
window.pictures = (() => {
  "use strict";
  const sizes = { least: 24 }; // px
  const HIGH = 0.92, MIDDLE = 0.36, MARK = 20, ROUNDS = 300, OVER = 1.08, FINE = 0.7; // px, of a text's size, and of a line
  const STRETCH = { round: 1, map: 2.2, other: 3 }; // one axis against the other, at most
  // Between two texts, across and down, and whether 0.25 is written .25: what helps a crowded drawing. Two texts that
  // would be read as one are twice as far apart, and what is drawn NEAR a text stays half as far from it, unless the
  // drawing fits better without (`close`).
  const TRIES = [{ pad: [10, 4] }, { pad: [7, 2] }, { pad: [7, 2], lean: true }, { pad: [4, 0] }, { pad: [4, 0], lean: true },
    { pad: [2, 0] }, { pad: [2, 0], close: true }];

  const TWICE = 2, HALF = 0.5, NEAR = 40; // px

  const numbers = (text) => text.match(/-?[\d.]+/g).map(Number);
  const span = (values) => [Math.min(...values), Math.max(...values)];

  const inside = (p, [x, y]) => p.x[0] < x[0] && p.x[1] > x[1] && p.y[0] < y[0] && p.y[1] > y[1];

  // What is drawn, as it is stored: texts, paths and images.
  function read(svg) {
    const texts = [...svg.querySelectorAll("text")].filter((t) => t.textContent.trim()).map((element) => {
      const size = parseFloat(getComputedStyle(element).fontSize);
      const turn = numbers(element.getAttribute("transform") ?? "0")[0] * Math.PI / 180;
      const at = [+element.getAttribute("x"), +element.getAttribute("y")];
      const middle = [at[0] + Math.sin(turn) * MIDDLE * size, at[1] - Math.cos(turn) * MIDDLE * size];
      const along = { middle: 0.5, end: 1 }[getComputedStyle(element).textAnchor] ?? 0;
      const says = element.textContent, wide = element.getComputedTextLength() / size, lean = says.replace(/^(-?)0(?=\.\d)/, "$1");
      return { element, size, turn, middle, along, wide, says, lean, shown: says, slide: 0 };
    });
    const paths = [...svg.querySelectorAll("path")].map((element) => {
      const d = element.getAttribute("d"), steps = d.match(/[MLQC][^MLQCz]*|z/g) ?? [];
      const points = steps.flatMap((step) => (step === "z" ? [] : numbers(step)));
      const x = span(points.filter((_, n) => n % 2 === 0)), y = span(points.filter((_, n) => n % 2));
      const corners = points.every((v, n) => n < 2 || v === points[n - 2] || points[n + (n % 2 ? -1 : 1)] === points[n + (n % 2 ? -3 : -1)]);
      const line = parseFloat(getComputedStyle(element).strokeWidth);
      return { element, steps, x, y, line, straight: corners && !/[QC]/.test(d),
        mark: x[1] - x[0] < MARK && y[1] - y[0] < MARK && !(corners && !/[QC]/.test(d)),
        closed: /z/.test(d) && x[1] - x[0] > 40 && x[1] - x[0] < 300 };
    });
    const images = [...svg.querySelectorAll("image")].map((element) => {
      const [x, y, w, h] = ["x", "y", "width", "height"].map((name) => +element.getAttribute(name));
      return { element, x: [x, x + w], y: [y, y + h] };
    });
    for (const text of texts) text.box = paths.find((p) => p.closed && inside(p, boxOf(text, text.size, text.middle)));
    centre(texts);
    return { texts, paths, images };
  }

  // The lines of a text of several are stored from their left, also where they are centred.
  function centre(texts) {
    const middle = (text) => text.middle[0] + text.wide * text.size / 2;
    const left = texts.filter((text) => !text.along && !text.turn);
    const next = (a, b) => a !== b && Math.abs(middle(a) - middle(b)) < 2 && Math.abs(a.middle[1] - b.middle[1]) < 1.6 * a.size;
    const found = left.filter((a) => left.some((b) => next(a, b)) || (a.box && Math.abs(middle(a) - (a.box.x[0] + a.box.x[1]) / 2) < 3));
    for (const text of found) {
      Object.assign(text, { middle: [middle(text), text.middle[1]], along: 0.5 });
      const at = text.box && (text.box.x[0] + text.box.x[1]) / 2;
      if (Math.abs(at - text.middle[0]) < 4) text.middle[0] = at;
      text.element.style.textAnchor = "middle";
    }
  }

  // A place on paper for one in the drawing: stretched, and pushed by each seam before it.
  const place = (axis, v) => axis.scale * v
    + axis.seams.reduce((sum, seam) => sum + (seam.at < v ? seam.gap : 0), 0);

  function boxOf(text, size, middle) {
    const w = text.wide * size * text.shown.length / text.says.length, h = HIGH * size, cos = Math.cos(text.turn), sin = Math.sin(text.turn);
    const ends = [-text.along * w, (1 - text.along) * w];
    const corners = ends.flatMap((u) => [-h / 2, h / 2].map((v) => [middle[0] + u * cos - v * sin, middle[1] + u * sin + v * cos]));
    return [span(corners.map((c) => c[0])), span(corners.map((c) => c[1]))];
  }

  const grown = (text, warp) => Math.max(sizes.least, text.size * Math.min(warp[0].scale, warp[1].scale));
  const spot = (text, warp) => [place(warp[0], text.middle[0]), place(warp[1], text.middle[1]) + text.slide];
  const put = (text, warp) => boxOf(text, grown(text, warp), spot(text, warp));
  const between = ([a, b], [c, d]) => Math.max(a, c) - Math.min(b, d); // negative: they overlap

  const words = (text) => /[a-z]{2}|=/i.test(text.says);

  // Slanted names beside each other have boxes that overlap, though they don't touch.
  const slanted = (a, b) => a.turn === b.turn && Math.abs(Math.sin(2 * a.turn)) > 0.1;

  function kind({ texts, paths, images }) {
    const cells = paths.filter((p) => p.straight && p.steps.length > 3 && p.x[1] - p.x[0] > 8);
    const alike = cells.filter((p) => Math.abs(p.x[1] - p.x[0] - cells[0].x[1] + cells[0].x[0]) < 1);
    const ring = (p) => !p.straight && !p.mark && /[QC]/.test(p.steps.join(""))
      && p.x[1] - p.x[0] > 60 && Math.abs(p.x[1] - p.x[0] - p.y[1] + p.y[0]) < 2;
    if (paths.some(ring)) return "round";
    if ((alike.length > 8 || images.length) && paths.every((p) => p.straight || p.mark)) return "map";
    return texts.filter((text) => text.box && /[a-z]{2}/.test(text.says)).length > 1 ? "boxes" : "chart";
  }

  function opens(drawn, n, at, what) { // a seam there cuts nothing that it would falsify
    const key = n ? "y" : "x", cut = (p) => p[key][0] < at - 0.5 && p[key][1] > at + 0.5;
    return !drawn.images.some(cut) && (what === "boxes" || !drawn.paths.some(cut));
  }

  // What stands beside a text, as it is stored: on its left and on its right the nearest of what is drawn.
  function besides({ texts, paths, images }, old) {
    return texts.flatMap((text, a) => (text.turn ? [] : [-1, 1]).flatMap((side) => {
      const far = (p) => side * (p.x[side < 0 ? 1 : 0] - old[a][0][side < 0 ? 0 : 1]);
      const apart = [...paths, ...images].filter((p) => between(p.y, old[a][1]) <= 0 && far(p) > 0 && far(p) < NEAR);
      return apart.length ? [{ a, side, shape: apart.reduce((p, q) => (far(q) < far(p) ? q : p)) }] : [];
    }));
  }

  // The next text that what stands beside it reaches.
  function touching(drawn, warp, old, given, pad) {
    for (const [n, { a, side, shape }] of drawn.besides.entries()) {
      const own = put(drawn.texts[a], warp), edge = shape.x[side < 0 ? 1 : 0], at = (edge + old[a][0][side < 0 ? 0 : 1]) / 2;
      const missing = HALF * pad[0] - side * (place(warp[0], edge) - own[0][side < 0 ? 0 : 1]), pair = `beside ${n}`;
      if (missing > 0.5 && !given.has(pair)) return { n: 0, at, missing, pair, apart: 0 };
    }
    return null;
  }

  // The next two texts that meet, though they were apart: along which axis, where, and how much is missing.
  function meeting(texts, warp, old, given, pad, wide) {
    const now = texts.map((text) => put(text, warp));
    for (let a = 0; a < texts.length; a++) {
      for (let b = a + 1; b < texts.length; b++) {
        const free = [pad[0] * (words(texts[a]) && words(texts[b]) ? wide : 1), pad[1]];
        const missing = [0, 1].map((n) => free[n] - between(now[a][n], now[b][n]));
        if (missing[0] <= 0.5 || missing[1] <= 0.5 || given.has(`${a} ${b}`) || slanted(texts[a], texts[b])) continue;
        const gaps = [0, 1].map((n) => between(old[a][n], old[b][n]));
        if (Math.max(...gaps) <= -4) { given.add(`${a} ${b}`); continue; }
        const n = gaps[0] > 0 && (gaps[1] <= 0 || missing[0] < missing[1]) ? 0 : 1;
        const [first, then] = old[a][n][0] < old[b][n][0] ? [a, b] : [b, a];
        const at = (old[first][n][1] + old[then][n][0]) / 2;
        return { n, at, missing: missing[n], pair: `${a} ${b}`, apart: Math.abs(texts[a].middle[n] - texts[b].middle[n]) };
      }
    }
    return null;
  }

  // How a drawing is laid out that has this scale at first.
  function spread(drawn, old, scales, what, { pad, close }) {
    for (const text of drawn.texts) text.slide = 0;
    const warp = scales.map((scale) => ({ scale, seams: [] })), given = new Set();
    for (const text of what === "boxes" ? drawn.texts.filter((text) => text.box && text.along === 0.5) : []) {
      const [from, to] = text.box.x.map((x) => place(warp[0], x));
      const missing = text.wide * grown(text, warp) + 12 - (to - from);
      for (const at of [-0.01, 0.01]) if (missing > 0) warp[0].seams.push({ at: text.middle[0] + at, gap: missing / 2 });
    }
    for (let round = 0; round < ROUNDS; round++) {
      const found = meeting(drawn.texts, warp, old, given, pad, close ? 1 : TWICE) ?? (close ? null : touching(drawn, warp, old, given, pad));
      if (!found) break;
      const { n, at, missing, pair, apart } = found;
      if (opens(drawn, n, at, what)) warp[n].seams.push({ at, gap: missing });
      else if (apart > 3 && what !== "round") warp[n].scale += missing / apart;
      else given.add(pair);
    }
    upright(drawn, warp);
    return warp;
  }

  // The name of an axis that stands upright may slide along it, so that it doesn't stand out.
  function upright({ texts, paths }, warp) {
    const stands = (text) => Math.abs(Math.sin(text.turn)) > 0.9;
    const [top, bottom] = span([...texts.filter((text) => !stands(text)).flatMap((text) => put(text, warp)[1]),
      ...paths.flatMap((p) => p.y.map((v) => place(warp[1], v)))]);
    for (const text of texts.filter(stands)) {
      const [from, to] = put(text, warp)[1];
      text.slide = from < top ? Math.min(top - from, Math.max(0, bottom - to)) : Math.min(0, Math.max(bottom - to, top - from));
    }
  }

  function extent(drawn, warp) {
    const boxes = drawn.texts.map((text) => put(text, warp));
    const shapes = [...drawn.paths, ...drawn.images].map((p) => [p.x, p.y].map((s, n) => s.map((v) => place(warp[n], v))));
    return [0, 1].map((n) => {
      const [from, to] = span([...boxes, ...shapes].flatMap((box) => box[n]));
      return [from - 3, to + 3];
    });
  }

  // Scales at which the drawing, with its texts, fills the room and doesn't leave it.
  function fitted(drawn, room, tries = TRIES) {
    const old = drawn.texts.map((text) => boxOf(text, text.size, text.middle));
    drawn.besides = besides(drawn, old);
    const what = kind(drawn), most = STRETCH[what] ?? STRETCH.other;
    const whole = extent(drawn, [{ scale: 1, seams: [] }, { scale: 1, seams: [] }]).map(([a, b]) => b - a);
    const counts = drawn.texts.filter((text) => /^-?\d\.\d\d$/.test(text.says)).length > 12;
    let best = { over: Infinity };
    for (const one of tries.filter(({ lean }) => counts || !lean)) {
      const { lean } = one;
      for (const text of drawn.texts) text.shown = lean ? text.lean : text.says;
      let scales = [0, 1].map((n) => room[n] / whole[n]);
      scales = scales.map((scale) => Math.min(scale, Math.min(...scales) * most));
      for (let round = 0, last = Infinity; round < 10 && best.over > 1; round++) {
        const warp = spread(drawn, old, scales, what, one), box = extent(drawn, warp);
        const overs = box.map(([a, b], n) => (b - a) / room[n]), over = Math.max(1, ...overs.map((o) => o - 0.002));
        const shown = drawn.texts.map((text) => text.slide);
        if (over < best.over) best = { warp, box, what, over, lean, slides: shown };
        if (over > last - 0.001) break;
        last = over;
        scales = scales.map((scale, n) => scale / Math.max(1, most > 1 ? overs[n] ** 1.2 : over ** 1.2));
      }
    }
    return best;
  }

  function draw(svg, drawn, { warp, box, lean, slides }) {
    const on = (n, v) => place(warp[n], v).toFixed(1), low = Math.max(FINE, Math.min(warp[0].scale, warp[1].scale));
    for (const { element, steps, x, y, mark, line } of drawn.paths) {
      element.style.strokeWidth = `${(line * low).toFixed(2)}px`;
      const middle = [x, y].map(([a, b]) => (a + b) / 2);
      const to = (n, v) => (mark ? (place(warp[n], middle[n]) + (v - middle[n]) * low).toFixed(1) : on(n, v));
      element.setAttribute("d", steps.map((step) => (step === "z" ? step
        : `${step[0]} ${numbers(step).map((v, n) => to(n % 2, v)).join(" ")}`)).join(" "));
    }
    for (const { element, x, y } of drawn.images) {
      const sides = { x: on(0, x[0]), y: on(1, y[0]), width: on(0, x[1]) - on(0, x[0]), height: on(1, y[1]) - on(1, y[0]) };
      for (const [name, value] of Object.entries(sides)) element.setAttribute(name, value);
    }
    for (const [n, text] of drawn.texts.entries()) {
      text.slide = slides[n] ?? 0;
      if (lean && text.lean !== text.says) text.element.textContent = text.lean;
      const size = grown(text, warp), middle = spot(text, warp);
      const [x, y] = [middle[0] - Math.sin(text.turn) * MIDDLE * size, middle[1] + Math.cos(text.turn) * MIDDLE * size];
      text.element.style.fontSize = `${size}px`;
      text.element.setAttribute("x", x);
      text.element.setAttribute("y", y);
      if (text.turn) text.element.setAttribute("transform", `rotate(${text.turn * 180 / Math.PI} ${x} ${y})`);
    }
    const [w, h] = box.map(([a, b]) => Math.ceil(b - a));
    svg.setAttribute("viewBox", `${box[0][0]} ${box[1][0]} ${w} ${h}`);
    svg.style.cssText = `width:${w}px;height:${h}px`;
  }

  // Lay a figure out in a room, and the frames that an explorer puts in its place.
  function arrange(svg, room) {
    const drawn = read(svg), layout = fitted(drawn, room), figure = svg.parentNode;
    draw(svg, drawn, layout);
    const observer = new MutationObserver(() => {
      const next = figure.querySelector(":scope > svg");
      if (next && next !== svg) draw(svg = next, read(next), layout);
    });
    observer.observe(figure, { childList: true });
    return layout;
  }

  // Two texts that were apart and lie on each other now.
  function clash({ texts }, { warp }) {
    const meet = (a, b) => !slanted(a, b) && [0, 1].every((n) => between(a.now[n], b.now[n]) < -1)
      && [0, 1].some((n) => between(a.old[n], b.old[n]) > -1);
    for (const text of texts) Object.assign(text, { old: boxOf(text, text.size, text.middle), now: put(text, warp) });
    return texts.some((a, n) => texts.slice(0, n).some((b) => meet(a, b)));
  }

  // Whether a figure's texts fit in a room; it is drawn there only if they do.
  function lay(svg, room) {
    const drawn = read(svg), layout = fitted(drawn, room, [...TRIES, { pad: [0, 0], close: true }]), fits = layout.over <= OVER && !clash(drawn, layout);
    if (fits) draw(svg, drawn, layout);
    return fits;
  }

  return { arrange, lay, sizes };
})();
