/** Repetitions, duration and concurrency of a round. */
export interface Pace {
  /** Maximum concurrency. */
  clients: number;
  /** No work item starts after this time. */
  ms: number;
  /** Number of available work items. */
  choices: number;
  /** True to run each at most once; false to start over after the last. */
  isOnce: boolean;
}

/** The figures of a round. */
export interface Pressed {
  /** Durations, ms, unordered. */
  times: Float64Array;
  /** From the start of the first to the end of the last. */
  took_ms: number;
  /** CPU time of the executing process. */
  cpu_ms: number;
  /** Number of failures, which have no duration, and the first error. */
  failed: number;
  fault: string | null;
}

/** Merges concurrent rounds of several processes into one. */
export function together(rounds: readonly Pressed[]): Pressed {
  const sum = (of: (round: Pressed) => number) => rounds.reduce((total, round) => total + of(round), 0);
  return {
    times: Float64Array.from(rounds.flatMap(({ times }) => [...times])),
    took_ms: Math.max(...rounds.map(({ took_ms }) => took_ms)),
    cpu_ms: sum(({ cpu_ms }) => cpu_ms),
    failed: sum(({ failed }) => failed),
    fault: rounds.find(({ fault }) => fault !== null)?.fault ?? null,
  };
}

/** Each client runs work items in sequence until the time is over. Failures are counted, not timed. */
export async function press(
  { clients, ms, choices, isOnce }: Pace,
  one: (choice: number, client: number) => Promise<void>,
): Promise<Pressed> {
  const times: number[] = [];
  const faults: string[] = [];
  const before = process.cpuUsage();
  const start = performance.now();
  let turn = 0;
  const work = async (client: number) => {
    while (performance.now() - start < ms && !(isOnce && turn >= choices)) {
      const choice = turn % choices;
      turn += 1;
      const begun = performance.now();
      await one(choice, client).then(
        () => void times.push(performance.now() - begun),
        (error: unknown) => void faults.push(error instanceof Error ? error.message : String(error)),
      );
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, client) => work(client)));
  const took_ms = performance.now() - start;
  const { user, system } = process.cpuUsage(before);
  return {
    ...{ times: Float64Array.from(times), took_ms, cpu_ms: (user + system) / 1000 },
    ...{ failed: faults.length, fault: faults[0] ?? null },
  };
}
