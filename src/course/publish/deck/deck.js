// Fits every slide to its page, then starts reveal.js.
(() => {
  const WIDTH = 1280, HEIGHT = 720;
  const CODE = 0.72; // em, as in deck.css
  const TALK = document.body.matches(".talk"); // its slides stay whole, its code stays large
  const SIZES = TALK ? [1.25, 1.12, 1, 0.9, 0.82] // of the text
    : [1, 0.94, 0.88, 0.82, 0.78]; // what needs less is cut in two
  const PICTURES = ".block img, .course-figure svg";
  const LAST = [0.74, 0.7, 0.64, 0.58]; // for a cell that stays whole

  // A long line makes its own code smaller, not the page.
  function narrow(pre) {
    pre.style.fontSize = "";
    const share = pre.clientWidth / pre.scrollWidth;
    if (share < 1 && share > 0.74) pre.style.fontSize = `${CODE * share - 0.006}em`;
  }

  function fits(page) {
    const shown = [...page.querySelectorAll("pre, table, .course-math")]
      .filter((e) => !e.matches("details:not([open]) *"));
    if (!TALK) shown.filter((e) => e.matches("pre")).forEach(narrow);
    return page.scrollHeight <= HEIGHT && page.scrollWidth <= WIDTH
      && shown.every((e) => e.scrollWidth <= e.clientWidth + 1);
  }

  // Text at this size, pictures in the room that it leaves; false if something is too large.
  function set(page, size, least = 1) {
    page.style.setProperty("--size", size);
    const pictures = [...page.querySelectorAll(PICTURES)];
    if (pictures.length) {
      page.style.setProperty("--picture", "0px");
      const room = (HEIGHT - page.scrollHeight) / pictures.length;
      const size = (p) => (p.viewBox ? [p.viewBox.baseVal.width, p.viewBox.baseVal.height]
        : [p.naturalWidth * 0.62, p.naturalHeight * 0.62]);
      const large = (p) => size(p)[1] * Math.min(1, 1160 / size(p)[0]);
      if (room < Math.max(...pictures.map(large)) * least) return false;
      page.style.setProperty("--picture", `${Math.floor(room)}px`);
    }
    return fits(page);
  }

  // True if it fits at a good size, at need with the outputs beside their code.
  const roomy = (page, sizes = SIZES, least = 1) => [false, true].some((beside) => {
    page.classList.toggle("beside", beside);
    return sizes.some((size) => set(page, size, least));
  });

  // What a page is cut into: the blocks of a cell stay together, unless there is only one cell;
  // then block by block, a single block by its paragraphs, and a table alone by its rows.
  function units(page) {
    const blocks = [...page.children].filter((e) => e.matches(".block"));
    const cells = [...new Set(blocks.map((e) => e.dataset.of))];
    if (cells.length > 1) return cells.map((id) => blocks.filter((e) => e.dataset.of === id));
    if (blocks.length > 1) return blocks.map((e) => [e]);
    if (!blocks.length) return [];
    const parts = [...blocks[0].children];
    return (parts.length > 1 ? parts : [...blocks[0].querySelectorAll("tbody > tr")]).map((e) => [e]);
  }

  // Words about an output are read beside it: it goes with them, where both fit on one page, if
  // not with its code then without it.
  function together(page, left, next) {
    const shows = (e) => e.querySelector("pre, figure, img, table");
    const [says, cell] = [next.querySelector(":scope > .block"), left.at(-1)];
    page.after(next);
    if (!says || shows(says) || !shows(cell.at(-1))) return;
    const rest = [...next.querySelectorAll(":scope > .block")].slice(1);
    const place = document.createComment("");
    const goes = (unit) => {
      unit[0].before(place);
      says.before(...unit);
      if (roomy(next)) return true;
      place.before(...unit);
      return false;
    };
    rest.forEach((e) => e.remove());
    if (!(left.length > 1 && goes(cell)) && cell.length > 1) goes(cell.slice(-1));
    says.after(...rest);
    place.remove();
  }

  // Moves the last units of a page to a new one behind it, until the page fits.
  function cut(page) {
    const all = units(page);
    if (all.length < 2) return null;
    const next = page.cloneNode(false);
    next.classList.remove("title");
    next.dataset.continued = "";
    const head = page.querySelector(":scope > .head") || page.querySelector("h1, h2, h3");
    if (head) {
      const line = document.createElement("p");
      line.className = "head";
      line.append(...head.cloneNode(true).childNodes);
      next.append(line);
    }
    let box = next, inner = null; // where the parts go, in a copy of what was around them
    for (let at = all[0][0]; !at.matches(".block");) {
      at = at.parentElement;
      const copy = at.cloneNode(false);
      if (at.tHead) copy.append(at.tHead.cloneNode(true));
      if (inner) copy.append(inner);
      else box = copy;
      inner = copy;
    }
    if (inner) next.append(inner);
    let moved = [];
    const move = () => {
      const unit = all.pop();
      unit.forEach((e) => e.remove());
      moved = [...unit, ...moved];
    };
    // At the smallest size, which was tried last, what begins below the page doesn't fit.
    const top = page.getBoundingClientRect().top;
    const below = (unit) => unit[0].getBoundingClientRect().top - top > HEIGHT;
    const pictured = page.querySelector(PICTURES); // their size follows what else there is
    while (!pictured && all.length > 2 && below(all.at(-1))) move();
    do {
      move();
      const last = all.at(-1).at(-1);
      if (all.length > 1 && (last.lastElementChild || last).matches("h1, h2, h3, h4")) move();
    } while (all.length > 1 && !roomy(page));
    box.append(...moved);
    together(page, all, next);
    const first = next.querySelector(".fragment");
    if (first) first.classList.remove("fragment");
    const notes = page.querySelector(":scope > aside.notes");
    if (notes) next.append(notes.cloneNode(true));
    return next;
  }

  function fit(page) {
    // A talk rather has smaller words than a small picture or broken lines.
    page.classList.toggle("unbroken", TALK);
    if (TALK && roomy(page, SIZES, 1.25)) return;
    if (roomy(page)) return;
    page.classList.remove("unbroken");
    if (TALK && roomy(page)) return;
    if (TALK) {
      console.error(`The slide of cell ${page.dataset.cell} needs more room: say less, or make two.`);
      return;
    }
    const cells = new Set([...page.querySelectorAll(":scope > .block")].map((e) => e.dataset.of));
    if (cells.size === 1) { // rather smaller than cut
      if (roomy(page, LAST.slice(0, 2))) return;
      page.classList.add("wrap"); // long lines break
      if (roomy(page, LAST.slice(0, 2))) return;
      page.classList.remove("wrap");
    }
    const next = cut(page);
    if (next) {
      fit(page);
      fit(next);
      return;
    }
    page.classList.add("wrap");
    if (!roomy(page, LAST, 0.6)) {
      console.error(`The slide of cell ${page.dataset.cell} is too large for its page.`);
    }
  }

  // After an explorer was moved its slider has the keyboard: the keys of a talk take it back.
  document.addEventListener("keydown", (event) => {
    if (!event.target.matches || !event.target.matches("input[type=range]")) return;
    if (![" ", "PageDown", "PageUp", "Escape"].includes(event.key)) return;
    event.target.blur();
    if (event.key === "Escape") event.stopPropagation();
  }, true);

  async function start() {
    document.documentElement.classList.add("measuring");
    await Promise.all([...document.images].map((i) => i.decode().catch(() => {})));
    await document.fonts.ready;
    await window.framesReady;
    for (const page of [...document.querySelectorAll("section.page")]) {
      const folded = [...page.querySelectorAll("details:not([open]):not(td *)")];
      folded.forEach((d) => { d.open = true; }); // room for every answer; in a table it scrolls
      const restore = [...page.querySelectorAll("script.course-frames")].map((script) => {
        const caption = script.closest(".block").querySelector("figcaption");
        const says = caption && caption.textContent;
        if (!caption) return () => {};
        const longest = JSON.parse(script.textContent).frames
          .reduce((a, f) => (f.alt.length > a.length ? f.alt : a), says);
        caption.textContent = longest;
        return () => { caption.textContent = says; };
      });
      fit(page);
      restore.forEach((undo) => undo());
      folded.forEach((d) => { d.open = false; });
    }
    document.documentElement.classList.remove("measuring");
    await Reveal.initialize({
      width: WIDTH, height: HEIGHT, margin: 0, center: false, hash: true,
      slideNumber: "c/t", transition: "none", backgroundTransition: "none",
      controlsTutorial: false, pdfSeparateFragments: false, pdfMaxPagesPerSlide: 1,
      keyboardCondition: (e) => !(e.target.closest && e.target.closest("summary")
        && [" ", "Enter"].includes(e.key)),
      plugins: [RevealNotes],
    });
    document.documentElement.dataset.deck = "ready";
  }
  start();
})();
