/** "about 4 min", "about 40 s": the remaining time, from seconds. */
export function formatEta(seconds: number): string {
  if (seconds < 90) return `about ${Math.max(1, Math.round(seconds))} s`;
  return seconds < 5400 ? `about ${Math.round(seconds / 60)} min` : `about ${Math.round(seconds / 3600)} h`;
}

const countOf = (value: number) => value.toLocaleString('en');

/** "3 of 24 points, 120 of 384 requests, about 4 min left"; of a run that adds points (`isOpen`) the totals are a maximum, and there is no end to expect. */
export function progressText(
  progress: {
    points_done: number;
    points_total: number;
    requests_done: number;
    requests_total: number;
    eta_s: number | null;
  },
  isOpen: boolean,
): string {
  const { points_done, points_total, requests_done, requests_total, eta_s } = progress;
  const left = eta_s === null || isOpen ? [] : [`${formatEta(eta_s)} left`];
  const counted = (done: number, total: number, one: string) =>
    `${countOf(done)} of ${isOpen ? 'at most ' : ''}${countOf(total)} ${total === 1 ? one : `${one}s`}`;
  return [counted(points_done, points_total, 'point'), counted(requests_done, requests_total, 'request'), ...left].join(
    ', ',
  );
}
