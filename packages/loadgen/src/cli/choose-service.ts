import { commandWords } from '../view/command-words.ts';
import type { MeasureOptions } from './options.ts';
import { OptionsError } from './options-error.ts';
import { baseOf, isSendable, loginFile, readLogin } from './stored-login.ts';
import type { Service } from './submit.ts';

const keyVariable = 'INFERBOARD_KEY';

/**
 * The service that gets the records, and the key for it: of the environment, else of `inferboard login`, else none. Records are
 * signed if the key is that of the login. Null without `--submit`.
 *
 * @throws OptionsError if `--submit-key-env` names a variable that is not set, LoginError if the login cannot be read
 */
export async function chooseService(
  { submit: address, submitKeyEnv }: Pick<MeasureOptions, 'submit' | 'submitKeyEnv'>,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Service | null> {
  if (address === null) return null;
  const name = submitKeyEnv ?? keyVariable;
  const set = env[name] || null;
  const kept = await readLogin(loginFile(env));
  // A key goes to the service that it was stored for only.
  const login = kept !== null && baseOf(kept.url) === baseOf(address) ? kept : null;
  if (set === null && submitKeyEnv !== null) throw new OptionsError(`The environment variable ${name} is not set.`);
  if (set !== null && !isSendable(set))
    throw new OptionsError(`The key in the environment variable ${name} has characters that no key has.`);
  const key = set ?? login?.key ?? null;
  const other = kept === null ? '' : `The login is for ${kept.url}, not for ${address}. `;
  const noKey = `${other}Set the environment variable ${name}, or log in: ${commandWords('login')} --url ${address}`;
  const signing = key !== null && key === login?.key ? login.signing : null;
  return { address, key, noKey: key === null ? noKey : null, signing };
}
