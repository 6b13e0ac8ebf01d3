const stamp = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)`;
const dateTime = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:[.,]\d{3,6})?`;
const level = '(?:DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL)';
const place = String.raw`[\w./<>-]{1,100}:\d{1,6}`;

/** GitHub Actions, GitLab with its stream marks (`00O `), kubectl and docker with timestamps, journald with ISO times. */
const timestamp = new RegExp(
  String.raw`^\uFEFF?${stamp}(?: (?:[\da-f]{2}[OE](?:[+ ]|$)|[\w.-]{1,64} [^\s:[\]]{1,64}\[\d{1,9}\]:(?: |$))?|$)`,
);
/** `gh run view --log`: job, step, timestamp. */
const jobAndStep = new RegExp(String.raw`^[^\t]{1,200}\t[^\t]{1,200}\t\uFEFF?${stamp}(?: |$)`);
const pod = /^\[pod\/[^\]\s]{1,300}\](?: |$)/;
const mpirun = /^\[[\w.@-]{1,100},\d{1,9}\]<std(?:out|err)>:/;
const journal =
  /^(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d \d\d:\d\d:\d\d [\w.-]{1,64} [^\s:[\]]{1,64}(?:\[\d{1,9}\])?:(?: |$)/;
/** Python's logging: `INFO:root:`; pytest: `INFO     root:bench.py:12 `; vLLM: `INFO 01-02 03:04:05 [serve.py:12] `. */
const logLevel = new RegExp(
  String.raw`^${level}(?::[\w.-]{1,80}:| {1,8}[\w.-]{1,80}:[\w.-]{1,80}:\d{1,6}(?: |$)| \d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})? (?:\[${place}\]|${place}\])(?: |$))`,
);
/** `2026-01-02 03:04:05,123 - name - INFO - `, loguru's ` | INFO     | module:function:12 - `, ` [INFO] ` and ` INFO name: `. */
const logTime = new RegExp(
  String.raw`^(?:${dateTime}|\[${dateTime}\])(?: - (?:[^\s]{1,100} - ){0,2}${level}(?: - ${place})? -(?: |$)` +
    String.raw`| \| ${level} {0,8}\| [\w.<>:-]{1,200} -(?: |$)| \[?${level}\]?(?: \[?[\w.]{1,80}\]?:|:)?(?: |$))`,
);
/** A time alone: `[2026-01-02 03:04:05] `, `[03:04:05] `, `03:04:05 `, and `Jan 02 03:04:05 `, as the program ts prints it. */
const clock = new RegExp(
  String.raw`^(?:${dateTime}|\[(?:\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d(?:[.,]\d{1,6})?\]|\d\d:\d\d:\d\d(?:[.,]\d{1,6})?|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d \d\d:\d\d:\d\d)(?: |$)`,
);
const processName = /^\((?:[A-Z]\w{1,60} )?pid=\d{1,9}(?:, ip=[\d.:a-f]{3,45})?\)(?: |$)/;
const service = /^[A-Za-z\d][\w.-]{0,80} *\|(?: |$)/;
const task = /^ {0,4}\d{1,5}:(?: |$)/;
const quote = /^>(?: |$)/;
/** Output as a comment of a script. */
const comment = /^#(?: |$)/;

/**
 * Where a prefix must occur before it is removed:
 * - `anywhere`: on any line, because nothing else looks like it
 * - `run`: on at least three consecutive lines, or on most lines of the file
 * - `column`: as `run`, with its mark in the same column of every line, and outside of tables
 * - `file`: on nearly all lines of the file
 */
type Reach = 'anywhere' | 'run' | 'column' | 'file';

export interface Prefix {
  pattern: RegExp;
  reach: Reach;
}

export const ofTime: Prefix = { pattern: timestamp, reach: 'run' };
export const ofJob: Prefix = { pattern: jobAndStep, reach: 'run' };
export const ofPod: Prefix = { pattern: pod, reach: 'run' };
export const ofMpirun: Prefix = { pattern: mpirun, reach: 'anywhere' };
export const ofJournal: Prefix = { pattern: journal, reach: 'run' };
export const ofLevel: Prefix = { pattern: logLevel, reach: 'run' };
export const ofLogTime: Prefix = { pattern: logTime, reach: 'run' };
export const ofClock: Prefix = { pattern: clock, reach: 'run' };
export const ofProcess: Prefix = { pattern: processName, reach: 'run' };
export const ofService: Prefix = { pattern: service, reach: 'column' };
export const ofTask: Prefix = { pattern: task, reach: 'file' };
export const ofQuote: Prefix = { pattern: quote, reach: 'file' };
export const ofComment: Prefix = { pattern: comment, reach: 'file' };
