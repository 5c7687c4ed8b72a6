// Compile Python's standard library and the library with the Python of Pyodide, so that a browser need not: node bytecode.mjs PYODIDE INPUT OUTPUT
// A module that the answers of the playground load becomes bytecode. Any other module stays a source, which is smaller.
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, input, output] = process.argv.slice(2).map((each) => resolve(each));
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`));
const pyodide = await loadPyodide({ indexURL: folder });
pyodide.FS.writeFile("/input.zip", readFileSync(input));
pyodide.runPython(`
import importlib.util, json, marshal, sys, zipfile

UNCHECKED = (1).to_bytes(4, "little")  # https://peps.python.org/pep-0552/: valid without a look at the source

with zipfile.ZipFile("/input.zip") as sources:
    sys.path.insert(0, "/input.zip")
    import playground

    playground.about()
    playground.check(json.dumps({"files": {"example.yaml": sources.read("example.yaml").decode()}, "talos": "1.13"}))
    playground.node(json.dumps({"talos_version": json.loads(playground.about())["newest"]}))
    playground.why(json.dumps({"log": "CUDA error 803"}))
    loaded = {path.partition(".zip/")[2] for path in (getattr(each, "__file__", None) or "" for each in list(sys.modules.values()))}
    with zipfile.ZipFile("/output.zip", "w", zipfile.ZIP_DEFLATED) as target:
        for info in sources.infolist():
            name, content = info.filename, sources.read(info)
            if name in loaded:
                code = marshal.dumps(compile(content, name, "exec", dont_inherit=True))
                content = importlib.util.MAGIC_NUMBER + UNCHECKED + importlib.util.source_hash(content) + code
                name += "c"
            target.writestr(zipfile.ZipInfo(name, info.date_time), content, zipfile.ZIP_DEFLATED)
`);
writeFileSync(output, pyodide.FS.readFile("/output.zip"));
