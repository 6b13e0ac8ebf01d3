import { appendFile } from 'node:fs/promises';
import { findMetric } from '@inferboard/core/metrics/index';
import { comment, type Report, toMarkdown } from '../ci/comment.ts';
import { type Compared, compareResults, type Result, verdictOf } from '../ci/compare-results.ts';
import { type Context, commitOf, markOf, readContext } from '../ci/context.ts';
import { readOptions } from '../options.ts';
import { createService, type Service } from '../service.ts';
import { chooseService } from '../settings.ts';
import { exitCodes, Failure, type World } from '../world.ts';
import type { Me } from './login.ts';
import { sendFile } from './send-file.ts';

interface Submission {
  id: string | null;
  links: { page: string } | null;
  results: Result[];
}

interface Page {
  data: { id: string; status: string; notes: string | null }[];
  next_cursor: string | null;
}

/** Pages of an account's submissions that are searched for the base. */
const pagesMax = 25;

/** The ids of the base's last results: all submissions of its newest commit but this one. */
async function findBase(service: Service, context: Context): Promise<{ commit: string; ids: string[] } | null> {
  const { account } = await service.get<Me>('/v1/me');
  let found: { commit: string; ids: string[] } | null = null;
  let cursor: string | null = null;
  for (let page = 0; page < pagesMax; page += 1) {
    const query: Record<string, string> = { account: account.id, limit: '200' };
    if (cursor !== null) query.cursor = cursor;
    const listed: Page = await service.get('/v1/submissions', query);
    for (const { id, notes, status } of listed.data) {
      const commit = commitOf(notes, context);
      if (commit === null || commit === context.commit || status === 'retracted') continue;
      found ??= { commit, ids: [] };
      if (commit !== found.commit) return found;
      found.ids.push(id);
    }
    cursor = listed.next_cursor;
    if (cursor === null) break;
  }
  return found;
}

async function readResults(service: Service, ids: readonly string[]): Promise<Result[]> {
  const read = ids.map((id) => service.get<Submission>(`/v1/submissions/${id}`, { full: 'true' }));
  return (await Promise.all(read)).flatMap(({ results }) => results);
}

/** Writes what later steps of a build read. Returns false if a file cannot be written. */
async function writeOutputs(world: World, markdown: string, outputs: Record<string, string>): Promise<boolean> {
  const lines = Object.entries(outputs).map(([name, value]) => `${name}=${value}\n`);
  let isWritten = true;
  for (const [name, text] of [
    ['GITHUB_STEP_SUMMARY', markdown],
    ['GITHUB_OUTPUT', lines.join('')],
  ] as const) {
    const file = world.env[name];
    if (!file) continue;
    await appendFile(file, text).catch((error: Error) => {
      isWritten = false;
      world.say(`The file of ${name} cannot be written: ${error.message}`);
    });
  }
  return isWritten;
}

/** A figure as JSON: `n` is null if the output does not state it. */
const statedOf = ({ isCounted, n, ...figure }: Compared['fresh']) => ({ ...figure, n: isCounted ? n : null });

/**
 * `inferboard ci FILE...`: submits what a build measured, compares it with the last results of the base branch, comments the
 * pull request, and fails on a regression beyond its interval.
 */
export async function ci(args: readonly string[], world: World): Promise<number> {
  const own = { branch: 'text', base: 'text', commit: 'text', repository: 'text', metric: 'text' } as const;
  const options = readOptions(args, { ...own, 'dry-run': 'switch', 'no-comment': 'switch' }, true);
  const { words: files, json, switches, texts } = options;
  if (files.length === 0) throw new Failure(exitCodes.usage, 'Name the files to submit.');
  const metrics = texts.metric?.split(',').map((name) => name.trim()) ?? [];
  const unknown = metrics.filter((name) => (findMetric(name)?.family.direction ?? 'neutral') === 'neutral');
  if (unknown.length > 0)
    throw new Failure(
      exitCodes.usage,
      `--metric: ${unknown.join(', ')}: not a metric that can be better or worse. Use metrics such as itl_ms_mean.`,
    );
  const context = await readContext(world, texts);
  const service = createService(await chooseService(world, options));
  const isDry = switches.has('dry-run');
  // Before anything is sent: what is sent twice must not become its own base.
  const base = await findBase(service, context);
  const notes = [options.facts.notes, markOf(context)].filter((part) => part !== undefined).join('\n');
  const sending = { given: { ...options.facts, notes }, mayAsk: false };
  const submissions: Submission[] = [];
  const summaries: string[] = [];
  for (const file of files) {
    const query = { full: 'true', ...(isDry && { dry_run: 'true' }) };
    const submission = JSON.parse(await sendFile(service, world, file, { ...sending, query })) as Submission;
    submissions.push(submission);
    const inWords = { ...sending, query: { format: 'text', dry_run: 'true' } };
    summaries.push(
      submission.id === null
        ? await sendFile(service, world, file, inWords)
        : await service.getText(`/v1/submissions/${submission.id}`, { format: 'text' }),
    );
  }
  const before = base === null ? [] : await readResults(service, base.ids);
  const compared = compareResults(
    submissions.flatMap(({ results }) => results),
    before,
    metrics,
  );
  const verdict = verdictOf(compared, base !== null);
  const report: Report = { verdict, texts: summaries, compared, baseCommit: base?.commit ?? null };
  const markdown = toMarkdown(report, context);
  const link = submissions.find(({ links }) => links !== null)?.links?.page ?? '';
  if (json) {
    const changes = compared.map(({ point, metric, fresh, before, change }) => ({
      ...{ ...point, metric: metric.name, now: statedOf(fresh), before: statedOf(before) },
      ...change,
    }));
    world.print(JSON.stringify({ verdict, link, base_commit: report.baseCommit, changes }));
  } else world.print(markdown.replace(/^<!--.*-->\n/, '').trimEnd());
  const isWritten = await writeOutputs(world, markdown, { verdict, link });
  if (!switches.has('no-comment')) await comment(world, context, markdown);
  if (verdict === 'regression') return exitCodes.regression;
  return isWritten ? exitCodes.ok : exitCodes.usage;
}
