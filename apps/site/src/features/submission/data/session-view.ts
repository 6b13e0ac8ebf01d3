import { formatLoad, type Load } from '@inferboard/core/subjects/load';
import type { ComparedSession } from '../../../lib/api.ts';

const figureTitles: Record<string, string> = {
  ttft_ms_mean: 'TTFT, mean',
  tpot_ms_mean: 'TPOT, mean',
  output_tok_s: 'Output tok/s',
};

/** "+2.1 %", "−0.4 %": B relative to A. */
export function formatChange(ratio: number): string {
  const percent = (100 * (ratio - 1)).toFixed(1);
  if (percent === '0.0' || percent === '-0.0') return '0.0 %';
  return `${ratio > 1 ? '+' : ''}${percent.replace('-', '−')} %`;
}

interface SessionLine {
  load: string;
  figure: string;
  /** B relative to A, and the ends of the interval. */
  change: string;
  interval: string;
  blocks: string;
  verdict: string;
}

/** The comparison of a session, a line for each load and figure. */
export function toSessionLines({ loads }: ComparedSession): SessionLine[] {
  return loads.flatMap(({ scenario, load, ratios }) => {
    const what = `${scenario}, ${formatLoad(load as Load)}`;
    const none = { figure: '', change: '', interval: '', blocks: '' };
    if (ratios.length === 0)
      return [{ ...none, load: what, verdict: 'Both servers finished fewer than three blocks.' }];
    return ratios.map(({ figure, ratio, interval, blocks, differs }) => ({
      load: what,
      figure: figureTitles[figure] ?? figure,
      change: formatChange(ratio),
      interval: `${formatChange(interval.low)} to ${formatChange(interval.high)}`,
      blocks: String(blocks),
      verdict: differs ? `B is ${ratio > 1 ? 'higher' : 'lower'}` : 'no difference found',
    }));
  });
}
