/** The source of an image and its date of drawing: "Inferboard, bench.example.com, 2026-11-23". */
export const sourceOf = (origin: string): string =>
  `Inferboard, ${new URL(origin).host}, ${new Date().toISOString().slice(0, 10)}`;
