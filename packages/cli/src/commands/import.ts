import { opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readOptions } from '../options.ts';
import { createService, Refused, withFlags } from '../service.ts';
import { chooseService } from '../settings.ts';
import { exitCodes, Failure, type World } from '../world.ts';
import { sendFile, UnreadableFile, unreadableWords } from './send-file.ts';

/** Folders that belong to tools. */
const passedOver = new Set(['.git', 'node_modules']);

/** Files below a folder, in order; a file is itself. @throws Failure */
async function listFiles(place: string): Promise<string[]> {
  const files: string[] = [];
  const visit = async (folder: string): Promise<void> => {
    for await (const entry of await opendir(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !passedOver.has(entry.name)) await visit(path);
      else if (entry.isFile()) files.push(path);
    }
  };
  try {
    if (!(await stat(place)).isDirectory()) return [place];
    await visit(place);
  } catch (error) {
    throw new Failure(exitCodes.usage, unreadableWords(place, error));
  }
  return files.sort();
}

/** What became of a file. */
interface Imported {
  file: string;
  outcome: 'stored' | 'known' | 'would_store' | 'refused';
  /** Results that it gave. */
  results: number;
  status: string | null;
  /** Its page, or why it was refused. */
  about: string;
  /** The link with which an account can claim a submission without a key. */
  claim?: string;
}

interface Answer {
  status: string;
  duplicate?: boolean;
  result_count: number;
  links: { page: string } | null;
  claim?: { url: string };
}

function toImported(
  file: string,
  { status, duplicate, result_count: results, links, claim }: Answer,
  isDry: boolean,
): Imported {
  const outcome = duplicate === true ? 'known' : isDry ? 'would_store' : 'stored';
  return { file, outcome, results, status, about: links?.page ?? '', ...(claim && { claim: claim.url }) };
}

const words = { stored: 'stored', known: 'known', would_store: 'would store', refused: 'rejected' } as const;

function lineOf({ file, outcome, results, status, about, claim }: Imported): string {
  const count = outcome === 'refused' ? '' : `, ${results} ${results === 1 ? 'result' : 'results'}`;
  const standing = status === null || status === 'accepted' ? '' : `, ${status}`;
  return `${file}: ${words[outcome]}${count}${standing}${about === '' ? '' : `: ${about}`}${claim === undefined ? '' : `\n  Claim it: ${claim}`}`;
}

function reasonIn({ problem: { detail, errors = [] } }: Refused): string {
  // Each supported tool is an error as well.
  const own = errors.filter(({ code }) => code !== 'tool_not_found');
  return withFlags(own.length === 0 ? detail : own.map(({ message }) => message).join(' '));
}

/**
 * `inferboard import FILE|DIR...`: submits every file of the folders by the way of every submission, and prints a line for
 * each. What was submitted before is known by its bytes, so that an import that was interrupted is started again.
 */
export async function importFiles(args: readonly string[], world: World): Promise<number> {
  const options = readOptions(args, { 'dry-run': 'switch' }, true);
  if (options.words.length === 0) throw new Failure(exitCodes.usage, 'Name the files or folders to import.');
  const isDry = options.switches.has('dry-run');
  const files = (await Promise.all(options.words.map(listFiles))).flat();
  if (files.length === 0) throw new Failure(exitCodes.usage, 'The given paths have no files.');
  const service = createService(await chooseService(world, options));
  const query: Record<string, string> = isDry ? { dry_run: 'true' } : {};
  const counts = new Map<string, number>();
  let exitCode: number = exitCodes.ok;
  for (const file of files) {
    let imported: Imported;
    try {
      const text = await sendFile(service, world, file, { given: { ...options.facts }, query, mayAsk: false });
      imported = toImported(file, JSON.parse(text) as Answer, isDry);
    } catch (error) {
      // A file that is rejected or cannot be read does not keep the others from being sent.
      const isRefused = error instanceof Refused && error.isAboutFile;
      if (!isRefused && !(error instanceof UnreadableFile)) throw error;
      exitCode = Math.max(exitCode, error.exitCode);
      const about = isRefused ? reasonIn(error) : error.message;
      imported = { file, outcome: 'refused', results: 0, status: null, about };
    }
    counts.set(imported.outcome, (counts.get(imported.outcome) ?? 0) + 1);
    world.print(options.json ? JSON.stringify(imported) : lineOf(imported));
  }
  const parts = [...counts].map(([outcome, count]) => `${count} ${words[outcome as keyof typeof words]}`);
  world.say(`${files.length} ${files.length === 1 ? 'file' : 'files'}: ${parts.join(', ')}.`);
  return exitCode;
}
