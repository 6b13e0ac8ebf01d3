/** How often, how long and how many at a time something is done. */
export interface Pace {
  /** How many are under way at a time. */
  clients: number;
  /** No new one begins after this long. */
  ms: number;
  /** How many there are to choose from. */
  choices: number;
  /** True to do each at most once; false to begin again after the last. */
  isOnce: boolean;
}

/** What a round was like. */
export interface Pressed {
  /** How long each took, in milliseconds, in no order. */
  times: Float64Array;
  /** From the beginning of the first to the end of the last. */
  took_ms: number;
  /** Processor time of the process that did it. */
  cpu_ms: number;
  /** How many failed, which have no time, and why the first did. */
  failed: number;
  fault: string | null;
}

/** Rounds of several processes at the same time as one. */
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

/** Does one after the other with each client until the time is over. What fails is counted, not timed. */
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
