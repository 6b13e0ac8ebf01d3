/** Interval between two lines, seconds. */
const every = 5;

const duration = (seconds: number) =>
  seconds >= 90 ? `${Math.round(seconds / 60)} min` : `${Math.max(0, Math.round(seconds))} s`;

/** Prints the progress, the recent speed and the remaining time at that speed. */
export function createProgress(total: number, log: (line: string) => void): (more: number) => void {
  let done = 0;
  let last = { at: performance.now(), done: 0 };
  return (more) => {
    done += more;
    const now = performance.now();
    const seconds = (now - last.at) / 1000;
    if (seconds < every || done === last.done) return;
    const speed = (done - last.done) / seconds;
    last = { at: now, done };
    log(`${done} of ${total} results, ${Math.round(speed)} results/s, ${duration((total - done) / speed)} left`);
  };
}
