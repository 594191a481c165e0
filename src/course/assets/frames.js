// A slider over the frames of an explorer, where no kernel runs: in the book and on the slides.
document.querySelectorAll("script.course-frames").forEach((script) => {
  const { label, frames } = JSON.parse(script.textContent);
  const figure = script.previousElementSibling;
  const image = figure.querySelector("img");
  const caption = figure.querySelector("figcaption");
  const still = frames.findIndex((frame) => frame.src === image.getAttribute("src"));

  const player = document.createElement("label");
  player.className = "course-player";
  const slider = document.createElement("input");
  slider.type = "range";
  slider.min = 0;
  slider.max = frames.length - 1;
  slider.dataset.preventSwipe = "";
  const shown = document.createElement("output");
  player.append(label, slider, shown);

  const show = (number) => {
    const frame = frames[number];
    slider.setAttribute("aria-valuetext", frame.value);
    shown.textContent = frame.value;
    if (image.getAttribute("src") === frame.src) return;
    image.src = frame.src;
    image.alt = frame.alt;
    if (caption) caption.textContent = frame.alt;
  };
  slider.addEventListener("input", () => show(slider.valueAsNumber));
  slider.value = Math.max(still, 0);
  show(Math.max(still, 0));
  figure.before(player);
});
