import { expect, it } from 'vitest'
import { storeWatch } from '../../src/daemon/store-watch.ts'
import { SyncError } from '../../src/model/errors.ts'
import { type Log, silentLog } from '../../src/model/log.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { testMirror } from '../support/mirror.ts'

it('takes a job on a tenant that another replica owns by now for no failure', () => {
  const watch = storeWatch(testMirror().mirror, fakeClock(), silentLog())
  watch.jobFailed(new SyncError('aborted', 'Another replica owns the tenant and continues there'))
  expect(() => watch.jobFailed(new TypeError('A fault'))).toThrow('A fault')
})

it('logs the same problem of the mirror once a minute', () => {
  const logged: string[] = []
  const log = { ...silentLog(), warn: ({ detail }: { detail: string }) => void logged.push(detail) } as unknown as Log
  const clock = fakeClock()
  const watch = storeWatch(testMirror().mirror, clock, log)
  for (const seconds of [0, 1, 58, 2, 1]) {
    clock.advance(seconds * 1000)
    watch.jobFailed(new SyncError('store', 'The server takes no more connections'))
  }
  watch.jobFailed(new SyncError('store', 'The server does not answer'))
  expect(logged).toEqual([...Array(2).fill('The server takes no more connections'), 'The server does not answer'])
})
