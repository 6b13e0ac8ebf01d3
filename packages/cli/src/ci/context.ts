import { readFile } from 'node:fs/promises';
import { exitCodes, Failure, type World } from '../world.ts';

/** What a build measured, and what it is compared with. */
export interface Context {
  /** "owner/name" */
  repository: string;
  branch: string;
  commit: string;
  /** The branch whose last results are the base: that of the pull request, or the branch itself. */
  base: string;
  /** Null where no pull request is built. */
  pullRequest: number | null;
}

/** The pull request's number in the GitHub event that started the build. */
async function readPullRequest(file: string | undefined): Promise<number | null> {
  if (!file) return null;
  try {
    const event = JSON.parse(await readFile(file, 'utf8')) as { pull_request?: { number?: unknown } };
    return typeof event.pull_request?.number === 'number' ? event.pull_request.number : null;
  } catch {
    return null;
  }
}

/** Context from flags, else from the variables of GitHub Actions. @throws Failure if both lack a value */
export async function readContext(world: World, flags: Partial<Record<string, string>>): Promise<Context> {
  const { env } = world;
  const repository = flags.repository ?? env.GITHUB_REPOSITORY;
  // A pull request's branch is named by its number: a fork's "main" is not ours.
  const branch = flags.branch ?? env.GITHUB_REF_NAME;
  const commit = flags.commit ?? env.GITHUB_SHA;
  if (!repository || !branch || !commit)
    throw new Failure(exitCodes.usage, 'Outside GitHub Actions, ci needs --repository, --branch and --commit.');
  const base = flags.base ?? (env.GITHUB_BASE_REF || branch);
  return { repository, branch, commit, base, pullRequest: await readPullRequest(env.GITHUB_EVENT_PATH) };
}

/** The last line of a submission's notes: the commit and build that it was measured for. */
export const markOf = ({ repository, branch, commit }: Pick<Context, 'repository' | 'branch' | 'commit'>): string =>
  `ci ${repository} ${branch} ${commit}`;

/** The commit that a submission was measured for; null where it is of another branch, or not from here. */
export function commitOf(notes: string | null, { repository, base }: Pick<Context, 'repository' | 'base'>) {
  const last = notes?.trimEnd().split('\n').at(-1) ?? '';
  const start = `ci ${repository} ${base} `;
  return last.startsWith(start) ? last.slice(start.length) : null;
}
