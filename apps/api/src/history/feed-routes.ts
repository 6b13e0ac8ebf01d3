import { createRoute, z } from '@hono/zod-openapi';
import { NameSchema } from '@inferboard/core/text/text';
import { firstAccountTime } from '@inferboard/db/accounts/first-account-time';
import { listRetracted, listSubmissions } from '@inferboard/db/submissions/submission-find';
import type { Context } from 'hono';
import { requireKnownValues, unknownValueFaults } from '../boards/known-values.ts';
import type { AppContext, Deps } from '../deps.ts';
import { refuse } from '../http/refuse.ts';
import { createRouter } from '../http/router.ts';
import { cached } from '../response-cache/cached.ts';
import { limitDefault, readProblems } from '../schemas/common.ts';
import { sends } from '../schemas/headers.ts';
import { viewSubmissionSummary } from '../submissions/submission-views.ts';
import { changesQuery, toChangesQuestion } from './changes-routes.ts';
import { changesExample } from './changes-schema.ts';
import { readChanges } from './read-changes.ts';
import { type FeedEntry, writeFeed } from './write-feed.ts';

const mediaType = 'application/atom+xml';
const entriesMax = limitDefault;

type Change = (typeof changesExample)['data'][number];

/** A change as a feed entry. Every result that enters one of its sides updates it. */
function toEntry({
  id,
  title,
  summary,
  links,
  at,
  new: fresh,
  old,
}: Pick<Change, 'id' | 'title' | 'summary' | 'at'> & {
  links: { page: string };
  new: { created_at: string };
  old: { created_at: string };
}): FeedEntry {
  const updatedAt = [at, fresh.created_at, old.created_at].sort().at(-1) ?? at;
  return { id, title, summary, page: links.page, publishedAt: at, updatedAt };
}

const aboutChanges = { title: 'Inferboard: changes', subtitle: 'Regressions, improvements and new bests.' };
const aboutSubmissions = { title: 'Inferboard: submissions', subtitle: 'New accepted submissions.' };

const aboutRetractions = {
  title: 'Inferboard: retractions',
  subtitle: 'Retracted submissions, with reasons. Their URLs stay valid.',
};

const atom = (example: string) => ({
  200: { description: 'The feed.', headers: sends('ETag'), content: { [mediaType]: { schema: z.string(), example } } },
  304: { description: 'Not modified.', headers: sends('ETag') },
  ...readProblems,
});

const exampleBase = 'http://localhost:8787';
const exampleAbout = { base: exampleBase, startedAt: '2026-01-01T00:00:00Z' };

const getChangesFeed = createRoute({
  method: 'get',
  path: '/feed.xml',
  operationId: 'getChangesFeed',
  tags: ['Results'],
  summary: 'Get changes as an Atom feed',
  description:
    'The newest of /v1/changes, with the same filters. Without `verdict` it lists regressions, improvements and new bests, and omits stable changes and those without enough data.',
  request: { query: changesQuery },
  responses: atom(
    writeFeed({ ...aboutChanges, self: `${exampleBase}/feed.xml`, ...exampleAbout }, changesExample.data.map(toEntry)),
  ),
});

const ofAccount = z.strictObject({
  account: NameSchema.optional().openapi({ description: 'Account id or name.' }),
});

const getSubmissionsFeed = createRoute({
  method: 'get',
  path: '/feed/submissions.xml',
  operationId: 'getSubmissionsFeed',
  tags: ['Submissions'],
  summary: 'Get accepted submissions as an Atom feed',
  description: 'The newest submissions without held results.',
  request: { query: ofAccount },
  responses: atom(writeFeed({ ...aboutSubmissions, self: `${exampleBase}/feed/submissions.xml`, ...exampleAbout }, [])),
});

