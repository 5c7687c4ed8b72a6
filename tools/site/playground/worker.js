// The worker that runs Python (Pyodide). A message names a function of playground.py and its argument, both as JSON.
// The archive of Python's standard library has the library, too: one file, with bytecode in place of sources.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const address = (name) => new URL(name, import.meta.url).href;
const python = loadPyodide({ indexURL: address("./pyodide/"), stdLibURL: address("./python.zip") }).then((pyodide) => pyodide.pyimport("playground"));

python.then(
  (module) => postMessage({ about: JSON.parse(module.about()) }),
  (error) => postMessage({ error: String(error) }),
);

onmessage = async ({ data: { name, argument } }) => {
  try {
    const module = await python;
    postMessage({ answer: JSON.parse(module[name](JSON.stringify(argument))) });
  } catch (error) {
    postMessage({ error: String(error) });
  }
};
