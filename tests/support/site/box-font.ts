/** Font metrics, relative to the font size. */
export interface FontShape {
  /** Ascent and descent from the baseline. */
  ascent: number;
  descent: number;
  /** Advance width of each glyph. */
  advance: number;
}

const unitsPerEm = 1000;
/** Letters, punctuation, arrows and shapes: first and last code point of each block. */
const blocks = [
  [0x20, 0x24f],
  [0x2000, 0x27ff],
] as const;

const u16 = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(2 * values.length);
  for (const [at, value] of values.entries()) bytes.writeUInt16BE(value & 0xffff, 2 * at);
  return bytes;
};
const u32 = (...values: number[]): Buffer => u16(...values.flatMap((value) => [value >>> 16, value]));

/** Maps all code points of the blocks to glyph 1, in the format that all browsers support. */
function charactersTable(): Buffer {
  const codes = blocks.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  const segments = [...blocks, [0xffff, 0xffff] as const];
  let before = 0;
  const offsets = blocks.map(([first, last], at) => {
    const offset = 2 * (segments.length - at + before);
    before += last - first + 1;
    return offset;
  });
  const body = Buffer.concat([
    u16(...segments.map(([, last]) => last), 0),
    u16(...segments.map(([first]) => first)),
    u16(...blocks.map(() => 0), 1),
    u16(...offsets, 0),
    u16(...new Array<number>(codes).fill(1)),
  ]);
  const header = u16(4, 14 + body.length, 0, 2 * segments.length, 4, 1, 2 * segments.length - 4);
  return Buffer.concat([u16(0, 1, 3, 1), u32(12), header, body]);
}

/**
 * A TrueType font whose glyphs are identical boxes. For a layout, system fonts differ in little else, and this one is the same on
 * every machine.
 */
export function createBoxFont(shape: FontShape): Buffer {
  const [ascent, descent, advance] = [shape.ascent, shape.descent, shape.advance].map((part) =>
    Math.round(part * unitsPerEm),
  ) as [number, number, number];
  const [right, top] = [advance - 50, 500];
  // One contour of four points, each coordinate as a two-byte difference.
  const box = Buffer.concat([
    u16(1, 50, 0, right, top, 3, 0),
    Buffer.from([1, 1, 1, 1]),
    u16(50, right - 50, 0, 50 - right),
    u16(0, 0, top, 0),
  ]);
  const metrics = u16(ascent, -descent, 0);
  const tables: Record<string, Buffer> = {
    'OS/2': Buffer.concat([
      u16(4, advance, 400, 5, 0, ...new Array<number>(10).fill(100), 0),
      Buffer.alloc(10),
      u32(1, 0, 0, 0),
      Buffer.from('TEST'),
      u16(0x40, blocks[0][0], blocks[1][1]),
      metrics,
      u16(ascent, descent),
      u32(1, 0),
      u16(top, top, 0, 0x20, 1),
    ]),
    cmap: charactersTable(),
    glyf: box,
    head: Buffer.concat([
      u32(0x10000, 0x10000, 0, 0x5f0f3cf5),
      u16(0, unitsPerEm),
      Buffer.alloc(16),
      u16(0, 0, advance, ascent, 0, 8, 2, 0, 0),
    ]),
    hhea: Buffer.concat([u32(0x10000), metrics, u16(advance, 0, 0, advance, 1, 0, 0, 0, 0, 0, 0, 0, 1)]),
    hmtx: u16(advance, 0, 50),
    loca: u16(0, 0, box.length / 2),
    maxp: Buffer.concat([u32(0x10000), u16(2, 4, 1, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0)]),
    name: u16(0, 0, 6),
    post: Buffer.concat([u32(0x30000), Buffer.alloc(28)]),
  };
  const entries = Object.entries(tables);
  let offset = 12 + 16 * entries.length;
  const directory: Buffer[] = [];
  const contents: Buffer[] = [];
  for (const [tag, table] of entries) {
    const padded = Buffer.concat([table, Buffer.alloc(-table.length & 3)]);
    let sum = 0;
    for (let at = 0; at < padded.length; at += 4) sum = (sum + padded.readUInt32BE(at)) >>> 0;
    directory.push(Buffer.from(tag), u32(sum, offset, table.length));
    contents.push(padded);
    offset += padded.length;
  }
  const search = 16 * 2 ** Math.floor(Math.log2(entries.length));
  const count = u16(entries.length, search, Math.log2(search / 16), 16 * entries.length - search);
  return Buffer.concat([u32(0x10000), count, ...directory, ...contents]);
}
