import { type Mutant, mutantsIn } from './mutants.ts'

const clock = ['test/commands/local-clock.test.ts']
const schedule = ['test/schedule']

/** Mistakes about a local clock that is wrong or set. */
export const localClockMutants: readonly Mutant[] = [
  ...mutantsIn('src/schedule/scheduler.ts', schedule, {
    'a jump of the wall clock leaves the next tick where it was': [
      'if (watch.jumped()) for',
      'if (watch.jumped() && false) for',
    ],
    'a clock jump is not reported, so that nothing is read at once': ['      onJump?.()\n', ''],
    'the timer sleeps until the next tick, however far it is': [
      'Math.min(Math.max(nextAt - clock.now(), 0), maxSleepMs)',
      'Math.max(nextAt - clock.now(), 0)',
    ],
    'a job that is added waits for the timer armed before it': [
      '      entries.set(job.name, entry)\n      wake.abort()\n',
      '      entries.set(job.name, entry)\n',
    ],
  }),
  ...mutantsIn('src/schedule/wall-clock-watch.ts', schedule, {
    'a clock that is set back and forth is reported at each look': [
      'unreported === null || clock.monotonic() < reportAfter',
      'unreported === null',
    ],
    'a clock that is slewed counts as one that was set': ['Math.abs(by) < jumpMs', 'by === 0'],
  }),
  ...mutantsIn('src/daemon/retention.ts', clock, {
    'without a server time the local clock decides what is erased': [
      'if (times.size === 0) return false',
      'if (times.size === 0) times.set(0, now)',
    ],
  }),
  ...mutantsIn('src/daemon/retention.ts', ['test/daemon/retention.test.ts'], {
    'the local clock decides what is erased': [
      'Math.min(now, times.get(id) ?? newest) - retentionMs',
      'now - retentionMs',
    ],
    'the server time decides what is erased, however far ahead it is': [
      'Math.min(now, times.get(id) ?? newest) - retentionMs',
      '(times.get(id) ?? newest) - retentionMs',
    ],
    'the age of the mirror is counted by the earlier clock': [
      'latest: Math.max(now, newest)',
      'latest: Math.min(now, newest)',
    ],
  }),
  ...mutantsIn('src/daemon/tenant-parts.ts', ['test/daemon/retention.test.ts'], {
    'the time of a tenant whose identity is not proven counts': [
      'return this.#proven ? this.#clock.now() : null',
      'return this.#clock.now()',
    ],
  }),
  ...mutantsIn('src/store/records/record-retention.ts', clock, {
    'rows of a clock that showed 1970 are erased at once': ['time > (from ?? latest)', 'true'],
  }),
  ...mutantsIn('src/store/records/record-retention.ts', ['test/store/record-retention.test.ts'], {
    'rows dated long ago are erased although they were written after recent ones': [
      'first.get(latest, now)) ?? Number.MAX_SAFE_INTEGER',
      'first.get(latest, -1)) ?? Number.MAX_SAFE_INTEGER',
    ],
    'a tenant that keeps its record loses it with another one': [
      'from tenants t where t.id = $',
      'from tenants t where t.id <= $',
    ],
  }),
  ...mutantsIn('src/model/data-quality.ts', ['test/evaluate'], {
    'inputs are fresh under a clock that is behind the newest stored time': [
      "  if (facts.clockIsBehind) return 'stale'\n",
      '',
    ],
  }),
  ...mutantsIn('src/evaluate/data-quality.ts', clock, {
    'a clock that is set back renews waivers': ['Math.max(now, newest ?? now,', 'Math.max(now,'],
  }),
  ...mutantsIn('src/evaluate/data-quality.ts', ['test/evaluate/wrong-clock.test.ts'], {
    'a local clock that is behind the server renews waivers': ['isSkewed(skewMs) ? now + (skewMs ?? 0) : now', 'now'],
  }),
  ...mutantsIn('src/evaluate/findings/resolve-finding.ts', clock, {
    'a finding of a wrong clock counts as fixed': ["ofWrongClock ? 'clock_corrected' : 'fixed'", "'fixed'"],
  }),
  ...mutantsIn('src/store/history/evidence-store.ts', ['test/evaluate/wrong-clock.test.ts'], {
    'a finding of a clock that was behind counts as fixed': ['s.confirmed_at >= s.latest', 's.confirmed_at < 0'],
    'a document of a wrong clock never gets old enough to fail': [
      '    for (const cap of caps) yield* cap.run({ at })\n',
      '',
    ],
  }),
  ...mutantsIn('src/daemon/evaluate.ts', ['test/daemon/evaluate.test.ts'], {
    'any server time confirms the clock': ['serverTime !== null && !isSkewed(serverTime - now)', 'serverTime !== null'],
  }),
  ...mutantsIn('src/store/erasure-store.ts', clock, {
    'a tenant is purged without its evidence': [
      "filter((name) => name !== 'record_counts')",
      "filter((name) => name !== 'record_counts' && name !== 'finding_events')",
    ],
  }),
  ...mutantsIn('src/commands/purge.ts', clock, {
    'a configured tenant is purged': [
      'settings.tenants.some((tenant) => tenant.name === name)',
      'settings.tenants.some(() => false)',
    ],
  }),
]
