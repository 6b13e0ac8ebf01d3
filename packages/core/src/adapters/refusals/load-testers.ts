/** Programs that send HTTP requests of any kind: a word in their output, and a line that occurs only there. */
export const loadTesters: { title: string; word: string; pattern: RegExp }[] = [
  {
    title: 'k6',
    word: 'http_req_duration',
    pattern: /^\s{0,40}(?:[✓✗]\s{0,4})?http_req_duration\.{3,}.{0,4}:|"http_req_duration":/,
  },
  {
    title: 'Locust',
    word: 'Failure Count',
    pattern: /^"?Type"?,"?Name"?,"?Request Count"?,"?Failure Count"?,/,
  },
  {
    title: 'Locust',
    word: '# fails',
    pattern: /^\s{0,4}Type\s{1,20}Name\s{1,80}# reqs\s{1,20}# fails\s/,
  },
  {
    title: 'oha',
    word: 'uccess',
    pattern: /^\s{0,20}Success rate:\s{1,20}[\d.]+%|"successRate":.{0,400}"requestsPerSec":|^\s{1,20}"successRate": /,
  },
  {
    title: 'wrk',
    word: 'Thread Stats',
    pattern: /^\s{0,20}Thread Stats\s{1,20}Avg\s{1,20}Stdev\b/,
  },
  {
    title: 'autocannon',
    word: 'Req/Bytes counts sampled',
    pattern: /^\s{0,20}Req\/Bytes counts sampled once per second/,
  },
  {
    title: 'autocannon',
    word: '"pipelining"',
    pattern: /"pipelining":/,
  },
  {
    title: 'k6',
    word: '"http_req',
    pattern: /^\s{0,8}\{.{0,400}"metric": {0,4}"http_req/,
  },
  {
    title: 'k6',
    word: 'metric_name,timestamp,metric_value',
    pattern: /^metric_name,timestamp,metric_value\b/,
  },
  {
    title: 'oha',
    word: 'request-start,DNS',
    pattern: /^request-start,DNS,/,
  },
  {
    title: 'hey',
    word: ' secs',
    pattern: /^\s{0,8}Slowest:\s{1,8}[\d.]{1,12} secs\s*$/,
  },
  {
    title: 'ApacheBench',
    word: '[#/sec]',
    pattern: /^Requests per second:\s{1,8}[\d.]{1,12} \[#\/sec\]/,
  },
  {
    title: 'vegeta',
    word: '[min, mean, 50',
    pattern: /^Latencies\s{1,8}\[min, mean, 50, /,
  },
];
