import { closest } from 'fastest-levenshtein';
import { DomainError, type Fault } from '../errors.ts';
import type { Adapter } from './adapter.ts';

/**
 * The adapters to try: all of them, or the one named by `tool=`.
 *
 * @throws DomainError `request_invalid` if no adapter has that name
 */
export function chooseAdapters(all: readonly Adapter[], tool: string | undefined): readonly Adapter[] {
  if (tool === undefined) return all;
  const chosen = all.filter((adapter) => adapter.id === tool);
  if (chosen.length > 0) return chosen;
  const nearest = closest(
    tool.slice(0, 100),
    all.map((adapter) => adapter.id),
  );
  const message = `Unknown tool "${tool.slice(0, 80)}".`;
  const fault: Fault = {
    code: 'tool_unknown',
    parameter: 'tool',
    message,
    hint: `Did you mean "${nearest}"? Omit it to detect the tool.`,
  };
  throw new DomainError('request_invalid', message, [fault]);
}
