import type { Context } from 'hono';
import type { AppContext, Deps } from '../deps.ts';
import { insideFor } from '../inside.ts';
import type { SiteApi } from '../site.ts';
import { Answer } from './answer.ts';
import { readAnswer } from './keep.ts';
import { keyOf } from './key-of.ts';

/** Of what a page asked of the API: how much, and how much of it the cache keeps. */
interface Asked {
  all: number;
  kept: number;
}

const askedIn = new WeakMap<object, Asked>();

/** Notes that what a page asked is answered by an answer that is kept. */
export function noteKept(c: Context): void {
  const asked = askedIn.get(c.env ?? {});
  if (asked !== undefined) asked.kept += 1;
}

/**
 * The API for one page, and a place to keep the page. A page is kept if all that it asked is: then it depends on the data
 * alone.
 */
export function keepingPage(
  { answers }: Pick<Deps, 'answers'>,
  c: Context<AppContext>,
  visitor: string,
  ask: (request: Request, environment: object) => Response | Promise<Response>,
): SiteApi {
  const environment = insideFor(visitor);
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
        // Read: parts of a page go on asking while it flows.
        if (answer !== null) page = answer.toResponse();
        if (answer === null || asked.kept !== asked.all) return null;
        // What is kept here tells itself how long others may keep it.
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
