/** Where a picture is from and the day it was drawn: "Inferboard, bench.example.com, 2026-11-23". */
export const sourceOf = (origin: string): string =>
  `Inferboard, ${new URL(origin).host}, ${new Date().toISOString().slice(0, 10)}`;
