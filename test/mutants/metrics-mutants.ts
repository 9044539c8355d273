import type { Mutant } from './mutants.ts'

/** Mistakes that would let a metric look well, or a rule miss its first event. */
export const metricsMutants: readonly Mutant[] = [
  {
    name: 'a tenant counts as evaluated when one of its checks is',
    file: 'src/metrics/check-gauges.ts',
    find: 'value: Math.min(...times)',
    replace: 'value: Math.max(...times)',
    tests: ['test/metrics/metrics.test.ts'],
  },
  {
    name: 'a class of failed requests appears with its first event',
    file: 'src/metrics/preinitialize.ts',
    find: 'for (const one of errorClasses)',
    replace: 'for (const one of errorClasses.slice(1))',
    tests: ['test/metrics/metrics.test.ts'],
  },
  {
    name: 'a refusal that an alert reads appears with its first event',
    file: 'src/metrics/preinitialize.ts',
    find: 'for (const reason of refusals) instruments.add',
    replace: 'for (const reason of refusals.slice(1)) instruments.add',
    tests: ['test/monitoring/rules.test.ts'],
  },
  {
    name: 'a 200 that cannot be used is no failed request',
    file: 'src/api/tenant-reader.ts',
    find: 'observer?.failed(reasonOf(error))',
    replace: 'reasonOf(error)',
    tests: ['test/api/failed-requests.test.ts'],
  },
  {
    name: 'a refused probe is no failed request',
    file: 'src/api/client.ts',
    find: "if (statusOf(outcome) !== '200')",
    replace: "if (statusOf(outcome) === '999')",
    tests: ['test/api/failed-requests.test.ts'],
  },
  {
    name: 'a counter of one tenant is added to another series of it',
    file: 'src/metrics/counters.ts',
    find: '{ at: tails.size, resource',
    replace: '{ at: tails.size >> 1, resource',
    tests: ['test/metrics/counters.test.ts'],
  },
]
