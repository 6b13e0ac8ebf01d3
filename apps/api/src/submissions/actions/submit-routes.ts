import { createRoute, z } from '@hono/zod-openapi';
import { parameterShape } from '@inferboard/core/submission/parameters';
import type { Principal } from '@inferboard/db/accounts/account';
import type { Context } from 'hono';
import {
  claimTokenOf,
  isFromAnonymous,
  letInAnonymous,
  submitAnonymously,
  submitAnonymouslyOnce,
} from '../../accounts/anonymous.ts';
import { senderIsFull } from '../../bodies/budget.ts';
import { bodyLimits } from '../../bodies/receive-body.ts';
import type { AppContext, Deps } from '../../deps.ts';
import { keyUnlessOpen } from '../../document/describe-keys.ts';
import { isInternal } from '../../http/internal-requests.ts';
import { refuse } from '../../http/refuse.ts';
import { createRouter } from '../../http/router.ts';
import { requireScope } from '../../middleware/auth.ts';
import { limitBody } from '../../middleware/limit-body.ts';
import { addressOf } from '../../middleware/limit-rate.ts';
import { conflict, json, problem, refusal, tooLarge, tooMany, writeProblems } from '../../schemas/common.ts';
import { formatShape, orText } from '../../schemas/format.ts';
import { sends } from '../../schemas/headers.ts';
import { signatureShape } from '../../signing/signing-schema.ts';
import { answerOnce, requestNameOf } from './answer-once.ts';
import { answerSubmission } from './answer-submission.ts';
import { fullShape } from './full-schema.ts';
import { readUpload } from './read-upload.ts';
import { resultsShownDescription, SubmissionSchema } from './submission-schema.ts';
import { answerAsText, rankedInText } from './submission-text.ts';
import { requestFingerprintOf, type Upload } from './submit-report.ts';
import { artifactBytesMax } from './unpack-artifact.ts';

const nativeReport = {
  type: 'string',
  contentMediaType: 'application/json',
  contentSchema: { $ref: '#/components/schemas/NativeReport' },
} as const;
const binary = { type: 'string', format: 'binary' } as const;

/** Output of `llama-bench -o md`. */
const artifactExample = `| model | size | params | backend | ngl | test | t/s |
| --- | ---: | ---: | --- | --: | --: | ---: |
| llama 7B Q4_0 | 3.56 GiB | 6.74 B | CUDA | 99 | tg128 | 240.52 ± 0.31 |`;

const createSubmission = createRoute({
  method: 'post',
  path: '/v1/submissions',
  operationId: 'createSubmission',
  tags: ['Submissions'],
  summary: "Submit a benchmark tool's output",
  description:
    'The body is the artifact itself, unmodified: JSON, JSONL, CSV, Markdown or console text. The Content-Type is ignored. Compress large artifacts with gzip or zstd. ' +
    'Without a key, the response has a link with which an account can claim the submission within 30 days. ' +
    'Add missing facts as query parameters. `format=text` returns five lines for people. A multipart form with the field `artifact` and fields of the same names is also accepted. ' +
    '`signing_key` and `signature` sign the artifact with a key of `POST /v1/signing-keys`. ' +
    resultsShownDescription,
  security: keyUnlessOpen('submit'),
  request: {
    query: z.strictObject({
      ...parameterShape,
      ...signatureShape,
      ...fullShape,
      ...formatShape,
      dry_run: z
        .enum(['true', 'false'], { error: 'must be true or false' })
        .optional()
        .openapi({ description: 'Parses, checks and derives, but stores nothing.' }),
    }),
    headers: z.object({
      'idempotency-key': z
        .string()
        .optional()
        .openapi({
          description:
            'A unique key for this request, such as a UUID. A repetition within two days gets the first response, with `Idempotency-Replayed: true`. ' +
            'It is scoped to the API key, or to the IP address of a request without one.',
        }),
      'claim-token': z
        .string()
        .optional()
        .openapi({
          description:
            'For requests without a key: `claim.token` from the response to an earlier submission. The new submission then belongs to the same account, and the parts of a session are compared together. ' +
            'Each submission has its own claim link.',
          example: 'ibc_0123456789abcdefghijklmnopqrstuvwxyz',
        }),
    }),
    body: {
      required: true,
      description:
        'The artifact, at most 16 MiB, both compressed and uncompressed. The schema `NativeReport` describes the native format.',
      content: {
        'application/octet-stream': { schema: binary, example: artifactExample },
        '*/*': { schema: { anyOf: [binary, nativeReport] }, example: artifactExample },
        // Forms are only in the description: from a union of types, client generators make code that does not compile.
      },
    },
  },
  responses: {
    ...orText({
      201: { ...json('Stored.', SubmissionSchema), headers: sends('Location', 'Idempotency-Replayed') },
      200: {
        ...json('This account has already submitted the same artifact, or it was a dry run.', SubmissionSchema),
        headers: sends('Idempotency-Replayed'),
      },
    }),
    ...writeProblems,
    ...conflict(
      'The first request with this Idempotency-Key is still running.',
      refusal('request_running', 'The first request with this Idempotency-Key is still running. Try again.'),
    ),
    ...tooLarge,
    ...tooMany,
    503: problem(
      'The database is unavailable, or too many request bodies are in progress. Try again.',
      [
        refusal('database_unavailable', 'The database is unavailable. Try again in a few seconds.'),
        refusal('bodies_too_many', senderIsFull(bodyLimits).message),
      ],
      'Retry-After',
    ),
  },
});

