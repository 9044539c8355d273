import { expect, it } from 'vitest'
import { nearest } from '../../src/config/mistakes.ts'

it.each([
  ['baseURL', ['baseUrl', 'name'], 'baseUrl'],
  ['lsiten', ['listen', 'webConfig'], 'listen'],
  ['user-mfa-enroled', ['user-role-active', 'user-mfa-enrolled'], 'user-mfa-enrolled'],
  ['firewall', ['user-mfa-enrolled'], undefined],
  ['xy', ['id'], undefined],
  ['foo', ['log', 'low', 'info'], undefined],
  ['lwo', ['log', 'low'], 'low'],
  ['hihg', ['high', 'info'], 'high'],
  ['fast', ['fail', 'last-run'], undefined],
  ['anything', [], undefined],
])('takes %s for the nearest of %j', (word, candidates, expected) => {
  expect(nearest(word, candidates)).toBe(expected)
})
