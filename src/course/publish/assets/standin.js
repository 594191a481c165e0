// A live explorer where no kernel runs, in the book and on the slides: the module of JupyterLab on
// a stand-in for its model. Without script the still figure stays, and without the weights that it
// computes with, which publish/explorers.py puts into a script of this page.
async function unpacked(text) { // as explorers.py packs it
  const parts = new Uint8Array(await unzipped(text).arrayBuffer()), odd = Math.ceil(parts.length / 2);
  return parts.map((_, n) => parts[n % 2 ? odd + (n >> 1) : n >> 1]);
}

async function stand(store) {
  const { module, ...traits } = JSON.parse(store.textContent);
  const heard = {}, file = globalThis.courseWeights?.[store.dataset.weights];
  if (store.dataset.weights && !(file && window.DecompressionStream)) return;
  if (file) traits.weights = await unpacked(file);
  const model = {
    get: (name) => traits[name],
    set: (name, value) => {
      traits[name] = value;
      for (const follow of heard[`change:${name}`] ?? []) follow();
    },
    on: (event, follow) => { (heard[event] ??= []).push(follow); },
    save_changes: () => {},
  };
  const el = document.createElement("div");
  globalThis.courseLive[module].render({ model, el });
  store.previousElementSibling.replaceWith(el);
}

window.liveReady = Promise.all([...document.querySelectorAll("script.course-live")].map(stand));
