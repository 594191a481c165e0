"""Time for a keystroke in the live model of chapter 14, in Chromium, compared with a pass in torch.

Run: python benchmarks/key_time.py
The page keeps the keys and values of the text read before, so for a keystroke at the end the model reads
one position. A text longer than the context moves on by one character at each keystroke, so all of it is
read. The peer is `model.forward_with_weights` on the same text, on one thread, in the same minute.
"""

import base64
import shutil
import statistics
import time

import torch
from playwright.sync_api import sync_playwright

from attention.checkpoint import CHECKPOINT, load_checkpoint
from attention.corpus import load_corpus
from course.draw.parts import parts

MEASURE = """([file, text]) => {
    const mind = courseLive.gpt.read(Uint8Array.from(atob(file), (c) => c.charCodeAt(0)));
    const { ids } = courseLive.gpt.encode(mind, text), look = courseLive.gpt.reader(mind);
    const took = (all) => { const began = performance.now(); look(all); return performance.now() - began; };
    for (let n = 0; n < 8; n += 1) { look([]); look(ids); }  // the engine has seen the code
    look([]);
    const keys = ids.map((_, n) => took(ids.slice(0, n + 1)));
    const whole = Array.from({ length: 15 }, () => { look([]); return took(ids); });
    return [keys, whole];
}"""


def main() -> None:
    torch.set_num_threads(1)
    model, tokenizer, _ = load_checkpoint(CHECKPOINT)
    text = load_corpus("play")[: model.config.block_size]
    ids = torch.tensor([tokenizer.encode(text)])
    peers = []
    for _ in range(30):
        began = time.perf_counter()
        model.forward_with_weights(ids)
        peers.append(1000 * (time.perf_counter() - began))
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = chromium.new_page()
        for path in parts(["gpt"]):
            if path.suffix == ".js":
                page.add_script_tag(path=path)
        file = base64.b64encode(CHECKPOINT.read_bytes()).decode()
        keys, whole = page.evaluate(MEASURE, [file, text])
        chromium.close()
    peer = statistics.median(peers)
    print(f"torch, {len(text)} characters: {peer:.1f} ms")
    for name, times in (("a key at the end", keys), ("a whole pass", whole)):
        middle = statistics.median(times)
        print(f"{name}: {middle:.1f} ms, at most {max(times):.1f}; {middle / peer:.2f} of torch's")


if __name__ == "__main__":
    main()
