import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { RecordsError, toRecordsError } from '../records/records-error.ts';
import { recordsFault } from '../records/session.ts';
import type { MeasureOptions } from './options.ts';
import { OptionsError } from './options-error.ts';

type Output = readonly [option: string, file: string];

const listOutputs = ({ recordsCsv, report, traffic }: MeasureOptions): Output[] =>
  [
    ['--records', recordsCsv] as const,
    ['--report', report] as const,
    ['--save-bodies', traffic.saveBodies] as const,
  ].flatMap(([option, file]) => (file === null ? [] : [[option, file]]));

/** What is at a path; null if nothing is. */
async function statOf(file: string) {
  try {
    return await stat(file);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw toRecordsError(file, error);
  }
}

/** Why a file cannot be written; null if it can. */
async function faultOf(file: string, mayReplace: boolean): Promise<string | null> {
  try {
    const found = await statOf(file);
    if (found?.isDirectory()) return `${file}: it is a folder.`;
    if (found?.isFile() && found.size > 0 && !mayReplace)
      return `${file} exists already. Name another file, or delete it.`;
    const changed = found === null ? dirname(file) : file;
    await access(changed, constants.W_OK).catch((error: unknown) => {
      throw toRecordsError(file, error);
    });
    return null;
  } catch (error) {
    if (error instanceof RecordsError) return error.message;
    throw error;
  }
}

/** Whether a command line names a file. */
const names = (args: readonly string[], file: string) =>
  args.some((word) => word === file || (word.startsWith('--') && word.endsWith(`=${file}`)));

/**
 * Checks before the first request that the files of the options can be written and replace no other file.
 *
 * @param resumedArgs the command line of the measurement that is resumed, whose files are written again; null without one
 * @throws OptionsError with every fault
 */
export async function checkOutputs(options: MeasureOptions, resumedArgs: readonly string[] | null): Promise<void> {
  const outputs = listOutputs(options);
  const faults: string[] = [];
  const taken = new Map([[resolve(options.out), '--out']]);
  if (resumedArgs === null) {
    const fault = (await faultOf(options.out, true)) ?? recordsFault(options.out);
    if (fault !== null) faults.push(`--out: ${fault}`);
  }
  for (const [option, file] of outputs) {
    const other = taken.get(resolve(file));
    taken.set(resolve(file), option);
    const fault = await faultOf(file, names(resumedArgs ?? [], file));
    if (fault !== null) faults.push(`${option}: ${fault}`);
    else if (other !== undefined && !file.startsWith('/dev/'))
      faults.push(`${option} and ${other} name the same file. Name another file.`);
  }
  if (faults.length > 0) throw new OptionsError(faults.join('\n'));
}
