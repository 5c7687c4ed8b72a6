// A zip archive of texts, without compression. https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT

const TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value >>> 0;
});

function checksum(bytes) {
  let value = 0xffffffff;
  for (const byte of bytes) value = TABLE[(value ^ byte) & 0xff] ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}

function record(size, fields) {
  const view = new DataView(new ArrayBuffer(size));
  for (const [offset, bytes, value] of fields) bytes === 2 ? view.setUint16(offset, value, true) : view.setUint32(offset, value, true);
  return new Uint8Array(view.buffer);
}

const UTF8 = 0x0800;
const FIRST_DAY = 0x0021; // 1 January 1980: the same files give the same archive

// The path of a file in the archive: parts that lead out of it are left out, so that no shared link makes an archive that writes elsewhere.
function pathOf(name, taken) {
  const parts = name.split(/[\\/]/).filter((part) => part && part !== "." && part !== "..");
  const path = parts.join("/") || "file";
  let unique = path;
  for (let number = 2; taken.has(unique); number += 1) unique = `${path}-${number}`;
  taken.add(unique);
  return unique;
}

export function zipOf(files) {
  const taken = new Set();
  const encoder = new TextEncoder();
  const parts = [];
  const entries = [];
  let offset = 0;
  for (const [name, text] of Object.entries(files)) {
    const [path, bytes] = [encoder.encode(pathOf(name, taken)), encoder.encode(text)];
    const common = [checksum(bytes), bytes.length];
    const local = record(30, [[0, 4, 0x04034b50], [4, 2, 20], [6, 2, UTF8], [12, 2, FIRST_DAY], [14, 4, common[0]], [18, 4, common[1]], [22, 4, common[1]], [26, 2, path.length]]);
    entries.push(
      record(46, [[0, 4, 0x02014b50], [4, 2, 20], [6, 2, 20], [8, 2, UTF8], [14, 2, FIRST_DAY], [16, 4, common[0]], [20, 4, common[1]], [24, 4, common[1]], [28, 2, path.length], [42, 4, offset]]),
      path,
    );
    parts.push(local, path, bytes);
    offset += local.length + path.length + bytes.length;
  }
  const count = entries.length / 2;
  const size = entries.reduce((sum, each) => sum + each.length, 0);
  const end = record(22, [[0, 4, 0x06054b50], [8, 2, count], [10, 2, count], [12, 4, size], [16, 4, offset]]);
  return new Blob([...parts, ...entries, end], { type: "application/zip" });
}
