// Fits every slide to its page, then starts reveal.js.
(() => {
  const WIDTH = 1280, HEIGHT = 720;
  const SIZES = [1.25, 1.12, 1, 0.9, 0.82]; // of the text: smaller than that nobody reads it
  const PICTURES = ".block img, .course-figure svg";

  function fits(page) {
    const shown = [...page.querySelectorAll("pre, table, .course-math")]
      .filter((e) => !e.matches("details:not([open]) *"));
    return page.scrollHeight <= HEIGHT && page.scrollWidth <= WIDTH
      && shown.every((e) => e.scrollWidth <= e.clientWidth + 1);
  }

  // Text at this size, pictures in the room that it leaves; false if something is too large.
  function set(page, size, least) {
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

  // True if it fits at one of the sizes, at need with the outputs beside their code.
  const roomy = (page, least = 1) => [false, true].some((beside) => {
    page.classList.toggle("beside", beside);
    return SIZES.some((size) => set(page, size, least));
  });

  // A slide rather has smaller words than a small picture or broken lines.
  function fit(page) {
    page.classList.add("unbroken");
    if (roomy(page, 1.25) || roomy(page)) return;
    page.classList.remove("unbroken");
    if (roomy(page)) return;
    console.error(`The slide of cell ${page.dataset.cell} needs more room: say less, or make two.`);
  }

  // Its figures, in the room that its words leave them; the cells of a map of numbers grow into theirs.
  function picture(page) {
    const bars = [...page.querySelectorAll("table.bars")], most = Math.max(...bars.map((one) => one.dataset.most));
    const names = Math.max(0, ...bars.map((one) => one.rows[0].cells[0].offsetWidth));
    for (const one of bars) { // one scale for all bars of a slide
      one.style.setProperty("--of", one.dataset.most / most);
      if (bars.length > 1) for (const row of one.rows) row.cells[0].style.minWidth = `${names}px`;
    }
    const maps = [...page.querySelectorAll("table:is(.tensor, .bars, .strip)")];
    const rows = maps.reduce((sum, map) => sum + map.rows.length, 0);
    for (const map of maps) {
      const high = (HEIGHT - 6 - page.scrollHeight) / rows / 2, wide = (1150 - map.offsetWidth) / Math.max(...[...map.rows].map((row) => row.cells.length)) / 2;
      map.dataset.high = Math.max(0, Math.min(high, 44));
      map.style.setProperty("--wide", `${Math.max(0, Math.min(wide, 70))}px`);
    }
    for (const map of maps) map.style.setProperty("--high", `${map.dataset.high}px`);
    const room = parseFloat(page.style.getPropertyValue("--picture")) - 6;
    for (const svg of page.querySelectorAll(".course-figure > svg")) pictures.arrange(svg, [1150, room]);
  }

  // After an explorer was moved its control has the keyboard: the keys of a talk take it back, but
  // for the one that ticks a box.
  document.addEventListener("keydown", (event) => {
    const moves = "input[type=range], .course-frame-control :is(input, select)";
    if (!event.target.matches?.(moves)) return;
    if (event.key === " " && event.target.matches("[type=checkbox]:focus-visible")) return;
    if (![" ", "PageDown", "PageUp", "Escape"].includes(event.key)) return;
    event.target.blur();
    if (event.key === "Escape") event.stopPropagation();
  }, true);

  async function start() {
    document.documentElement.classList.add("measuring");
    await Promise.all([...document.images].map((i) => i.decode().catch(() => {})));
    await document.fonts.ready;
    await window.framesReady;
    await window.liveReady;
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
      picture(page);
      restore.forEach((undo) => undo());
      folded.forEach((d) => { d.open = false; });
    }
    document.documentElement.classList.remove("measuring");
    await Reveal.initialize({
      width: WIDTH, height: HEIGHT, margin: 0, center: false, hash: true,
      slideNumber: "c/t", transition: "none", backgroundTransition: "none",
      controlsTutorial: false, pdfSeparateFragments: false, pdfMaxPagesPerSlide: 1,
      keyboardCondition: (e) => !(e.target.closest && e.target.closest("summary")
        && [" ", "Enter"].includes(e.key)) && !document.activeElement.closest("select"),
      plugins: [RevealNotes],
    });
    document.documentElement.dataset.deck = "ready";
  }
  start();
})();
