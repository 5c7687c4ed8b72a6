// Python in a worker, so that the page answers meanwhile. The worker runs one request at a time, and can't be interrupted: it is replaced.

const PATIENCE = 1000; // milliseconds; a new worker takes about as long to start
const OF_FILES = new Set(["check", "outcomes", "fix"]);

export class Python {
  #starts = 0;
  #queue = [];
  #running = null;
  #isReady = false;
  #worker;

  // `ready` gets what the page needs to know of the library, once; `failed` gets a sentence.
  constructor(ready, failed) {
    this.ready = ready;
    this.failed = failed;
    this.#start();
  }

  // The answer of a function of playground.py, or null where `cancel` came before it.
  ask(name, argument) {
    return new Promise((resolve, reject) => {
      this.#queue.push({ name, argument, resolve, reject });
      this.#next();
    });
  }

  // Give up what was asked of the files as they were before a change.
  cancel() {
    const [outdated, rest] = [true, false].map((is) => this.#queue.filter(({ name }) => OF_FILES.has(name) === is));
    this.#queue = rest;
    for (const { resolve } of outdated) resolve(null);
    const running = this.#running;
    if (!OF_FILES.has(running?.name)) return;
    setTimeout(() => running === this.#running && this.#replace(), PATIENCE - (performance.now() - running.since));
  }

  #start() {
    document.body.dataset.workers = this.#starts += 1;
    this.#isReady = false;
    this.#worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    this.#worker.onerror = () => this.failed("Python could not be loaded.");
    this.#worker.onmessage = ({ data }) => this.#receive(data);
  }

  #replace() {
    this.#running.resolve(null);
    this.#running = null;
    this.#renew();
  }

  #renew() {
    this.#worker.terminate();
    this.#start();
  }

  #receive(data) {
    if ("about" in data) {
      this.#isReady = true;
      this.ready?.(data.about);
      this.ready = null;
    } else if (this.#isReady) {
      const { resolve, reject } = this.#running;
      this.#running = null;
      if ("error" in data) {
        reject(new Error(data.error));
        this.#renew(); // Python that ran out of memory answers nothing more
      } else resolve(data.answer);
    } else this.failed(`Python could not be loaded: ${data.error}`);
    this.#next();
  }

  #next() {
    if (!this.#isReady || this.#running || !this.#queue.length) return;
    this.#running = { ...this.#queue.shift(), since: performance.now() };
    const { name, argument } = this.#running;
    this.#worker.postMessage({ name, argument });
  }
}
