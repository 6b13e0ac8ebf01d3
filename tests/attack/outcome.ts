import type { Body } from '../acceptance/world.ts';
import { holds } from './attack.ts';
import type { Account, Reply, World } from './world.ts';

/** Codes of the findings of one severity. */
export const codesOf = (stored: Body, severity: string): string[] => [
  ...new Set<string>(
    stored.results.flatMap((result: Body) =>
      result.findings.filter((finding: Body) => finding.severity === severity).map((finding: Body) => finding.code),
    ),
  ),
];

/** The status of a submission, in a few words. */
export function describe({ status, body, text }: Reply): string {
  if (status >= 300) return `${status} ${body?.errors?.[0]?.code ?? body?.code ?? text.slice(0, 80)}`;
  const statuses = [...new Set(body.results.map((result: Body) => result.status))].join(' and ');
  const violations = codesOf(body, 'violation');
  return violations.length > 0 ? `${statuses}: ${violations.join(', ')}` : statuses;
}

/** Checks that a submission was rejected or stored with a status that does not rank. */
export function isKeptOut(reply: Reply): string {
  const said = describe(reply);
  holds(reply.status < 500, said);
  const ranks = reply.status < 300 && reply.body.results.some((result: Body) => result.status === 'accepted');
  holds(!ranks, `it ranks: ${said}`);
  return said;
}

/** Checks that the findings call a submission impossible. */
export function isViolation(reply: Reply): string {
  const said = isKeptOut(reply);
  holds(reply.status >= 400 || codesOf(reply.body, 'violation').length > 0, `no violation: ${said}`);
  return said;
}

/** Checks that all stored results are copies of other accounts' results and that none became `replicated` as a consequence. */
export async function isCopy(world: World, reply: Reply): Promise<string> {
  if (reply.status >= 400) return describe(reply);
  const own = reply.body.results as Body[];
  // Only copies from other accounts count. Copies of this account's earlier results in another form are a different case.
  const isOthers = ({ code, severity }: Body) => code === 'copied_artifact' && severity === 'warning';
  const copies = own.filter(({ copy_of, findings }) => copy_of !== null && findings.some(isOthers));
  holds(copies.length === own.length, `${own.length - copies.length} of ${own.length} results are no copy`);
  const trusts = own.map(({ trust }) => trust);
  holds(!trusts.includes('replicated'), 'the copy is replicated');
  const firsts = new Set(copies.map(({ copy_of }) => copy_of));
  const everything = await world.get(`/v1/results?full=true&trust=replicated&limit=200`);
  const gained = everything.data.filter(({ id }: Body) => firsts.has(id));
  holds(gained.length === 0, `the copy makes ${gained.length} results replicated`);
  return `copy_of, ${describe(reply)}`;
}

/** Two accounts for the same attack: a self-registered one and one that an admin vouches for. */
export const bothSenders = async (world: World): Promise<[kind: string, account: Account][]> => [
  ['new', await world.stranger()],
  ['vouched', await world.vouched()],
];
