import type { z } from 'zod';
import { toFaults } from '../http/refuse.ts';

const [internalError, invalidParams] = [-32603, -32602] as const;

interface Message {
  error?: { code: number; message: string };
}

/** The issues of a schema that the SDK writes as the message of an internal error; null for any other message. */
function issuesIn(message: string): z.core.$ZodIssue[] | null {
  try {
    const issues: unknown = JSON.parse(message);
    return Array.isArray(issues) ? (issues as z.core.$ZodIssue[]) : null;
  } catch {
    return null;
  }
}

function toReadable(message: Message): Message {
  const issues = message.error?.code === internalError ? issuesIn(message.error.message) : null;
  if (issues === null) return message;
  const words = toFaults(issues, [], true).map((fault) => fault.message);
  return { ...message, error: { code: invalidParams, message: `Invalid params: ${words.join('; ')}.` } };
}

/** The SDK reports parameters that do not fit the protocol as internal errors, in JSON. Reports them as JSON-RPC requires. */
export async function reportInvalidParams(response: Response): Promise<Response> {
  if (!response.ok || !response.headers.get('content-type')?.includes('json')) return response;
  const sent = (await response.json()) as Message | Message[];
  const messages = Array.isArray(sent) ? sent.map(toReadable) : toReadable(sent);
  const headers = new Headers(response.headers);
  headers.delete('content-length');
  return new Response(JSON.stringify(messages), { status: response.status, headers });
}
