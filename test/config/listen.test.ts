import { expect, it } from 'vitest'
import { formatListen, listen, readListen } from '../../src/config/values.ts'

it.each([
  ['127.0.0.1:9469', '127.0.0.1', 9469],
  ['localhost:0', 'localhost', 0],
  ['[::1]:9469', '::1', 9469],
  ['[fe80::1%eth0]:1', 'fe80::1%eth0', 1],
  [':9469', '::', 9469],
  ['9469', '127.0.0.1', 9469],
  [9469, '127.0.0.1', 9469],
])('takes %j as %s port %i, and writes it so that it reads the same', (text, host, port) => {
  const address = readListen(listen().parse(text))
  expect(address).toEqual({ host, port })
  expect(readListen(formatListen({ host, port }))).toEqual(address)
})
