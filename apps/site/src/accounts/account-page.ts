import type { CreatedKey, WebhookCreated } from '@inferboard/api/client';
import { textOf } from '../features/submission/data/posted-form.ts';
import type { Problem } from '../lib/api.ts';
import { leadTo, openVisit, readPosted, signIn, signOut, type Visit } from './visit.ts';

type Asked = Parameters<typeof openVisit>[0];

/** Result of a form post. */
interface Done {
  /** Redirect target; null to render the page. */
  response: Response | null;
  problem: Problem | null;
  /** The new key, shown once. */
  created: CreatedKey | null;
  /** The new webhook with its secret, shown once. */
  webhook: WebhookCreated | null;
  /** Page after the sign-in. */
  next: string;
}

const nothing: Done = { response: null, problem: null, created: null, webhook: null, next: '/account' };

/** Labels of the scopes of a key. */
export const scopeWords: Record<string, string> = {
  submit: 'Submit results and retract them',
  run: 'Register endpoints and webhooks, and start managed runs',
  keys: 'Create and revoke keys and signing keys of the account',
  admin: 'All actions, for all accounts',
};

/** Returns a path of this site as the page after a sign-in; the account's page for any other text. */
export const toPlace = (text: string): string => (/^\/(?:[\w-][\w\-/?=&.]*)?$/.test(text) ? text : '/account');

async function createKey({ api }: Visit, form: FormData): Promise<Done> {
  const days = textOf(form, 'expires_in_days');
  const name = textOf(form, 'name').trim();
  const { data: created, problem } = await api.createKey({
    scopes: form.getAll('scope'),
    ...(name !== '' && { name }),
    ...(days !== '' && { expires_in_days: Number(days) }),
  });
  return { ...nothing, created, problem };
}

async function createWebhook({ api }: Visit, form: FormData): Promise<Done> {
  const { data: webhook, problem } = await api.createWebhook({
    url: textOf(form, 'url').trim(),
    events: form.getAll('event'),
  });
  return { ...nothing, webhook, problem };
}

/** Redirects to a part of the page if the action succeeded. */
const applied = ({ problem }: { problem: Problem | null }, place: string): Done => ({
  ...nothing,
  problem,
  response: problem === null ? leadTo(place) : null,
});

async function act(asked: Asked, visit: Visit, form: FormData): Promise<Done> {
  const what = textOf(form, 'act');
  if (what === 'sign-in') {
    const next = toPlace(textOf(form, 'next'));
    const { cookie, problem } = await signIn(asked, { key: textOf(form, 'key').trim() });
    return { ...nothing, problem, next, response: cookie === null ? null : leadTo(next, cookie) };
  }
  if (visit.me === null) return { ...nothing, response: leadTo('/account') };
  if (what === 'sign-out') return { ...nothing, response: leadTo('/account', await signOut(asked, visit)) };
  if (what === 'create-key') return createKey(visit, form);
  if (what === 'create-webhook') return createWebhook(visit, form);
  const id = textOf(form, 'id');
  if (what === 'test-webhook') return applied(await visit.api.testWebhook(id), '/account#webhooks');
  if (what === 'remove-webhook') return applied(await visit.api.removeWebhook(id), '/account#webhooks');
  if (what === 'redeliver') return applied(await visit.api.redeliver(id), '/account#webhooks');
  if (what === 'revoke-signing-key') return applied(await visit.api.revokeSigningKey(id), '/account#signing-keys');
  if (what === 'revoke-key') return applied(await visit.api.revokeKey(id), '/account#keys');
  return { ...nothing, response: leadTo('/account') };
}

/** Data of the account page, after the posted form was applied. */
export async function visitAccount(asked: Asked): Promise<Done & { visit: Visit }> {
  const visit = await openVisit(asked);
  if (asked.request.method !== 'POST' || visit.problem !== null) {
    const next = toPlace(new URL(asked.request.url).searchParams.get('next') ?? '');
    return { ...nothing, next, visit, problem: visit.problem };
  }
  const { form, problem } = await readPosted(asked, visit.token);
  const done = form === null ? { ...nothing, problem } : await act(asked, visit, form);
  return { ...done, visit };
}
