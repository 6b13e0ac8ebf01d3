import { setTimeout as sleep } from 'node:timers/promises';
import { tidy, toRecord } from './records/assemble-record.ts';
import type { RequestRecord } from './records/load-record.ts';
import { secretsOf } from './records/redact.ts';
import type { RequestTable } from './records/request-table.ts';
import { RowChunks } from './records/row-chunks.ts';
import type { Interim } from './thread-messages.ts';

/** Events that are read between two looks at the clock. */
const eventsPerStep = 1024;
/** Records are handed over together while they have fewer events than this: a long record takes a whole slice. */
const eventsPerHandOver = 256;
const recordsMax = 64;

/**
 * Turns the interim reports of a run's threads into the records of the requests that ended. Chunks are kept until then. The
 * work is divided into steps of at most some 20 us: each brings a record or null.
 */
export function createInterimReader(
  table: RequestTable,
  headers: Readonly<Record<string, string>>,
): (interim: Interim) => Generator<RequestRecord | null, void> {
  const secrets = secretsOf(headers);
  const chunks = new RowChunks(table);
  return function* read({ rows, stamps, ended, words }) {
    for (let from = 0; from < rows.length; from += eventsPerStep) {
      const to = Math.min(rows.length, from + eventsPerStep);
      for (let at = from; at < to; at++) chunks.add(rows[at] ?? 0, stamps[at] ?? 0);
      yield null;
    }
    const said = new Map(words.map(({ row, ...rest }) => [row, rest]));
    for (const row of ended) {
      const { detail = null, finishReason = null } = said.get(row) ?? {};
      yield toRecord(table, row, chunks.take(row), {
        detail: tidy(detail, secrets),
        finishReason: tidy(finishReason, secrets),
      });
    }
  };
}

/** Work between two pauses, ms, for each report that waits: the measuring thread may share its core with this one. */
const sliceMs = 0.02;
const pauseMs = 1;

/** Reads interim reports and hands over their records, in short slices. */
export class InterimQueue {
  readonly #read: ReturnType<typeof createInterimReader>;
  readonly #onEnded: (requests: RequestRecord[]) => void;
  readonly #waiting: Interim[] = [];
  #isWorking = false;
  #isClosed = false;

  constructor(read: ReturnType<typeof createInterimReader>, onEnded: (requests: RequestRecord[]) => void) {
    this.#read = read;
    this.#onEnded = onEnded;
  }

  add(interim: Interim): void {
    this.#waiting.push(interim);
    if (!this.#isWorking) void this.#work();
  }

  /** Hands over nothing from now on: the result has everything. */
  close(): void {
    this.#isClosed = true;
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const steps = this.#read(next);
      while (!this.#isClosed && this.#workSlice(steps)) await sleep(pauseMs);
      this.#waiting.shift();
    }
    this.#isWorking = false;
  }

  /** Returns false once all steps are done. */
  #workSlice(steps: Generator<RequestRecord | null, void>): boolean {
    const until = performance.now() + sliceMs * this.#waiting.length;
    let records: RequestRecord[] = [];
    let chunks = 0;
    const handOver = () => {
      if (records.length > 0) this.#onEnded(records);
      records = [];
      chunks = 0;
    };
    let step: IteratorResult<RequestRecord | null, void>;
    do {
      step = steps.next();
      if (step.value != null) {
        records.push(step.value);
        chunks += step.value.chunk_count;
      }
      // What becomes of them is part of the slice.
      if (chunks >= eventsPerHandOver || records.length >= recordsMax) handOver();
    } while (!step.done && performance.now() < until);
    handOver();
    return !step.done;
  }
}
