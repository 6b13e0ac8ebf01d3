// Prints the parsed result of a file: tool, facts, findings and ignored text. Stores nothing.
// usage: npm run try-adapter -- FILE [name=value ...]
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { DomainError } from '../packages/core/src/errors.ts';
import { formatLoad } from '../packages/core/src/subjects/load.ts';
import { systemLabel } from '../packages/core/src/subjects/system-label.ts';
import { parameterShape } from '../packages/core/src/submission/parameters.ts';
import { readSubmission } from '../packages/core/src/submission/read-submission.ts';

const [file, ...words] = process.argv.slice(2);
if (file === undefined) {
  console.error('usage: npm run try-adapter -- FILE [gpu=h100-sxm model=... quantization=...]');
  process.exit(2);
}
const given = z
  .strictObject(parameterShape)
  .safeParse(
    Object.fromEntries(words.map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)])),
  );
if (!given.success) {
  console.error(z.prettifyError(given.error));
  process.exit(2);
}
try {
  const { tool, mediaType, results, ignored } = readSubmission(readFileSync(file), given.data);
  console.log(`${tool.name}${tool.version ? ` ${tool.version}` : ''} (${mediaType}), ${results.length} results`);
  for (const result of results) {
    const { from, to } = result.lines;
    console.log(
      `\nlines ${from}-${to}: ${systemLabel(result.system)} | ${result.scenario.id} | ${formatLoad(result.load)} | ${result.status}`,
    );
    console.log(`  metrics  ${JSON.stringify(result.metrics)}`);
    if (result.ranges !== undefined) console.log(`  ranges   ${JSON.stringify(result.ranges)}`);
    console.log(`  derived  ${JSON.stringify(result.derived)}`);
    console.log(`  formulas ${JSON.stringify(result.definitions)}`);
    for (const { severity, message } of result.findings) console.log(`  ${severity}: ${message}`);
  }
  console.log(`\nignored: ${ignored.length === 0 ? 'nothing' : ignored.join(', ')}`);
} catch (error) {
  if (!(error instanceof DomainError)) throw error;
  console.error(`${error.code}: ${error.message}`);
  for (const fault of error.faults) {
    const place = fault.line === undefined ? (fault.parameter ?? fault.pointer ?? '') : `line ${fault.line}`;
    console.error(`  ${place}: ${fault.message} ${fault.hint ?? ''}`);
  }
  process.exit(1);
}
