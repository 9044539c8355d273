import { expect, it } from 'vitest'
import { isLoopback } from '../../src/model/process/address.ts'

it.each(['localhost', 'LOCALHOST', '127.0.0.1', '127.9.9.9', '::1', '[::1]'])('knows %s as loopback', (host) => {
  expect(isLoopback(host)).toBe(true)
})

it.each([
  'localhost.example.com',
  'notlocalhost',
  '.localhost',
  'localhost.',
  'a.localhost',
  '127.0.0.999',
  '128.0.0.1',
  '127.0.0.1.example.com',
  '127.0.0.1.',
  '0.0.0.0',
  '::',
  '::ffff:127.0.0.1',
  'example',
  '',
])('does not take "%s" for loopback', (host) => {
  expect(isLoopback(host)).toBe(false)
})
