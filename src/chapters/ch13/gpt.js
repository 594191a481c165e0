// A GPT in the page, from the bytes of a checkpoint: text in, logits and the weights of every head
// out. It computes what attention.gpt does, in that order, one position after another; what
// earlier positions gave is kept, as their keys and values are in a cache.
(() => {
  "use strict";
  const { weigh } = globalThis.courseLive;

  // ---------------------------------------------------------------- a checkpoint

  const half = (bits) => {
    const exponent = bits >> 10 & 31, fraction = bits & 1023;
    const size = exponent ? 2 ** (exponent - 25) * (1024 + fraction) : 2 ** -24 * fraction;
    return bits >> 15 ? -size : size;
  };

  // Safetensors: the length of a header, the header, and the numbers at the places that it names.
  function read(bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const start = 8 + Number(view.getBigUint64(0, true));
    const header = new TextDecoder().decode(new Uint8Array(view.buffer, view.byteOffset + 8, start - 8));
    const { __metadata__: about, ...tensors } = JSON.parse(header), weights = {};
    for (const [name, { dtype, data_offsets: [from, to] }] of Object.entries(tensors)) {
      const [size, number] = { // of the two types that have one here, as attention.checkpoint reads them
        F16: [2, (at) => half(view.getUint16(at, true))], F32: [4, (at) => view.getFloat32(at, true)],
      }[dtype];
      weights[name] = Float32Array.from({ length: (to - from) / size }, (_, n) => number(start + from + n * size));
    }
    const config = JSON.parse(about.config);
    if (config.tied) weights["lm_head.weight"] = weights["token_embedding.weight"];
    const tokens = about.merges ? merged(JSON.parse(about.merges)) : { vocab: [...about.alphabet] };
    return { config, weights, ...tokens };
  }

  // ---------------------------------------------------------------- its tokens

  // Byte pair encoding as in attention.bpe_tokenizer: the tokens as text, and for a pair of ids the id
  // that it becomes, the earlier the better.
  function merged(pairs) {
    const bytes = Array.from({ length: 256 }, (_, byte) => [byte]), pairId = new Map();
    for (const [left, right] of pairs) {
      pairId.set(`${left} ${right}`, bytes.length);
      bytes.push([...bytes[left], ...bytes[right]]);
    }
    const decoder = new TextDecoder();
    return { vocab: bytes.map((token) => decoder.decode(Uint8Array.from(token))), pairId };
  }

  const PIECES = /'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu; // as GPT-2 cuts

  function mergedIds(piece, pairId) {
    const ids = [...new TextEncoder().encode(piece)];
    for (;;) {
      const found = ids.slice(1).map((id, n) => pairId.get(`${ids[n]} ${id}`) ?? Infinity);
      const first = Math.min(...found);
      if (first === Infinity) return ids;
      for (let n = 0; n + 1 < ids.length; n += 1) {
        if (pairId.get(`${ids[n]} ${ids[n + 1]}`) === first) ids.splice(n, 2, first);
      }
    }
  }

  // The ids of a text: without what the model doesn't know, and of the others the last. Of a model of
  // characters these are the unknown ones; of one of words those that no token is for, cut into several.
  function encode({ config, vocab, pairId }, text) {
    const pieces = pairId ? text.match(PIECES) ?? [] : [...text];
    const ids = pieces.map((piece) => (pairId ? mergedIds(piece, pairId) : [vocab.indexOf(piece)]));
    const known = ids.flat().filter((id) => id >= 0);
    const unknown = [...new Set(pieces.filter((_, n) => ids[n].length > 1 || ids[n][0] < 0))];
    return { ids: known.slice(-config.block_size), unknown, known: known.length };
  }

  // ---------------------------------------------------------------- the parts

  const total = (x, f) => x.reduce((sum, value) => sum + f(value), 0);
  const add = (x, y) => x.map((value, c) => value + y[c]);

  function linear({ weights }, name, x) {
    const W = weights[`${name}.weight`], bias = weights[`${name}.bias`], C = x.length;
    const out = new Float64Array(W.length / C);
    for (let row = 0, at = 0; row < out.length; row += 1) {
      let first = bias ? bias[row] : 0, second = 0, third = 0, fourth = 0, c = 0;
      for (; c + 3 < C; c += 4, at += 4) { // four sums, as each has to wait for itself
        first += W[at] * x[c];
        second += W[at + 1] * x[c + 1];
        third += W[at + 2] * x[c + 2];
        fourth += W[at + 3] * x[c + 3];
      }
      for (; c < C; c += 1, at += 1) first += W[at] * x[c];
      out[row] = first + second + third + fourth;
    }
    return out;
  }

  const rms = (x) => { // as torch has it, with the smallest step of a 32-bit float
    const size = Math.sqrt(total(x, (value) => value * value) / x.length + 2 ** -23);
    return x.map((value) => value / size);
  };
  const centred = (x) => {
    const mean = total(x, (value) => value) / x.length;
    const size = Math.sqrt(total(x, (value) => (value - mean) ** 2) / x.length + 1e-5);
    return x.map((value) => (value - mean) / size);
  };
  function norm({ config, weights }, name, x) {
    if (config.norm === "none") return x;
    const weight = weights[`${name}.weight`], bias = weights[`${name}.bias`];
    const even = config.norm === "rms" ? rms(x) : centred(x);
    return even.map((value, c) => value * weight[c] + (bias ? bias[c] : 0));
  }

  const ACTIVATIONS = {
    relu: (x) => Math.max(x, 0),
    relu2: (x) => Math.max(x, 0) ** 2,
    gelu: (x) => x / 2 * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3))),
  };

  // The cosine and the sine by which each pair of channels is turned at position t.
  function turns(t, size) {
    const angles = Float64Array.from({ length: size / 2 }, (_, pair) => t * 10_000 ** (-2 * pair / size));
    return [angles.map(Math.cos), angles.map(Math.sin)];
  }
  function rotate(x, [cos, sin]) {
    const wide = cos.length, out = x.slice();
    for (let c = 0; c < wide; c += 1) {
      out[c] = x[c] * cos[c] - x[c + wide] * sin[c];
      out[c + wide] = x[c] * sin[c] + x[c + wide] * cos[c];
    }
    return out;
  }

  function slope(head, n) {
    const power = 2 ** Math.floor(Math.log2(n));
    return head < power ? 2 ** (-8 * (head + 1) / power) : 2 ** (-8 * (2 * (head - power) + 1) / (2 * power));
  }

  // ---------------------------------------------------------------- attention, a block, a GPT

  function scores(q, keys, group, penalty) {
    const found = [], D = q.length, last = keys.length - 1;
    for (let s = 0; s <= last; s += 1) {
      const k = keys[s][group];
      let score = 0;
      for (let d = 0; d < D; d += 1) score += q[d] * k[d];
      found.push(score / Math.sqrt(D) - penalty * (last - s));
    }
    return found;
  }

  function mix(weights, values, group, out) {
    for (let s = 0; s < weights.length; s += 1) {
      const v = values[s][group], weight = weights[s];
      for (let d = 0; d < out.length; d += 1) out[d] += weight * v[d];
    }
  }

  // What one more position hears in a block, whose cache gets its keys, its values and its rows of
  // the maps, one of each head. A head that is off has its map, and its output is 0.
  function attend(model, name, x, { keys, values, maps }, off, note) {
    const { n_head, n_kv_head, n_embd, positions, qk_norm } = model.config, t = keys.length;
    const D = n_embd / n_head, kept = n_kv_head ?? n_head, shared = n_head / kept;
    const qkv = linear(model, `${name}.qkv`, x), turn = turns(t, D);
    const part = (n) => qkv.subarray(n * D, (n + 1) * D);
    const ready = (vector) => {
      const even = qk_norm ? rms(vector) : vector;
      return positions === "rotary" ? rotate(even, turn) : even;
    };
    keys.push(Array.from({ length: kept }, (_, group) => ready(part(n_head + group)))); // (T, Hkv, D)
    values.push(Array.from({ length: kept }, (_, group) => part(n_head + kept + group)));
    const mixed = new Float64Array(n_embd), queries = maps.map((_, head) => ready(part(head)));
    maps.forEach((rows, head) => {
      const group = Math.floor(head / shared), penalty = positions === "alibi" ? slope(head, n_head) : 0;
      const weights = weigh(scores(queries[head], keys, group, penalty));
      if (!off[head]) mix(weights, values, group, mixed.subarray(head * D, (head + 1) * D));
      rows.push(weights);
    });
    note("queries", queries);
    return note("mix", linear(model, `${name}.out`, mixed));
  }

  function embed({ config, weights }, id, t) {
    const C = config.n_embd, row = (name, n) => weights[name].subarray(n * C, (n + 1) * C);
    const x = Float64Array.from(row("token_embedding.weight", id));
    if (config.positions === "learned") return add(x, row("position_embedding.weight", t));
    if (config.positions !== "sinusoidal") return x;
    const [cos, sin] = turns(t, C);
    return x.map((value, c) => value + (c % 2 ? cos : sin)[c >> 1]);
  }

  // The logits of the character after one more position. `note` is given what is computed on the way, with its name.
  function step(model, id, t, blocks, off, note) {
    let x = note("vectors", embed(model, id, t));
    blocks.forEach((cache, n) => {
      const name = `blocks.${n}`, mine = (what, value) => note(`${what} ${n}`, value);
      x = mine("heard", add(x, attend(model, `${name}.attention`, norm(model, `${name}.norm_1`, x), cache, off[n] ?? [], mine)));
      const hidden = linear(model, `${name}.mlp.hidden`, norm(model, `${name}.norm_2`, x));
      const active = mine("hidden", hidden.map(ACTIVATIONS[model.config.activation]));
      x = mine("out", add(x, mine("mlp", linear(model, `${name}.mlp.out`, active))));
    });
    return linear(model, "lm_head", note("norm", norm(model, "final_norm", x)));
  }

  // A function that reads ids and gives the logits, (T, V), and the blocks' maps, rows of weights that
  // end with the position itself. It starts where the ids differ from those that it read last. `off` are
  // the heads that are off, true at their block and head; with others it reads all anew. It also gives what it
  // computed on the way, `parts`: lists with a vector for each position, by name, and the blocks' caches.
  function reader(model) {
    const { n_layer, n_head } = model.config, ids = [], logits = [], parts = {};
    let without = "[]";
    const note = (name, value) => ((parts[name] ??= [])[ids.length] = value);
    const blocks = Array.from({ length: n_layer }, () => (
      { keys: [], values: [], maps: Array.from({ length: n_head }, () => []) }));
    return (all, off = []) => {
      if (without !== (without = JSON.stringify(off))) ids.length = 0;
      const last = ids.findIndex((id, t) => id !== all[t]), same = last < 0 ? ids.length : last;
      const lists = [ids, logits, ...Object.values(parts), ...blocks.flatMap(({ keys, values, maps }) => [keys, values, ...maps])];
      for (const list of lists) list.length = same;
      for (const id of all.slice(same)) {
        logits.push(step(model, id, ids.length, blocks, off, note));
        ids.push(id);
      }
      return { logits, maps: blocks.map(({ maps }) => maps), parts, caches: blocks };
    };
  }

  globalThis.courseLive.gpt = { encode, read, reader };
})();
