// An explorer where no kernel runs, in the book and on the slides: the figure before the frames
// follows one control or two: a slider, a box to tick, or a list. Without script the still figure stays.
function unzipped(text) { // a Response: its text, or its bytes
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream);
}

// The control for its stops, at one of them: what it is, where it is, and how it says so.
function control(label, stops, at) {
  const row = document.createElement("label");
  const grows = stops.every((stop, n) => Number(stop) > Number(stops[n - 1] ?? -Infinity));
  if (stops.join() === "off,on" || stops.join() === "on,off") {
    const box = Object.assign(document.createElement("input"), { type: "checkbox", checked: stops[at] === "on" });
    row.append(box, label);
    return { row, input: box, place: () => stops.indexOf(box.checked ? "on" : "off") };
  }
  if (!grows) {
    const list = document.createElement("select");
    list.append(...stops.map((stop) => new Option(stop)));
    list.selectedIndex = at;
    row.append(label, list);
    return { row, input: list, place: () => list.selectedIndex };
  }
  const slider = document.createElement("input"), shown = document.createElement("output");
  Object.assign(slider, { type: "range", max: stops.length - 1, value: at });
  slider.dataset.preventSwipe = ""; // on a slide, the finger moves this
  shown.style.minWidth = `${Math.max(...stops.map((stop) => stop.length))}ch`;
  const say = () => {
    shown.textContent = stops[slider.value];
    slider.setAttribute("aria-valuetext", stops[slider.value]);
  };
  say();
  slider.addEventListener("input", say);
  row.append(label, slider, shown);
  return { row, input: slider, place: () => Number(slider.value) };
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
  const controls = sliders.map(({ label, stops, at }) => {
    const made = control(label, stops, at);
    made.input.addEventListener("input", () => move());
    box.append(made.row);
    return made;
  });
  const move = () => {
    // the last control runs fastest
    const place = controls.reduce((n, { place }, at) => n * sliders[at].stops.length + place(), 0);
    const { svg, alt } = frames[place];
    drawn().outerHTML = svg;
    drawn().role = "img";
    drawn().ariaLabel = alt;
    if (caption) caption.textContent = alt;
  };
  figure.before(box);
}

window.framesReady = Promise.all([...document.querySelectorAll("script.course-frames")].map(follow));
