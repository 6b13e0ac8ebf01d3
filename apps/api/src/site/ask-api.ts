import { setTimeout as sleep } from 'node:timers/promises';
import type { SiteApi } from './site.ts';
import { siteKeyHeader } from './site-key.ts';

/** Pauses before the second and third attempt: a process that is being replaced must not get both attempts. */
const pauses_ms = [50, 300];
const patience_ms = 30_000;

/** The status that a proxy returns if the process behind it is gone. */
const isGone = (status: number) => status === 502 || status === 504;

/** Requests that create a new object each time are sent once, because a lost response does not mean that nothing was done. */
const isAskedOnce = ({ method, url }: Request) =>
  method === 'POST' && /^\/v1\/(?:accounts|keys|sessions)$/.test(new URL(url).pathname);

/**
 * The API over the network, for a separate site. Reads and dry runs are repeatable, and duplicate reports are detected. Failed
 * requests are therefore retried, except those that would create an object twice.
 *
 * @param url base URL of the API, such as `http://api:8787`
 * @param siteKey authenticates the site to the API; without it, requests of pages count against the site's own address
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
      if (isAskedOnce(request)) return attempt(request);
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
