// The worker that runs Python (Pyodide), so that the page answers meanwhile. A message names a function of playground.py and its argument, both as JSON.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const python = (async () => {
  const pyodide = await loadPyodide({ indexURL: new URL("./pyodide/", import.meta.url).href });
  const library = await (await fetch("./library.zip")).arrayBuffer();
  pyodide.unpackArchive(library, "zip", { extractDir: "/library" });
  pyodide.runPython("import sys; sys.path.insert(0, '/library')");
  return pyodide.pyimport("playground");
})();

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
