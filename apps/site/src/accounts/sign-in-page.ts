import { textOf } from '../features/submission/data/posted-form.ts';
import type { Problem } from '../lib/api.ts';
import { leadTo, openVisit, readPosted, signIn } from './visit.ts';

type Asked = Parameters<typeof openVisit>[0];

/** Signs in with a link after the visitor presses the button. Link scanners therefore do not use up the link. */
export async function signInByLink(
  asked: Asked,
): Promise<{ response: Response | null; problem: Problem | null; link: string }> {
  await openVisit(asked);
  const link = new URL(asked.request.url).searchParams.get('link') ?? '';
  if (asked.request.method !== 'POST') return { response: null, problem: null, link };
  const { form, problem: malformed } = await readPosted(asked, null);
  if (form === null) return { response: null, problem: malformed, link };
  const { cookie, problem } = await signIn(asked, { link: textOf(form, 'link') });
  return { response: cookie === null ? null : leadTo('/account', cookie), problem, link };
}
