import { type Mutant, mutantsIn } from './mutants.ts'

/** Mistakes that would let a metric look well, or a rule miss its first event. */
export const metricsMutants: readonly Mutant[] = [
  ...mutantsIn('src/metrics/check-gauges.ts', ['test/metrics/metrics.test.ts'], {
    'a tenant counts as evaluated when one of its checks is': ['add(Math.min(...times))', 'add(Math.max(...times))'],
  }),
  ...mutantsIn('src/metrics/preinitialize.ts', ['test/metrics/metrics.test.ts'], {
    'a class of failed requests appears with its first event': [
      'for (const one of errorClasses)',
      'for (const one of errorClasses.slice(1))',
    ],
  }),
  ...mutantsIn('src/metrics/preinitialize.ts', ['test/monitoring/rules.test.ts'], {
    'a refusal that an alert reads appears with its first event': [
      'for (const reason of refusals) instruments.add',
      'for (const reason of refusals.slice(1)) instruments.add',
    ],
  }),
  ...mutantsIn('src/metrics/sync-gauges.ts', ['test/metrics/metrics.test.ts'], {
    'access counts as refused because runs fail': [
      'for (const { resource, accessRefused = false } of enabled(posture)) add(Number(accessRefused), resource)',
      'for (const { resource, modes } of enabled(posture)) add(Number(modes.some(({ up }) => !up)), resource)',
    ],
  }),
  ...mutantsIn('src/evaluate/read-posture.ts', ['test/evaluate/read-posture.test.ts'], {
    'a hold hides that access is refused': [
      '...(isRefusal(denied) && { accessRefused: true })',
      '...(isRefusal(blocked) && { accessRefused: true })',
    ],
  }),
  ...mutantsIn('src/store/sync/sync-states.ts', ['test/sync/access-denied.test.ts'], {
    'a run that fails for another reason ends a refusal': [
      'return isRefusal(reason) ? reason : undefined',
      'return isRefusal(reason) ? reason : null',
    ],
  }),
  ...mutantsIn('src/api/tenant-reader.ts', ['test/api/failed-requests.test.ts'], {
    'a 200 that cannot be used is no failed request': ['observer?.failed(reasonOf(error))', 'reasonOf(error)'],
  }),
  ...mutantsIn('src/api/client.ts', ['test/api/failed-requests.test.ts'], {
    'a refused probe is no failed request': ["if (statusOf(outcome) !== '200')", "if (statusOf(outcome) === '999')"],
  }),
  ...mutantsIn('src/metrics/counters.ts', ['test/metrics/counters.test.ts'], {
    'a counter of one tenant is added to another series of it': [
      '{ at: tails.size, resource',
      '{ at: tails.size >> 1, resource',
    ],
  }),
]
