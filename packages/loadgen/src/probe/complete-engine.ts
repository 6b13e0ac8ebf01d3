import { resolveEngine } from '@inferboard/core/catalogue/index';
import type { ReportedSystem } from '../points/native-report.ts';
import type { ServerFacts } from './server-facts.ts';

type EngineFacts = Pick<ReportedSystem, 'engine' | 'engineVersion'>;

const idOf = (name: string) => resolveEngine(name).id ?? name.toLowerCase();

/**
 * Completes the stated engine and its version with those that the server reports. Stated facts take precedence.
 *
 * @param describe a stated fact in words: "--engine is sglang"
 * @returns the system, and in words where the server contradicts it
 */
export function completeEngine<System extends EngineFacts>(
  system: System,
  { engine, engineVersion }: Pick<ServerFacts, 'engine' | 'engineVersion'>,
  describe: (fact: keyof EngineFacts, stated: string) => string,
): { system: System; doubts: string[] } {
  const doubts: string[] = [];
  if (engine === null) return { system, doubts };
  if (system.engine !== null && idOf(system.engine) !== idOf(engine)) {
    const version = engineVersion === null ? '' : ` ${engineVersion}`;
    doubts.push(`the server is ${engine}${version}, and ${describe('engine', system.engine)}`);
    return { system, doubts };
  }
  if (engineVersion !== null && system.engineVersion !== null && system.engineVersion !== engineVersion)
    doubts.push(`the server is version ${engineVersion}, and ${describe('engineVersion', system.engineVersion)}`);
  const engineFacts = { engine: system.engine ?? engine, engineVersion: system.engineVersion ?? engineVersion };
  return { system: { ...system, ...engineFacts }, doubts };
}
