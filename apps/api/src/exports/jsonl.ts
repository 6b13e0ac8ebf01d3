import type { ExportFormat } from './format.ts';

const encoder = new TextEncoder();

/** One JSON object a line, each complete in itself. */
export const jsonl: ExportFormat = {
  extension: 'jsonl',
  mediaType: 'application/x-ndjson',
  isText: true,
  title: 'JSON, one object a line',
  async *write({ chunks }) {
    for await (const rows of chunks) yield encoder.encode(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  },
};
