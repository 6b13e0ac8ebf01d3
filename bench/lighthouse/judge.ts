import { launch } from 'chrome-launcher';
import lighthouse from 'lighthouse';
import { chromiumPath } from '../../tests/support/site/browser.ts';

/** Lighthouse categories with their minimum scores, out of 100. */
export const categories = [
  { id: 'performance', title: 'performance', least: 95 },
  { id: 'accessibility', title: 'accessibility', least: 100 },
  { id: 'best-practices', title: 'best practices', least: 100 },
  { id: 'seo', title: 'SEO', least: 100 },
] as const;

/** Lighthouse performance audits with their limits. */
export const metrics = [
  { id: 'largest-contentful-paint', title: 'LCP', unit: ' ms', most: 1500, digits: 0 },
  { id: 'cumulative-layout-shift', title: 'CLS', unit: '', most: 0.02, digits: 3 },
  { id: 'total-blocking-time', title: 'TBT', unit: ' ms', most: 100, digits: 0 },
] as const;

/** Number of retries after a failed audit run. */
const looksMore = 2;

/** One audit run of a page. */
export interface Run {
  /** Scores out of 100, by category. */
  scores: Record<string, number>;
  /** Values by audit, in its own unit. */
  figures: Record<string, number>;
  /** Weighted audits below a perfect score, and those that failed to run. */
  findings: string[];
  /** Lighthouse's benchmark index of the machine; it is designed for 1000 or more. */
  machine: number;
  html: string;
}

export interface Judge {
  version: string;
  /** @param only ids of categories; all by default */
  judge(url: string, only?: readonly string[]): Promise<Run>;
  close(): Promise<void>;
}

/**
 * The first page, the answer to a question, a complete report, a comparison of the first four systems of the first page, the
 * explorer, and the pages of a model, a GPU and a grid.
 *
 * @param report id of the system with the complete report
 * @throws Error if the board has fewer than four systems
 */
export async function pathsToJudge(url: string, report: string): Promise<string[]> {
  const response = await fetch(`${url}/v1/leaderboard`);
  const { data } = (await response.json()) as { data: { system: { id: string } }[] };
  const compared = data.slice(0, 4).map(({ system }) => system.id);
  if (compared.length < 4) throw new Error(`The comparison needs four systems; the board has ${compared.length}.`);
  const question = new URLSearchParams({ q: 'best model under 20ms ITL on H100' });
  return [
    '/',
    `/?${question}`,
    `/systems/${report}`,
    `/compare?ids=${compared.join(',')}`,
    '/explore',
    '/models/deepseek-r1',
    '/gpus/b200-sxm',
    '/matrix?view=grid',
  ];
}

/** Starts the installed Chromium for Lighthouse; downloads nothing. */
export async function openLighthouse(): Promise<Judge> {
  if (chromiumPath === null) throw new Error('Lighthouse needs Chromium: `apt-get install chromium`.');
  const browser = await launch({
    chromePath: chromiumPath,
    chromeFlags: ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-quic'],
    logLevel: 'silent',
  });
  return {
    version: (await import('lighthouse/package.json', { with: { type: 'json' } })).default.version,
    async judge(url, only = categories.map(({ id }) => id)) {
      // Default configuration: a phone, the usual throttling, every audit.
      const look = () =>
        lighthouse(url, {
          ...{ port: browser.port, logLevel: 'silent', output: 'html' },
          onlyCategories: [...only],
        });
      let result = await look();
      // On a busy machine, a page's trace can be lost; the run then has no result.
      for (let left = looksMore; result?.lhr.runtimeError !== undefined && left > 0; left -= 1) result = await look();
      if (result === undefined) throw new Error(`no answer of Lighthouse for ${url}`);
      const { lhr, report } = result;
      if (lhr.runtimeError !== undefined) throw new Error(lhr.runtimeError.message);
      const found = Object.values(lhr.categories).flatMap(({ auditRefs }) =>
        auditRefs.flatMap(({ id, weight }) => {
          const audit = lhr.audits[id];
          if (audit?.scoreDisplayMode === 'error') return [`${id} could not be judged: ${audit.errorMessage ?? ''}`];
          const isShort = weight > 0 && audit?.score != null && audit.score < 0.9;
          return isShort ? [`${id}: ${audit.title} ${audit.displayValue ?? ''}`.trim()] : [];
        }),
      );
      return {
        scores: Object.fromEntries(
          Object.values(lhr.categories).map(({ id, score }) => [id, Math.round((score ?? 0) * 100)]),
        ),
        figures: Object.fromEntries(
          metrics.flatMap(({ id }) => {
            const value = lhr.audits[id]?.numericValue;
            return value === undefined ? [] : [[id, value]];
          }),
        ),
        findings: [...found, ...lhr.runWarnings],
        machine: Math.round(lhr.environment.benchmarkIndex),
        html: String(report),
      };
    },
    async close() {
      browser.kill();
    },
  };
}
