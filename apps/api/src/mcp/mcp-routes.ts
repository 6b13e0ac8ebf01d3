import { type Context, Hono } from 'hono';
import type { AppContext } from '../deps.ts';
import type { ApiDocument } from '../document/types.ts';
import { limitBody } from '../middleware/limit-body.ts';
import type { Ask } from './mcp-server.ts';
import { agentTools } from './mcp-tools.ts';

const bodyBytesMax = 1024 * 1024;

/** Messages of a body: several where they are sent as one list. */
function countMessages(body: ArrayBuffer): number {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body));
    return Array.isArray(value) ? value.length : 1;
  } catch {
    return 1;
  }
}

/** What the routes need of the service. */
export interface McpDeps {
  document: () => ApiDocument;
  publicUrl: string;
  /** Takes of the quota of the caller for messages beyond the first, which is counted as any request. */
  takeMore: (c: Context<AppContext>, messages: number) => void;
}

/**
 * The API's queries as tools for agents, over the Model Context Protocol's streamable HTTP. There are no sessions: every request
 * is self-contained, so that any process can answer it.
 */
export function mcpRoutes(ask: Ask, { document, publicUrl, takeMore }: McpDeps) {
  return new Hono<AppContext>()
    .get('/mcp', (c) => {
      // The server never sends unsolicited messages, so it opens no stream.
      if (c.req.header('accept')?.includes('text/event-stream')) return c.body(null, 405, { Allow: 'POST' });
      return c.json({
        name: 'inferboard',
        protocol: 'Model Context Protocol, streamable HTTP',
        how: 'Send JSON-RPC messages by POST.',
        tools: agentTools.map(({ name, title, description }) => ({ name, title, description })),
      });
    })
    .post('/mcp', limitBody(bodyBytesMax), async (c) => {
      const body = await c.req.arrayBuffer();
      takeMore(c, countMessages(body) - 1);
      // Loaded for the first message: the SDK is a sixth of the modules of a process, and most never receive one.
      const { answerMessages } = await import('./mcp-server.ts');
      return answerMessages(new Request(c.req.raw, { body }), ask, { document, publicUrl });
    });
}
