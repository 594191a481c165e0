// A plane in which arrows, words and a hull stand.
(() => {
  "use strict";
  const { add, set } = globalThis.courseLive;
  const SIZE = 360, EDGE = 26; // of a plane, in its own units, which are pixels on a phone

  function hull(points) {
    const half = (sorted) => sorted.reduce((found, p) => {
      for (;;) {
        const [a, b] = found.slice(-2);
        if (!b || (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0) break;
        found.pop();
      }
      return [...found, p];
    }, []).slice(0, -1);
    const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    return points.length < 2 ? points : [...half(sorted), ...half(sorted.reverse())];
  }

  // Whether a point lies to the left of each edge, by more than rounding.
  const within = ([x, y], corners) => corners.every(([ax, ay], n) => {
    const [bx, by] = corners[(n + 1) % corners.length];
    return (bx - ax) * (y - ay) - (by - ay) * (x - ax) > -1e-9;
  });

  // A plane around a centre: places on it, and the shapes that stand there.
  function plane(parent, [cx, cy], reach, label) {
    const svg = add(parent, "svg", { viewBox: `0 0 ${SIZE} ${SIZE}`, role: "group", "aria-label": label });
    const unit = (SIZE / 2 - EDGE) / reach;
    const at = ([x, y]) => [SIZE / 2 + (x - cx) * unit, SIZE / 2 - (y - cy) * unit];
    const [left, top] = at([0, 0]).map((origin) => Math.min(SIZE, Math.max(0, origin)));
    add(svg, "path", { class: "axes", d: `M0 ${top}H${SIZE}M${left} 0V${SIZE}` });
    for (const n of [-2, -1, 1, 2, 3, 4].map((n) => (reach > 1 ? n : n / 4))) {
      const [x, y] = at([n, n]);
      if (x > EDGE && x < SIZE) add(svg, "text", { class: "tick", x, y: top - 4 }, `${n}`);
      if (y > EDGE && y < SIZE - EDGE) add(svg, "text", { class: "tick", x: left + 14, y: y + 4 }, `${n}`);
    }
    return {
      svg, at, half: SIZE / 2 / unit, // from its centre to its frame
      from: ([right, down]) => [cx + (right - 0.5) * SIZE / unit, cy + (0.5 - down) * SIZE / unit],
      shape: (kind) => add(svg, "path", { class: kind }),
      arrow: (path, tip, width) => {
        const [x, y] = at(tip), [x0, y0] = at([0, 0]), [dx, dy] = [x - x0, y - y0];
        const length = Math.hypot(dx, dy) || 1, head = Math.min(4 + 2 * width, length);
        const [ux, uy] = [dx / length, dy / length], [bx, by] = [x - head * ux, y - head * uy];
        path.setAttribute("stroke-width", width);
        path.setAttribute("d", `M${x0} ${y0}L${bx} ${by}M${x} ${y}L${
          bx - head / 2 * uy} ${by + head / 2 * ux}L${bx + head / 2 * uy} ${by - head / 2 * ux}Z`);
      },
      line: (path, a, b, width) => {
        path.setAttribute("d", width ? `M${at(a)}L${at(b)}` : "");
        path.setAttribute("stroke-width", width);
      },
    };
  }

  // How high the letters of these words are, in units of their plane, once they are on the page.
  const lettering = (words) => parseFloat(getComputedStyle(words.querySelector("text") ?? words).fontSize) || 14;

  // Words beside their points, on the outer side, pushed apart; a line leads to one that was moved.
  function labels({ svg, at }, points, words) {
    const made = words.map((word) => add(svg, "g", { class: "word" }));
    const texts = words.map((word, j) => add(made[j], "text", {}, word)), high = lettering(svg);
    for (const side of [-1, 1]) {
      const those = points.map((point, j) => ({ j, place: at(point) }))
        .filter(({ place: [x] }) => (x < SIZE / 2) === (side < 0))
        .sort((a, b) => a.place[1] - b.place[1]);
      let last = -Infinity;
      for (const { j, place: [x, y] } of those) {
        const wanted = y + (y > SIZE / 2 ? 6 : -6);
        const put = last = Math.max(wanted, last + 1.2 * high);
        const far = put - wanted > 8 ? 26 : 9;
        if (far > 9) add(made[j], "path", { class: "lead", d: `M${x} ${y}L${x + side * (far - 3)} ${put}` });
        set(texts[j], { x: x + side * far, y: put + 0.32 * high, "text-anchor": side < 0 ? "end" : "start" });
      }
    }
    return made;
  }

  Object.assign(globalThis.courseLive, { hull, labels, lettering, plane, within });
})();
