import { type Mutant, mutantsIn } from './mutants.ts'

const times = ['test/api/answer-times.test.ts']
const stale = [...times, 'test/sync/stale-answers.test.ts']
const quality = ['test/evaluate/clock-skew.test.ts', 'test/evaluate/decide-status.test.ts']

/** Deliberate mistakes about the time of an answer. */
export const answerTimeMutants: readonly Mutant[] = [
  ...mutantsIn('src/api/answer-times.ts', ['test/api/reread-replays.test.ts'], {
    'an old answer is asked for again like that of a cache of seconds': [
      '- serverTime <= recentMs',
      '- serverTime <= 60 * recentMs',
    ],
  }),
  ...mutantsIn('src/api/answer-times.ts', stale, {
    'a replayed answer is taken for a new one': [
      "if (requestIdUse === 'replayed') {",
      "if (requestIdUse === 'replayed' && resource === null) {",
    ],
    'an answer behind the newest time is used': [
      'if (behindMs <= greatestSkewMs) return',
      'if (behindMs <= 1000 * greatestSkewMs) return',
    ],
  }),
  ...mutantsIn('src/api/transport/send.ts', stale, {
    'the age of an answer in a cache is overlooked': ["ageOf(response.headers['age'])", 'ageOf(undefined)'],
  }),
  ...mutantsIn('src/api/answer-times.ts', times, {
    'an answer from before those to an earlier process is used': [
      'answer.serverTime >= this.#floor.time - agreementMs',
      'answer.serverTime >= this.#floor.time - greatestSkewMs',
    ],
    'after a restart the last answer of a server that is ahead is used again': [
      'if (this.#newest === null) this.#refuseUnadvanced(answer, noteBehind)',
      '',
    ],
    'one answer far ahead raises the newest time': [
      '(this.#ahead !== null && advances(this.#ahead, here))',
      'here.time > answer.receivedAt',
    ],
    'an old answer without a time is used': ['if (answer.date !== null) this', 'if (answer.date === undefined) this'],
    'a time that does not advance counts as a corrected clock': [
      'before !== null && advances(before, here) ? before.runs + 1 : 1',
      'before !== null ? before.runs + 1 : 1',
    ],
    'answers of one run count as several': [
      'if (before !== null && request <= before.request) return',
      'if (before !== null && request < 0) return',
    ],
    'the ids of a tenant are kept without end': ['const keptAnswers = 10_000', 'const keptAnswers = 20_000'],
  }),
  ...mutantsIn('src/sync/run.ts', stale, {
    'an old detail fails no run': [
      "new Set(['aborted', 'internal', 'stale_answer', 'store', 'tenant_changed'])",
      "new Set(['aborted', 'internal', 'store', 'tenant_changed'])",
    ],
  }),
  ...mutantsIn('src/evaluate/data-quality.ts', quality, {
    'a newer answer confirms a full sync that was old': [
      'complete !== null && complete < -greatestSkewMs',
      'complete !== null && live === null',
    ],
    'a skew counts as it was when the answer came': [
      'const present = live === undefined ? stored : live',
      'const present = live === null ? live : stored',
    ],
  }),
  ...mutantsIn('src/daemon/evaluate.ts', quality, {
    'a jump of the local clock is not stored for the next process': [
      'if (Math.abs(serverTime - serverTimeAt - skewMs) <= skewStepMs) continue',
      'if (Math.abs(skewMs) >= 0) continue',
    ],
  }),
  ...mutantsIn('src/model/data-quality.ts', quality, {
    'an answer of a server that is behind counts as reliable': [
      "...(clock === 'behind' ? (['clock_skew'] as const) : []),",
      '',
    ],
    'a time that cannot be read agrees': [
      "if (skewMs === null) return 'unknown'",
      "if (skewMs === null) return 'agrees'",
    ],
  }),
  ...mutantsIn('src/evaluate/evaluate-check.ts', quality, {
    'a wrong clock opens findings': [
      "check.timeBased && inputs.some(({ clock }) => clock === 'ahead' || clock === 'behind')",
      "check.timeBased && inputs.some(({ clock }) => clock === 'ahead')",
    ],
  }),
  ...mutantsIn('src/api/limits/rate-limiter.ts', ['test/api/limits'], {
    'a stored wait grows when the clock is set back': ['blockedForMs ?? maxRetryAfterMs', 'maxRetryAfterMs'],
  }),
  ...mutantsIn('src/api/transport/send.ts', ['test/api/retry.test.ts'], {
    'a date to wait for is read by the local clock': ['stated ?? parts.clock.now()', 'parts.clock.now()'],
  }),
  ...mutantsIn('src/sync/feeds/feed-pages.ts', ['test/sync/limits-rate.test.ts'], {
    'a full sync that waits for the tenant counts as idle': [
      'Math.abs(now - open.progressAt) - open.waitMs > ',
      'Math.abs(now - open.progressAt) > ',
    ],
  }),
]
