import type { Mutant } from './mutants.ts'

const times = ['test/api/answer-times.test.ts']
const stale = [...times, 'test/sync/stale-answers.test.ts']
const quality = ['test/evaluate/clock-skew.test.ts', 'test/evaluate/decide-status.test.ts']

/** Deliberate mistakes about the time of an answer. */
export const answerTimeMutants: readonly Mutant[] = [
  {
    name: 'a replayed answer is taken for a new one',
    file: 'src/api/answer-times.ts',
    find: "if (requestIdUse === 'replayed') throw",
    replace: "if (requestIdUse === 'replayed' && resource === null) throw",
    tests: stale,
  },
  {
    name: 'the age of an answer in a cache is overlooked',
    file: 'src/api/transport/send.ts',
    find: "ageOf(response.headers['age'])",
    replace: 'ageOf(undefined)',
    tests: stale,
  },
  {
    name: 'an answer from before those to an earlier process is used',
    file: 'src/api/answer-times.ts',
    find: 'answer.serverTime >= this.#floor.time - agreementMs',
    replace: 'answer.serverTime >= this.#floor.time - greatestSkewMs',
    tests: times,
  },
  {
    name: 'after a restart the last answer of a server that is ahead is used again',
    file: 'src/api/answer-times.ts',
    find: 'if (this.#newest === null) this.#refuseUnadvanced(answer, noteBehind)',
    replace: '',
    tests: times,
  },
  {
    name: 'one answer far ahead raises the newest time',
    file: 'src/api/answer-times.ts',
    find: '(this.#ahead !== null && advances(this.#ahead, here))',
    replace: 'here.time > answer.receivedAt',
    tests: times,
  },
  {
    name: 'an answer behind the newest time is used',
    file: 'src/api/answer-times.ts',
    find: 'if (behindMs <= greatestSkewMs) return',
    replace: 'if (behindMs <= 1000 * greatestSkewMs) return',
    tests: stale,
  },
  {
    name: 'an old answer without a time is used',
    file: 'src/api/answer-times.ts',
    find: 'if (answer.date !== null) this',
    replace: 'if (answer.date === undefined) this',
    tests: times,
  },
  {
    name: 'a time that does not advance counts as a corrected clock',
    file: 'src/api/answer-times.ts',
    find: 'before !== null && advances(before, here) ? before.runs + 1 : 1',
    replace: 'before !== null ? before.runs + 1 : 1',
    tests: times,
  },
  {
    name: 'answers of one run count as several',
    file: 'src/api/answer-times.ts',
    find: 'if (before !== null && request <= before.request) return',
    replace: 'if (before !== null && request < 0) return',
    tests: times,
  },
  {
    name: 'the ids of a tenant are kept without end',
    file: 'src/api/answer-times.ts',
    find: 'const keptAnswers = 10_000',
    replace: 'const keptAnswers = 20_000',
    tests: times,
  },
  {
    name: 'an old detail fails no run',
    file: 'src/sync/run.ts',
    find: "new Set(['aborted', 'internal', 'stale_answer', 'store', 'tenant_changed'])",
    replace: "new Set(['aborted', 'internal', 'store', 'tenant_changed'])",
    tests: stale,
  },
  {
    name: 'a newer answer confirms a full sync that was old',
    file: 'src/evaluate/data-quality.ts',
    find: 'complete !== null && complete < -greatestSkewMs',
    replace: 'complete !== null && live === null',
    tests: quality,
  },
  {
    name: 'a skew counts as it was when the answer came',
    file: 'src/evaluate/data-quality.ts',
    find: 'const present = live === undefined ? stored : live',
    replace: 'const present = live === null ? live : stored',
    tests: quality,
  },
  {
    name: 'a jump of the local clock is not stored for the next process',
    file: 'src/daemon/evaluate.ts',
    find: 'if (Math.abs(serverTime - serverTimeAt - skewMs) <= skewStepMs) continue',
    replace: 'if (Math.abs(skewMs) >= 0) continue',
    tests: quality,
  },
  {
    name: 'an answer of a server that is behind counts as reliable',
    file: 'src/model/data-quality.ts',
    find: "...(clock === 'behind' ? (['clock_skew'] as const) : []),",
    replace: '',
    tests: quality,
  },
  {
    name: 'a time that cannot be read agrees',
    file: 'src/model/data-quality.ts',
    find: "if (skewMs === null) return 'unknown'",
    replace: "if (skewMs === null) return 'agrees'",
    tests: quality,
  },
  {
    name: 'a wrong clock opens findings',
    file: 'src/evaluate/evaluate-check.ts',
    find: "check.timeBased && inputs.some(({ clock }) => clock === 'ahead' || clock === 'behind')",
    replace: "check.timeBased && inputs.some(({ clock }) => clock === 'ahead')",
    tests: quality,
  },
  {
    name: 'a stored wait grows when the clock is set back',
    file: 'src/api/limits/rate-limiter.ts',
    find: 'blockedForMs ?? maxRetryAfterMs',
    replace: 'maxRetryAfterMs',
    tests: ['test/api/limits'],
  },
  {
    name: 'a date to wait for is read by the local clock',
    file: 'src/api/transport/send.ts',
    find: 'stated ?? parts.clock.now()',
    replace: 'parts.clock.now()',
    tests: ['test/api/retry.test.ts'],
  },
  {
    name: 'a full sync that waits for the tenant counts as idle',
    file: 'src/sync/feeds/feed-pages.ts',
    find: 'Math.abs(now - open.progressAt) - open.waitMs > ',
    replace: 'Math.abs(now - open.progressAt) > ',
    tests: ['test/sync/limits-rate.test.ts'],
  },
]
