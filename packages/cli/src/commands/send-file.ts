import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { noGpuFaults } from '@inferboard/loadgen/cli/words/no-gpu-faults';
import { journalOf } from '@inferboard/loadgen/records/journal';
import { commandWords } from '@inferboard/loadgen/view/command-words';
import { type Facts, facts, flagOf, isFact } from '../facts.ts';
import { type Fault, Refused, type Service } from '../service.ts';
import { exitCodes, Failure, type Terminal, type World } from '../world.ts';

/** A file that cannot be read. Other files of the command can. */
export class UnreadableFile extends Failure {
  constructor(message: string) {
    super(exitCodes.usage, message);
  }
}

/** An empty file as an error. The records of a measurement that has no complete point are in its journal. */
function toEmpty(file: string): UnreadableFile {
  if (file === '-') return new UnreadableFile('Standard input is empty.');
  const rest = existsSync(journalOf(file))
    ? ` Its measurement is not complete. Measure the rest: ${commandWords('measure')} --resume ${file}`
    : '';
  return new UnreadableFile(`${file} is empty.${rest}`);
}

/** The bytes of a file, or of what was piped in for "-". @throws UnreadableFile also if there are none */
export async function readArtifact(world: World, file: string): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = file === '-' ? await world.readInput() : await readBytes(file);
  if (bytes.length === 0) throw toEmpty(file);
  return bytes;
}

/** Why a file or a folder cannot be read. */
export function unreadableWords(file: string, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (file === '') return 'The name of a file is empty.';
  if (code === 'ENOENT') return `${file} does not exist.`;
  if (code === 'EACCES') return `${file} cannot be read: you do not have permission.`;
  return `${file} cannot be read: ${error instanceof Error ? error.message : error}`;
}

async function readBytes(file: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await readFile(file));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EISDIR')
      throw new UnreadableFile(`${file} is a folder. To submit its files: ${commandWords('import')} ${file}`);
    throw new UnreadableFile(unreadableWords(file, error));
  }
}

/** Facts that a refusal asks for; none where anything else is wrong as well. */
function missingFacts({ problem }: Refused): (Fault & { parameter: string })[] {
  if (problem.code !== 'facts_missing') return [];
  const faults = problem.errors ?? [];
  const missing = faults.flatMap((fault) =>
    fault.parameter !== undefined && isFact(fault.parameter) ? [{ ...fault, parameter: fault.parameter }] : [],
  );
  return missing.length === faults.length ? missing : [];
}

/** Asks for a fact; null where the person has no answer and the service needs one. */
async function askFor(terminal: Terminal, { parameter, hint }: Fault & { parameter: string }): Promise<string | null> {
  const what = isFact(parameter) ? facts[parameter] : parameter;
  const canSkip = hint?.includes(`${parameter}=unspecified`) === true;
  const answer = await terminal.ask(
    `${flagOf(parameter)} (${what}${canSkip ? '; press Enter if it is unknown' : ''}): `,
  );
  const [noGpu] = parameter === 'gpu' ? noGpuFaults(answer) : [];
  if (noGpu !== undefined) throw new Failure(exitCodes.usage, noGpu);
  return answer === '' ? (canSkip ? 'unspecified' : null) : answer;
}

/** How missing facts are given on a command line. */
function flagsText(missing: readonly { parameter: string }[]): string {
  const flags = missing.map(({ parameter }) => `--${flagOf(parameter)} ${parameter.toUpperCase()}`);
  return `Add: ${flags.join(' ')}   (use "unspecified" if it is unknown)`;
}

export interface Sending {
  /** Facts of all files. Facts from the terminal are added. */
  given: Facts;
  /** Other query parameters. */
  query: Record<string, string>;
  mayAsk: boolean;
}

/**
 * Sends a file and returns the service's response. At a terminal, it asks for missing facts and reuses them for later files.
 *
 * @throws Refused with the flags that add the missing facts, if there is no terminal
 */
export async function sendFile(
  service: Service,
  world: World,
  file: string,
  { given, query, mayAsk }: Sending,
): Promise<string> {
  const bytes = await readArtifact(world, file);
  for (;;) {
    try {
      return await service.submit({ ...query, ...given }, bytes);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      // Do not ask again for a fact that was given.
      const missing = missingFacts(error).filter(({ parameter }) => given[parameter as keyof Facts] === undefined);
      const terminal = missing.length > 0 && mayAsk ? world.openTerminal() : null;
      if (terminal === null) {
        if (missing.length > 0) error.message += `\n${flagsText(missing)}`;
        throw error;
      }
      try {
        for (const fault of missing) {
          const answer = await askFor(terminal, fault);
          if (answer === null) throw error;
          given[fault.parameter as keyof Facts] = answer;
        }
      } finally {
        terminal.close();
      }
    }
  }
}
