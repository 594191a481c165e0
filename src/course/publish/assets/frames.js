// An explorer where no kernel runs, in the book and on the slides: the figure before the frames
// follows a slider. Without script the still figure stays.
for (const store of document.querySelectorAll("script.course-frames")) {
  const figure = store.previousElementSibling;
  const drawn = () => figure.querySelector("svg");
  if (!figure || !drawn()) continue;
  const { label, frames } = JSON.parse(store.textContent);
  const caption = figure.querySelector("figcaption");
  const box = document.createElement("label");
  const slider = document.createElement("input");
  const shown = document.createElement("output");
  box.className = "course-frame-control";
  slider.type = "range";
  slider.max = frames.length - 1;
  slider.dataset.preventSwipe = ""; // on a slide, the finger moves this
  slider.value = Math.max(0, frames.findIndex(({ alt }) => alt === drawn().ariaLabel));
  const say = () => {
    const { value } = frames[slider.value];
    shown.textContent = value;
    slider.setAttribute("aria-valuetext", value);
  };
  slider.addEventListener("input", () => {
    const { svg, alt } = frames[slider.value];
    drawn().outerHTML = svg;
    drawn().role = "img";
    drawn().ariaLabel = alt;
    if (caption) caption.textContent = alt;
    say();
  });
  box.append(label, slider, shown);
  say();
  figure.before(box);
}
