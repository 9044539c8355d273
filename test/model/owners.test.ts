import { expect, it } from 'vitest'
import { type OwnedSubject, type OwnerRule, ownerNames, ownerOf, portalLink } from '../../src/model/owners.ts'

const owners: readonly OwnerRule[] = [
  { name: 'platform', check: 'api-client-*', client: 'Deploy-*' },
  { name: 'hr', user: '*@hr.example.com', role: 'HR *', tenant: 'ac*' },
  { name: 'records', document: 'SOC2*' },
  { name: 'platform', check: 'auth-*' },
]

const subject = (over: Partial<OwnedSubject>): OwnedSubject => ({
  ...{ tenant: 'acme', check: 'x', entityType: 'user', entityId: '1', names: [] },
  ...over,
})

it.each<[string, Partial<OwnedSubject>, string | null]>([
  ['client', { check: 'api-client-role-active', entityType: 'api-client', names: ['deploy-eu'] }, 'platform'],
  ['client by id', { check: 'api-client-role-active', entityType: 'api-client', entityId: 'deploy-1' }, 'platform'],
  ['client of another check', { entityType: 'api-client', names: ['deploy-eu'] }, null],
  ['client of another name', { check: 'api-client-role-active', entityType: 'api-client', names: ['ci'] }, null],
  ['user by any of its names', { names: ['Jo', 'JO@HR.example.com'] }, 'hr'],
  ['role of the same rule', { entityType: 'role-permissions', names: ['HR admins'] }, 'hr'],
  ['user of another tenant', { tenant: 'globex', names: ['jo@hr.example.com'] }, null],
  ['document', { entityType: 'document', names: ['soc2-2026.pdf'] }, 'records'],
  ['required document', { entityType: 'document-requirement', entityId: 'soc2' }, 'records'],
  ['check alone', { check: 'auth-sso-enforced', entityType: 'authentication-settings' }, 'platform'],
  ['type of an own check', { entityType: 'constructor', names: ['deploy-eu', 'soc2'] }, null],
])('finds the owner of a %s', (_, over, owner) => {
  expect(ownerOf(owners, subject(over))).toBe(owner)
})

it('takes the first rule that matches, and lists each owner once', () => {
  const all = [{ name: 'first', check: 'x' }, ...owners, { name: 'rest' }]
  expect(ownerOf(all, subject({ names: ['jo@hr.example.com'] }))).toBe('first')
  expect(ownerOf(all, subject({ check: 'y' }))).toBe('rest')
  expect(ownerNames(all)).toEqual(['first', 'platform', 'hr', 'records', 'rest'])
})

const urls = { user: 'p:/u/{userId}?id={userId}', client: null, role: 'p:/roles', document: 'p:/d/{documentId}' }
const braced = '{0194A7E6-0000-7000-8000-000000000001}'

it.each([
  ['user', '42', 'p:/u/42?id=42'],
  ['user', braced, `p:/u/${encodeURIComponent(braced)}?id=${encodeURIComponent(braced)}`],
  ['user', 'jo@example.com', null],
  ['role-permissions', '3', 'p:/roles'],
  ['api-client', '7', null],
  ['document', '7', 'p:/d/7'],
  ['document-requirement', '2024', null],
  ['authentication-settings', '7', null],
])('links to the %s %s', (type, id, link) => {
  expect(portalLink(urls, type, id)).toBe(link)
})
