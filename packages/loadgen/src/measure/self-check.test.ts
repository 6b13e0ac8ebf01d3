import { describe, expect, test } from 'vitest';
import { findClientLimits } from './self-check.ts';

const calm: Parameters<typeof findClientLimits>[0] = {
  threads: 1,
  loop_utilisation: 0.3,
  cpu_s: 1,
  scheduler_wait_ms: 1,
  batch_ms_max: 3,
  batch_events_max: 10,
  batch_ms_p99: 0.4,
  coalesced_share: 0.005,
  send_lag_ms_p50: 0,
  send_lag_ms_p99: 0,
  send_lag_ms_max: 0,
  gc_ms: 1,
  connections_opened: 1,
  itl_ms_p50: 10,
};

describe('a run is limited by its client', () => {
  test.each([
    ['never if it was calm', {}, []],
    ['if a thread was busy', { loop_utilisation: 0.71 }, ['busy 71 %']],
    ['if batches are long against the gaps', { itl_ms_p50: 20, batch_ms_p99: 1.1 }, ['1.10 ms']],
    ['never for batches below a millisecond', { itl_ms_p50: 1, batch_ms_p99: 0.99 }, []],
    ['if reads held several chunks', { coalesced_share: 0.02 }, ['2.0 % of reads']],
    [
      'for every reason',
      { loop_utilisation: 0.9, itl_ms_p50: 1, batch_ms_p99: 1.1, coalesced_share: 0.5 },
      ['busy', 'batches', 'reads held'],
    ],
    ['never for gaps where there are none', { itl_ms_p50: null, batch_ms_p99: 9 }, []],
    // A server that sends two events at once is not our fault.
    ['never for what a server sent together while it was idle', { coalesced_share: 1, loop_utilisation: 0.05 }, []],
    [
      'but if another program had its core',
      { coalesced_share: 1, loop_utilisation: 0.05, scheduler_wait_ms: 90 },
      ['reads held'],
    ],
  ])('%s', (_when, over, reasons) => {
    expect(findClientLimits({ ...calm, ...over }, 1000)).toEqual(
      reasons.map((words) => expect.stringContaining(words)),
    );
  });
});
