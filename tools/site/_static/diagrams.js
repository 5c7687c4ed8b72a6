// Draws the diagrams of a page with Mermaid in the page's colours, and again when the reader changes the scheme.
// Without this script a diagram is the text that describes it.

const blocks = [...document.querySelectorAll("div.mermaid")].map((block) => ({ block, text: block.textContent }));
const systemIsDark = matchMedia("(prefers-color-scheme: dark)");

function scheme() {
  const chosen = document.body.dataset.theme;
  if (chosen === "light" || chosen === "dark") return chosen;
  return systemIsDark.matches ? "dark" : "light";
}

async function draw(mermaid) {
  const theme = scheme();
  if (document.body.dataset.diagrams === theme) return;
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    theme: theme === "dark" ? "dark" : "default",
    flowchart: { useMaxWidth: false },
  });
  for (const [number, { block, text }] of blocks.entries()) {
    const { svg } = await mermaid.render(`diagram-${theme}-${number}`, text);
    block.innerHTML = svg;
  }
  document.body.dataset.diagrams = theme;
}

// Mermaid from npm is no module: it sets a global name.
function load() {
  const script = document.createElement("script");
  script.src = new URL("mermaid.tiny.js", import.meta.url);
  return new Promise((resolve, reject) => {
    script.onload = () => resolve(globalThis.mermaid);
    script.onerror = reject;
    document.head.append(script);
  });
}

if (blocks.length) {
  const mermaid = await load();
  let drawn = Promise.resolve();
  const redraw = () => { drawn = drawn.then(() => draw(mermaid)); };
  redraw();
  new MutationObserver(redraw).observe(document.body, { attributeFilter: ["data-theme"] });
  systemIsDark.addEventListener("change", redraw);
}
