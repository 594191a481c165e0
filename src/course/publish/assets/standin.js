// A live explorer where no kernel runs, in the book and on the slides: the module of JupyterLab on
// a stand-in for its model. Without script the still figure stays, and without the weights that it
// computes with, which publish/weights.py put into a script of this page.
for (const store of document.querySelectorAll("script.course-live")) {
  const { module, ...traits } = JSON.parse(store.textContent);
  const heard = {}, file = globalThis.courseWeights?.[store.dataset.weights];
  if (store.dataset.weights && !file) continue;
  if (file) traits.weights = Uint8Array.from(atob(file), (character) => character.charCodeAt(0));
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
