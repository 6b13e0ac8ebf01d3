/** Publication dates of MLPerf Inference rounds. Their entries state the round and no date. */
export const mlperfRounds: Readonly<Record<string, string>> = {
  '2.1': '2022-09-08',
  '3.0': '2023-04-05',
  '3.1': '2023-09-11',
  '4.0': '2024-03-27',
  '4.1': '2024-08-28',
  '5.0': '2025-04-02',
  '5.1': '2025-09-09',
};

/** Begins the title of a publication of a round: "MLPerf Inference v5.1, Closed". */
export const mlperfTitle = 'MLPerf Inference v';
