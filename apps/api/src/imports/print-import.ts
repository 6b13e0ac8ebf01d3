import type { WriteStream } from 'node:tty';
import type { Publication } from './import-item.ts';
import type { Imported, WhileImporting } from './run-import.ts';

const width = 30;

/** A progress bar on a terminal; no output elsewhere. */
export function showProgress(stream: Pick<WriteStream, 'isTTY' | 'write'>): { step: WhileImporting; end: () => void } {
  if (!stream.isTTY) return { step: () => {}, end: () => {} };
  return {
    step: (done, total) => {
      const full = Math.round((width * done) / Math.max(total, 1));
      stream.write(`\r[${'#'.repeat(full)}${'.'.repeat(width - full)}] ${done} of ${total} files`);
    },
    end: () => stream.write('\n'),
  };
}

/** Prints a reason that many files share once, with the first of the files. */
const shownMax = 100;

const count = (number: number, one: string, more = `${one}s`) => `${number} ${number === 1 ? one : more}`;

/** Prints how many files were stored, already known, held and refused, with the reasons. */
export function printImport(
  publication: Publication,
  imported: readonly Imported[],
  print: (line: string) => void,
): void {
  const of = (outcome: Imported['outcome']) => imported.filter((one) => one.outcome === outcome);
  const results = (some: readonly Imported[]) => some.reduce((sum, one) => sum + one.results, 0);
  const refused = [
    ...publication.refused.map(({ name, reason }) => ({ name, reason })),
    ...of('refused').map(({ name, reasons }) => ({ name, reason: reasons.join(' ') })),
  ];
  const held = imported.filter((one) => one.held > 0);
  for (const [reason, some] of Map.groupBy(refused, (one) => one.reason)) {
    print(`rejected: ${reason}`);
    for (const { name } of some.slice(0, shownMax)) print(`  ${name}`);
    if (some.length > shownMax) print(`  and ${some.length - shownMax} more`);
  }
  for (const { name, held: number, reasons } of held.slice(0, shownMax))
    print(
      `held for review: ${name}: ${count(number, 'result')}${reasons.length === 0 ? '' : `. ${reasons.join(' ')}`}`,
    );
  const parts = [
    [of('would_store'), 'would be stored'],
    [of('stored'), 'stored'],
    [of('known'), 'already stored'],
  ] as const;
  for (const [some, what] of parts)
    if (some.length > 0) print(`${what}: ${count(some.length, 'file')}, ${count(results(some), 'result')}`);
  if (refused.length > 0) print(`rejected: ${count(refused.length, 'file')}`);
  print(`account: ${publication.account}`);
}
