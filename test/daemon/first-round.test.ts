import { expect, it } from 'vitest'
import { logFirstRound } from '../../src/daemon/first-round.ts'
import type { Log } from '../../src/model/log.ts'
import { silentLog } from '../../src/model/log.ts'
import { check, posture, resource } from '../metrics/support/posture.ts'

it('says with what the first round of syncs has ended', async () => {
  const lines: unknown[] = []
  const log: Log = { ...silentLog(), info: (fields, message) => void lines.push({ ...fields, message }) }
  const acme = posture({
    resources: [resource('users'), resource('roles', { dataAsOf: null }), resource('documents', { enabled: false })],
    checks: [check('user-mfa-enrolled', { status: 'fail', open: { high: 2, low: 1 } })],
  })
  const views = { posture: async () => [acme] } as unknown as Parameters<typeof logFirstRound>[0]['views']
  const page = 'http://127.0.0.1:9469/'
  await logFirstRound({ views }, { page, log, signal: new AbortController().signal })
  const message = 'First round of syncs has ended'
  expect(lines).toEqual([{ tenants: 1, resources: 1, openFindings: 3, page, message }])
  await logFirstRound({ views }, { page, log, signal: AbortSignal.abort() })
  expect(lines).toHaveLength(1)
})
