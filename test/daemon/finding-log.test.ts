import { expect, it } from 'vitest'
import { checks } from '../../src/checks/index.ts'
import type { Waiver } from '../../src/config/settings.ts'
import { Evaluator } from '../../src/daemon/evaluator.ts'
import type { Metrics } from '../../src/metrics/metrics.ts'
import { type Log, silentLog } from '../../src/model/log.ts'
import { hourMs } from '../../src/model/time.ts'
import { onlyStore } from '../../src/store/tenant-stores.ts'
import { testEngine } from '../support/engine.ts'

const check = 'user-mfa-enrolled'
const metrics = { count() {} } as unknown as Metrics

/** A synced tenant of so many users without MFA, and what an evaluation logs of them. */
async function unenrolled(count: number, watched = check) {
  const test = await testEngine({ problems: false, sizes: { users: 20 } })
  const ids = [...test.sim.primary.users.all()].slice(0, count).map(({ userId }) => userId)
  const enrol = (mfaStatus: boolean) => {
    for (const id of ids) test.sim.primary.users.update(id, { mfaStatus })
  }
  const lines: { readonly fields: Record<string, unknown>; readonly message: string }[] = []
  const info: Log['info'] = (fields, message) => {
    if ('check' in fields && fields.check === watched) lines.push({ fields: { ...fields }, message })
  }
  const log: Log = { ...silentLog(), info, child: () => log }
  const evaluator = new Evaluator({ stores: onlyStore(test.mirror), metrics, clock: test.clock, log })
  const evaluated = async (waivers: readonly Waiver[] = []) => {
    await test.runAll('full')
    await evaluator.evaluate({ id: test.engine.tenantId, settings: test.settings }, { checks, waivers })
    test.clock.advance(hourMs)
    return lines.splice(0)
  }
  return { ...test, ids, enrol, evaluated }
}

it('logs each finding that is opened, resolved or reopened by its fingerprint, and none that stays', async () => {
  const { enrol, evaluated } = await unenrolled(2)
  enrol(false)
  const opened = await evaluated()
  const finding = expect.stringMatching(/^[0-9a-f]{12}$/)
  const fields = { tenant: 'acme', check, severity: 'high', finding }
  expect(opened).toEqual(Array(2).fill({ fields, message: 'Finding opened' }))
  expect(await evaluated()).toEqual([])
  enrol(true)
  const resolved = { fields: { ...fields, resolution: 'fixed' }, message: 'Finding resolved' }
  expect(await evaluated()).toEqual(Array(2).fill(resolved))
  enrol(false)
  expect(await evaluated()).toEqual(Array(2).fill({ fields, message: 'Finding reopened' }))
})