const shrink = 'Remove per-request texts (`requests`, `generated_texts`), or send the CSV or console output.';

/** Stores a submission with an idempotency key: a repeated request gets the first response. */
function submitOnce(deps: Deps, principal: Principal, upload: Upload, name: string) {
  const request = { keyId: principal.keyId, route: 'createSubmission', name };
  return answerOnce(deps, request, requestFingerprintOf(upload), () =>
    answerSubmission(deps, { principal, upload, request }),
  );
}

/**
 * The site parses pasted text for visitors, who have no session. A dry run stores nothing, and the page request was already counted.
 */
const isForVisitor = (c: Context<AppContext>) =>
  isInternal(c) && !c.get('principal') && c.req.query('dry_run') === 'true';
const visitor: Principal = { accountId: '', accountName: 'nobody', keyId: '', scopes: [] };

export function submitRoutes(deps: Deps) {
  const router = createRouter();
  router.use(
    '/v1/submissions',
    (c, next) => (isForVisitor(c) ? next() : letInAnonymous(deps)(c, next)),
    limitBody(artifactBytesMax, shrink),
  );
  return router.openapi(
    createSubmission,
    async (c) => {
      const isAnonymous = isFromAnonymous(deps, c);
      const principal = isForVisitor(c) || isAnonymous ? visitor : requireScope(c, 'submit');
      const { format, ...query } = c.req.valid('query');
      const name = requestNameOf(c.req.header('idempotency-key'));
      const earlier = claimTokenOf(c);
      const isText = format === 'text';
      const read = await readUpload(c, query);
      const upload = isText ? { ...read, isFull: false, ranked: rankedInText } : read;
      const submit = async () => {
        if (isAnonymous && !upload.dryRun)
          return name === null
            ? { ...(await submitAnonymously(deps, upload, earlier)), replayed: false }
            : submitAnonymouslyOnce(deps, upload, { address: addressOf(deps, c), name, earlier });
        if (name !== null && !upload.dryRun) return submitOnce(deps, principal, upload, name);
        return { ...(await answerSubmission(deps, { principal, upload, request: null })), replayed: false };
      };
      const { status, location, body, replayed } = await submit();
      const headers = {
        ...(location && { Location: location }),
        ...(replayed && { 'Idempotency-Replayed': 'true' }),
      };
      if (isText) return c.text(await answerAsText(deps, body), status, headers) as never;
      return c.body(body, status, { 'Content-Type': 'application/json', ...headers }) as never;
    },
    refuse(createSubmission),
  );
}
