// Logs of CI jobs, containers and clusters add a prefix to every line.

const twoDigits = (value: number) => String(value).padStart(2, '0');
const clock = (index: number) =>
  [Math.floor(index / 3600) % 24, Math.floor(index / 60) % 60, index % 60].map(twoDigits).join(':');

/** Adds a log's prefix to one line; `index` starts at 0. */
export type Wrap = (line: string, index: number) => string;
export const github: Wrap = (line, index) => `2026-01-02T${clock(index)}.1234567Z ${line}`;
export const gitlab: Wrap = (line, index) => `2026-01-02T${clock(index)}.123456Z 00O ${line}`;
export const compose: Wrap = (line) => `bench-1  | ${line}`;
export const pod: Wrap = (line) => `[pod/bench-x7f/main] ${line}`;
const kubectl: Wrap = (line, index) => `2026-01-02T${clock(index)}.123456789Z ${line}`;
export const journal: Wrap = (line, index) => `Jan  2 ${clock(index)} node7 bench.service[123]: ${line}`;
const journalIso: Wrap = (line, index) => `2026-01-02T${clock(index)}+0000 node7 bench[123]: ${line}`;
export const root0: Wrap = (line) => `INFO:root:${line}`;
export const logging: Wrap = (line, index) => `2026-01-02 ${clock(index)},123 - bench.run - INFO - ${line}`;
const loguru: Wrap = (line, index) => `2026-01-02 ${clock(index)}.123 | INFO     | bench:run:12 - ${line}`;
export const vllm: Wrap = (line, index) => `INFO 01-02 ${clock(index)} [serve.py:12] ${line}`;
export const engine: Wrap = (line) => `(EngineCore pid=1) ${line}`;

/** Adds a prefix to every line of a text. */
export const each = (wrap: Wrap) => (lines: string[]) => lines.map(wrap);
const groups = (lines: string[]) => ['##[group]Run make bench', ...lines, '##[endgroup]'];
const sections = (lines: string[]) => [
  'section_start:1767322800:bench\r\u001b[0KBench',
  ...lines,
  'section_end:1767322900:bench\r\u001b[0K',
];
const script = (lines: string[]) => [
  'Script started on 2026-01-02 03:04:05+00:00 [TERM="xterm" COLUMNS="200" LINES="50"]',
  ...lines.map((line) => `${line}\r`),
  '',
  'Script done on 2026-01-02 03:05:05+00:00 [COMMAND_EXIT_CODE="0"]',
];

/** Line prefixes of CI systems, containers, clusters and editors. */
export const logPrefixes: [string, (lines: string[]) => string[]][] = [
  ['GitHub Actions', (lines) => each(github)(groups(lines))],
  ['gh run view --log', each((line, index) => `bench\tRun make bench\t${github(line, index)}`)],
  ['GitLab', (lines) => each(gitlab)(sections(lines))],
  ['docker compose', each(compose)],
  // With one or two lines below a heading, a common prefix may be a coincidence.
  [
    'docker compose below a heading',
    (lines) => ['What it printed:', '', ...each(compose)(lines)].slice(lines.length < 3 ? 2 : 0),
  ],
  ['kubectl --prefix', each(pod)],
  ['kubectl --timestamps', each(kubectl)],
  ['kubectl with both', each((line, index) => pod(kubectl(line, index), index))],
  ['journald', each(journal)],
  ['journald with ISO times', each(journalIso)],
  ['a time in brackets', each((line, index) => `[2026-01-02 ${clock(index)}] ${line}`)],
  ["Python's basic logging", each(root0)],
  ["pytest's live log", each((line) => `INFO     root:bench.py:126 ${line}`)],
  ["Python's logging with times", each(logging)],
  ['loguru', each(loguru)],
  ["vLLM's logging", each(vllm)],
  ['the name of a process', each(engine)],
  ['srun -l', each((line) => `0: ${line}`)],
  ['mpirun --tag-output', each((line) => `[1,0]<stdout>:${line}`)],
  ['mpirun of Open MPI 5', each((line) => `[1,0]<stdout>: ${line}`)],
  ['quotes', each((line) => `> ${line}`)],
  ['four blanks', each((line) => (line === '' ? '' : `    ${line}`))],
  ['a tab', each((line) => `\t${line}`)],
  ['a padded screen', each((line) => line.padEnd(220))],
  ['script', script],
  ['all of GitHub, docker compose and logging', (lines) => each((l, i) => github(compose(root0(l, i), i), i))(lines)],
];

/** Adds a prefix to the lines; keeps a line end after the last one. */
export function wrapped(text: string, make: (lines: string[]) => string[]): string {
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
  const end = lines.at(-1) === '' ? '\n' : '';
  return make(end === '' ? lines : lines.slice(0, -1)).join('\n') + end;
}
