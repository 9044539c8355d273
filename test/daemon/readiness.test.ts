import { expect, it, vi } from 'vitest'
import type { TenantSettings } from '../../src/config/settings.ts'
import { readinessOf } from '../../src/daemon/serve.ts'
import type { Views } from '../../src/daemon/views.ts'
import { SyncError } from '../../src/model/errors.ts'
import type { TenantPosture } from '../../src/model/posture.ts'
import type { Mirror } from '../../src/store/port.ts'
import { onlyStore, type ReplicaFacts } from '../../src/store/tenant-stores.ts'
import { reloadable } from '../commands/support/reloading.ts'

type Facts = Partial<Pick<TenantPosture, 'blockedUntil' | 'holds'>> & { readonly tried?: readonly string[] }

const anyMirror = {} as Mirror

const names = ['users', 'roles'] as const
const now = 1000
const held = (resource: 'all' | 'roles') => ({
  id: 'h',
  resource,
  reason: 'denied',
  count: 1,
  message: '',
  raisedAt: 0,
})

function postureOf(tenant: string, { tried = [], blockedUntil = 0, holds = [] }: Facts): TenantPosture {
  const resources = names.map((resource) => {
    return { resource, enabled: true, modes: [{ lastAttemptAt: tried.includes(resource) ? 1 : null }] }
  })
  return { tenant, at: now, blockedUntil, holds, resources } as unknown as TenantPosture
}

function fleetOf(facts: Record<string, Facts>) {
  const posture = vi.fn<Views['posture']>(async (wanted) =>
    Object.keys(facts).flatMap((name) =>
      wanted === undefined || wanted === name || (typeof wanted === 'object' && wanted.has(name))
        ? [postureOf(name, facts[name] ?? {})]
        : [],
    ),
  )
  const settings = { tenants: Object.keys(facts).map((name) => ({ name }) as TenantSettings) }
  return {
    facts,
    posture,
    settings,
    ready: readinessOf({ settings, views: { posture }, stores: onlyStore(anyMirror) }),
  }
}

it('names what was not tried', async () => {
  const fleet = fleetOf({ acme: { tried: names }, zeta: { tried: ['users'] } })
  expect(await fleet.ready()).toEqual({ ok: false, text: 'Not tried yet: zeta roles' })
})

it('does not wait for a tenant that may not be asked yet, nor for a hold', async () => {
  const held0 = { tried: ['users'], holds: [held('roles')] }
  const fleet = fleetOf({ acme: { blockedUntil: now + 1 }, beta: { holds: [held('all')] }, zeta: held0 } as never)
  expect((await fleet.ready()).ok).toBe(true)
  expect(await fleetOf({ acme: { blockedUntil: now } }).ready()).toMatchObject({ ok: false })
  expect(await fleetOf({ acme: { holds: [held('roles')] } } as never).ready()).toMatchObject({
    text: 'Not tried yet: acme users',
  })
})

it.each([
  ['one engine', null],
  ['a replica', { isConfirmed: true } as ReplicaFacts],
])('is not ready as %s while the database is away, whatever was tried before', async (_, facts) => {
  const { session, origin } = await reloadable()
  const ready = async () => {
    const answer = await fetch(`${origin}/readyz`)
    return [answer.status, await answer.text()]
  }
  if (facts !== null) vi.spyOn(session.stores, 'facts').mockReturnValue(facts)
  const tried = [200, 'Every resource was tried\n']
  expect(await ready()).toEqual(tried)
  const ping = vi.spyOn(session.mirror, 'ping').mockRejectedValue(new SyncError('store', 'away'))
  expect(await ready()).toEqual([503, 'The database cannot be used; see the log\n'])
  ping.mockRestore()
  expect(await ready()).toEqual(tried)
})
