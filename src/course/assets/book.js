// What mdBook lacks: explorers that step through frames, and a page that keyboards and screen
// readers can use. Without script the still figures stay.
(() => {
  "use strict";

  // An explorer: the figure before the frames follows a slider.
  for (const store of document.querySelectorAll("script.course-frames")) {
    const figure = store.previousElementSibling;
    const image = figure && figure.querySelector("img");
    if (!image) continue;
    const { label, frames } = JSON.parse(store.textContent);
    const caption = figure.querySelector("figcaption");
    const box = document.createElement("label");
    const slider = document.createElement("input");
    const shown = document.createElement("output");
    box.className = "course-frame-control";
    slider.type = "range";
    slider.max = frames.length - 1;
    slider.value = Math.max(0, frames.findIndex((frame) => frame.src === image.src));
    const say = () => {
      const { value } = frames[slider.value];
      shown.textContent = value;
      slider.setAttribute("aria-valuetext", value);
    };
    slider.addEventListener("input", () => {
      const { src, alt } = frames[slider.value];
      image.src = src;
      image.alt = alt;
      if (caption) caption.textContent = alt;
      say();
    });
    box.append(label, slider, shown);
    say();
    figure.before(box);
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

  // What scrolls sideways can be reached and scrolled by keyboard.
  const boxes = "pre, pre > code, .table-wrapper, .course-math, .course-figure";
  const reach = () => {
    for (const box of document.querySelectorAll(boxes)) {
      if (box.scrollWidth > box.clientWidth + 1) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
  };
  addEventListener("load", reach);
  addEventListener("resize", reach);
  document.addEventListener("toggle", reach, true);
})();
