import type { z } from 'zod';
import type { Fault } from '../../errors.ts';

/** A JSON pointer: `/results/0/metrics/ttft_ms_mean`. */
export function toPointer(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Every issue of a failed parse as a fault, at one line. `known` suggests a name for a key the schema does not have. */
export function toFaults(
  error: z.ZodError,
  line: number,
  known: (path: readonly PropertyKey[], key: string) => string | undefined = () => undefined,
): Fault[] {
  return error.issues.flatMap((issue): Fault[] => {
    if (issue.code !== 'unrecognized_keys') {
      const pointer = toPointer(issue.path);
      return [{ code: 'value_invalid', line, pointer, message: `${pointer || 'The document'}: ${issue.message}` }];
    }
    return issue.keys.map((key) => {
      const hint = known(issue.path, key);
      const pointer = toPointer([...issue.path, key.slice(0, 200)]);
      return {
        code: 'field_unknown',
        line,
        pointer,
        message: `Unknown field ${JSON.stringify(key.slice(0, 80))}.`,
        ...(hint === undefined ? {} : { hint }),
      };
    });
  });
}
