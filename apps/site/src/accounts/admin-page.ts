import { asWritten, textOf } from '../features/submission/data/posted-form.ts';
import type { Problem } from '../lib/api.ts';
import type { AccountApi } from './account-api.ts';
import { leadTo, openVisit, readPosted, type Visit } from './visit.ts';

type Asked = Parameters<typeof openVisit>[0];

/** The API call of an action, and the page section to return to. */
interface Act {
  section: string;
  run(api: AccountApi, form: FormData): Promise<{ problem: Problem | null }>;
}

const idOf = (form: FormData) => textOf(form, 'id');
const wordsOf = (form: FormData, name: string) => asWritten(textOf(form, name)).trim();
/** Reads a text field that is not empty. */
const given = (form: FormData, name: string) => {
  const text = wordsOf(form, name);
  return text === '' ? {} : { [name]: text };
};

const malformed: Problem = {
  status: 422,
  code: 'facts_malformed',
  title: 'The facts are not valid JSON',
  detail: 'Write the facts as one JSON object, or leave them empty to add names to an entry.',
};

async function addEntry(api: AccountApi, form: FormData): Promise<{ problem: Problem | null }> {
  const aliases = wordsOf(form, 'aliases')
    .split('\n')
    .flatMap((line) => line.trim() || []);
  const body = { kind: textOf(form, 'kind'), id: wordsOf(form, 'id'), aliases };
  const facts = wordsOf(form, 'facts');
  if (facts === '') return api.addToCatalogue(body);
  try {
    return await api.addToCatalogue({ ...body, facts: JSON.parse(facts) });
  } catch (error) {
    if (error instanceof SyntaxError) return { problem: malformed };
    throw error;
  }
}

const acts: Record<string, Act> = {
  'review-name': {
    section: 'held-names',
    run: (api, form) =>
      api.reviewHeldName({
        ...{ fact: textOf(form, 'fact'), name: textOf(form, 'name'), decision: textOf(form, 'decision') },
        ...(textOf(form, 'decision') === 'map' && given(form, 'to')),
        note: wordsOf(form, 'note'),
      }),
  },
  'review-submission': {
    section: 'held',
    run: (api, form) =>
      api.reviewSubmission(idOf(form), { decision: textOf(form, 'decision'), note: wordsOf(form, 'note') }),
  },
  'decide-concern': {
    section: 'concerns',
    run: (api, form) => {
      const [decision, action] = textOf(form, 'decision').split(' ');
      return api.decideConcern(idOf(form), {
        decision,
        ...(action !== undefined && { action }),
        note: wordsOf(form, 'note'),
      });
    },
  },
  vouch: { section: 'accounts', run: (api, form) => api.vouch(idOf(form)) },
  approve: { section: 'endpoints', run: (api, form) => api.approveEndpoint(idOf(form)) },
  'add-entry': { section: 'catalogue', run: addEntry },
  'remove-entry': { section: 'catalogue', run: (api, form) => api.removeAddition(idOf(form)) },
};

interface Administered {
  visit: Visit;
  response: Response | null;
  problem: Problem | null;
  /** The submitted text, shown again if the API rejects it. */
  form: FormData | null;
}

/** Data of the admin page, after the posted form was applied. */
export async function visitAdmin(asked: Asked): Promise<Administered> {
  const visit = await openVisit(asked);
  const shown = { visit, response: null, problem: visit.problem, form: null };
  if (asked.request.method !== 'POST' || visit.me === null) return shown;
  const { form, problem: refusal } = await readPosted(asked, visit.token);
  if (form === null) return { ...shown, problem: refusal };
  const name = textOf(form, 'act');
  const act = Object.hasOwn(acts, name) ? acts[name] : undefined;
  if (act === undefined) return { ...shown, response: leadTo('/admin') };
  const { problem } = await act.run(visit.api, form);
  return { ...shown, form, problem, response: problem === null ? leadTo(`/admin?done=1#${act.section}`) : null };
}
