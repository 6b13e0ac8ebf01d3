import type { Endpoint, EndpointCheck, RunSummary, Schedule } from '@inferboard/api/client';
import { leadTo, openVisit, readPosted, type Visit } from '../accounts/visit.ts';
import { textOf } from '../features/submission/data/posted-form.ts';
import type { Problem } from '../lib/api.ts';
import { endpointBody, givenOf } from './endpoint-body.ts';
import { isScheduled, runBody } from './run-body.ts';

type Asked = Parameters<typeof openVisit>[0];

/** The sign-in, which leads back to the page. */
const toSignIn = (place: string): Response => leadTo(`/account?${new URLSearchParams({ next: place })}`);

interface NewEndpoint {
  visit: Visit;
  /** Redirect target; null to render the page. */
  response: Response | null;
  problem: Problem | null;
  /** The texts of the form. */
  given: Record<string, string>;
}

/** Data of the page that registers an endpoint, after the posted form was applied. */
export async function visitNewEndpoint(asked: Asked): Promise<NewEndpoint> {
  const visit = await openVisit(asked);
  const shown = { visit, response: null, problem: visit.problem, given: {} };
  if (visit.problem !== null) return shown;
  if (visit.me === null) return { ...shown, response: toSignIn('/endpoints/new') };
  if (asked.request.method !== 'POST') return shown;
  const { form, problem: rejection } = await readPosted(asked, visit.token);
  if (form === null) return { ...shown, problem: rejection };
  const { data, problem } = await visit.api.createEndpoint(endpointBody(form));
  const response = data === null ? null : leadTo(`/endpoints/${data.id}`);
  return { ...shown, response, problem, given: givenOf(form) };
}

interface Done {
  response: Response | null;
  problem: Problem | null;
  check: EndpointCheck | null;
  /** The posted form, to show it again after an error. */
  form: FormData | null;
}

interface EndpointVisit extends Done {
  visit: Visit;
  /** Null if the account has no such endpoint. */
  endpoint: Endpoint | null;
  runs: RunSummary[];
  schedules: Schedule[];
}

const idle: Done = { response: null, problem: null, check: null, form: null };

/** Redirects to a place if the action succeeded. */
const applied = ({ problem }: { problem: Problem | null }, place: string, form: FormData): Done => ({
  ...{ problem, check: null, form },
  response: problem === null ? leadTo(place) : null,
});

async function act(visit: Visit, id: string, form: FormData): Promise<Done> {
  const shown = { response: null, problem: null, check: null, form };
  const { api } = visit;
  const what = textOf(form, 'act');
  if (what === 'check') {
    const { data: check, problem } = await api.checkEndpoint(id);
    return { ...shown, check, problem };
  }
  const page = `/endpoints/${id}`;
  if (what === 'prove') return applied(await api.proveEndpoint(id), page, form);
  if (what === 'cancel') return applied(await api.cancelRun(textOf(form, 'run')), `${page}#runs`, form);
  if (what === 'remove') return applied(await api.removeEndpoint(id), '/account#endpoints', form);
  if (what === 'remove-schedule')
    return applied(await api.removeSchedule(textOf(form, 'schedule')), `${page}#schedules`, form);
  if (isScheduled(form)) return applied(await api.createSchedule(runBody(id, form)), `${page}#schedules`, form);
  const { data: run, problem } = await api.createRun(runBody(id, form));
  return { ...shown, problem, response: run === null ? null : leadTo(`/runs/${run.id}`) };
}

/** Data of the page of an endpoint, after the posted form was applied. */
export async function visitEndpoint(asked: Asked, id: string): Promise<EndpointVisit> {
  const visit = await openVisit(asked);
  const unread = { visit, endpoint: null, runs: [], schedules: [] };
  const nothing = { ...unread, ...idle, problem: visit.problem };
  if (visit.problem !== null) return nothing;
  if (visit.me === null) return { ...nothing, response: toSignIn(`/endpoints/${id}`) };
  const posted = asked.request.method === 'POST' ? await readPosted(asked, visit.token) : null;
  const done = posted?.form ? await act(visit, id, posted.form) : { ...idle, problem: posted?.problem ?? null };
  if (done.response !== null) return { ...nothing, ...done };
  const [{ data: endpoint, problem: unknown }, { data: runs }, { data: schedules }] = await Promise.all([
    visit.api.getEndpoint(id),
    visit.api.listRuns(),
    visit.api.listSchedules(),
  ]);
  return {
    ...{ visit, endpoint, ...done, problem: done.problem ?? unknown },
    runs: (runs?.data ?? []).filter((run) => run.endpoint.id === id),
    schedules: (schedules?.data ?? []).filter((schedule) => schedule.endpoint_id === id),
  };
}
