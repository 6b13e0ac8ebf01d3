import type { ResultRow, SubmissionRow, SystemRow } from '@inferboard/db/boards/lists/row-types';
import { writeResult } from '../../result-views.ts';
import { type CountedResult, summarise, toCounted } from '../../short/count-results.ts';
import { viewSystem } from '../../views.ts';
import { jsonLine } from '../json-line.ts';
import { viewSubmissionAlone } from '../submission-views.ts';

const encoder = new TextEncoder();

/** Writes results as UTF-8 JSON. A system shared by several results is serialized once. */
function createWriter(base: string): (row: ResultRow) => Uint8Array {
  const systems = new WeakMap<SystemRow, string>();
  return (row) => {
    const system = systems.get(row.system) ?? JSON.stringify(viewSystem(row.system, base));
    systems.set(row.system, system);
    return encoder.encode(writeResult(row, system));
  };
}

const comma = 0x2c;

/** Joins parts with commas, between a head and a tail. */
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
 * Builds the response for a new submission while it is stored; most of it is made while the database works. Each result is
 * serialized to bytes at once: ten thousand are 38 MB, which as text would burden the garbage collector.
 *
 * @param isWhole whether the response has the results, or a summary of them
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
