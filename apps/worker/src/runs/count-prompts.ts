import { setTimeout as sleep } from 'node:timers/promises';
import type { EndpointRow } from '@inferboard/db/runs/endpoint';
import { messageIn } from '@inferboard/loadgen/measure/records/outcome';
import { redact, secretsOf } from '@inferboard/loadgen/measure/records/redact';
import { quoteServer } from '@inferboard/loadgen/points/failure-words';
import { PromptRefusedError, refusalOf } from '@inferboard/loadgen/points/refusal';
import { type ModelServer, pathOf } from '@inferboard/loadgen/points/server';
import { countingBody, readPromptTokens } from '@inferboard/loadgen/prompts/body';
import { CalibrationError } from '@inferboard/loadgen/prompts/calibration-error';
import type { CountTokens } from '@inferboard/loadgen/prompts/calibrator';
import { OutboundFailure, OutboundRefusal } from '@inferboard/outbound/failures';
import { type Answer, request } from '@inferboard/outbound/request';
import type { WorkerDeps } from '../deps.ts';
import { failureOf, type ReachedEndpoint } from './reach-endpoint.ts';
import { RunFailure } from './run-failure.ts';

/** A prompt of a hundred thousand tokens takes long to process. */
const timeout_ms = 120_000;
/** Maximum attempts per request if a server is busy or fails temporarily. */
const attemptsMax = 4;
const pause_ms = 250;

function parse({ bytes }: Answer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return null;
  }
}

/** Why the endpoint did not count a prompt, with the server's error message verbatim. */
function countFailure(answer: Answer, headers: Readonly<Record<string, string>>, isPassing: boolean): Error {
  const message = redact(messageIn(Buffer.from(answer.bytes).toString()).message, secretsOf(headers));
  const refusal = refusalOf(answer.status, message);
  if (refusal !== null) return new PromptRefusedError(refusal);
  const said = message === '' ? '' : `: "${quoteServer(message)}"`;
  const what = `The endpoint returned ${answer.status} to a request for one token${said}.`;
  return new RunFailure('endpoint_failing', what, { isPassing });
}

/** Sends requests to an endpoint. `spend` is called before each request, and may reject it by throwing. */
export interface Asking {
  spend: () => Promise<void>;
  signal: AbortSignal;
}

/** Sends a POST request to a path of an endpoint. @throws RunFailure if no response arrives */
export function postTo(
  deps: WorkerDeps,
  endpoint: EndpointRow,
  { server, origin, authorization }: ReachedEndpoint,
  { spend, signal }: Asking,
): (path: string, body: string) => Promise<Answer> {
  // Connects to the address that was checked and counted, regardless of later DNS changes.
  const lookup = async () => [{ address: server.connect.address }];
  return async (path, body) => {
    await spend();
    try {
      return await request(
        `${origin}${path}`,
        {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body,
          signal,
          limits: { timeout_ms },
          lookup,
          ...(authorization !== null && { authorization }),
        },
        deps.outbound,
      );
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (error instanceof OutboundFailure || error instanceof OutboundRefusal)
        throw failureOf(error, deps, endpoint.id);
      throw error;
    }
  };
}

/**
 * Counts tokens by the `usage` of one-token requests to the measured endpoint. A prompt that is too long for it is a
 * `PromptRefusedError`.
 */
export function countByUsage(
  serverOf: () => ModelServer,
  post: (path: string, body: string) => Promise<Answer>,
  signal: AbortSignal,
): CountTokens {
  return async (prompt, system) => {
    const server = serverOf();
    const body = JSON.stringify(countingBody({ ...server, prompt, ...(system !== undefined && { system }) }));
    for (let attempt = 1; ; attempt += 1) {
      const answer = await post(pathOf(server), body);
      const isPassing = answer.status === 429 || answer.status >= 500;
      if (isPassing && attempt < attemptsMax) {
        await sleep(pause_ms * attempt, undefined, { signal });
        continue;
      }
      if (answer.status !== 200) throw countFailure(answer, server.headers, isPassing);
      const tokens = readPromptTokens(parse(answer));
      if (tokens !== null) return tokens;
      throw new CalibrationError(
        'count_invalid',
        'the server does not report the tokens of a prompt (usage.prompt_tokens)',
      );
    }
  };
}
