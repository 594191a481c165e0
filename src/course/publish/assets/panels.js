// Where a figure is wider than its page, its panels stand in as many rows as they need, each map with
// the names of its rows, below a title that breaks into lines. A figure of one panel loses its margins, and
// so does one that fits without them; a chart that still doesn't fit is drawn narrower, if its texts allow it.
// (The observer also sees a figure that was folded, and an explorer's next frame.)
(() => {
  "use strict";
  const GAP = 16, LINE = 18, SPACE = 5, SHARED = 0.5; // SHARED: of the smaller box, if two panels are one
  const HIGH = 420; // px, of a chart that is drawn narrower
  const SHRINKS = 1.14; // rather than scroll, a figure that is a little too wide is drawn smaller
  const stored = new WeakMap(); // for a chart that was drawn narrower: how it was stored
  pictures.sizes.least = 12;

  function around(panels) {
    const boxes = panels.map((panel) => panel.getBBox());
    const x = Math.min(...boxes.map((box) => box.x)), y = Math.min(...boxes.map((box) => box.y));
    const right = Math.max(...boxes.map((box) => box.x + box.width));
    const bottom = Math.max(...boxes.map((box) => box.y + box.height));
    return { x, y, right, bottom };
  }

  // Panels that cover each other stay together.
  function together(panels) {
    const found = [];
    for (const panel of panels) {
      let group = [panel];
      for (let other; (other = found.find((one) => overlap(around(one), around(group))));) {
        found.splice(found.indexOf(other), 1);
        group = [...other, ...group];
      }
      found.push(group);
    }
    return found;
  }

  const area = (box) => (box.right - box.x) * (box.bottom - box.y);
  function overlap(a, b) {
    const width = Math.min(a.right, b.right) - Math.max(a.x, b.x);
    const height = Math.min(a.bottom, b.bottom) - Math.max(a.y, b.y);
    return width > 0 && height > 0 && width * height > SHARED * Math.min(area(a), area(b));
  }

  function stack(groups, title, room) {
    let [x, y, bottom, widest] = [0, 0, title ? lines(title, room) : 0, 0];
    if (title) y = bottom += GAP;
    for (const group of groups) {
      const box = around(group);
      const width = box.right - box.x;
      if (x && x + GAP + width > room) [x, y] = [0, bottom + GAP];
      if (x) x += GAP;
      for (const panel of group) panel.setAttribute("transform", `translate(${x - box.x} ${y - box.y})`);
      x += width;
      widest = Math.max(widest, x);
      bottom = Math.max(bottom, y + box.bottom - box.y);
    }
    return [title ? Math.max(widest, room) : widest, bottom].map(Math.ceil);
  }

  // Break a title into lines from the left; how high they are.
  function lines(title, room) {
    const words = title.textContent.split(" ");
    title.dataset.x ??= title.getAttribute("x");
    title.dataset.y ??= title.getAttribute("y");
    title.dataset.words = words.join(" ");
    title.setAttribute("text-anchor", "start");
    title.setAttribute("y", 0);
    title.replaceChildren();
    let line;
    for (const word of words) {
      const before = line?.textContent;
      if (line) line.textContent += ` ${word}`;
      if (line && line.getComputedTextLength() <= room - SPACE) continue;
      if (line) line.textContent = `${before} `;
      line = title.appendChild(document.createElementNS(title.namespaceURI, "tspan"));
      line.setAttribute("x", 0);
      line.setAttribute("dy", LINE);
      line.textContent = word;
    }
    return title.children.length * LINE;
  }

  // What is drawn, without the title and without the margins around it.
  function crop(svg, title, room) {
    if (title) title.style.display = "none";
    const { x, y, width, height } = svg.getBBox();
    if (title) title.style.display = "";
    const above = title ? lines(title, room) + GAP : 0;
    title?.setAttribute("transform", `translate(${x} ${y - above})`);
    return [x, y - above, Math.max(width, title ? room : 0), height + above + GAP / 2];
  }

  // Panels beside each other share the names of their rows; below each other each needs them.
  function nameRows([first, ...others]) {
    const names = [...first.querySelectorAll(".row")];
    const left = (panel) => Math.min(...[...panel.querySelectorAll("path")].map((path) => path.getBBox().x));
    for (const panel of others) {
      if (!names.length || panel.querySelector(".row")) continue;
      const copy = names[0].parentNode.cloneNode(false);
      copy.classList.add("again");
      copy.setAttribute("transform", `translate(${left(panel) - left(first)} 0)`);
      copy.append(...names.map((name) => name.cloneNode(true)));
      panel.append(copy);
    }
  }

  function whole(svg, title, panels) {
    for (const copy of svg.querySelectorAll(".again")) copy.remove();
    for (const line of svg.querySelectorAll(".across")) line.style.display = "";
    for (const panel of panels) panel.removeAttribute("transform");
    if (!title?.dataset.words) return;
    title.textContent = title.dataset.words;
    title.removeAttribute("text-anchor");
    title.removeAttribute("transform");
    for (const name of ["x", "y"]) title.setAttribute(name, title.dataset[name]);
  }

  function narrow(svg, title, panels, room, least) {
    const others = [...svg.querySelectorAll(":scope > :not(.panel)")];
    const cropped = crop(svg, title, room);
    if (panels.length < 2 || others.length > 1 || least * cropped[2] <= room) return cropped;
    title?.removeAttribute("transform");
    for (const line of svg.querySelectorAll(".across")) line.style.display = "none"; // from panel to panel
    const groups = together(panels); // before the names make them wider
    nameRows(panels);
    return [0, 0, ...stack(groups, title, room)];
  }

  // A chart drawn as narrow as the room, with its title above, or nothing.
  function redrawn(svg, title, room) {
    const before = svg.cloneNode(true), home = title?.parentNode;
    delete before.dataset.room; // so that it is arranged anew when it comes back
    title?.remove();
    const drawn = pictures.lay(svg, [room, HIGH]);
    home?.append(title);
    if (!drawn) return null;
    svg.style.cssText = before.style.cssText;
    stored.set(svg, before);
    const [x, y, width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
    const above = title ? lines(title, room) + GAP / 2 : 0;
    title?.setAttribute("transform", `translate(${x} ${y - above})`);
    return [x, y - above, title ? Math.max(width, room) : width, height + above];
  }

  function arrange(svg, room) {
    if (svg.dataset.room === String(room)) return;
    if (stored.has(svg)) {
      svg.replaceWith(stored.get(svg));
      return arrange(stored.get(svg), room);
    }
    svg.dataset.whole ??= svg.getAttribute("viewBox");
    const panels = [...svg.querySelectorAll(":scope > .panel")];
    const title = svg.querySelector(".title");
    svg.dataset.least ??= parseFloat(svg.style.getPropertyValue("--least")) / svg.getAttribute("width");
    let least = Number(svg.dataset.least);
    let box = svg.dataset.whole.split(" ").map(Number);
    whole(svg, title, panels);
    if (room < least * box[2]) box = narrow(svg, title, panels, room, least);
    const chart = room < least * box[2] && panels.length < 2 && redrawn(svg, title, room);
    if (chart) box = chart;
    const shrinks = room < least * box[2] && room * SHRINKS > least * box[2];
    if (chart || shrinks) least = 0;
    svg.dataset.room = room;
    svg.setAttribute("viewBox", box.map(Math.ceil).join(" "));
    svg.setAttribute("width", Math.ceil(box[2]));
    svg.style.setProperty("--least", `${least * Math.ceil(box[2])}px`);
  }

  const observer = new ResizeObserver((entries) => {
    for (const { target, contentRect } of entries) {
      const svg = target.querySelector(":scope > svg");
      if (svg && contentRect.width) arrange(svg, Math.floor(contentRect.width));
    }
  });
  for (const figure of document.querySelectorAll(".course-figure")) observer.observe(figure);
})();
