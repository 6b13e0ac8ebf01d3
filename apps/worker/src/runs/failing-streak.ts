import type { Counts } from '@inferboard/loadgen/measure/measure-load';

/** Requests that fail one after the other before a point is given up: nobody is hammered who does not answer. */
export const failuresInRowMax = 5;

/** Watches the counts of a point, and tells once when so many requests failed since the last that did not. */
export function watchFailures(onFailing: () => void): (counts: Counts) => void {
  let done = 0;
  let failedBefore = 0;
  let told = false;
  return (counts) => {
    if (counts.done > done) {
      done = counts.done;
      failedBefore = counts.failed;
    }
    if (told || counts.failed - failedBefore < failuresInRowMax) return;
    told = true;
    onFailing();
  };
}
