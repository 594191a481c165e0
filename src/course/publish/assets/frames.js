// An explorer where no kernel runs, in the book and on the slides: the figure before the frames
// follows a slider or two. Without script the still figure stays.
function unzipped(text) { // a Response: its text, or its bytes
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream);
}

async function follow(store) {
  const figure = store.previousElementSibling;
  const drawn = () => figure.querySelector("svg");
  if (!figure || !drawn() || !window.DecompressionStream) return;
  store.textContent = await unzipped(store.textContent).text();
  const { sliders, frames } = JSON.parse(store.textContent);
  const caption = figure.querySelector("figcaption");
  const box = document.createElement("div");
  box.className = "course-frame-control";
  const inputs = sliders.map(({ label, stops, at }) => {
    const row = box.appendChild(document.createElement("label"));
    const slider = document.createElement("input");
    const shown = document.createElement("output");
    slider.type = "range";
    slider.max = stops.length - 1;
    slider.value = at;
    slider.dataset.preventSwipe = ""; // on a slide, the finger moves this
    shown.style.minWidth = `${Math.max(...stops.map((stop) => stop.length))}ch`;
    const say = () => {
      shown.textContent = stops[slider.value];
      slider.setAttribute("aria-valuetext", stops[slider.value]);
    };
    say();
    slider.addEventListener("input", () => {
      say();
      move();
    });
    row.append(label, slider, shown);
    return slider;
  });
  const move = () => {
    // the last slider runs fastest
    const place = inputs.reduce((n, { max, value }) => n * (Number(max) + 1) + Number(value), 0);
    const { svg, alt } = frames[place];
    drawn().outerHTML = svg;
    drawn().role = "img";
    drawn().ariaLabel = alt;
    if (caption) caption.textContent = alt;
  };
  figure.before(box);
}

window.framesReady = Promise.all([...document.querySelectorAll("script.course-frames")].map(follow));
