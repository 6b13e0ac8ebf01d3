import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Transport } from '../wire/transport.ts';
import { createControl } from './control.ts';
import { Engine } from './engine.ts';
import { Meter } from './meter.ts';
import { createTable } from './records/request-table.ts';
import { usualLimits as limits } from './testing/plans.ts';
import type { Interim } from './thread-messages.ts';

/** Calls a function between each timer of the engine and its sweep, as data that arrives in the poll does. */
class PolledMeter extends Meter {
  readonly #onPoll: () => void;

  constructor(onPoll: () => void) {
    super();
    this.#onPoll = onPoll;
  }

  override onTimer(at: number, nextAt: number): void {
    super.onTimer(at, nextAt);
    queueMicrotask(this.#onPoll);
  }
}

test('reports nothing after a run that ends between a timer and its sweep', async () => {
  const interims: Interim[] = [];
  let polls = 0;
  const meter = new PolledMeter(() => {
    polls += 1;
    if (polls === 2) engine.cancel();
  });
  const transport = { idleCount: () => 0 } as unknown as Transport; // No request is due, so nothing else is called.
  const engine = new Engine(
    {
      ...{ thread: 0, limits, control: createControl(1), table: createTable(1), turns: null, hasDocuments: false },
      pace: { mode: 'open', due: Float64Array.of(3_600_000), first: 0, step: 1, cap: null, isHybrid: false },
      requests: { memory: new SharedArrayBuffer(0), offsets: Float64Array.of(0, 0) },
      expectedChunks: 128,
      onInterim: (interim) => interims.push(interim),
    },
    transport,
    // Each sweep is late enough for a report.
    { now: () => 1000 * (polls + 1) },
    meter,
  );
  const ended = engine.run();
  for (let at = 0; at < 128; at++) engine.log.add(0, at);
  await ended;
  expect(engine.log.take().stamps).toHaveLength(128);
  await setImmediate();
  expect(interims.map(({ stamps }) => stamps.length)).toEqual([128]);
});
