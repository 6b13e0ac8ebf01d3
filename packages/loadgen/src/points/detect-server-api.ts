import { messageIn } from '../measure/records/outcome.ts';
import { countingBody, type Endpoint } from '../prompts/body.ts';
import { type ModelServer, pathOf } from './server.ts';

/** The response of a server to a request. */
export interface PostResponse {
  status: number;
  text: string;
}

/** Maximum number of requests to detect the server's API. After these, its last response counts. */
const attemptsMax = 5;

const isRefusal = (status: number) => status === 400 || status === 422;
const isMissing = (status: number) => status === 404 || status === 405 || status === 501;

/** The server with another request format after a refusal; null if no change is known to help. */
function adapt(server: ModelServer, { status, text }: PostResponse, fixed: Endpoint | null): ModelServer | null {
  const words = messageIn(text).message;
  const { omits = [], tokensField = 'max_tokens', notes = [] } = server;
  const otherwise = (change: Partial<ModelServer>, note: string) => ({ ...server, ...change, notes: [...notes, note] });
  if (isMissing(status) && server.endpoint === 'chat' && fixed === null && !/model/i.test(words))
    return otherwise(
      { endpoint: 'completions' },
      'the server does not support chat completions: /v1/completions is measured',
    );
  if (!isRefusal(status)) return null;
  if (words.includes('temperature') && !omits.includes('temperature'))
    return otherwise(
      { omits: [...omits, 'temperature'] },
      'the server rejects temperature: it is omitted, and responses may be random',
    );
  if (!words.includes('max_tokens')) return null;
  if (tokensField === 'max_tokens' && words.includes('max_completion_tokens'))
    return otherwise(
      { tokensField: 'max_completion_tokens' },
      'the server rejects max_tokens: max_completion_tokens is sent',
    );
  if (omits.includes('max_tokens')) return null;
  return otherwise(
    { omits: [...omits, 'max_tokens'] },
    'the server rejects max_tokens: it is omitted, and responses may have any length',
  );
}

/**
 * Detects before a load which API a server supports: with one request for one token, and one more for each
 * rejected parameter, five at most. Other failures change nothing, because the measurement
 * reports them.
 *
 * @param fixed the endpoint that the user chose, which is not changed
 */
export async function detectServerApi(
  given: ModelServer,
  fixed: Endpoint | null,
  post: (path: string, body: string) => Promise<PostResponse>,
): Promise<ModelServer> {
  let server = given;
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const body = countingBody({ ...server, prompt: '1 word' });
    const adapted = adapt(server, await post(pathOf(server), JSON.stringify(body)), fixed);
    if (adapted === null) break;
    server = adapted;
  }
  return server;
}
