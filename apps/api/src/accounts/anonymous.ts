import { randomBytes } from 'node:crypto';
import { DomainError } from '@inferboard/core/errors';
import { anonymousPrefix } from '@inferboard/core/names/account-name';
import { insertAccount } from '@inferboard/db/accounts/account';
import { claimDays, findClaimableAccount, removeEmptyAccount } from '@inferboard/db/accounts/claim';
import { keepAnswer } from '@inferboard/db/service/idempotency';
import type { Context, MiddlewareHandler } from 'hono';
import type { AppContext, Deps } from '../deps.ts';
import { isInternal } from '../http/internal-requests.ts';
import { anonymousSubmissions } from '../http/rate-limits.ts';
import { keyringOf, openBody, sealBody } from '../idempotency/encrypted-body.ts';
import { requireKeyToPost } from '../middleware/auth.ts';
import { limitRate } from '../middleware/limit-rate.ts';
import { hashAddress } from '../reviews/report-concern.ts';
import { type Answer, claimName, whileClaimed } from '../submissions/actions/answer-once.ts';
import { answerSubmission } from '../submissions/actions/answer-submission.ts';
import { fingerprintOf, sha256, type Upload } from '../submissions/actions/submit-report.ts';
import { jsonLine } from '../submissions/json-line.ts';
import { createToken, hashKey } from './keys.ts';

// With open registration, an upload needs no key. It belongs to a separate account, which is `new`: its results are provisional,
// are not pooled with other accounts' results, and neither confirm nor contradict them. With the claim token of an earlier
// upload, it belongs to the account of that one, so that the parts of one measurement stay together.

/** Whether a request without a key may submit. */
export const isFromAnonymous = ({ registration }: Pick<Deps, 'registration'>, c: Context<AppContext>): boolean =>
  registration === 'open' && c.get('principal') === null && c.req.method === 'POST' && !isInsideDry(c);

const isInsideDry = (c: Context<AppContext>) => isInternal(c) && c.req.query('dry_run') === 'true';

/** Accepts requests with a key. Requests without one are counted by address before the body is read. */
export const letInAnonymous =
  (deps: Deps): MiddlewareHandler<AppContext> =>
  async (c, next) => {
    if (!isFromAnonymous(deps, c)) return requireKeyToPost(c, next);
    await limitRate(deps, c, anonymousSubmissions);
    return next();
  };

/** Creates an account for one submission. */
async function openAccount(deps: Deps): Promise<{ id: string; name: string }> {
  const name = `${anonymousPrefix}${randomBytes(5).toString('hex')}`;
  // The name is taken only if two requests drew it at the same time.
  return (await insertAccount(deps.database.db, name, { registeredItself: true })) ?? openAccount(deps);
}

const claimTokenFault = (message: string, hint: string) =>
  new DomainError('request_invalid', message, [{ code: 'value_invalid', parameter: 'Claim-Token', message, hint }]);

/**
 * The request's `Claim-Token`; null if there is none.
 *
 * @throws DomainError `request_invalid` if the request has a key
 */
export function claimTokenOf(c: Context<AppContext>): string | null {
  const token = c.req.header('claim-token') ?? null;
  if (token !== null && c.get('principal') !== null)
    throw claimTokenFault(
      'Claim-Token is only for requests without a key.',
      'Omit it. To claim an earlier submission, use POST /v1/submissions/{id}/claim.',
    );
  return token;
}

/** The account that a claim token belongs to. */
async function accountOfToken(deps: Deps, token: string): Promise<{ id: string; name: string }> {
  const account = await findClaimableAccount(deps.database.db, hashKey(token));
  if (account !== null) return account;
  throw claimTokenFault(
    'Claim-Token is not the token of a claim link, or the link was already used or has expired.',
    'Send `claim.token` from the response to an earlier submission without a key, or omit it.',
  );
}

const dayMs = 86_400_000;

const textOf = (body: Answer['body']) => (typeof body === 'string' ? body : new TextDecoder().decode(body));

/**
 * Stores an upload without a key, together with the link with which an account can claim it. Adds the link to the response.
 *
 * @param earlier the claim token of an earlier upload, whose account gets this one
 */
export async function submitAnonymously(deps: Deps, upload: Upload, earlier: string | null): Promise<Answer> {
  const { id: accountId, name: accountName } =
    earlier === null ? await openAccount(deps) : await accountOfToken(deps, earlier);
  const principal = { accountId, accountName, keyId: '', scopes: [] };
  const token = createToken('ibc');
  const expiresAt = new Date(Date.now() + claimDays * dayMs).toISOString();
  const job = { principal, upload, request: null, claim: { hash: hashKey(token), expiresAt } };
  const answer = await answerSubmission(deps, job).catch(async (error: unknown) => {
    if (earlier === null) await removeEmptyAccount(deps.database.db, accountId);
    // If the earlier upload was claimed in the meantime, its account was removed.
    else await accountOfToken(deps, earlier);
    throw error;
  });
  // A duplicate keeps the link that it was stored with.
  if (answer.status === 200) return answer;
  const submission = JSON.parse(textOf(answer.body)) as { id: string };
  const url = `${deps.publicUrl}/submissions/${submission.id}/claim?token=${token}`;
  return { ...answer, body: jsonLine({ ...submission, claim: { token, url, expires_at: expiresAt } }) };
}

/**
 * Stores an upload without a key once under an idempotency key, which belongs to the client's address. A repeated request gets
 * the first response, claim link included; therefore the response is sealed. As with other sealed responses, it is stored after
 * the work is committed: if the process ends between the two, a retry stores a second submission.
 *
 * @throws DomainError `idempotency_key_reused`, `request_running`, `request_invalid`
 */
export async function submitAnonymouslyOnce(
  deps: Deps,
  upload: Upload,
  { address, name, earlier }: { address: string; name: string; earlier: string | null },
): Promise<Answer & { replayed: boolean }> {
  const { db } = deps.database;
  const keyring = keyringOf(deps);
  const request = { keyId: `address ${await hashAddress(db, address)}`, route: 'createSubmission', name };
  const first = await claimName(deps, request, fingerprintOf(sha256(upload.bytes), upload.parameters));
  if (first !== null)
    return {
      status: first.status === 201 ? 201 : 200,
      location: first.location,
      body: await openBody(keyring, request, first.body),
      replayed: true,
    };
  return whileClaimed(deps, request, async () => {
    const answer = await submitAnonymously(deps, upload, earlier);
    const { status, location } = answer;
    await keepAnswer(db, request, { status, location, body: await sealBody(keyring, request, textOf(answer.body)) });
    return { ...answer, replayed: false };
  });
}
