import type { z } from 'zod';
import type { Fault } from '../../../errors.ts';
import { toPointer } from '../../../text/json-pointer.ts';
import { inWords } from '../../../text/schema-words.ts';
import { ArtifactError, maxFaults } from '../../errors.ts';

/** A hint for a key that the schema does not have. */
type Suggest = (path: readonly PropertyKey[], key: string) => string | undefined;

function unknownField(path: readonly PropertyKey[], key: string, line: number, suggest: Suggest): Fault {
  const hint = suggest(path, key);
  return {
    code: 'field_unknown',
    line,
    pointer: toPointer([...path, key]),
    message: `Unknown field ${JSON.stringify(key.slice(0, 80))}.`,
    ...(hint === undefined ? {} : { hint }),
  };
}

const missing = /^Invalid input: expected \w+, received undefined$/;

/** What is wrong with a value: "must be a number". */
function wordsOf(message: string): string {
  const words = inWords(message);
  return missing.test(message) ? `is missing; ${words.replace(/^must/, 'it must')}` : words;
}

/**
 * The issues of a failed parse as errors at one line, up to the limit. `at` is the path of the parsed value; `suggest`
 * returns the hint for a key that the schema does not have.
 */
export function toFaults(
  error: z.ZodError,
  line: number,
  at: readonly PropertyKey[] = [],
  suggest: Suggest = () => undefined,
): Fault[] {
  const faults: Fault[] = [];
  for (const issue of error.issues) {
    const path = [...at, ...issue.path];
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys.slice(0, maxFaults)) faults.push(unknownField(path, key, line, suggest));
    } else {
      const pointer = toPointer(path);
      faults.push({
        code: 'value_invalid',
        line,
        pointer,
        message: `${pointer || 'The document'}: ${wordsOf(issue.message)}`,
      });
    }
    if (faults.length >= maxFaults) break;
  }
  return faults.slice(0, maxFaults);
}

/** Parses a value with a schema. Throws `ArtifactError` with all errors, at one line (1-based); `at` as above. */
export function parseAt<T>(schema: z.ZodType<T>, value: unknown, line: number, at: readonly PropertyKey[] = []): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ArtifactError(toFaults(parsed.error, line, at));
}
