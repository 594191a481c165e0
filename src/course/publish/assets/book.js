// What mdBook lacks: a page that keyboards and screen readers can use.
(() => {
  "use strict";

  // A way past the sidebar, for who comes by keyboard.
  const text = document.getElementById("mdbook-content");
  if (text) {
    const skip = document.createElement("a");
    Object.assign(skip, { className: "course-skip", href: "#mdbook-content", textContent: "To the text" });
    document.body.prepend(skip);
    text.tabIndex = -1;
  }

  // The sidebar's switch is a label: make it a button for keyboards and screen readers.
  const toggle = document.getElementById("mdbook-sidebar-toggle");
  if (toggle) {
    toggle.setAttribute("role", "button");
    toggle.tabIndex = 0;
    toggle.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        toggle.click();
      }
    });
  }

  const menu = document.getElementById("mdbook-menu-bar");
  if (menu) menu.setAttribute("role", "banner");

  // A thumbnail is as large as what is drawn: its words, which are gone, had room around it.
  for (const svg of document.querySelectorAll(".course-cards svg")) {
    const { x, y, width, height } = svg.getBBox();
    svg.setAttribute("viewBox", [x - 3, y - 3, width + 6, height + 6].join(" "));
  }

  // A prediction is written down before its answer is opened; this browser keeps it.
  const kept = (key, text) => {
    try {
      if (text !== undefined) localStorage.setItem(key, text);
      return localStorage.getItem(key) ?? "";
    } catch { // a browser that keeps nothing
      return text ?? "";
    }
  };
  document.querySelectorAll(".course-ask > .course-folded").forEach((answer, place) => {
    const key = `prediction ${location.pathname} ${place}`;
    const note = document.createElement("textarea"), wrote = document.createElement("p");
    note.placeholder = note.ariaLabel = "your prediction";
    note.rows = 1;
    note.value = kept(key);
    note.addEventListener("input", () => kept(key, note.value));
    answer.before(note);
    answer.firstElementChild.after(wrote);
    answer.addEventListener("toggle", () => {
      wrote.textContent = `You wrote: ${note.value.trim()}`;
      wrote.hidden = !note.value.trim();
    });
    wrote.hidden = true;
  });

  // What scrolls sideways can be reached and scrolled by keyboard.
  const boxes = "pre, pre > code, .table-wrapper, .course-math, .course-figure";
  const reach = () => {
    for (const box of document.querySelectorAll(boxes)) {
      if (box.scrollWidth > box.clientWidth + 1) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
  };
  const soon = () => requestAnimationFrame(() => requestAnimationFrame(reach)); // panels.js is first
  addEventListener("load", soon);
  addEventListener("resize", soon);
  document.addEventListener("toggle", soon, true);
})();
