import type { ExportFormat } from './format.ts';

const encoder = new TextEncoder();

/** One complete JSON object per line. */
export const jsonl: ExportFormat = {
  extension: 'jsonl',
  mediaType: 'application/x-ndjson',
  isText: true,
  title: 'JSON, one object per line',
  async *write({ chunks }) {
    for await (const rows of chunks) yield encoder.encode(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  },
};
