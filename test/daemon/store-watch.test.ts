import { expect, it } from 'vitest'
import { storeWatch } from '../../src/daemon/store-watch.ts'
import { SyncError } from '../../src/model/errors.ts'
import { silentLog } from '../../src/model/log.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { testMirror } from '../support/mirror.ts'

it('takes a job on a tenant that another replica owns by now for no failure', () => {
  const watch = storeWatch(testMirror().mirror, fakeClock(), silentLog())
  watch.jobFailed(new SyncError('aborted', 'Another replica owns the tenant and continues there'))
  expect(() => watch.jobFailed(new TypeError('A fault'))).toThrow('A fault')
})
