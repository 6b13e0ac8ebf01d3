import { pointCodes } from '@inferboard/core/ranking/point-table';
import { formatWorkload } from '@inferboard/core/workloads/workload-id';
import { Words } from './columns.ts';

/** Workloads as numbers from 0. Their ids are built once, not for every row. */
export class WorkloadCodes {
  readonly #words = new Words();
  /** By scenario and regime. */
  readonly #codes = new Map<number, number>();

  /** Ids by code. */
  get ids(): readonly string[] {
    return this.#words.words;
  }

  /** The code of a shape under a regime; `scenario` and `regime` are their codes. */
  code(scenario: number, regime: number, shape: string): number {
    const key = scenario * 256 + regime;
    const known = this.#codes.get(key);
    if (known !== undefined) return known;
    const code = this.#words.code(formatWorkload({ shape, regime: pointCodes.regime[regime] ?? null }));
    this.#codes.set(key, code);
    return code;
  }
}
