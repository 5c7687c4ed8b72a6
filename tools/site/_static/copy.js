// A button on each block of code that copies its text. Browsers offer the clipboard to pages over HTTPS and on localhost only.

function button(block) {
  const copy = Object.assign(document.createElement("button"), { className: "copy", type: "button", textContent: "Copy" });
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(block.querySelector("pre").textContent.trimEnd());
    copy.textContent = "Copied";
    setTimeout(() => (copy.textContent = "Copy"), 2000);
  });
  return copy;
}

if (navigator.clipboard) {
  for (const block of document.querySelectorAll(".content div.highlight")) {
    if (!block.closest(".mermaid")) block.append(button(block));
  }
}
