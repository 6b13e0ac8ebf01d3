import { describe, expect, test } from 'vitest';
import { findClientLimits, lateReads } from './self-check.ts';

const calm: Parameters<typeof findClientLimits>[0] = {
  threads: 1,
  loop_utilisation: 0.3,
  cpu_s: 1,
  scheduler_wait_ms: 1,
  batch_ms_max: 3,
  batch_events_max: 10,
  batch_ms_p99: 0.4,
  coalesced_share: 0.005,
  late_share: 0,
  send_lag_ms_p50: 0,
  send_lag_ms_p99: 0,
  send_lag_ms_max: 0,
  gc_ms: 1,
  connections_opened: 1,
  itl_ms_p50: 10,
  read_gap_ms_p50: 10,
};

describe('a run is limited by its client', () => {
  test.each([
    ['never for a calm run', {}, []],
    ['never for a busy thread that was on time', { loop_utilisation: 0.99 }, []],
    ['if batches are long compared with the gaps', { read_gap_ms_p50: 20, batch_ms_p99: 1.1 }, ['1.10 ms']],
    ['never for batches below a millisecond', { read_gap_ms_p50: 1, batch_ms_p99: 0.99 }, []],
    ['if late reads held several chunks', { late_share: 0.02 }, ['2.0 % of reads were late']],
    [
      'for several reasons',
      { loop_utilisation: 0.9, read_gap_ms_p50: 1, batch_ms_p99: 1.1, late_share: 0.5 },
      ['batches', 'reads were late', 'busy 90 %'],
    ],
    ['never without gaps', { read_gap_ms_p50: null, batch_ms_p99: 9 }, []],
    ['never for chunks that a server sent together', { coalesced_share: 1, scheduler_wait_ms: 900 }, []],
  ])('%s', (_when, over, reasons) => {
    expect(findClientLimits({ ...calm, ...over })).toEqual(reasons.map((words) => expect.stringContaining(words)));
  });
});

describe('reads with several chunks', () => {
  const buckets = 64;
  /** Counts of on-time and late tokens, and of reads with several chunks. */
  function readingOf(inTime: [number, number], late: [number, number]) {
    const [tokens, coalescedReads] = [new Uint32Array(buckets), new Uint32Array(buckets)];
    tokens.set([inTime[0]], 0);
    coalescedReads.set([inTime[1]], 0);
    tokens.set([late[0]], buckets - 1);
    coalescedReads.set([late[1]], buckets - 1);
    return { tokens, coalescedReads };
  }

  test.each<[string, [number, number], [number, number], number]>([
    ['are not counted if the thread was on time', [100, 90], [0, 0], 0],
    ['are not counted if they are as frequent on time as late', [100, 90], [50, 45], 0],
    ['are counted if they occur only when the thread was late', [100, 0], [50, 45], 45],
    ['are counted as far as they are more frequent when the thread was late', [100, 10], [50, 45], 40],
    ['are counted if the thread was never on time', [0, 0], [50, 45], 45],
  ])('%s', (_whose, inTime, late, ours) => {
    expect(lateReads([readingOf(inTime, late)], 5)).toBe(ours);
  });
});