const getRetractionsFeed = createRoute({
  method: 'get',
  path: '/feed/retractions.xml',
  operationId: 'getRetractionsFeed',
  tags: ['Submissions'],
  summary: 'Get retracted submissions as an Atom feed',
  description:
    'The latest submissions retracted by their owner or an admin, each with the reason. They stay readable at their URLs, marked as retracted, and are on no board.',
  request: { query: ofAccount },
  responses: atom(writeFeed({ ...aboutRetractions, self: `${exampleBase}/feed/retractions.xml`, ...exampleAbout }, [])),
});

const toolName = ({ name, version }: { name: string; version: string | null }) =>
  version === null ? name : `${name} ${version}`;
const countResults = (count: number) => `${count} ${count === 1 ? 'result' : 'results'}`;

export function feedRoutes(deps: Deps) {
  const { db } = deps.database;
  const respond = async (c: Context<AppContext>, about: { title: string; subtitle: string }, entries: FeedEntry[]) => {
    const { pathname, search } = new URL(c.req.url);
    const self = `${deps.publicUrl}${pathname}${search}`;
    const startedAt = entries.length === 0 ? await firstAccountTime(db) : null;
    return c.body(writeFeed({ ...about, self, base: deps.publicUrl, startedAt }, entries), 200, {
      'Content-Type': `${mediaType}; charset=utf-8`,
    });
  };
  const view = (row: Parameters<typeof viewSubmissionSummary>[0]) => viewSubmissionSummary(row, deps.publicUrl);
  return createRouter()
    .openapi(
      cached(deps, getChangesFeed, ['results']),
      async (c) => {
        const query = c.req.valid('query');
        const question = toChangesQuestion(query);
        await requireKnownValues(db, c.req.queries());
        const isNews = ({ type, verdict }: { type: string; verdict: string }) =>
          type === 'new_best' || verdict === 'regression' || verdict === 'improvement';
        const isMeant = query.verdict === undefined ? isNews : question.isMeant;
        const { data } = await readChanges(deps, { ...question, isMeant, limit: entriesMax, after: null });
        return respond(c, aboutChanges, data.map(toEntry));
      },
      refuse(getChangesFeed, (c) => unknownValueFaults(db, c.req.queries())),
    )
    .openapi(
      cached(deps, getSubmissionsFeed, ['results']),
      async (c) => {
        const { account } = c.req.valid('query');
        await requireKnownValues(db, c.req.queries());
        const rows = await listSubmissions(db, {
          account: account === undefined ? null : [account],
          status: ['accepted'],
          limit: entriesMax,
          after: null,
        });
        const entries = rows.map((row): FeedEntry => {
          const { id, tool, account: from, result_count, notes, created_at, links } = view(row);
          const results = countResults(result_count);
          return {
            id,
            title: `${results} of ${toolName(tool)} from ${from.name}`,
            summary: notes ?? results,
            page: links.page,
            publishedAt: created_at,
            updatedAt: created_at,
          };
        });
        return respond(c, aboutSubmissions, entries);
      },
      refuse(getSubmissionsFeed, (c) => unknownValueFaults(db, c.req.queries())),
    )
    .openapi(
      cached(deps, getRetractionsFeed, ['results']),
      async (c) => {
        const { account } = c.req.valid('query');
        await requireKnownValues(db, c.req.queries());
        const rows = await listRetracted(db, { account: account === undefined ? null : [account], limit: entriesMax });
        const entries = rows.map((row): FeedEntry => {
          const { id, tool, account: from, result_count, retraction, created_at, links } = view(row);
          const at = retraction?.at ?? created_at;
          return {
            id: `${id}-retraction`,
            title: `Retracted: ${countResults(result_count)} of ${toolName(tool)} from ${from.name}`,
            summary: retraction?.reason ?? '',
            page: links.page,
            publishedAt: at,
            updatedAt: at,
          };
        });
        return respond(c, aboutRetractions, entries);
      },
      refuse(getRetractionsFeed, (c) => unknownValueFaults(db, c.req.queries())),
    );
}
