import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** One container of compose.yaml, with the fields that tests use. */
export interface ComposeService {
  image?: string;
  user?: string;
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  restart?: string;
  entrypoint?: string[];
  environment?: Record<string, string>;
  secrets?: string[];
  tmpfs?: string[];
  ports?: string[];
  volumes?: string[];
  networks: string[] | Record<string, { ipv4_address?: string }>;
  healthcheck?: { disable?: boolean; test?: string[] };
  deploy?: { replicas?: number; resources?: { limits?: Record<string, string | number> } };
  depends_on?: Record<string, { condition: string }>;
}

export interface Compose {
  services: Record<string, ComposeService>;
  networks: Record<string, { internal?: boolean } | null>;
  secrets: Record<string, { file: string }>;
  volumes: Record<string, unknown>;
}

export const composeFile = new URL('../../../infra/compose/compose.yaml', import.meta.url);

/** `${NAME}`, `${NAME:-default}` and `${NAME:?message}`, by the rules of Compose. */
const interpolate = (text: string, variables: Record<string, string>) =>
  text.replace(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, sign?: string, rest?: string) => {
    const value = variables[name];
    if (value) return value;
    if (sign === '?') throw new Error(`${name} is missing: ${rest}`);
    return sign === '-' ? (rest ?? '') : '';
  });

/** The file with merged anchors and substituted variables. Substitution follows parsing, so numbers stay strings. */
export function readCompose(variables: Record<string, string>): Compose {
  const compose: unknown = parse(readFileSync(composeFile, 'utf8'), { merge: true });
  return JSON.parse(
    JSON.stringify(compose, (_, value) => (typeof value === 'string' ? interpolate(value, variables) : value)),
  );
}
