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
}

/** Does one after the other with each client until the time is over. */
export async function press(
  { clients, ms, choices, isOnce }: Pace,
  one: (choice: number, client: number) => Promise<void>,
): Promise<Pressed> {
  const times: number[] = [];
  const start = performance.now();
  let turn = 0;
  const work = async (client: number) => {
    while (performance.now() - start < ms && !(isOnce && turn >= choices)) {
      const choice = turn % choices;
      turn += 1;
      const begun = performance.now();
      await one(choice, client);
      times.push(performance.now() - begun);
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, client) => work(client)));
  return { times: Float64Array.from(times), took_ms: performance.now() - start };
}
