import { closest } from 'fastest-levenshtein';
import { DomainError, type Fault } from '../errors.ts';
import type { Adapter } from './adapter.ts';

/**
 * The adapters to ask: all of them, or the one that `tool=` names.
 *
 * @throws DomainError `request_invalid` where there is none of that name
 */
export function chooseAdapters(all: readonly Adapter[], tool: string | undefined): readonly Adapter[] {
  if (tool === undefined) return all;
  const chosen = all.filter((adapter) => adapter.id === tool);
  if (chosen.length > 0) return chosen;
  const nearest = closest(
    tool.slice(0, 100),
    all.map((adapter) => adapter.id),
  );
  const message = `There is no tool "${tool.slice(0, 80)}".`;
  const fault: Fault = {
    code: 'tool_unknown',
    parameter: 'tool',
    message,
    hint: `Did you mean "${nearest}"? Leave it out to have the tool detected.`,
  };
  throw new DomainError('request_invalid', message, [fault]);
}
