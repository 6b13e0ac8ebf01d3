import type { ResultRow, SubmissionRow, SystemRow } from '@inferboard/db/queries/row-types';
import { jsonLine } from '../json-line.ts';
import { type CountedResult, summarise, toCounted } from '../short/count-results.ts';
import { viewSubmissionAlone } from '../submission-views.ts';
import { viewSystem, writeResult } from '../views.ts';

const encoder = new TextEncoder();

/** Writes results as JSON in UTF-8; the system, which most of them share, is written once. */
function createWriter(base: string): (row: ResultRow) => Uint8Array {
  const systems = new WeakMap<SystemRow, string>();
  return (row) => {
    const system = systems.get(row.system) ?? JSON.stringify(viewSystem(row.system, base));
    systems.set(row.system, system);
    return encoder.encode(writeResult(row, system));
  };
}

const comma = 0x2c;

/** Parts one behind the other, with commas between. */
function list(head: Uint8Array, parts: readonly Uint8Array[], tail: Uint8Array): Uint8Array<ArrayBuffer> {
  const commas = Math.max(0, parts.length - 1);
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, head.length + commas + tail.length));
  whole.set(head);
  let at = head.length;
  for (const [index, part] of parts.entries()) {
    if (index > 0) whole[at++] = comma;
    whole.set(part, at);
    at += part.length;
  }
  whole.set(tail, at);
  return whole;
}

/**
 * The answer to a new submission, a witness of its storing: most of it is made while the database is at work. Results leave
 * the heap as soon as they are written: ten thousand are 38 MB, which as text the garbage collector would move about.
 *
 * @param isWhole whether it has the results, or a summary of them
 */
export function createAnswer(base: string, isWhole: boolean) {
  const write = createWriter(base);
  let first: ResultRow | undefined;
  let counted: CountedResult[] = [];
  let results: Uint8Array[] = [];
  return {
    begun: () => {
      first = undefined;
      counted = [];
      results = [];
    },
    storing: (rows: readonly ResultRow[]) => {
      first ??= rows[0];
      for (const row of rows) {
        if (isWhole) results[row.ordinal] = write(row);
        else counted[row.ordinal] = toCounted(row);
      }
    },
    finish(row: SubmissionRow): { self: string | null; body: Uint8Array<ArrayBuffer> } {
      const alone = viewSubmissionAlone(row, first, base, { duplicate: false, isWhole });
      const self = alone.links?.self ?? null;
      if (!isWhole) {
        const short = { ...alone, summary: summarise(counted), results: null };
        return { self, body: encoder.encode(jsonLine(short)) };
      }
      const text = JSON.stringify({ ...alone, summary: null }).slice(0, -1);
      return { self, body: list(encoder.encode(`${text},"results":[`), results, encoder.encode(']}\n')) };
    },
  };
}
