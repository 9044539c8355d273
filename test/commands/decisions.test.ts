import { expect, it } from 'vitest'
import { minuteMs } from '../../src/model/durations.ts'
import { driftIdIn, type FindingView } from '../../src/model/finding.ts'
import { synced } from './support/cli.ts'

const reasons = { hold: 'Left with the spin-off, ticket 4711', drift: 'Agreed with the board on 3 May' }

/** A tenant in which a hold and drift were accepted, one minute apart, and then applied. */
async function decided() {
  const world = await synced({ simulator: { sizes: { users: 60 } } })
  const { simulator, run, pass, now } = world
  const at = () => new Date(now()).toISOString()
  const before = at()
  for (const { userId } of [...simulator.state().users()].slice(0, 40)) simulator.primary.removeUser(userId)
  simulator.primary.setSettings({ providerType: 'Oidc', ssoEnabled: true, ssoEnforced: true })
  pass(minuteMs)
  await run('sync', '--full')
  pass(minuteMs)
  await run('sync', '--full')
  const [{ id: holdId, count }] = JSON.parse((await run('accept', '--format', 'json')).stdout)
  pass(minuteMs)
  const heldAt = at()
  expect(await run('accept', holdId, '--reason', reasons.hold, '--by', 'Ada')).toMatchObject({ code: 0 })
  const found: FindingView[] = JSON.parse(
    (await run('findings', '--format', 'json', '--check', 'auth-settings-unchanged')).stdout,
  )
  const drift = found.find(({ entity }) => entity.id === 'providerType')
  if (drift === undefined) throw new Error('Nothing drifted')
  pass(minuteMs)
  const driftAt = at()
  expect(await run('accept', driftIdIn(drift) ?? '', '--reason', reasons.drift, '--by', 'Grace')).toMatchObject({
    code: 0,
  })
  const between = at()
  pass(minuteMs)
  await run('sync', '--full')
  return { ...world, before, holdId, count: Number(count), heldAt, driftAt, between, drift }
}

it('reports decisions as of a time, and when they were applied', async () => {
  const { run, before, between, holdId, heldAt, driftAt, count } = await decided()
  const asOf = async (...args: string[]) =>
    JSON.parse((await run('report', '--format', 'json', ...args)).stdout).tenants[0].decisions
  const [hold, drift] = await asOf()
  expect(hold).toEqual({
    ...{
      at: heldAt,
      accepted: 'hold',
      subject: 'users',
      id: holdId,
      what: `shrink_held (${count})`,
      reason: reasons.hold,
      by: 'Ada',
    },
    appliedAt: expect.stringMatching(/^2026-03-01T/),
  })
  expect(drift).toMatchObject({ at: driftAt, accepted: 'drift', what: '"Oidc"', reason: reasons.drift })
  expect(await asOf('--as-of', between)).toEqual([{ ...hold, appliedAt: null }, drift])
  expect(await asOf('--as-of', before)).toEqual([])
  for (const format of ['html']) {
    const { stdout } = await run('report', '--format', format)
    expect(stdout).toContain('Decisions of operators')
    for (const word of [...Object.values(reasons), 'by <bdi>Ada', 'by <bdi>Grace']) expect(stdout).toContain(word)
  }
})
