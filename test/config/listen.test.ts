import { expect, it } from 'vitest'
import { formatListen, listen, localAddress, readListen } from '../../src/config/values.ts'

it.each([
  ['127.0.0.1:9469', '127.0.0.1', 9469, '127.0.0.1:9469'],
  ['localhost:0', 'localhost', 0, 'localhost:0'],
  ['[::1]:9469', '::1', 9469, '[::1]:9469'],
  ['[fe80::1%eth0]:1', 'fe80::1%eth0', 1, '[fe80::1%eth0]:1'],
  [':9469', '::', 9469, '[::1]:9469'],
  ['[::]:9469', '::', 9469, '[::1]:9469'],
  ['0.0.0.0:9469', '0.0.0.0', 9469, '127.0.0.1:9469'],
  ['9469', '127.0.0.1', 9469, '127.0.0.1:9469'],
  [9469, '127.0.0.1', 9469, '127.0.0.1:9469'],
])('takes %j as %s port %i, writes it so that it reads the same, and asks it at %s', (text, host, port, local) => {
  const address = readListen(listen().parse(text))
  expect(address).toEqual({ host, port })
  expect(readListen(formatListen({ host, port }))).toEqual(address)
  expect(localAddress({ host, port })).toBe(local)
})
