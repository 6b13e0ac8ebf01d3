import { setTimeout as sleep } from 'node:timers/promises';
import type { EndpointRow } from '@inferboard/db/queries/endpoint';
import { messageIn } from '@inferboard/loadgen/measure/outcome';
import { redact, secretsOf } from '@inferboard/loadgen/measure/redact';
import { quoteServer } from '@inferboard/loadgen/points/failure-words';
import { type ModelServer, pathOf } from '@inferboard/loadgen/points/server';
import { countingBody, readPromptTokens } from '@inferboard/loadgen/prompts/body';
import { CalibrationError } from '@inferboard/loadgen/prompts/calibration-error';
import type { CountTokens } from '@inferboard/loadgen/prompts/calibrator';
import { OutboundFailure, OutboundRefusal } from '@inferboard/outbound/failures';
import { type Answer, request } from '@inferboard/outbound/request';
import type { WorkerDeps } from '../deps.ts';
import { failureOf, type ReachedEndpoint } from './reach-endpoint.ts';
import { RunFailure } from './run-failure.ts';

/** A prompt of a hundred thousand tokens takes a while to read. */
const timeout_ms = 120_000;
/** How often a server that is busy or stumbles is asked for one thing. */
const attemptsMax = 4;
const pause_ms = 250;

function parse({ bytes }: Answer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return null;
  }
}

/** What the server says of its error, in its own words. */
function saidIn({ bytes }: Answer, headers: Readonly<Record<string, string>>): string {
  const words = quoteServer(redact(messageIn(Buffer.from(bytes).toString()).message, secretsOf(headers)));
  return words === '' ? '' : `: "${words}"`;
}

/** Asks an endpoint one thing. `spend` is asked before each request, and may refuse it by throwing. */
export interface Asking {
  spend: () => Promise<void>;
  signal: AbortSignal;
}

/** Posts a body to a path of an endpoint. @throws RunFailure where no answer comes */
export function postTo(
  deps: WorkerDeps,
  endpoint: EndpointRow,
  { server, origin, authorization }: ReachedEndpoint,
  { spend, signal }: Asking,
): (path: string, body: string) => Promise<Answer> {
  // The address that was checked and counted, whatever the name leads to by now.
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

/** Counts by the `usage` of a request for one token, to the endpoint that is measured. */
export function countByUsage(
  serverOf: () => ModelServer,
  post: (path: string, body: string) => Promise<Answer>,
  signal: AbortSignal,
): CountTokens {
  return async (prompt) => {
    const server = serverOf();
    const body = JSON.stringify(countingBody({ ...server, prompt }));
    for (let attempt = 1; ; attempt += 1) {
      const answer = await post(pathOf(server), body);
      const isPassing = answer.status === 429 || answer.status >= 500;
      if (isPassing && attempt < attemptsMax) {
        await sleep(pause_ms * attempt, undefined, { signal });
        continue;
      }
      if (answer.status !== 200)
        throw new RunFailure(
          'endpoint_failing',
          `The endpoint answers ${answer.status} to a request for one token${saidIn(answer, server.headers)}.`,
          { isPassing },
        );
      const tokens = readPromptTokens(parse(answer));
      if (tokens !== null) return tokens;
      throw new CalibrationError(
        'count_invalid',
        'the server does not say how many tokens a prompt has (usage.prompt_tokens)',
      );
    }
  };
}
