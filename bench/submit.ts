// Submitting through the API against bare inserts of the same bytes and as many result rows, each in one transaction.
import { adminKey, compare, describeMachine, openBench, report } from './support.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? 100);
const bench = await openBench();

const record = (seed: number, i: number) =>
  JSON.stringify({
    run_name: `bench_${seed}_${i}`,
    batch_size: 1,
    input_len: 256 + (i % 500),
    output_len: 512,
    latency: 3.8,
    output_throughput: 150 + i / 1000,
    overall_throughput: (256 + (i % 500) + 512) / 3.8,
  });

try {
  describeMachine();
  const { app, deps } = bench;
  let seed = 0;
  for (const lines of [1, 1000]) {
    const artifact = () => {
      seed += 1;
      return Array.from({ length: lines }, (_, i) => record(seed, i)).join('\n');
    };
    const submit = async () => {
      const response = await app.request('/v1/submissions?model=unspecified&gpu=unspecified&quantization=bf16', {
        method: 'POST',
        headers: { authorization: `Bearer ${adminKey}` },
        body: artifact(),
      });
      if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
      await response.text();
    };
    await deps.database
      .sql`create table if not exists bench_artifacts (id bigint generated always as identity, bytes bytea)`;
    await deps.database.sql`create table if not exists bench_results (like results)`;
    const [model] = await deps.database.sql`select to_jsonb(r) as row from results r limit 1`;
    const bare = async () => {
      const body = artifact();
      await deps.database.sql.begin(async (sql) => {
        await sql`insert into bench_artifacts (bytes) values (${Buffer.from(body)})`;
        const rows = Array.from({ length: lines }, () => model?.row);
        await sql`insert into bench_results select * from jsonb_populate_recordset(null::bench_results, ${sql.json(rows)})`;
      });
    };
    report(
      `POST /v1/submissions, ${lines} results`,
      await compare(lines === 1 ? rounds : Math.max(10, rounds / 10), submit, bare),
      'bare inserts',
    );
  }
} finally {
  await bench.end();
}
