// Files and the lines of a log in the fragment of a link: JSON, compressed, in base64 for addresses. A browser never sends the fragment to a server.
// The format `deflate` ends with a checksum, so that a link with one changed character is damaged, and not another text.

const LONGEST = 100_000;
const LARGEST = 20_000_000;

async function through(bytes, stream, limit = Infinity) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    size += value.length;
    if (size > limit) throw new Error("too large");
    parts.push(value);
  }
}

export async function packed(value) {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(value)), new CompressionStream("deflate"));
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return text.length > LONGEST ? null : text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

// What was shared, or null for a fragment that is damaged.
export async function unpacked(text) {
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
    const { files, talos, log = "" } = JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate"), LARGEST)));
    const isRight = Array.isArray(files) && files.every((each) => Array.isArray(each) && each.length === 2 && each.every((part) => typeof part === "string"));
    return isRight && typeof talos === "string" && typeof log === "string" ? { files, talos, log } : null;
  } catch {
    return null;
  }
}
