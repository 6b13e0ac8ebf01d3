import { textOf } from '../features/submission/data/posted-form.ts';
import type { Problem } from '../lib/api.ts';
import { openVisit, readPosted, signIn, type Visit } from './visit.ts';

type Asked = Parameters<typeof openVisit>[0];

interface Joined {
  visit: Visit;
  problem: Problem | null;
  /** The submitted text, unchanged. */
  name: string;
  /** The key of the new account, shown once. */
  key: string | null;
  /** Whether registration is open. */
  isOpen: boolean;
}

/** Creates the account from the form and signs it in. */
async function join(asked: Asked, visit: Visit): Promise<Pick<Joined, 'problem' | 'name' | 'key'>> {
  const { form, problem: malformed } = await readPosted(asked, visit.token);
  if (form === null) return { problem: malformed, name: '', key: null };
  const name = textOf(form, 'name').trim();
  const { data: account, problem } = await asked.locals.openAccount(null).createAccount(name);
  if (account === null) return { problem, name, key: null };
  // If the sign-in fails, the page still shows the key, which cannot be shown again.
  const { cookie } = await signIn(asked, { key: account.key.key });
  if (cookie !== null) asked.response.headers.append('set-cookie', cookie);
  return { problem: null, name: account.name, key: account.key.key };
}

/** Data of the registration page, after the posted form was applied. */
export async function joinBoard(asked: Asked): Promise<Joined> {
  const visit = await openVisit(asked);
  const { data, problem: unknown } = await visit.api.getRegistration();
  const isOpen = data?.registration === 'open';
  const done =
    asked.request.method === 'POST' && isOpen ? await join(asked, visit) : { problem: unknown, name: '', key: null };
  return { visit, isOpen, ...done };
}
