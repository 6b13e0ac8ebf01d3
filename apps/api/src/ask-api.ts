import { setTimeout as sleep } from 'node:timers/promises';
import type { SiteApi } from './site.ts';
import { siteKeyHeader } from './site-key.ts';

/** Pauses before the second and third attempt: a process that is just being replaced is not asked twice. */
const pauses_ms = [50, 300];
const patience_ms = 30_000;

/** What a proxy answers for a process that is gone. */
const isGone = (status: number) => status === 502 || status === 504;

/**
 * The API over the network, for a site that runs apart. Pages read and try, and what they report twice is there once:
 * whatever breaks off is asked again.
 *
 * @param url base of its addresses, such as `http://api:8787`
 * @param siteKey what the API knows the site by; without it pages are counted on the site's own address
 */
export function askApi(url: string, siteKey: string | undefined): SiteApi {
  const attempt = async (request: Request): Promise<Response> => {
    const asked = new Request(request, { signal: AbortSignal.timeout(patience_ms) });
    if (siteKey !== undefined) asked.headers.set(siteKeyHeader, siteKey);
    return fetch(asked);
  };
  return {
    url,
    fetch: async (request) => {
      for (const pause_ms of pauses_ms) {
        const answer = await attempt(request.clone()).catch(() => null);
        if (answer !== null && !isGone(answer.status)) return answer;
        await answer?.body?.cancel();
        await sleep(pause_ms);
      }
      return attempt(request);
    },
  };
}
