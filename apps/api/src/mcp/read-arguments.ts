import { DomainError } from '@inferboard/core/errors';
import { nearest } from '@inferboard/core/text/nearest';
import { toFaults } from '../http/refuse.ts';
import type { AgentTool } from './mcp-tools.ts';

/**
 * The tool with this name.
 *
 * @throws DomainError `not_found`, with the closest name
 */
export function findTool(tools: readonly AgentTool[], name: string): AgentTool {
  const found = tools.find((tool) => tool.name === name);
  if (found !== undefined) return found;
  const names = tools.map((tool) => tool.name);
  const meant = nearest(name, names);
  throw new DomainError('not_found', `Unknown tool "${name.slice(0, 100)}".`, [
    {
      code: 'value_invalid',
      pointer: '/name',
      message: `The tools are ${names.join(', ')}.`,
      ...(meant !== null && { hint: `Did you mean "${meant}"?` }),
    },
  ]);
}

/**
 * The arguments of a call, with defaults.
 *
 * @throws DomainError `request_invalid` with all errors; for an unknown argument the hint is the closest known name
 */
export function readArguments({ name, input }: AgentTool, given: unknown): Record<string, unknown> {
  const parsed = input.safeParse(given ?? {});
  if (parsed.success) return parsed.data;
  const faults = toFaults(parsed.error.issues, Object.keys(input.shape), true).map((fault) => ({
    ...fault,
    ...(fault.code === 'field_unknown' && {
      message: fault.message.replace('Unknown field', `Unknown argument of ${name}:`),
    }),
  }));
  throw new DomainError('request_invalid', `The arguments of ${name} are not valid.`, faults);
}
