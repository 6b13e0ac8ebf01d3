import type { Context } from 'hono';
import type { AppContext, Deps } from '../deps.ts';
import { internalRequestFor } from '../http/internal-requests.ts';
import type { SiteApi } from '../site/site.ts';
import { Answer } from './answer.ts';
import { readAnswer } from './keep.ts';
import { keyOf } from './key-of.ts';

/** Number of API requests of a page, and how many of their responses are cached. */
interface Asked {
  all: number;
  kept: number;
}

const askedIn = new WeakMap<object, Asked>();

/** Records that a cached response answered an API request of a page. */
export function noteKept(c: Context): void {
  const asked = askedIn.get(c.env ?? {});
  if (asked !== undefined) asked.kept += 1;
}

/**
 * The API for one page, and a cache entry for the page. A page is cached if all its API responses are, because it then depends on
 * the data alone.
 */
export function keepingPage(
  { answers }: Pick<Deps, 'answers'>,
  c: Context<AppContext>,
  visitor: string,
  ask: (request: Request, environment: object) => Response | Promise<Response>,
): SiteApi {
  const environment = internalRequestFor(visitor);
  const asked: Asked = { all: 0, kept: 0 };
  askedIn.set(environment, asked);
  return {
    fetch: (request) => {
      asked.all += 1;
      return ask(request, environment);
    },
    keep: async (render) => {
      if (!answers || c.req.method !== 'GET') return render();
      let page: Response | null = null;
      const make = async (): Promise<Answer | null> => {
        page = await render();
        const answer = await readAnswer(page);
        // Read the whole body: parts of a page request data while it streams.
        if (answer !== null) page = answer.toResponse();
        if (answer === null || asked.kept !== asked.all) return null;
        // Drop the page's `no-cache`, so that the default cache policy applies to the cached page.
        const { 'cache-control': policy, ...headers } = answer.headers;
        return policy === 'no-cache' ? new Answer(answer.bytes, headers) : answer;
      };
      const { answer, isMine } = await answers.once(keyOf(c.req.url), await answers.stampAll(), make);
      if (answer === null) return isMine && page !== null ? page : render();
      c.set('answer', answer);
      return answer.toResponse();
    },
  };
}
