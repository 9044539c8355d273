import { expect, it } from 'vitest'
import { hourMs, minuteMs } from '../../src/model/time.ts'
import { createPrng } from '../simulation/prng.ts'
import { happen, type Reported, timed } from './support/timed-world.ts'

const configurations = [
  '',
  'checks: { user-invitation-accepted: { days: 500, highDays: 600 } }',
  'checks: { user-mfa-enrolled: { enrolledWhen: mfaAction }, document-current: { enabled: false } }',
  'resources: { documents: { enabled: false } }',
  'freshness: { users: 90m }',
  'waivers: [{ id: w1, check: user-mfa-enrolled, entity: "*", tenant: acme, owner: ann, reason: Until the roll-out has ended, expires: 2026-03-02 }]',
  'waivers: [{ id: w1, check: user-mfa-enrolled, entity: "*", tenant: acme, owner: bob, reason: Until the roll-out has ended, expires: 2026-03-20 }, { id: w2, check: auth-sso-enforced, entity: authentication-settings, tenant: acme, owner: bob, reason: There is no identity provider, expires: 2026-03-04 }]',
]

it.each([1, 2])('reproduces the report of any past time byte for byte, whatever happened since (%i)', async (seed) => {
  const world = await timed('')
  const prng = createPrng(seed)
  const base = world.read('tenantwatch.yaml')
  const single = base.replace(/ {2}- name: beta[\s\S]*?(?=^\S)/m, '')
  const token = world.env['ACME_TOKEN']
  const reported: Reported[] = []
  for (let step = 0; step < 14; step++) {
    for (let i = 0; i < 3; i++) happen(world, prng)
    if (prng.chance(0.5))
      world.write('tenantwatch.yaml', `${prng.chance(0.3) ? single : base}${prng.pick(configurations)}\n`)
    world.env['ACME_TOKEN'] = prng.chance(0.2) ? 'no longer valid' : token
    await world.run('sync', ...(prng.chance(0.5) ? ['--full'] : []))
    world.pass(prng.pick([0, minuteMs, 10 * minuteMs, 40 * minuteMs, 5 * hourMs, 20 * hourMs]))
    if (step > 0) world.pass(1)
    reported.push(await world.report())
    world.pass(1)
  }
  const kinds = new Set(reported.map(({ documents }) => documents[0]))
  expect(kinds.size).toBe(reported.length)
  for (const one of reported) expect(await world.reportAgain(one)).toEqual(one)
})
