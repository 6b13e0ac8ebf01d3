import { type Adapter, noFacts, noRemarks, noResult, type ParsedResult, type SystemFacts } from '../adapter.ts';
import { ArtifactError, maxResults, tooManyResults } from '../errors.ts';
import { toFigures } from '../llama-cpp/figures.ts';
import { findCommand, optionValues } from '../reading/context/command-line.ts';
import { modelFacts } from '../reading/context/model-name.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { findAt } from '../reading/text/by-line.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';

const id = 'exllamav2-test-inference';

interface Row {
  line: number;
  /** Tokens of the prompt, or tokens in the cache before generation. */
  at: number;
  /** Generated tokens; null for a prompt. */
  generated: number | null;
  speed: number;
}

/** Rows on lines that follow each other. Lines are 1-based and inclusive. */
interface Group {
  from: number;
  to: number;
  rows: Row[];
}

const opener =
  /^\s{0,8}\*\* (?:Length {1,6}(\d{1,9})|Position {1,6}(\d{1,9}) \+ {1,4}(\d{1,9})) tokens: {1,12}(\d{1,9}\.\d{4}) t\/s\s*$/;

const findGroups = cachedPerArtifact((artifact): Group[] => {
  const groups: Group[] = [];
  for (const line of artifact.linesWith(' tokens: ')) {
    const found = opener.exec(artifact.lineAt(line));
    if (found === null) continue;
    const [, length, position, generated, speed] = found;
    const row = {
      line,
      at: Number(length ?? position),
      generated: generated === undefined ? null : Number(generated),
      speed: Number(speed),
    };
    const last = groups.at(-1);
    if (last?.to === line - 1) {
      last.rows.push(row);
      last.to = line;
    } else groups.push({ from: line, to: line, rows: [row] });
  }
  return groups;
});

const isProgram = ([program = '']: readonly string[]) => /(?:^|[/\\])test_inference\.py$/.test(program);

/** The folder of the model in each command, or in the log below it. */
const findModels = cachedPerArtifact((artifact): { line: number; folder: string | null }[] =>
  artifact.linesWith('test_inference.py', ' -- Model: ').flatMap((line) => {
    const logged = /^\s{0,8}-- Model: (\S.{0,400}?)\s*$/.exec(artifact.lineAt(line))?.[1];
    if (logged !== undefined) return [{ line, folder: logged }];
    const command = findCommand(artifact, line, isProgram);
    if (command === null) return [];
    return [{ line, folder: optionValues(command, '-m', '--model_dir').at(-1) ?? null }];
  }),
);

/** The end of a path, which may name the bits per weight in a folder below the model's. */
const lastFolders = (path: string) =>
  path
    .split(/[/\\]/)
    .filter((part) => part !== '')
    .slice(-2)
    .join('/');

function readSystem(artifact: ArtifactText, before: number): SystemFacts {
  const folder = findModels(artifact).findLast(({ line }) => line < before)?.folder ?? null;
  const facts = modelFacts(folder, 'context');
  const bits = /(\d{1,2}(?:\.\d{1,2})?)[-_ ]?bpw/i.exec(lastFolders(folder ?? ''))?.[1];
  return {
    ...noFacts,
    ...facts,
    quantization: bits === undefined ? facts.quantization : { value: `exl2 ${bits}bpw`, origin: 'inferred' },
    engine: { value: 'exllamav2', origin: 'stated' },
  };
}

function toResult({ line, at, generated, speed }: Row, system: SystemFacts): ParsedResult {
  const isPrompt = generated === null;
  const test = {
    name: '',
    promptTokens: isPrompt ? at : 0,
    generatedTokens: generated ?? 0,
    // Generation begins after one token.
    depth: isPrompt || at <= 1 ? null : at,
  };
  const figures = toFigures({ test, average: speed, sd: null, n: null, samples: null });
  return {
    ...noResult,
    ...figures,
    system,
    scenario: { ...figures.scenario, name: null },
    lines: { from: line, to: line },
  };
}

/**
 * The speeds of ExLlamaV2's `test_inference.py`: prompts of growing length (`-ps`), and each 128 tokens of one growing response
 * (`-s`), timed in the process.
 *
 * Written by https://github.com/turboderp-org/exllamav2/blob/master/test_inference.py
 */
export const exllamav2TestInference: Adapter = {
  id,
  title: "ExLlamaV2's test_inference.py",
  kind: 'serving',
  recognises: 'rows " ** Length 128 tokens: N t/s" or " ** Position 128 + 128 tokens: N t/s"',
  command: 'python test_inference.py -m MODEL -ps -s 2>&1 | tee result.txt',
  detect: (artifact) => findGroups(artifact).map(({ from, to }) => ({ adapter: id, from, to })),
  read: (artifact, claim) => {
    const { found } = findAt(findGroups(artifact), claim.from);
    const tool = { name: "ExLlamaV2's test_inference.py", version: null };
    if (found === null) return { tool, results: [], ignored: [], ...noRemarks };
    if (found.rows.length > maxResults) throw tooManyResults(found.from);
    const system = readSystem(artifact, found.from);
    const measured = found.rows.filter(({ speed, at, generated }) => speed > 0 && (generated ?? at) > 0);
    if (measured.length === 0) {
      const message = `The rows that begin on line ${found.from} have no speed above 0: nothing was measured.`;
      throw new ArtifactError([{ code: 'nothing_measured', line: found.from, message }]);
    }
    return { tool, results: measured.map((row) => toResult(row, system)), ignored: [], ...noRemarks };
  },
};
