import type { Fault } from '../../errors.ts';
import { addFaults } from '../errors.ts';
import { isMissing, parseNumber } from '../reading/figures/numbers.ts';
import { type CsvRecord, readCsv } from '../reading/tables/csv.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import type { LocalScoreRun, LocalScoreTest } from './test.ts';

const columns = ['test', 'n_prompt', 'n_gen', 'prompt_tps', 'gen_tps', 'ttft_ms'] as const;
const header = columns.join(',');

/** One table of a client that runs llama-bench, and the score below it. Lines are 1-based and inclusive. */
export interface LocalScoreCsv {
  from: number;
  to: number;
  records: CsvRecord[];
  score: number | null;
}

/** Maximum number of lines from a table to the end of its summary. */
const trailerLines = 8;

function readTrailer(artifact: ArtifactText, after: number): { to: number; score: number | null } {
  let to = after;
  let score: number | null = null;
  for (let line = after + 1; line <= Math.min(artifact.lines.length, after + trailerLines); line++) {
    const text = artifact.lineAt(line).trim();
    if (text !== '' && !/^#? ?(?:Summary|avg_\w{1,20},|performance_score,)/.test(text)) break;
    if (text !== '') to = line;
    score ??= parseNumber(/^#? ?performance_score,(\S{1,20})$/.exec(text)?.[1] ?? '');
  }
  return { to, score };
}

/** All tables in order of appearance. */
export const findLocalScoreCsv = cachedPerArtifact((artifact): LocalScoreCsv[] => {
  const tables: LocalScoreCsv[] = [];
  for (const line of artifact.linesWith(header)) {
    if (line <= (tables.at(-1)?.to ?? 0) || artifact.lineAt(line).trim() !== header) continue;
    const [, ...records] = readCsv(artifact, line, (text) => text.trim() === header || !text.includes(','));
    const { to, score } = readTrailer(artifact, records.at(-1)?.to ?? line);
    tables.push({ from: line, to, records, score });
  }
  return tables;
});

const whole = (text: string) => (/^\d{1,9}$/.test(text) ? Number(text) : null);

function readTest({ cells, line, to }: CsvRecord, faults: Fault[]): LocalScoreTest | null {
  if (cells.length !== columns.length) {
    const message = `The row on line ${line} has ${cells.length} cells, its header has ${columns.length}.`;
    addFaults(faults, [{ code: 'row_unreadable', line, message }]);
    return null;
  }
  const [name = '', prompt = '', generated = '', ...figures] = cells.map((cell) => cell.trim());
  const broken = figures.flatMap((text, index) => {
    const number = parseNumber(text);
    return isMissing(text) || (number !== null && number >= 0)
      ? []
      : [`"${text.slice(0, 40)}" in ${columns[index + 3]}`];
  });
  const [promptTokens, generatedTokens] = [whole(prompt), whole(generated)];
  if (promptTokens === null) broken.push(`"${prompt.slice(0, 40)}" in n_prompt`);
  if (generatedTokens === null) broken.push(`"${generated.slice(0, 40)}" in n_gen`);
  // The name repeats both counts.
  const named = /^pp(\d{1,9})\+tg(\d{1,9})$/.exec(name);
  if (named === null || Number(named[1]) !== promptTokens || Number(named[2]) !== generatedTokens)
    broken.push(`"${name.slice(0, 40)}" with ${prompt.slice(0, 20)} and ${generated.slice(0, 20)} tokens`);
  if (broken.length > 0 || promptTokens === null || generatedTokens === null) {
    const message = `The row on line ${line} is not readable: ${broken.join(', ')}.`;
    addFaults(faults, [{ code: 'cell_unreadable', line, message }]);
    return null;
  }
  const [promptTokS = null, generatedTokS = null, ttftMs = null] = figures.map(parseNumber);
  const unsaid = { wholeMs: null, powerW: null, promptSd: null, generatedSd: null };
  return { from: line, to, promptTokens, generatedTokens, promptTokS, generatedTokS, ttftMs, ...unsaid };
}

/** The tests of a table; errors are added. The table does not name the GPU, the model or the engine. */
export function readLocalScoreCsv(
  { records, score }: LocalScoreCsv,
  faults: Fault[],
): { tests: LocalScoreTest[]; run: LocalScoreRun } {
  const tests = records.flatMap((record) => readTest(record, faults) ?? []);
  return { tests, run: { system: {}, measuredAt: null, extra: score === null ? {} : { performance_score: score } } };
}
