// Files in the fragment of a link: JSON, compressed, in base64 for addresses. A browser never sends the fragment to a server.

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
  const bytes = await through(new TextEncoder().encode(JSON.stringify(value)), new CompressionStream("deflate-raw"));
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return text.length > LONGEST ? null : text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

// The shared files, or null for a fragment that is none.
export async function unpacked(text) {
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
    const { files, talos } = JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw"), LARGEST)));
    const isRight = Array.isArray(files) && files.every((each) => Array.isArray(each) && each.length === 2 && each.every((part) => typeof part === "string"));
    return isRight && typeof talos === "string" ? { files, talos } : null;
  } catch {
    return null;
  }
}
