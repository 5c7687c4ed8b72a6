// What Renovate's own functions make of updates: node apply_rules.mjs FOLDER, with a list on stdin, each the configuration of a dependency and of its update.
import { text } from "node:stream/consumers";

const [folder] = process.argv.slice(2);
const of = (path) => import(`${folder}/node_modules/renovate/dist/util/${path}/index.js`);
const [{ applyPackageRules }, { compile }] = await Promise.all([of("package-rules"), of("template")]);

const results = JSON.parse(await text(process.stdin)).map(async (config) => {
  const { packageRules, ...applied } = await applyPackageRules(config);
  return { ...applied, prBodyNotes: (applied.prBodyNotes ?? []).map((note) => compile(note, applied)) };
});
console.log(JSON.stringify(await Promise.all(results)));
