import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { baseUrl, useTestApp } from '../testing/index.ts';
import { agentTools } from './mcp-tools.ts';

const app = useTestApp({ sampleData: true });
const client = new Client({ name: 'test', version: '1' });

beforeAll(async () => {
  const transport = new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp`), {
    fetch: async (url, init) => app.request(new URL(url).pathname, init),
  });
  await client.connect(transport);
});
afterAll(() => client.close());

async function call(name: string, given: Record<string, unknown>) {
  const { content, structuredContent, isError } = (await client.callTool({ name, arguments: given })) as {
    content: { text: string }[];
    structuredContent?: object;
    isError?: boolean;
  };
  const answer = JSON.parse(content[0]?.text ?? 'null');
  // The client has validated it against the tool's schema.
  expect(structuredContent).toEqual(isError === true ? undefined : answer);
  return { isError: isError ?? false, answer };
}

describe('an agent with the standard MCP client', () => {
  it('lists the tools, each with a schema', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(agentTools.map(({ name }) => name));
    for (const { inputSchema, outputSchema, description } of tools) {
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(outputSchema?.type).toBe('object');
      expect(Object.keys(outputSchema?.properties ?? {})).not.toHaveLength(0);
      expect(JSON.stringify(outputSchema).length).toBeLessThan(16_000);
      expect(description).toMatch(/\.$/);
    }
  });

  it('asks the example question', async () => {
    const { isError, answer } = await call('best_config', { question: 'best model under 20ms ITL on H100' });
    expect(isError).toBe(false);
    expect(answer).toEqual(await app.get('/v1/best?q=best%20model%20under%2020ms%20ITL%20on%20H100'));
    expect(answer.data.length).toBeGreaterThan(0);
  });

  it('gives arguments of a tool among its parameters', async () => {
    const { isError, answer } = await call('leaderboard', {
      parameters: { model: 'llama-2-7b', limit: 1, full: true },
    });
    expect([isError, answer.data?.length]).toEqual([false, 1]);
    expect(answer.data[0].statistics.runs).not.toHaveLength(0);
  });

  it.each([
    [
      'leaderboard',
      { parameters: { model: { id: 'x' } } },
      'parameters/model must be a string, a number, true or false, or a list of them',
    ],
    ['leaderboard', { parameters: 'model=x' }, 'parameters must be an object'],
    ['leaderboard', { limit: 51 }, 'limit must be at most 50'],
    ['best_config', { question: 'x'.repeat(501) }, 'question must have at most 500 characters'],
    ['compare', { systems: ['sys_1'] }, 'systems must have at least 2 items'],
    ['compare', { systems: 'sys_1' }, 'systems must be a list'],
  ])('gets an error that names the invalid arguments of %s', async (name, given, message) => {
    const { isError, answer } = await call(name, given);
    expect([isError, answer.errors[0].message]).toEqual([true, message]);
  });

  it.each([
    [{ method: 'tools/call' }, 'params is missing'],
    [{ method: 'tools/call', params: { name: 5 } }, 'params/name must be a string'],
    [
      { method: 'initialize', params: {} },
      'params/protocolVersion is missing; params/capabilities is missing; params/clientInfo is missing',
    ],
  ])('gets the error "invalid params" for the message %j', async (message, words) => {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...message });
    const response = await app.request('/mcp', { method: 'POST', headers, body });
    expect(await response.json()).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32602, message: `Invalid params: ${words}.` },
    });
  });

  it('reads a board, a system, its results and a comparison', async () => {
    const board = await call('leaderboard', {
      rank_by: 'decode_tok_s',
      parameters: { scenario: 'tg128' },
      limit: 3,
    });
    expect(board.answer).toMatchObject({ workload: { id: 'tg128-offline' }, definition: { id: 'in_process' } });
    expect(board.answer.data).toHaveLength(3);
    expect(board.answer.data[0].statistics.runs).toBeUndefined();
    const whole = await call('leaderboard', { rank_by: 'decode_tok_s', full: true, limit: 1 });
    expect(whole.answer.data[0].statistics.runs).not.toHaveLength(0);
    const [first, second] = board.answer.data.map((entry: { system: { id: string } }) => entry.system.id);
    expect((await call('get_system', { id: first })).answer.id).toBe(first);
    const { answer: found } = await call('search_results', { parameters: { system: first }, limit: 2 });
    expect(found.data).toHaveLength(2);
    const submission = await call('get_submission', { id: found.data[0].submission_id });
    expect(submission.answer.id).toBe(found.data[0].submission_id);
    const compared = await call('compare', { systems: [first, second], parameters: { load_level: [1, 2] } });
    expect(compared.answer.systems).toHaveLength(2);
  });

  it('reads the frontier, the matrix, the history, the changes and the report, and searches names', async () => {
    const { answer: found } = await call('search', { q: 'llama' });
    expect(found.data).not.toHaveLength(0);
    const { answer: frontier } = await call('pareto', { x: 'itl_ms', y: 'decode_tok_s' });
    expect(frontier.data.some((point: { on_frontier: boolean }) => point.on_frontier)).toBe(true);
    expect((await call('matrix', { rows: 'gpu', columns: 'model' })).answer).toMatchObject({ rows: expect.anything() });
    const { answer: changes } = await call('changes', { limit: 2, parameters: { gpu: 'h100' } });
    expect(changes).toHaveProperty('next_cursor');
    const { answer: board } = await call('leaderboard', { limit: 1 });
    const { id } = board.data[0].system;
    expect((await call('report', { id, ttft_limit_s: 1 })).answer).toMatchObject({ system: { id } });
    expect((await call('history', { system: id })).answer).toEqual(await app.get(`/v1/history?system=${id}&limit=10`));
  });

  it('gets an error for each unknown argument, with the closest known name', async () => {
    const { isError, answer } = await call('leaderboard', { rankby: 'ttft_ms', limit: 'ten', colour: 1 });
    expect([isError, answer.code]).toEqual([true, 'request_invalid']);
    expect(answer.errors).toEqual([
      expect.objectContaining({ pointer: '/limit' }),
      {
        code: 'field_unknown',
        pointer: '/rankby',
        message: 'Unknown argument of leaderboard: "rankby".',
        hint: 'Did you mean "rank_by"?',
      },
      {
        code: 'field_unknown',
        pointer: '/colour',
        message: 'Unknown argument of leaderboard: "colour".',
        hint: 'Known names: rank_by, parameters, limit, full.',
      },
    ]);
    for (const { name } of agentTools) {
      const { answer: refused } = await call(name, { no_such_thing: 1 });
      expect(refused.errors, name).toContainEqual(expect.objectContaining({ pointer: '/no_such_thing' }));
    }
    const { answer: inside } = await call('pareto', { parameters: { gpuu: 'h100' } });
    expect(inside.errors).toEqual([expect.objectContaining({ parameter: 'gpuu', code: 'parameter_unknown' })]);
    expect((await call('leader_board', {})).answer).toMatchObject({
      code: 'not_found',
      errors: [{ hint: 'Did you mean "leaderboard"?' }],
    });
  });

  it.each([
    ['best_config', { question: 'best model under 20 bananas' }, 'query_not_understood'],
    ['leaderboard', { parameters: { gpu: 'h1000' } }, 'request_invalid'],
    ['get_system', { id: 'nothing' }, 'not_found'],
    ['get_submission', { id: '../../etc/passwd' }, 'not_found'],
  ])('receives the error for %s with %j', async (name, given, code) => {
    expect(await call(name, given)).toMatchObject({ isError: true, answer: { code } });
  });
});

describe('MCP over plain HTTP', () => {
  const post = (body: string, headers: Record<string, string> = {}) =>
    app.request('/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body,
    });

  it('describes the server on GET, and offers no event stream', async () => {
    const look = await app.request('/mcp');
    expect(look.status).toBe(200);
    expect(await look.json()).toMatchObject({ name: 'inferboard' });
    expect((await app.request('/mcp', { headers: { accept: 'text/event-stream' } })).status).toBe(405);
  });

  it.each([
    ['an empty body', '', {}],
    ['invalid JSON', '{', {}],
    ['JSON that is not a request', '[1, 2]', {}],
    ['another content type', '{}', { 'content-type': 'text/plain' }],
    ['another Accept header', '{}', { accept: 'text/html' }],
    ['an unknown method', '{"jsonrpc": "2.0", "id": 1, "method": "no/such"}', {}],
    ['a body that is too large', `{"jsonrpc": "2.0", "id": 1, "method": "${'x'.repeat(1_100_000)}"}`, {}],
  ])('returns an error below 500 for %s', async (_, body, headers) => {
    expect((await post(body, headers)).status).toBeLessThan(500);
  });
});

it('llms.txt describes the service and how to query it', async () => {
  const response = await app.request('/llms.txt');
  expect(response.headers.get('content-type')).toContain('text/markdown');
  const text = await response.text();
  for (const word of ['/v1/best?q=', '/mcp', 'ttft_ms', 'vllm bench serve']) expect(text).toContain(word);
  for (const [, path] of text.matchAll(new RegExp(`\\(${baseUrl}(/[^)]*)\\)`, 'g')))
    expect((await app.request(path ?? '')).status, path).toBeLessThan(path?.startsWith('/v1/compare') ? 500 : 300);
});
