import { expect, it } from 'vitest'
import { dataWarnings } from '../../src/report/data-warnings.ts'
import { at, posture, resource } from '../metrics/support/posture.ts'

it('counts quarantined records in the singular and the plural', () => {
  const of = (quarantined: number) =>
    dataWarnings(posture({ resources: [resource('users', { quarantined })] }), 'users')
  expect(of(0)).toEqual([])
  expect(of(1)).toEqual(['acme users: 1 record in quarantine, so absent or outdated here'])
  expect(of(1200)).toEqual(['acme users: 1,200 records in quarantine, so absent or outdated here'])
})

it('names the hold of a whole tenant once, with its resources', () => {
  const hold = {
    id: 'H',
    resource: 'all',
    reason: 'tenant_changed',
    count: 9,
    message: 'Another tenant',
    raisedAt: at,
  } as const
  const held = posture({ resources: [resource('users'), resource('roles', { quarantined: 1 })], holds: [hold] })
  expect(dataWarnings(held, 'users', 'roles')).toEqual([
    'acme users, roles: on hold H: Another tenant',
    'acme roles: 1 record in quarantine, so absent or outdated here',
  ])
})
