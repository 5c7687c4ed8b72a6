// The worker that runs Python (Pyodide), so that the page answers meanwhile. A message names a function of playground.py and its argument, both as JSON.
// The archive of Python's standard library has the library, too: one file, with bytecode in place of sources.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const address = (name) => new URL(name, import.meta.url).href;
const python = loadPyodide({ indexURL: address("./pyodide/"), stdLibURL: address("./python.zip") }).then((pyodide) => pyodide.pyimport("playground"));

python.then(
  (module) => postMessage({ ready: true, about: JSON.parse(module.about()) }),
  (error) => postMessage({ ready: false, error: String(error) }),
);

onmessage = async ({ data: { id, name, argument } }) => {
  try {
    const module = await python;
    postMessage({ id, answer: JSON.parse(module[name](JSON.stringify(argument))) });
  } catch (error) {
    postMessage({ id, error: String(error) });
  }
};
