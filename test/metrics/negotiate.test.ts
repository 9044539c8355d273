import { expect, it } from 'vitest'
import { wantsOpenMetrics } from '../../src/metrics/metrics.ts'

it.each([
  [undefined, false],
  ['*/*', false],
  ['text/plain', false],
  ['application/openmetrics-text', true],
  [
    'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1',
    true,
  ],
  ['application/openmetrics-text; version=0.0.1; q=0.9, text/plain;q=0.2', false],
  ['text/plain;version=0.0.4;q=1, application/openmetrics-text;q=0.5', false],
  ['application/openmetrics-text;q=0', false],
  ['application/openmetrics-text;q=x', false],
])('reads %s as OpenMetrics wanted: %s', (accept, wanted) => {
  expect(wantsOpenMetrics(accept)).toBe(wanted)
})
