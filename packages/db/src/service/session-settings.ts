import type { Sql } from 'postgres';
import { sessionSettings } from '../connection/client.ts';

export interface OtherSetting {
  name: string;
  is: string;
  wanted: string;
}

/** Session settings that differ from those the service sets, for instance behind a misconfigured pooler. */
export async function findOtherSettings(sql: Sql): Promise<OtherSetting[]> {
  const names = Object.keys(sessionSettings);
  const rows = await sql<{ name: string; setting: string }[]>`
    select name, setting from pg_settings where name = any(${names}) order by name`;
  const wanted = new Map<string, number>(Object.entries(sessionSettings));
  return rows
    .filter(({ name, setting }) => Number(setting) !== wanted.get(name))
    .map(({ name, setting }) => ({ name, is: setting, wanted: String(wanted.get(name)) }));
}
