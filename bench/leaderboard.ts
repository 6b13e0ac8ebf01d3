// A leaderboard through the API against the least the database could do: the same points of the same rows, bare.
import { compare, describeMachine, openBench, report } from './support.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? 300);
const bench = await openBench();
try {
  describeMachine();
  const { app, deps } = bench;
  for (const query of [
    'scenario=decode-bound&rank_by=decode_tok_s',
    'rank_by=decode_tok_s',
    'rank_by=output_tok_s&max_itl_ms=30',
  ]) {
    const rankBy = new URLSearchParams(query).get('rank_by') ?? '';
    const ask = async () => {
      const response = await app.request(`/v1/leaderboard?${query}`);
      if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
      return response.text();
    };
    const bare = () => deps.database.sql`
      select t.* from point_statistics t join points p on p.id = t.point_id
      where ${deps.database.sql(rankBy)} is not null order by ${deps.database.sql(rankBy)} desc limit 50`;
    report(`GET /v1/leaderboard?${query}`, await compare(rounds, ask, bare), 'bare rows');
  }
} finally {
  await bench.end();
}
